"""Which offers can be the cheapest for some hardware under some filters, found once for all scenarios that share both.

The order of offers by price per replica does not depend on the rate, so that of thousands of offers
only the first few need a cost for each scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pricing.accelerators import Catalogue
from pricing.market import Held, Market
from pricing.matching import Masks, Matched, enough, held_by, kept
from pricing.measurements import Measurement
from pricing.offers import Ints
from pricing.question import FiltersIn
from pricing.sweeps.scenarios import Scenario

# So many candidates more than are asked for do no harm.
FEW = 50
# Plans are forgotten when they hold more than so many offers, views when they hold more than so many beside four
# times the table, masks of a view when there are more.
MOST_PLANNED = 2_000_000
MOST_VIEWED = 500_000
MOST_MASKS = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """The offers that can be among the first K for some hardware, and sums over all that carry it.

    `count` offers carry it; the sums add up their prices per replica in USD per hour, those of spot apart
    where it loses work.
    """

    offers: Ints
    replicas: Ints
    count: int
    spot_sum: float
    other_sum: float


@dataclass(frozen=True)
class _View:
    """The offers that carry some hardware, cheapest first, as a market of their own to be filtered.

    `masks` keeps which of them each value of a filter leaves.
    """

    held: Held
    market: Market
    masks: dict[tuple[object, ...], np.ndarray] = field(default_factory=dict)


@dataclass
class Plans:
    """The plans of one market for the first `most` estimates of each scenario; with sums where `summed`."""

    market: Market
    catalogue: Catalogue
    most: int
    summed: bool
    _plans: dict[tuple[object, ...], tuple[FiltersIn, Plan]] = field(default_factory=dict)
    _views: dict[tuple[object, ...], _View] = field(default_factory=dict)
    _planned: int = 0
    _viewed: int = 0

    def __post_init__(self) -> None:
        """Find out which offers are spot: a scenario may count less of their work."""
        self._spot = self.market.columns.words["purchase"].mask(["spot"])

    def plan(self, scenario: Scenario, measurement: Measurement) -> Plan:
        """Return the offers that can be among the scenario's cheapest with this measurement."""
        hardware = (
            measurement.accelerator, measurement.accelerator_count, measurement.provider, measurement.instance_type,
        )  # fmt: skip
        key = (hardware, id(scenario.filters), scenario.all_sizes, scenario.spot_loss > 0)
        known = self._plans.get(key)
        if known is None:
            view = self._views.get(hardware) or self._view(hardware, measurement)
            plan = self._made(scenario, view)
            self._planned += len(plan.offers) + 50
            if self._planned > MOST_PLANNED:
                self._plans.clear()
                self._planned = 0
            # The filters are kept as well, so that no others get their id.
            known = self._plans[key] = (scenario.filters, plan)
        return known[1]

    def _view(self, hardware: tuple[object, ...], measurement: Measurement) -> _View:
        held = held_by(self.market, measurement)
        self._viewed += len(held.offers)
        if self._viewed > MOST_VIEWED + 4 * len(self.market.columns):
            self._views.clear()
            self._viewed = len(held.offers)
        view = self._views[hardware] = _View(held, self.market.only(held.offers))
        return view

    def _made(self, scenario: Scenario, view: _View) -> Plan:
        if len(view.masks) > MOST_MASKS:
            view.masks.clear()
        masks = Masks.of(scenario, view.market, self.catalogue, view.masks)
        matched = kept(scenario, self.market, view.held, masks)
        count = len(matched.offers)
        if scenario.spot_loss > 0:
            # What spot loses differs between scenarios: the first of each kind can be among the first of all.
            spot = self._spot[matched.offers]
            kinds = matched.take(spot), matched.take(~spot)
            sums = [float(kind.per_replica.sum()) for kind in kinds]
            firsts = [self._first(kind) for kind in kinds]
            offers, replicas = (
                np.concatenate([getattr(kind, name) for kind in firsts]) for name in ("offers", "replicas")
            )
            return Plan(offers, replicas, count, *sums)
        other_sum = float(matched.per_replica.sum()) if self.summed else 0.0
        first = self._first(matched)
        return Plan(first.offers.copy(), first.replicas.copy(), count, 0.0, other_sum)

    def _first(self, matched: Matched) -> Matched:
        """Keep the offers that can be among the first `most`: equal costs stay in tie order."""
        size = enough(matched.per_replica, self.most)
        first = Matched(matched.offers[:size], matched.replicas[:size], matched.per_replica[:size])
        if size <= self.most + FEW:
            return first
        # Of offers with the same price and replicas, whose costs are the same double, the first ones are enough.
        price = self.market.columns.price[first.offers]
        order = np.lexsort((first.offers, first.replicas, price, self._spot[first.offers]))
        alike = np.ones(size, bool)
        alike[0] = False
        for values in (price, first.replicas, self._spot[first.offers]):
            alike[1:] &= values[order][1:] == values[order][:-1]
        starts = np.flatnonzero(~alike)
        place = np.arange(size) - np.repeat(starts, np.diff(starts, append=size))
        return first.take(np.sort(order[place < self.most]))
