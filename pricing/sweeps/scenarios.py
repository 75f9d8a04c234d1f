"""Scenarios: questions by the thousand, one a row of a CSV or Parquet file, read as a stream.

The columns have the names of a comparison's parameters. `Reader.from_pairs` says what a row means;
parts of rows that come again are not read again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pricing import comparability, notation
from pricing.errors import MOST_FAULTS, Fault, InvalidInputError, Location, near_matches, shown
from pricing.market import PriceTable
from pricing.measurements import Measurement, Rate
from pricing.parameters import LIST_PARAMETERS, is_detail
from pricing.question import LEAST_SHARE, FiltersIn, Question, Warned
from pricing.reading import Reader, with_unique_labels
from pricing.sweeps.rows import Cell, open_rows
from pricing.units import Unit

MOST_NOTES = 20
MOST_ID = 200
# Of what was read before, at most so many entries are kept.
MOST_KEPT = 20_000
LISTS = (*LIST_PARAMETERS, "evidence", "accept")
NUMBERS = ("utilization", "spot_loss", "max_price_usd_per_hour")
# These and the lists say together which offers and measurements count; few combinations are expected.
SHAPE = ("unit", *LISTS, "max_accelerators", "max_age_days", "include_unconfirmed", "all_sizes")
COLUMNS = ("scenario", "m", *SHAPE, *NUMBERS)
REFUSED = {
    "as_of": "one date holds for all scenarios; give it as --as-of",
    "table": "one table holds for all scenarios; give it as --offers or --prices",
    "quote": "one table holds for all scenarios; put the quote into a table and give it as --prices",
    "owned": "one table holds for all scenarios; put the machine into a table and give it as --prices",
    "discount": "one table holds for all scenarios; put the lower prices into a table and give it as --offers",
    "limit": "the number of estimates is the same for all scenarios; give it as --top",
    "offset": "the cheapest come first; give as --top how many",
    "sort": "estimates are ranked by cost",
    "baseline": "estimates of a sweep have no baseline",
    "columns": "the columns of the result are fixed",
    "where": "use the filters, or filter the result",
    "currency": "costs are in USD",
    "exchange_rate": "costs are in USD",
    "slo": "give the measurement that meets the target",
    "interpolate": "give the measurement that meets the target",
    "output_price_ratio": "ask for the unit that you want to price",
}
_BUT_RATES = tuple(field.name for field in fields(Measurement) if field.name != "rates")
# What any table can answer; stands in where only the rest of a row is read.
_ANY = ("m", "H100-SXM:1=1")
# Plain digits need no closer look; each number with the least and the most that it may be.
_PLAIN = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,20})?")
_WITHIN = {
    "utilization": (LEAST_SHARE, 1.0),
    "spot_loss": (0.0, math.nextafter(1.0, 0.0)),
    "max_price_usd_per_hour": (math.ulp(0.0), 1e12),
}


@dataclass(frozen=True, slots=True)
class Rated:
    """A measurement that counts: its place in the scenario from 0, its rate for the unit, and its group.

    Within a group, from 1, estimates can be ranked; `share` of the rate is work that counts.
    """

    place: int
    measurement: Measurement
    rate: Rate
    share: float
    group: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One question of a sweep; its attributes have the names and meanings of `Question`.

    `number` counts the rows of the file from 1, `id` is what the user calls it.
    """

    number: int
    id: str
    unit: Unit
    measurements: tuple[Measurement, ...]
    utilization: float
    spot_loss: float
    filters: FiltersIn
    accelerators: frozenset[str] | None
    include_unconfirmed: bool
    all_sizes: bool
    evidence: frozenset[str]
    accept: frozenset[str]

    def rated(self) -> list[Rated]:
        """Return the measurements that have a rate of the unit and are known as asked for, with their groups."""
        field, wanted = self.unit.rate_field, self.evidence
        if len(self.measurements) == 1 and not wanted:
            # The usual case.
            (only,) = self.measurements
            its = only.rate_for(field)
            return [] if its is None else [Rated(0, only, its, only.counted_share, 1)]
        found = [
            (i, m, rate)
            for i, m in enumerate(self.measurements)
            if (not wanted or m.evidence in wanted) and (rate := m.rate_for(field)) is not None
        ]
        groups = (1,) if len(found) == 1 else comparability.groups([m for _, m, _ in found], self.accept)
        return [Rated(i, m, rate, m.counted_share, g) for (i, m, rate), g in zip(found, groups, strict=True)]

    def question(self, table: PriceTable, as_of: date) -> Question:
        """Return the same as a question to be compared."""
        return Question(
            unit=self.unit, measurements=self.measurements, utilization=self.utilization, filters=self.filters,
            accelerators=self.accelerators, include_unconfirmed=self.include_unconfirmed, all_sizes=self.all_sizes,
            discounts=(), spot_loss=self.spot_loss, currency=None, baseline=None, sort="cost_usd", limit=None,
            offset=0, as_of=as_of, table=table, targets=(), interpolate=False, evidence=self.evidence, columns=(),
            where=(), accept=self.accept, output_price_ratio=None, linkable=False, warnings=(), written=tuple,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the cells of SHAPE mean together."""

    unit: Unit
    filters: FiltersIn
    accelerators: frozenset[str] | None
    include_unconfirmed: bool
    all_sizes: bool
    evidence: frozenset[str]
    accept: frozenset[str]

    def limited(self, most: float | None, kept: dict[Any, Any]) -> FiltersIn:
        """Return the filters with a highest price; the same object for the same price."""
        if most is None:
            return self.filters
        key = (id(self), most)
        found: tuple[_Shape, FiltersIn] | None = kept.get(key)
        if found is None:
            # The shape is kept as well, so that no other one gets its id.
            found = self, self.filters.model_copy(update={"max_price_usd_per_hour": most})
            _keep(kept, key, found)
        return found[1]


class Scenarios:
    """The scenarios of one file; InvalidInputError where the file or its heading can't be read.

    `notes` are sentences on what was assumed of measurements, each once.
    """

    def __init__(self, path: Path, reader: Reader) -> None:
        """Read the heading."""
        self._reader = reader
        self._rows = open_rows(path)
        self.name = path.name
        self.columns = [name.strip() for name in self._rows.columns]
        self.notes: dict[str, None] = {}
        self._check_heading()
        names = ["m" if name == "measurements" else name for name in self.columns]
        self._names = names
        self._place = {name: i for i, name in enumerate(names)}
        self._shape_places = [self._place[name] for name in SHAPE if name in self._place]
        self._details = [(i, *self._detail(name)) for i, name in enumerate(names) if is_detail(name)]
        self._shapes: dict[tuple[Cell, ...], _Shape] = {}
        self._limited: dict[Any, Any] = {}
        self._numbers: dict[tuple[str, str], float] = {}
        self._measured: dict[tuple[str, str, tuple[tuple[str, str], ...]], Measurement] = {}
        self._templates: dict[tuple[str, str, tuple[tuple[str, str], ...]], Callable[..., Measurement]] = {}

    @staticmethod
    def _detail(name: str) -> tuple[int, str]:
        number, _, detail = name[1:].partition(".")
        return int(number), detail

    def _check_heading(self) -> None:
        faults = []

        def fault(column: str, msg: str) -> None:
            faults.append(Fault((self.name, 1, column), f"{self.name}, heading: {msg}"))

        known = [*COLUMNS, "measurements", "m1.model"]
        for column in self.columns:
            if column in REFUSED:
                fault(column, f"{column} is not a column of scenarios: {REFUSED[column]}")
            elif column not in known and not is_detail(column):
                near = near_matches(column, known) if len(faults) < MOST_FAULTS else ""
                fault(column, f"{shown(column)} is not a column of scenarios.{near}")
        for column in [column for column, count in Counter(self.columns).items() if count > 1]:
            fault(column, f"the column {shown(column)} stands twice")
        if {"m", "measurements"} <= set(self.columns):
            fault("measurements", "m and measurements are the same; keep one of them")
        for column in ("unit", "m"):
            if column not in self.columns and not (column == "m" and "measurements" in self.columns):
                fault(column, f"the column {column} is missing; unit and m (measurements) are needed")
        if faults:
            raise InvalidInputError(faults[:MOST_FAULTS])

    def read(self, skip: int = 0) -> Iterator[Scenario]:
        """Yield the scenarios, the first `skip` of them passed over unread.

        From the first bad row on, rows are only checked; at their end, or at 20 faults, InvalidInputError
        lists each with its line, column, value and what would be right.
        """
        faults: list[Fault] = []
        number = skip
        try:
            for line, cells in islice(self._rows.read(), skip, None):
                number += 1
                try:
                    scenario = self._scenario(number, cells)
                except InvalidInputError as error:
                    faults += [self._placed(line, fault) for fault in error.faults]
                    if len(faults) >= MOST_FAULTS:
                        break
                    continue
                if not faults:
                    yield scenario
        except InvalidInputError as error:
            # From here on the file can't be read.
            faults += error.faults
        if faults:
            raise InvalidInputError(faults[:MOST_FAULTS])
        if not number:
            raise InvalidInputError.at((self.name,), f"{self.name}: no scenario below the heading")

    def _placed(self, line: int, fault: Fault) -> Fault:
        """Put a fault of a row at its line and column."""
        column = str(fault.loc[0]) if fault.loc else "m"
        if column == "m" and "m" not in self.columns:
            column = "measurements"
        loc: Location = (self.name, line, column)
        return Fault(loc, f"{self.name} {self._rows.line_word} {line}, column {column}: {fault.msg}")

    def _scenario(self, number: int, cells: Sequence[Cell]) -> Scenario:
        try:
            return self._quickly(number, cells)
        except ValueError:
            # Something is wrong: all that is wrong with the row is said.
            return self._thoroughly(number, cells)

    def _quickly(self, number: int, cells: Sequence[Cell]) -> Scenario:
        """Read a row from parts that were read before; ValueError where something is wrong."""
        key = tuple([cells[i] for i in self._shape_places])
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._read_shape(cells)
            _keep(self._shapes, key, shape)
        filters = shape.limited(self._number("max_price_usd_per_hour", cells), self._limited)
        utilization = self._number("utilization", cells)
        return Scenario(
            number,
            self._id(number, cells),
            shape.unit,
            self._measurements(shape.unit, cells),
            1.0 if utilization is None else utilization,
            self._number("spot_loss", cells) or 0.0,
            filters,
            shape.accelerators,
            shape.include_unconfirmed,
            shape.all_sizes,
            shape.evidence,
            shape.accept,
        )

    def _thoroughly(self, number: int, cells: Sequence[Cell]) -> Scenario:
        """Read a row as a question; InvalidInputError with all that is wrong with it."""
        faults = []
        try:
            name = self._id(number, cells)
        except ValueError as error:
            faults.append(Fault(("scenario",), str(error)))
        try:
            question = self._reader.from_pairs(self._pairs(self._names, cells))
        except InvalidInputError as error:
            raise InvalidInputError([*faults, *error.faults]) from error
        if faults:
            raise InvalidInputError(faults)
        self._note_all(question.warnings)
        same = {field.name: getattr(question, field.name) for field in fields(Scenario)[2:]}
        return Scenario(number, name, **same)

    def _pairs(self, names: Sequence[str], cells: Sequence[Cell]) -> Iterator[tuple[str, str]]:
        """Return cells as name-value pairs, the columns of `names` alone."""
        for name in names:
            if name != "scenario":
                several = name == "m" or name in LISTS
                yield from ((name, part) for part in _parts(cells[self._place[name]], several))

    def _id(self, number: int, cells: Sequence[Cell]) -> str:
        place = self._place.get("scenario")
        text = "" if place is None else "|".join(_parts(cells[place], False)).strip()
        if len(text) > MOST_ID or not text.isprintable():
            raise ValueError(f"{shown(text)} is no name of a scenario; write at most {MOST_ID} characters on one line")
        return text or str(number)

    def _read_shape(self, cells: Sequence[Cell]) -> _Shape:
        names = [name for name in SHAPE if name in self._place]
        question = self._reader.from_pairs([*self._pairs(names, cells), _ANY])
        return _Shape(*(getattr(question, field.name) for field in fields(_Shape)))

    def _number(self, name: str, cells: Sequence[Cell]) -> float | None:
        """Read a cell of a number; None where it is blank."""
        place = self._place.get(name)
        if place is None:
            return None
        text = cells[place]
        if not text:
            return None
        if not isinstance(text, str):
            raise ValueError("a list")
        if _PLAIN.fullmatch(text):
            least, most = _WITHIN[name]
            number = float(text)
            if least <= number <= most:
                return number
        found = self._numbers.get((name, text))
        if found is None:
            question = self._reader.from_pairs([("unit", "output_token"), _ANY, (name, text)])
            holder = question.filters if name == "max_price_usd_per_hour" else question
            found = getattr(holder, name)
            if found is None:
                return None
            _keep(self._numbers, (name, text), found)
        return found

    def _measurements(self, unit: Unit, cells: Sequence[Cell]) -> tuple[Measurement, ...]:
        texts = _parts(cells[self._place["m"]], True)
        if len(texts) > self._reader.limits.measurements:
            raise ValueError("too many")
        details: dict[int, list[tuple[str, str]]] = {}
        for i, number, name in self._details:
            cell = cells[i]
            if isinstance(cell, str) and cell.strip():
                details.setdefault(number, []).append((name, cell))
            elif cell and not isinstance(cell, str):
                raise ValueError("a list")
        measurements = []
        for i, text in enumerate(texts, 1):
            if text.strip():
                measurements.append(self._measurement(unit, text, tuple(details.pop(i, ()))))
        if details or not measurements:
            raise ValueError("details without a measurement, or none")
        if len({m.label for m in measurements}) < len(measurements):
            warnings: list[Warned] = []
            measurements = with_unique_labels(measurements, warnings)
            self._note_all(warnings)
        return tuple(measurements)

    def _measurement(self, unit: Unit, text: str, details: tuple[tuple[str, str], ...]) -> Measurement:
        key = (unit.id, text, details)
        found = self._measured.get(key)
        if found is not None:
            return found
        # Hardware and details are read once for all rates that were measured on them.
        hardware, _, rate = text.rpartition("=")
        like = self._templates.get((unit.id, hardware, details))
        if like is not None:
            found = like(rates=notation.parse_rates(rate, unit))
            found.rate_for(unit.rate_field)
        else:
            pairs = [("unit", unit.id), ("m", text), *((f"m1.{name}", value) for name, value in details)]
            question = self._reader.from_pairs(pairs)
            self._note_all(question.warnings)
            found = question.measurements[0]
            others = {name: getattr(found, name) for name in _BUT_RATES}
            _keep(self._templates, (unit.id, hardware, details), partial(Measurement, **others))
        _keep(self._measured, key, found)
        return found

    def _note_all(self, warnings: Iterable[Warned]) -> None:
        for warned in warnings:
            if len(self.notes) < MOST_NOTES:
                self.notes[warned.message] = None


def date_of(reader: Reader, text: str | None) -> date:
    """Read the date whose prices count for all scenarios; today if there is none."""
    return reader.from_pairs([("unit", "output_token"), _ANY, ("as_of", text or "")]).as_of


def _parts(cell: Cell, several: bool) -> Sequence[str]:
    """Return the values of a cell: those of a list, or of a text that `|` separates where there may be several."""
    if isinstance(cell, str):
        return cell.split("|") if several else (cell,)
    return cell


def _keep(kept: dict[Any, Any], key: object, value: object) -> None:
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[key] = value
