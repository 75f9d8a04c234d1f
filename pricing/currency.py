"""Currencies: dated rates to the US dollar, the user's own first, else the European Central Bank's reference rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from pricing.errors import near_matches, shown
from pricing.wording import say

ECB = "European Central Bank, euro foreign exchange reference rates"
# The bank publishes on working days; further back than this a rate is missing, not only on holiday.
MOST_DAYS_BACK = 10


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """How many units of a currency one USD is worth, when, and who says so."""

    currency: str
    per_usd: float
    on: date | None
    source: str


@cache
def _reference_rates() -> tuple[Any, type[Exception]]:
    # Imported here: the rates of 27 years are only read where a currency is asked for.
    from currency_converter import CurrencyConverter, RateNotFoundError  # noqa: PLC0415

    return CurrencyConverter(), RateNotFoundError


def exchange_rate(currency: str, as_of: date, own: Mapping[str, float]) -> ExchangeRate:
    """Return the rate of a currency on a date, or the last one before it.

    `own` are the user's rates in units per USD. ValueError names near matches of an unknown code.
    The cross rate of two reference rates against the euro is (units per EUR) / (USD per EUR).
    """
    code = currency.strip().upper()
    if code == "USD":
        return ExchangeRate("USD", 1.0, None, "")
    if code in own:
        return ExchangeRate(code, own[code], None, say("your rate"))
    rates, missing = _reference_rates()
    if code not in rates.currencies:
        raise ValueError(
            say(
                "{currency} is not a currency with a reference rate; give your own, "
                "exchange_rate={code}=UNITS_PER_USD.",
                currency=shown(currency),
                code=code[:3],
            )
            + near_matches(code, sorted(rates.currencies))
        )
    first, last = rates.bounds[code].first_date, rates.bounds[code].last_date
    day = min(as_of, last)
    for _ in range(MOST_DAYS_BACK):
        if day < first:
            break
        try:
            return ExchangeRate(code, float(rates.convert(1, "USD", code, date=day)), day, ECB)
        except missing:
            day -= timedelta(days=1)
    raise ValueError(
        say(
            "there is no reference rate of {code} near {as_of}; give your own, exchange_rate={code}=UNITS_PER_USD",
            code=code,
            as_of=as_of,
        )
    )
