"""Opening of price tables from disk: the built-in one and the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

from pricing.accelerators import DATA, catalogue
from pricing.market import PriceTable
from pricing.offers import refuse_conflicts
from pricing.sources.own_schema import read_file


def today() -> date:
    """Return today's date in UTC."""
    return datetime.now(UTC).date()


@cache
def built_in() -> PriceTable:
    """Read the built-in table: one file per provider.

    Its dates were checked when it was made; a machine whose clock is behind must still start.
    """
    paths = sorted((DATA / "offers").glob("*.csv"))
    return PriceTable.joined([read_file(path, catalogue(), None) for path in paths])


def open_table(paths: Sequence[Path]) -> PriceTable:
    """Join the built-in table with private ones. PriceFileError refuses a bad file whole."""
    tables = [built_in()]
    places: list[tuple[str, int]] = [("the built-in table", tables[0].source_rows)]
    for path in paths:
        tables.append(read_file(path, catalogue(), today()))
        places.append((path.name, tables[-1].source_rows))
    if not paths:
        return tables[0]
    joined = PriceTable.joined(tables)

    def origin(row: int) -> tuple[tuple[str | int, ...], str]:
        for name, rows in places:
            if row < rows:
                return (name, row + 2), f"{name} row {row + 1}"
            row -= rows
        raise AssertionError("a row belongs to one of the tables")

    columns = refuse_conflicts(joined.columns, origin)
    return PriceTable(columns, joined.source_rows, joined.sha256, assumptions=joined.assumptions)
