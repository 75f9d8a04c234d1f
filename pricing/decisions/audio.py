"""What does an hour of audio cost? From RTFx, RTF or concurrent streams, with short clips and usable hours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pricing import audio
from pricing.columns import estimate_rows
from pricing.decisions.decision import Case, Decision, Figure, Result, Table, Value
from pricing.decisions.inputs import InputsIn, Portion, Positive, Text, Whole, given
from pricing.decisions.offer_figures import (
    MEASUREMENT,
    OFFER,
    PRICE,
    PRICE_EVIDENCE,
    PRICE_SEEN,
    PURCHASE,
    RANK,
    REGION,
)
from pricing.decisions.refusing import at_field
from pricing.decisions.sides import cheapest_of, old_prices, used
from pricing.errors import InvalidInputError
from pricing.measurements import Rate, from_repeats, single, with_spread
from pricing.notation import parse, write
from pricing.question import Question, Warned
from pricing.reading import Reader
from pricing.units import UNITS
from pricing.wording import rounded, say, word

AUDIO = UNITS["audio_hour"]
_FORM = "[LABEL@]HARDWARE=NUMBER"


class AudioIn(InputsIn):
    """How fast audio is processed, and what your clips and your acceptance are."""

    rtf: tuple[Text, ...] = given(
        (),
        "Or: real-time factor (RTF)",
        f"{_FORM}: seconds of processing per second of audio; an RTF of 0.038 is an RTFx of 26.3.",
        "L4:1=0.038",
        max_length=50,
    )
    streams: tuple[Text, ...] = given(
        (),
        "Or: concurrent streams",
        f"{_FORM}: real-time streams that it holds at once at your latency; N streams are an RTFx of N.",
        "L4:1=120",
        max_length=50,
    )
    stream_latency: Text | None = given(
        None, "Latency of the streams", "At which latency it holds so many, in words.", "final word p95 0.8 s"
    )
    clip_seconds: Positive | None = given(None, "Length of a clip", "Seconds of audio.", "7")
    increment_seconds: Positive | None = given(
        None, "Billing increment", "Seconds to which a clip is rounded up in your bill to your customers.", "15"
    )
    minimum_seconds: Positive | None = given(None, "Least billed", "Seconds billed at least per clip.", "10")
    channels: Whole = given(1, "Channels", "Channels that are billed each.", "2")
    acceptance: Portion | None = given(
        None, "Share accepted", "Share of the audio whose transcript is usable; the rest is paid for, too.", "95%"
    )


FIGURES = (
    Figure("cost_usd", "Cheapest", "USD per audio-hour", "P / (RTFx · u)."),
    Figure("rtfx", "Its RTFx", "audio seconds/s", "Of the instance, at full load."),
    Figure("rtf", "Its RTF", "s per audio second", "1 / RTFx."),
    Figure("billed_factor", "Billed over actual", "times",
           "max(minimum, ceil(length / increment) · increment) · channels / length."),
    Figure("cost_per_billed_hour_usd", "Per billed hour", "USD", "Cost / billed factor."),
    Figure("cost_per_usable_hour_usd", "Per usable hour", "USD", "Cost / share accepted."),
)  # fmt: skip
ESTIMATES = Table(
    "estimates",
    "Cost per audio-hour",
    (
        RANK,
        OFFER,
        REGION,
        PURCHASE,
        MEASUREMENT,
        PRICE,
        Figure("rtfx", "RTFx", "audio seconds/s", "Of the instance; as many real-time streams."),
        Figure("rtf", "RTF", "s per audio second", "1 / RTFx."),
        Figure("cost_usd", "Cost", "USD per audio-hour", "P / (RTFx · u)."),
        Figure("cost_low_usd", "from", "", "At the rate's upper bound."),
        Figure("cost_high_usd", "to", "", "At the rate's lower bound."),
        Figure("cost_per_billed_hour_usd", "Per billed hour", "USD", "Cost / billed factor."),
        Figure("cost_per_usable_hour_usd", "Per usable hour", "USD", "Cost / share accepted."),
        Figure("audio_hours_per_usd", "Audio-hours", "per USD", "The inverse of the cost."),
        PRICE_SEEN,
        PRICE_EVIDENCE,
    ),
)


def solve(case: Case) -> Result:
    """Work out the cost of an audio-hour on each offer, per billed and per usable hour as well."""
    inputs: AudioIn = case.inputs
    if case.question.unit is not AUDIO:
        raise InvalidInputError.at(
            ("unit",), say("audio is counted in {id}, not {id_2}", id=AUDIO.id, id_2=case.question.unit.id)
        )
    if inputs.acceptance == 0:
        raise InvalidInputError.at(("acceptance",), say("a share of 0 can't be; write a share above 0, such as 95%"))
    warned: list[Warned] = []
    whole = replace(case, question=_with_rates(case, inputs, warned))
    factor = _factor(inputs)
    rows: list[dict[str, Any]] = estimate_rows(whole.answer.page)
    lines = [_line(row, factor, inputs.acceptance) for row in rows]
    values: dict[str, Value] = {figure.name: None for figure in FIGURES}
    values["billed_factor"] = factor
    cheapest = cheapest_of(whole)
    if lines:
        first = dict(zip((column.name for column in ESTIMATES.columns), lines[0], strict=True))
        values |= {figure.name: first[figure.name] for figure in FIGURES if figure.name in first}
    return Result(
        None,
        tuple(_sentences(inputs, rows, values)),
        values,
        {"estimates": lines},
        (*warned, *(w for w in whole.answer.warnings if w not in case.question.warnings), *old_prices(*cheapest)),
        prices=used(*cheapest),
    )


def _with_rates(case: Case, inputs: AudioIn, warned: list[Warned]) -> Question:
    """Add the measurements that are given as RTF or as concurrent streams; RTFx are the question's own."""
    for measurement in case.question.measurements:
        rate = measurement.rate_for(AUDIO.rate_field)
        doubt = audio.rtfx_doubt(rate.value) if rate else None
        if doubt:
            warned.append(Warned("rtf_or_rtfx", say("{label}: {doubt}", label=measurement.label, doubt=doubt)))
    pairs = list(case.question.pairs)
    place = len(case.question.measurements)
    for name, texts in (("rtf", inputs.rtf), ("streams", inputs.streams)):
        for i, text in enumerate(texts):
            place += 1
            pairs.append(("m", _as_rtfx(name, i, text, warned)))
            if name == "streams" and inputs.stream_latency:
                pairs.append((f"m{place}.latency", inputs.stream_latency))
    if not place:
        raise InvalidInputError.at(
            ("m",), say("a measurement is missing: an RTFx, L4=120, or rtf=L4=0.038, or streams=L4=120")
        )
    reader = Reader(case.question.table, case.catalogue, case.question.as_of)
    added = [name for name, texts in (("rtf", inputs.rtf), ("streams", inputs.streams)) for _ in texts]
    try:
        return reader.from_pairs([p for p in pairs if p[0] not in ("quote", "owned")])
    except InvalidInputError as error:
        own = len(case.question.measurements)
        moved = []
        for fault in error.faults:
            at = fault.loc[1] if len(fault.loc) > 1 and fault.loc[0] == "m" else None
            mine = isinstance(at, int) and at >= own
            moved.append(replace(fault, loc=(added[int(str(at)) - own],)) if mine else fault)
        raise InvalidInputError(moved) from error


