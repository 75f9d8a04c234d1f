"""Which offers carry a measurement's hardware, in order of cost, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pricing.accelerators import Catalogue
from pricing.estimates import NO_PAIRS, SAME_COST, Figures, Pairs
from pricing.measurements import Measurement
from pricing.offers import Columns, Held, Ints, Market, areas
from pricing.question import Question

REASONS = {
    "no_rate_for_unit": "measurements give no rate of the kind that is asked for; no other kind is used in its place",
    "not_available": "can't be had: grandfathered, withdrawn, or in no region",
    "unconfirmed": "third-party prices that nobody confirmed; shown with include_unconfirmed=1",
    "filtered": "left out by your filters",
    "area_not_stated": "have no stated region, so they are in no area",
    "too_few_accelerators": "have fewer accelerators than the measurement ran on",
    "multi_host": "one host carries fewer than the measurement ran on, and several hosts are not put together",
    "other_size": "other sizes of the same price, at the same or a higher cost per unit; shown with all_sizes=1",
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
            self._examples[reason] = f"{text} (for {measurement.label})"
        if len(offers):
            self._counts[reason] = self._counts.get(reason, 0) + len(offers)

    def result(self) -> tuple[Excluded, ...]:
        """Return the counts in the order of the reasons."""
        return tuple(
            Excluded(reason, self._counts[reason], self._examples[reason])
            for reason in REASONS
            if reason in self._counts
        )


@dataclass(frozen=True)
class Masks:
    """Which offers the filters keep; None where nothing is filtered."""

    keep: np.ndarray | None
    no_area: np.ndarray | None
    by_size: bool

    @classmethod
    def of(cls, question: Question, market: Market, catalogue: Catalogue) -> Masks:
        """Work out the masks of a question's filters."""
        filters, columns = question.filters, market.columns
        masks = []
        for name, column in (
            ("provider", "provider"),
            ("region", "region"),
            ("purchase", "purchase"),
            ("vendor", "accelerator_vendor"),
        ):
            wanted = getattr(filters, name)
            if wanted:
                masks.append(columns.words[column].mask(wanted))
        if question.accelerators is not None:
            masks.append(columns.words["accelerator"].mask(question.accelerators))
        if filters.term_months:
            masks.append(np.isin(columns.term, filters.term_months))
        if filters.max_price_usd_per_hour is not None:
            masks.append(columns.price <= filters.max_price_usd_per_hour)
        if filters.max_accelerators is not None:
            masks.append(columns.count <= filters.max_accelerators)
        no_area = None
        if filters.area:
            area = areas(columns, catalogue)
            masks.append(np.isin(area, [*filters.area, ""]))
            no_area = area == ""
        keep = np.logical_and.reduce(masks) if masks else None
        by_size = filters.max_price_usd_per_hour is not None or filters.max_accelerators is not None
        return cls(keep, no_area, by_size)


def held_by(market: Market, measurement: Measurement) -> Held:
    """Return the offers that carry a measurement's hardware, before any filter."""
    if measurement.accelerator is not None:
        return market.held(measurement.accelerator, measurement.accelerator_count or 1)
    return market.named(measurement.provider or "", measurement.instance_type or "", measurement.accelerator_count)


def matches(
    question: Question, market: Market, catalogue: Catalogue, measurement: Measurement, masks: Masks, counter: Counter
) -> Matched:
    """Return the offers that carry a measurement and pass the filters; count the others by reason."""
    held = held_by(market, measurement)
    counter.add_offers("not_available", held.unavailable, measurement)
    _count_unconfirmed(market, measurement, counter)
    matched, too_few = Matched(held.offers, held.replicas, held.per_replica), held.too_few
    if masks.keep is not None:
        kept, few_kept = masks.keep[matched.offers], masks.keep[too_few]
        left_out = np.concatenate([matched.offers[~kept], too_few[~few_kept]])
        counter.add_offers("filtered", left_out, measurement)
        matched, too_few = matched.take(kept), too_few[few_kept]
        if masks.no_area is not None:
            nowhere, few_nowhere = masks.no_area[matched.offers], masks.no_area[too_few]
            left_out = np.concatenate([matched.offers[nowhere], too_few[few_nowhere]])
            counter.add_offers("area_not_stated", left_out, measurement)
            matched, too_few = matched.take(~nowhere), too_few[~few_nowhere]
    if len(too_few):
        chip = catalogue.accelerators.get(measurement.accelerator or "")
        carried = chip.host_accelerators if chip else None
        several_hosts = carried is not None and (measurement.accelerator_count or 1) > carried
        counter.add_offers("multi_host" if several_hosts else "too_few_accelerators", too_few, measurement)
    return matched if question.all_sizes else smallest_sizes(market, measurement, matched, counter)


def _count_unconfirmed(market: Market, measurement: Measurement, counter: Counter) -> None:
    hidden = market.unconfirmed
    if not len(hidden):
        return
    words = hidden.words
    if measurement.accelerator is not None:
        same = words["accelerator"].mask([measurement.accelerator])
    else:
        same = words["provider"].mask([measurement.provider or ""]) & words["instance_type"].mask(
            [measurement.instance_type or ""]
        )
    counter.add_offers("unconfirmed", np.flatnonzero(same), measurement, hidden)


def smallest_sizes(
    market: Market, measurement: Measurement, matched: Matched, counter: Counter | None = None
) -> Matched:
    """Keep, of each row's sizes, the smallest with the lowest cost per replica."""
    columns = market.columns
    places = np.flatnonzero(columns.sized[matched.offers])
    if measurement.accelerator is None or not len(places):
        return matched
    offers, cost = matched.offers[places], matched.per_replica[places]
    row, count = columns.row[offers], columns.count[offers]
    _, group = np.unique(row, return_inverse=True)
    lowest = np.full(group.max() + 1, np.inf)
    np.minimum.at(lowest, group, cost)
    dearer = cost > lowest[group] * (1 + SAME_COST)
    best = np.lexsort((count, dearer, group))
    first = best[np.flatnonzero(np.diff(group[best], prepend=-1))]
    picked = np.ones(len(matched.offers), bool)
    picked[places] = False
    picked[places[first]] = True
    if counter is not None:
        counter.add_offers("other_size", matched.offers[~picked], measurement)
    return matched.take(picked)


def ranked(found: dict[int, Matched], most: int, figures: Figures) -> Pairs:
    """Return the first `most` pairs by cost; ties by offer (they are in tie order), then measurement.

    Each measurement's offers come cheapest per replica first, so that only its first `most` can be
    among the first `most` of all; those as dear as the last of these are kept for the ties.
    """
    parts = []
    for i, matched in found.items():
        size = len(matched.offers)
        if 0 < most < size:
            bound = matched.per_replica[most - 1] * (1 + 1e-9)
            size = int(np.searchsorted(matched.per_replica, bound, side="right"))
        parts.append(Pairs(np.full(size, i), matched.offers[:size], matched.replicas[:size]))
    if not parts:
        return NO_PAIRS
    pairs = Pairs(
        np.concatenate([part.measurement for part in parts]),
        np.concatenate([part.offer for part in parts]),
        np.concatenate([part.replicas for part in parts]),
    )
    order = np.lexsort((pairs.measurement, pairs.offer, figures(pairs).cost))
    return pairs.take(order[:most])
