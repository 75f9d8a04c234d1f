"""Charts: their geometry for the pages, in percent so that a page's width does not matter, and whole drawings."""

from __future__ import annotations

from app.charts.axes import nice_step
from app.charts.dots import DotChart, TornadoChart, dot_chart, tornado_chart
from app.charts.planes import CurveChart, HistoryChart, LinesChart, curve_chart, history_chart, lines_chart

__all__ = [
    "CurveChart",
    "DotChart",
    "HistoryChart",
    "LinesChart",
    "TornadoChart",
    "curve_chart",
    "dot_chart",
    "history_chart",
    "lines_chart",
    "nice_step",
    "tornado_chart",
]
