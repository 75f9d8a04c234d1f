"""The ranked dot-and-range plot, and the tornado: what lies along one axis of costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.charts.axes import Axis, Ticks
from pricing.estimates import Estimates
from pricing.sensitivity import Move, Sensitivity


@dataclass(frozen=True, slots=True)
class Dot:
    """One estimate: its offer, its cost, and where dot and range lie, in percent of the width."""

    name: str
    region: str
    purchase: str
    hardware: str
    series: int
    cost: float
    low: float | None
    high: float | None
    at: float
    low_at: float | None
    high_at: float | None

    @property
    def detail(self) -> str:
        """Where and how it is bought, in English."""
        parts = (self.region, self.purchase.replace("_", " "), self.hardware)
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class DotChart:
    """A ranked dot-and-range plot; ticks are (value, position in percent).

    `unproven` are the series whose throughput nobody measured, each with its evidence: a claim or an
    assumption.
    """

    dots: tuple[Dot, ...]
    ticks: Ticks
    series: tuple[str, ...]
    unproven: Mapping[int, str]

    @property
    def ranged(self) -> bool:
        """Whether any dot has a range."""
        return any(dot.low_at is not None for dot in self.dots)


def dot_chart(estimates: Estimates, factor: float = 1.0) -> DotChart | None:
    """Lay out estimates from zero to the dearest upper bound, costs multiplied by `factor`; None without any."""
    if not len(estimates):
        return None
    costs = (estimates.cost * factor).tolist()
    lows, highs = _known(estimates.cost_low * factor), _known(estimates.cost_high * factor)
    top = max([*costs, *(v for v in highs if v is not None)])
    # An upper bound that is many times the cost would squeeze all dots into the left margin.
    axis = Axis.to(min(top, 2 * max(costs)))
    words = estimates.columns.words
    offers = estimates.pairs.offer
    measurements = estimates.question.measurements
    unproven = {i: m.evidence for i, m in enumerate(measurements) if m.evidence in ("claimed", "assumed")}
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
            region,
            purchase,
            f"{count} × {accelerator}" if count else "",
            series,
            cost,
            low,
            high,
            axis.place(cost),
            None if low is None else axis.place(low),
            _end(high, low, axis),
        )
        for provider, instance_type, region, purchase, count, accelerator, series, cost, low, high in named
    )
    return DotChart(dots, axis.across(), tuple(m.label for m in measurements), unproven)


def _known(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(v) else v for v in values.tolist()]


def _end(high: float | None, low: float | None, axis: Axis) -> float | None:
    """Return where a range ends; an open range runs to the edge."""
    if low is None:
        return None
    return 100.0 if high is None else axis.place(high)


@dataclass(frozen=True, slots=True)
class Bar:
    """How far one input moves the cost, and where its bar lies, in percent of the width."""

    move: Move
    low_at: float
    high_at: float


@dataclass(frozen=True, slots=True)
class TornadoChart:
    """A tornado: the widest bar first; `at` is where the cost itself lies."""

    about: Sensitivity
    bars: tuple[Bar, ...]
    ticks: Ticks
    at: float


def tornado_chart(about: Sensitivity | None, factor: float = 1.0) -> TornadoChart | None:
    """Lay out what moves a cost around that cost, all costs multiplied by `factor`; None without an estimate."""
    if about is None:
        return None
    about = about.times(factor)
    highs = [math.inf if move.cost_high is None else move.cost_high for move in about.moves]
    # As among the dots: a far or open end runs to the edge.
    top = min(max(highs), 2 * about.cost)
    axis = Axis.around(min(move.cost_low for move in about.moves), top)
    bars = tuple(
        Bar(move, axis.place(move.cost_low), 100.0 if move.cost_high is None else axis.place(move.cost_high))
        for move in about.moves
    )
    return TornadoChart(about, bars, axis.across(), axis.place(about.cost))
