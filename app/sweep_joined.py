"""Sweeps on Polars and on Spark: the table is read by the engine, lazily, and never held by this process."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, fields
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_sweep import Job
from app.commands import any_setting, fail, settings_of_environment
from app.sweep_numpy import answer
from app.tables import today
from pricing.accelerators import catalogue
from pricing.question import DEFAULT_LIMITS
from pricing.reading import Reader
from pricing.sweeps.joined import MOST_PAIRS, JoinedEngine
from pricing.sweeps.scanned import Machine, ScannedNames, ScannedTable

if TYPE_CHECKING:
    from pricing.market import PriceTable

# Scenarios that are given to an engine at once: each time it reads the prices in force again.
_MOST_ON_POLARS = 20_000
_MOST_ON_SPARK = 100_000
_BLOCK = 1 << 20


@dataclass(frozen=True)
class _Scanned(Job):
    """A job whose table a machine reads."""

    machine: Machine | None = None

    @cached_property
    def scanned(self) -> ScannedTable:
        """The table, each of its rows looked at once."""
        assert self.machine is not None  # noqa: S101
        return ScannedTable(self.machine, str(self.offers), catalogue(), today())

    @cached_property
    def reader(self) -> Reader:
        """The reader of questions, with the names in the table."""
        names: PriceTable = ScannedNames.of(self.scanned, _digest(str(self.offers)))
        return Reader(
            names, catalogue(), today(), settings_of_environment().limits if any_setting() else DEFAULT_LIMITS
        )


def run_on_polars(job: Job) -> str:
    """Answer the scenarios with Polars, which streams a table that is larger than memory."""
    from pricing.sweeps.polars_machine import PolarsMachine  # noqa: PLC0415

    _check(job)
    with PolarsMachine() as machine:
        return _run(job, machine, MOST_PAIRS, _MOST_ON_POLARS)


def run_on_spark(job: Job) -> str:
    """Answer the scenarios with the user's Spark."""
    from pricing.sweeps.spark_machine import SparkMachine  # noqa: PLC0415

    _check(job)
    return _run(job, SparkMachine(job.master), None, _MOST_ON_SPARK)


def _check(job: Job) -> None:
    if job.offers is None:
        fail(f"--engine {job.engine} reads a table by itself; name it with --offers (the built-in one is small: numpy)")
    if job.prices:
        fail(f"--engine {job.engine} reads one table; put the rows of --prices into that of --offers")


def _run(job: Job, machine: Machine, most_pairs: int | None, most: int) -> str:
    scanned = _Scanned(**{f.name: getattr(job, f.name) for f in fields(Job)}, machine=machine)
    engine = JoinedEngine(scanned.scanned, scanned.as_of, job.top, most_pairs=most_pairs)
    return answer(scanned, engine, most)


def _digest(table: str) -> str:
    """Return a SHA-256 of the table's files; for a table elsewhere a new name, since it may change unseen."""
    paths = [Path(table)] if Path(table).is_file() else sorted(map(Path, glob(table)))
    paths = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*")))]
    digest = hashlib.sha256()
    if not paths:
        return uuid.uuid4().hex
    for path in paths:
        if path.is_file():
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
    return digest.hexdigest()
