"""Price tables in PerDollar's own schema: CSV text or rows of values, all or nothing.

Work is done once per distinct text of a column, which keeps 200,000 rows quick.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

import numpy as np

from pricing.accelerators import Catalogue, Resolved, UnknownNameError
from pricing.errors import MOST_FAULTS, Fault, Location, PriceFileError, near_matches, shown
from pricing.market import PriceTable
from pricing.offers import (
    AVAILABILITY,
    EVIDENCE,
    NO_TERM,
    OFFER_COLUMNS,
    PURCHASES,
    REQUIRED_COLUMNS,
    TEXT,
    UNDATED,
    Columns,
    Words,
    refuse_conflicts,
)
from pricing.sources import cells
from pricing.sources.own_parquet import PARQUET, parquet_texts
from pricing.sources.own_text import decoded, line_numbers, parsed, unquoted
from pricing.wording import say

_DIGITS = re.compile(r"[0-9.\n]+")
T = TypeVar("T")


@dataclass
class _Rows:
    """The columns of a table as text, where they stand, and the faults found so far."""

    columns: Mapping[str, Sequence[str]]
    size: int
    where: Callable[[int], tuple[Location, str]]
    faults: list[Fault] = field(default_factory=list)

    def fault(self, row: int, column: str, msg: str) -> None:
        """Add a fault of one cell, with its place in the message."""
        loc, place = self.where(row)
        self.faults.append(
            Fault((*loc, column), say("{place}, column {column}: {msg}", place=place, column=column, msg=msg))
        )
        if len(self.faults) >= MOST_FAULTS:
            raise PriceFileError(self.faults)

    def words(self, column: str, reader: Callable[[str], str], default: str) -> Words:
        """Read a column of names; an absent one holds the default."""
        texts = self.columns.get(column)
        if texts is None:
            return Words(np.zeros(self.size, np.int32), (default,))
        return self._words(texts, self._known(column, texts, reader, default))

    def text(self, column: str, what: str, *, default: str = "") -> Words:
        """Read a column of free text, all at once where nothing in it needs a closer look."""
        texts = self.columns.get(column)
        if texts is None:
            return Words(np.zeros(self.size, np.int32), (default,))
        distinct = set(texts)
        required, most = column in REQUIRED_COLUMNS, cells.MOST_OF.get(column, cells.MOST_TEXT)
        if cells.are_plain(distinct, most) and ("" not in distinct or (default == "" and not required)):
            return Words.of(texts, distinct)
        reader = cells.text_of(what, most=most, required=required)
        return self._words(texts, self._known(column, texts, lambda text: reader(text) or default, default))

    def _words(self, texts: Sequence[str], known: dict[str, str]) -> Words:
        vocabulary = tuple(sorted(set(known.values())))
        place = {text: i for i, text in enumerate(vocabulary)}
        code = {text: place[value] for text, value in known.items()}
        return Words(np.fromiter(map(code.__getitem__, texts), np.int32, self.size), vocabulary)

    def numbers(self, column: str, reader: Callable[[str], float], default: float, kind: type) -> np.ndarray:
        """Read a column of numbers; an absent one holds the default."""
        texts = self.columns.get(column)
        if texts is None:
            return np.full(self.size, default, kind)
        known = self._known(column, texts, reader, default)
        return np.fromiter(map(known.__getitem__, texts), kind, self.size)

    def sizes(self) -> list[tuple[int, ...]] | None:
        """Read the sizes of each row; None where no row has any."""
        texts = self.columns.get("sizes")
        if texts is None:
            return None
        nothing: tuple[int, ...] = ()
        known = self._known("sizes", texts, cells.sizes_of, nothing)
        return list(map(known.__getitem__, texts)) if any(known.values()) else None

    def _known(self, column: str, texts: Sequence[str], reader: Callable[[str], T], default: T) -> dict[str, T]:
        """Read each distinct text once; a fault counts at every row that has it."""
        known: dict[str, T] = {}
        bad: dict[str, str] = {}
        for text in dict.fromkeys(texts):
            try:
                known[text] = reader(text.strip())
            except ValueError as error:
                bad[text] = str(error)
                known[text] = default
                if len(bad) >= MOST_FAULTS:
                    # As many as are told; what would be right takes long to find for very many.
                    break
        if bad:
            for row, text in enumerate(texts):
                if text in bad:
                    self.fault(row, column, bad[text])
        return known


def read_csv(data: bytes, name: str, catalogue: Catalogue, today: date | None) -> PriceTable:
    """Read a CSV file in our schema; refuse it whole on any bad row.

    `name` stands in messages. Dates after `today` are errors (None: not checked, for the table that
    is shipped). PriceFileError lists up to 20 faults, each with line, column, value and what would
    be right.
    """
    text = decoded(data, name)
    header, columns, size = unquoted(text) or parsed(text, name)
    _check_header(header, name)
    if not size:
        raise PriceFileError.at((name,), say("{name}: no rows below the heading", name=name))

    lines: list[int] = []

    def where(i: int) -> tuple[Location, str]:
        # Found once, at the first fault: a large file is slow to go through.
        lines.extend(line_numbers(text) if not lines else ())
        line = lines[i]
        return (name, line), f"{name} line {line}"

    return _table(_Rows(dict(zip(header, columns, strict=True)), size, where), catalogue, today)


def read_rows(rows: Sequence[Mapping[str, object]], catalogue: Catalogue, today: date) -> PriceTable:
    """Read offers given as JSON objects in the same schema, under the same rules."""
    unknown = {str(key) for row in rows for key in row} - set(OFFER_COLUMNS)
    faults = []
    for i, row in enumerate(rows):
        for key in row:
            if key in unknown:
                faults.append(
                    Fault(
                        ("offers", i, key),
                        say("{key} is not a field of an offer.", key=shown(key)) + near_matches(key, OFFER_COLUMNS),
                    )
                )
        for key in REQUIRED_COLUMNS:
            if row.get(key) is None and not _may_be_absent(key, row):
                faults.append(Fault(("offers", i, key), say("offers[{i}]: the field {key} is missing", i=i, key=key)))
        for key, value in row.items():
            if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
                faults.append(
                    Fault(("offers", i, key), say("offers[{i}].{key}: must be text or a number", i=i, key=key))
                )
        if len(faults) >= MOST_FAULTS:
            break
    if faults:
        raise PriceFileError(faults)
    names = {key for row in rows for key in row}
    columns = {name: ["" if row.get(name) is None else str(row[name]) for row in rows] for name in names}

    def where(i: int) -> tuple[Location, str]:
        return ("offers", i), f"offers[{i}]"

    return _table(_Rows(columns, len(rows), where), catalogue, today)


def _may_be_absent(key: str, row: Mapping[str, object]) -> bool:
    if key == "price_usd_per_hour":
        return row.get("availability") == "withdrawn"
    if key in ("accelerator", "accelerator_count"):
        # An instance without an accelerator: both are absent, or blank and 0.
        return row.get("accelerator") in (None, "") and row.get("accelerator_count") in (None, 0, "0", "")
    return False


def read_file(path: Path, catalogue: Catalogue, today: date | None) -> PriceTable:
    """Read a CSV or Parquet file from disk; a file that can't be opened is a PriceFileError, too."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PriceFileError.at(
            (path.name,), say("{path}: can't be read ({strerror})", path=path, strerror=error.strerror or error)
        ) from error
    if data.startswith(PARQUET):
        return _read_parquet(data, path.name, catalogue, today)
    return read_csv(data, path.name, catalogue, today)


