"""Tables in our own schema, taken as they are, so that several can be put together."""

from __future__ import annotations

import csv
import io
from datetime import date

from pricing.offers import OFFER_COLUMNS, REQUIRED_COLUMNS
from pricing.sources.document import Document
from pricing.sources.draft import Draft
from pricing.sources.own_schema import read_csv

NAME = "own_schema"
WHAT = "a price table in PerDollar's schema"


def recognises(document: Document) -> bool:
    """Whether all headings are ours, and those that are needed are there."""
    headings = {cell.strip() for cell in document.first_line.split(",")}
    return set(REQUIRED_COLUMNS) <= headings <= set(OFFER_COLUMNS)


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Take the rows as text. PriceFileError says every fault with the file's own lines.

    They are checked once more with all others when the table is made, where only what contradicts another
    file is left to be found.
    """
    data = document.read()
    read_csv(data, document.name, draft.catalogue, date.fromisoformat(draft.observed_on))
    for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True):
        draft.rows_read += 1
        draft.take({name.strip(): value for name, value in row.items()})
