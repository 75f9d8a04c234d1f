"""What changed between two price tables, or between two dates of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import TypeVar

import numpy as np

from pricing.errors import Fault, InvalidInputError, near_matches, shown
from pricing.market import PriceTable
from pricing.numbers import read_day, read_whole_number
from pricing.offers import KEY, NO_TERM, Columns
from pricing.wording import say, word

T = TypeVar("T")

KINDS = ("new", "gone", "dearer", "cheaper")
Key = tuple[str | int | None, ...]
# An import that moves a price by more than this factor, or drops more than this share of a
# provider's offers, is held back until somebody confirms it.
MOST_FACTOR = 3.0
MOST_DROPPED = 0.2


@dataclass(frozen=True, slots=True)
class Change:
    """One offer that is new, gone, dearer or cheaper; prices in USD per instance-hour, None where it is not there."""

    kind: str
    provider: str
    instance_type: str
    accelerator: str
    accelerator_count: int
    region: str
    purchase: str
    term_months: int | None
    plan: str
    old_usd_per_hour: float | None
    new_usd_per_hour: float | None
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """How many offers of a provider are in both tables, and how many changed."""

    provider: str
    old: int
    new: int
    added: int
    gone: int
    dearer: int
    cheaper: int


def _prices(columns: Columns) -> dict[Key, tuple[float, str]]:
    """Return price and accelerator of each offer by its key; offers without a price are not there."""
    words = columns.words
    texts = {name: words[name].texts(np.arange(len(columns))) for name in (*_TEXTS, "accelerator")}
    terms = [None if term == NO_TERM else term for term in columns.term.tolist()]
    parts = {"accelerator_count": columns.count.tolist(), "term_months": terms, **texts}
    keys = zip(*(parts[name] for name in KEY), strict=True)
    priced = zip(keys, columns.price.tolist(), texts["accelerator"], strict=True)
    return {key: (price, chip) for key, price, chip in priced if not math.isnan(price)}


_TEXTS = tuple(name for name in KEY if name not in ("accelerator_count", "term_months"))
_PLACE = {name: i for i, name in enumerate(KEY)}


def changes(old: Columns, new: Columns) -> list[Change]:
    """Return what differs between the offers in force of two tables, the biggest moves first.

    A move is measured by |ln(new / old)|, so that a price that doubles moves as far as one that
    halves. New and gone offers follow, in the order of their keys.
    """
    before, after = _prices(old), _prices(new)
    moved, rest = [], []
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was is None or now is None:
            rest.append(_change("gone" if now is None else "new", key, was, now))
        elif was[0] != now[0]:
            moved.append(_change("dearer" if now[0] > was[0] else "cheaper", key, was, now))
    moved.sort(key=lambda c: (-abs(math.log(c.ratio or 1)), _order(c)))
    return moved + sorted(rest, key=lambda c: (c.kind, _order(c)))


def _order(change: Change) -> tuple[object, ...]:
    return (
        change.provider, change.instance_type, change.accelerator_count, change.region, change.purchase,
        change.term_months or 0, change.plan,
    )  # fmt: skip


def _change(kind: str, key: Key, was: tuple[float, str] | None, now: tuple[float, str] | None) -> Change:
    part = {name: key[i] for name, i in _PLACE.items()}
    chip = (now or was or (0.0, ""))[1]
    return Change(
        kind, str(part["provider"]), str(part["instance_type"]), chip, int(part["accelerator_count"] or 0),
        str(part["region"]), str(part["purchase"]), None if part["term_months"] is None else int(part["term_months"]),
        str(part["plan"]), was[0] if was else None, now[0] if now else None, now[0] / was[0] if was and now else None,
    )  # fmt: skip


def summaries(old: Columns, new: Columns, found: Sequence[Change]) -> list[Summary]:
    """Count the changes of each provider."""
    before, after = _counts(old), _counts(new)
    kinds: dict[tuple[str, str], int] = {}
    for change in found:
        kinds[change.provider, change.kind] = kinds.get((change.provider, change.kind), 0) + 1
    return [
        Summary(p, before.get(p, 0), after.get(p, 0), *(kinds.get((p, kind), 0) for kind in KINDS))
        for p in sorted(before.keys() | after.keys())
    ]


def _counts(columns: Columns) -> dict[str, int]:
    counts: dict[str, int] = {}
    for key in _prices(columns):
        counts[str(key[_PLACE["provider"]])] = counts.get(str(key[_PLACE["provider"]]), 0) + 1
    return counts


def held_back(old: Columns, new: Columns) -> list[str]:
    """Say why a new table should not replace an old one without a look: big moves, many offers gone."""
    found = changes(old, new)
    return [*_moved_far(found), *_dropped(summaries(old, new, found))]


def moved_far(old: Columns, new: Columns) -> list[str]:
    """Say which prices moved by more than a factor of MOST_FACTOR."""
    return _moved_far(changes(old, new))


def _moved_far(found: Sequence[Change]) -> list[str]:
    return [
        say(
            "{provider}/{instance_type} × {accelerator_count}, {region}, {purchase}: "
            "{old_usd_per_hour:g} becomes {new_usd_per_hour:g} USD/h",
            provider=change.provider,
            instance_type=change.instance_type,
            accelerator_count=change.accelerator_count,
            region=change.region,
            purchase=word(change.purchase),
            old_usd_per_hour=change.old_usd_per_hour,
            new_usd_per_hour=change.new_usd_per_hour,
        )
        for change in found
        if change.ratio is not None and not 1 / MOST_FACTOR <= change.ratio <= MOST_FACTOR
    ]


def _dropped(counted: Sequence[Summary]) -> list[str]:
    return [
        say(
            "{provider}: {gone} of {old} offers are gone", provider=summary.provider, gone=summary.gone, old=summary.old
        )
        for summary in counted
        if summary.old and summary.gone > MOST_DROPPED * summary.old
    ]


CHANGE_PARAMETERS = ("since", "as_of", "provider", "kind", "limit", "offset", "table")
DEFAULT_DAYS = 30
DEFAULT_CHANGES, MOST_CHANGES = 100, 1000


@dataclass(frozen=True)
class Changed:
    """What changed from one date to another, or from the table in use to an uploaded one; one page of it."""

    since: date
    as_of: date
    summaries: tuple[Summary, ...]
    total: int
    page: tuple[Change, ...]
    limit: int
    offset: int


def changed(
    pairs: Iterable[tuple[str, str]],
    table: PriceTable,
    uploaded: PriceTable | None,
    today: date,
    *,
    all_rows: bool = False,
) -> Changed:
    """Answer what changed in a table from `since` (default 30 days before) to `as_of` (default today).

    With `uploaded`, its offers on `as_of` are compared with those in use, of its own providers.
    InvalidInputError names an unknown parameter or value.
    """
    values: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for name, value in pairs:
        if name not in CHANGE_PARAMETERS and not name.startswith("utm_"):
            message = say("{name} is not a parameter.", name=shown(name)) + near_matches(name, CHANGE_PARAMETERS)
            faults.append(Fault((name[:100],), message))
        elif value.strip():
            values.setdefault(name, []).append(value.strip())

    def scalar(name: str, read: Callable[[str], T], default: T) -> T:
        texts = values.get(name, [])
        if not texts:
            return default
        try:
            return read(texts[-1])
        except ValueError as error:
            faults.append(Fault((name,), str(error)))
            return default

    as_of = scalar("as_of", read_day, today)
    since = scalar("since", read_day, as_of if uploaded else as_of - timedelta(days=DEFAULT_DAYS))
    limit = scalar("limit", partial(read_whole_number, least=1, most=MOST_CHANGES), 0)
    offset = scalar("offset", partial(read_whole_number, least=0, most=10**9), 0)
    if as_of > today:
        faults.append(Fault(("as_of",), say("{as_of} is after today ({today}, UTC)", as_of=as_of, today=today)))
    if since > as_of:
        faults.append(
            Fault(("since",), say("{since} is after {as_of}, to which it is compared", since=since, as_of=as_of))
        )
    known = {"provider": (uploaded or table).values("provider"), "kind": KINDS}
    for name, words in known.items():
        for text in values.get(name, []):
            if text not in words:
                message = say("{text} is not a {name} of this table.", text=shown(text), name=name) + near_matches(
                    text, words
                )
                faults.append(Fault((name,), message))
    if faults:
        raise InvalidInputError(faults)
    before = table.market(since).columns
    after = (uploaded or table).market(as_of).columns
    providers = values.get("provider") or (list(known["provider"]) if uploaded else None)
    if providers is not None:
        before, after = (c.take(np.flatnonzero(c.words["provider"].mask(providers))) for c in (before, after))
    found = changes(before, after)
    counted = tuple(summaries(before, after, found))
    kinds = values.get("kind", KINDS)
    found = [change for change in found if change.kind in kinds]
    limit = limit or (max(len(found), 1) if all_rows else DEFAULT_CHANGES)
    return Changed(since, as_of, counted, len(found), tuple(found[offset : offset + limit]), limit, offset)
