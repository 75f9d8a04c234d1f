"""The only place where numbers become text for people. Unknown is n/a, never 0."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal

UNKNOWN = "n/a"


def significant(value: float | None, digits: int = 3) -> str:
    """Round to significant digits: 0.0000023 stays 0.0000023, 1234.5 becomes 1,230."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    number = Decimal(repr(value))
    exponent = number.adjusted()
    if not -9 <= exponent <= 14:
        return f"{value:.{digits - 1}e}"
    rounded = number.quantize(Decimal(1).scaleb(exponent - digits + 1), ROUND_HALF_EVEN)
    places = max(digits - 1 - rounded.adjusted(), 0)
    return f"{rounded:,.{places}f}"


def price(value: float | None) -> str:
    """Write a price per hour: cents and more where the seller states more, small ones in full digits."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value < 0.1:
        return significant(value)
    text = f"{value:,.4f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return f"{whole}.{cents.ljust(2, '0')}"


def exact(value: float | None) -> str:
    """Write every digit of a number, for those who want to check it."""
    return UNKNOWN if value is None or not math.isfinite(value) else repr(value)


def figure(value: float | None) -> str:
    """Write a data-sheet figure as the sheet has it."""
    return UNKNOWN if value is None else f"{value:,.10g}"


def percent(value: float | None) -> str:
    """Write a share as a percentage with three significant digits at most."""
    return UNKNOWN if value is None else f"{significant(100 * value)} %"


def whole(value: int | None) -> str:
    """Write a count with thousands separators."""
    return UNKNOWN if value is None else f"{value:,}"


def range_text(low: float | None, high: float | None) -> str:
    """Write a range; an open end is said in words."""
    if low is None or (isinstance(low, float) and math.isnan(low)):
        return ""
    if high is None or math.isnan(high):
        return f"{significant(low)} or more"
    return f"{significant(low)} to {significant(high)}"


def words(name: str) -> str:
    """Write an identifier in words: on_demand is on demand."""
    return name.replace("_", " ")
