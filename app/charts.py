"""Geometry of the charts: positions in percent, so that the page's width does not matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from pricing.estimates import Estimates


@dataclass(frozen=True, slots=True)
class Dot:
    """One estimate: its name, its cost, and where dot and range lie, in percent of the width."""

    name: str
    detail: str
    series: int
    cost: float
    low: float | None
    high: float | None
    at: float
    low_at: float | None
    high_at: float | None


@dataclass(frozen=True, slots=True)
class DotChart:
    """A ranked dot-and-range plot; ticks are (value, position in percent)."""

    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, float], ...]
    series: tuple[str, ...]


def nice_step(span: float, most: int = 5) -> float:
    """Return a round step (1, 2 or 5 × 10^k) that divides a span into at most `most` parts."""
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step: float = next(power * times for times in (1, 2, 5, 10) if power * times >= raw * (1 - 1e-12))
    return step


def dot_chart(estimates: Estimates) -> DotChart | None:
    """Lay out estimates from zero to the dearest upper bound; None without any."""
    if not len(estimates):
        return None
    costs = estimates.cost.tolist()
    lows, highs = _known(estimates.cost_low), _known(estimates.cost_high)
    top = max([*costs, *(v for v in highs if v is not None)])
    # An upper bound that is many times the cost would squeeze all dots into the left margin.
    top = min(top, 2 * max(costs))
    step = nice_step(top)
    end = step * math.ceil(top / step - 1e-9)

    def place(value: float) -> float:
        return float(round(100 * min(value, end) / end, 3))

    words = estimates.columns.words
    offers = estimates.pairs.offer
    labels = tuple(m.label for m in estimates.question.measurements)
    named = zip(
        words["provider"].texts(offers),
        words["instance_type"].texts(offers),
        words["region"].texts(offers),
        words["purchase"].texts(offers),
        estimates.columns.count[offers].tolist(),
        words["accelerator"].texts(offers),
        estimates.pairs.measurement.tolist(),
        costs,
        lows,
        highs,
        strict=True,
    )
    dots = tuple(
        Dot(
            f"{provider} {instance_type}",
            f"{region} · {purchase.replace('_', ' ')}" + (f" · {count} × {accelerator}" if count else ""),
            series,
            cost,
            low,
            high,
            place(cost),
            None if low is None else place(low),
            _end(high, low, place),
        )
        for provider, instance_type, region, purchase, count, accelerator, series, cost, low, high in named
    )
    ticks = tuple((step * i, place(step * i)) for i in range(round(end / step) + 1))
    return DotChart(dots, ticks, labels)


def _known(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(v) else v for v in values.tolist()]


def _end(high: float | None, low: float | None, place: Callable[[float], float]) -> float | None:
    """Return where a range ends; an open range runs to the edge."""
    if low is None:
        return None
    return 100.0 if high is None else place(high)


@dataclass(frozen=True, slots=True)
class Point:
    """One observation of a price: where it lies, in percent, and what it says."""

    x: float
    y: float
    day: str
    price: float


@dataclass(frozen=True, slots=True)
class HistoryChart:
    """The observations of one offer over time; ticks are (price, position in percent from the top)."""

    points: tuple[Point, ...]
    ticks: tuple[tuple[float, float], ...]


def history_chart(observations: Sequence[tuple[str, float]]) -> HistoryChart | None:
    """Lay out (day, price) pairs from zero to the highest price; None for fewer than two days."""
    dated = sorted((date.fromisoformat(day).toordinal(), price) for day, price in observations)
    if len({day for day, _ in dated}) < 2:
        return None
    first, last = dated[0][0], dated[-1][0]
    top = max(price for _, price in dated)
    step = nice_step(top)
    end = step * math.ceil(top / step - 1e-9)
    points = tuple(
        Point(
            round(100 * (day - first) / (last - first), 3), round(100 - 100 * price / end, 3),
            date.fromordinal(day).isoformat(), price,
        )
        for day, price in dated
    )  # fmt: skip
    return HistoryChart(
        points, tuple((step * i, round(100 - 100 * step * i / end, 3)) for i in range(round(end / step) + 1))
    )
