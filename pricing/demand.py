"""Demand on a service: how much work arrives, on average and at most, and hour by hour where that is known."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pricing.errors import Fault, InvalidInputError, shown
from pricing.numbers import read_scaled_number
from pricing.units import HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR, Unit
from pricing.wording import say

HOURS_PER_DAY = 24
# A number counted from 0 or 1, or a time.
Hour = float | datetime
# Beyond this no cost is a finite, normal double.
MOST_DEMAND = 1e15
MOST_FAULTS = 10
_WANTED = say("24 (a typical day) or 8,760 (a year)")
_NOT_NUMBERS = ("nan", "inf", "infinity", "n/a", "na", "null", "none")


@dataclass(frozen=True, slots=True)
class Demand:
    """Demand in units per second, the unit of the rates; for audio that is RTFx.

    `hours` are the averages of the hours of a typical day (24) or of a year (8,760); None where only
    `mean` and `peak` are known. `peak` is that of the busiest hour then; what comes in bursts within an hour is
    a matter of headroom.
    """

    mean: float
    peak: float
    hours: tuple[float, ...] | None = None

    @property
    def repeats_daily(self) -> bool:
        """Whether the hours are those of one day that stands for all."""
        return self.hours is not None and len(self.hours) == HOURS_PER_DAY


def of_hours(values: Sequence[float], field: str = "demand") -> Demand:
    """Demand of 24 or 8,760 hourly averages in units per second; hours may be 0, but not all.

    mean = Σ d_h / n, peak = max d_h. InvalidInputError at `field` that says which hour can't be right.
    """
    if len(values) not in (HOURS_PER_DAY, HOURS_PER_YEAR):
        leap = say("; leave out 29 February") if len(values) == HOURS_PER_YEAR + HOURS_PER_DAY else ""
        raise InvalidInputError.at(
            (field,),
            say(
                "{number:,} hourly values are given, and {wanted} are needed{leap}",
                number=len(values),
                wanted=_WANTED,
                leap=leap,
            ),
        )
    wrong = [(i, value) for i, value in enumerate(values) if not 0 <= value <= MOST_DEMAND]
    if wrong:
        raise InvalidInputError(
            Fault(
                (field,),
                say(
                    "hour {i}: {value:g} can't be; demand is a number from 0 to {most_demand:g}",
                    i=i,
                    value=value,
                    most_demand=MOST_DEMAND,
                ),
            )
            for i, value in wrong[:MOST_FAULTS]
        )
    hours = tuple(float(value) for value in values)
    mean, peak = math.fsum(hours) / len(hours), max(hours)
    if not mean > 0:
        raise InvalidInputError.at((field,), say("the demand is 0 in all hours; nothing would be served"))
    # Of equal hours the sum may be off in its last digit, and a mean is never above the largest.
    return Demand(min(mean, peak), peak, hours)


def of_peak_and_mean(peak: float, mean: float) -> Demand:
    """Demand of which only the peak and the mean are known, in units per second.

    Where they are equal, every hour is alike, so that the hours are known as well. InvalidInputError at
    `peak` or `mean`.
    """
    for name, value in (("peak", peak), ("mean", mean)):
        if not 0 < value <= MOST_DEMAND:
            raise InvalidInputError.at(
                (name,),
                say(
                    "a {name} of {value:g} can't be; demand is a number above 0 and at most {most_demand:g}",
                    name=name,
                    value=value,
                    most_demand=MOST_DEMAND,
                ),
            )
    if peak < mean:
        raise InvalidInputError.at(
            ("peak",),
            say(
                "a peak of {peak:g} is below the mean of {mean:g}; the peak is the demand of the busiest hour",
                peak=peak,
                mean=mean,
            ),
        )
    return Demand(mean, peak, (mean,) * HOURS_PER_DAY if peak == mean else None)


def of_month(units: float, peak_to_mean: float, unit: Unit) -> Demand:
    """Demand of so many units (tokens, audio-hours, requests) in a month of 730 hours.

    mean = units · single / (730 · 3600), with `single` the counted units in one (3,600 audio-seconds in an
    audio-hour); peak = mean · peak_to_mean, a ratio of at least 1. InvalidInputError at `units_per_month`
    or `peak_to_mean`.
    """
    mean = units * unit.single / (HOURS_PER_MONTH * SECONDS_PER_HOUR)
    if not 0 < mean <= MOST_DEMAND:
        raise InvalidInputError.at(
            ("units_per_month",),
            say(
                "{units:g} {single_noun} a month can't be; write a number above 0",
                units=units,
                single_noun=unit.single_noun,
            ),
        )
    if not 1 <= peak_to_mean <= 1e6:
        raise InvalidInputError.at(
            ("peak_to_mean",),
            say(
                "a peak-to-mean ratio of {peak_to_mean:g} can't be; the busiest hour has at least the mean, "
                "so that the ratio is 1 or more (at most 1,000,000)",
                peak_to_mean=peak_to_mean,
            ),
        )
    if mean * peak_to_mean > MOST_DEMAND:
        raise InvalidInputError.at(
            ("units_per_month",), say("the peak is above {most_demand:g} units per second", most_demand=MOST_DEMAND)
        )
    return of_peak_and_mean(mean * peak_to_mean, mean)


def units_per_month(demand: Demand, unit: Unit) -> float:
    """Units (tokens, audio-hours, requests) that a month of 730 hours brings: mean · 730 · 3600 / single."""
    return demand.mean * HOURS_PER_MONTH * SECONDS_PER_HOUR / unit.single


def read_demand(text: str, field: str = "demand") -> Demand:
    """Read hourly demand from text: one number a line, `hour,demand` columns, or all numbers on one line.

    A heading is optional; columns may be set apart by comma, semicolon or tab. Hours are counted from 0
    or from 1, in order. InvalidInputError at `field` names the lines that are not right.
    """
    lines = text.removeprefix("\ufeff").rstrip().splitlines()
    one_line = len(lines) == 1
    if one_line:
        lines = _apart(lines[0].strip())
    faults: list[Fault] = []
    values: list[float] = []
    first: Hour | None = None
    width = 0
    for number, cells in _rows(lines):
        at = f"{'value' if one_line else 'line'} {number}: "
        width = width or len(cells)
        if len(cells) != width or width > 2:
            said = "" if width > 2 else say(", and the first line has {width}", width=width)
            faults.append(
                Fault(
                    (field,),
                    say(
                        "{at}{number} columns{said}; write one number a line, or hour,demand",
                        at=at,
                        number=len(cells),
                        said=said,
                    ),
                )
            )
            if len(faults) == MOST_FAULTS:
                break
            continue
        try:
            if len(cells) == 2:
                first = _checked_hour(cells[0], len(values), first)
            value = read_scaled_number(cells[-1])
            if not 0 <= value <= MOST_DEMAND:
                raise ValueError(
                    say(
                        "{cells} can't be; demand is a number from 0 to {most_demand:g}",
                        cells=shown(cells[-1]),
                        most_demand=MOST_DEMAND,
                    )
                )
        except ValueError as error:
            faults.append(Fault((field,), say("{at}{error}", at=at, error=str(error))))
            value = math.nan
        values.append(value)
        if len(faults) == MOST_FAULTS:
            break
    if faults:
        raise InvalidInputError(faults)
    return of_hours(values, field)


def write_demand(values: Sequence[float]) -> str:
    """Write hourly values on one line, so that read_demand gives the same again."""
    return " ".join(repr(value) for value in values)


def _apart(line: str) -> list[str]:
    """Split numbers that stand on one line."""
    mark = next((mark for mark in ";\t," if mark in line), None)
    return line.split(mark)


def _rows(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Return the cells of each line with its number, without a heading."""
    for number, line in enumerate(lines, 1):
        mark = next((mark for mark in ";\t" if mark in line), ",")
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=mark), []) or [""]]
        except csv.Error:
            cells = [line]
        last = cells[-1].casefold()
        if number == 1 and len(lines) > 1 and last[:1].isalpha() and last not in _NOT_NUMBERS:
            continue
        yield number, cells


def _checked_hour(text: str, place: int, first: Hour | None) -> Hour:
    """Check that an hour is the next one, and return the hour that the column begins with."""
    stamp = _stamp(text)
    hour: Hour = stamp or (read_scaled_number(text) if text[:1].isdigit() else math.nan)
    if first is None:
        first = stamp or (1.0 if hour == 1 else 0.0)
    if isinstance(first, datetime):
        expected: Hour = first + timedelta(hours=place)
    else:
        expected = first + place
    if hour != expected:
        wanted = expected.isoformat() if isinstance(expected, datetime) else f"{expected:g}"
        raise ValueError(
            say(
                "hour {text} should be {wanted}; hours are counted from 0 or 1, or are times in ISO 8601 "
                "(UTC), in order and without a gap, and a number has no thousands separator",
                text=shown(text),
                wanted=wanted,
            )
        )
    return first


def _stamp(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None
