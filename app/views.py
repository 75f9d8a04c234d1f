"""What each token sees of the prices: tables made ready once for each set of files, when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from app.settings import PrivateTable
from app.tables import open_table, read_private, read_refreshed
from pricing.errors import InvalidInputError, PriceFileError
from pricing.market import PriceTable

# The table that everybody sees, and what each token sees.
Views = tuple[PriceTable, dict[str, PriceTable]]


class PrivateTableError(PriceFileError):
    """Private tables that can't be used. Its message goes to the log and holds nothing of what is in them.

    `paths` are the tables, `told` is what those may know who see them.
    """

    def __init__(self, paths: Sequence[Path], told: InvalidInputError) -> None:
        """Say how the operator finds out what is wrong."""
        self.paths, self.told = tuple(paths), told
        options = " ".join(f"--prices {path}" for path in paths)
        names = ", ".join(path.name for path in paths)
        which = f"one of the private tables {names}" if len(paths) > 1 else f"the private table {names}"
        said = f"{which} can't be used; `perdollar prices list {options}` says why"
        super().__init__(PriceFileError.at((), said).faults)


def seen_by(token: str, tables: Iterable[PrivateTable]) -> tuple[Path, ...]:
    """Return the private tables that a token sees: its own, and those without a name."""
    return tuple(table.path for table in tables if table.token in ("", token))


def open_views(
    tables: Sequence[PrivateTable], refreshed: Sequence[Path], tokens: Iterable[str], *, public: bool
) -> Views:
    """Open the table that everybody sees, and of each token the table that it sees.

    `public` says whether tables without a name are everybody's. PriceFileError if a table can't be
    read or tables contradict each other; of private ones it is a PrivateTableError.
    """
    everybody = tuple(table.path for table in tables if public and not table.token)
    # One reading of each file, so that no two tokens see different states of it.
    private_file, refreshed_file = cache(read_private), cache(read_refreshed)

    @cache
    def opened(paths: tuple[Path, ...]) -> PriceTable:
        return open_table(paths, refreshed, private=private_file, older=refreshed_file)

    table = opened(everybody)
    private = {}
    for token in tokens:
        paths = seen_by(token, tables)
        try:
            private[token] = opened(paths)
        except InvalidInputError as error:
            raise PrivateTableError([path for path in paths if path not in everybody], error) from error
    return table, private
