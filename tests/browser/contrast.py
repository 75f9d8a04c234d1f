"""Contrast by WCAG 2.2 of what axe-core does not look at: borders, flags, marks and texts of charts."""

from __future__ import annotations

import re

from playwright.sync_api import Page

TEXT, PART = 4.5, 3.0
# Each as [what it is, its colours, the colours of the grounds it lies on, innermost first, whether it is text].
PARTS = """() => {
  const grounds = (node) => {
    const found = [];
    for (let one = node; one; one = one.parentElement) found.push(getComputedStyle(one).backgroundColor);
    return found;
  };
  const seen = (node) => node.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const border = (side) => (node) => {
    const style = getComputedStyle(node);
    if (!parseFloat(style[`border${side}Width`])) return [];
    const name = node.id || node.name || node.textContent.slice(0, 20);
    return [[`${node.tagName} ${name}`, style[`border${side}Color`], grounds(node.parentElement), false]];
  };
  const drawn = (node) => {
    if (node.closest(".grid, title, defs")) return [];
    const style = getComputedStyle(node);
    const html = node.closest("svg:not(svg svg)").parentElement;
    const faint = (colour) => {
      let share = 1;
      for (let one = node; one !== html; one = one.parentElement) share *= parseFloat(getComputedStyle(one).opacity);
      return share === 1 ? colour : `${colour} at ${share}`;
    };
    const text = node.tagName === "text";
    const ink = text || style.stroke === "none" ? style.fill : style.stroke;
    const name = `${node.tagName} of ${node.closest("figure")?.className || html.className}`;
    return ink === "none" ? [] : [[name, faint(ink), grounds(html), text]];
  };
  return [
    ...all("form :is(input:not([type=hidden]), select, textarea), form button.outline").flatMap(border("Top")),
    ...all(".flag").flatMap(border("Top")),
    ...all(".scroll thead th").flatMap(border("Bottom")),
    ...all(".problems").flatMap(border("Left")),
    ...all("svg :is(circle, line, path, rect, polygon, polyline, ellipse, text)").flatMap(drawn),
  ];
}"""
Colour = tuple[float, float, float]


def read(colour: str) -> tuple[Colour, float]:
    """Return red, green and blue of 0 to 255 of a computed colour, and how much of it covers."""
    if not colour.startswith("rgb"):
        raise ValueError(f"{colour} is not an rgb() colour")
    red, green, blue, *rest = (float(part) for part in re.findall(r"[\d.]+", colour))
    share = 1.0
    for part in rest:
        share *= part
    return (red, green, blue), share


def over(colour: Colour, share: float, ground: Colour) -> Colour:
    """Return what is seen of a colour that covers a share of its ground."""
    red, green, blue = (share * one + (1 - share) * other for one, other in zip(colour, ground, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, *grounds: str) -> float:
    """Return the contrast of a colour on its grounds, innermost first, the last of them opaque."""
    ground: Colour = (255, 255, 255)
    for each in reversed(grounds):
        ground = over(*read(each), ground)
    dark, light = sorted((luminance(over(*read(one), ground)), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def faint_parts(page: Page) -> list[str]:
    """Return the borders and marks of a page that stand out too little, each once."""
    found = set()
    for what, colour, grounds, text in page.evaluate(PARTS):
        ratio = contrast(colour, *grounds)
        if ratio < (TEXT if text else PART):
            found.add(f"{what}: {colour} has {ratio:.2f}")
    return sorted(found)
