"""Where sellers and others publish prices, and how an observation log takes a new fetch of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pricing.accelerators import DATA
from pricing.browse import SCHEMA_COLUMNS, rows_together
from pricing.changes import held_back, moved_far
from pricing.errors import PriceFileError
from pricing.market import PriceTable
from pricing.wording import say

# How a source is spread over addresses; each is a function where files are fetched.
LAYOUTS = ("file", "github", "dated", "regions", "next_page_link", "next_page_token", "cursor")
# Copies that others make of a seller's prices.
SECOND_HAND = ("skypilot", "gpuhunt")
KEY = ("provider", "instance_type", "accelerator_count", "sizes", "region", "purchase", "term_months", "plan")
_PRICE = ("price_usd_per_hour", "accelerator", "availability")
Row = dict[str, object]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """One public source of a provider's prices.

    `{version}` in `url` stands for what `version_url` says is the newest; `regions` are those
    that are fetched where each region is a file of its own.
    """

    provider: str
    source: str
    layout: str
    url: str
    version_url: str
    regions: tuple[str, ...]


def published(path: Path = DATA / "published.csv") -> list[Published]:
    """Read the list of sources; of one provider's sources the first that has an offer counts. PriceFileError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = [
            Published(
                row["provider"], row["source"], row["layout"], row["url"], row["version_url"],
                tuple(part for part in row["regions"].split("|") if part),
            )
            for row in rows
        ]  # fmt: skip
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, AttributeError) as error:
        raise PriceFileError.at(
            (path.name,), say("{path}: is no list of published sources ({error})", path=path, error=str(error))
        ) from error
    for place, each in enumerate(found):
        if each.layout not in LAYOUTS:
            raise PriceFileError.at(
                (path.name, place + 2),
                say(
                    "{path} line {place}: layout {layout} is not one of {layouts}",
                    path=path,
                    place=place + 2,
                    layout=repr(each.layout),
                    layouts=", ".join(LAYOUTS),
                ),
            )
    return found


def observations(table: PriceTable) -> list[Row]:
    """Return all observations of a table as rows of the schema, the sizes of one price together."""
    columns = rows_together(table.columns, date.max)
    names = [column.name for column in SCHEMA_COLUMNS]
    values = zip(*(column.python(columns) for column in SCHEMA_COLUMNS), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


def key_of(row: Row) -> Key:
    """Return what tells one offer from another."""
    return tuple(row[name] for name in KEY)


def first_of(sources: Iterable[Iterable[Row]]) -> dict[Key, Row]:
    """Put the offers of several sources together: of one offer the first source counts."""
    found: dict[Key, Row] = {}
    for rows in sources:
        for row in rows:
            found.setdefault(key_of(row), row)
    return found


def updated(old: Iterable[Row], new: dict[Key, Row], today: date) -> list[Row]:
    """Return the observation log `old` with the offers `new` taken in.

    An offer of the log that is not in `new`, though its region is, is withdrawn from today on. Of a row of
    observations with one price the first and the last are kept: since when it holds, and when it
    was last seen. Observations from the day of the new one, or later, give way to it.
    """
    log: dict[Key, list[Row]] = {}
    for row in sorted(old, key=lambda row: str(row["observed_on"] or "")):
        log.setdefault(key_of(row), []).append(row)
    regions = {row["region"] for row in new.values()}
    day = today.isoformat()
    for key, rows in log.items():
        if key in new or rows[-1]["region"] not in regions or rows[-1]["availability"] == "withdrawn":
            continue
        gone = {**rows[-1], "price_usd_per_hour": None, "availability": "withdrawn", "observed_on": day,
                "notes": "not in the source any more"}  # fmt: skip
        rows[:] = [row for row in rows if str(row["observed_on"] or "") < day]
        if rows:
            rows.append(gone)
    for key, row in new.items():
        before = [was for was in log.get(key, ()) if str(was["observed_on"] or "") < str(row["observed_on"])]
        log[key] = [*before, row]
    return [row for key in sorted(log, key=_order) for row in _changes_of(log[key])]


def _order(key: Key) -> tuple[str, ...]:
    return tuple("" if part is None else f"{part:012d}" if isinstance(part, int) else str(part) for part in key)


def _changes_of(rows: list[Row]) -> list[Row]:
    """Leave out the middle of each run of the same price."""
    said = [tuple(row[name] for name in _PRICE) for row in rows]
    last = len(rows) - 1
    return [row for i, row in enumerate(rows) if i in (0, last) or said[i] != said[i - 1] or said[i] != said[i + 1]]


def doubtful(old: PriceTable | None, in_use: PriceTable, new: PriceTable, today: date) -> list[str]:
    """Say why a new fetch should not be taken without a look: prices that moved far, many offers gone.

    Moves are seen against the table in use; what is gone against the fetch before, in the regions
    that were fetched now.
    """
    fresh = new.market(today).columns
    reasons = moved_far(in_use.market(today).columns, fresh)
    if old is not None:
        before = old.market(today).columns
        regions = fresh.words["region"]
        fetched = {regions.vocabulary[code] for code in set(regions.codes.tolist())}
        reasons += held_back(before.take(before.words["region"].mask(fetched).nonzero()[0]), fresh)
    return list(dict.fromkeys(reasons))
