"""A fleet of machines at a demand: how many, what they cost, and what the demand's shape is worth.

Symbols: d demand and R a machine's counted rate at full load, both in units per second; h headroom, the
share of R that is kept free; P price in USD per machine-hour. A month has 730 hours: a typical day of 24
hours is repeated, of a year of 8,760 hours a month is the twelfth part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pricing.billed import Level, levels
from pricing.demand import Demand
from pricing.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Unit
from pricing.wording import say

MOST_MACHINES = 10_000_000
# The longest month has so many minutes.
MOST_MINUTES = 44_640
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
        raise ValueError(
            say("a headroom of {headroom:g} can't be; write a share from 0 to below 1, such as 20%", headroom=headroom)
        )
    if least < 0:
        raise ValueError(say("{least} replicas can't be the least; write 0 or more", least=least))
    needed = demand / (rate * (1 - headroom))
    if not needed <= MOST_MACHINES:
        raise ValueError(
            say(
                "that needs {needed:g} machines, more than {most_machines:,}; check the demand and its unit",
                needed=needed,
                most_machines=MOST_MACHINES,
            )
        )
    nearest = round(needed)
    exact = abs(needed - nearest) <= _EXACT * max(nearest, 1) and (nearest > 0 or demand == 0)
    return max(least, nearest if exact else math.ceil(needed))


def machines_by_hour(demand: Demand, rate: float, running: Running) -> tuple[int, ...] | None:
    """Whole machines in each hour of the demand; None where the hours are not known."""
    if demand.hours is None:
        return None
    return tuple(machines_for(hour, rate, running.headroom, running.least) for hour in demand.hours)


def levels_of(needed: Sequence[int], running: Running) -> tuple[Level, ...]:
    """What is billed for each machine in one cycle of the hours, when it runs only while needed (see `levels`)."""
    return levels(needed, running.start_up_minutes, running.billing_minutes)


def checked(running: Running) -> None:
    """Refuse a way of running that can't be: ValueError with a sentence."""
    for name, value, least in (
        ("start-up", running.start_up_minutes, 0.0),
        ("billing", running.billing_minutes, 1 / 60),
    ):
        if not least <= value <= MOST_MINUTES:
            raise ValueError(
                say(
                    "{value:g} minutes of {name} can't be; write {least:.2g} to {most_minutes:,} minutes",
                    value=value,
                    name=name,
                    least=least,
                    most_minutes=MOST_MINUTES,
                )
            )


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


def mixed_cost(found: Sequence[Level], cycle: int, price: float, reserved_price: float, reserved: int) -> float:
    """Cost in USD a month of n reserved machines, paid always, and the others by the hour.

    (n · P_r · cycle + P · Σ machines beyond n · billed) · 730 / cycle; `found` are the levels of a cycle.
    """
    by_hour, left = [], reserved
    for level in found:
        kept = min(left, level.machines)
        left -= kept
        by_hour.append((level.machines - kept) * level.billed * price)
    return monthly_hours(reserved * reserved_price * cycle + math.fsum(by_hour), cycle)


def steps(
    price: float, rate: float, running: Running, peak_to_mean: float, most: int, unit: Unit
) -> list[tuple[float, float]]:
    """Cost per served unit of a fixed fleet against the mean demand, at both ends of each step of machines.

    With n machines the mean may be up to n · R · (1 - h) / (peak / mean); the cost there is
    n · P · quoted / (3600 · mean). The first step begins at an eighth of its end, as the cost has no end at 0.
    Nothing where the peak is so far above the mean that a mean served is no number.
    """
    points = []
    capacity = rate * (1 - running.headroom) / peak_to_mean
    first = max(running.least, 1)
    if not capacity > 1e-200:
        return []
    for n in range(first, first + most):
        end = n * capacity
        begin = (n - 1) * capacity if n > first else end / 8
        # Between the ends the cost falls as 1 / mean: a curve, the more so the longer the step.
        for mean in np.geomspace(begin, end, 9 if n == first else 3).tolist():
            points.append((mean, cost_per_served(price * HOURS_PER_MONTH * n, mean, unit)))
    return points
