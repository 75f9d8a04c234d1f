"""Importing of price files in any known format: recognised by content, read into our schema, with a report."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import ModuleType

from pricing.accelerators import Catalogue
from pricing.errors import InvalidInputError, PriceFileError, misread, near_matches, shown
from pricing.offers import OFFER_COLUMNS
from pricing.sources import (
    aws_capacity_blocks,
    aws_price_list,
    aws_savings_plans,
    azure_retail,
    gcp_billing,
    gpuhunt,
    oci_price_list,
    own_format,
    skypilot,
    spreadsheet,
    vantage,
    vultr,
)
from pricing.sources.document import Document
from pricing.sources.draft import Draft, LeftOut
from pricing.wording import listed, say, word

# Each module has NAME, WHAT (a sentence part for messages), recognises(document) and
# read(document, draft, provider). The first that recognises a document reads it.
_FORMULA = re.compile(r"[ ]*[=+\-@＝＋－＠]")
_BROKEN = (csv.Error, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, EOFError)
FORMATS: tuple[ModuleType, ...] = (
    own_format,
    skypilot,
    gpuhunt,
    aws_savings_plans,
    aws_capacity_blocks,
    aws_price_list,
    azure_retail,
    gcp_billing,
    oci_price_list,
    vantage,
    vultr,
    spreadsheet,
)
# What each packer writes first; of packed files only zip archives are read.
PACKED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True, slots=True)
class Imported:
    """What one file gave: its format, rows in our schema, how many rows it had, and what was left out."""

    name: str
    format: str
    rows: tuple[dict[str, object], ...]
    rows_read: int
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()


def format_of(document: Document) -> ModuleType:
    """Return the format that recognises a document; PriceFileError says what would be."""
    for magic, program in PACKED.items():
        if document.head.startswith(magic):
            # Its bytes may by chance look like text with commas.
            raise PriceFileError.at(
                (document.name,),
                say("{name}: is packed with {program}; unpack it first", name=document.name, program=program),
            )
    for module in FORMATS:
        if module.recognises(document):
            return module
    known = listed(word(module.WHAT) for module in FORMATS)
    raise PriceFileError.at(
        (document.name,),
        say("{name}: is in no format that is known; these are {known}", name=document.name, known=known),
    )


def import_document(
    document: Document,
    catalogue: Catalogue,
    today: date,
    provider: str | None = None,
    options: Mapping[str, str] | None = None,
    source: str = "",
    *,
    dated: bool = False,
) -> Imported:
    """Read one file. PriceFileError if nothing in it can be read; single rows are left out, and counted.

    The prices are taken as seen on `today`, the day on which the file was made, where it does not
    say better; unless that day is known (`dated`), the source says that the date is an estimate.
    `source` is where it came from, by default its name.
    """
    module = format_of(document)
    source = source or f"{module.WHAT}, {document.name}"
    draft = Draft(catalogue, str(module.NAME), source=source, observed_on=today.isoformat(), dated=dated)
    draft.options = dict(options or {})
    try:
        module.read(document, draft, provider)
    except InvalidInputError:
        raise
    except _BROKEN as error:
        # A file may be broken in more ways than a reader foresees; none of them is the program's fault.
        raise PriceFileError([misread(document.name, module.WHAT, error)]) from error
    return Imported(
        document.name, draft.format, tuple(draft.rows()), draft.rows_read, draft.left_out, tuple(draft.notes)
    )


def options_of(mapping: Iterable[str], decimal: str | None) -> dict[str, str]:
    """Read the options of a spreadsheet: which heading is which column, and its decimal sign."""
    options = {"decimal": decimal} if decimal else {}
    for text in mapping:
        column, equals, heading = text.partition("=")
        if not equals or column.strip() not in spreadsheet.MAPPED:
            known = spreadsheet.MAPPED
            raise InvalidInputError.at(
                ("map",),
                say("{text} is not COLUMN=HEADING with a column of a price table.", text=shown(text))
                + near_matches(column, known),
            )
        options[column.strip()] = heading.strip()
    return options


def table_text(rows: Iterable[dict[str, object]], columns: Sequence[str] = OFFER_COLUMNS) -> str:
    """Write rows of the schema as a price table in CSV; None is a blank cell."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="raise")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _plain(value: object) -> object:
    """Return a cell; a text that a spreadsheet would run as a formula gets an apostrophe, which reading takes away."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
