"""Strict reading of numbers and dates: what has two readings is refused, never guessed."""

from __future__ import annotations

import math
import re
from datetime import date

from pricing.errors import shown
from pricing.wording import say

_PLAIN = re.compile(r"[+-]?(?:[0-9](?:_?[0-9])*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6}

COMMA = (
    "{value}: a comma is read neither as a decimal sign nor as the only thousands separator, since "
    "1,234 has two readings; write a dot for decimals (0.75, 1234.56) and no thousands separator"
)


def read_number(text: str, *, thousands: bool = False) -> float:
    """Read a decimal number with a dot, such as 5200, 5_200, 0.75 or 1.2e3.

    `thousands` also allows a comma where it can't be read otherwise: 1,234.56.
    Raises ValueError with a sentence that says what would be right. NaN and infinity are refused.
    """
    stripped = text.strip()
    if not stripped:
        raise ValueError(say("a number is missing"))
    if thousands and _THOUSANDS.fullmatch(stripped):
        return _finite(float(stripped.replace(",", "")), stripped)
    if "," in stripped and any(ch.isdigit() for ch in stripped):
        raise ValueError(say(COMMA, value=shown(stripped)))
    if not _PLAIN.fullmatch(stripped) or not any(ch.isdigit() for ch in stripped.lower().split("e")[0]):
        raise ValueError(
            say(
                "{stripped} is not a number; write digits with a dot for decimals, without currency sign, "
                "unit or space",
                stripped=shown(stripped),
            )
        )
    return _finite(float(stripped), stripped)


def read_scaled_number(text: str) -> float:
    """Read a number that may end in k (thousand) or M (million), as in 5.2k."""
    stripped = text.strip()
    if stripped[-1:] == "m":
        raise ValueError(
            say("{stripped}: 'm' could be milli or million; write M for million", stripped=shown(stripped))
        )
    factor = _SUFFIXES.get(stripped[-1:])
    if factor is None:
        return read_number(stripped)
    # The digits are scaled as text, so that 5.2k is the double nearest to 5200.
    number = stripped[:-1]
    read_number(number)
    if "e" in number.lower():
        raise ValueError(say("{stripped}: write either an exponent or a suffix, not both", stripped=shown(stripped)))
    return read_number(f"{number}e{3 if factor == 1e3 else 6}")


def read_whole_number(text: str, *, least: int, most: int) -> int:
    """Read a whole number from `least` to `most`; 8.0 is 8, as some price files write it."""
    value = read_number(text)
    if value != math.floor(value) or not least <= value <= most:
        raise ValueError(
            say("{text} must be a whole number from {least} to {most:,}", text=shown(text), least=least, most=most)
        )
    return int(value)


def read_utilization(text: str) -> float:
    """Read a share: 0.5 or 50%; a bare 50 is refused, since a share is at most 1."""
    stripped = text.strip()
    if stripped.endswith("%"):
        return read_number(stripped[:-1]) / 100
    return read_number(stripped)


def read_day(text: str) -> date:
    """Read a date as YYYY-MM-DD; other ways of ISO 8601 are refused, since 20261201 is a number, too."""
    stripped = text.strip()
    try:
        if not _DAY.fullmatch(stripped):
            raise ValueError
        return date.fromisoformat(stripped)
    except ValueError:
        raise ValueError(say("{stripped} is not a date; write YYYY-MM-DD", stripped=shown(stripped))) from None


def read_flag(text: str) -> bool:
    """Read yes or no: 1, true, yes, on; 0, false, no, off."""
    stripped = text.strip().lower()
    if stripped not in _YES + _NO:
        raise ValueError(say("{text} must be 1 or 0", text=shown(text)))
    return stripped in _YES


def _finite(value: float, text: str) -> float:
    if not math.isfinite(value):
        raise ValueError(say("{text} is too large for a number (at most about 1.8e308)", text=shown(text)))
    return value
