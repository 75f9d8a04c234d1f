"""Hosted APIs: what they charge for some traffic, and the volume from which an own machine is cheaper.

Symbols: P price in USD per instance-hour; a what the API charges in USD for one unit; H units that a
full machine makes in an hour (3600 · R · u). A machine is paid for 730 hours a month, used or not.
Prices of language models are those that the package genai-prices ships; nothing is fetched.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pricing.accelerators import DATA
from pricing.audio import billed_factor
from pricing.errors import PriceFileError, near_matches, shown
from pricing.numbers import read_day, read_number
from pricing.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Unit
from pricing.wording import say

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

# The package says when it was released, not when each price was seen: days of its releases in the
# Python Package Index. The date of a version that is not listed is unknown.
GENAI_PRICES_RELEASED = {"0.2.3": date(2026, 11, 10)}
_PRICED_PER_REQUEST = 1000
# Shares closer to 1 than this leave no gap that a double can tell.
_FULL = 1e-12


@dataclass(frozen=True, slots=True)
class Tiered:
    """USD per 1M tokens: `base`, and above `start` input tokens in a request the tier's price for ALL its tokens."""

    base: float
    tiers: tuple[tuple[float, float], ...] = ()

    def at(self, input_tokens: float | None) -> float:
        """Return the price for requests with so many input tokens; the base where they are not known."""
        reached = [price for start, price in self.tiers if input_tokens is not None and input_tokens > start]
        return reached[-1] if reached else self.base


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a hosted language model costs. `cached` None: cached input costs as other input.

    `cache_writes`: it also charges for writing to the cache, which is not counted here;
    `by_time_of_day`: its price at 12:00 UTC, others hold at other hours;
    `deprecated`: the seller is going to end it.
    """

    provider: str
    model: str
    input: Tiered
    output: Tiered
    cached: Tiered | None
    usd_per_request: float
    cache_writes: bool
    by_time_of_day: bool
    deprecated: bool
    observed_on: date | None
    source: str

    @property
    def name(self) -> str:
        """PROVIDER/MODEL."""
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class SpeechPrice:
    """What a hosted speech-to-text model costs. None: the seller's rule is not known.

    `channels` is `each` where every channel of a recording is billed.
    """

    provider: str
    model: str
    mode: str | None
    usd_per_audio_hour: float
    observed_on: date
    billing_increment_seconds: float | None
    minimum_seconds: float | None
    channels: str | None
    source: str

    @property
    def name(self) -> str:
        """PROVIDER/MODEL."""
        return f"{self.provider}/{self.model}"

    def usd_per_actual_hour(self, clip_seconds: float | None, channels: int = 1) -> float:
        """USD per hour of recordings: price · billed over actual audio.

        Rules that the seller does not state count as none; without a clip length none but the channels.
        """
        billed = channels if self.channels == "each" else 1
        if clip_seconds is None:
            return self.usd_per_audio_hour * billed_factor(1.0, channels=billed)
        factor = billed_factor(clip_seconds, self.billing_increment_seconds, self.minimum_seconds, billed)
        return self.usd_per_audio_hour * factor


def usd_for_tokens(
    price: TokenPrice,
    input_tokens: float,
    output_tokens: float,
    cached_share: float = 0.0,
    request_input_tokens: float | None = None,
) -> float | None:
    """USD for some tokens: (I · ((1 - c) · p_in + c · p_cached) + O · p_out) / 10⁶ + requests · fee.

    I and O are counts of tokens (of a request, or per second: then USD per second), c the share of the
    input that is read from the cache, p in USD per 1M tokens at the tier of `request_input_tokens`,
    which also gives the requests, I / request_input_tokens. None where a fee per request can't be
    counted. The rule of tiers is that of genai-prices: a tier reached holds for all tokens of a request.
    """
    for name, value in ((say("input tokens"), input_tokens), (say("output tokens"), output_tokens)):
        if not 0 <= value <= 1e18:
            raise ValueError(say("{value:g} {name} can't be; write a number from 0 up", value=value, name=name))
    if not 0 <= cached_share <= 1:
        raise ValueError(
            say(
                "a cached share of {cached_share:g} can't be; write a share from 0 to 1, such as 50%",
                cached_share=cached_share,
            )
        )
    fee = 0.0
    if price.usd_per_request:
        if not request_input_tokens:
            return None
        fee = price.usd_per_request * input_tokens / request_input_tokens
    fresh = price.input.at(request_input_tokens)
    cached = fresh if price.cached is None else price.cached.at(request_input_tokens)
    of_input = input_tokens * ((1 - cached_share) * fresh + cached_share * cached)
    return (of_input + output_tokens * price.output.at(request_input_tokens)) / 1e6 + fee


def units_per_hour(rate: float, utilization: float, unit: Unit) -> float:
    """Single units (tokens, audio-hours, requests) that one machine makes in an hour: 3600 · R · u / single."""
    return SECONDS_PER_HOUR * rate * utilization / unit.single


def usd_for_machine_hour(usd_per_second: float, utilization: float) -> float:
    """What the API charges for the work of one machine in one hour: 3600 · u · USD per second at full load."""
    return SECONDS_PER_HOUR * utilization * usd_per_second


def break_even_units(price: float, usd_per_unit: float, per_hour: float, machines: int = 1) -> float | None:
    """Units per month at which n machines cost what the API charges: n · P · 730 / a. None: never.

    price: P in USD per hour; usd_per_unit: a; per_hour: H. n machines make n · H · 730 units at most,
    so that it is never where P > a · H: even a full machine costs more than the API.
    """
    if usd_per_unit <= 0 or price > usd_per_unit * per_hour:
        return None
    return machines * price * HOURS_PER_MONTH / usd_per_unit


def lasting_machines(price: float, usd_per_unit: float, per_hour: float) -> int | None:
    """Machines n at whose break-even volume self-hosting begins to be cheaper for good. None: never.

    With x = P / (a · H) the share of a machine's work that pays for it, n machines are needed above
    (n - 1) · H · 730 units and pay from n · x · H · 730 units on: between the two the API is cheaper
    again, unless n · x <= n - 1. The last n with such a gap is ceil(1 / (1 - x)) - 1.
    """
    if usd_per_unit <= 0 or per_hour <= 0:
        return None
    share = price / (usd_per_unit * per_hour)
    if 1 - share <= _FULL:
        return None
    return max(math.ceil(1 / (1 - share)) - 1, 1)


def machines_for(units_per_month: float, per_hour: float) -> int:
    """Whole machines for a monthly volume: ceil(V / (H · 730)), at least one."""
    if not 0 < units_per_month <= 1e30 or per_hour <= 0:
        raise ValueError(
            say(
                "a volume of {units_per_month:g} a month can't be; write a number above 0",
                units_per_month=units_per_month,
            )
        )
    needed = units_per_month / (per_hour * HOURS_PER_MONTH)
    nearest = round(needed)
    # A volume that fills whole machines but for binary rounding needs no further one.
    return max(nearest if abs(needed - nearest) <= 1e-9 * nearest else math.ceil(needed), 1)


def month_of_machines(price: float, machines: int) -> float:
    """USD per month for whole machines: n · P · 730, used or not."""
    return machines * price * HOURS_PER_MONTH


def token_rates(
    rates: dict[str, float], input_tokens: float | None, output_tokens: float | None
) -> tuple[float, float] | None:
    """Input and output tokens per second of a machine, from measured rates by rate field. None: not known.

    Both rates as measured; or one of them (or the total, or requests per second), where the tokens of
    a request give the other: R_in = R_out · I / O.
    """
    into, out = rates.get("input_tokens_per_second"), rates.get("output_tokens_per_second")
    if into is not None and out is not None:
        return into, out
    if input_tokens is None or output_tokens is None or input_tokens + output_tokens <= 0:
        return None
    if out is not None and output_tokens > 0:
        return out * (input_tokens / output_tokens), out
    if into is not None and input_tokens > 0:
        return into, into * (output_tokens / input_tokens)
    total, requests = rates.get("total_tokens_per_second"), rates.get("requests_per_second")
    if requests is None and total is not None:
        requests = total / (input_tokens + output_tokens)
    return None if requests is None else (requests * input_tokens, requests * output_tokens)


Hosted = TokenPrice | SpeechPrice


def named(prices: Sequence[TokenPrice] | Sequence[SpeechPrice], text: str) -> list[TokenPrice | SpeechPrice]:
    """Find prices by PROVIDER/MODEL or PROVIDER, else by a part of the name. ValueError with near matches."""
    wanted = text.strip().casefold()
    for matches in (_whole_name, _provider, _part):
        found = [each for each in prices if matches(each, wanted)]
        if found:
            return found
    names = {each.provider for each in prices} | {each.model for each in prices}
    raise ValueError(
        say(
            "{text} is no hosted model that is known; write PROVIDER/MODEL, a provider, or a part of a "
            "name.{near_matches}",
            text=shown(text),
            near_matches=near_matches(text.rpartition("/")[2], sorted(names)),
        )
    )


def _whole_name(each: Hosted, wanted: str) -> bool:
    return each.name.casefold() == wanted


def _provider(each: Hosted, wanted: str) -> bool:
    return each.provider.casefold() == wanted


def _part(each: Hosted, wanted: str) -> bool:
    return len(wanted) >= 3 and wanted in each.name.casefold()


@lru_cache(maxsize=8)
def token_prices(as_of: date) -> tuple[TokenPrice, ...]:
    """Return the prices of hosted language models that hold on a day, from genai-prices as installed.

    Models without a price of input or of output, or with a price of 0, are left out.
    """
    # Imported here: the package brings 1.6 MB of prices, which most questions do not need.
    from genai_prices import __version__ as version  # noqa: PLC0415
    from genai_prices.data import providers  # noqa: PLC0415
    from genai_prices.types import ModelPrice, TimeOfDateConstraint  # noqa: PLC0415

    noon = datetime.combine(as_of, time(12), UTC)
    found = []
    for provider in providers:
        page = (provider.pricing_urls or [""])[0]
        source = f"genai-prices {version}" + (f", {page}" if page else "")
        for model in provider.models:
            by_hour = not isinstance(model.prices, ModelPrice) and any(
                isinstance(each.constraint, TimeOfDateConstraint) for each in model.prices
            )
            price = _token_price(
                provider.id,
                model.id,
                model.get_prices(noon),
                by_hour,
                bool(model.deprecated),
                GENAI_PRICES_RELEASED.get(version),
                source,
            )
            if price is not None:
                found.append(price)
    return tuple(sorted(found, key=lambda each: each.name))


def _token_price(
    provider: str,
    model: str,
    prices: ModelPrice,
    by_hour: bool,
    deprecated: bool,
    observed_on: date | None,
    source: str,
) -> TokenPrice | None:
    into, out = _tiered(prices.input_mtok), _tiered(prices.output_mtok)
    if into is None or out is None or not into.base > 0 or not out.base > 0:
        return None
    fee = _tiered(prices.requests_kcount)
    return TokenPrice(
        provider,
        model,
        into,
        out,
        _tiered(prices.cache_read_mtok),
        0.0 if fee is None else fee.base / _PRICED_PER_REQUEST,
        prices.cache_write_mtok is not None,
        by_hour,
        deprecated,
        observed_on,
        source,
    )


def _tiered(price: Decimal | TieredPrices | None) -> Tiered | None:
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Tiered(float(price))
    return Tiered(float(price.base), tuple((float(tier.start), float(tier.price)) for tier in price.tiers))


def speech_prices(as_of: date, path: Path = DATA / "speech_api_prices.csv") -> tuple[SpeechPrice, ...]:
    """Return the prices of hosted speech-to-text: of each model the newest one seen by a day. PriceFileError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [_speech_price(row, place) for place, row in enumerate(csv.DictReader(file), 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PriceFileError.at(
            (path.name,), say("{path}: is no list of speech prices ({error})", path=path, error=str(error))
        ) from error
    return _newest(row for row in rows if row.observed_on <= as_of)


def _newest(rows: Iterable[SpeechPrice]) -> tuple[SpeechPrice, ...]:
    newest = {(each.provider, each.model, each.mode): each for each in sorted(rows, key=lambda each: each.observed_on)}
    return tuple(sorted(newest.values(), key=lambda each: (each.name, each.mode or "")))


def _speech_price(row: dict[str, str], place: int) -> SpeechPrice:
    def optional(column: str) -> float | None:
        return read_number(row[column]) if row[column] else None

    try:
        if None in row.values():
            raise ValueError(say("the row has fewer cells than the header"))
        price = SpeechPrice(
            row["provider"], row["model"], row["mode"] or None, read_number(row["usd_per_audio_hour"]),
            read_day(row["observed_on"]), optional("billing_increment_seconds"), optional("minimum_seconds"),
            row["channels"] or None,
            "; ".join(row[name] for name in ("source", "pricing_page", "billing_source") if row[name]),
        )  # fmt: skip
        if not price.usd_per_audio_hour > 0 or not price.provider or not price.model:
            raise ValueError(say("provider, model and a price above 0 are needed"))
        if price.channels not in (None, "each", "once"):
            raise ValueError(say("channels {channels} should be each, once or blank", channels=shown(price.channels)))
        price.usd_per_actual_hour(1.0)
    except (KeyError, TypeError, ValueError) as error:
        raise PriceFileError.at(
            ("speech_api_prices.csv", place), say("line {place}: {error}", place=place, error=str(error))
        ) from error
    return price
