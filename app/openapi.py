"""What /docs and /openapi.json say: parameters, answers and examples, from the registries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from pydantic import BaseModel, Field, create_model

from app.openapi_parts import Schema, value_of
from pricing.browse import PRICE_COLUMNS
from pricing.changes import DEFAULT_CHANGES, KINDS, MOST_CHANGES
from pricing.columns import COLUMNS, Column
from pricing.measurements import LATENCIES
from pricing.offers import AVAILABILITY, EVIDENCE, PURCHASES
from pricing.parameters import DETAILS
from pricing.question import DEFAULT_LIMIT, MOST_LIMIT, MeasurementIn
from pricing.units import UNITS

# name: (description, example, whether it may be given several times)
COMPARE_DOCS: dict[str, tuple[str, str, bool]] = {
    "unit": (f"What is counted: {', '.join(UNITS)}.", "output_token", False),
    "m": (
        "A measurement, [LABEL@]HARDWARE=RATE. HARDWARE is ACCELERATOR[:COUNT] or "
        "PROVIDER/INSTANCE_TYPE[:COUNT]; RATE "
        "is a number in the unit per second, or key:number pairs joined by commas; a number may have a spread "
        "(5200~150, 5200~3%) or be repeats (5200/5150/5300).",
        "H100-SXM:8=5200",
        True,
    ),
    "utilization": ("Share of paid time at the measured rate, 0 < u <= 1; 50% is accepted.", "0.7", False),
    "provider": ("Only these providers.", "aws", True),
    "region": ("Only these regions, as the provider names them.", "us-east-1", True),
    "area": ("Only regions in these areas.", "europe", True),
    "purchase": (f"Only these purchase options: {', '.join(PURCHASES)}.", "on_demand", True),
    "accelerator": ("Only these accelerators; a family such as H100 means all its variants.", "H100", True),
    "vendor": ("Only accelerators of these makers.", "nvidia", True),
    "term_months": ("Only commitments of this many months.", "12", True),
    "max_price_usd_per_hour": ("Only instances up to this price.", "100", False),
    "max_accelerators": ("Only instances up to this many accelerators.", "8", False),
    "max_age_days": ("Only prices seen at most so many days before as_of; own quotes always count.", "30", False),
    "spot_loss": ("Share of work that spot loses to interruptions.", "5%", False),
    "currency": ("Also give costs and prices in this currency, at a dated rate.", "BRL", False),
    "exchange_rate": ("Your own rate, CURRENCY=UNITS_PER_USD.", "BRL=5.43", True),
    "owned": (
        "A machine of your own, NAME@ACCELERATOR:COUNT=capex:USD,years:N,kw:N,pue:N,kwh:USD,yearly:USD; capex and "
        "years are needed.",
        "rack@H100-SXM:8=capex:280000,years:4,kw:10.2,pue:1.3,kwh:0.12,yearly:20000",
        True,
    ),
    "discount": ("Your discount at a provider, PROVIDER=SHARE; off its list prices.", "aws=12%", True),
    "quote": (
        "Your own price, PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR.",
        "aws/trn2.48xlarge@Trainium2:16=20",
        True,
    ),
    "slo": (
        "A latency target in seconds, such as ttft_p99<=0.5 or tpot_p50<=0.03, or tokens_per_second_per_user>=40: of "
        "each curve the point with the highest rate that meets all of them.",
        "ttft_p99<=0.5",
        True,
    ),
    "interpolate": ("1 goes between measured points of a curve, to where a target is reached.", "1", False),
    "evidence": ("Only measurements known in these ways: measured, published, claimed, assumed.", "measured", True),
    "columns": ("Columns to give, in this order, joined by commas; all if absent.", "provider,cost_usd", True),
    "where": (
        "Only estimates whose column meets a condition: COLUMN, one of <= >= < > = != ~ (contains), and a value or a "
        "range such as 2..8.",
        "cost_usd<=0.5",
        True,
    ),
    "accept": (
        "Differences of the measurements that you know of, so that one ranking holds: model, precision, input_tokens, "
        "output_tokens, lengths, all.",
        "model",
        True,
    ),
    "output_price_ratio": ("What an output token is worth in input tokens; splits the cost of both.", "4", False),
    "include_unconfirmed": ("1 shows third-party prices that nobody confirmed.", "1", False),
    "all_sizes": ("1 shows every size of a price, not only the smallest of the cheapest.", "1", False),
    "baseline": (
        "What the others are compared with: a measurement's label, or "
        "PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]].",
        "H100-SXM:8",
        False,
    ),
    "sort": ("A column of the answer, '-' before it for descending.", "cost_usd", False),
    "limit": (f"Estimates on a page, 1 to {MOST_LIMIT:,}; default {DEFAULT_LIMIT}, all for CSV.", "50", False),
    "offset": ("Estimates to pass over.", "0", False),
    "as_of": ("Prices as seen on this date (YYYY-MM-DD); ages count from it. Default today.", "2026-10-15", False),
    "table": ("Name of an uploaded table, which is joined with the one in use while the server keeps it.", "", False),
}
DETAIL_DOCS = {name: MeasurementIn.model_fields[name].description or "" for name in DETAILS} | {
    name: f"Latency in seconds: {name.replace('_', ', ')}." for name in LATENCIES
}
PRICES_DOCS: dict[str, tuple[str, str, bool]] = {
    "provider": ("Only these providers.", "aws", True),
    "instance_type": ("Only these instance types.", "trn1.32xlarge", True),
    "region": ("Only these regions.", "us-east-1", True),
    "area": ("Only regions in these areas.", "europe", True),
    "accelerator": ("Only these accelerators or families.", "H100", True),
    "vendor": ("Only accelerators of these makers.", "aws", True),
    "purchase": (f"Only these purchase options: {', '.join(PURCHASES)}.", "spot", True),
    "evidence": (f"Only prices known in these ways: {', '.join(EVIDENCE)}.", "list", True),
    "availability": (f"Only offers that are: {', '.join(AVAILABILITY)}.", "available", True),
    "include_unconfirmed": ("1 shows third-party prices that nobody confirmed.", "1", False),
    "history": ("1 shows all observations up to as_of, not only those in force.", "1", False),
    "as_of": ("Prices as seen on this date (YYYY-MM-DD). Default today.", "2026-10-15", False),
    "sort": ("A column of the answer, '-' before it for descending.", "-price_usd_per_hour", False),
    "limit": (f"Prices on a page, 1 to {MOST_LIMIT:,}; default {DEFAULT_LIMIT}, all for CSV.", "50", False),
    "offset": ("Prices to pass over.", "0", False),
    "table": ("Name of an uploaded table, which is joined with the one in use while the server keeps it.", "", False),
}
CHANGES_DOCS: dict[str, tuple[str, str, bool]] = {
    "since": ("Prices as seen on this date are compared; default 30 days before as_of.", "2026-10-01", False),
    "as_of": ("With prices as seen on this date; default today.", "2026-11-09", False),
    "provider": ("Only these providers.", "aws", True),
    "kind": (f"Only these changes: {', '.join(KINDS)}.", "dearer", True),
    "limit": (f"Changes on a page, 1 to {MOST_CHANGES:,}; default {DEFAULT_CHANGES}, all for CSV.", "100", False),
    "offset": ("Changes to pass over.", "0", False),
    "table": ("Name of an uploaded table; what it would change is told.", "", False),
}
ACCELERATOR_DOCS: dict[str, tuple[str, str, bool]] = {
    "vendor": ("Only these makers.", "aws", True),
    "family": ("Only these families.", "H100", True),
    "sort": ("A column of the answer, '-' before it for descending.", "-memory_gib", False),
}

_TYPES: dict[str, Any] = {"number": float, "whole": int, "text": str, "date": date, "boolean": bool}


def row_model(name: str, columns: tuple[Column[Any], ...], *, optional: bool = False) -> type[BaseModel]:
    """Make the model of a row; where `optional`, a row may have some of the columns only."""
    fields: dict[str, Any] = {
        column.name: (_TYPES[column.kind] | None, Field(None if optional else ..., description=column.doc))
        for column in columns
    }
    return create_model(name, **fields)


# A question may name the columns that it wants.
Estimate = row_model("Estimate", COLUMNS, optional=True)
Price = row_model("Price", PRICE_COLUMNS)


class ExcludedOut(BaseModel):
    """Pairs of offer and measurement that gave no estimate, for one reason."""

    reason: str = Field(description="A fixed code; the method page says what each means.")
    count: int = Field(description="How many pairs.")
    example: str = Field(description="One of them.")


class WarningOut(BaseModel):
    """Something to know about the answer."""

    code: str = Field(description="A fixed code.")
    message: str = Field(description="A sentence.")


class StatedByOut(BaseModel):
    """A value of a part of the basis and who states it."""

    value: str | float | None = Field(description="The value; null where it is not stated.")
    measurements: list[str] = Field(description="Labels of the measurements that state it.")


class DifferenceOut(BaseModel):
    """A part of the basis in which the compared measurements differ."""

    part: str = Field(description="model, precision, input_tokens, …")
    blocking: bool = Field(description="Whether it makes a ranking of all meaningless.")
    accepted: bool = Field(description="Whether you said that you know.")
    values: list[StatedByOut] = Field(description="Each value with its measurements.")


class PriceUsedOut(BaseModel):
    """A price that a decision rests on."""

    name: str = Field(description="The offer, or your price.")
    price_usd_per_hour: float = Field(description="USD per hour of the whole instance.")
    observed_on: date | None = Field(description="Date on which it was seen; null if not stated.")
    age_days: int | None = Field(description="Days from that date to as_of.")
    evidence: str = Field(description="list, survey, quote or third_party.")
    source: str | None = Field(description="Where it was seen.")
    stale: bool = Field(description="Whether it is old.")


class BaselineOut(BaseModel):
    """The estimate that the others are compared with."""

    name: str = Field(description="PROVIDER/INSTANCE_TYPE[:COUNT]/REGION/PURCHASE[/TERM_MONTHS].")
    measurement: str = Field(description="Label of its measurement.")
    price_usd_per_hour: float = Field(description="USD per hour of the whole instance.")
    rate_per_second: float = Field(description="Units per second that count.")
    cost_usd: float = Field(description="USD per quoted unit.")


class PricesOut(BaseModel):
    """The price rows behind the answer."""

    rows: int = Field(description="Rows of the table.")
    observed_from: date | None = Field(description="Date of the oldest price in force.")
    observed_to: date | None = Field(description="Date of the newest.")
    sha256: str = Field(description="Hash of the table's content.")


class CurrencyOut(BaseModel):
    """A dated exchange rate."""

    currency: str = Field(description="Its code.")
    per_usd: float = Field(description="Units of it for one USD.")
    on: date | None = Field(description="Date of the rate; null for your own.")
    source: str = Field(description="Who says so.")


class AnswerOut(BaseModel):
    """The answer to a question."""

    unit: str = Field(description="What is counted.")
    cost_unit: str = Field(description="What the costs are quoted for.")
    as_of: date = Field(description="The date whose prices are used.")
    total: int = Field(description="Estimates found, on all pages.")
    limit: int = Field(description="Estimates on a page.")
    offset: int = Field(description="Estimates passed over.")
    estimates: list[Estimate] = Field(description="The page.")  # type: ignore[valid-type]
    excluded: list[ExcludedOut] = Field(description="What gave no estimate: reason, count, example.")
    warnings: list[WarningOut] = Field(description="What to know: code, message.")
    comparability: list[DifferenceOut] = Field(description="In what the measurements differ.")
    baseline: BaselineOut | None = Field(description="What ratio_to_baseline compares with; null if nothing.")
    prices: PricesOut = Field(description="Rows, dates and hash of the price table.")
    currency: CurrencyOut | None = Field(description="The exchange rate of the columns in another currency.")


class PriceListOut(BaseModel):
    """Prices found in the table."""

    as_of: date = Field(description="The date whose prices are used.")
    total: int = Field(description="Prices found, on all pages.")
    limit: int = Field(description="Prices on a page.")
    offset: int = Field(description="Prices passed over.")
    prices: list[Price] = Field(description="The page.")  # type: ignore[valid-type]


class FaultOut(BaseModel):
    """One thing that is wrong in the input."""

    loc: list[str | int]
    msg: str


class ProblemOut(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FaultOut]


def parameters(
    docs: Mapping[str, tuple[str, str, bool]],
    required: Collection[str] = (),
    own: Mapping[str, Schema] | None = None,
) -> list[dict[str, Any]]:
    """Return OpenAPI parameters of a query; `own` says what those that this address alone has may hold."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": description,
            **_held(value_of(name, own or {}), example, several=several, required=name in required),
        }
        for name, (description, example, several) in docs.items()
    ]


