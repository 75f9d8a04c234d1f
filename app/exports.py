"""Writers of JSON and CSV from columns. Numbers are written in full: nothing is rounded."""

from __future__ import annotations

import asyncio
import re
from collections import namedtuple
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import orjson

from pricing.columns import COLUMNS, Coded, Column, Rows, estimate_rows, picked
from pricing.compare import Answer
from pricing.estimates import NOT_TIED, Estimates
from pricing.question import Warned

CHUNK = 1000
FIRST_CHUNK = 50
# Bytes of small parts that are sent together: few at first, so that a reader has something soon.
FIRST_TURN, TURN = 1024, 64 * 1024
_QUOTED = re.compile(r'[",\r\n]')
# A text cell that begins so is run as a formula by spreadsheets (OWASP, CSV injection).
_FORMULA = re.compile(r" *[\t\r\n]|\s*[=+\-@＝＋－＠]")


def neutralised(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return "'" + text if _FORMULA.match(text) else text


def csv_text(text: str) -> str:
    """Write a text cell: formulas neutralised, quoted per RFC 4180 where needed."""
    text = neutralised(text)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def csv_cells(column: Column[Estimates], estimates: Estimates) -> list[str]:
    """Write one column's cells; unknown is an empty cell."""
    values = column.values(estimates)
    if isinstance(values, Coded):
        used, codes = np.unique(values.codes, return_inverse=True)
        written = np.array([csv_text(values.vocabulary[code]) for code in used.tolist()], object)
        cells: list[str] = written[codes].tolist()
        return cells
    if column.kind == "boolean":
        return ["" if v < NOT_TIED else "true" if v else "false" for v in values.tolist()]
    if column.kind == "whole" and values.dtype.kind != "i":
        return [
            "" if unknown else str(int(v))
            for v, unknown in zip(values.tolist(), np.isnan(values).tolist(), strict=True)
        ]
    array = np.ascontiguousarray(values)
    return orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].decode().replace("null", "").split(",")


def csv_lines(parts: Iterable[Estimates], columns_given: Sequence[Column[Estimates]] = COLUMNS) -> Iterator[bytes]:
    """Write the heading, then each part's rows when its turn comes; lines end in CRLF."""
    yield (",".join(column.name for column in columns_given) + "\r\n").encode()
    for part in parts:
        if len(part):
            columns = [csv_cells(column, part) for column in columns_given]
            lines = "\r\n".join(map(",".join, zip(*columns, strict=True)))
            yield (lines + "\r\n").encode()


def answer_csv(answer: Answer) -> Iterator[bytes]:
    """Write all rows of an answer, a few first so that the reader has something at once."""
    return csv_lines(answer.chunks(FIRST_CHUNK, CHUNK), picked(answer.question.columns))


async def in_turns(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Give the parts of a long answer as they are made, others being served between them; the first at once.

    A thread for each part, which is how plain iterators are sent, would do no more at a time under
    the interpreter's lock, and each change of threads would hold up all other answers.
    """
    waiting: list[bytes] = []
    size, enough = 0, 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= enough:
            yield b"".join(waiting)
            waiting.clear()
            size, enough = 0, min(max(FIRST_TURN, 2 * enough), TURN)
            await asyncio.sleep(0)
    if waiting:
        yield b"".join(waiting)


def page_rows(rows: Rows, columns: Sequence[Column[Rows]]) -> list[Any]:
    """Return rows as named tuples, which templates read faster than mappings."""
    kind = row_type(tuple(column.name for column in columns))
    return list(map(kind._make, zip(*(column.python(rows) for column in columns), strict=True)))


@cache
def row_type(names: tuple[str, ...]) -> Any:
    """Make the type of a row with these columns."""
    return namedtuple("Row", names)


def rows_of(rows: Rows, columns: Sequence[Column[Rows]]) -> list[dict[str, object]]:
    """Return rows as one mapping each, None for unknown."""
    names = [column.name for column in columns]
    values = [column.python(rows) for column in columns]
    # Every row has a value for each name: both come from the same columns.
    return [dict(zip(names, row)) for row in zip(*values, strict=True)]  # noqa: B905


def answer_dict(answer: Answer) -> dict[str, object]:
    """Return an answer in the shape of the contract."""
    return {
        "unit": answer.unit.id,
        "cost_unit": answer.unit.cost_unit,
        "as_of": answer.question.as_of,
        "total": answer.total,
        "limit": answer.limit,
        "offset": answer.offset,
        "estimates": _estimates(answer),
        "excluded": answer.excluded,
        "warnings": warning_dicts(answer.warnings),
        "comparability": answer.comparability,
        "baseline": answer.baseline,
        "prices": answer.prices,
        "currency": answer.question.currency,
    }


def _estimates(answer: Answer) -> list[dict[str, object]]:
    rows, names = estimate_rows(answer.page), answer.question.columns
    return [{name: row[name] for name in names} for row in rows] if names else rows


def warning_dicts(warnings: Iterable[Warned]) -> list[dict[str, str]]:
    """Return warnings in the shape of the contract; which of them block stands under comparability."""
    return [{"code": warned.code, "message": warned.message} for warned in warnings]


def answer_json(answer: Answer) -> bytes:
    """Write an answer as JSON."""
    return dumps(answer_dict(answer))


def dumps(value: object) -> bytes:
    """Write JSON: dataclasses and dates as they are, NaN as null."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def table_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Write a small table of mixed values as CSV under the same rules."""
    yield (",".join(header) + "\r\n").encode()
    for row in rows:
        yield (",".join(map(_cell, row)) + "\r\n").encode()


def _cell(value: object) -> str:
    write: Callable[[object], str] = str
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        write = repr
    elif not isinstance(value, int):
        return csv_text(str(value))
    return write(value)
