"""Sweeps on one machine with NumPy: candidates from the sorted index, costs of many scenarios at once.

Every cost is worked out by the same formula, with the operations in the same order, as in a comparison,
so that both give the same doubles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from pricing import estimate
from pricing.accelerators import Catalogue
from pricing.columns import Coded, days_as_text
from pricing.compare import compare
from pricing.estimates import Pairs
from pricing.market import Market, PriceTable
from pricing.offers import NO_TERM
from pricing.sweeps.plans import Plan, Plans
from pricing.sweeps.results import SUMMARY, TOP, Values
from pricing.sweeps.scenarios import Rated, Scenario
from pricing.units import Unit

# So many scenarios are worked out at once, fewer where they have many estimates.
MOST_SCENARIOS = 5_000
MOST_ROWS = 250_000
MOST_CANDIDATES = 1_000_000
_MOST_REASONS = 20_000
# Why there is no estimate where nothing was left out.
NO_OFFER = "no_offer"


def portions(scenarios: Iterable[Scenario], top: int | None, most: int = MOST_SCENARIOS) -> Iterator[list[Scenario]]:
    """Yield scenarios in portions that are worked out at once; the same scenarios give the same portions."""
    portion: list[Scenario] = []
    rows = 0
    for scenario in scenarios:
        portion.append(scenario)
        rows += (top or 1) * len(scenario.measurements)
        if len(portion) == most or rows >= MOST_ROWS:
            yield portion
            portion, rows = [], 0
    if portion:
        yield portion


@dataclass(frozen=True, slots=True)
class _Ask:
    """The measurements of one scenario that are ranked together; `place` is its place in the result."""

    place: int
    scenario: Scenario
    group: int
    rated: Sequence[Rated]
    plans: Sequence[Plan]


@dataclass(frozen=True, slots=True)
class _Found:
    """Some rows of the result: the place of each in its order, and its columns."""

    order: np.ndarray
    columns: dict[str, Values]


class Engine:
    """Answers scenarios from one table: the cheapest `top` of each, or with None a summary of all its estimates."""

    def __init__(self, table: PriceTable, catalogue: Catalogue, as_of: date, top: int | None) -> None:
        """Start with nothing planned."""
        self._table, self._catalogue, self._as_of, self._top = table, catalogue, as_of, top
        self._plans: dict[bool, Plans] = {}
        self._reasons: dict[tuple[object, ...], str] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the result's columns."""
        return tuple(column.name for column in (SUMMARY if self._top is None else TOP))

    def result(self, scenarios: Sequence[Scenario]) -> dict[str, Values]:
        """Return the rows of the result for these scenarios, in columns: NaN or the code -1 for unknown."""
        with _uncollected():
            return self._result(scenarios)

    def _result(self, scenarios: Sequence[Scenario]) -> dict[str, Values]:
        asks: list[_Ask] = []
        nothing: list[_Ask] = []
        for scenario in scenarios:
            rated = scenario.rated()
            plans = self._plans_of(scenario.include_unconfirmed)
            if not rated:
                nothing.append(_Ask(len(asks) + len(nothing), scenario, 0, (), ()))
            for group, members in _groups(rated):
                found = [plans.plan(scenario, r.measurement) for r in members]
                ask = _Ask(len(asks) + len(nothing), scenario, group, members, found)
                (asks if any(plan.count for plan in found) else nothing).append(ask)
        parts = [self._rows(run) for run in _runs(asks)]
        if nothing:
            parts.append(self._rows_of_none(nothing))
        order = np.argsort(np.concatenate([part.order for part in parts]), kind="stable")
        return {name: _joined([part.columns[name] for part in parts], order) for name in self.columns}

    def _plans_of(self, include_unconfirmed: bool) -> Plans:
        plans = self._plans.get(include_unconfirmed)
        if plans is None:
            market = self._table.market(self._as_of, include_unconfirmed=include_unconfirmed)
            plans = Plans(market, self._catalogue, self._top or 1, self._top is None)
            self._plans[include_unconfirmed] = plans
        return plans

    def _rows(self, asks: Sequence[_Ask]) -> _Found:
        """Work out estimates of scenarios of the same unit and market."""
        first = asks[0].scenario
        unit, market = first.unit, self._plans_of(first.include_unconfirmed).market
        every = [r for ask in asks for r in ask.rated]
        plans = [plan for ask in asks for plan in ask.plans]
        ask_of = np.repeat(np.arange(len(asks)), [len(ask.rated) for ask in asks])
        # Which measurement each candidate is of.
        which = np.repeat(np.arange(len(every)), [len(plan.offers) for plan in plans])
        pairs = Pairs(
            which, np.concatenate([plan.offers for plan in plans]), np.concatenate([plan.replicas for plan in plans])
        )
        share = np.array([ask.scenario.utilization for ask in asks])
        lost = np.array([ask.scenario.spot_loss for ask in asks])
        ask = ask_of[which]
        utilization = share[ask]
        if lost.any():
            spot = market.columns.words["purchase"].mask(["spot"])[pairs.offer]
            utilization = np.where(spot, estimate.utilization_with_loss(utilization, lost[ask]), utilization)
        rates = _counted([r.rate.value for r in every], every)
        cost = _cost(market, pairs, rates, utilization, unit)
        best = _cheapest(ask, cost, pairs, self._top or 1)
        ask, cost, utilization, pairs = ask[best], cost[best], utilization[best], pairs.take(best)
        if self._top is None:
            mean, count = _means(asks, every, plans, ask_of, rates, unit)
            return _Found(
                np.array([a.place for a in asks]),
                {
                    "scenario": _texts([a.scenario.id for a in asks]),
                    "estimates": count,
                    "cost_min_usd": cost,
                    "cost_mean_usd": mean,
                    "cost_unit": _same(unit.cost_unit, len(asks)),
                    "comparable_group": np.array([a.group for a in asks]),
                    "left_out": _same(None, len(asks)),
                },
            )
        place, starts = np.array([a.place for a in asks]), np.flatnonzero(np.diff(ask, prepend=-1))
        columns = _offer_columns(market, pairs)
        columns["scenario"] = Coded(ask, [a.scenario.id for a in asks])
        columns["rank"] = np.arange(len(ask)) - np.repeat(starts, np.diff(starts, append=len(ask))) + 1
        columns["measurement"] = Coded(pairs.measurement, [r.measurement.label for r in every])
        columns["replicas"] = pairs.replicas
        needed = np.array([r.measurement.accelerator_count or 0 for r in every])
        columns["idle_accelerators"] = market.columns.count[pairs.offer] - pairs.replicas * needed[pairs.measurement]
        columns["rate_per_second"] = rates[pairs.measurement] * pairs.replicas
        columns["utilization"] = utilization
        columns["cost_usd"] = cost
        highs = _counted([r.rate.high for r in every], every)
        lows = _counted([r.rate.low if r.rate.low and r.rate.low > 0 else None for r in every], every)
        columns["cost_low_usd"] = _cost(market, pairs, highs, utilization, unit)
        columns["cost_high_usd"] = _cost(market, pairs, lows, utilization, unit)
        columns["cost_unit"] = _same(unit.cost_unit, len(ask))
        columns["comparable_group"] = np.array([a.group for a in asks])[ask]
        columns["left_out"] = _same(None, len(ask))
        return _Found(place[ask], columns)

    def _rows_of_none(self, asks: Sequence[_Ask]) -> _Found:
        """Return one row for each scenario, or group of its measurements, without an estimate: it says why."""
        size = len(asks)
        columns: dict[str, Values] = {}
        for column in SUMMARY if self._top is None else TOP:
            text = column.kind in ("text", "date")
            columns[column.name] = _same(None, size) if text else np.full(size, np.nan)
        columns["scenario"] = _texts([ask.scenario.id for ask in asks])
        columns["cost_unit"] = _texts([str(ask.scenario.unit.cost_unit) for ask in asks])
        columns["comparable_group"] = np.array([ask.group or np.nan for ask in asks])
        columns["left_out"] = _texts([self._reason(ask) for ask in asks])
        if self._top is None:
            columns["estimates"] = np.zeros(size)
        return _Found(np.array([ask.place for ask in asks]), columns)

    def _reason(self, ask: _Ask) -> str:
        """Say what was left out where nothing is left, as a comparison counts it."""
        scenario, members = ask.scenario, [r.measurement for r in ask.rated] or ask.scenario.measurements
        key = (
            scenario.unit.id, scenario.filters, scenario.include_unconfirmed, scenario.evidence,
            *((m.accelerator, m.accelerator_count, m.provider, m.instance_type, m.evidence, *m.rates) for m in members),
        )  # fmt: skip
        found = self._reasons.get(key)
        if found is None:
            question = scenario.question(self._table, self._as_of)
            answer = compare(replace(question, measurements=tuple(members)), self._catalogue)
            found = "|".join(f"{excluded.reason}:{excluded.count}" for excluded in answer.excluded)
            if len(self._reasons) >= _MOST_REASONS:
                self._reasons.clear()
            self._reasons[key] = found = found or NO_OFFER
        return found


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector of cycles from looking through thousands of small objects again and again: none has one."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _groups(rated: Sequence[Rated]) -> Iterable[tuple[int, Sequence[Rated]]]:
    """Return the measurements of each group, the groups in the order in which they begin."""
    if len(rated) == 1:
        return [(1, rated)]
    groups: dict[int, list[Rated]] = {}
    for each in rated:
        groups.setdefault(each.group, []).append(each)
    return groups.items()


