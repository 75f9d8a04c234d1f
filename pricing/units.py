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


@dataclass(frozen=True, slots=True)
class Scale:
    """A way to say a cost: per another quantity, or how much one USD buys.

    A cost in USD per quoted unit is multiplied by `factor`; where `inverse`, the factor is divided by it.
    """

    name: str
    label: str
    factor: float = 1.0
    inverse: bool = False

    def said(self, usd: float | None) -> float | None:
        """Return a cost in USD per quoted unit in this way; None for unknown, and for what a cost of zero buys."""
        if usd is None:
            return None
        if self.inverse:
            return self.factor / usd if usd else None
        return usd * self.factor

    def bounds(self, low: float | None, high: float | None) -> tuple[float | None, float | None]:
        """Return the bounds of a cost in this way; what one USD buys is least where the cost is highest."""
        said = self.said(low), self.said(high)
        return said[::-1] if self.inverse else said


# Per 1M and per 1K tokens or requests, per hour and per minute of audio, by what a cost is quoted for.
_OTHER_QUANTITY = {_M: ("1K", "1M", "1K", 1e-3), 3600.0: ("minute", "audio-hour", "audio-minute", 1 / 60)}


def scales(unit: Unit) -> tuple[Scale, Scale, Scale]:
    """Return the ways to say a cost of this unit: the usual one, per another quantity, and what one USD buys."""
    name, usual, other, factor = _OTHER_QUANTITY[unit.quoted]
    return (
        Scale("", unit.cost_unit),
        Scale(name, unit.cost_unit.replace(usual, other), factor),
        Scale("usd", f"{unit.single_noun} per USD", unit.quoted / unit.single, inverse=True),
    )
