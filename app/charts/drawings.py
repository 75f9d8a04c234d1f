"""Whole drawings: title, key, charts below each other, and a line that says where the prices are from.

They are shown on other sites, the same to everyone, so that they are in English.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.charts.axes import Ticks, short
from app.charts.canvas import MARGIN, WIDTH, Canvas
from app.charts.dots import DotChart, TornadoChart
from app.charts.letters import clip, width, wrap
from app.charts.planes import CurveChart, HistoryChart, LinesChart
from pricing.compare import Prices
from pricing.wording import percent, significant

ROOM = WIDTH - 2 * MARGIN
MOST_GROUPS, MOST_KEYS = 4, 12
_NAMES = 276
_HEIGHT = 300
INPUTS = {
    "price": "Price",
    "throughput": "Throughput",
    "utilization": "Utilization",
    "success_rate": "Success rate",
}


@dataclass(frozen=True, slots=True)
class Footer:
    """Where the figures are from: the date that prices are as of, and the price table."""

    as_of: str
    prices: Prices

    @property
    def line(self) -> str:
        """The line at the foot."""
        seen = f", seen {self.prices.observed_from} to {self.prices.observed_to}" if self.prices.observed_from else ""
        return f"PerDollar · prices as of {self.as_of}{seen} · table {self.prices.sha256[:12]}"


def dots_svg(
    charts: Sequence[tuple[str, DotChart | None]], total: int, cost_unit: str, utilization: float, footer: Footer
) -> str:
    """Draw ranked dot-and-range plots, one for each named group of estimates that can be compared."""
    shown = [(name, chart) for name, chart in charts if chart is not None]
    canvas = Canvas()
    count = sum(len(chart.dots) for _, chart in shown)
    title = f"Cost in {cost_unit}: no estimate" if not shown else f"The cheapest {count} of {total:,}: {cost_unit}"
    notes = [f"utilization {percent(utilization)}"] if utilization != 1 else []
    notes += ["lines are ranges of the throughput"] if any(chart.ranged for _, chart in shown) else []
    notes += (
        ["hollow marks: nobody measured it"]
        if any(dot.series in chart.unproven for _, chart in shown for dot in chart.dots)
        else []
    )
    _head(canvas, title, "; ".join(notes))
    for name, chart in shown[:MOST_GROUPS]:
        if name:
            _heading(canvas, name)
        _dots(canvas, chart, cost_unit)
    if len(shown) > MOST_GROUPS:
        _heading(canvas, f"… and {len(shown) - MOST_GROUPS} more groups that can't be compared with these")
    first = [f"{chart.dots[0].name}: {significant(chart.dots[0].cost)} {cost_unit}" for _, chart in shown]
    return _foot(canvas, title, f"Cheapest: {'; '.join(first)}" if first else "Nothing fits the question.", footer)


def lines_svg(chart: LinesChart | None, name: str, footer: Footer) -> str:
    """Draw the lines of a decision, or that its answer has none."""
    canvas = Canvas()
    if chart is None:
        _head(canvas, name, "this answer has nothing to draw")
        return _foot(canvas, name, "Nothing to draw", footer)
    lines = chart.lines
    _head(canvas, lines.title)
    _key(canvas, [name for name, _ in chart.series])
    plane = _Plane(canvas, chart.across, chart.up, lines.across, lines.up)
    for series, (line, points) in enumerate(chart.series):
        group = canvas.group(series, line)
        placed = [plane.at(*point) for point in points]
        if placed:
            canvas.path(group, placed)
            canvas.mark(group, *placed[-1], series)
    return _foot(canvas, lines.title, f"{lines.up} against {lines.across}", footer)


def curves_svg(charts: Sequence[tuple[str, CurveChart | None]], cost_unit: str, footer: Footer) -> str:
    """Draw cost against latency, one chart for each named group of estimates that can be compared."""
    shown = [(name, chart) for name, chart in charts if chart is not None]
    canvas, title = Canvas(), "Cost against latency"
    note = "lines join the points that no other beats in both" if shown else "no curve of at least two points"
    _head(canvas, title, note)
    for name, chart in shown[:MOST_GROUPS]:
        if name:
            _heading(canvas, name)
        _key(canvas, [f"{each.name} on {each.offer}" for each in chart.series])
        plane = _Plane(canvas, chart.across, chart.up, f"{chart.latency.replace('_', ' ')}, seconds", cost_unit)
        for series, each in enumerate(chart.series):
            group = canvas.group(series, each.name)
            canvas.path(group, [plane.at(p.x, p.y) for p in each.points if p.on_front])
            for p in each.points:
                said = f"{p.label}: {significant(p.latency)} s, {significant(p.cost)} {cost_unit}"
                canvas.mark(canvas.group(said=said, around=group), *plane.at(p.x, p.y), series)
    return _foot(canvas, title, note, footer)


def tornado_svg(
    charts: Sequence[tuple[str, TornadoChart | None]], rate_unit: str, cost_unit: str, footer: Footer
) -> str:
    """Draw what moves the cost of the cheapest estimate, one chart for each named group."""
    shown = [(name, chart) for name, chart in charts if chart is not None]
    canvas, title = Canvas(), "What moves the cost of the cheapest"
    note = "each input moved alone; throughput by its own range, else a tenth" if shown else "no estimate"
    _head(canvas, title, note)
    for name, chart in shown[:MOST_GROUPS]:
        if name:
            _heading(canvas, name)
        about = chart.about
        _heading(canvas, f"{about.offer}, {about.measurement}: {significant(about.cost)} {cost_unit}")
        _tornado(canvas, chart, rate_unit, cost_unit)
    return _foot(canvas, title, note, footer)


def history_svg(chart: HistoryChart | None, name: str, footer: Footer) -> str:
    """Draw the prices of one offer over time, or that it was seen on one day alone."""
    canvas, title = Canvas(), f"Price of {name}"
    if chart is None:
        _head(canvas, title, "not seen on two days yet")
        return _foot(canvas, title, "Nothing to draw", footer)
    first, last = chart.points[0], chart.points[-1]
    _head(canvas, title, f"{first.day} to {last.day}")
    plane = _Plane(canvas, ((0.0, 0.0), (0.0, 100.0)), chart.ticks, "date", "USD per hour", (first.day, last.day))
    group = canvas.group(0)
    canvas.path(group, [plane.at(p.x, p.y) for p in chart.points])
    for p in chart.points:
        said = f"{p.day}: {significant(p.price, 6)} USD per hour"
        canvas.mark(canvas.group(said=said, around=group), *plane.at(p.x, p.y), 0)
    return _foot(canvas, title, f"From {first.day} to {last.day}, in USD per hour", footer)


def _head(canvas: Canvas, title: str, note: str = "") -> None:
    for line in wrap(title, ROOM, 18, 2, bold=True):
        canvas.y += 18
        canvas.text(MARGIN, canvas.y, line, size=18, bold=True)
        canvas.y += 6
    if note:
        canvas.y += 13
        canvas.text(MARGIN, canvas.y, clip(note, ROOM, 12), size=12, kind="muted")
    canvas.y += 8


def _heading(canvas: Canvas, said: str) -> None:
    canvas.y += 22
    canvas.text(MARGIN, canvas.y, clip(said, ROOM, 14, bold=True), size=14, bold=True)
    canvas.y += 6


def _foot(canvas: Canvas, title: str, about: str, footer: Footer) -> str:
    canvas.y += 34
    canvas.text(MARGIN, canvas.y, clip(footer.line, ROOM, 11), size=11, kind="muted")
    canvas.y += 18
    return canvas.finished(f"{title} · PerDollar", f"{about}. {footer.line}")


def _key(canvas: Canvas, names: Sequence[str], hollow: Sequence[int] = ()) -> None:
    """Write a mark and a name for each series, as many beside each other as fit."""
    x, canvas.y = float(MARGIN), canvas.y + 20
    entries = [(clip(name, ROOM / 2 - 40, 12), series) for series, name in enumerate(names[:MOST_KEYS])]
    for name, series in entries:
        room = 18 + width(name, 12)
        if x > MARGIN and x + room > WIDTH - MARGIN:
            x, canvas.y = float(MARGIN), canvas.y + 19
        canvas.mark(canvas.group(series), x + 6, canvas.y - 4, series, hollow=series in hollow)
        canvas.text(x + 18, canvas.y, name, size=12)
        x += room + 18
    if len(names) > MOST_KEYS:
        canvas.y += 19
        canvas.text(MARGIN, canvas.y, f"… and {len(names) - MOST_KEYS} more", size=12, kind="muted")
    canvas.y += 8


def _dots(canvas: Canvas, chart: DotChart, cost_unit: str) -> None:
    # One series has a key as well: nothing else here says whose throughput it is.
    said = [f"{name} ({chart.unproven[i]})" if i in chart.unproven else name for i, name in enumerate(chart.series)]
    _key(canvas, said, tuple(chart.unproven))
    rows = _Rows(canvas, chart.ticks, len(chart.dots), cost_unit, 90)
    for rank, dot in enumerate(chart.dots, 1):
        words = f"{rank}. {dot.name}, {dot.detail}, {chart.series[dot.series]}: {significant(dot.cost)} {cost_unit}"
        if dot.low is not None:
            upper = "more" if dot.high is None else significant(dot.high)
            words += f" ({significant(dot.low)} to {upper})"
        group = canvas.group(dot.series, words)
        y = rows.next(f"{rank}. {dot.name}", dot.detail, significant(dot.cost))
        if dot.low_at is not None and dot.high_at is not None:
            canvas.path(group, [(rows.x(dot.low_at), y), (rows.x(dot.high_at), y)])
        canvas.mark(group, rows.x(dot.at), y, dot.series, hollow=dot.series in chart.unproven)


def _tornado(canvas: Canvas, chart: TornadoChart, rate_unit: str, cost_unit: str) -> None:
    rows = _Rows(canvas, chart.ticks, len(chart.bars), cost_unit, 150)
    units = {"price": "USD per hour", "throughput": rate_unit}
    for bar in chart.bars:
        move = bar.move
        ends = f"{significant(move.at_low)} to {'near 0' if move.at_high is None else significant(move.at_high)}"
        costs = f"{significant(move.cost_low)} to {'…' if move.cost_high is None else significant(move.cost_high)}"
        if move.input in units:
            ends += f" {units[move.input]}"
        group = canvas.group(0, f"{INPUTS[move.input]} {ends}: {costs} {cost_unit}")
        y = rows.next(INPUTS[move.input], ends, costs)
        canvas.bar(group, rows.x(bar.low_at), y - 7, rows.x(bar.high_at) - rows.x(bar.low_at), 14)
    canvas.path(canvas.group(1), [(rows.x(chart.at), rows.top), (rows.x(chart.at), rows.bottom)])


class _Rows:
    """Rows that share one axis of costs: names at the left, figures at the right, a plot between."""

    def __init__(self, canvas: Canvas, ticks: Ticks, count: int, unit: str, figures: float) -> None:
        self.canvas, self.left, self.right = canvas, float(MARGIN + _NAMES + 14), WIDTH - MARGIN - figures
        self.room = figures - 8
        self.top = canvas.y + 6
        self.bottom = self.top + 36 * count
        for value, at in _spread(ticks, self.right - self.left):
            canvas.rule(self.x(at), self.top, self.x(at), self.bottom)
            canvas.text(self.x(at), self.bottom + 15, significant(value), size=11, kind="muted", anchor="middle")
        middle = (self.left + self.right) / 2
        said = clip(unit, 2 * (WIDTH - MARGIN - middle), 12)
        canvas.text(middle, self.bottom + 32, said, size=12, kind="muted", anchor="middle")
        self.y, canvas.y = self.top, self.bottom + 34

    def x(self, at: float) -> float:
        """Return where a position in percent lies."""
        return self.left + (self.right - self.left) * at / 100

    def next(self, name: str, detail: str, figure: str) -> float:
        """Write the texts of the next row; returns the height at which its mark lies."""
        canvas, y = self.canvas, self.y
        canvas.text(MARGIN, y + 15, clip(name, _NAMES, 13, bold=True), size=13, bold=True)
        canvas.text(MARGIN, y + 29, clip(detail, _NAMES, 11), size=11, kind="muted")
        figure = clip(figure, self.room, 13, bold=True)
        canvas.text(WIDTH - MARGIN, y + 22, figure, size=13, bold=True, anchor="end")
        self.y += 36
        return y + 18


class _Plane:
    """A chart with two axes, their ticks and their units."""

    def __init__(
        self,
        canvas: Canvas,
        across: Ticks,
        up: Ticks,
        across_unit: str,
        up_unit: str,
        ends: tuple[str, str] | None = None,
    ) -> None:
        canvas.text(MARGIN, canvas.y + 18, clip(up_unit, ROOM, 12), size=12, kind="muted")
        self.left, self.right, self.top = MARGIN + 76.0, WIDTH - MARGIN - 24.0, canvas.y + 32
        self.bottom = self.top + _HEIGHT
        for value, at in up:
            y = self.top + _HEIGHT * at / 100
            canvas.rule(self.left, y, self.right, y)
            said = clip(short(value), 70, 11)
            canvas.text(self.left - 8, y + 4, said, size=11, kind="muted", anchor="end")
        anchors = ("start", "end") if ends else ("middle",)
        numbered = [(short(value), at) for value, at in _spread(across, self.right - self.left)]
        for i, (said, at) in enumerate(zip(ends, (0.0, 100.0), strict=True) if ends else numbered):
            x = self.at(at, 0)[0]
            canvas.rule(x, self.top, x, self.bottom)
            canvas.text(x, self.bottom + 16, said, size=11, kind="muted", anchor=anchors[i % len(anchors)])
        middle = (self.left + self.right) / 2
        canvas.text(middle, self.bottom + 34, clip(across_unit, ROOM, 12), size=12, kind="muted", anchor="middle")
        canvas.y = self.bottom + 36

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a position in percent lies."""
        return self.left + (self.right - self.left) * x / 100, self.top + _HEIGHT * y / 100


def _spread(ticks: Ticks, room: float) -> Ticks:
    """Return as many ticks as have room beside each other: all, or every second and so on."""
    widest = max(width(significant(value), 11) for value, _ in ticks) + 10
    every = 1
    while len(ticks[::every]) > 1 and room * every / max(len(ticks) - 1, 1) < widest:
        every += 1
    return ticks[::every]
