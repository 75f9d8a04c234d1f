"""Tables for elsewhere: XLSX workbooks, tab-separated text and Markdown."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence

from app.exports import neutralised

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# The most that Excel takes in a cell.
MOST_TEXT = 32_767
# What can't stand in the XML of a workbook (XML 1.0, section 2.2); of line ends LF alone is kept as it is.
_NOT_XML = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Row = Sequence[object]


def xlsx(title: str, header: Sequence[str], rows: Iterable[Row], about: Iterable[tuple[str, str]]) -> bytes:
    """Write a workbook: the table on one sheet, and what was asked on a second.

    Text is written as text, whatever it begins with: no cell is a formula.
    """
    # Imported here: it is slow to load, and most servers never write a workbook.
    from openpyxl import Workbook  # noqa: PLC0415

    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name) for name in header])
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])
    second = book.create_sheet("about")
    for pair in about:
        second.append([_cell(second, text) for text in pair])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(sheet: object, value: object) -> object:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = _NOT_XML.sub("", str(value)[:MOST_TEXT])
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell


def tsv(header: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Write lines of cells between tabs, as a spreadsheet takes them from the clipboard; UTF-8, LF."""
    for row in (header, *rows):
        yield ("\t".join(map(_text, row)) + "\n").encode()


def markdown(header: Sequence[str], rows: Iterable[Row], right: Iterable[int]) -> Iterator[bytes]:
    """Write a table in GitHub's Markdown; the columns at the positions `right` are right-aligned."""
    aligned = set(right)
    marks = ["--:" if i in aligned else "---" for i in range(len(header))]
    for row in (header, marks, *rows):
        yield ("| " + " | ".join(_escaped(value) for value in row) + " |\n").encode()


def _escaped(value: object) -> str:
    text = " ".join(str("" if value is None else value).split())
    for sign in "\\|<>`*_[]&~":
        text = text.replace(sign, f"\\{sign}")
    return text


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    text = neutralised(" ".join(str(value).split()))
    # A quotation mark at the beginning would quote what follows, tabs and line ends with it.
    return f"'{text}" if text.startswith('"') else text
