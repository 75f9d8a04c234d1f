"""Geometry of the charts: positions in percent, so that the page's width does not matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from pricing.compare import Curve
from pricing.decisions.decision import Lines
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
    """A ranked dot-and-range plot; ticks are (value, position in percent).

    `unproven` are the series whose throughput nobody measured: a claim or an assumption.
    """

    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, float], ...]
    series: tuple[str, ...]
    unproven: frozenset[int]


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
    measurements = estimates.question.measurements
    unproven = frozenset(i for i, m in enumerate(measurements) if m.evidence in ("claimed", "assumed"))
    labels = tuple(m.label + (f" ({m.evidence})" if i in unproven else "") for i, m in enumerate(measurements))
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
    return DotChart(dots, ticks, labels, unproven)


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


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a curve: where it lies, in percent, and what it says."""

    x: float
    y: float
    label: str
    latency: float
    cost: float
    on_front: bool


@dataclass(frozen=True, slots=True)
class CurveChart:
    """Cost against latency: one series for each curve; ticks are (value, position in percent)."""

    series: tuple[tuple[str, tuple[CurvePoint, ...]], ...]
    latency: str
    across: tuple[tuple[float, float], ...]
    up: tuple[tuple[float, float], ...]


def curve_chart(curves: Sequence[Curve]) -> CurveChart | None:
    """Lay out curves from zero to the longest latency and the highest cost; None without any."""
    points = [point for curve in curves for point in curve.points]
    if not points:
        return None
    (wide, right), (high, top) = (
        _axis(max(values)) for values in ([p.latency for p in points], [p.cost for p in points])
    )
    series = tuple(
        (
            f"{curve.name} on {curve.offer}",
            tuple(
                CurvePoint(
                    round(100 * p.latency / right, 3), round(100 - 100 * p.cost / top, 3), p.label, p.latency, p.cost,
                    p.on_front,
                )
                for p in curve.points
            ),
        )
        for curve in curves
    )  # fmt: skip
    across = tuple((wide * i, round(100 * wide * i / right, 3)) for i in range(round(right / wide) + 1))
    up = tuple((high * i, round(100 - 100 * high * i / top, 3)) for i in range(round(top / high) + 1))
    return CurveChart(series, curves[0].latency, across, up)


def _axis(largest: float) -> tuple[float, float]:
    """Return the step and the end of an axis from zero."""
    step = nice_step(largest)
    return step, step * math.ceil(largest / step - 1e-9)


@dataclass(frozen=True, slots=True)
class LinesChart:
    """Lines from zero: each series' points in percent of width and height; ticks are (value, position)."""

    lines: Lines
    series: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    across: tuple[tuple[float, float], ...]
    up: tuple[tuple[float, float], ...]


def lines_chart(lines: Lines) -> LinesChart | None:
    """Lay out lines from zero to the largest of each axis; None without a point or without an extent."""
    points = [point for series in lines.series for point in series.points]
    if not points:
        return None
    wide_most, high_most = (max(point[axis] for point in points) for axis in (0, 1))
    if not (wide_most > 0 and high_most > 0):
        return None
    (wide, right), (high, top) = _axis(wide_most), _axis(high_most)
    series = tuple(
        (each.name, tuple((round(100 * x / right, 3), round(100 - 100 * y / top, 3)) for x, y in each.points))
        for each in lines.series
    )
    across = tuple((wide * i, round(100 * wide * i / right, 3)) for i in range(round(right / wide) + 1))
    up = tuple((high * i, round(100 - 100 * high * i / top, 3)) for i in range(round(top / high) + 1))
    return LinesChart(lines, series, across, up)
