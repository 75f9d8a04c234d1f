"""Conditions on the columns of an answer, such as cost_usd<=0.5, accelerator_count=2..8 or provider=aws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pricing.columns import Coded, Column
from pricing.errors import InvalidInputError, near_matches, shown
from pricing.numbers import read_day, read_scaled_number
from pricing.wording import say

SIGNS = re.compile(r"\s*(<=|>=|!=|=|<|>|~)")
_FORM = re.compile(r"\s*([a-z_]+)\s*(<=|>=|!=|=|<|>|~)\s*(.*?)\s*", re.DOTALL)
_HOW = say("write COLUMN, one of <= >= < > = != ~, and a value: cost_usd<=0.5, accelerator_count=2..8, region~europe")
MOST = 50


@dataclass(frozen=True)
class Condition:
    """One condition: numbers lie in [low, high] or outside, texts contain a piece or are equal, or not."""

    column: Column[Any]
    negated: bool
    text: str | None = None
    contains: bool = False
    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    def mask(self, rows: Any) -> np.ndarray:
        """Whether each row meets the condition; an unknown value meets none."""
        values = self.column.values(rows)
        if isinstance(values, Coded):
            found = np.array([self._fits(word) for word in values.vocabulary], bool)[values.codes]
            known = np.array([bool(word) for word in values.vocabulary], bool)[values.codes]
        else:
            numbers = values.astype(float)
            known = numbers >= 0 if self.column.kind == "boolean" else ~np.isnan(numbers)
            with np.errstate(invalid="ignore"):
                over = numbers > self.low if self.open_low else numbers >= self.low
                under = numbers < self.high if self.open_high else numbers <= self.high
            found = over & under
        result: np.ndarray = known & (found ^ self.negated)
        return result

    def _fits(self, word: str) -> bool:
        if self.text is None:
            # Dates are text in the order of time.
            return bool(word)
        folded = word.casefold()
        if self.column.kind == "date":
            return _between(folded, self.text)
        if self.contains:
            return self.text in folded
        return folded == self.text or self.text in folded.split("|")


def _between(word: str, text: str) -> bool:
    low, _, high = text.partition("..")
    return (not low or word >= low) and (not high or word <= high)


def read_conditions(texts: Iterable[str], columns: Sequence[Column[Any]]) -> list[Condition]:
    """Read conditions. InvalidInputError names the place of each that can't be read."""
    return [_read(text, i, columns) for i, text in enumerate(texts)]


def split_condition(text: str) -> tuple[str, str, str] | None:
    """Split a condition into column, sign and value; None where it has not this form."""
    match = _FORM.fullmatch(text)
    return (match[1], match[2], match[3]) if match else None


def rescaled(text: str, factor: float) -> str:
    """Multiply the numbers of a condition without its column, such as >=4 or 2..4. ValueError for what is none."""
    if factor == 1:
        return text
    signed = SIGNS.match(text)
    sign = signed[0] if signed else ""
    parts = [part and f"{read_scaled_number(part) * factor:.12g}" for part in text[len(sign) :].split("..")]
    return sign + "..".join(parts)


def _read(text: str, place: int, columns: Sequence[Column[Any]]) -> Condition:
    loc = ("where", place)
    split = split_condition(text)
    if split is None or not split[2]:
        raise InvalidInputError.at(loc, say("{text} is not a condition; {how}", text=shown(text), how=_HOW))
    name, sign, value = split
    column = next((each for each in columns if each.name == name), None)
    if column is None:
        hint = near_matches(name, [each.name for each in columns])
        raise InvalidInputError.at(loc, say("{name} is not a column.{hint}", name=shown(name), hint=hint))
    try:
        if column.kind == "text":
            if sign not in ("=", "!=", "~"):
                raise ValueError(say("{name} is text; compare it with =, != or ~ (contains)", name=name))
            return Condition(column, sign == "!=", value.casefold(), contains=sign == "~")
        if sign == "~":
            raise ValueError(say("{name} is no text; compare it with <=, >=, <, >, = or !=", name=name))
        if column.kind == "date":
            return Condition(column, sign == "!=", _days(sign, value))
        if column.kind == "boolean":
            truth = {"true": 1.0, "1": 1.0, "yes": 1.0, "false": 0.0, "0": 0.0, "no": 0.0}.get(value.lower())
            if truth is None or sign not in ("=", "!="):
                raise ValueError(say("{name} is true or false; write {name}=true", name=name))
            return Condition(column, sign == "!=", low=truth, high=truth)
        return _of_numbers(column, sign, value)
    except ValueError as error:
        raise InvalidInputError.at(loc, say("{text}: {error}", text=shown(text), error=error)) from error


def _days(sign: str, value: str) -> str:
    if sign in ("=", "!="):
        low, dots, high = value.partition("..")
        days = [read_day(day).isoformat() if day.strip() else "" for day in ((low, high) if dots else (low, low))]
        return "..".join(days)
    day = read_day(value).isoformat()
    if sign in ("<", ">"):
        raise ValueError(say("compare dates with <=, >= or ="))
    return f"..{day}" if sign == "<=" else f"{day}.."


def _of_numbers(column: Column[Any], sign: str, value: str) -> Condition:
    if sign in ("=", "!="):
        low, dots, high = value.partition("..")
        bounds = [read_scaled_number(v) if v.strip() else None for v in ((low, high) if dots else (low, low))]
        least = -np.inf if bounds[0] is None else bounds[0]
        most = np.inf if bounds[1] is None else bounds[1]
        if least > most:
            raise ValueError(say("{low} is above {high}; write the smaller one first", low=low, high=high))
        return Condition(column, sign == "!=", low=least, high=most)
    number = read_scaled_number(value)
    if sign in ("<=", "<"):
        return Condition(column, False, high=number, open_high=sign == "<")
    return Condition(column, False, low=number, open_low=sign == ">")
