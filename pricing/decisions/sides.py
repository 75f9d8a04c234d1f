"""The two sides of a decision: a price, named or typed, with the measurement that goes with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from pricing import estimate
from pricing.columns import COLUMNS, estimate_rows
from pricing.decisions.decision import Case, PriceUsed, Value
from pricing.errors import InvalidInputError, Location, near_matches, shown
from pricing.estimates import NO_PAIRS, Estimates, Pairs
from pricing.flags import of_offers
from pricing.matching import Masks, Matched, held_by, ranked
from pricing.measurements import Measurement, Rate
from pricing.named import named_offers, offer_name, type_names
from pricing.notation import split_count
from pricing.numbers import read_scaled_number, read_whole_number
from pricing.question import Warned
from pricing.wording import listed, say, word

TYPED = say("your price")
MOST_REGIONS = 4
_COLUMN_NAMES = tuple(column.name for column in COLUMNS)


@dataclass(frozen=True)
class Side:
    """A price in USD per instance-hour with where it comes from, and the rate on that instance if known.

    `rate` is the counted rate in units per second, `log_se` the standard error of its logarithm (None:
    not known), `cost` USD per quoted unit. `row` has the columns of the estimate; None for a typed price.
    """

    name: str
    label: str | None
    price: float
    rate: float | None = None
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    log_se: float | None = None
    utilization: float = 1.0
    stale: bool = False
    row: dict[str, Any] | None = None

    @property
    def price_said(self) -> str:
        """Say where the price comes from: date, age and evidence."""
        if self.row is None:
            return say("typed in")
        seen = self.row["price_observed_on"]
        age = (
            ""
            if self.row["price_age_days"] is None
            else say(", {price_age_days} days old", price_age_days=self.row["price_age_days"])
        )
        return say(
            "{price_evidence} price of {seen}{age}",
            price_evidence=word(self.row["price_evidence"]),
            seen=date.fromisoformat(seen) if seen else say("no stated date"),
            age=age,
        )

    def value(self, column: str) -> Value:
        """Return a column of the estimate, None for a typed price."""
        if column not in _COLUMN_NAMES:
            raise KeyError(column)
        found: Value = None if self.row is None else self.row[column]
        return found


def side(case: Case, i: int, text: str | None, field: str) -> Side:
    """Find measurement i's estimate on the offer that `text` names, or at the price that it is.

    Without `text`: its cheapest estimate among the offers that pass the filters. Without a
    measurement i: the price of the named offer alone. InvalidInputError at `field` or at m.
    """
    measurement = case.question.measurements[i] if i < len(case.question.measurements) else None
    price = _typed(text, field)
    if price is not None:
        return _at_price(case, measurement, price)
    if measurement is None:
        if not text:
            raise InvalidInputError.at(
                (field,), say("a price is missing: write USD per hour, or PROVIDER/INSTANCE_TYPE")
            )
        return _priced(case, text, field)
    if measurement.rate_for(case.question.unit.rate_field) is None:
        raise InvalidInputError.at(
            ("m", i),
            say(
                "{label} has {kinds}, not {short_key}; no rate of one kind is used for another",
                label=measurement.label,
                kinds=measurement.kinds(),
                short_key=case.question.unit.short_key,
            ),
        )
    if not text:
        rows = of_measurement(case, i, 1)
        if not len(rows):
            raise InvalidInputError.at(
                ("m", i),
                say(
                    "{label} has no estimate under these filters; name a price with {field}",
                    label=measurement.label,
                    field=field,
                ),
            )
        return at(case, rows, 0)
    held = Matched.of(held_by(case.market, measurement))
    named = named_offers(text, case.market, {i: held})
    offers = named[i].offers if named else NO_PAIRS.offer
    passing = _passing(case, offers)
    if len(offers) and not passing.any():
        raise _left_out(case, offers, text, field)
    pairs = ranked({i: named[i].take(passing)} if len(offers) else {}, 1, case.answer.figures)
    if not len(pairs):
        known = type_names(case.market, {i: held})
        raise InvalidInputError.at(
            (field,),
            say(
                "{text} is not an offer that carries {label}; write "
                "PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]] or USD per "
                "hour.{near_matches}",
                text=shown(text),
                label=measurement.label,
                near_matches=near_matches(text, known),
            ),
        )
    return at(case, case.answer.figures(pairs), 0)


def of_measurement(case: Case, i: int, most: int | None = None) -> Estimates:
    """Return the estimates of one measurement that pass the filters, cheapest first."""
    found = case.answer.found.get(i)
    matched = {} if found is None else {i: found}
    size = len(found.offers) if found is not None else 0
    return case.answer.figures(ranked(matched, size if most is None else most, case.answer.figures))


def at(case: Case, rows: Estimates, place: int) -> Side:
    """Make a side of one row of estimates."""
    one = case.answer.figures(rows.pairs.take(np.array([place])))
    row: dict[str, Any] = estimate_rows(one)[0]
    i, offer = int(one.pairs.measurement[0]), int(one.pairs.offer[0])
    return Side(
        offer_name(one.columns, offer, case.question.table),
        row["measurement"],
        row["price_usd_per_hour"],
        row["rate_per_second"],
        row["cost_usd"],
        row["cost_low_usd"],
        row["cost_high_usd"],
        one.rates[i].log_se,
        row["utilization"],
        bool(of_offers(case.market, case.catalogue)["stale"][offer]),
        row,
    )


def _typed(text: str | None, field: str) -> float | None:
    """Read a price that is typed as a number; None where the text is a name or there is none."""
    if not text or "/" in text:
        return None
    try:
        price = read_scaled_number(text)
    except ValueError as error:
        raise InvalidInputError.at(
            (field,),
            say("{error}; or name an offer, PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]", error=str(error)),
        ) from error
    if not 0 < price <= 1e9:
        raise InvalidInputError.at((field,), say("{text} is not a price; USD per hour are above 0", text=shown(text)))
    return price


def _at_price(case: Case, measurement: Measurement | None, price: float) -> Side:
    question = case.question
    if measurement is None:
        return Side(TYPED, None, price, utilization=question.utilization)
    rate = measurement.rate_for(question.unit.rate_field)
    if rate is None:
        raise InvalidInputError.at(
            ("m",),
            say(
                "{label} has {kinds}, not {short_key}",
                label=measurement.label,
                kinds=measurement.kinds(),
                short_key=question.unit.short_key,
            ),
        )
    counted = estimate.counted_rate(rate.value, measurement.counted_share)
    return Side(
        TYPED,
        measurement.label,
        price,
        counted,
        _cost(case, measurement, price, rate.value),
        _cost(case, measurement, price, rate.high),
        _cost(case, measurement, price, rate.low),
        rate.log_se,
        question.utilization,
    )


def _cost(case: Case, measurement: Measurement, price: float, rate: float | None) -> float | None:
    if rate is None or rate <= 0:
        return None
    counted = estimate.counted_rate(rate, measurement.counted_share)
    return estimate.cost_per_quoted_unit(price, counted, case.question.utilization, case.question.unit)


def _priced(case: Case, text: str, field: str) -> Side:
    """Return the cheapest price of a named offer, without a measurement."""
    offers = _named(case, text)
    if not len(offers):
        raise InvalidInputError.at(
            (field,),
            say(
                "{text} is not an offer in the table; write "
                "PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]] or USD per hour.{near_matches}",
                text=shown(text),
                near_matches=near_matches(text, case.question.table.instance_types()),
            ),
        )
    passing = _passing(case, offers)
    if not passing.any():
        raise _left_out(case, offers, text, field)
    offers = offers[passing]
    return _of_offer(case, int(offers[np.argmin(case.market.columns.price[offers])]))


def _passing(case: Case, offers: np.ndarray) -> np.ndarray:
    """Which offers pass the question's filters: a name does not overrule them."""
    keep = Masks.of(case.question, case.market, case.catalogue).keep
    result: np.ndarray = np.ones(len(offers), bool) if keep is None else keep[offers]
    return result


