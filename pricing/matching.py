"""Which offers carry a measurement's hardware, in order of cost, and what was left out and why."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial, reduce
from typing import Protocol

import numpy as np

from pricing.accelerators import Catalogue
from pricing.estimates import NO_PAIRS, Figures, Pairs
from pricing.market import Held, Market, smallest_sizes
from pricing.measurements import Measurement
from pricing.offers import UNDATED, Columns, Ints, areas
from pricing.question import FiltersIn
from pricing.wording import say

_NONE = np.empty(0, np.int64)
REASONS = {
    "no_rate_for_unit": "measurements give no rate of the kind that is asked for; no other kind is used in its place",
    "not_available": "can't be had: grandfathered, withdrawn, or in no region",
    "unconfirmed": "third-party prices that nobody confirmed; shown with include_unconfirmed=1",
    "filtered": "left out by your filters",
    "area_not_stated": "have no stated region, so they are in no area",
    "too_few_accelerators": "have fewer accelerators than the measurement ran on",
    "multi_host": "one host carries fewer than the measurement ran on, and several hosts are not put together",
    "evidence_left_out": "measurements are known in another way than the evidence asked for",
    "misses_slo": "runs miss the latency target",
    "slo_unknown": "runs do not state a latency that the target needs",
    "other_point": "runs meet the target, but another point of their curve does more work within it",
    "unmet": "do not meet your conditions on the columns",
    "other_size": "other sizes of the same price, at the same or a higher cost per unit; shown with all_sizes=1",
}

# What would bring them in, for each reason.
REMEDIES = {
    "no_rate_for_unit": "Give a rate of that kind as well (in:…,out:…), or ask for a unit that was measured.",
    "not_available": "Only a quote of your own brings these in.",
    "unconfirmed": "Show the prices that nobody confirmed.",
    "filtered": "Take your filters away.",
    "area_not_stated": "Take the filter by area away.",
    "too_few_accelerators": "Give a measurement on fewer accelerators, or on a single one.",
    "multi_host": "Give a measurement on as many accelerators as one host has.",
    "evidence_left_out": "Ask for every kind of evidence.",
    "misses_slo": "Take the latency target away, or give a run that meets it.",
    "slo_unknown": "Take the latency target away, or say the latency of each run.",
    "other_point": "Take the latency target away to see every point.",
    "unmet": "Take the conditions away.",
    "other_size": "Show every size.",
}


@dataclass(frozen=True, slots=True)
class Excluded:
    """How many pairs of offer and measurement gave no estimate for one reason, and one of them."""

    reason: str
    count: int
    example: str


@dataclass(frozen=True)
class Matched:
    """The offers that carry one measurement, cheapest per replica first, ties in tie order."""

    offers: Ints
    replicas: Ints
    per_replica: np.ndarray

    @classmethod
    def of(cls, held: Held) -> Matched:
        """Take all offers that carry a measurement."""
        return cls(held.offers, held.replicas, held.per_replica)

    @classmethod
    def shown(cls, held: Held) -> Matched:
        """Take, of the offers that carry a measurement, one size of each row."""
        return cls(*held.shown)

    def take(self, index: np.ndarray) -> Matched:
        """Return the offers at these positions, or under this mask."""
        return Matched(self.offers[index], self.replicas[index], self.per_replica[index])


class Counter:
    """Counts what was left out, by reason, with an example of each."""

    def __init__(self, market: Market) -> None:
        """Count the offers of one market."""
        self._market = market
        self._counts: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(self, reason: str, count: int, example: str) -> None:
        """Count pairs; the first example of a reason is kept."""
        if count:
            self._counts[reason] = self._counts.get(reason, 0) + count
            self._examples.setdefault(reason, example)

    def add_offers(self, reason: str, offers: Ints, measurement: Measurement, columns: Columns | None = None) -> None:
        """Count offers, one pair each; `columns` where they are not the market's own."""
        if len(offers) and reason not in self._examples:
            text = (columns or self._market.columns).describe(int(offers.min()))
            self._examples[reason] = say("{text} (for {label})", text=text, label=measurement.label)
        if len(offers):
            self._counts[reason] = self._counts.get(reason, 0) + len(offers)

    def result(self) -> tuple[Excluded, ...]:
        """Return the counts in the order of the reasons."""
        return tuple(
            Excluded(reason, self._counts[reason], self._examples[reason])
            for reason in REASONS
            if reason in self._counts
        )


