"""The rows of a CSV or Parquet file as texts, one after the other, whatever the size of the file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pricing.errors import InvalidInputError, shown
from pricing.sources.own_parquet import PARQUET, parquet_text

MOST_LINE = 1_000_000
# Rows of a Parquet file that are held at once.
PORTION = 10_000
# A text, or several where a Parquet column holds lists.
Cell = str | tuple[str, ...]


@dataclass(frozen=True)
class CsvRows:
    """A CSV file in UTF-8 with a heading."""

    path: Path
    columns: list[str]
    line_word = "line"

    def read(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row below the heading with the line on which it begins; blank lines are passed over."""
        with _opened(self.path) as file:
            rows = csv.reader(_lines(file, self.path.name), strict=True)
            width = len(self.columns)
            begins = 1
            try:
                for row in rows:
                    if row and begins > 1:
                        if len(row) != width:
                            raise _wrong_width(self.path.name, begins, len(row), width)
                        yield begins, row
                    begins = rows.line_num + 1
            except csv.Error as error:
                raise _not_csv(self.path.name, begins, error) from error


@dataclass(frozen=True)
class ParquetRows:
    """A Parquet file; numbers, dates and yes or no become the texts that a CSV file would have."""

    path: Path
    columns: list[str]
    line_word = "row"

    def read(self) -> Iterator[tuple[int, tuple[Cell, ...]]]:
        """Yield each row with its number, from 1."""
        import polars as pl  # noqa: PLC0415 (slow to load, and needed for Parquet alone)

        frame = pl.scan_parquet(self.path)
        start = 0
        while True:
            try:
                part = frame.slice(start, PORTION).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise _not_parquet(self.path.name, error) from error
            columns = [list(map(_cell, column.to_list())) for column in part.get_columns()]
            yield from enumerate(zip(*columns, strict=True), start + 1)
            start += part.height
            if part.height < PORTION:
                return


def open_rows(path: Path) -> CsvRows | ParquetRows:
    """Read the heading of a CSV or Parquet file, told apart by content; InvalidInputError where it can't be read."""
    name = path.name
    try:
        with path.open("rb") as raw:
            begin = raw.read(4)
    except OSError as error:
        raise InvalidInputError.at((name,), f"{path}: can't be read ({error.strerror or error})") from error
    if begin == PARQUET:
        return ParquetRows(path, parquet_columns(path))
    if begin[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidInputError.at((name,), f"{name}: is UTF-16; save it as CSV in UTF-8")
    if begin == b"PK\x03\x04":
        raise InvalidInputError.at((name,), f"{name}: is a spreadsheet or zip file; save it as CSV or Parquet")
    with _opened(path) as file:
        try:
            heading = next(csv.reader(_lines(file, name), strict=True), None)
        except csv.Error as error:
            raise _not_csv(name, 1, error) from error
    if not heading:
        raise InvalidInputError.at((name,), f"{name}: is empty; the first line is the heading, such as unit,m")
    if len(heading) == 1 and any(sign in heading[0] for sign in ";\t"):
        sign = next(sign for sign in ";\t" if sign in heading[0])
        raise InvalidInputError.at(
            (name, 1), f"{name} line 1: the columns are separated by {shown(sign)}; save the file with commas"
        )
    return CsvRows(path, heading)


def parquet_columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns; InvalidInputError where it can't be read."""
    import polars as pl  # noqa: PLC0415 (slow to load, and needed for Parquet alone)

    try:
        return pl.scan_parquet(path).collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _not_parquet(path.name, error) from error


def _cell(value: Any) -> Cell:
    return tuple(map(parquet_text, value)) if isinstance(value, list) else parquet_text(value)


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", newline="")


def _lines(file: TextIO, name: str) -> Iterable[str]:
    """Yield the lines of a file, none longer than MOST_LINE."""
    number = 0
    try:
        while line := file.readline(MOST_LINE):
            number += 1
            if len(line) == MOST_LINE:
                raise InvalidInputError.at(
                    (name, number), f"{name} line {number}: is longer than {MOST_LINE:,} characters"
                )
            yield line
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        number = _first_undecodable(file)
        raise InvalidInputError.at(
            (name, number), f"{name} line {number}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"
        ) from error


def _first_undecodable(file: TextIO) -> int:
    """Return the number of the line; text is decoded many lines at a time, so that it is looked for anew."""
    file.buffer.seek(0)
    for number, line in enumerate(file.buffer, 1):
        try:
            line.decode("utf-8-sig")
        except UnicodeDecodeError:
            return number
    raise AssertionError("a line can't be decoded")


def _wrong_width(name: str, line: int, cells: int, width: int) -> InvalidInputError:
    return InvalidInputError.at(
        (name, line),
        f"{name} line {line}: {cells} cells, but the heading has {width}; a cell with a comma in it needs quotes "
        "around it",
    )


def _not_csv(name: str, line: int, error: csv.Error) -> InvalidInputError:
    return InvalidInputError.at((name, line), f"{name} line {line}: not valid CSV ({error})")


def _not_parquet(name: str, error: Exception) -> InvalidInputError:
    return InvalidInputError.at((name,), f"{name}: is not a Parquet file that can be read ({str(error)[:200]})")
