"""Price tables and the prices in force on a date, indexed by accelerator and sorted by price per replica."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import numpy as np

from pricing.offers import NOT_AVAILABLE, SAME_COST, UNDATED, Columns, Floats, Ints, Words, in_force


@dataclass(frozen=True)
class PriceTable:
    """All observations, sizes expanded, conflicts refused. Immutable: a refresh makes a new one.

    `source_rows` counts the rows before expansion, `sha256` is over their content in our schema.
    `assumptions` are warnings about names that stood for one of several accelerators.
    """

    columns: Columns
    source_rows: int
    sha256: str
    layers: Ints | None = None
    assumptions: tuple[str, ...] = ()
    _markets: OrderedDict[tuple[object, ...], Market] = field(default_factory=OrderedDict)

    @staticmethod
    def joined(tables: Sequence[PriceTable], *, own: PriceTable | None = None) -> PriceTable:
        """Put tables together; `own` holds the user's offers of one question, which come first."""
        parts = [*tables, *([own] if own is not None else [])]
        if len(parts) == 1 and own is None:
            return parts[0]
        columns = Columns.joined([part.columns for part in parts])
        layers = None
        if own is not None:
            layers = np.zeros(len(columns), np.int8)
            layers[len(columns) - len(own.columns) :] = 1
        digest = hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest()
        return PriceTable(
            columns,
            sum(part.source_rows for part in parts),
            digest,
            layers,
            tuple(text for part in parts for text in part.assumptions),
        )

    @property
    def first_seen(self) -> date | None:
        """The day of the first price, None where a price without a date counts on every day, or there is none."""
        first = int(self.columns.observed.min(initial=np.iinfo(np.int32).max))
        return None if first in (UNDATED, np.iinfo(np.int32).max) else date.fromordinal(first)

    def market(
        self,
        as_of: date,
        *,
        include_unconfirmed: bool = False,
        discounts: tuple[tuple[str, float], ...] = (),
        spot_loss: float = 0.0,
    ) -> Market:
        """Return the prices in force on a date; unconfirmed (third_party) ones only when asked for.

        `discounts` are (provider, share off) and hold for list prices; `spot_loss` is the share of
        work that spot loses, which makes spot rank as if it were dearer.
        """
        key = (as_of, include_unconfirmed, discounts, spot_loss)
        found = self._markets.get(key)
        if found is None:
            found = Market.of(self, as_of, include_unconfirmed).discounted(discounts).weighted(spot_loss)
            self._markets[key] = found
            while len(self._markets) > 8:
                self._markets.popitem(last=False)
        return found

    @cached_property
    def _types(self) -> dict[tuple[str, str], list[int]]:
        words = self.columns.words
        pairs = np.stack([words["provider"].codes, words["instance_type"].codes, self.columns.count])
        types: dict[tuple[str, str], list[int]] = {}
        for p, t, count in np.unique(pairs, axis=1).T.tolist():
            name = (words["provider"].vocabulary[p], words["instance_type"].vocabulary[t])
            types.setdefault(name, []).append(count)
        return types

    def sizes_of(self, provider: str, instance_type: str) -> list[int]:
        """Return the accelerator counts in which a type is offered, ascending; empty if unknown."""
        return self._types.get((provider, instance_type), [])

    @cached_property
    def _folded_types(self) -> dict[str, dict[str, list[str]]]:
        folded: dict[str, dict[str, list[str]]] = {}
        for provider, instance_type in self._types:
            folded.setdefault(provider, {}).setdefault(instance_type.casefold(), []).append(instance_type)
        return folded

    def types_spelt(self, provider: str, instance_type: str) -> list[str]:
        """Return a provider's instance types of this name, upper and lower case taken as the same."""
        return self._folded_types.get(provider, {}).get(instance_type.casefold(), [])

    def instance_types(self, provider: str | None = None) -> list[str]:
        """Return the known instance types, as PROVIDER/TYPE; of one provider, if given."""
        return [f"{p}/{t}" for p, t in self._types if provider in (None, p)]

    def values(self, column: str) -> tuple[str, ...]:
        """Return the values that a text column has anywhere in the table."""
        return self._values[column]

    @cached_property
    def _values(self) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(words.vocabulary[code] for code in np.unique(words.codes).tolist())
            for name, words in self.columns.words.items()
        }


