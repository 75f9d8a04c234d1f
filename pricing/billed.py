"""What is billed for machines that run only while they are needed: starts, whole billing steps, kept machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pricing.demand import HOURS_PER_DAY

_MINUTES = 60.0
# A run of exactly n steps is n steps, though minutes added in binary may say n + 1e-12.
_EXACT_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Level:
    """Machines that are needed in the same hours: how many, in how many hours, and the hours billed for each."""

    machines: int
    needed: float
    billed: float


def levels(machines: Sequence[int], start_up_minutes: float, billing_minutes: float) -> tuple[Level, ...]:
    """Hours that are billed in a cycle, for machine 1, 2, … in groups that are needed in the same hours.

    machines: whole machines needed in each hour. Machine k serves while at least k are needed. It is
    started `start_up_minutes` before and billed from then on, in whole steps of `billing_minutes`: with e
    the minute to which it is billed, an hour from a to a + 60 adds ceil((a + 60 - max(e, a - start-up)) /
    step) steps. So a machine that is still billed when it would have to be started again is kept. Of all
    ways to be there in the hours needed this takes the fewest steps, since every step bought reaches as
    far as any way could with as many; hence more demand never bills less. No machine is billed for more
    than one that is always on.

    24 hours are a day that repeats: the start of the cycle is put where it bills least, so that a run over
    midnight is one run. Other cycles begin with no machine running, except those needed in all hours.
    """
    counts = np.asarray(machines, np.int64)
    tops = np.unique(counts[counts > 0])
    if not len(tops):
        return ()
    hours = len(counts)
    # A day is begun at each of its hours at once, one column each; a year at its first.
    begins = np.arange(hours if hours == HOURS_PER_DAY else 1)
    ahead = np.full((len(tops), len(begins)), -float(start_up_minutes))
    steps = np.zeros_like(ahead)
    for hour in range(hours):
        on = counts[(hour + begins) % hours] >= tops[:, None]
        more = np.ceil((_MINUTES - ahead) / billing_minutes - _EXACT_STEP)
        more = np.where(on, np.maximum(more, 0.0), 0.0)
        steps += more
        # Minutes billed beyond the next hour's start; a machine that is off begins its start-up before that.
        ahead = np.maximum(ahead + more * billing_minutes - _MINUTES, -start_up_minutes)
    billed = np.minimum(steps.min(axis=1) * billing_minutes / _MINUTES, hours)
    # Sorted once: the hours in which at least so many machines are needed (the load-duration curve).
    needed = hours - np.searchsorted(np.sort(counts), tops)
    sizes = np.diff(tops, prepend=0)
    return tuple(
        Level(*each) for each in zip(sizes.tolist(), needed.astype(float).tolist(), billed.tolist(), strict=True)
    )


def billed_hours(found: Sequence[Level]) -> float:
    """Machine-hours billed in a cycle: Σ machines · billed."""
    return float(sum(level.machines * level.billed for level in found))


def worth_reserving(found: Sequence[Level], cycle: int, price: float, reserved_price: float) -> int:
    """Machines to reserve: all of the levels that are billed for more than the share P_reserved / P of the hours.

    A reserved machine is paid for every hour, one by the hour P · billed; prices in USD per machine-hour.
    """
    return sum(level.machines for level in found if level.billed * price > cycle * reserved_price)
