"""The question: what a user may say (`QuestionIn`), and what it means (`Question`).

`reading` turns links, forms, JSON and command lines into questions; `parameters` names the
parameters and writes links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
)

from pricing import notation
from pricing.comparability import ACCEPTED
from pricing.currency import ExchangeRate
from pricing.curves import Target
from pricing.errors import near_matches, shown
from pricing.filters import identifier
from pricing.market import PriceTable
from pricing.measurements import LATENCIES, Measurement, Rate, from_repeats, single, with_spread
from pricing.numbers import read_day, read_utilization
from pricing.offers import PURCHASES
from pricing.units import RATE_FIELDS, UNITS, Unit
from pricing.wording import say

MOST_LABEL = 200
DEFAULT_LIMIT = 50
MOST_LIMIT = 1000
MOST_OFFSET = 10_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one question may hold; each is a setting of the server."""

    measurements: int = 200
    offers: int = 20_000


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the reader of an answer should know: a fixed code, a sentence, and whether it forbids a ranking."""

    code: str
    message: str
    blocking: bool = False


def _rate(value: object) -> Rate:
    """Read a rate in JSON: a number, a list of repeats, or {"value", "plus_minus"}."""
    if isinstance(value, Rate):
        return value
    if isinstance(value, list):
        if len(value) > notation.MOST_REPEATS:
            raise ValueError(
                say(
                    "{number:,} repeats are more than the {most_repeats:,} allowed",
                    number=len(value),
                    most_repeats=notation.MOST_REPEATS,
                )
            )
        return from_repeats([_json_number(item) for item in value])
    if isinstance(value, dict):
        if set(value) != {"value", "plus_minus"}:
            raise ValueError(say('a rate with a spread is {{"value": 5200, "plus_minus": 150}}'))
        return with_spread(_json_number(value["value"]), _json_number(value["plus_minus"]))
    return single(_json_number(value))


def _json_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(
            say(
                '{value} is not a rate; give a number, a list of repeats, or {{"value": 5200, "plus_minus": 150}}',
                value=shown(value),
            )
        )
    try:
        return float(value)
    except OverflowError:
        raise ValueError(say("the number is too large")) from None


def _share(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(say("{value} is not a share; write a number above 0 and at most 1", value=shown(value)))
    share = read_utilization(value) if isinstance(value, str) else value
    if isinstance(share, (int, float)) and share > 1:
        raise ValueError(
            say("{value} should be less than or equal to 1; half is written 0.5 or 50%", value=shown(value))
        )
    return share


def _day(value: object) -> object:
    """Take only YYYY-MM-DD for a date: a number of seconds is not one."""
    if isinstance(value, str):
        return read_day(value)
    if isinstance(value, (int, float)):
        raise ValueError(say("{value} is not a date; write YYYY-MM-DD as text", value=shown(value)))
    return value


def _not_tiny(value: float) -> float:
    if value < LEAST_SHARE:
        raise ValueError(
            say(
                "{value:g} is below {least_share:g}, the least share that is taken",
                value=value,
                least_share=LEAST_SHARE,
            )
        )
    return value


def _rate_field(value: str) -> str:
    if value not in RATE_FIELDS:
        raise ValueError(
            say(
                "{value} is not a rate field; they are {rate_fields}.",
                value=shown(value),
                rate_fields=", ".join(RATE_FIELDS),
            )
            + near_matches(value, RATE_FIELDS)
        )
    return value


def _few(value: object) -> object:
    """Refuse more kinds of rate than there are before each is looked at."""
    if isinstance(value, dict) and len(value) > 10 * len(RATE_FIELDS):
        raise ValueError(
            say(
                "{number:,} kinds of rate can't be; they are {rate_fields}.",
                number=len(value),
                rate_fields=", ".join(RATE_FIELDS),
            )
        )
    return value


def _latency_name(value: str) -> str:
    if value not in LATENCIES:
        raise ValueError(
            say("{value} is not a latency; they are {latencies}.", value=shown(value), latencies=", ".join(LATENCIES))
            + near_matches(value, LATENCIES)
        )
    return value


def _many(value: object) -> object:
    """Take one value for a list of one."""
    return [value] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else value


Text = Annotated[str, StringConstraints(max_length=MOST_LABEL, pattern=r"^[^\x00-\x1f\x7f]*$")]
Label = Annotated[str, StringConstraints(max_length=MOST_LABEL, pattern=r"^[^\x00-\x1f\x7f@]*$")]
LongText = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
RateIn = Annotated[
    Rate,
    PlainValidator(_rate),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 2},
                {
                    "type": "object",
                    "properties": {"value": {"type": "number"}, "plus_minus": {"type": "number"}},
                    "required": ["value", "plus_minus"],
                    "additionalProperties": False,
                },
            ],
            "description": "Units per second: one number, repeats of one measurement, or a 95 % interval.",
        }
    ),
]
# Below this no cost of any price is a number that means something.
LEAST_SHARE = 1e-9
Share = Annotated[float, BeforeValidator(_share), Field(gt=0, le=1, allow_inf_nan=False), AfterValidator(_not_tiny)]
Names = Annotated[tuple[Text, ...], BeforeValidator(_many), Field(max_length=200)]
Count = Annotated[int, Field(ge=1, le=100_000, strict=True)]
Amount = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]


class StrictModel(BaseModel):
    """Base of all input models: no unknown field, no surrounding blanks."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class MeasurementIn(StrictModel):
    """A throughput and the hardware that it was measured on."""

    label: Label | None = Field(None, description="Name in the answer; the hardware if absent.")
    hardware: Text | None = Field(
        None,
        description="ACCELERATOR[:COUNT] or PROVIDER/INSTANCE_TYPE[:COUNT], in place of the next four.",
    )
    accelerator: Text | None = Field(None, description="Canonical name or alias, such as H100-SXM.")
    accelerator_count: Count | None = Field(None, description="How many it was measured on.")
    provider: Text | None = Field(None, description="With instance_type, in place of accelerator.")
    instance_type: Text | None = Field(None, description="The provider's name of the instance.")
    rates: Annotated[dict[Annotated[str, BeforeValidator(_rate_field)], RateIn], BeforeValidator(_few)] = Field(
        min_length=1, description="Rate field to units per second."
    )
    success_rate: Share = Field(1.0, description="Share of requests that succeeded, 0 < s <= 1.")
    rates_count: Literal["attempted", "successful"] = Field(
        "attempted", description="Whether the rates count all work or only work that succeeded."
    )
    stack: Text | None = Field(None, description="Software and version, such as vLLM 0.11.")
    model: Text | None = Field(None, description="Model that ran.")
    precision: Text | None = Field(None, description="Number format, such as FP8.")
    input_tokens: Amount | None = Field(None, description="Mean input length in tokens.")
    output_tokens: Amount | None = Field(None, description="Mean output length in tokens.")
    latency: Text | None = Field(None, description="Latency point of the run, in words.")
    concurrency: Amount | None = Field(None, description="Requests or streams at once during the run.")
    curve: Text | None = Field(None, description="Name shared by the points of one configuration at several loads.")
    latency_seconds: dict[Annotated[str, BeforeValidator(_latency_name)], Amount] = Field(
        {}, description=f"Latencies in seconds: {', '.join(LATENCIES)}."
    )
    measured_on: Text | None = Field(None, description="Date of the run, or the PROVIDER/INSTANCE_TYPE it ran on.")
    evidence: Literal["measured", "published", "claimed", "assumed"] = Field(
        "measured", description="How the number is known."
    )
    source: LongText | None = Field(None, description="Who measured it, where it is written.")


