"""Cells of a price sheet: amounts, terms and days, refused where they have two readings."""

from __future__ import annotations

import re
from datetime import date, datetime

from pricing.errors import PriceFileError, shown
from pricing.numbers import read_number, read_whole_number
from pricing.sources.cells import day_of
from pricing.wording import say

_MONEY = re.compile(r"^[^\d.,+-]*(.*?)[^\d.,]*$", re.DOTALL)
_GERMAN = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})*(?:,[0-9]+)?|-?[0-9]+(?:,[0-9]+)?")


def read_amount(text: str, decimal: str) -> float:
    """Read an amount of money or a quantity; what has two readings is refused."""
    match = _MONEY.match(text)
    plain = (match[1] if match else text).replace("\u00a0", "").replace(" ", "")
    if not any(ch.isdigit() for ch in plain):
        raise ValueError(say("{text} is not a number", text=shown(text)))
    if decimal == ",":
        if not _GERMAN.fullmatch(plain):
            raise ValueError(say("{text} is not a number with a decimal comma, such as 1.234,50", text=shown(text)))
        return read_number(plain.replace(".", "").replace(",", "."))
    try:
        return read_number(plain, thousands=True)
    except ValueError as error:
        raise ValueError(
            say("{error}; if commas are decimal signs in this file, add --decimal ,", error=str(error))
        ) from error


def read_months(text: str, file: str, number: int) -> int:
    """Read a term: 12, 12 months, 1 year, 3y."""
    match = re.fullmatch(r"([0-9]+)\s*(y|yr|yrs|year|years|m|mo|month|months)?(?:\.0)?", text.lower())
    if match is None:
        raise PriceFileError.at(
            (file, number, "term_months"),
            say(
                "{file} line {number}: {text} is not a term; write 12 months or 1 year",
                file=file, number=number, text=shown(text),
            ),
        )  # fmt: skip
    years = (match[2] or "m").startswith("y")
    return read_whole_number(match[1], least=1, most=1200) * (12 if years else 1)


def read_seen(value: object, file: str, number: int, today: date) -> str:
    """Read the day on which a price was seen, `today` at the latest; blank stays blank."""
    text = value.strftime("%Y-%m-%d") if isinstance(value, (date, datetime)) else str(value or "")
    if not text:
        return ""
    try:
        return date.fromordinal(day_of(today)(text)).isoformat()
    except ValueError as error:
        raise PriceFileError.at(
            (file, number, "observed_on"),
            say("{file} line {number}: {error}", file=file, number=number, error=str(error)),
        ) from error
