"""Opening of price tables from disk: the built-in one and the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import numpy as np
import platformdirs

from pricing.accelerators import DATA, catalogue
from pricing.market import PriceTable
from pricing.offers import overruled, refuse_conflicts
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


@cache
def newest_built_in() -> date:
    """Return the last date on which a price of the built-in table was seen: it can't be later than today."""
    return date.fromordinal(int(built_in().columns.observed.max()))


def refreshed_folder() -> Path:
    """Return where `perdollar prices refresh` keeps its tables: PERDOLLAR_FOLDER, else the user's data folder."""
    named = os.environ.get("PERDOLLAR_FOLDER")
    return Path(named) if named else platformdirs.user_data_path("perdollar") / "prices"


def refreshed_files(folder: Path) -> list[Path]:
    """Return the tables that were refreshed, one for each provider."""
    return sorted(folder.glob("*.csv"))


def read_private(path: Path) -> PriceTable:
    """Read a table of the user's own. PriceFileError refuses a bad file whole, and a date after today."""
    return read_file(path, catalogue(), today())


def read_refreshed(path: Path) -> PriceTable:
    """Read a table that a refresh made; its dates were checked then, like those of the built-in one."""
    return read_file(path, catalogue(), None)


def open_table(
    paths: Sequence[Path],
    refreshed: Sequence[Path] = (),
    base: Path | None = None,
    *,
    private: Callable[[Path], PriceTable] = read_private,
    older: Callable[[Path], PriceTable] = read_refreshed,
) -> PriceTable:
    """Join the built-in table, or `base` in its place, with refreshed and private ones.

    PriceFileError refuses a bad file whole. `private` and `older` read a private and a refreshed file.

    Where two tell the price of one offer on one day, a refreshed table counts before the built-in
    one, and a private one before a refreshed one; a private one that contradicts the built-in one
    is an error. Dates of refreshed tables were checked when they were made, like those of the built-in
    one; a private one with a date after today is refused.
    """
    tables = [private(base) if base else built_in()]
    places: list[tuple[str, int]] = [(base.name if base else "the built-in table", tables[0].source_rows)]
    for path, read in [*((path, older) for path in refreshed), *((path, private) for path in paths)]:
        tables.append(read(path))
        places.append((path.name, tables[-1].source_rows))
    if len(tables) == 1:
        return tables[0]
    joined = PriceTable.joined(tables)

    def origin(row: int) -> tuple[tuple[str | int, ...], str]:
        for name, rows in places:
            if row < rows:
                return (name, row + 2), f"{name} row {row + 1}"
            row -= rows
        raise AssertionError("a row belongs to one of the tables")

    columns = joined.columns
    if refreshed:
        layer = np.repeat([0, *[1] * len(refreshed), *[2] * len(paths)], [len(table.columns) for table in tables])
        for lower, upper in ((0, 1), (1, 2)):
            kept = np.flatnonzero(~overruled(columns, layer == lower, layer == upper))
            columns, layer = columns.take(kept), layer[kept]
    columns = refuse_conflicts(columns, origin)
    return PriceTable(columns, joined.source_rows, joined.sha256, assumptions=joined.assumptions)


def laid_over(lower: PriceTable, upper: PriceTable) -> PriceTable:
    """Join two tables; where both tell the price of one offer on one day, the second counts."""
    joined = PriceTable.joined([lower, upper])
    second = np.repeat([False, True], [len(lower.columns), len(upper.columns)])
    kept = np.flatnonzero(~overruled(joined.columns, ~second, second))
    return PriceTable(joined.columns.take(kept), joined.source_rows, joined.sha256, assumptions=joined.assumptions)