def _as_rtfx(name: str, place: int, text: str, warned: list[Warned]) -> str:
    """Write a measurement given as RTF or streams in the notation, as RTFx."""
    try:
        read = parse(text, AUDIO)
        rate = read.rates.get(AUDIO.rate_field)
        if rate is None:
            raise ValueError(say("write {form}, such as L4:1=0.038", form=_FORM))
        if name == "rtf":
            doubt = audio.rtf_doubt(rate.value)
            if doubt:
                warned.append(Warned("rtf_or_rtfx", doubt))
            rate = _inverse(rate)
        else:
            audio.rtfx_of_streams(rate.value)
    except ValueError as error:
        raise InvalidInputError.at((name, place), str(error)) from error
    return write(read.label, read.hardware, {AUDIO.rate_field: rate}, AUDIO)


def _inverse(rate: Rate) -> Rate:
    """Turn an RTF into an RTFx: each run by itself; a spread keeps its share of the value."""
    if rate.runs:
        return from_repeats([audio.rtfx_of_rtf(run) for run in rate.runs])
    value = audio.rtfx_of_rtf(rate.value)
    return single(value) if rate.half_width is None else with_spread(value, value * rate.half_width / rate.value)


def _factor(inputs: AudioIn) -> float | None:
    billing = {"increment_seconds": inputs.increment_seconds, "minimum_seconds": inputs.minimum_seconds}
    if inputs.clip_seconds is None:
        given_ = [name for name, value in billing.items() if value is not None]
        if given_ or inputs.channels != 1:
            raise InvalidInputError.at(
                ("clip_seconds",), say("the length of a clip is missing; what is billed depends on it")
            )
        return None
    # Each rule is tried on its own, so that the message stands at the field that is wrong.
    with at_field("clip_seconds"):
        audio.billed_seconds(inputs.clip_seconds)
    with at_field("increment_seconds"):
        audio.billed_seconds(inputs.clip_seconds, inputs.increment_seconds)
    with at_field("minimum_seconds"):
        audio.billed_seconds(inputs.clip_seconds, minimum=inputs.minimum_seconds)
    with at_field("channels"):
        return audio.billed_factor(
            inputs.clip_seconds, inputs.increment_seconds, inputs.minimum_seconds, inputs.channels
        )