def _left_out(case: Case, offers: np.ndarray, text: str, field: str) -> InvalidInputError:
    """Make the error of an offer that is sold, but not as the filters ask."""
    words = case.market.columns.words
    purchases = listed(say(each.replace("_", " ")) for each in dict.fromkeys(words["purchase"].texts(offers)))
    regions = dict.fromkeys(words["region"].texts(offers))
    return InvalidInputError.at(
        (field,),
        say(
            "{text} is sold as {purchases} in {regions}, but your filters leave that out; change them, name another "
            "offer, or type its price in USD per hour",
            text=shown(text),
            purchases=purchases,
            regions=listed([*list(regions)[:MOST_REGIONS], *(["…"] if len(regions) > MOST_REGIONS else [])]),
        ),
    )


def _of_offer(case: Case, offer: int) -> Side:
    columns = case.market.columns
    pairs = Pairs(np.zeros(1, np.int64), np.array([offer]), np.ones(1, np.int64))
    bare = Estimates(
        case.question,
        case.market,
        case.catalogue,
        pairs,
        np.ones(1, np.int64),
        (Rate(float("nan")),),
        (1.0,),
        None,
        None,
    )
    price = {column.name: column.python(bare)[0] for column in COLUMNS if column.name in _OF_PRICE}
    row = dict.fromkeys(_COLUMN_NAMES) | price
    old = bool(of_offers(case.market, case.catalogue)["stale"][offer])
    return Side(
        offer_name(columns, offer, case.question.table), None, float(columns.price[offer]),
        utilization=case.question.utilization, stale=old, row=row,
    )  # fmt: skip


