"""The price table: an observation log in columns, and the market of prices in force on a date.

Text columns hold codes into sorted vocabularies, so that filters and ties are integer work.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import numpy as np

from pricing.accelerators import Catalogue
from pricing.errors import Fault, Location, PriceFileError

PURCHASES = ("on_demand", "spot", "reserved", "savings_plan", "capacity_block", "owned")
EVIDENCE = ("list", "survey", "quote", "third_party")
AVAILABILITY = ("available", "waitlist", "grandfathered", "not_deployable", "withdrawn")
NOT_AVAILABLE = ("grandfathered", "not_deployable", "withdrawn")
OFFER_COLUMNS = (
    "provider",
    "instance_type",
    "region",
    "accelerator",
    "accelerator_vendor",
    "accelerator_count",
    "sizes",
    "accelerator_memory_gib",
    "vcpus",
    "memory_gib",
    "purchase",
    "term_months",
    "price_usd_per_hour",
    "observed_on",
    "evidence",
    "source",
    "notes",
    "availability",
    "plan",
)
REQUIRED_COLUMNS = (
    "provider",
    "instance_type",
    "accelerator",
    "accelerator_count",
    "price_usd_per_hour",
)
TEXT = (
    "provider",
    "instance_type",
    "region",
    "accelerator",
    "accelerator_vendor",
    "purchase",
    "evidence",
    "source",
    "notes",
    "availability",
    "plan",
)
# The parts of a key, in the order in which ties are broken.
KEY = ("provider", "instance_type", "accelerator_count", "region", "purchase", "term_months", "plan")
UNDATED = 0  # ordinal of a blank observed_on: the observation counts at every date
NO_TERM = -1  # sorts before every term
# Costs closer than this differ only by rounding of doubles.
SAME_COST = 1e-12

Ints = np.ndarray
Floats = np.ndarray
Origin = Callable[[int], tuple[Location, str]]


@dataclass(frozen=True)
class Words:
    """A text column: `codes` index the sorted `vocabulary`, so that code order is text order."""

    codes: Ints
    vocabulary: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[str], distinct: Iterable[str] | None = None) -> Words:
        """Encode the values of a column; `distinct` spares looking for the different ones."""
        vocabulary = tuple(sorted(set(values) if distinct is None else distinct))
        if len(vocabulary) == 1:
            return cls(np.zeros(len(values), np.int32), vocabulary)
        code = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        codes = np.fromiter(map(code.__getitem__, values), np.int32, len(values))
        return cls(codes, vocabulary)

    def take(self, index: Ints) -> Words:
        """Return the column's values at these positions."""
        return Words(self.codes[index], self.vocabulary)

    def at(self, i: int) -> str:
        """Return one value."""
        return self.vocabulary[int(self.codes[i])]

    def texts(self, index: Ints) -> list[str]:
        """Return the values at these positions as text."""
        texts: list[str] = self._array[self.codes[index]].tolist()
        return texts

    @cached_property
    def _array(self) -> np.ndarray:
        array = np.empty(len(self.vocabulary), object)
        array[:] = self.vocabulary
        return array

    def mask(self, wanted: Iterable[str]) -> np.ndarray:
        """Return, for each row, whether its value is one of `wanted`."""
        chosen = set(wanted)
        known: np.ndarray = np.fromiter((word in chosen for word in self.vocabulary), bool, len(self.vocabulary))
        mask: np.ndarray = known[self.codes]
        return mask

    @staticmethod
    def joined(parts: Sequence[Words]) -> Words:
        """Put columns of several tables one below the other."""
        vocabulary = tuple(sorted(set().union(*(part.vocabulary for part in parts))))
        code = {text: i for i, text in enumerate(vocabulary)}
        codes = [
            np.array([code[w] for w in part.vocabulary], np.int32)[part.codes] for part in parts if len(part.codes)
        ]
        return Words(np.concatenate(codes) if codes else np.empty(0, np.int32), vocabulary)


@dataclass(frozen=True)
class Columns:
    """Rows of offers in columns; prices are of the whole instance, in USD per hour, NaN for none."""

    words: dict[str, Words]
    count: Ints
    term: Ints
    price: Floats
    observed: Ints
    accelerator_memory: Floats
    vcpus: Floats
    memory: Floats
    row: Ints
    sized: np.ndarray

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.price)

    def take(self, index: Ints) -> Columns:
        """Return the rows at these positions, in this order."""
        return Columns(
            {name: column.take(index) for name, column in self.words.items()},
            *(getattr(self, name)[index] for name in _ARRAYS),
        )

    @staticmethod
    def joined(parts: Sequence[Columns]) -> Columns:
        """Put tables one below the other; row numbers go on counting."""
        offset = np.cumsum([0, *(int(p.row.max()) + 1 if len(p) else 0 for p in parts)])
        arrays = {name: [getattr(part, name) for part in parts] for name in _ARRAYS}
        arrays["row"] = [part.row + offset[i] for i, part in enumerate(parts)]
        return Columns(
            {name: Words.joined([part.words[name] for part in parts]) for name in TEXT},
            *(np.concatenate(arrays[name]) for name in _ARRAYS),
        )

    def key_arrays(self) -> list[np.ndarray]:
        """Return the key columns as integers, the first the most significant."""
        numbers = {"accelerator_count": self.count, "term_months": self.term}
        return [numbers[name] if name in numbers else self.words[name].codes for name in KEY]

    def describe(self, i: int) -> str:
        """Return `provider/type region purchase`, to name an offer in a message."""
        words = self.words
        term = f" {self.term[i]} months" if self.term[i] != NO_TERM else ""
        plan = f" {words['plan'].at(i)}" if words["plan"].at(i) else ""
        return (
            f"{words['provider'].at(i)}/{words['instance_type'].at(i)} × {self.count[i]}, "
            f"{words['region'].at(i)}, {words['purchase'].at(i)}{term}{plan}"
        )


