"""From the bytes of an upload to a document that readers know: unpacked, as UTF-8, without the figures of requests."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import zlib
from dataclasses import replace
from typing import Any

import orjson

from pricing.benchmarks.values import broken, json_values
from pricing.errors import InvalidInputError, one_line
from pricing.sources.document import HEAD, MOST_RATIO, MOST_UNPACKED, Document
from pricing.wording import say

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Longer lists of plain values are figures of single requests.
MOST_VALUES = 200


def opened(document: Document) -> Document:
    """Return the document unpacked (gzip) and in UTF-8. InvalidInputError says what is wrong with one that can't be."""
    if document.head[:2] == _GZIP:
        document = _with(document, _unpacked(document), document.name.removesuffix(".gz"))
        if b"ustar" in document.head[257:265]:
            raise broken(document, "is a tar archive, which is not read; unpack it, or make a zip of the files")
    if document.head[:2] in _MARKS:
        try:
            text = document.read().decode(_MARKS[document.head[:2]])
        except UnicodeDecodeError as error:
            raise broken(document, say("starts as UTF-16, but byte {start} is none", start=error.start)) from error
        document = _with(document, text.encode("utf-8", "replace"), document.name)
    return document


def _with(document: Document, data: bytes, name: str) -> Document:
    return replace(document, name=name, open=lambda: io.BytesIO(data))


def _unpacked(document: Document) -> bytes:
    packed = document.read()
    most = min(MOST_UNPACKED, MOST_RATIO * len(packed))
    try:
        with gzip.open(io.BytesIO(packed)) as file:
            data = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise broken(document, say("is not a gzip file that can be read ({error})", error=one_line(error))) from error
    if len(data) > most:
        raise broken(document, say("would unpack to more than {most:,} bytes, which no such file has", most=most))
    return data


def without_requests(document: Document) -> Document | None:
    """Return a large JSON document without long lists, before which its names may stand; None if it is no such."""
    if len(document.head) < HEAD or document.head_text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        # NaN and Infinity become null, which readers take for unknown: what they stand for was never a rate.
        lines = [orjson.dumps(_short(value)) for value in json_values(document)]
    except (InvalidInputError, TypeError, RecursionError):
        return None
    return _with(document, b"\n".join(lines), document.name)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        # What is short comes first, so that it stands in the head.
        parts = {name: _short(part) for name, part in value.items()}
        return dict(sorted(parts.items(), key=lambda pair: isinstance(pair[1], (dict, list))))
    if isinstance(value, list):
        plain = len(value) > MOST_VALUES and not any(isinstance(part, dict) for part in value)
        return [] if plain else [_short(part) for part in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return math.inf if value > 0 else -math.inf
    return value


def what_is_wrong(document: Document) -> str | None:
    """Say why a document that no reader recognises can't be one; None if nothing is known of it."""
    head, line = document.head, document.first_line
    if not head.strip():
        return "is empty"
    if head[:4] == _ZIP:
        return say("is a zip inside a zip (or a spreadsheet), which is not read; unpack it, or save it as CSV")
    if b"\0" in head:
        return say("is binary, or text in an encoding without a byte order mark; save it as UTF-8")
    if head.lstrip()[:1] in (b"{", b"["):
        try:
            json_values(document)
        except InvalidInputError as error:
            return error.faults[0].msg.removeprefix(f"{document.name}: ")
        return None
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if sign in line and line.count(sign) > line.count(","):
            return say(
                "has columns parted by {name}; save it as CSV with commas, and numbers with a dot for decimals",
                name=name,
            )
    names = {cell.strip().strip('"').lower() for cell in line.split(",")}
    if "rtf" in names:
        return say(
            "has a column rtf, which has two readings (some write the inverse so); name it rtfx and give "
            "seconds of audio per second of work"
        )
    if line.startswith("#") and "," in document.head_text.partition("\n")[2].partition("\n")[0]:
        return say("starts with a comment; a table's first line has to be its headings")
    if "price_usd_per_hour" in names:
        return say("is a table of prices, not of a benchmark; give it as a price table")
    return None