def _read_parquet(data: bytes, name: str, catalogue: Catalogue, today: date | None) -> PriceTable:
    """Read a Parquet file with the columns of our schema, typed or as text; faults name the row, from 1."""
    header, columns, size = parquet_texts(data, name)
    _check_header(header, name)
    if not size:
        raise PriceFileError.at((name,), say("{name}: no rows below the heading", name=name))

    def where(i: int) -> tuple[Location, str]:
        return (name, i + 1), say("{name} row {row}", name=name, row=i + 1)

    return _table(_Rows(dict(zip(header, columns, strict=True)), size, where), catalogue, today)


def _check_header(header: list[str], name: str) -> None:
    known = set(OFFER_COLUMNS)
    header[:] = [cell.strip() for cell in header]
    if len(header) == 1 and any(sign in header[0] for sign in ";\t|"):
        raise PriceFileError.at(
            (name, 1),
            say(
                "{name} line 1: the columns are separated by {next}; save the file with commas between "
                "columns and a dot as decimal sign",
                name=name, next=shown(next(s for s in header[0] if s in ";\t|")),
            ),
        )  # fmt: skip
    faults = []
    for cell in [cell for cell in header if cell not in known][:MOST_FAULTS]:
        faults.append(
            Fault(
                (name, 1, cell),
                say("{name} line 1: {cell} is not a column of a price table.", name=name, cell=shown(cell))
                + near_matches(cell, OFFER_COLUMNS),
            )
        )
    for cell in sorted(cell for cell, count in Counter(header).items() if count > 1)[:MOST_FAULTS]:
        faults.append(
            Fault((name, 1, cell), say("{name} line 1: the column {cell} stands twice", name=name, cell=shown(cell)))
        )
    missing = [column for column in REQUIRED_COLUMNS if column not in header]
    if missing:
        faults.append(
            Fault(
                (name, 1),
                say(
                    "{name} line 1: {columns}; required are {required_columns}",
                    name=name,
                    columns=say("the columns {missing} are missing", missing=", ".join(missing))
                    if missing[1:]
                    else say("the column {missing} is missing", missing=missing[0]),
                    required_columns=", ".join(REQUIRED_COLUMNS),
                ),
            )
        )  # fmt: skip
    if faults:
        raise PriceFileError(faults[:MOST_FAULTS])


