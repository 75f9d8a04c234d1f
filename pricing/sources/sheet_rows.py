"""Rows of a sheet, from CSV in any separator and encoding that people save, or from XLSX."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pricing.errors import PriceFileError, cause_of, one_line, shown
from pricing.sources.document import MOST_RATIO, MOST_UNPACKED, Document
from pricing.sources.draft import Draft
from pricing.sources.headings import currency_of
from pricing.wording import say

# A title and notes may stand above the headings.
MOST_ABOVE = 25
# No table of prices is so wide; to look at each heading of a wider one would take long.
MOST_COLUMNS = 1000
# Headings that a message lists, and letters of each.
MOST_HEADINGS, MOST_SHOWN = 40, 60


def text_of(data: bytes) -> str:
    """Return text in UTF-8, UTF-16 with its mark, or Windows-1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A head may be cut inside a character; anything else is what older programs of Windows write.
        if error.start > len(data) - 4:
            return data[: error.start].decode("utf-8-sig", "replace")
        return data.decode("cp1252", "replace")


def rows_of(
    document: Document, draft: Draft, has_headings: Callable[[list[str]], bool]
) -> Iterator[tuple[int, list[object]]]:
    """Yield each row's number and its cells; of several sheets the first that has headings is read."""
    data = document.read()
    if data[:4] == b"PK\x03\x04":
        yield from _xlsx(document.name, data, draft, has_headings)
        return
    text = text_of(data)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:
        sign, text, above = first.strip()[4], rest, 1
    else:
        lines = text.split("\n", MOST_ABOVE)[:MOST_ABOVE]
        sign, above = max(",;\t|", key=lambda mark: max(line.count(mark) for line in lines)), 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num + above, list(row)
    except csv.Error as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: not valid CSV ({error})", name=document.name, error=one_line(error))
        ) from error


def _xlsx(
    name: str, data: bytes, draft: Draft, has_headings: Callable[[list[str]], bool]
) -> Iterator[tuple[int, list[object]]]:
    # Imported here: most files are CSV, and the package is slow to load.
    from openpyxl import load_workbook  # noqa: PLC0415

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_UNPACKED or size > MOST_RATIO * len(data):
            raise PriceFileError.at(
                (name,),
                say("{name}: would unpack to {size:,} bytes, which no list of quotes has", name=name, size=size),
            )
        sheets = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets
        with_rows = [sheet for sheet in sheets if any(map(has_headings, _first_rows(sheet)))]
        sheet = (with_rows or sheets)[0]
        if len(sheets) > 1:
            others = ", ".join(shown(other.title) for other in sheets if other is not sheet)
            draft.note(
                say(
                    "{name}: the sheet {title} is read; not read: {others}",
                    name=name,
                    title=shown(sheet.title),
                    others=others,
                )
            )
        for number, row in enumerate(sheet.iter_rows(), 1):
            cells = [_cell(cell) for cell in row]
            if any(cell not in (None, "") for cell in cells):
                yield number, cells
    except PriceFileError:
        raise
    except Exception as error:
        # The package raises whatever its parsers do; a broken file is a broken file.
        raise PriceFileError.at(
            (name,), say("{name}: is not a spreadsheet that can be read ({error})", name=name, error=cause_of(error))
        ) from error


def _cell(cell: object) -> object:
    """Return a cell's value; of an amount of money in another currency the format tells which."""
    value = getattr(cell, "value", None)
    money = currency_of(re.sub(r"\[\$([^\]-]*)[^\]]*\]", r"\1", str(getattr(cell, "number_format", "") or "")))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and money not in (None, "USD"):
        return f"{value!r} {money}"
    return value


def _first_rows(sheet: Any) -> Iterator[list[str]]:
    for row in sheet.iter_rows(max_row=MOST_ABOVE, values_only=True):
        yield [str(cell or "").strip() for cell in row]


def texts_of(cells: Sequence[object], name: str, line: int) -> list[str]:
    """Return what may be a line of headings as texts. PriceFileError if there are more than any table has."""
    texts = [str(cell or "").strip() for cell in cells]
    # A sheet may say that it goes on to the last column there is.
    while texts and not texts[-1]:
        texts.pop()
    if len(texts) > MOST_COLUMNS:
        raise PriceFileError.at(
            (name, line),
            say(
                "{name} line {line}: has {count:,} columns, more than {most:,}; leave out those without prices",
                name=name, line=line, count=len(texts), most=MOST_COLUMNS,
            ),
        )  # fmt: skip
    return texts


def some_of(headings: Iterable[str]) -> str:
    """List the first headings for a message, long ones cut."""
    named = [
        text if len(text) <= MOST_SHOWN and text.isprintable() else shown(text, MOST_SHOWN) for text in headings if text
    ]
    return ", ".join([*named[:MOST_HEADINGS], *(["…"] if len(named) > MOST_HEADINGS else [])])
