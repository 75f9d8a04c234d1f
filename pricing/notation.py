"""The short notation `[LABEL@]HARDWARE=RATE`, read and written.

The same text is used in links, on the command line and in the page's text boxes:
`H100-SXM:8=5200`, `vLLM@aws/trn1.32xlarge=in:21000,out:5200`, `L4=rtfx:120~3%`, `H200=5200/5150/5300`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pricing.errors import near_matches, shown
from pricing.measurements import Rate, from_repeats, single, with_spread
from pricing.numbers import COMMA, read_scaled_number
from pricing.units import RATE_FIELDS, SHORT_KEYS, Unit
from pricing.wording import say

MOST_REPEATS = 10_000
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z_]*)\s*:(.*)", re.DOTALL)
_COUNT = re.compile(r"(.*):([^:/]*)", re.DOTALL)
EXAMPLE = "H100-SXM:8=5200"


@dataclass(frozen=True, slots=True)
class Notation:
    """A measurement as it was written: label ('' for none), hardware text, rates by field."""

    label: str
    hardware: str
    rates: dict[str, Rate]


def parse(text: str, unit: Unit) -> Notation:
    """Read `[LABEL@]HARDWARE=RATE`: the first @ ends the label, the last = starts the rate.

    A bare rate is in the question's unit per second. ValueError with a sentence otherwise.
    """
    label, at, rest = text.partition("@")
    if not at:
        label, rest = "", text
    hardware, equals, rate = rest.rpartition("=")
    if not equals:
        raise ValueError(
            say(
                "{text} has no '='; write HARDWARE=RATE, for example {example} ({rate_unit})",
                text=shown(text),
                example=EXAMPLE,
                rate_unit=unit.rate_unit,
            )
        )
    if not hardware.strip():
        raise ValueError(
            say("{text} names no hardware before '='; write for example {example}", text=shown(text), example=EXAMPLE)
        )
    return Notation(label.strip(), hardware.strip(), parse_rates(rate, unit))


def parse_rates(text: str, unit: Unit) -> dict[str, Rate]:
    """Read one number, or `key:number` pairs joined by commas, into rates by rate field."""
    if not text.strip():
        raise ValueError(say("the rate after '=' is missing; write it in {rate_unit}", rate_unit=unit.rate_unit))
    parts = text.split(",")
    matches = [_KEY.fullmatch(part) for part in parts]
    if not any(matches):
        if len(parts) > 1:
            raise ValueError(say(COMMA, value=shown(text.strip())))
        return {unit.rate_field: parse_rate(text)}
    rates: dict[str, Rate] = {}
    for part, match in zip(parts, matches, strict=True):
        if match is None:
            raise ValueError(
                say(
                    "{strip} in {strip_2} has no kind before it; write key:number pairs joined by commas, keys "
                    "{short_keys} (no thousands separator)",
                    strip=shown(part.strip()),
                    strip_2=shown(text.strip()),
                    short_keys=", ".join(SHORT_KEYS),
                )
            )
        known = SHORT_KEYS.get(match[1].lower())
        if known is None:
            raise ValueError(
                say(
                    "{match} is not a kind of rate; the keys are {short_keys}.",
                    match=shown(match[1]),
                    short_keys=", ".join(SHORT_KEYS),
                )
                + near_matches(match[1], SHORT_KEYS)
            )
        if known.rate_field in rates:
            raise ValueError(
                say(
                    "the kind {short_key} is given twice in {strip}",
                    short_key=known.short_key,
                    strip=shown(text.strip()),
                )
            )
        rates[known.rate_field] = parse_rate(match[2])
    return rates


def parse_rate(text: str) -> Rate:
    """Read one rate: 5200, 5.2k, with a spread 5200±150, 5200~150 or 5200~3%, or repeats 5200/5150."""
    value, sign, spread = text.replace("±", "~").partition("~")
    if sign:
        if "/" in value:
            raise ValueError(say("{text} has both repeats and a spread; give one of them", text=shown(text)))
        middle = read_scaled_number(value)
        if spread.strip().endswith("%"):
            return with_spread(middle, middle * read_scaled_number(spread.strip()[:-1]) / 100)
        return with_spread(middle, read_scaled_number(spread))
    runs = text.split("/")
    if len(runs) == 1:
        return single(read_scaled_number(text))
    if len(runs) > MOST_REPEATS:
        raise ValueError(
            say(
                "{number:,} repeats are more than the {most_repeats:,} allowed",
                number=len(runs),
                most_repeats=MOST_REPEATS,
            )
        )
    return from_repeats([read_scaled_number(run) for run in runs])


def split_count(hardware: str) -> tuple[str, str | None]:
    """Split `NAME:COUNT` at its last colon; the count is None where there is none."""
    match = _COUNT.fullmatch(hardware)
    return (match[1].strip(), match[2].strip()) if match else (hardware, None)


def write_rate(rate: Rate) -> str:
    """Write a rate so that parse_rate gives the same one again."""
    if rate.runs:
        return "/".join(write_number(run) for run in rate.runs)
    if rate.half_width is not None:
        return f"{write_number(rate.value)}~{write_number(rate.half_width)}"
    return write_number(rate.value)


def write_number(value: float) -> str:
    """Write the shortest text that reads as the same double; whole numbers without '.0'."""
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def write(label: str, hardware: str, rates: dict[str, Rate], unit: Unit) -> str:
    """Write a measurement; the inverse of parse. A bare rate stands for the question's unit."""
    if list(rates) == [unit.rate_field]:
        rate = write_rate(rates[unit.rate_field])
    else:
        rate = ",".join(f"{RATE_FIELDS[field].short_key}:{write_rate(r)}" for field, r in rates.items())
    # A hardware name that holds an @ needs a label, if an empty one, before it.
    prefix = f"{label}@" if label or "@" in hardware else ""
    return f"{prefix}{hardware}={rate}"
