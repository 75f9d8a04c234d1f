"""The text of a price table in PerDollar's schema, as columns of cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from pricing.errors import PriceFileError, one_line
from pricing.offers import REQUIRED_COLUMNS
from pricing.wording import say


def decoded(data: bytes, name: str) -> str:
    """Decode UTF-8, with or without a mark; another encoding or a spreadsheet is refused."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise PriceFileError.at((name,), say("{name}: is UTF-16; save it as CSV in UTF-8", name=name))
    if data[:4] == b"PK\x03\x04":
        raise PriceFileError.at((name,), say("{name}: is a spreadsheet or zip file; save it as CSV", name=name))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PriceFileError.at(
            (name, line),
            say(
                "{name} line {line}: byte 0x{data:02x} is not UTF-8; save the file as UTF-8",
                name=name, line=line, data=data[error.start],
            ),
        ) from error  # fmt: skip


# Heading, columns, and the number of rows.
Parsed = tuple[list[str], Sequence[Sequence[str]], int]


def unquoted(text: str) -> Parsed | None:
    """Split a file without quotes, where every comma separates; None if it needs a real parser."""
    if '"' in text or "\r" in (lines := text.replace("\r\n", "\n").rstrip("\n")):
        return None
    header = lines.partition("\n")[0].split(",")
    signs = np.frombuffer(lines.encode() + b"\n", np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    # The parser bounds a cell, and both ways must give the same.
    if np.diff(ends, prepend=-1).max() > csv.field_size_limit():
        return None
    commas_before = np.searchsorted(np.flatnonzero(signs == ord(",")), ends)
    width = len(header)
    if width < 2 or (np.diff(commas_before, prepend=0) != width - 1).any():
        return None
    flat = lines.replace("\n", ",").split(",")
    return header, [flat[width + i :: width] for i in range(width)], len(flat) // width - 1


def parsed(text: str, name: str) -> Parsed:
    """Read the heading and the columns below it; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            needed = ",".join(REQUIRED_COLUMNS)
            raise PriceFileError.at(
                (name,), say("{name}: is empty; the first line must be {needed},…", name=name, needed=needed)
            )
        if not header:
            raise PriceFileError.at(
                (name, 1), say("{name} line 1: blank; the heading must be the first line", name=name)
            )
        columns: list[list[str]] = [[] for _ in header]
        size = 0
        # In portions, so that the rows of a large file need not all be held at once.
        while portion := list(islice(reader, 2000)):
            rows = [row for row in portion if row]
            for i, row in enumerate(rows):
                if len(row) != len(header):
                    line = next(islice(line_numbers(text), size + i, None))
                    raise PriceFileError.at(
                        (name, line),
                        say(
                            "{name} line {line}: {number} cells, but the heading has {number_2}; a cell with a comma "
                            "in it needs quotes around it",
                            name=name, line=line, number=len(row), number_2=len(header),
                        ),
                    )  # fmt: skip
            for column, part in zip(columns, zip(*rows, strict=True), strict=False):
                column.extend(part)
            size += len(rows)
    except csv.Error as error:
        raise PriceFileError.at(
            (name, reader.line_num),
            say(
                "{name} line {line_num}: not valid CSV ({error})",
                name=name,
                line_num=reader.line_num,
                error=one_line(error),
            ),
        ) from error
    return header, columns, size


def line_numbers(text: str) -> Iterator[int]:
    """Yield the line on which each row of the body begins; only needed for messages."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    next(reader)
    begins = reader.line_num + 1
    for row in reader:
        if row:
            yield begins
        begins = reader.line_num + 1
