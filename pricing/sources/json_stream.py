"""Streaming of JSON that is too large to be held: of AWS gigabytes, of a benchmark the records of single requests.

Numbers are read as doubles. Read as they stand, a whole number of more than 4,300 digits ends the process: Python
refuses to make one, and ijson 3.6 in C goes on with nothing in its place. As doubles, whole numbers beyond 64 bits are
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import ijson

from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.wording import say

Builder = ijson.ObjectBuilder
BrokenJsonError = ijson.JSONError


def items(file: BinaryIO, prefix: str) -> Iterator[Any]:
    """Go through the values at a prefix, such as products.item. BrokenJsonError where the file is not whole JSON."""
    yield from ijson.items(file, prefix, use_float=True)


def members(file: BinaryIO, prefix: str) -> Iterator[tuple[str, Any]]:
    """Go through names and values of the object at a prefix. BrokenJsonError where the file is not whole JSON."""
    yield from ijson.kvitems(file, prefix, use_float=True)


def events(file: BinaryIO, *, several: bool = False) -> Iterator[tuple[str, str, Any]]:
    """Go through prefix, event and value; `several`: of values that follow each other. BrokenJsonError as above."""
    yield from ijson.parse(file, use_float=True, multiple_values=several)


@contextmanager
def opened(document: Document) -> Iterator[BinaryIO]:
    """Open a file of prices. PriceFileError where it turns out not to be whole JSON."""
    try:
        with document.open() as file:
            yield file
    except BrokenJsonError as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is not whole JSON ({error})", name=document.name, error=one_line(error))
        ) from error
