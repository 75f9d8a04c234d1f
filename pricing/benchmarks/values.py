"""The values in a result file: JSON (also several in one file), and tables of CSV or Markdown.

Result files may hold hundreds of megabytes of figures of single requests, of which none is
needed. They are left out before the rest is parsed, so that memory and time stay small.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from pricing.errors import InvalidInputError, cause_of, one_line
from pricing.sources import json_stream
from pricing.sources.document import Document
from pricing.wording import say

# Larger files are read as a stream, without the records of single requests.
_MOST_WHOLE = 8 * 1024 * 1024
_RECORDS = (
    "requests", "request_samples", "per_request", "records", "generated_texts", "itls", "ttfts", "input_lens",
    "output_lens", "errors", "latencies", "samples_ns", "samples_ts",
)  # fmt: skip


def json_values(document: Document) -> list[Any]:
    """Return the JSON values of a file: one, or one after the other.

    NaN and Infinity, which some tools write, become nan and inf. InvalidInputError for what is no
    JSON, is nested too deeply, or ends in the middle.
    """
    with document.open() as file:
        large = file.seek(0, io.SEEK_END) > _MOST_WHOLE
    if large and (streamed := _streamed(document)):
        return streamed
    data = document.read().removeprefix(b"\xef\xbb\xbf")
    try:
        return [orjson.loads(data)]
    except orjson.JSONDecodeError:
        pass
    try:
        return list(_several(data.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise broken(document, say("byte {start} is not UTF-8", start=error.start)) from error
    except RecursionError as error:
        raise broken(document, "nested too deeply") from error
    except ValueError as error:
        raise broken(
            document, say("not whole JSON: {error}", error=cause_of(error).removeprefix("ValueError: "))
        ) from error


def each_of(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values, and those in an array one by one."""
    for value in values:
        yield from value if isinstance(value, list) else [value]


def broken(document: Document, what: str) -> InvalidInputError:
    """Return the error for a file that can't be read."""
    return InvalidInputError.at((document.name,), say("{name}: {what}", name=document.name, what=what))


def _several(text: str) -> Iterator[Any]:
    """Yield the values of a text that holds one after the other, by lines or not."""
    decoder = json.JSONDecoder(parse_constant=_constant)
    at, end = 0, len(text)
    found = False
    while True:
        while at < end and text[at] in " \t\r\n":
            at += 1
        if at == end:
            break
        value, at = decoder.raw_decode(text, at)
        found = True
        yield value
    if not found:
        raise ValueError(say("the file is empty"))


def _constant(name: str) -> float:
    return {"Infinity": math.inf, "-Infinity": -math.inf}.get(name, math.nan)


def _streamed(document: Document) -> list[Any]:
    """Read a large file without the records of single requests; nothing if it is not strict JSON."""
    values: list[Any] = []
    builder, skipping = json_stream.Builder(), ""
    try:
        with document.open() as file:
            for prefix, event, value in json_stream.events(file, several=True):
                if skipping:
                    if prefix == skipping and event in ("end_array", "end_map"):
                        skipping = ""
                        builder.event("null", None)
                    continue
                if event in ("start_array", "start_map") and prefix.rpartition(".")[2] in _RECORDS:
                    skipping = prefix
                    continue
                builder.event(event, value)
                if not prefix and event in ("end_array", "end_map"):
                    values.append(builder.value)
                    builder = json_stream.Builder()
    except json_stream.BrokenJsonError:
        # NaN, Infinity, or a file that is cut off: the slower reader knows the first two, and names the third.
        return []
    return values


def text_of(document: Document) -> str:
    """Return a file as text; what is not UTF-8 is replaced."""
    return document.read().decode("utf-8-sig", "replace")


def tables(document: Document) -> list[list[list[str]]]:
    """Return the CSV tables of a file, which blank lines part."""
    found: list[list[list[str]]] = [[]]
    try:
        for row in csv.reader(io.StringIO(text_of(document), newline="")):
            if any(cell.strip() for cell in row):
                found[-1].append([cell.strip() for cell in row])
            elif found[-1]:
                found.append([])
    except csv.Error as error:
        raise broken(document, say("not valid CSV: {error}", error=one_line(error))) from error
    return [table for table in found if table]


def records(table: list[list[str]]) -> list[dict[str, str]]:
    """Return the rows of a table by its headings. ValueError for a row that has more cells than the heading."""
    heading = table[0]
    for row in table[1:]:
        if any(row[len(heading) :]):
            raise ValueError(
                say(
                    "a row has {number} cells, but the heading {number_2}: {row}",
                    number=len(row),
                    number_2=len(heading),
                    row=",".join(row)[:80],
                )
            )
    return [dict(zip(heading, row, strict=False)) for row in table[1:]]
