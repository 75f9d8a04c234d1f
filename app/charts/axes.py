"""Axes: round steps, where they end, and their ticks as (value, position in percent)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pricing.wording import significant

Ticks = tuple[tuple[float, float], ...]


def nice_step(span: float, most: int = 5) -> float:
    """Return a round step (1, 2 or 5 × 10^k) that divides a span into at most `most` parts."""
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step: float = next(power * times for times in (1, 2, 5, 10) if power * times >= raw * (1 - 1e-12))
    return step


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `start` to `end`, both whole multiples of its step."""

    start: float
    end: float
    step: float

    @classmethod
    def to(cls, largest: float) -> Axis:
        """Return the axis from zero that holds a largest value."""
        step = nice_step(largest)
        return cls(0.0, step * math.ceil(largest / step - 1e-9), step)

    @classmethod
    def around(cls, least: float, largest: float) -> Axis:
        """Return the axis that holds all from a least to a larger value, which need not begin at zero."""
        step = nice_step(largest - least)
        return cls(step * math.floor(least / step + 1e-9), step * math.ceil(largest / step - 1e-9), step)

    def place(self, value: float) -> float:
        """Return where a value lies, in percent from the start; what is beyond the end lies at the end."""
        return float(round(100 * (min(value, self.end) - self.start) / (self.end - self.start), 3))

    def fall(self, value: float) -> float:
        """Return where a value lies, in percent from the top, of an axis that goes up."""
        return float(round(100 - 100 * (value - self.start) / (self.end - self.start), 3))

    @property
    def _values(self) -> list[float]:
        first, count = round(self.start / self.step), round((self.end - self.start) / self.step)
        return [self.step * (first + i) for i in range(count + 1)]

    def across(self) -> Ticks:
        """Return the ticks of an axis that goes to the right."""
        return tuple((value, self.place(value)) for value in self._values)

    def up(self) -> Ticks:
        """Return the ticks of an axis that goes up."""
        return tuple((value, self.fall(value)) for value in self._values)


def short(value: float) -> str:
    """Write a number for a tick: 2,000,000,000 is 2G, so that ticks stay apart on a phone."""
    for suffix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= 10 * size or (abs(value) >= size and value % size == 0):
            return f"{value / size:,.6g}{suffix}"
    return f"{value:.0f}" if value == round(value) and abs(value) < 1000 else significant(value)