_OF_PRICE = (
    "provider", "instance_type", "region", "purchase", "term_months", "accelerator", "accelerator_vendor",
    "accelerator_count", "price_usd_per_hour", "price_evidence", "price_observed_on", "price_age_days", "price_source",
    "notes", "plan",
)  # fmt: skip


def offer_sides(case: Case, hardware: str, loc: Location) -> tuple[list[tuple[Side, int]], bool]:
    """Return the offers that carry ACCELERATOR:COUNT and pass the filters, each with the replicas it holds.

    Where none passes, all that carry it are given, and True.
    """
    name, text = split_count(hardware)
    try:
        found = case.catalogue.resolve(name)
        count = read_whole_number(text, least=1, most=100_000) if text is not None else found.count or 1
    except ValueError as error:
        raise InvalidInputError.at(loc, str(error)) from error
    held = Matched.shown(case.market.held(found.accelerator, count))
    passing = _passing(case, held.offers)
    left_out = len(passing) > 0 and not passing.any()
    if not left_out:
        held = held.take(passing)
    sides = [(_of_offer(case, int(o)), int(n)) for o, n in zip(held.offers, held.replicas, strict=True)]
    return sides, left_out


def named_prices(case: Case, name: str) -> list[Side]:
    """Return all prices of a named offer that pass the filters, cheapest first, without a measurement."""
    columns = case.market.columns
    offers = _named(case, name)
    offers = offers[_passing(case, offers)]
    return [_of_offer(case, int(offer)) for offer in offers[np.argsort(columns.price[offers], kind="stable")]]


def _named(case: Case, name: str) -> np.ndarray:
    every = np.flatnonzero(~case.market.not_available)
    price = case.market.columns.price[every]
    found = named_offers(name, case.market, {0: Matched(every, np.ones(len(every), np.int64), price)})
    return found[0].offers if found else np.empty(0, np.int64)


def used(*sides: Side) -> tuple[PriceUsed, ...]:
    """Return the prices of the sides, each once, with date and source."""
    found = (
        PriceUsed(
            each.name,
            each.price,
            each.row["price_observed_on"] if each.row else None,
            each.row["price_age_days"] if each.row else None,
            each.row["price_evidence"] if each.row else "quote",
            each.row["price_source"] if each.row else "typed in",
            each.stale,
        )
        for each in sides
    )
    return tuple(dict.fromkeys(found))


def cheapest_of(case: Case) -> tuple[Side, ...]:
    """Return the cheapest estimate of a comparison as a side; nothing where there is none."""
    first = case.answer.cheapest(1)
    return (at(case, first, 0),) if len(first) else ()


def old_prices(*sides: Side) -> list[Warned]:
    """Warn of each side whose price is old."""
    return [
        Warned(
            "price_is_old", say("The price of {name} is old: {price_said}.", name=each.name, price_said=each.price_said)
        )
        for each in sides
        if each.stale
    ]
