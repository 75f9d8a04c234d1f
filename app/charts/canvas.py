"""A drawing that stands alone: an SVG with its own colours, readable on any page and in the dark.

Elements are put together as a tree, so that no text can break out of its place. Colours of the light
scheme are attributes, which every program reads; those of the dark one a style sheet, the same in every
drawing, which a content security policy can name by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from xml.etree.ElementTree import Element, SubElement, tostring

from app.charts.letters import clean

WIDTH = 800
MARGIN = 24
LIGHT = {"ground": "#ffffff", "ink": "#1c2430", "muted": "#55606f", "rule": "#d5dae1"}
DARK = {"ground": "#13171f", "ink": "#e4e8ee", "muted": "#a9b4c2", "rule": "#38424f"}
SERIES_LIGHT = ("#0b5cad", "#b4491c", "#1f7a4d", "#8440a8", "#8a6100", "#4a5568")
SERIES_DARK = ("#6cb2f5", "#f39a6d", "#6fcf9b", "#d3a0ee", "#e0b954", "#b9c3d0")
STYLE = "@media (prefers-color-scheme:dark){{{}}}".format(
    "".join(
        [
            *(f".{name}{{fill:{DARK[name]}}}" for name in ("ground", "ink", "muted")),
            f".rule{{stroke:{DARK['rule']}}}",
            *(f".s{i}{{color:{colour}}}" for i, colour in enumerate(SERIES_DARK)),
        ]
    )
)
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
# What an answer with such a drawing allows it: its own style, and nothing else.
POLICY = f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'"
FONT = "DejaVu Sans, Verdana, system-ui, sans-serif"
_MARKS = ("circle", "square", "triangle", "diamond")


class Canvas:
    """A drawing in the making, WIDTH units wide; `y` is how far down it has come."""

    def __init__(self) -> None:
        """Begin an empty drawing."""
        self.root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": FONT})
        self._title, self._about = SubElement(self.root, "title"), SubElement(self.root, "desc")
        SubElement(self.root, "style").text = STYLE
        self._ground = SubElement(self.root, "rect", {"class": "ground", "fill": LIGHT["ground"], "width": "100%"})
        self.y = float(MARGIN)

    def group(self, series: int | None = None, said: str = "", around: Element | None = None) -> Element:
        """Open a group, in the colour of a series, with a text that shows on hover."""
        attributes = {}
        if series is not None:
            place = series % len(SERIES_LIGHT)
            attributes = {"class": f"s{place}", "color": SERIES_LIGHT[place]}
        group = SubElement(self.root if around is None else around, "g", attributes)
        if said:
            SubElement(group, "title").text = clean(said)
        return group

    def text(
        self, x: float, y: float, said: str, *, size: float = 13, kind: str = "ink", bold: bool = False,
        anchor: str = "start", around: Element | None = None,
    ) -> None:  # fmt: skip
        """Write a text; it is made to fit by who calls."""
        attributes = {"x": _n(x), "y": _n(y), "class": kind, "fill": LIGHT[kind], "font-size": _n(size)}
        if bold:
            attributes["font-weight"] = "bold"
        if anchor != "start":
            attributes["text-anchor"] = anchor
        SubElement(self.root if around is None else around, "text", attributes).text = clean(said)

    def rule(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line of the grid."""
        place = {"x1": _n(x1), "y1": _n(y1), "x2": _n(x2), "y2": _n(y2)}
        SubElement(self.root, "line", {**place, "class": "rule", "stroke": LIGHT["rule"]})

    def path(self, around: Element, points: list[tuple[float, float]]) -> None:
        """Join points in the colour of the group around them."""
        place = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        drawn = {"points": place, "fill": "none", "stroke": "currentColor", "stroke-width": "2.5"}
        SubElement(around, "polyline", drawn)

    def bar(self, around: Element, x: float, y: float, width: float, height: float) -> None:
        """Fill a bar in the colour of the group around it."""
        place = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height)}
        SubElement(around, "rect", {**place, "fill": "currentColor"})

    def mark(self, around: Element, x: float, y: float, series: int, *, hollow: bool = False) -> None:
        """Draw the mark of a series: shape and colour tell them apart; what nobody measured is hollow."""
        paint = {"fill": "currentColor"}
        if hollow:
            paint = {"class": "ground", "fill": LIGHT["ground"], "stroke": "currentColor", "stroke-width": "2"}
        shape = _MARKS[series % len(_MARKS)]
        if shape == "circle":
            SubElement(around, "circle", {"cx": _n(x), "cy": _n(y), "r": "5", **paint})
        elif shape == "square":
            corner = {"x": _n(x - 4.5), "y": _n(y - 4.5), "width": "9", "height": "9"}
            SubElement(around, "rect", {**corner, **paint})
        else:
            corners = [(0, -6), (6, 5), (-6, 5)] if shape == "triangle" else [(0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0)]
            places = " ".join(f"{_n(x + right)},{_n(y + down)}" for right, down in corners)
            SubElement(around, "polygon", {"points": places, **paint})

    def finished(self, title: str, about: str) -> str:
        """Return the drawing, as high as it has become, with its title and what it says in words."""
        height = _n(round(self.y))
        self.root.attrib |= {"width": str(WIDTH), "height": height, "viewBox": f"0 0 {WIDTH} {height}"}
        self._ground.set("height", height)
        self._title.text, self._about.text = clean(title), clean(about)
        return tostring(self.root, encoding="unicode")


def _n(value: float) -> str:
    """Write a coordinate: a tenth of a unit is finer than can be seen."""
    return f"{value:.1f}".removesuffix(".0")
