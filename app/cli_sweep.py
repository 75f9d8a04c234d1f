"""The command that answers scenarios by the thousand, and the engines that it can do that with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands import FILE, as_of_option, fail, prices_option, table_and_limits, tell

if TYPE_CHECKING:
    from pricing.reading import Reader
    from pricing.sweeps.scenarios import Scenarios

DEFAULT_TOP = 1
MOST_TOP = 100_000


@dataclass(frozen=True)
class Job:
    """What an engine is asked for: the cheapest `top` of each scenario, or with None a summary, into `out`.

    `form` is csv or parquet. Table, scenarios and date are read when an engine asks for them, since not
    every engine holds the table in memory; InvalidInputError where they can't be right.
    """

    path: Path
    offers: str | None
    prices: tuple[Path, ...]
    top: int | None
    as_of_text: str | None
    out: Path
    form: str
    engine: str
    master: str | None

    @cached_property
    def reader(self) -> Reader:
        """The reader of questions, with the table: `offers` or the built-in one, and `prices`."""
        from app.tables import today
        from pricing.accelerators import catalogue
        from pricing.reading import Reader

        table, limits = table_and_limits(self.prices, Path(self.offers) if self.offers else None)
        return Reader(table, catalogue(), today(), limits)

    @cached_property
    def as_of(self) -> date:
        """The date whose prices count."""
        from pricing.sweeps.scenarios import date_of

        return date_of(self.reader, self.as_of_text)

    @cached_property
    def scenarios(self) -> Scenarios:
        """The scenarios; the heading is read, their rows are not."""
        from pricing.sweeps.scenarios import Scenarios

        return Scenarios(self.path, self.reader)


def _numpy(job: Job) -> str:
    from app.sweep_numpy import run

    return run(job)


def _polars(job: Job) -> str:
    from app.sweep_joined import run_on_polars

    return run_on_polars(job)


def _spark(job: Job) -> str:
    from app.sweep_joined import run_on_spark

    return run_on_spark(job)


# Each engine writes the output and returns what is said of it at the end. InvalidInputError where a row is bad.
ENGINES: Mapping[str, Callable[[Job], str]] = {"numpy": _numpy, "polars": _polars, "spark": _spark}


@click.command()
@click.argument("scenarios", type=FILE, metavar="SCENARIOS")
@click.option("--offers", metavar="TABLE", help="Price table (CSV or Parquet) in place of the built-in one.")
@click.option(
    "--top",
    type=click.IntRange(1, MOST_TOP),
    metavar="K",
    help=f"The K cheapest estimates of each scenario; default {DEFAULT_TOP}.",
)
@click.option("--summary", is_flag=True, help="In place of estimates: their number, lowest and mean cost.")
@click.option("--out", required=True, type=FILE, metavar="FILE", help="File to write, ending in .csv or .parquet.")
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="numpy",
    show_default=True,
    help="What calculates: polars for tables larger than memory, spark for a cluster; both need --offers.",
)
@click.option("--master", metavar="URL", help="Spark's master, such as spark://host:7077; else as configured.")
@as_of_option
@prices_option
def sweep(
    scenarios: Path,
    offers: str | None,
    top: int | None,
    summary: bool,
    out: Path,
    engine: str,
    master: str | None,
    as_of: str | None,
    prices: tuple[Path, ...],
) -> None:
    """Answer many scenarios at once: the cheapest offers of each, as compare ranks them.

    SCENARIOS is a CSV or Parquet file with a heading. Its columns have the names of a comparison's
    parameters (unit, m, utilization, provider, purchase, spot_loss, m1.model, …), several values in a
    cell are separated by |, and the column scenario names each. A bad row stops the sweep: nothing is
    written, and every fault is told. Finished parts are kept in FILE.parts: after a kill, the same
    command goes on where it was. FILE appears when it is complete; an older one is replaced then.

    \b
    perdollar sweep scenarios.csv --top 3 --out cheapest.csv
    perdollar sweep scenarios.parquet --offers offers.parquet --summary --out costs.parquet
    """
    from pricing.errors import InvalidInputError

    if master is not None and engine != "spark":
        raise click.UsageError("--master is Spark's; add --engine spark")
    if summary and top is not None:
        raise click.UsageError("--top asks for estimates and --summary for figures in their place; give one of them")
    form = out.suffix.lower().removeprefix(".")
    if form not in ("csv", "parquet"):
        fail(f"--out {out}: the ending says the form; write a name that ends in .csv or .parquet")
    _check_out(out, [scenarios, *([Path(offers)] if offers else []), *prices])
    wanted = None if summary else top or DEFAULT_TOP
    job = Job(scenarios, offers, prices, wanted, as_of, out, form, engine, master)
    try:
        said = ENGINES[engine](job)
    except InvalidInputError as error:
        for fault in error.faults:
            tell(f"perdollar: {' '.join(fault.msg.split())}", err=True)
        sys.exit(2)
    tell(said, err=True)


def _check_out(out: Path, inputs: list[Path]) -> None:
    """Refuse an output that can't be written before any work is done."""
    if out.is_dir():
        fail(f"--out {out} is a folder; name a file in it")
    if not out.parent.is_dir():
        fail(f"--out {out}: the folder {out.parent} does not exist")
    if not os.access(out.parent, os.W_OK):
        fail(f"--out {out} can't be written (no permission for the folder {out.parent})")
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            fail(f"--out {out} is an input as well; name another file")