def _line(row: dict[str, Any], factor: float | None, acceptance: float | None) -> tuple[Value, ...]:
    cost = row["cost_usd"]
    return (
        row["rank"], f"{row['provider']}/{row['instance_type']}", row["region"], row["purchase"], row["measurement"],
        row["price_usd_per_hour"], row["rate_per_second"], audio.rtf_of_rtfx(row["rate_per_second"]), cost,
        row["cost_low_usd"], row["cost_high_usd"],
        None if factor is None else audio.cost_per_billed_hour(cost, factor),
        None if acceptance is None else audio.cost_per_usable_hour(cost, acceptance),
        row["units_per_usd"], row["price_observed_on"], row["price_evidence"],
    )  # fmt: skip


def _sentences(inputs: AudioIn, rows: list[dict[str, Any]], values: dict[str, Value]) -> Iterator[str]:
    if not rows:
        yield say("No offer that passes the filters carries this hardware.")
        return
    first = rows[0]
    yield say(
        "An hour of audio costs {cost_usd:significant} USD on {provider}/{instance_type} ({region}, "
        "{purchase}), the cheapest of {number:,} offers, at an RTFx of {rate_per_second:significant} "
        "(RTF {rtf_of_rtfx:significant}).",
        cost_usd=first["cost_usd"],
        provider=first["provider"],
        instance_type=first["instance_type"],
        region=first["region"],
        purchase=word(first["purchase"]),
        number=len(rows),
        rate_per_second=first["rate_per_second"],
        rtf_of_rtfx=audio.rtf_of_rtfx(first["rate_per_second"]),
    )
    factor = values["billed_factor"]
    if isinstance(factor, float):
        yield say(
            "Clips of {clip_seconds:g} s are billed {factor:significant} times their length; per billed "
            "hour that is {cost_per_billed_hour_usd:significant} USD.",
            clip_seconds=inputs.clip_seconds,
            factor=factor,
            cost_per_billed_hour_usd=_number(values, "cost_per_billed_hour_usd"),
        )
    if inputs.acceptance is not None:
        usable = rounded(_number(values, "cost_per_usable_hour_usd"))
        yield say(
            "Per usable hour, with {acceptance:.4g} of the audio accepted, it is {usable} USD.",
            acceptance=inputs.acceptance,
            usable=usable,
        )


def _number(values: dict[str, Value], name: str) -> float | None:
    value = values.get(name)
    return value if isinstance(value, float) else None


DECISION = Decision(
    "audio",
    "What does an hour of audio cost?",
    "From how fast your speech model runs (RTFx, RTF, or real-time streams at once): the cost of an hour of audio on "
    "each offer, of a billed hour with short clips, and of a usable hour.",
    AudioIn,
    solve,
    FIGURES,
    (
        ("unit", "audio_hour"),
        ("m", "L4:1=120"),
        ("purchase", "on_demand"),
    ),
    (ESTIMATES,),
    main="estimates",
    unit="audio_hour",
    measurements=(0, 200),
    roles=("RTFx: seconds of audio per second",),
)