def _runs(asks: Iterable[_Ask]) -> Iterator[list[_Ask]]:
    """Put together what is worked out at once: asks of one unit and market, not too many candidates."""
    runs: dict[tuple[str, bool], list[_Ask]] = {}
    sizes: dict[tuple[str, bool], int] = {}
    for ask in asks:
        key = (ask.scenario.unit.id, ask.scenario.include_unconfirmed)
        size = sizes.get(key, 0)
        for plan in ask.plans:
            size += len(plan.offers)
        sizes[key] = size
        runs.setdefault(key, []).append(ask)
        if size >= MOST_CANDIDATES:
            yield runs.pop(key)
            sizes[key] = 0
    yield from runs.values()


def _counted(rates: Sequence[float | None], every: Sequence[Rated]) -> np.ndarray:
    """Return, of one replica, the rate that counts; NaN where there is none."""
    return np.array(
        [np.nan if v is None else estimate.counted_rate(v, r.share) for v, r in zip(rates, every, strict=True)]
    )


def _cost(market: Market, pairs: Pairs, rates: np.ndarray, utilization: np.ndarray, unit: Unit) -> np.ndarray:
    rate = rates[pairs.measurement] * pairs.replicas
    return estimate.cost_per_quoted_unit(market.columns.price[pairs.offer], rate, utilization, unit)


