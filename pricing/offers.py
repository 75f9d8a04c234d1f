"""Offers: an observation log in columns, and which observation of each offer counts.

Text columns hold codes into sorted vocabularies, so that filters and ties are integer work.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np

from pricing.accelerators import Catalogue
from pricing.errors import Fault, Location, PriceFileError
from pricing.wording import listed, say, word

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
        known = np.zeros(len(self.vocabulary), bool)
        for text in wanted:
            place = bisect_left(self.vocabulary, text)
            if self.vocabulary[place : place + 1] == (text,):
                known[place] = True
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
        term = say(" {months} months", months=int(self.term[i])) if self.term[i] != NO_TERM else ""
        offer = f"{words['provider'].at(i)}/{words['instance_type'].at(i)}"
        plan = f" {words['plan'].at(i)}" if words["plan"].at(i) else ""
        return say(
            "{offer} × {count}, {region}, {purchase}{term}{plan}",
            offer=offer,
            count=int(self.count[i]),
            region=words["region"].at(i),
            purchase=word(words["purchase"].at(i)),
            term=term,
            plan=plan,
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
                say(
                    "{origin} and {origin_2} are the same offer ({describe}) on the same date with different "
                    "values ({difference}); keep one of them or correct the date",
                    origin=origin(second)[1],
                    origin_2=origin(first)[1],
                    describe=columns.describe(int(b)),
                    difference=_difference(columns, int(a), int(b)),
                ),
            )
        )
        if len(faults) == 20:
            break
    if faults:
        raise PriceFileError(faults)
    return columns.take(np.sort(order[starts]))


def overruled(columns: Columns, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Whether each row is among `lower` while a row of `upper` has the same key and date."""
    keys = [*columns.key_arrays(), columns.observed]
    order = np.lexsort(keys[::-1])
    group = np.cumsum(_group_starts(keys, order))
    with_upper = np.zeros(group[-1] + 1 if len(group) else 1, bool)
    with_upper[group[upper[order]]] = True
    result = np.empty(len(columns), bool)
    result[order] = with_upper[group] & lower[order]
    return result


def _difference(columns: Columns, a: int, b: int) -> str:
    """Say in what two rows of one key and date disagree."""
    prices = [columns.price[i] for i in (a, b)]
    if prices[0] != prices[1] and not np.isnan(prices).any():
        return say("{prices:g} and {prices_2:g} USD/h", prices=prices[0], prices_2=prices[1])
    if not np.isnan(prices).all() and np.isnan(prices).any():
        return say("{nanmin:g} USD/h and no price", nanmin=np.nanmin(prices))
    for name in ("accelerator", "availability"):
        first, second = columns.words[name].at(a), columns.words[name].at(b)
        if first != second:
            return listed([first or say("no accelerator"), second or say("no accelerator")], " and ")
    raise AssertionError(say("the rows agree"))


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


def one_a_row(columns: Columns) -> tuple[Ints, dict[int, str]]:
    """Return the positions of one offer of each row, its smallest size, and the sizes by row, such as 1|2|4.

    Rows come in the order in which their first offer stands.
    """
    index = np.arange(len(columns))
    places = np.flatnonzero(columns.sized)
    if not len(places):
        return index, {}
    offers: dict[int, list[tuple[int, int]]] = {}
    for place, row, count in zip(
        places.tolist(), columns.row[places].tolist(), columns.count[places].tolist(), strict=True
    ):
        offers.setdefault(row, []).append((count, place))
    shown = np.ones(len(columns), bool)
    shown[places] = False
    for sizes in offers.values():
        first = sizes[0][1]
        shown[first] = True
        sizes.sort()
        index[first] = sizes[0][1]
    return index[shown], {row: "|".join(str(count) for count, _ in sizes) for row, sizes in offers.items()}


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
