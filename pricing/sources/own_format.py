"""Tables in our own schema, taken as they are, so that several can be put together."""

from __future__ import annotations

import csv
import io

from pricing.offers import OFFER_COLUMNS, REQUIRED_COLUMNS
from pricing.sources.document import Document
from pricing.sources.draft import Draft
from pricing.wording import say

NAME = "own_schema"
WHAT = "a price table in PerDollar's schema"


def recognises(document: Document) -> bool:
    """Whether all headings are ours, and those that are needed are there."""
    headings = {cell.strip() for cell in document.first_line.split(",")}
    return set(REQUIRED_COLUMNS) <= headings <= set(OFFER_COLUMNS)


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Take the rows as text; they are checked with all others when the table is made."""
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as text:
        for row in csv.DictReader(text, strict=True):
            draft.rows_read += 1
            if None in row or None in row.values():
                draft.leave_out(
                    "unreadable",
                    say("row {rows_read}: another number of cells than the heading", rows_read=draft.rows_read),
                )
            else:
                draft.take({name.strip(): value for name, value in row.items()})