def _cheapest(ask: np.ndarray, cost: np.ndarray, pairs: Pairs, top: int) -> np.ndarray:
    """Return the places of the first `top` of each ask: by cost, then in the order of offers, then of measurements."""
    same, dearer = np.diff(ask) == 0, np.diff(cost)
    after = (dearer > 0) | ((dearer == 0) & (np.diff(pairs.offer) > 0))
    if (after | ~same).all():
        # The usual case: each ask has one measurement, whose offers come in this order.
        order, sorted_ask = np.arange(len(ask)), ask
    else:
        order = np.lexsort((pairs.measurement, pairs.offer, cost, ask))
        sorted_ask = ask[order]
    starts = np.flatnonzero(np.diff(sorted_ask, prepend=-1))
    place = np.arange(len(ask)) - np.repeat(starts, np.diff(starts, append=len(ask)))
    return order[place < top]


def _means(
    asks: Sequence[_Ask],
    every: Sequence[Rated],
    plans: Sequence[Plan],
    ask_of: np.ndarray,
    rates: np.ndarray,
    unit: Unit,
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean cost and number of all estimates of each ask.

    The costs of one measurement are its prices per replica times one factor, so that their sum is the
    sum of the prices times the factor; spot has a factor of its own where it loses work.
    """
    share = np.array([ask.scenario.utilization for ask in asks])[ask_of]
    lost = np.array([ask.scenario.spot_loss for ask in asks])[ask_of]
    spot, other = (np.array([getattr(plan, name) for plan in plans]) for name in ("spot_sum", "other_sum"))
    counts = np.array([plan.count for plan in plans])
    total = estimate.cost_per_quoted_unit(other, rates, share, unit) + estimate.cost_per_quoted_unit(
        spot, rates, estimate.utilization_with_loss(share, lost), unit
    )
    count = np.bincount(ask_of, counts, len(asks))
    return np.bincount(ask_of, total, len(asks)) / count, count


def _offer_columns(market: Market, pairs: Pairs) -> dict[str, Values]:
    """Return what is known of the offers themselves."""
    columns, offers = market.columns, pairs.offer
    found: dict[str, Values] = {}
    for name in (
        "provider", "instance_type", "region", "purchase", "accelerator", "accelerator_vendor", "plan",
    ):  # fmt: skip
        words = columns.words[name]
        found[name] = Coded(words.codes[offers], words.vocabulary)
    found["price_evidence"] = Coded(columns.words["evidence"].codes[offers], columns.words["evidence"].vocabulary)
    term = columns.term[offers]
    found["term_months"] = np.where(term == NO_TERM, np.nan, term)
    found["accelerator_count"] = columns.count[offers]
    found["price_usd_per_hour"] = columns.price[offers]
    found["price_observed_on"] = days_as_text(columns.observed[offers])
    return found


def _texts(texts: list[str]) -> Coded:
    return Coded(np.arange(len(texts)), texts)


def _same(text: str | None, size: int) -> Coded:
    """Return one text in all rows, or none."""
    return Coded(np.full(size, -1), []) if text is None else Coded(np.zeros(size, np.int64), [str(text)])


def _joined(parts: Sequence[Values], order: np.ndarray) -> Values:
    """Put the parts of a column together, in the order of the result."""
    if isinstance(parts[0], Coded):
        coded = [part for part in parts if isinstance(part, Coded)]
        if all(part.vocabulary is coded[0].vocabulary for part in coded):
            return Coded(np.concatenate([part.codes for part in coded])[order], coded[0].vocabulary)
        starts = np.cumsum([0, *(len(part.vocabulary) for part in coded)])
        codes = [np.where(part.codes < 0, -1, part.codes + start) for part, start in zip(coded, starts, strict=False)]
        vocabulary = [text for part in coded for text in part.vocabulary]
        return Coded(np.concatenate(codes)[order], vocabulary)
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    joined: np.ndarray = np.concatenate(arrays)[order]
    return joined