def _prices(rows: _Rows) -> np.ndarray:
    """Read the price column; plain digits all at once, anything else text by text."""
    texts = rows.columns.get("price_usd_per_hour")
    if texts is not None and "" not in texts and _DIGITS.fullmatch("\n".join(texts)):
        try:
            values = np.fromiter(map(float, texts), float, rows.size)
        except ValueError:
            values = np.zeros(0)
        if len(values) and values.min() >= cells.LEAST_PRICE and values.max() <= cells.MOST_PRICE:
            return values
    return rows.numbers("price_usd_per_hour", cells.price, np.nan, float)


def read_accelerator(text: str, catalogue: Catalogue) -> Resolved:
    """Read a cell that names an accelerator. ValueError says why it doesn't, or that it carries a count."""
    try:
        found = catalogue.resolve(text)
    except UnknownNameError as error:
        raise ValueError(str(error)) from error
    if found.count is not None:
        raise ValueError(
            say(
                "{text} carries a count; write {accelerator} here and {count} as accelerator_count",
                text=shown(text), accelerator=found.accelerator, count=found.count,
            )
        )  # fmt: skip
    return found


def _table(rows: _Rows, catalogue: Catalogue, today: date | None) -> PriceTable:
    assumed: set[str] = set()

    def accelerator(text: str) -> str:
        if not text:
            return ""
        found = read_accelerator(text, catalogue)
        if found.assumed is not None:
            assumed.add(
                say(
                    "{text} in the price table is taken as {accelerator}",
                    text=shown(text), accelerator=found.accelerator,
                )
            )  # fmt: skip
        return found.accelerator

    words = {
        "provider": rows.words("provider", cells.provider, ""),
        "instance_type": rows.text("instance_type", "the seller's name of the instance"),
        "region": rows.text("region", "a region", default="global"),
        "accelerator": rows.words("accelerator", accelerator, ""),
        "purchase": rows.words("purchase", cells.one_of(PURCHASES, "on_demand"), "on_demand"),
        "evidence": rows.words("evidence", cells.one_of(EVIDENCE, "quote"), "quote"),
        "source": rows.text("source", "a source"),
        "notes": rows.text("notes", "notes"),
        "availability": rows.words("availability", cells.one_of(AVAILABILITY, "available"), "available"),
        "plan": rows.text("plan", "a plan"),
    }
    sizes = rows.sizes()
    words["accelerator_vendor"] = _vendors(rows, words["accelerator"], catalogue)
    columns = Columns(
        words=words,
        count=rows.numbers("accelerator_count", cells.count, 0, np.int64),
        term=rows.numbers("term_months", cells.term, NO_TERM, np.int32),
        price=_prices(rows),
        observed=rows.numbers("observed_on", cells.day_of(today), UNDATED, np.int32),
        accelerator_memory=rows.numbers("accelerator_memory_gib", cells.amount, np.nan, float),
        vcpus=rows.numbers("vcpus", cells.amount, np.nan, float),
        memory=rows.numbers("memory_gib", cells.amount, np.nan, float),
        row=np.arange(rows.size, dtype=np.int64),
        sized=np.zeros(rows.size, bool) if sizes is None else np.array([bool(size) for size in sizes]),
    )
    _check_rows(rows, columns)
    digest = hashlib.sha256()
    for name in TEXT:
        digest.update("\n".join(words[name].vocabulary).encode())
        digest.update(words[name].codes.tobytes())
    for array in (columns.count, columns.term, columns.price, columns.observed):
        digest.update(array.tobytes())
    if sizes is not None:
        digest.update(repr(sizes).encode())
        columns = _expanded(columns, sizes)
    columns = refuse_conflicts(columns, rows.where)
    return PriceTable(columns, rows.size, digest.hexdigest(), assumptions=tuple(sorted(assumed)))