_READ: dict[str, type] = {"integer": int, "number": float}


def _held(value: Schema, text: str, *, several: bool, required: bool) -> dict[str, Any]:
    """Describe what a parameter holds, with the example as such a value."""
    example = _READ.get(value["type"], str)(text) if text else ""
    if not several:
        return {"schema": value} | ({"example": example} if text else {})
    schema = {"type": "array", "items": value} | ({"minItems": 1} if required else {})
    return {"schema": schema} | ({"example": [example]} if text else {})


def upload(files: str, **fields: dict[str, Any]) -> dict[str, Any]:
    """Describe a form with files, and fields beside them."""
    file = {"type": "array", "items": {"type": "string", "format": "binary"}, "description": files}
    schema = {"type": "object", "required": ["file"], "properties": {"file": file, **fields}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def detail_parameters() -> list[dict[str, Any]]:
    """Return the parameters that say more about the first measurement; m2.… is the second's."""
    return [
        {
            "name": f"m1.{name}",
            "in": "query",
            "required": False,
            "description": f"Of the first measurement (m2.{name} of the second, …): {doc}",
            "schema": value_of(name, {}),
        }
        for name, doc in DETAIL_DOCS.items()
    ]


def compare_parameters() -> list[dict[str, Any]]:
    """Return the parameters of a comparison's links."""
    return [*parameters(COMPARE_DOCS, ("unit", "m")), *detail_parameters()]


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": description,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
    }
    for status, description in (
        (422, "The input can't be right; `errors` says where and what would be."),
        (413, "The input is too large."),
    )
}
STAYS: dict[int | str, dict[str, Any]] = {
    409: {**PROBLEMS[422], "description": "A price file can't be read; the table in use stays."}
}
TOO_LARGE: dict[int | str, dict[str, Any]] = {413: PROBLEMS[413]}
UNSUPPORTED: dict[int | str, dict[str, Any]] = {
    415: {**PROBLEMS[422], "description": "The body is of another type than those that are read here."}
}
EXAMPLE_BODY = {
    "unit": "output_token",
    "measurements": [
        {
            "label": "my H100 run",
            "accelerator": "H100-SXM",
            "accelerator_count": 8,
            "rates": {"output_tokens_per_second": [5200, 5150, 5300]},
            "model": "Llama-3.1-70B",
            "stack": "vLLM 0.11",
        },
        {"accelerator": "Trainium2", "accelerator_count": 16, "rates": {"output_tokens_per_second": 4100}},
    ],
    "filters": {"purchase": ["on_demand", "spot"]},
    "offers": [
        {
            "provider": "own",
            "instance_type": "rack 7",
            "accelerator": "H100-SXM",
            "accelerator_count": 8,
            "price_usd_per_hour": 14.5,
            "notes": "three years, power included",
        }
    ],
    "limit": 10,
}
