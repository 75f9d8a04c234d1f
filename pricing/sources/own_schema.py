"""Price tables in PerDollar's own schema: CSV text or rows of values, all or nothing.

Work is done once per distinct text of a column, which keeps 200,000 rows quick.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

import numpy as np

from pricing.accelerators import Catalogue, UnknownNameError
from pricing.errors import Fault, Location, PriceFileError, near_matches, shown
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
    PriceTable,
    Words,
    refuse_conflicts,
)
from pricing.sources import cells

MOST_FAULTS = 20
_DIGITS = re.compile(r"[0-9.\n]+")
T = TypeVar("T")


@dataclass
class _Rows:
    """The cells of a table by column, where they stand, and the faults found so far."""

    cells: Mapping[str, Sequence[str]]
    size: int
    where: Callable[[int], tuple[Location, str]]
    faults: list[Fault] = field(default_factory=list)

    def fault(self, row: int, column: str, msg: str) -> None:
        """Add a fault of one cell, with its place in the message."""
        loc, place = self.where(row)
        self.faults.append(Fault((*loc, column), f"{place}, column {column}: {msg}"))

    def read(self, column: str, reader: Callable[[str], T], default: T) -> list[T]:
        """Convert a column, each distinct text once; a fault counts at every row that has it."""
        texts = self.cells.get(column)
        if texts is None:
            return [default] * self.size
        known: dict[str, T] = {}
        bad: dict[str, str] = {}
        for text in set(texts):
            try:
                known[text] = reader(text.strip())
            except ValueError as error:
                bad[text] = str(error)
                known[text] = default
        if bad:
            for row, text in enumerate(texts):
                if text in bad:
                    self.fault(row, column, bad[text])
                    if len(self.faults) >= MOST_FAULTS:
                        raise PriceFileError(self.faults)
        return list(map(known.__getitem__, texts))


def read_csv(data: bytes, name: str, catalogue: Catalogue, today: date | None) -> PriceTable:
    """Read a CSV file in our schema; refuse it whole on any bad row.

    `name` stands in messages. Dates after `today` are errors (None: not checked, for the table that
    is shipped). PriceFileError lists up to 20 faults, each with line, column, value and what would
    be right.
    """
    text = _decoded(data, name)
    rows = _parsed(text, name)
    header, body = rows[0], rows[1:]
    _check_header(header, name)
    widths = set(map(len, body))
    if widths - {len(header), 0}:
        for i, row in enumerate(body):
            if len(row) not in (0, len(header)):
                raise PriceFileError.at(
                    (name, _line(text, i)),
                    f"{name} line {_line(text, i)}: {len(row)} cells, but the heading has "
                    f"{len(header)}; a cell with a comma in it needs quotes around it",
                )
    places = range(len(body))
    if 0 in widths:
        places = [i for i in places if body[i]]  # type: ignore[assignment]
        body = [row for row in body if row]
    if not body:
        raise PriceFileError.at((name,), f"{name}: no rows below the heading")
    columns = dict(zip(header, zip(*body, strict=True), strict=True))

    def where(i: int) -> tuple[Location, str]:
        line = _line(text, places[i])
        return (name, line), f"{name} line {line}"

    return _table(_Rows(columns, len(body), where), catalogue, today)


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
                        f"{shown(key)} is not a field of an offer." + near_matches(key, OFFER_COLUMNS),
                    )
                )
        for key in REQUIRED_COLUMNS:
            if row.get(key) is None and not _may_be_absent(key, row):
                faults.append(Fault(("offers", i, key), f"offers[{i}]: the field {key} is missing"))
        for key, value in row.items():
            if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
                faults.append(Fault(("offers", i, key), f"offers[{i}].{key}: must be text or a number"))
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
    """Read a CSV file from disk; a file that can't be opened is a PriceFileError, too."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PriceFileError.at((path.name,), f"{path}: can't be read ({error.strerror or error})") from error
    return read_csv(data, path.name, catalogue, today)


