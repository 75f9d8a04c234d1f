"""The figures of estimates in columns: offers × measurements → cost, range, ratio, what to reach."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from pricing import comparability, estimate
from pricing.accelerators import Catalogue
from pricing.market import Market
from pricing.measurements import Rate
from pricing.offers import SAME_COST, UNDATED, Columns, Ints
from pricing.question import Question
from pricing.units import UNITS

UNKNOWN, NOT_TIED, TIED = -1, 0, 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The estimate that the others are compared with."""

    name: str
    measurement: str
    price_usd_per_hour: float
    rate_per_second: float
    cost_usd: float


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """USD per 1M tokens: the whole machine charged to one kind, to the measured mix, and split between both."""

    input_alone: np.ndarray
    output_alone: np.ndarray
    blended: np.ndarray
    input_split: np.ndarray
    output_split: np.ndarray


@dataclass(frozen=True)
class Pairs:
    """Estimates before their figures: which measurement, which offer, how many replicas."""

    measurement: Ints
    offer: Ints
    replicas: Ints

    def take(self, index: Ints) -> Pairs:
        """Return the pairs at these positions."""
        return Pairs(self.measurement[index], self.offer[index], self.replicas[index])

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.offer)


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True)
class Estimates:
    """The figures of some estimates, in columns; NaN where there is none.

    `rank` counts by cost from 1, whatever the order of the rows.
    """

    question: Question
    market: Market
    catalogue: Catalogue
    pairs: Pairs
    rank: Ints
    rates: tuple[Rate, ...]
    shares: tuple[float, ...]
    cheapest: tuple[int, float] | None
    baseline: Baseline | None

    @property
    def columns(self) -> Columns:
        """The offers' columns; index them with `pairs.offer`."""
        return self.market.columns

    @cached_property
    def price(self) -> np.ndarray:
        """USD per instance-hour."""
        price: np.ndarray = self.columns.price[self.pairs.offer]
        return price

    @cached_property
    def utilization(self) -> np.ndarray:
        """Share of paid time whose work counts; less for spot where it loses work."""
        shares = np.full(len(self.pairs), self.question.utilization)
        if self.question.spot_loss:
            spot = self.columns.words["purchase"].mask(["spot"])[self.pairs.offer]
            shares[spot] = estimate.utilization_with_loss(self.question.utilization, self.question.spot_loss)
        return shares

    def _counted(self, values: list[float | None]) -> np.ndarray:
        """Spread a figure of each measurement's rate over the rows: × replicas × share counted."""
        each = np.array(
            [np.nan if v is None else estimate.counted_rate(v, s) for v, s in zip(values, self.shares, strict=True)]
        )
        counted: np.ndarray = each[self.pairs.measurement] * self.pairs.replicas
        return counted

    @cached_property
    def rate(self) -> np.ndarray:
        """Units per second that count: replicas × measured rate × success, before utilization."""
        return self._counted([rate.value for rate in self.rates])

    def _cost(self, rate: np.ndarray) -> np.ndarray:
        return estimate.cost_per_quoted_unit(self.price, rate, self.utilization, self.question.unit)

    @cached_property
    def cost(self) -> np.ndarray:
        """USD per quoted unit."""
        return self._cost(self.rate)

    @cached_property
    def cost_low(self) -> np.ndarray:
        """USD per quoted unit at the rate's upper bound."""
        return self._cost(self._counted([rate.high for rate in self.rates]))

    @cached_property
    def cost_high(self) -> np.ndarray:
        """USD per quoted unit at the rate's lower bound; none where that is not positive."""
        lows = [None if rate.low is None or rate.low <= 0 else rate.low for rate in self.rates]
        return self._cost(self._counted(lows))

    @cached_property
    def units_per_usd(self) -> np.ndarray:
        """Single units (tokens, audio-hours, requests) for one USD."""
        return estimate.units_per_usd(self.price, self.rate, self.utilization, self.question.unit)

    @cached_property
    def ratio_to_baseline(self) -> np.ndarray:
        """Cost divided by the baseline's cost; NaN where the two can't be compared."""
        return self.cost / self._baseline_cost

    @cached_property
    def rate_to_tie(self) -> np.ndarray:
        """Units per second at which this offer would cost what the baseline does."""
        return estimate.rate_to_tie(self.rate, self.cost, self._baseline_cost)

    @cached_property
    def price_to_tie(self) -> np.ndarray:
        """USD per hour at which this offer would cost what the baseline does."""
        return estimate.price_to_tie(self.price, self.cost, self._baseline_cost)

    @cached_property
    def token_costs(self) -> TokenCosts:
        """USD per 1M input, output and mixed tokens, where a measurement has both rates."""
        fields = ("input_tokens_per_second", "output_tokens_per_second")
        nan = float("nan")
        both = [all(field in m.rates for field in fields) for m in self.question.measurements]
        if not any(both):
            none = np.full(len(self.pairs), nan)
            return TokenCosts(none, none, none, none, none)
        measurements = list(zip(self.question.measurements, both, strict=True))
        inputs, outputs = (self._counted([m.rates[f].value if b else None for m, b in measurements]) for f in fields)
        total, unit = inputs + outputs, UNITS["output_token"]
        ratio = self.question.output_price_ratio
        split = estimate.token_cost_split(
            self.price, inputs, outputs, self.utilization, nan if ratio is None else ratio
        )

        def alone(rate: np.ndarray) -> np.ndarray:
            return estimate.cost_per_quoted_unit(self.price, rate, self.utilization, unit)

        return TokenCosts(alone(inputs), alone(outputs), alone(total), *split)

    @cached_property
    def group(self) -> np.ndarray:
        """The group of measurements, from 1, within which each row can be compared."""
        result: np.ndarray = self._groups[self.pairs.measurement]
        return result

    @cached_property
    def _groups(self) -> np.ndarray:
        """The group of each measurement; 0 for one without a rate."""
        rated = [i for i, rate in enumerate(self.rates) if not np.isnan(rate.value)]
        places = np.zeros(len(self.rates), np.int64)
        places[rated] = comparability.groups([self.question.measurements[i] for i in rated], self.question.accept)
        return places

    @cached_property
    def differs_in(self) -> list[str]:
        """In what each measurement differs from the baseline's, as pipe-separated parts."""
        measurements = self.question.measurements
        label = self.baseline.measurement if self.baseline else None
        base = next((m for m in measurements if m.label == label), None)
        return ["" if base is None else "|".join(comparability.differing_parts(m, base)) for m in measurements]

    @cached_property
    def _baseline_cost(self) -> float | np.ndarray:
        """The baseline's cost; unknown for rows that can't be compared with it."""
        if self.baseline is None:
            return float("nan")
        if len(self.rates) == 1:
            return self.baseline.cost_usd
        place = [m.label for m in self.question.measurements].index(self.baseline.measurement)
        return np.where(self.group == self._groups[place], self.baseline.cost_usd, np.nan)

    @cached_property
    def tied(self) -> np.ndarray:
        """Whether each row is tied with the cheapest: TIED, NOT_TIED or UNKNOWN (the cheapest itself)."""
        if self.cheapest is None:
            return np.full(len(self.pairs), UNKNOWN)
        first, cost = self.cheapest
        log_ratio = np.log(self.cost / cost)
        errors = np.array([np.nan if r.log_se is None else r.log_se for r in self.rates])
        other_error = errors[self.pairs.measurement]
        same = self.pairs.measurement == first
        standard_error = np.hypot(other_error, errors[first])
        across = estimate.is_tied_across_measurements(log_ratio, standard_error)
        tied = np.where(same, np.abs(log_ratio) <= SAME_COST, across).astype(int)
        tied[~same & np.isnan(standard_error)] = UNKNOWN
        tied[self.group != self._groups[first]] = UNKNOWN
        tied[self.rank == 1] = UNKNOWN
        return tied

    @cached_property
    def age_days(self) -> np.ndarray:
        """Days from the price's date to as_of; NaN for an undated price."""
        observed = self.columns.observed[self.pairs.offer]
        return np.where(observed == UNDATED, np.nan, self.market.as_of.toordinal() - observed)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.pairs)


class Figures(Protocol):
    """Makes the columns of figures for pairs; ranks count from 1 unless given."""

    def __call__(self, pairs: Pairs, rank: Ints | None = None) -> Estimates:
        """Return the figures."""
