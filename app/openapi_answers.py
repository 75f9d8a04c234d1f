"""Answers in JSON for the OpenAPI document, and the links from one answer to the next question."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from typing import Any, get_type_hints

from pydantic import BaseModel, Field, create_model

from app.openapi import FaultOut, row_model
from pricing.accelerators import Accelerator
from pricing.benchmarks.result import Measured
from pricing.browse import SCHEMA_COLUMNS
from pricing.changes import Change, Summary
from pricing.doubts import Doubt


def _of(kind: type, name: str, *left_out: str, **other: Any) -> type[BaseModel]:
    """Make the model of a dataclass as it is written: all its fields but some, `other` in another way."""
    hints = get_type_hints(kind)
    made: dict[str, Any] = {each.name: hints[each.name] for each in fields(kind) if each.name not in left_out}
    return create_model(name, __doc__=(kind.__doc__ or "").partition("\n")[0], **{**made, **other})


# Blank cells are left out of a receipt.
OfferOut = row_model("OfferOut", SCHEMA_COLUMNS, optional=True)
MeasuredOut = _of(Measured, "MeasuredOut", "doubts")
ChipOut = _of(
    Accelerator,
    "ChipOut",
    notes=(str | None, Field(description="What else the source says.")),
    slice_prefixes=(str | None, Field(description="Names whose -N suffix gives a slice's size, joined by |.")),
    aliases=(str | None, Field(description="Names that other tools use, joined by |.")),
    offers=(int, Field(description="Prices in force of what can be had.")),
    quote_only=(str | None, Field(description="Who sells it at a quoted price only, joined by |.")),
)


class LeftOutOut(BaseModel):
    """Rows of a file that gave no offer, for one reason."""

    reason: str = Field(description="A fixed code.")
    count: int = Field(description="How many rows.")
    example: str = Field(description="One of them.")


class ImportedOut(BaseModel):
    """What one file gave."""

    file: str = Field(description="Its name.")
    format: str = Field(description="The format that it was recognised as.")
    rows_read: int = Field(description="Rows in it.")
    offers: int = Field(description="Offers that they gave.")
    left_out: list[LeftOutOut] = Field(description="What gave none, and why.")
    notes: list[str] = Field(description="What else is to be known of it.")


class ImportOut(BaseModel):
    """What the uploaded price files gave."""

    files: list[ImportedOut] = Field(description="The files that were read.")
    failed: list[FaultOut] = Field(description="Those that could not be read.")
    doubts: list[Doubt] = Field(description="Prices that look wrong.")
    table: str = Field(description="The table's name for other questions, as long as the server keeps it.")
    offers: list[OfferOut] = Field(description="The offers.")  # type: ignore[valid-type]


class ResultsOut(BaseModel):
    """The runs in one result file."""

    file: str = Field(description="Its name.")
    format: str = Field(description="The tool that wrote it.")
    measurements: list[MeasuredOut] = Field(description="The runs.")  # type: ignore[valid-type]
    missing: list[str] = Field(description="What the file does not say.")
    warnings: list[str] = Field(description="What to know of it.")


class BenchmarksOut(BaseModel):
    """What the uploaded result files gave."""

    files: list[ResultsOut] = Field(description="The files that were read.")
    failed: list[FaultOut] = Field(description="What is wrong with those that could not be.")


class ChangesOut(BaseModel):
    """What changed in the prices."""

    since: date = Field(description="The earlier date.")
    as_of: date = Field(description="The later date.")
    total: int = Field(description="Changes found, on all pages.")
    limit: int = Field(description="Changes on a page.")
    offset: int = Field(description="Changes passed over.")
    providers: list[Summary] = Field(description="Counts by provider.")
    changes: list[Change] = Field(description="The page, the biggest moves first.")


class AcceleratorsOut(BaseModel):
    """The accelerators."""

    total: int = Field(description="How many.")
    accelerators: list[ChipOut] = Field(description="Their figures.")  # type: ignore[valid-type]


class AskedOut(BaseModel):
    """What a receipt answers."""

    kind: str = Field(description="compare, or the name of a decision.")
    question: list[list[str]] | dict[str, Any] = Field(description="The pairs of a link, or the body of a POST.")
    as_of: date = Field(description="The date whose prices are used.")


class ReceiptOut(BaseModel):
    """A receipt: it can be worked out again from nothing but itself."""

    receipt: int = Field(description="Version of this form.")
    formulas: int = Field(description="Version of the formulas.")
    asked: AskedOut = Field(description="The question.")
    prices: list[OfferOut] = Field(description="The price rows behind the answer, without their blank cells.")  # type: ignore[valid-type]
    answer: dict[str, Any] = Field(description="The answer, as its own address gives it.")
    sha256: str = Field(description="Hash of all the rest: JSON with sorted keys and no blanks, in UTF-8.")


class HealthOut(BaseModel):
    """The server's state."""

    status: str = Field(description="ok.")
    price_rows: int = Field(description="Rows of the price table in use.")
    prices_sha256: str = Field(description="Hash of their content.")


MODELS = (ImportOut, BenchmarksOut, ChangesOut, AcceleratorsOut, ReceiptOut, HealthOut)
