"""Browsing of the price table: which prices are in force, and the history of one offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from pricing.accelerators import Catalogue
from pricing.columns import Coded, Column, days_as_text, find_column
from pricing.errors import Fault, InvalidInputError, given_twice, near_matches, shown
from pricing.filters import CLOSED, chosen_accelerators, identifier, unknown_values
from pricing.flags import stale
from pricing.market import Market, PriceTable
from pricing.numbers import read_day, read_flag, read_whole_number
from pricing.offers import AVAILABILITY, EVIDENCE, NO_TERM, PURCHASES, UNDATED, Columns, Ints, areas, one_a_row
from pricing.question import DEFAULT_LIMIT, MOST_LIMIT, MOST_OFFSET
from pricing.wording import say

PRICE_FILTERS = (
    "provider",
    "instance_type",
    "region",
    "area",
    "accelerator",
    "vendor",
    "purchase",
    "evidence",
    "availability",
)
PRICE_PARAMETERS = (*PRICE_FILTERS, "include_unconfirmed", "history", "as_of", "sort", "limit", "offset", "table")
DEFAULT_SORT = "provider"
# Orders of the rows that are kept for one day's prices.
MOST_LISTINGS = 8
_SCALARS: dict[str, Callable[[str], object]] = {
    "as_of": read_day,
    "include_unconfirmed": read_flag,
    "history": read_flag,
    "limit": partial(read_whole_number, least=1, most=MOST_LIMIT),
    "offset": partial(read_whole_number, least=0, most=MOST_OFFSET),
}


@dataclass(frozen=True)
class Offered:
    """Some rows of the table: one for each price, its sizes put together.

    `sizes` are the counts, such as 1|2|4, of the rows that are sold in several, by `columns.row`.
    """

    columns: Columns
    index: Ints
    sizes: Mapping[int, str]
    as_of: date

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.index)

    def take(self, index: Ints) -> Offered:
        """Return the rows at these positions."""
        return Offered(self.columns, self.index[index], self.sizes, self.as_of)


def _text(name: str) -> Column[Offered]:
    docs = {
        "provider": "Seller, in lower case.",
        "instance_type": "The seller's name of the instance.",
        "region": "Region as the seller names it.",
        "accelerator": "Canonical name; blank for an instance without one.",
        "accelerator_vendor": "Maker of the accelerator.",
        "purchase": ", ".join(PURCHASES),
        "evidence": ", ".join(EVIDENCE),
        "source": "Where the price was seen.",
        "notes": "What else the source says.",
        "availability": ", ".join(AVAILABILITY),
        "plan": "Plan of a commitment, such as no_upfront.",
    }

    def values(rows: Offered) -> Coded:
        words = rows.columns.words[name]
        return Coded(words.codes[rows.index], words.vocabulary)

    return Column(name, "text", docs[name], values)


def _number(name: str, attribute: str, doc: str) -> Column[Offered]:
    return Column(name, "number", doc, lambda rows: getattr(rows.columns, attribute)[rows.index])


def _term(rows: Offered) -> np.ndarray:
    term = rows.columns.term[rows.index]
    return np.where(term == NO_TERM, np.nan, term)


def _observed(rows: Offered) -> Coded:
    return days_as_text(rows.columns.observed[rows.index])


def _age(rows: Offered) -> np.ndarray:
    observed = rows.columns.observed[rows.index]
    return np.where(observed == UNDATED, np.nan, rows.as_of.toordinal() - observed)


def _sizes(rows: Offered) -> Coded:
    if not rows.sizes:
        return Coded(np.zeros(len(rows), np.int64), ("",))
    texts = [rows.sizes.get(row, "") for row in rows.columns.row[rows.index].tolist()]
    return Coded(np.arange(len(rows)), texts)


def _per_accelerator(rows: Offered) -> np.ndarray:
    count = rows.columns.count[rows.index]
    result: np.ndarray = rows.columns.price[rows.index] / np.where(count == 0, np.nan, count)
    return result


# The schema's columns first, in its order, so that the CSV can be used as a private table.
SCHEMA_COLUMNS: tuple[Column[Offered], ...] = (
    _text("provider"),
    _text("instance_type"),
    _text("region"),
    _text("accelerator"),
    _text("accelerator_vendor"),
    Column("accelerator_count", "whole", "Accelerators in the instance.", lambda r: r.columns.count[r.index]),
    Column("sizes", "text", "Counts in which the seller sells at this price per accelerator.", _sizes),
    _number("accelerator_memory_gib", "accelerator_memory", "Memory of one accelerator."),
    _number("vcpus", "vcpus", "Virtual CPUs of the instance."),
    _number("memory_gib", "memory", "Main memory of the instance."),
    _text("purchase"),
    Column("term_months", "whole", "Months of commitment.", _term),
    _number("price_usd_per_hour", "price", "USD per hour of the whole instance."),
    Column("observed_on", "date", "Date on which the price was seen.", _observed),
    _text("evidence"),
    _text("source"),
    _text("notes"),
    _text("availability"),
    _text("plan"),
)
PRICE_COLUMNS: tuple[Column[Offered], ...] = (
    *SCHEMA_COLUMNS,
    Column("price_usd_per_accelerator_hour", "number", "USD per hour, divided by the accelerators.", _per_accelerator),
    Column("price_age_days", "whole", "Days from that date to as_of.", _age),
    Column(
        "stale",
        "boolean",
        "Spot older than 7 days, any other price older than 180 days.",
        lambda r: stale(r.columns, r.as_of)[r.index].astype(int),
    ),
)


@dataclass(frozen=True)
class Browsed:
    """The prices found, one page of them."""

    page: Offered
    total: int
    limit: int
    offset: int
    as_of: date
    history: bool
    sort: str


def browse(
    pairs: Iterable[tuple[str, str]], table: PriceTable, catalogue: Catalogue, today: date, *, all_rows: bool = False
) -> Browsed:
    """Answer which prices are in force, or with history=1 all observations not after `as_of`.

    InvalidInputError names an unknown parameter, filter value or column.
    """
    values: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for name, value in pairs:
        if name in PRICE_PARAMETERS:
            if value.strip():
                values.setdefault(name, []).append(identifier(value) if name in CLOSED else value.strip())
        elif not name.startswith("utm_"):
            faults.append(
                Fault(
                    (name[:100],),
                    say("{name} is not a parameter.", name=shown(name)) + near_matches(name, PRICE_PARAMETERS),
                )
            )
    scalars: dict[str, Any] = {
        "as_of": today,
        "include_unconfirmed": False,
        "history": False,
        "limit": None,
        "offset": 0,
    }
    for name, read in _SCALARS.items():
        texts = values.get(name, [])
        if len(set(texts)) > 1 and name != "offset":
            faults.append(given_twice(name, texts))
        elif texts:
            try:
                scalars[name] = read(texts[-1])
            except ValueError as error:
                faults.append(Fault((name,), str(error)))
    as_of = scalars["as_of"]
    if as_of > today:
        faults.append(Fault(("as_of",), say("{as_of} is after today ({today}, UTC)", as_of=as_of, today=today)))
    sort = values.get("sort", [DEFAULT_SORT])[-1]
    try:
        column, descending = find_column(sort, PRICE_COLUMNS)
    except InvalidInputError as error:
        faults += error.faults
    for name in PRICE_FILTERS:
        if name != "accelerator":
            faults.extend(unknown_values(name, values.get(name, []), table, catalogue))
    accelerators = chosen_accelerators(values.get("accelerator", []), catalogue, faults)
    if faults:
        raise InvalidInputError(faults)
    unconfirmed = scalars["include_unconfirmed"]
    if scalars["history"]:
        columns = _observations(table, as_of, unconfirmed)
        every = rows_together(columns, as_of)
        positions = np.flatnonzero(columns.words["accelerator"].mask(accelerators)) if accelerators else None
        rows = _sorted(every, column, descending).among(positions, values, catalogue)
    else:
        market = table.market(as_of, include_unconfirmed=unconfirmed)
        positions = _of_accelerators(market, accelerators) if accelerators else None
        rows = _in_force(market, column, descending).among(positions, values, catalogue)
    limit = scalars["limit"] or (max(len(rows), 1) if all_rows else DEFAULT_LIMIT)
    offset = scalars["offset"]
    page = Offered(rows.columns, rows.index[offset : offset + limit], rows.sizes, as_of)
    return Browsed(page, len(rows), limit, offset, as_of, scalars["history"], sort)


@dataclass(frozen=True)
class _Sorted:
    """Rows in the order asked for; `place` is where each offer of the columns stands in it, -1 if it is no row."""

    rows: Offered
    place: Ints

    def among(self, positions: Ints | None, values: Mapping[str, list[str]], catalogue: Catalogue) -> Offered:
        """Return the rows, of the offers at these positions (None: of all), that pass the filters."""
        columns = self.rows.columns
        for name in PRICE_FILTERS:
            wanted = values.get(name)
            if not wanted or name == "accelerator":
                continue
            if name == "area":
                keep = np.isin(areas(columns, catalogue), wanted)
            else:
                keep = columns.words["accelerator_vendor" if name == "vendor" else name].mask(wanted)
            positions = np.flatnonzero(keep) if positions is None else positions[keep[positions]]
        if positions is None:
            return self.rows
        # Sorting places costs less than sorting values, and less than looking through all rows.
        place = np.sort(self.place[positions])
        return self.rows.take(place[place.searchsorted(0) :])


def _sorted(every: Offered, column: Column[Offered], descending: bool) -> _Sorted:
    order = column.order(every, descending)
    place = np.full(len(every.columns), -1, np.int32)
    place[every.index[order]] = np.arange(len(order), dtype=np.int32)
    return _Sorted(every.take(order), place)


def _in_force(market: Market, column: Column[Offered], descending: bool) -> _Sorted:
    """Return the prices in force in the order asked for, which is kept with the market."""
    key = f"{'-' if descending else ''}{column.name}"
    found = market.listings.get(key)
    if not isinstance(found, _Sorted):
        found = _sorted(rows_together(market.columns, market.as_of), column, descending)
        if len(market.listings) >= MOST_LISTINGS:
            market.listings.clear()
        market.listings[key] = found
    return found


def _of_accelerators(market: Market, accelerators: Iterable[str]) -> Ints:
    found = [market.by_accelerator[name] for name in accelerators if name in market.by_accelerator]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _observations(table: PriceTable, as_of: date, include_unconfirmed: bool) -> Columns:
    columns = table.columns
    keep = columns.observed <= as_of.toordinal()
    if not include_unconfirmed:
        keep &= ~columns.words["evidence"].mask(["third_party"])
    # Newest first, so that rows of one offer read as its history.
    order = np.lexsort([-columns.observed, *columns.key_arrays()[::-1]])
    return columns.take(order[keep[order]])


def rows_together(columns: Columns, as_of: date) -> Offered:
    """Put the sizes of one price together again: one row, with the smallest size's price."""
    index, sizes = one_a_row(columns)
    return Offered(columns, index, sizes, as_of)
