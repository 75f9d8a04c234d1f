"""Browsing of the accelerators: data-sheet figures beside what the table has of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date

import numpy as np

from pricing.accelerators import Accelerator, Catalogue
from pricing.errors import Fault, InvalidInputError, near_matches, shown
from pricing.market import Market, PriceTable
from pricing.wording import say

CHIP_PARAMETERS = ("vendor", "family", "sort")


@dataclass(frozen=True, slots=True)
class Chip:
    """An accelerator, the offers in force that carry it, and who sells it at a quoted price only."""

    facts: Accelerator
    aliases: tuple[str, ...]
    offers: int
    quote_only: tuple[str, ...]

    def row(self) -> dict[str, object]:
        """Return one mapping of plain values; lists are joined with |."""
        facts = asdict(self.facts)
        slices = facts.pop("slice_prefixes")
        facts |= {
            "slice_prefixes": "|".join(slices),
            "aliases": "|".join(self.aliases),
            "offers": self.offers,
            "quote_only": "|".join(self.quote_only),
        }
        return {name: None if value == "" else value for name, value in facts.items()}


def chip_columns(catalogue: Catalogue) -> list[str]:
    """Return the names of a row's values, whether or not there are rows."""
    return list(Chip(next(iter(catalogue.accelerators.values())), (), 0, ()).row())


def chips(pairs: Iterable[tuple[str, str]], table: PriceTable, catalogue: Catalogue, today: date) -> list[Chip]:
    """List the accelerators. InvalidInputError names an unknown parameter, filter value or column."""
    values: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for name, value in pairs:
        if name in CHIP_PARAMETERS:
            if value.strip():
                values.setdefault(name, []).append(value.strip())
        elif not name.startswith("utm_"):
            faults.append(
                Fault(
                    (name[:100],),
                    say("{name} is not a parameter.", name=shown(name)) + near_matches(name, CHIP_PARAMETERS),
                )
            )
    everything = list(catalogue.accelerators.values())
    for name in ("vendor", "family"):
        known = {getattr(chip, name) for chip in everything}
        for value in values.get(name, []):
            if value not in known:
                faults.append(
                    Fault(
                        (name,),
                        say("{value} is not a known {name}.", value=shown(value), name=name)
                        + near_matches(value, sorted(known)),
                    )
                )
    market = table.market(today, include_unconfirmed=False)
    spellings: dict[str, list[str]] = {}
    for row in catalogue.aliases.values():
        if row["rule"] != "ask":
            spellings.setdefault(row["accelerator"], []).append(row["alias"])
    rows = [
        Chip(
            chip,
            tuple(spellings.get(chip.accelerator, [])),
            _prices_of(market, chip.accelerator),
            tuple(p.provider for p in catalogue.quote_only(chip.accelerator)),
        )
        for chip in everything
        if all(getattr(chip, name) in values.get(name, [getattr(chip, name)]) for name in ("vendor", "family"))
    ]
    sort = values.get("sort", [""])[-1]
    column = sort.removeprefix("-")
    known_columns = chip_columns(catalogue)
    if column and column not in known_columns:
        faults.append(
            Fault(
                ("sort",),
                say("{sort} is not a column to sort by.", sort=shown(sort)) + near_matches(column, known_columns),
            )
        )
    if faults:
        raise InvalidInputError(faults)
    if column:
        # Unknown figures stay last in both directions.
        known_rows = [row for row in rows if row.row()[column] is not None]
        unknown = [row for row in rows if row.row()[column] is None]
        known_rows.sort(key=lambda row: _key(row.row()[column]), reverse=sort.startswith("-"))
        rows = known_rows + unknown
    return rows


def _prices_of(market: Market, accelerator: str) -> int:
    """Count prices of what can be had, not the sizes that they are sold in."""
    positions = market.by_accelerator.get(accelerator, np.empty(0, np.int64))
    available = positions[~market.not_available[positions]]
    return len(np.unique(market.columns.row[available]))


def _key(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, (int, float)) else (0.0, str(value))
