"""Sweeps by joining tables: the same results as the NumPy engine's, from tables that an engine holds or streams."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import narwhals as nw
import numpy as np
import polars as pl

from pricing import estimate
from pricing.columns import Coded, days_as_text
from pricing.offers import EVIDENCE, NO_TERM, UNDATED, Floats
from pricing.sweeps import expression
from pricing.sweeps.demands import BOUNDS, EQUAL, Ask, Asked
from pricing.sweeps.expression import Demands, Frame
from pricing.sweeps.results import SUMMARY, TOP, Values
from pricing.sweeps.scanned import Machine, ScannedTable
from pricing.sweeps.scenarios import Scenario
from pricing.units import SECONDS_PER_HOUR

# Pairs of demand and offer that are looked at together; more where one scenario alone has more.
MOST_PAIRS = 10_000_000
# In place of the offers that were left out, which a comparison counts.
NOT_COUNTED = "not_counted"
_WANTED = {"measured": pl.Int64, "ask": pl.Int64, "demand": pl.Int64, "rate": pl.Float64, "utilization": pl.Float64,
           "spot_utilization": pl.Float64, "quoted": pl.Float64}  # fmt: skip
_DEMANDED = {"demand": pl.Int64, "pattern": pl.Int64} | dict.fromkeys((*BOUNDS, *EQUAL), pl.String) | {
    "per_replica": pl.Int64, "most_usd": pl.Float64, "most_accelerators": pl.Int64, "oldest": pl.Date,
    "spot_weight": pl.Float64, "one_size": pl.Boolean, "accelerator_count": pl.Int64, "term_months": pl.Int64,
    "unconfirmed": pl.Int64,
}  # fmt: skip
_TEXTS = ("provider", "instance_type", "region", "purchase", "accelerator", "plan")


class JoinedEngine:
    """Answers scenarios from one scanned table: the cheapest `top` of each, or with None a summary of its estimates.

    `most_pairs` bounds what one query looks at; None for all scenarios of a portion in one query.
    """

    def __init__(
        self, table: ScannedTable, as_of: date, top: int | None, *, most_pairs: int | None = MOST_PAIRS
    ) -> None:
        """Start without prices: they are worked out when the first scenario needs them."""
        self._table, self._as_of, self._top, self._most_pairs = table, as_of, top, most_pairs
        self._markets: dict[bool, Frame] = {}
        self._held: dict[bool, dict[str, int]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the result's columns."""
        return tuple(column.name for column in (SUMMARY if self._top is None else TOP))

    def result(self, scenarios: Sequence[Scenario]) -> dict[str, Values]:
        """Return the rows of the result for these scenarios, in columns: NaN or the code -1 for unknown."""
        parts = list(self._answered(scenarios))
        return {name: _joined([part[name] for part in parts]) for name in self.columns}

    def _answered(self, scenarios: Sequence[Scenario]) -> list[dict[str, Values]]:
        kinds = {scenario.include_unconfirmed for scenario in scenarios}
        asked = Asked.of(scenarios, self._as_of, self._table.catalogue, tell_apart=len(kinds) > 1)
        pairs = sum(self._pairs(asked, kind) for kind in kinds)
        if self._most_pairs is not None and pairs > self._most_pairs and len(scenarios) > 1:
            half = len(scenarios) // 2
            return [*self._answered(scenarios[:half]), *self._answered(scenarios[half:])]
        found = self._found(asked, kinds)
        rows = self._summary_rows(asked, found) if self._top is None else self._top_rows(asked, found)
        return [rows]

    def _pairs(self, asked: Asked, unconfirmed: bool) -> int:
        """Return how many pairs of demand and offer a query meets at most."""
        if self._most_pairs is None:
            return 0
        self._market(unconfirmed)
        held = self._held[unconfirmed]
        return sum(number * held.get(on, 0) for on, number in asked.hardware.items() if isinstance(on, str))

    def _market(self, unconfirmed: bool) -> Frame:
        market = self._markets.get(unconfirmed)
        if market is None:
            market = self._table.offers(self._as_of, include_unconfirmed=unconfirmed)
            self._markets[unconfirmed] = market
            if self._most_pairs is not None:
                counted = market.group_by("accelerator").agg(nw.len().alias("offers"))
                self._held[unconfirmed] = dict(self._machine.collect(counted).rows())
        return market

    @property
    def _machine(self) -> Machine:
        return self._table.machine

    def _found(self, asked: Asked, kinds: set[bool]) -> pl.DataFrame | None:
        """Run the expression; None where no scenario has a measurement that counts."""
        if not asked.measured:
            return None
        if len(kinds) == 1:
            offers = self._market(*kinds)
        else:
            markets = [(int(kind), self._market(kind)) for kind in (False, True)]
            offers = nw.concat([market.with_columns(unconfirmed=nw.lit(kind, nw.Int64)) for kind, market in markets])
        wanted = self._machine.frame(pl.DataFrame(asked.wanted, schema=_WANTED))
        joins = asked.joins(self._machine.most_joins)
        frame = self._machine.frame(pl.DataFrame(asked.demanded, schema=_DEMANDED))
        demands = Demands(frame, joins, self._table.sized)
        if self._top is None:
            return self._machine.collect(expression.summary(wanted, demands, offers)).sort("ask")
        return self._machine.collect(expression.cheapest(wanted, demands, offers, self._top)).sort("ask", "rank")

    def _summary_rows(self, asked: Asked, found: pl.DataFrame | None) -> dict[str, Values]:
        columns = ("ask", "estimates", "lowest", "mean")
        ask, estimates, lowest, mean = (found[name].to_numpy() for name in columns) if found is not None else _NOTHING
        nothing = _others(ask, len(asked.asks))
        asks, order = _in_order(asked, ask, nothing)
        blank = np.full(len(nothing), np.nan)
        return {
            "scenario": _texts([each.scenario.id for each in asks]),
            "estimates": np.concatenate([estimates, np.zeros(len(nothing))])[order],
            "cost_min_usd": np.concatenate([lowest, blank])[order],
            "cost_mean_usd": np.concatenate([mean, blank])[order],
            **_common(asks, order >= len(ask)),
        }

    def _top_rows(self, asked: Asked, found: pl.DataFrame | None) -> dict[str, Values]:
        ask = np.empty(0, np.int64) if found is None else found["ask"].to_numpy()
        nothing = _others(ask, len(asked.asks))
        asks, order = _in_order(asked, ask, nothing)
        columns = {"scenario": _texts([each.scenario.id for each in asks])} | _common(asks, order >= len(ask))
        known = {} if found is None else self._known(asked, found)
        for name in self.columns:
            if name in columns:
                continue
            values = known.get(name, np.empty(0))
            if isinstance(values, Coded):
                codes = np.concatenate([values.codes, np.full(len(nothing), -1)])
                columns[name] = Coded(codes[order], values.vocabulary)
            else:
                columns[name] = np.concatenate([values, np.full(len(nothing), np.nan)])[order]
        return columns

    def _known(self, asked: Asked, found: pl.DataFrame) -> dict[str, Values]:
        """Return the columns of the estimates that were found."""
        catalogue = self._table.catalogue
        known: dict[str, Values] = {name: _coded(found[name]) for name in _TEXTS}
        accelerator = _coded(found["accelerator"])
        makers = [catalogue.accelerators[name].vendor if name else "" for name in accelerator.vocabulary]
        known["accelerator_vendor"] = Coded(accelerator.codes, makers)
        known["price_evidence"] = Coded(found["known"].to_numpy(), EVIDENCE)
        term = found["term_months"].to_numpy()
        known["term_months"] = np.where(term == NO_TERM, np.nan, term)
        price, replicas = found["price_usd_per_hour"].to_numpy(), found["replicas"].to_numpy()
        count, measured = found["accelerator_count"].to_numpy(), found["measured"].to_numpy()
        known |= {"accelerator_count": count, "price_usd_per_hour": price, "replicas": replicas}
        known |= {"rank": found["rank"].to_numpy(), "cost_usd": found["cost_usd"].to_numpy()}
        days = (found["observed_on"].cast(pl.Int32) + date(1970, 1, 1).toordinal()).to_numpy()
        known["price_observed_on"] = days_as_text(np.where(days == expression.UNDATED.toordinal(), UNDATED, days))
        every = asked.measured
        known["measurement"] = Coded(measured, [r.measurement.label for r in every])
        needed = np.array([r.measurement.accelerator_count or 0 for r in every])
        known["idle_accelerators"] = count - replicas * needed[measured]
        wanted = {name: np.array(asked.wanted[name])[measured] for name in ("rate", "utilization", "quoted")}
        spot = (found["purchase"] == "spot").to_numpy()
        share = np.where(spot, np.array(asked.wanted["spot_utilization"])[measured], wanted["utilization"])
        known["rate_per_second"] = wanted["rate"] * replicas
        known["utilization"] = share
        for name, rates in (
            ("cost_low_usd", [r.rate.high for r in every]),
            ("cost_high_usd", [r.rate.low if r.rate.low and r.rate.low > 0 else None for r in every]),
        ):
            counted: Floats = np.array(
                [np.nan if v is None else estimate.counted_rate(v, r.share) for v, r in zip(rates, every, strict=True)]
            )
            rate = counted[measured] * replicas
            known[name] = price / (SECONDS_PER_HOUR * rate * share) * wanted["quoted"]
        return known


