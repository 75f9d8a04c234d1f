"""Lengths of time and amounts of work as people write them: 30s, 5m, 1h, 512."""

from __future__ import annotations

import re

from pricing.errors import shown
from pricing.numbers import read_number
from pricing.units import Unit
from pricing.wording import say

_SECONDS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LENGTH = re.compile(r"\s*([0-9][0-9_.eE+-]*)\s*([a-z]+)?\s*")


def read_seconds(text: str) -> float:
    """Read a length of time in seconds; a bare number is in seconds. ValueError says what would be right."""
    match = _LENGTH.fullmatch(text)
    if match is None or (match[2] is not None and match[2] not in _SECONDS):
        raise ValueError(say("{text} is not a length of time; write for example 30s, 5m or 1h", text=shown(text)))
    return read_number(match[1]) * _SECONDS[match[2] or "s"]


def read_amount(text: str, unit: Unit) -> float:
    """Read how many units a call does, in what the unit's rate counts: audio in seconds, else a number."""
    return read_seconds(text) if unit.id == "audio_hour" else read_number(text)
