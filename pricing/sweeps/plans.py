"""Which offers can be the cheapest for some hardware under some filters, found once for all scenarios that share both.

The order of offers by price per replica does not depend on the rate, so that of thousands of offers
only the first few need a cost for each scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pricing.accelerators import Catalogue
from pricing.market import Market
from pricing.matching import Masks, Matched, enough, kept
from pricing.measurements import Measurement
from pricing.offers import Ints
from pricing.question import FiltersIn
from pricing.sweeps.scenarios import Scenario

# So many candidates more than are asked for do no harm.
FEW = 50
# Plans and masks are forgotten when they hold more than so many offers.
MOST_HELD = 2_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The offers that can be among the first K for some hardware, and sums over all that carry it.

    `count` offers carry it; `spot_sum` and `other_sum` add up their prices per replica in USD per hour.
    """

    offers: Ints
    replicas: Ints
    count: int
    spot_sum: float
    other_sum: float


@dataclass
class Plans:
    """The plans of one market for the first `most` estimates of each scenario; with sums where `summed`."""

    market: Market
    catalogue: Catalogue
    most: int
    summed: bool
    _plans: dict[tuple[object, ...], Plan] = field(default_factory=dict)
    _masks: dict[FiltersIn, Masks] = field(default_factory=dict)
    _columns: dict[tuple[object, ...], np.ndarray] = field(default_factory=dict)
    _held: int = 0

    def __post_init__(self) -> None:
        """Find out which offers are spot: a scenario may count less of their work."""
        self._spot = self.market.columns.words["purchase"].mask(["spot"])

    def plan(self, scenario: Scenario, measurement: Measurement) -> Plan:
        """Return the offers that can be among the scenario's cheapest with this measurement."""
        key = (
            measurement.accelerator, measurement.accelerator_count, measurement.provider, measurement.instance_type,
            scenario.filters, scenario.all_sizes, scenario.spot_loss > 0,
        )  # fmt: skip
        found = self._plans.get(key)
        if found is None:
            found = self._made(scenario, measurement)
            self._held += len(found.offers) + 50
            if self._held > MOST_HELD:
                self._plans.clear()
                self._masks.clear()
                self._columns.clear()
                self._held = 0
            self._plans[key] = found
        return found

    def _made(self, scenario: Scenario, measurement: Measurement) -> Plan:
        masks = self._masks.get(scenario.filters)
        if masks is None:
            masks = self._masks[scenario.filters] = Masks.of(scenario, self.market, self.catalogue, self._columns)
            self._held += len(self._spot) // 8
        matched = kept(scenario, self.market, measurement, masks)
        count = len(matched.offers)
        spot_sum = other_sum = 0.0
        if self.summed or scenario.spot_loss > 0:
            spot = self._spot[matched.offers]
            spot_sum = float(matched.per_replica[spot].sum())
            other_sum = float(matched.per_replica[~spot].sum())
            if scenario.spot_loss > 0:
                # What spot loses differs between scenarios: the first of each kind can be among the first of all.
                kinds = [self._first(matched.take(kind)) for kind in (spot, ~spot)]
                offers, replicas = (
                    np.concatenate([getattr(kind, name) for kind in kinds]) for name in ("offers", "replicas")
                )
                return Plan(offers, replicas, count, spot_sum, other_sum)
        first = self._first(matched)
        return Plan(first.offers.copy(), first.replicas.copy(), count, spot_sum, other_sum)

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
