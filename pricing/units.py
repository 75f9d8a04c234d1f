"""What is counted: one registry from which units, quantities and labels derive."""

from __future__ import annotations

from dataclasses import dataclass

from pricing.errors import InvalidInputError, near_matches, shown
from pricing.wording import say

HOURS_PER_MONTH = 730
HOURS_PER_YEAR = 8760
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that is counted.

    A rate counts `rate_noun` per second. A cost is quoted for `quoted` of these (1,000,000 tokens;
    3,600 audio-seconds = 1 audio-hour); `single` of these make one unit of "units per USD".
    """

    id: str
    cost_unit: str
    rate_field: str
    short_key: str
    rate_unit: str
    quoted: float
    single: float
    single_noun: str
    summary: str


_M = 1_000_000.0
UNITS: dict[str, Unit] = {
    unit.id: unit
    for unit in (
        Unit(
            "output_token",
            say("USD per 1M output tokens"),
            "output_tokens_per_second",
            "out",
            say("output tokens/s"),
            _M,
            1.0,
            say("output tokens"),
            say("tokens that the model generates"),
        ),
        Unit(
            "input_token",
            say("USD per 1M input tokens"),
            "input_tokens_per_second",
            "in",
            say("input tokens/s"),
            _M,
            1.0,
            say("input tokens"),
            say("tokens of the prompts"),
        ),
        Unit(
            "total_token",
            say("USD per 1M tokens, input and output"),
            "total_tokens_per_second",
            "total",
            say("tokens/s, input and output"),
            _M,
            1.0,
            say("tokens, input and output"),
            say("input and output tokens together"),
        ),
        Unit(
            "trained_token",
            say("USD per 1M trained tokens"),
            "trained_tokens_per_second",
            "trained",
            say("trained tokens/s"),
            _M,
            1.0,
            say("trained tokens"),
            say("tokens seen in training"),
        ),
        Unit(
            "audio_hour",
            say("USD per audio-hour"),
            "audio_seconds_per_second",
            "rtfx",
            say("RTFx (audio seconds/s)"),
            3600.0,
            3600.0,
            say("audio-hours"),
            say("hours of audio processed; N concurrent real-time streams are an RTFx of N"),
        ),
        Unit(
            "request",
            say("USD per 1M requests"),
            "requests_per_second",
            "req",
            say("requests/s"),
            _M,
            1.0,
            say("requests"),
            say("requests completed"),
        ),
    )
}
RATE_FIELDS: dict[str, Unit] = {unit.rate_field: unit for unit in UNITS.values()}
SHORT_KEYS: dict[str, Unit] = {unit.short_key: unit for unit in UNITS.values()}


def unit_named(name: str) -> Unit:
    """Return the unit with this id; an unknown id is an error at `unit` with near matches."""
    unit = UNITS.get(name.strip())
    if unit is None:
        raise InvalidInputError.at(
            ("unit",),
            say("{name} is not a unit; the units are {units}.", name=shown(name), units=", ".join(UNITS))
            + near_matches(name, UNITS),
        )
    return unit
