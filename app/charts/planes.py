"""Charts with two axes: prices over time, cost against latency, and lines; positions in percent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from app.charts.axes import Axis, Ticks
from pricing.compare import Curve
from pricing.decisions.decision import Lines


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
    ticks: Ticks


def history_chart(observations: Sequence[tuple[str, float]]) -> HistoryChart | None:
    """Lay out (day, price) pairs from zero to the highest price; None for fewer than two days."""
    dated = sorted((date.fromisoformat(day).toordinal(), price) for day, price in observations)
    if len({day for day, _ in dated}) < 2:
        return None
    first, last = dated[0][0], dated[-1][0]
    axis = Axis.to(max(price for _, price in dated))
    points = tuple(
        Point(
            round(100 * (day - first) / (last - first), 3), axis.fall(price), date.fromordinal(day).isoformat(), price
        )
        for day, price in dated
    )  # fmt: skip
    return HistoryChart(points, axis.up())


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
class CurveSeries:
    """A curve and the offer on which its costs are."""

    name: str
    offer: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class CurveChart:
    """Cost against latency: one series for each curve; ticks are (value, position in percent)."""

    series: tuple[CurveSeries, ...]
    latency: str
    across: Ticks
    up: Ticks


def curve_chart(curves: Sequence[Curve], factor: float = 1.0) -> CurveChart | None:
    """Lay out curves from zero to the longest latency and the highest cost, times `factor`; None without any."""
    points = [point for curve in curves for point in curve.points]
    if not points:
        return None
    wide, high = Axis.to(max(p.latency for p in points)), Axis.to(factor * max(p.cost for p in points))
    series = tuple(
        CurveSeries(
            curve.name,
            curve.offer,
            tuple(
                CurvePoint(wide.place(p.latency), high.fall(cost), p.label, p.latency, cost, p.on_front)
                for p in curve.points
                for cost in [factor * p.cost]
            ),
        )
        for curve in curves
    )
    return CurveChart(series, curves[0].latency, wide.across(), high.up())


@dataclass(frozen=True, slots=True)
class LinesChart:
    """Lines from zero: each series' points in percent of width and height; ticks are (value, position)."""

    lines: Lines
    series: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    across: Ticks
    up: Ticks


def lines_chart(lines: Lines) -> LinesChart | None:
    """Lay out lines from zero to the largest of each axis; None without a point or without an extent."""
    points = [point for series in lines.series for point in series.points]
    if not points:
        return None
    wide_most, high_most = (max(point[axis] for point in points) for axis in (0, 1))
    if not (wide_most > 0 and high_most > 0):
        return None
    wide, high = Axis.to(wide_most), Axis.to(high_most)
    series = tuple((each.name, tuple((wide.place(x), high.fall(y)) for x, y in each.points)) for each in lines.series)
    return LinesChart(lines, series, wide.across(), high.up())
