"""Apache Spark as the machine of a sweep: the user's session, or one at a master's URL."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import polars as pl

from pricing.errors import Fault, InvalidInputError, PriceFileError
from pricing.sweeps.expression import Frame

# Of an engine's message, so much is shown.
_MOST_TEXT = 400
# Offers that one task joins with the demands.
_ROWS_OF_TASK = 200_000


class SparkMachine:
    """Runs queries with Spark; every row of a table stays in the cluster, results come to this process."""

    most_rows: int | None = None
    # Spark compiles each join of a query, which takes longer than to join a million rows.
    most_joins: int | None = 4

    def __init__(self, master: str | None = None, session: Any = None) -> None:
        """Take a session, else the active one, else make one.

        `master` is the URL of a master (spark://host:7077, yarn, local[4]) or of a Spark Connect server
        (sc://host); None leaves the choice to the configuration of Spark, such as that of spark-submit.
        InvalidInputError says what is missing.
        """
        self.session = session or _session(master)
        self._table = ""

    def scan(self, table: str) -> Frame:
        """Open a CSV or Parquet file, folder or pattern, by any address that the cluster can read."""
        self._table = table
        reader = self.session.read
        try:
            if ".csv" in table.lower():
                # A row that does not fit the heading ends the sweep; "" within quotes is a quote.
                frame = reader.csv(table, header=True, inferSchema=False, mode="FAILFAST", quote='"', escape='"')
            else:
                frame = reader.parquet(table)
        except Exception as error:
            raise self._unreadable(error) from error
        return _frame(frame)

    def frame(self, table: pl.DataFrame) -> Frame:
        """Send a small table to the cluster."""
        return _frame(self.session.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest())))

    def collect(self, query: Frame) -> pl.DataFrame:
        """Run a query in the cluster and fetch its result."""
        try:
            arrow = query.to_native().toArrow()
        except Exception as error:
            raise self._unreadable(error) from error
        frame = pl.from_arrow(arrow)
        assert isinstance(frame, pl.DataFrame)  # noqa: S101 (a table is one)
        return frame

    def kept(self, parts: Sequence[Frame]) -> Frame:
        """Keep the rows in the memory of the cluster, or on its disks."""
        cached = (nw.concat(parts) if len(parts) > 1 else parts[0]).to_native().cache()
        try:
            rows = cached.count()
        except Exception as error:
            raise self._unreadable(error) from error
        # A shuffle leaves as many tasks as are configured for large tables, and each pattern of filters reads them all.
        return _frame(cached.coalesce(1 + rows // _ROWS_OF_TASK))

    def _unreadable(self, error: Exception) -> PriceFileError:
        # The first line says what is wrong; the rest is Java's stack.
        said = " ".join(str(error).strip().split("\n")[0].split())[:_MOST_TEXT]
        return PriceFileError([Fault((self._table,), f"{self._table}: Spark can't read or join it ({said})")])


def _frame(native: Any) -> Frame:
    frame: Frame = nw.from_native(native)
    return frame


def _session(master: str | None) -> Any:
    try:
        import pyarrow  # noqa: F401, PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError as error:
        raise InvalidInputError.at(
            ("engine",), f"--engine spark needs the package {error.name}; install perdollar[spark]"
        ) from error
    active = SparkSession.getActiveSession()
    if active is not None and master is None:
        return active
    builder = SparkSession.builder.appName("perdollar sweep")
    connect = (master or os.environ.get("SPARK_REMOTE", "")).startswith("sc://")
    if not connect and not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise InvalidInputError.at(
            ("engine",), "--engine spark needs Java 17 or later; install it, or set JAVA_HOME to where it is"
        )
    if master is not None:
        builder = builder.remote(master) if connect else builder.master(master)
    if (master or "").startswith("local"):
        # Made for this sweep on this machine: no page about it, no bar in the way, no more tasks than it can use.
        tasks = 2 * (os.cpu_count() or 1)
        for name, value in (
            ("ui.enabled", False),
            ("ui.showConsoleProgress", False),
            ("sql.shuffle.partitions", tasks),
        ):
            builder = builder.config(f"spark.{name}", value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        said = " ".join(str(error).strip().split("\n")[0].split())[:_MOST_TEXT]
        raise InvalidInputError.at(("engine",), f"no Spark session could be had ({said})") from error