class Choosing(Protocol):
    """What says which offers count: a question, or a scenario of a sweep."""

    @property
    def filters(self) -> FiltersIn:
        """The filters as they were given."""

    @property
    def accelerators(self) -> frozenset[str] | None:
        """The accelerators that the filters mean; None for all."""

    @property
    def all_sizes(self) -> bool:
        """Whether every size of a row counts."""


@dataclass(frozen=True)
class Masks:
    """Which offers the filters keep; None where nothing is filtered."""

    keep: np.ndarray | None
    no_area: np.ndarray | None
    by_size: bool

    @classmethod
    def of(
        cls,
        question: Choosing,
        market: Market,
        catalogue: Catalogue,
        kept: dict[tuple[object, ...], np.ndarray] | None = None,
    ) -> Masks:
        """Work out the masks of a question's filters; `kept` keeps those of a column's values for the next question."""
        filters, columns = question.filters, market.columns
        masks = []

        def known(name: str, wanted: Collection[object], make: Callable[[], np.ndarray]) -> np.ndarray:
            if kept is None:
                return make()
            found = kept.get((name, wanted))
            if found is None:
                found = kept[name, wanted] = make()
            return found

        for name, column in (
            ("provider", "provider"),
            ("region", "region"),
            ("purchase", "purchase"),
            ("vendor", "accelerator_vendor"),
        ):
            wanted = getattr(filters, name)
            if wanted:
                masks.append(known(column, wanted, partial(columns.words[column].mask, wanted)))
        chips = question.accelerators
        if chips is not None:
            masks.append(known("accelerator", chips, partial(columns.words["accelerator"].mask, chips)))
        if filters.term_months:
            masks.append(np.isin(columns.term, filters.term_months))
        if filters.max_price_usd_per_hour is not None:
            masks.append(columns.price <= filters.max_price_usd_per_hour)
        if filters.max_accelerators is not None:
            masks.append(columns.count <= filters.max_accelerators)
        if filters.max_age_days is not None:
            dated = columns.observed != UNDATED
            old = market.as_of.toordinal() - columns.observed > filters.max_age_days
            masks.append(np.where(dated, ~old, columns.words["evidence"].mask(["quote"])))
        no_area = None
        if filters.area:
            area = known("area", (), partial(areas, columns, catalogue))
            masks.append(known("area", filters.area, lambda: np.isin(area, [*filters.area, ""])))
            no_area = known("no_area", (), lambda: area == "")
        keep = reduce(np.logical_and, masks) if masks else None
        by_size = filters.max_price_usd_per_hour is not None or filters.max_accelerators is not None
        return cls(keep, no_area, by_size)


def held_by(market: Market, measurement: Measurement) -> Held:
    """Return the offers that carry a measurement's hardware, before any filter."""
    if measurement.accelerator is not None:
        return market.held(measurement.accelerator, measurement.accelerator_count or 1)
    return market.named(measurement.provider or "", measurement.instance_type or "", measurement.accelerator_count)


def matches(
    question: Choosing, market: Market, catalogue: Catalogue, measurement: Measurement, masks: Masks, counter: Counter
) -> Matched:
    """Return the offers that carry a measurement and pass the filters; count the others by reason."""
    held = held_by(market, measurement)
    counter.add_offers("not_available", held.unavailable, measurement)
    _count_unconfirmed(market, measurement, counter)
    if masks.keep is None:
        _count_too_few(measurement, held.too_few, catalogue, counter)
        if question.all_sizes:
            return Matched.of(held)
        counter.add_offers("other_size", held.others, measurement)
        return Matched.shown(held)
    matched, too_few, picked = Matched.of(held), held.too_few, held.smallest
    kept, few_kept = masks.keep[matched.offers], masks.keep[too_few]
    left_out = np.concatenate([matched.offers[~kept], too_few[~few_kept]])
    counter.add_offers("filtered", left_out, measurement)
    matched, too_few = matched.take(kept), too_few[few_kept]
    if masks.by_size:
        # Other sizes than before may be the smallest now.
        picked = smallest_sizes(market.columns, matched.offers, matched.per_replica) if picked is not None else None
    elif picked is not None:
        picked = picked[kept]
    if masks.no_area is not None:
        nowhere, few_nowhere = masks.no_area[matched.offers], masks.no_area[too_few]
        left_out = np.concatenate([matched.offers[nowhere], too_few[few_nowhere]])
        counter.add_offers("area_not_stated", left_out, measurement)
        matched, too_few = matched.take(~nowhere), too_few[~few_nowhere]
        picked = picked[~nowhere] if picked is not None else None
    _count_too_few(measurement, too_few, catalogue, counter)
    return matched if question.all_sizes else _one_size(measurement, matched, picked, counter)


