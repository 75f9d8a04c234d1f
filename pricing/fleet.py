"""A fleet of machines at a demand: how many, what they cost, and what the demand's shape is worth.

Symbols: d demand and R a machine's counted rate at full load, both in units per second; h headroom, the
share of R that is kept free; P price in USD per machine-hour. A month has 730 hours: a typical day of 24
hours is repeated, of a year of 8,760 hours a month is the twelfth part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pricing.demand import Demand
from pricing.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Unit

MOST_MACHINES = 10_000_000
# A demand of exactly n machines needs n, though the quotient may be n + 2e-16 in binary.
_EXACT = 1e-9


@dataclass(frozen=True, slots=True)
class Running:
    """How machines are run: headroom, fewest replicas, and how the seller bills a start.

    headroom: 0 <= h < 1; least: machines that run at any demand; start_up_minutes: paid before a machine
    serves; billing_minutes: each run of a machine is rounded up to whole steps of so many.
    """

    headroom: float = 0.0
    least: int = 0
    start_up_minutes: float = 0.0
    billing_minutes: float = 60.0


def machines_for(demand: float, rate: float, headroom: float = 0.0, least: int = 0) -> int:
    """Whole machines for a demand: max(least, ceil(d / (R · (1 - h)))). ValueError for what can't be."""
    if not 0 <= headroom < 1:
        raise ValueError(f"a headroom of {headroom:g} can't be; write a share from 0 to below 1, such as 20%")
    if least < 0:
        raise ValueError(f"{least} replicas can't be the least; write 0 or more")
    needed = demand / (rate * (1 - headroom))
    if not needed <= MOST_MACHINES:
        raise ValueError(f"that needs {needed:g} machines, more than {MOST_MACHINES:,}; check the demand and its unit")
    nearest = round(needed)
    exact = abs(needed - nearest) <= _EXACT * max(nearest, 1) and (nearest > 0 or demand == 0)
    return max(least, nearest if exact else math.ceil(needed))


def machines_by_hour(demand: Demand, rate: float, running: Running) -> tuple[int, ...] | None:
    """Whole machines in each hour of the demand; None where the hours are not known."""
    if demand.hours is None:
        return None
    return tuple(machines_for(hour, rate, running.headroom, running.least) for hour in demand.hours)


def billed_hours(needed: Sequence[int], running: Running) -> list[float]:
    """Hours that are billed for machine 1, 2, … in one cycle of the hours, when each runs only while needed.

    Machine k runs while at least k are needed; the cycle repeats, so that its end joins its beginning. A
    run begins `start_up_minutes` before it serves, and is rounded up to whole billing steps. A machine
    whose next run would begin before the last one is billed out keeps running: no machine is billed for
    more than the cycle.
    """
    if not 0 <= running.start_up_minutes <= HOURS_PER_MONTH * 60:
        raise ValueError(f"{running.start_up_minutes:g} minutes of start-up can't be; write 0 to 43,800")
    if not 0 < running.billing_minutes <= HOURS_PER_MONTH * 60:
        raise ValueError(f"billing by {running.billing_minutes:g} minutes can't be; write above 0, at most 43,800")
    cycle = len(needed)
    known: dict[int, float] = {}
    # Between two different numbers of machines all machines have the same runs.
    levels = sorted(set(needed) - {0})
    hours: list[float] = []
    for level in levels:
        known[level] = min(sum(_billed(run, running) for run in _runs(needed, level)), float(cycle))
        hours += [known[level]] * (level - len(hours))
    return hours


def _billed(run: int, running: Running) -> float:
    minutes = (run * 60 + running.start_up_minutes) / running.billing_minutes
    steps = round(minutes) if abs(minutes - round(minutes)) <= _EXACT * max(minutes, 1) else math.ceil(minutes)
    return steps * running.billing_minutes / 60


def _runs(needed: Sequence[int], level: int) -> list[int]:
    """Return the lengths in hours of the runs in which at least `level` machines are needed, on a ring."""
    on = [count >= level for count in needed]
    if all(on):
        # It never stops: no start is paid, and no rounding is left.
        return [len(needed)]
    start = on.index(False)
    lengths, length = [], 0
    for i in range(1, len(on) + 1):
        if on[(start + i) % len(on)]:
            length += 1
        elif length:
            lengths.append(length)
            length = 0
    return lengths


def monthly_hours(hours: float, cycle: int) -> float:
    """Machine-hours in a month of 730 hours, from those of a cycle of 24 or 8,760 hours: hours · 730 / cycle."""
    return hours * HOURS_PER_MONTH / cycle


def cost_of_hours(price: float, hours: float) -> float:
    """Cost in USD of machine-hours: P · hours."""
    return price * hours


def used_cost(mean: float, price: float, rate: float) -> float:
    """What the work itself used, in USD a month: P · 730 · mean / R, its cost at full load.

    Never to be set beside an API's price: an API has its machines ready, and so must a fleet.
    """
    return price * HOURS_PER_MONTH * (mean / rate)


def cost_per_served(monthly: float, mean: float, unit: Unit) -> float:
    """Cost per quoted unit that is served: monthly · quoted / (mean · 3600 · 730)."""
    return monthly * unit.quoted / (mean * SECONDS_PER_HOUR * HOURS_PER_MONTH)


def achieved_utilization(mean: float, machine_hours: float, rate: float) -> float:
    """Share of the paid machines' full-load work that is served: mean · 730 / (machine-hours a month · R)."""
    return mean * HOURS_PER_MONTH / (machine_hours * rate)


@dataclass(frozen=True, slots=True)
class Mix:
    """The cheapest number of reserved machines under the load-duration curve, and the month's cost in USD."""

    reserved: int
    monthly: float


def cheapest_mix(hours: Sequence[float], cycle: int, price: float, reserved_price: float) -> Mix:
    """Reserve the machines that are busy often enough: n that makes n · P_r · cycle + P · Σ_{k>n} hours_k least.

    `hours` are those billed for machine 1, 2, … in a cycle (see billed_hours), never rising; a reserved
    machine is paid for every hour. Machine k is worth it where hours_k / cycle > P_r / P. Of equal costs
    the fewest reserved machines are taken.
    """
    best, cheapest = 0, math.inf
    on_demand = math.fsum(hours) * price
    for n in range(len(hours) + 1):
        if n:
            on_demand -= hours[n - 1] * price
        cost = n * reserved_price * cycle + max(on_demand, 0.0)
        if cost < cheapest * (1 - 1e-12):
            best, cheapest = n, cost
    # Summed anew, so that taking away leaves no rounding in the result.
    cost = best * reserved_price * cycle + price * math.fsum(hours[best:])
    return Mix(best, monthly_hours(cost, cycle))


def steps(
    price: float, rate: float, running: Running, peak_to_mean: float, most: int, unit: Unit
) -> list[tuple[float, float]]:
    """Cost per served unit of a fixed fleet against the mean demand, at both ends of each step of machines.

    With n machines the mean may be up to n · R · (1 - h) / (peak / mean); the cost there is
    n · P · quoted / (3600 · mean). The first step begins at an eighth of its end, as the cost has no end at 0.
    """
    points = []
    capacity = rate * (1 - running.headroom) / peak_to_mean
    first = max(running.least, 1)
    for n in range(first, first + most):
        begin = (n - 1) * capacity if n > first else first * capacity / 8
        for mean in (begin, n * capacity):
            points.append((mean, cost_per_served(price * HOURS_PER_MONTH * n, mean, unit)))
    return points
