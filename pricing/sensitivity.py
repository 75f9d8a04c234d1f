"""How far a cost moves with each of its inputs: the figures of a tornado chart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pricing import estimate
from pricing.compare import Answer
from pricing.measurements import Rate
from pricing.units import Unit

# An input without a range of its own is moved by a tenth: of itself, or of the whole where it is a share.
MOVED = 0.1
Input = Literal["price", "throughput", "utilization", "success_rate"]


@dataclass(frozen=True, slots=True)
class Move:
    """One input moved alone: its value at either end, and the cost there.

    `at_low` is the input's value at which the cost is lowest, `at_high` that at which it is highest;
    both are None where the input has no such end: a rate that may be zero has no highest cost.
    `stated` says that the ends are the measurement's own range.
    """

    input: Input
    at_low: float
    at_high: float | None
    cost_low: float
    cost_high: float | None
    stated: bool = False

    @property
    def width(self) -> float:
        """How far the cost goes, in USD; infinite where it has no highest."""
        return float("inf") if self.cost_high is None else self.cost_high - self.cost_low


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """An estimate's cost and what moves it, the widest first."""

    offer: str
    measurement: str
    cost: float
    moves: tuple[Move, ...]

    def times(self, factor: float) -> Sensitivity:
        """Return the same with its costs multiplied, so that they are said per another quantity."""
        moved = (
            replace(m, cost_low=m.cost_low * factor, cost_high=None if m.cost_high is None else m.cost_high * factor)
            for m in self.moves
        )
        return replace(self, cost=self.cost * factor, moves=tuple(moved))


def moves(
    price: float, rate: Rate, success: float, utilization: float, unit: Unit, lost: float = 0.0
) -> tuple[Move, ...]:
    """Return how far each input alone moves the cost, widest first.

    The cost is C = P · quoted / (3600 · R · s · u · (1 - l)), see `estimate.cost_per_quoted_unit`, with
    the price P in USD per instance-hour, R units per second that were attempted, s the share that
    counts, u the utilization and l the share of the work that spot loses. Each of these is put at its
    two ends while the others stay: P · 0.9 and P · 1.1; R at its own 95 % range, or R · 1.1 and
    R · 0.9 where it has none; u + 0.1 (at most 1) and u - 0.1; s likewise, where it is below 1. At a
    rate or share that is not positive there is no cost, and so no highest one.
    """

    def cost(p: float = price, r: float = rate.value, s: float = success, u: float = utilization) -> float:
        counted = estimate.utilization_with_loss(u, lost)
        return float(estimate.cost_per_quoted_unit(p, estimate.counted_rate(r, s), counted, unit))

    cheap, dear = price * (1 - MOVED), price * (1 + MOVED)
    found = [Move("price", cheap, dear, cost(p=cheap), cost(p=dear))]
    fast, slow, stated = _rate_ends(rate)
    found.append(Move("throughput", fast, slow, cost(r=fast), None if slow is None else cost(r=slow), stated))
    more, less = _share_ends(utilization)
    found.append(Move("utilization", more, less, cost(u=more), None if less is None else cost(u=less)))
    if success < 1:
        more, less = _share_ends(success)
        found.append(Move("success_rate", more, less, cost(s=more), None if less is None else cost(s=less)))
    return tuple(sorted(found, key=lambda move: -move.width))


def _rate_ends(rate: Rate) -> tuple[float, float | None, bool]:
    """Return the highest and the lowest rate, and whether they are the measurement's own."""
    if rate.high is None or rate.high <= rate.value:
        return rate.value * (1 + MOVED), rate.value * (1 - MOVED), False
    return rate.high, rate.low if rate.low is not None and rate.low > 0 else None, True


def _share_ends(share: float) -> tuple[float, float | None]:
    """Return a share a tenth of the whole higher, at most 1, and one lower; None where that is not positive."""
    # What is left of 0.3 less three tenths is no share, but the rest of a subtraction.
    lower = share - MOVED
    return min(1.0, share + MOVED), lower if lower > 1e-9 else None


def of_cheapest(answer: Answer) -> Sensitivity | None:
    """Return what moves the cost of an answer's cheapest estimate; None without one."""
    first = answer.cheapest(1)
    if not len(first):
        return None
    place, offer = int(first.pairs.measurement[0]), int(first.pairs.offer[0])
    question, words, replicas = answer.question, first.columns.words, int(first.pairs.replicas[0])
    each = first.rates[place]
    low, high = (None if v is None else v * replicas for v in (each.low, each.high))
    rate = Rate(each.value * replicas, low, high)
    lost = question.spot_loss if words["purchase"].at(offer) == "spot" else 0.0
    return Sensitivity(
        f"{words['provider'].at(offer)} {words['instance_type'].at(offer)}",
        question.measurements[place].label,
        float(first.cost[0]),
        moves(float(first.price[0]), rate, first.shares[place], question.utilization, answer.unit, lost),
    )