@dataclass(frozen=True)
class Held:
    """The offers of one accelerator, seen from a measurement on n of them.

    `offers` (cheapest per replica first, ties in tie order) with `replicas` and `per_replica` (USD
    per hour); `too_few` have fewer than n; `unavailable` can't be had. All are market positions.
    `smallest` says of each offer whether it is the one size of its row to show; None: all are.
    """

    offers: Ints
    replicas: Ints
    per_replica: Floats
    too_few: Ints
    unavailable: Ints
    smallest: np.ndarray | None

    @cached_property
    def shown(self) -> tuple[Ints, Ints, Floats]:
        """Offers, replicas and price per replica of one size of each row."""
        if self.smallest is None:
            return self.offers, self.replicas, self.per_replica
        return self.offers[self.smallest], self.replicas[self.smallest], self.per_replica[self.smallest]

    @cached_property
    def others(self) -> Ints:
        """The offers that are other sizes of a row than the one to show."""
        return np.empty(0, np.int64) if self.smallest is None else self.offers[~self.smallest]


@dataclass(frozen=True)
class Market:
    """The prices in force on one date, in tie order, with an index by accelerator."""

    table: PriceTable
    columns: Columns
    as_of: date
    unconfirmed: Columns
    list_price: Floats | None = None
    weight: Floats | None = None
    memo: dict[str, np.ndarray] = field(default_factory=dict)
    rows: dict[int, dict[str, object]] = field(default_factory=dict)
    listings: dict[str, object] = field(default_factory=dict)
    _held: dict[tuple[str, int], Held] = field(default_factory=dict)

    @classmethod
    def of(cls, table: PriceTable, as_of: date, include_unconfirmed: bool) -> Market:
        """Pick the observations in force."""
        columns, layers = table.columns, table.layers
        third = columns.words["evidence"].mask(["third_party"])
        if layers is not None:
            third &= layers == 0
        hidden = np.empty(0, np.int64)
        if third.any() and not include_unconfirmed:
            rows = np.flatnonzero(third)
            only = columns.take(rows)
            hidden = rows[in_force(only, as_of)]
            keep = np.flatnonzero(~third)
            chosen = keep[in_force(columns.take(keep), as_of, None if layers is None else layers[keep])]
        else:
            chosen = in_force(columns, as_of, layers)
        return cls(table, columns.take(chosen), as_of, columns.take(hidden))

    def discounted(self, discounts: tuple[tuple[str, float], ...]) -> Market:
        """Return the market with shares taken off the list prices of providers: P · (1 - d)."""
        if not discounts:
            return self
        words, factor = self.columns.words, np.ones(len(self.columns))
        listed = words["evidence"].mask(["list"])
        for provider, share in discounts:
            factor[listed & words["provider"].mask([provider])] = 1 - share
        return replace(
            self, columns=replace(self.columns, price=self.columns.price * factor), list_price=self.columns.price,
            memo={}, rows={}, listings={}, _held={},
        )  # fmt: skip

    def weighted(self, spot_loss: float) -> Market:
        """Return the market with spot ranked by its price per work that counts: P / (1 - l)."""
        if not spot_loss:
            return self
        weight = np.where(self.columns.words["purchase"].mask(["spot"]), 1 / (1 - spot_loss), 1.0)
        return replace(self, weight=weight, memo={}, rows={}, listings={}, _held={})

    def only(self, positions: Ints) -> Market:
        """Return a market of the offers at these positions, in this order."""
        return Market(self.table, self.columns.take(positions), self.as_of, self.unconfirmed)

    @cached_property
    def not_available(self) -> np.ndarray:
        """Whether each offer can't be had today."""
        return self.columns.words["availability"].mask(NOT_AVAILABLE)

    @cached_property
    def observed_range(self) -> tuple[date, date] | None:
        """First and last date on which the prices in force were seen; None without any date."""
        dated = self.columns.observed[self.columns.observed != UNDATED]
        return (date.fromordinal(int(dated.min())), date.fromordinal(int(dated.max()))) if len(dated) else None

    @cached_property
    def by_accelerator(self) -> dict[str, Ints]:
        """Positions of each accelerator's offers, in tie order."""
        return _positions(self.columns.words["accelerator"])

    @cached_property
    def unconfirmed_by_accelerator(self) -> dict[str, Ints]:
        """Positions of each accelerator's unconfirmed offers, among these."""
        return _positions(self.unconfirmed.words["accelerator"])

    def held(self, accelerator: str, per_replica: int) -> Held:
        """Return the offers of an accelerator for a measurement on `per_replica` of them."""
        key = (accelerator, per_replica)
        found = self._held.get(key)
        if found is None:
            positions = self.by_accelerator.get(accelerator, np.empty(0, np.int64))
            found = self._seen_from(positions, self.columns.count[positions] // per_replica)
            if len(self._held) >= 512:
                self._held.clear()
            self._held[key] = found
        return found

    def named(self, provider: str, instance_type: str, count: int | None) -> Held:
        """Return the offers of one instance type, each one replica."""
        words = self.columns.words
        chosen = words["provider"].mask([provider]) & words["instance_type"].mask([instance_type])
        if count is not None:
            chosen &= self.columns.count == count
        positions = np.flatnonzero(chosen)
        return self._seen_from(positions, np.ones(len(positions), np.int64), sizes=False)

    def _seen_from(self, positions: Ints, replicas: Ints, *, sizes: bool = True) -> Held:
        away = self.not_available[positions]
        unavailable = positions[away]
        positions, replicas = positions[~away], replicas[~away]
        enough = replicas >= 1
        offers, replicas, too_few = positions[enough], replicas[enough], positions[~enough]
        per_replica = self.columns.price[offers] / replicas
        if self.weight is not None:
            per_replica *= self.weight[offers]
        order = np.lexsort((offers, per_replica))
        offers, per_replica = offers[order], per_replica[order]
        smallest = smallest_sizes(self.columns, offers, per_replica) if sizes else None
        return Held(offers, replicas[order], per_replica, too_few, unavailable, smallest)


def _positions(words: Words) -> dict[str, Ints]:
    """Return where each word stands, in the order of the rows; '' is none."""
    order = np.argsort(words.codes, kind="stable")
    bounds = np.searchsorted(words.codes[order], np.arange(len(words.vocabulary) + 1))
    return {name: order[bounds[i] : bounds[i + 1]] for i, name in enumerate(words.vocabulary) if name}


def smallest_sizes(columns: Columns, offers: Ints, per_replica: Floats) -> np.ndarray | None:
    """Whether each offer is, of its row's sizes, the smallest with the lowest cost per replica.

    None where no row is sold in several sizes.
    """
    places = np.flatnonzero(columns.sized[offers])
    if not len(places):
        return None
    row, count, cost = columns.row[offers[places]], columns.count[offers[places]], per_replica[places]
    _, group = np.unique(row, return_inverse=True)
    lowest = np.full(group.max() + 1, np.inf)
    np.minimum.at(lowest, group, cost)
    dearer = cost > lowest[group] * (1 + SAME_COST)
    best = np.lexsort((count, dearer, group))
    first = best[np.flatnonzero(np.diff(group[best], prepend=-1))]
    picked = np.ones(len(offers), bool)
    picked[places] = False
    picked[places[first]] = True
    return picked