def _decoded(data: bytes, name: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise PriceFileError.at((name,), f"{name}: is UTF-16; save it as CSV in UTF-8")
    if data[:4] == b"PK\x03\x04":
        raise PriceFileError.at((name,), f"{name}: is a spreadsheet or zip file; save it as CSV")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PriceFileError.at(
            (name, line),
            f"{name} line {line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8",
        ) from error


def _parsed(text: str, name: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise PriceFileError.at(
            (name, reader.line_num), f"{name} line {reader.line_num}: not valid CSV ({error})"
        ) from error
    while rows and not rows[0]:
        raise PriceFileError.at((name, 1), f"{name} line 1: blank; the heading must be the first line")
    if not rows:
        raise PriceFileError.at((name,), f"{name}: is empty; the first line must be {','.join(REQUIRED_COLUMNS)},…")
    return rows


def _line(text: str, index: int) -> int:
    """Return the line on which the body's row `index` begins; only needed for messages."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    next(reader)
    for _ in range(index):
        next(reader)
    return reader.line_num + 1


def _check_header(header: list[str], name: str) -> None:
    known = set(OFFER_COLUMNS)
    header[:] = [cell.strip() for cell in header]
    if len(header) == 1 and any(sign in header[0] for sign in ";\t|"):
        raise PriceFileError.at(
            (name, 1),
            f"{name} line 1: the columns are separated by {shown(next(s for s in header[0] if s in ';	|'))}"
            "; save the file with commas between columns and a dot as decimal sign",
        )
    faults = []
    for cell in header:
        if cell not in known:
            faults.append(
                Fault(
                    (name, 1, cell),
                    f"{name} line 1: {shown(cell)} is not a column of a price table."
                    + near_matches(cell, OFFER_COLUMNS),
                )
            )
    for cell in sorted({cell for cell in header if header.count(cell) > 1}):
        faults.append(Fault((name, 1, cell), f"{name} line 1: the column {shown(cell)} stands twice"))
    missing = [column for column in REQUIRED_COLUMNS if column not in header]
    if missing:
        faults.append(
            Fault(
                (name, 1),
                f"{name} line 1: the column{'s' if missing[1:] else ''} {', '.join(missing)} "
                f"{'are' if missing[1:] else 'is'} missing; required are {', '.join(REQUIRED_COLUMNS)}",
            )
        )
    if faults:
        raise PriceFileError(faults[:MOST_FAULTS])


def _prices(rows: _Rows) -> np.ndarray:
    """Read the price column; plain digits all at once, anything else text by text."""
    texts = rows.cells.get("price_usd_per_hour")
    if texts is not None and "" not in texts and _DIGITS.fullmatch("\n".join(texts)):
        try:
            values = np.fromiter(map(float, texts), float, rows.size)
        except ValueError:
            values = np.zeros(0)
        if len(values) and values.min() >= cells.LEAST_PRICE and values.max() <= cells.MOST_PRICE:
            return values
    return np.array(rows.read("price_usd_per_hour", cells.price, float("nan")), float)


def _amounts(rows: _Rows, column: str) -> np.ndarray:
    return np.array(rows.read(column, cells.amount, float("nan")), float)


def _table(rows: _Rows, catalogue: Catalogue, today: date | None) -> PriceTable:
    assumed: set[str] = set()

    def accelerator(text: str) -> str:
        if not text:
            return ""
        try:
            found = catalogue.resolve(text)
        except UnknownNameError as error:
            raise ValueError(str(error)) from error
        if found.count is not None:
            raise ValueError(
                f"{shown(text)} carries a count; write {found.accelerator} here and {found.count} as accelerator_count"
            )
        if found.assumed is not None:
            assumed.add(f"{shown(text)} in the price table is taken as {found.accelerator}")
        return found.accelerator

    texts = {
        "provider": rows.read("provider", cells.provider, ""),
        "instance_type": rows.read(
            "instance_type", cells.text_of("the seller's name of the instance", most=200, required=True), ""
        ),
        "region": rows.read("region", lambda t: cells.text_of("a region", most=100)(t) or "global", "global"),
        "accelerator": rows.read("accelerator", accelerator, ""),
        "purchase": rows.read("purchase", cells.one_of(PURCHASES, "on_demand"), "on_demand"),
        "evidence": rows.read("evidence", cells.one_of(EVIDENCE, "quote"), "quote"),
        "source": rows.read("source", cells.text_of("a source"), ""),
        "notes": rows.read("notes", cells.text_of("notes"), ""),
        "availability": rows.read("availability", cells.one_of(AVAILABILITY, "available"), "available"),
        "plan": rows.read("plan", cells.text_of("a plan", most=60), ""),
    }
    vendors = rows.read("accelerator_vendor", str.lower, "")
    counts = rows.read("accelerator_count", cells.count, 0)
    no_sizes: tuple[int, ...] = ()
    sizes = rows.read("sizes", cells.sizes_of, no_sizes)
    terms = rows.read("term_months", cells.term, NO_TERM)
    prices = _prices(rows)
    observed = rows.read("observed_on", cells.day_of(today), UNDATED)

    vendor_of = {name: chip.vendor for name, chip in catalogue.accelerators.items()} | {"": ""}
    for i, (name, vendor) in enumerate(zip(texts["accelerator"], vendors, strict=True)):
        if vendor and vendor != vendor_of[name]:
            rows.fault(
                i,
                "accelerator_vendor",
                f"{shown(vendor)} does not make {name or 'a blank accelerator'}; write {vendor_of[name] or 'nothing'}",
            )
    texts["accelerator_vendor"] = [vendor_of[name] for name in texts["accelerator"]]
    for i, (name, count, size) in enumerate(zip(texts["accelerator"], counts, sizes, strict=True)):
        if bool(name) != bool(count):
            rows.fault(
                i,
                "accelerator_count",
                f"'{count}' does not go with accelerator {shown(name)}; an "
                "instance with accelerators has a count of at least 1, one without has a blank "
                "accelerator and 0",
            )
        elif size and not count:
            rows.fault(i, "sizes", "sizes need an accelerator")
    for i in np.flatnonzero(np.isnan(prices)).tolist():
        if texts["availability"][i] != "withdrawn" and not rows.faults:
            rows.fault(
                i,
                "price_usd_per_hour",
                "is blank, and an unknown price is no row at all; only a "
                "row with availability 'withdrawn' has no price",
            )
    if rows.faults:
        raise PriceFileError(rows.faults[:MOST_FAULTS])

    columns = Columns(
        words={name: Words.of(texts[name]) for name in TEXT},
        count=np.array(counts, np.int64),
        term=np.array(terms, np.int32),
        price=prices,
        observed=np.array(observed, np.int32),
        accelerator_memory=_amounts(rows, "accelerator_memory_gib"),
        vcpus=_amounts(rows, "vcpus"),
        memory=_amounts(rows, "memory_gib"),
        row=np.arange(rows.size, dtype=np.int64),
        sized=np.array([bool(size) for size in sizes]),
    )
    digest = hashlib.sha256()
    for name in TEXT:
        digest.update("\n".join(texts[name]).encode())
    for array in (columns.count, columns.term, columns.price, columns.observed):
        digest.update(array.tobytes())
    digest.update(repr([size for size in sizes if size]).encode())
    columns = refuse_conflicts(_expanded(columns, sizes), rows.where)
    return PriceTable(columns, rows.size, digest.hexdigest(), assumptions=tuple(sorted(assumed)))


def _expanded(columns: Columns, sizes: Sequence[tuple[int, ...]]) -> Columns:
    """Make one row per size: price × size / accelerator_count."""
    if not any(sizes):
        return columns
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
