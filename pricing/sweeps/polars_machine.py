"""Polars as the machine of a sweep: streams tables larger than memory from disk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import narwhals as nw
import polars as pl

from pricing.errors import Fault, PriceFileError
from pricing.sweeps.expression import Frame

# Observations of which the keys are held at once: about 0.2 GiB a million.
MOST_ROWS = 3_000_000


class PolarsMachine:
    """Runs queries with Polars on this machine; a context, at whose end its files are removed.

    Tables of more than MOST_ROWS observations are looked at in parts, and the prices in force are
    kept on disk.
    """

    def __init__(self, most_rows: int = MOST_ROWS) -> None:
        """Start without files."""
        self.most_rows: int | None = most_rows
        self.most_joins: int | None = None
        self._files = ExitStack()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what was kept on disk."""
        self._files.close()

    def scan(self, table: str) -> Frame:
        """Open a CSV or Parquet file, or a folder or pattern of Parquet files."""
        try:
            frame = pl.scan_csv(table, infer_schema=False) if _is_csv(table) else pl.scan_parquet(table)
            frame.collect_schema()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _unreadable(table, error) from error
        self._table = table
        return nw.from_native(frame)

    def frame(self, table: pl.DataFrame) -> Frame:
        """Take a small table."""
        return nw.from_native(table.lazy())

    def collect(self, query: Frame) -> pl.DataFrame:
        """Run a query in parts that follow each other through memory."""
        try:
            return query.to_native().collect(engine="streaming")  # type: ignore[no-any-return]
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _unreadable(self._table, error) from error

    def kept(self, parts: Sequence[Frame]) -> Frame:
        """Keep one part in memory, several on disk."""
        if len(parts) == 1:
            return self.frame(self.collect(parts[0]))
        folder = Path(self._files.enter_context(TemporaryDirectory(prefix="perdollar-sweep-")))
        for i, part in enumerate(parts):
            self.collect(part).write_parquet(folder / f"{i:05}.parquet")
        return nw.from_native(pl.scan_parquet(folder / "*.parquet"))


def _is_csv(table: str) -> bool:
    """Tell CSV from Parquet by what a file begins with; a folder or pattern by its name."""
    path = Path(table)
    if path.is_file():
        with path.open("rb") as file:
            return file.read(4) != b"PAR1"
    return table.lower().endswith((".csv", ".csv.gz"))


def _unreadable(table: str, error: Exception) -> PriceFileError:
    path = Path(table)
    if "://" not in table and not path.is_file() and not any(path.iterdir() if path.is_dir() else glob(table)):
        return PriceFileError(
            [Fault((table,), f"{table}: there is no file of that name, in that folder, or like that")]
        )
    return PriceFileError([Fault((table,), f"{table}: Polars can't read it ({' '.join(str(error).split())[:300]})")])