_NOTHING = (np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0))


def _others(ask: np.ndarray, asks: int) -> np.ndarray:
    """Return the asks without an estimate."""
    return np.setdiff1d(np.arange(asks), ask)


def _in_order(asked: Asked, ask: np.ndarray, nothing: np.ndarray) -> tuple[list[Ask], np.ndarray]:
    """Return the ask of each row of the result, and where the row stands among estimates, then asks without one."""
    every = np.concatenate([ask, nothing])
    order = np.argsort(every, kind="stable")
    return [asked.asks[i] for i in every[order].tolist()], order


def _common(asks: Sequence[Ask], without: np.ndarray) -> dict[str, Values]:
    """Return the columns that every row has, and why it has no estimate where it has none."""
    left_out = [NOT_COUNTED if ask.group else _without_rate(ask.scenario) for ask in asks]
    return {
        "cost_unit": _texts([str(ask.scenario.unit.cost_unit) for ask in asks]),
        "comparable_group": np.array([ask.group or np.nan for ask in asks]),
        "left_out": Coded(np.where(without, np.arange(len(asks)), -1), left_out),
    }


def _without_rate(scenario: Scenario) -> str:
    """Say why none of a scenario's measurements counts, as a comparison says it."""
    unknown = sum(bool(scenario.evidence) and m.evidence not in scenario.evidence for m in scenario.measurements)
    counts = {"no_rate_for_unit": len(scenario.measurements) - unknown, "evidence_left_out": unknown}
    return "|".join(f"{reason}:{count}" for reason, count in counts.items() if count)


def _texts(texts: Sequence[str]) -> Coded:
    return Coded(np.arange(len(texts)), texts)


def _coded(texts: pl.Series) -> Coded:
    """Return a column of texts as codes."""
    vocabulary = texts.unique(maintain_order=True)
    codes = {text: i for i, text in enumerate(vocabulary.to_list())}
    return Coded(np.array([codes[text] for text in texts.to_list()], np.int64), vocabulary.to_list())


def _joined(parts: Sequence[Values]) -> Values:
    """Put the parts of a column one below the other."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], Coded):
        coded = [part for part in parts if isinstance(part, Coded)]
        starts = np.cumsum([0, *(len(part.vocabulary) for part in coded)])
        codes = [np.where(part.codes < 0, -1, part.codes + start) for part, start in zip(coded, starts, strict=False)]
        return Coded(np.concatenate(codes), [text for part in coded for text in part.vocabulary])
    return np.concatenate([part for part in parts if isinstance(part, np.ndarray)])