def _identifiers(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(identifier, names))


class FiltersIn(StrictModel):
    """Which offers to compare; an absent filter means all."""

    provider: Names = Field((), description="Provider ids, such as aws.")
    region: Names = Field((), description="Regions as the provider names them.")
    area: Annotated[Names, AfterValidator(_identifiers)] = Field((), description="Areas: europe, north_america, …")
    purchase: Annotated[Names, AfterValidator(_identifiers)] = Field((), description=", ".join(PURCHASES))
    accelerator: Names = Field((), description="Names or families: H100 means all H100 variants.")
    vendor: Names = Field((), description="Makers of accelerators, such as nvidia.")
    term_months: Annotated[tuple[Count, ...], BeforeValidator(_many)] = Field(
        (), description="Terms of commitment in months."
    )
    max_price_usd_per_hour: Amount | None = Field(None, description="Of the whole instance.")
    max_accelerators: Count | None = Field(None, description="Of one instance.")
    max_age_days: Count | None = Field(None, description="Oldest prices to compare; own quotes always count.")


class QuestionIn(StrictModel):
    """What a user may ask; the fields are those of the contract."""

    unit: str = Field(description=", ".join(UNITS))
    measurements: tuple[MeasurementIn, ...] = Field(min_length=1, description="One or more; see below.")
    utilization: Share = Field(1.0, description="Share of paid time at the measured rate, 0 < u <= 1.")
    filters: FiltersIn = Field(FiltersIn(), description="Which offers to compare; see below.")
    include_unconfirmed: bool = Field(False, description="Also third-party prices nobody confirmed.")
    all_sizes: bool = Field(False, description="Every size of a row, not only the cheapest per unit.")
    offers: tuple[dict[str, Any], ...] = Field((), description="Own offers, in the price schema.")
    discounts: dict[Text, Annotated[float, BeforeValidator(_share), Field(gt=0, lt=1, allow_inf_nan=False)]] = Field(
        {}, description="Share off the list prices of a provider, by its id."
    )
    spot_loss: Annotated[float, BeforeValidator(_share), Field(ge=0, lt=1, allow_inf_nan=False)] = Field(
        0.0, description="Share of work that spot loses to interruptions."
    )
    currency: Text | None = Field(None, description="Also give costs in this currency, such as BRL.")
    exchange_rates: dict[Text, Amount] = Field({}, description="Your own rates, in units per USD, by currency.")
    owned: Names = Field((), description="NAME@ACCELERATOR:COUNT=capex:USD,years:N,kw:N,pue:N,kwh:USD,yearly:USD.")
    quotes: Names = Field((), description="PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR.")
    baseline: Text | None = Field(None, description="A label or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION…].")
    sort: Text = Field("cost_usd", description="A column; '-' before it for descending.")
    limit: Annotated[int, Field(ge=1, le=MOST_LIMIT, strict=True)] | None = Field(
        None, description=f"Estimates on a page, {DEFAULT_LIMIT} if absent."
    )
    offset: Annotated[int, Field(ge=0, le=MOST_OFFSET, strict=True)] = Field(0, description="Estimates to pass over.")
    slo: Names = Field((), description="Latency targets, such as ttft_p99<=0.5 or tokens_per_second_per_user>=40.")
    interpolate: bool = Field(False, description="Between measured points of a curve, along its Pareto front.")
    evidence: Annotated[tuple[Literal["measured", "published", "claimed", "assumed"], ...], BeforeValidator(_many)] = (
        Field((), description="Only measurements that are known in these ways.")
    )
    columns: Names = Field((), description="Columns to give, in this order; all if absent.")
    where: Names = Field((), description="Conditions on columns of the answer, such as cost_usd<=0.5.")
    accept: Names = Field(
        (), description=f"Differences that you know of, so that one ranking holds: {', '.join(ACCEPTED)}."
    )
    output_price_ratio: Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] | None = Field(
        None, description="What an output token is worth in input tokens, to split the cost of both."
    )
    table: Text | None = Field(None, description="Name of an uploaded table, which is joined with the one in use.")
    as_of: Annotated[date | None, BeforeValidator(_day)] = Field(
        None, description="Prices as seen on this date; today if absent."
    )


