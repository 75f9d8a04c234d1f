"""Numbers inside sentences, rounded for reading; the figures themselves are never rounded."""

from __future__ import annotations

import math

UNKNOWN = "n/a"


def significant(value: float | None, digits: int = 3) -> str:
    """Round to significant digits: 0.0000023 stays 0.0000023, 1234.5 becomes 1,230."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    if 1e-4 <= value < 100:
        # The usual case, in one step.
        return f"{value:#.{digits}g}".rstrip(".")
    text = f"{value:.{digits - 1}e}"
    exponent = int(text.partition("e")[2])
    if not -9 <= exponent <= 14:
        return text
    return f"{float(text):,.{max(digits - 1 - exponent, 0)}f}"


def percent(value: float | None) -> str:
    """Write a share as a percentage with three significant digits at most."""
    return UNKNOWN if value is None else f"{significant(100 * value)} %"