def _vendors(rows: _Rows, accelerators: Words, catalogue: Catalogue) -> Words:
    """Return the makers of the accelerators; a stated maker that is another one is a fault."""
    makers = [catalogue.accelerators[name].vendor if name else "" for name in accelerators.vocabulary]
    vocabulary = tuple(sorted(set(makers)))
    place = {maker: i for i, maker in enumerate(vocabulary)}
    vendors = Words(np.array([place[maker] for maker in makers], np.int32)[accelerators.codes], vocabulary)
    stated = rows.words("accelerator_vendor", str.lower, "")
    as_known = np.array([-2 if not text else place.get(text, -1) for text in stated.vocabulary])[stated.codes]
    for i in np.flatnonzero((as_known != -2) & (as_known != vendors.codes)).tolist():
        name, maker = accelerators.at(i) or "a blank accelerator", vendors.at(i) or "nothing"
        rows.fault(
            i,
            "accelerator_vendor",
            say("{at} does not make {name}; write {maker}", at=shown(stated.at(i)), name=name, maker=maker),
        )
    return vendors


def _check_rows(rows: _Rows, columns: Columns) -> None:
    """Refuse rows whose cells contradict each other, if each cell by itself is right."""
    if rows.faults:
        raise PriceFileError(rows.faults)
    accelerator = columns.words["accelerator"]
    for i in np.flatnonzero(accelerator.mask([""]) != (columns.count == 0)).tolist():
        rows.fault(
            i,
            "accelerator_count",
            say(
                "'{count}' does not go with accelerator {at}; an instance with accelerators has a count of "
                "at least 1, one without has a blank accelerator and 0",
                count=columns.count[i], at=shown(accelerator.at(i)),
            ),
        )  # fmt: skip
    for i in np.flatnonzero(columns.sized & (columns.count == 0)).tolist():
        rows.fault(i, "sizes", "sizes need an accelerator")
    unpriced = np.isnan(columns.price) & ~columns.words["availability"].mask(["withdrawn"])
    for i in np.flatnonzero(unpriced).tolist():
        rows.fault(
            i,
            "price_usd_per_hour",
            "is blank, and an unknown price is no row at all; only a row with availability 'withdrawn' has no price",
        )
    if rows.faults:
        raise PriceFileError(rows.faults)


def _expanded(columns: Columns, sizes: Sequence[tuple[int, ...]]) -> Columns:
    """Make one row per size: price × size / accelerator_count."""
    times = np.array([len(size) or 1 for size in sizes])
    expanded = columns.take(np.repeat(np.arange(len(columns)), times))
    size = np.array([s for i, row in enumerate(sizes) for s in (row or (int(columns.count[i]),))], np.int64)
    with np.errstate(invalid="ignore"):
        price = np.where(expanded.sized, expanded.price * size / np.maximum(expanded.count, 1), expanded.price)
    return Columns(
        expanded.words,
        size,
        expanded.term,
        price,
        expanded.observed,
        expanded.accelerator_memory,
        expanded.vcpus,
        expanded.memory,
        expanded.row,
        expanded.sized,
    )
