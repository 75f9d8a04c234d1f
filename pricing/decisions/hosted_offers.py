"""Hosted prices for a user's traffic: which are asked for, and what each charges for one unit."""

from __future__ import annotations

from dataclasses import dataclass

from pricing import hosted
from pricing.decisions.decision import Case
from pricing.decisions.inputs import InputsIn, NotNegative, Portion, Positive, Text, Whole, given
from pricing.decisions.sides import Side
from pricing.errors import InvalidInputError
from pricing.hosted import SpeechPrice, TokenPrice
from pricing.units import UNITS
from pricing.wording import listed, say

MOST_PRICES = 300
AUDIO = UNITS["audio_hour"]


class ApiPricesIn(InputsIn):
    """The hosted prices to compare with, and the traffic."""

    api: tuple[Text, ...] = given(
        (),
        "Hosted models",
        "PROVIDER/MODEL, a provider, or a part of a name, one or more. Needed for tokens; for audio blank is all.",
        "llama-3.3-70b",
    )
    machine: Text | None = given(
        None,
        "Your machine: price or offer",
        "USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]; blank is the cheapest offer of the "
        "measurement.",
        "aws/p5.48xlarge",
    )
    input_tokens: NotNegative | None = given(
        None,
        "Input tokens per request",
        "Cached ones included. Needed where only one rate is measured, and for prices with tiers or a fee per request.",
        "2048",
    )
    output_tokens: NotNegative | None = given(
        None, "Output tokens per request", "Needed where only one rate is measured.", "512"
    )
    cached_share: Portion = given(0.0, "Of the input, read from the cache", "Share of the input tokens.", "50%")
    clip_seconds: Positive | None = given(
        None,
        "Length of a clip",
        "Seconds of audio per request. Sellers round up, or have a minimum; blank leaves that out.",
        "7",
    )
    channels: Whole = given(
        1,
        "Channels of a recording",
        "Sellers that bill each channel charge so many times; your machine is taken to hear them mixed. Leave it at 1 "
        "if it hears each of them, too.",
        "2",
    )
    units_per_month: Positive | None = given(
        None, "Your volume", "Tokens, audio-hours or requests per month, in single units of what is counted.", "20M"
    )


# Tokens per second that no machine makes; what a rate may be at most has a thousandth of it.
MOST_FLOW = 1e18


@dataclass(frozen=True)
class Offered:
    """A hosted price for this traffic: USD per single unit, and what it charges for a machine's hour of work."""

    name: str
    mode: str | None
    usd_per_unit: float | None
    price: TokenPrice | SpeechPrice
    note: str


@dataclass(frozen=True)
class Flows:
    """Tokens per second of the machine at full load, replicas and failures counted."""

    input: float
    output: float


def flows_of(case: Case, own: Side) -> Flows | None:
    """Work out the machine's input and output tokens per second; None for audio. InvalidInputError if not known."""
    if case.question.unit is AUDIO:
        return None
    if case.question.unit is UNITS["trained_token"]:
        raise InvalidInputError.at(("unit",), say("hosted models sell inference, not training; choose another unit"))
    (measurement,) = case.question.measurements
    counted = measurement.rate_for(case.question.unit.rate_field)
    measured = {name: rate.value for name, rate in measurement.rates.items()}
    both = hosted.token_rates(measured, *lengths(case))
    if both is None or counted is None or own.rate is None:
        raise InvalidInputError.at(
            ("input_tokens",),
            say(
                "{label} has {kinds} alone, and an API charges input and output tokens apart: give both "
                "rates (in:21000,out:5200), or input_tokens and output_tokens of a request",
                label=measurement.label,
                kinds=measurement.kinds(),
            ),
        )
    scale = own.rate / counted.value
    flows = Flows(both[0] * scale, both[1] * scale)
    if not max(flows.input, flows.output) <= MOST_FLOW:
        raise InvalidInputError.at(
            ("input_tokens",),
            say("these input_tokens and output_tokens give more tokens per second than can be; check both lengths"),
        )
    return flows