def kept(question: Choosing, market: Market, held: Held, masks: Masks) -> Matched:
    """Return the same offers as `matches`, without counting the others; the masks are along those that are held."""
    if masks.keep is None:
        return Matched.of(held) if question.all_sizes else Matched.shown(held)
    passing = masks.keep if masks.no_area is None else masks.keep & ~masks.no_area
    places = passing.nonzero()[0]
    if question.all_sizes or held.smallest is None:
        return Matched.of(held).take(places)
    if not masks.by_size:
        return Matched.of(held).take(places[held.smallest[places]])
    matched = Matched.of(held).take(places)
    picked = smallest_sizes(market.columns, matched.offers, matched.per_replica)
    return matched if picked is None else matched.take(picked)


def _count_too_few(measurement: Measurement, too_few: Ints, catalogue: Catalogue, counter: Counter) -> None:
    if len(too_few):
        chip = catalogue.accelerators.get(measurement.accelerator or "")
        carried = chip.host_accelerators if chip else None
        several_hosts = carried is not None and (measurement.accelerator_count or 1) > carried
        counter.add_offers("multi_host" if several_hosts else "too_few_accelerators", too_few, measurement)


def _one_size(measurement: Measurement, matched: Matched, picked: np.ndarray | None, counter: Counter) -> Matched:
    if picked is None:
        return matched
    counter.add_offers("other_size", matched.offers[~picked], measurement)
    return matched.take(picked)


def _count_unconfirmed(market: Market, measurement: Measurement, counter: Counter) -> None:
    hidden = market.unconfirmed
    if not len(hidden):
        return
    if measurement.accelerator is not None:
        same = market.unconfirmed_by_accelerator.get(measurement.accelerator, _NONE)
    else:
        provider, instance_type = hidden.words["provider"], hidden.words["instance_type"]
        named = provider.mask([measurement.provider or ""]) & instance_type.mask([measurement.instance_type or ""])
        same = np.flatnonzero(named)
    counter.add_offers("unconfirmed", same, measurement, hidden)


def enough(per_replica: np.ndarray, most: int) -> int:
    """Return how many offers, cheapest per replica first, hold the first `most` by cost, however costs are rounded."""
    if most >= len(per_replica):
        return len(per_replica)
    return int(per_replica.searchsorted(per_replica[most - 1] * (1 + 1e-9), side="right"))


def ranked(found: dict[int, Matched], most: int, figures: Figures) -> Pairs:
    """Return the first `most` pairs by cost; ties by offer (they are in tie order), then measurement.

    Each measurement's offers come cheapest per replica first, so that only its first `most` can be
    among the first `most` of all; those as dear as the last of these are kept for the ties.
    """
    if not found:
        return NO_PAIRS
    sizes = []
    for matched in found.values():
        sizes.append(enough(matched.per_replica, most))
    pairs = Pairs(
        np.repeat(np.fromiter(found, np.int64, len(found)), sizes),
        np.concatenate([matched.offers[:size] for matched, size in zip(found.values(), sizes, strict=True)]),
        np.concatenate([matched.replicas[:size] for matched, size in zip(found.values(), sizes, strict=True)]),
    )
    cost = figures(pairs).cost
    if most < len(pairs):
        # Only these need the slower sort by three keys.
        among = np.flatnonzero(cost <= np.partition(cost, most - 1)[most - 1])
        pairs, cost = pairs.take(among), cost[among]
    if len(found) == 1 and _in_order(cost, pairs.offer):
        return Pairs(pairs.measurement[:most], pairs.offer[:most], pairs.replicas[:most])
    order = np.lexsort((pairs.measurement, pairs.offer, cost))
    return pairs.take(order[:most])


def _in_order(cost: np.ndarray, offer: Ints) -> bool:
    """Whether costs ascend, and offers among equal ones: looking is many times quicker than sorting."""
    before, after = cost[:-1], cost[1:]
    return bool(np.all((before < after) | ((before == after) & (offer[:-1] < offer[1:]))))