_ARRAYS = (
    "count",
    "term",
    "price",
    "observed",
    "accelerator_memory",
    "vcpus",
    "memory",
    "row",
    "sized",
)


def _group_starts(keys: Sequence[np.ndarray], order: Ints) -> np.ndarray:
    """Return, along `order`, whether a row's key differs from the row before it."""
    starts = np.zeros(len(order), bool)
    starts[:1] = True
    for column in keys:
        sorted_column = column[order]
        starts[1:] |= sorted_column[1:] != sorted_column[:-1]
    return starts


def refuse_conflicts(columns: Columns, origin: Origin) -> Columns:
    """Drop rows that say the same twice; refuse two rows of one key and date that disagree.

    PriceFileError names both rows by `origin`, which maps a row number to its place.
    """
    keys = [*columns.key_arrays(), columns.observed]
    # Of rows that say the same, the one that is known best counts, whatever the order in the file.
    evidence = columns.words["evidence"]
    known = np.array([EVIDENCE.index(word) for word in evidence.vocabulary])[evidence.codes]
    order = np.lexsort([known, *keys[::-1]])
    starts = _group_starts(keys, order)
    if starts.all():
        return columns
    repeated = np.flatnonzero(~starts)
    previous = order[repeated - 1]
    current = order[repeated]
    same_price = (columns.price[previous] == columns.price[current]) | (
        np.isnan(columns.price[previous]) & np.isnan(columns.price[current])
    )
    agree = same_price.copy()
    for name in ("accelerator", "availability"):
        codes = columns.words[name].codes
        agree &= codes[previous] == codes[current]
    faults = []
    for a, b in zip(previous[~agree], current[~agree], strict=True):
        first, second = sorted((int(columns.row[a]), int(columns.row[b])))
        where, _ = origin(second)
        faults.append(
            Fault(
                (*where, "price_usd_per_hour"),
                f"{origin(second)[1]} and {origin(first)[1]} are the same offer "
                f"({columns.describe(int(b))}) on the same date with different values "
                f"({_difference(columns, int(a), int(b))}); keep one of them or correct the date",
            )
        )
        if len(faults) == 20:
            break
    if faults:
        raise PriceFileError(faults)
    return columns.take(np.sort(order[starts]))


def _difference(columns: Columns, a: int, b: int) -> str:
    """Say in what two rows of one key and date disagree."""
    prices = [columns.price[i] for i in (a, b)]
    if prices[0] != prices[1] and not np.isnan(prices).any():
        return f"{prices[0]:g} and {prices[1]:g} USD/h"
    if not np.isnan(prices).all() and np.isnan(prices).any():
        return f"{np.nanmin(prices):g} USD/h and no price"
    for name in ("accelerator", "availability"):
        first, second = columns.words[name].at(a), columns.words[name].at(b)
        if first != second:
            return f"{first or 'no accelerator'} and {second or 'no accelerator'}"
    raise AssertionError("the rows agree")


def in_force(columns: Columns, as_of: date, layers: Ints | None = None) -> Ints:
    """Return the positions of the newest observation of each key not after `as_of`, in tie order.

    An undated observation counts at every date, and before any dated one. `layers` (0 table,
    1 the user's own offers) come before dates: the user's own price of a key is the one used.
    """
    possible = np.flatnonzero(columns.observed <= as_of.toordinal())
    keys = [key[possible] for key in columns.key_arrays()]
    when = columns.observed[possible].astype(np.int64)
    when[when == UNDATED] = np.iinfo(np.int32).max
    newest_last = [when] if layers is None else [layers[possible], when]
    order = np.lexsort([*newest_last[::-1], *keys[::-1]])
    starts = _group_starts(keys, order)
    last = np.append(np.flatnonzero(starts)[1:] - 1, len(order) - 1) if len(order) else order
    return possible[order[last]]


def areas(columns: Columns, catalogue: Catalogue) -> np.ndarray:
    """Return the area of each row's region, '' where it is not stated."""
    provider, region = columns.words["provider"], columns.words["region"]
    pair = provider.codes.astype(np.int64) * len(region.vocabulary) + region.codes
    unique, inverse = np.unique(pair, return_inverse=True)
    names = []
    for code in unique.tolist():
        p, r = divmod(code, len(region.vocabulary))
        known = catalogue.regions.get((provider.vocabulary[p], region.vocabulary[r]))
        names.append(known.area if known else "")
    return np.array(names, object)[inverse] if names else np.empty(0, object)


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
            memo={}, rows={}, _held={},
        )  # fmt: skip

    def weighted(self, spot_loss: float) -> Market:
        """Return the market with spot ranked by its price per work that counts: P / (1 - l)."""
        if not spot_loss:
            return self
        weight = np.where(self.columns.words["purchase"].mask(["spot"]), 1 / (1 - spot_loss), 1.0)
        return replace(self, weight=weight, memo={}, rows={}, _held={})

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