class PricesIn(QuestionIn):
    """A question that may do without a measurement: it asks for prices alone."""

    unit: str = "output_token"
    measurements: tuple[MeasurementIn, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question with every name resolved against the catalogue and the table."""

    unit: Unit
    measurements: tuple[Measurement, ...]
    utilization: float
    filters: FiltersIn
    accelerators: frozenset[str] | None
    include_unconfirmed: bool
    all_sizes: bool
    discounts: tuple[tuple[str, float], ...]
    spot_loss: float
    currency: ExchangeRate | None
    baseline: str | None
    sort: str
    limit: int | None
    offset: int
    as_of: date
    table: PriceTable
    targets: tuple[Target, ...]
    interpolate: bool
    evidence: frozenset[str]
    columns: tuple[str, ...]
    where: tuple[str, ...]
    accept: frozenset[str]
    output_price_ratio: float | None
    linkable: bool
    warnings: tuple[Warned, ...]
    written: Callable[[], Sequence[tuple[str, str]]] = field(repr=False, compare=False)

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The question as name-value pairs; reading them gives the same question again."""
        return tuple(self.written())


def too_many(what: str, given: int, most: int) -> str:
    """Say that a question holds more than it may."""
    return say(
        "{given:,} {what} are more than the {most:,} that one question may hold", given=given, what=what, most=most
    )