def lengths(case: Case) -> tuple[float | None, float | None]:
    """Return the input and output tokens of a request, as given here or with the measurement."""
    inputs: ApiPricesIn = case.inputs
    (measurement,) = case.question.measurements
    into = measurement.input_tokens if inputs.input_tokens is None else inputs.input_tokens
    out = measurement.output_tokens if inputs.output_tokens is None else inputs.output_tokens
    return into, out


def offered_to(case: Case, flows: Flows | None, per_second: float) -> list[Offered]:
    """Return the hosted prices that are asked for, cheapest for this traffic first.

    `per_second`: single units that the machine makes per second at full load.
    """
    found = [
        _speech(price, case.inputs) if isinstance(price, SpeechPrice) else _tokens(price, case, flows, per_second)
        for price in _asked(case)
    ]
    return sorted(found, key=lambda each: (each.usd_per_unit is None, each.usd_per_unit or 0.0, each.name))


def _asked(case: Case) -> list[TokenPrice | SpeechPrice]:
    """Find the hosted prices to compare with; InvalidInputError where there are none, or too many."""
    inputs: ApiPricesIn = case.inputs
    unit, day = case.question.unit, case.question.as_of
    prices = hosted.speech_prices(day) if unit is AUDIO else hosted.token_prices(day)
    if not prices:
        raise InvalidInputError.at(("as_of",), say("no hosted price was seen by {day}; choose a later day", day=day))
    if not inputs.api:
        if unit is AUDIO:
            return list(prices)
        raise InvalidInputError.at(
            ("api",),
            say(
                "say which of the {number:,} hosted models to compare with, such as llama-3.3-70b or groq: "
                "the one that runs on your machine, or one as good",
                number=len(prices),
            ),
        )
    found: dict[tuple[str, str | None], TokenPrice | SpeechPrice] = {}
    for i, text in enumerate(inputs.api):
        try:
            found |= {(each.name, _mode(each)): each for each in hosted.named(prices, text)}
        except ValueError as error:
            raise InvalidInputError.at(("api", i), str(error)) from error
    if len(found) > MOST_PRICES:
        raise InvalidInputError.at(
            ("api",),
            say(
                "that names {number:,} hosted models, more than {most_prices}; write a longer part of a name",
                number=len(found),
                most_prices=MOST_PRICES,
            ),
        )
    return list(found.values())


def _mode(price: TokenPrice | SpeechPrice) -> str | None:
    return price.mode if isinstance(price, SpeechPrice) else None


def _tokens(price: TokenPrice, case: Case, flows: Flows | None, per_second: float) -> Offered:
    inputs: ApiPricesIn = case.inputs
    request = lengths(case)[0]
    usd = None
    if flows is not None:
        usd = hosted.usd_for_tokens(price, flows.input, flows.output, inputs.cached_share, request)
    notes: list[str] = []
    if price.usd_per_request and usd is None:
        notes.append(say("has a fee per request; give input_tokens to count it"))
    if price.input.tiers and request is None:
        notes.append(say("dearer for long inputs; give input_tokens to count that"))
    if inputs.cached_share and price.cached is None:
        notes.append(say("no lower price for cached input"))
    if inputs.cached_share and price.cache_writes:
        notes.append(say("writing to the cache costs extra, not counted"))
    if price.deprecated:
        notes.append(say("deprecated by the seller"))
    if price.by_time_of_day:
        notes.append(say("price at 12:00 UTC; it differs by time of day"))
    return Offered(price.name, None, None if usd is None else usd / per_second, price, listed(notes, "; "))


def _speech(price: SpeechPrice, inputs: ApiPricesIn) -> Offered:
    notes: list[str] = []
    rounds = price.billing_increment_seconds is not None or price.minimum_seconds is not None
    if inputs.clip_seconds is not None and not rounds:
        notes.append(say("rounding up not known, not counted"))
    if inputs.clip_seconds is None and rounds:
        notes.append(say("short clips are rounded up; give clip_seconds to count that"))
    if inputs.channels > 1 and price.channels is None:
        notes.append(say("billing of channels not known, counted once"))
    try:
        usd = price.usd_per_actual_hour(inputs.clip_seconds, inputs.channels)
    except ValueError as error:
        raise InvalidInputError.at(("clip_seconds",), str(error)) from error
    return Offered(price.name, price.mode, usd, price, listed(notes, "; "))
