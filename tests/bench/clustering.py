"""Sweeps by the one expression: through Narwhals against native Polars, and how many cells each engine does."""

from __future__ import annotations

import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from app.tables import today
from pricing.accelerators import catalogue
from pricing.reading import Reader
from pricing.sources.own_schema import read_file
from pricing.sweeps import expression
from pricing.sweeps.engine import Engine
from pricing.sweeps.expression import Demands
from pricing.sweeps.joined import JoinedEngine
from pricing.sweeps.polars_machine import PolarsMachine
from pricing.sweeps.scanned import ScannedTable
from pricing.sweeps.scenarios import Scenarios
from tests.bench.tables import price_table, scenarios
from tests.bench.timing import Result, medians

OFFERS, SCENARIOS, TOP = 20_000, 2_000, 10
# Polars' threads get in each other's way now and then: a median of few rounds tells little.
ROUNDS = 31


def native() -> Any:
    """Return the expression as a module of native Polars: the same lines, Polars' own names in Narwhals' place."""
    source = Path(str(expression.__file__)).read_text(encoding="utf-8")
    source = source.replace("import narwhals as nw", "import polars as nw").replace("nw.LazyFrame[Any]", "nw.LazyFrame")
    module = types.ModuleType("native_expression")
    # A dataclass looks its module up.
    sys.modules[module.__name__] = module
    exec(compile(source, "native_expression", "exec"), module.__dict__)  # noqa: S102
    return module


class _Recording(PolarsMachine):
    """Keeps the last query that was asked for."""

    asked: tuple[Any, Demands, Any]


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder, _Recording() as machine:
        table, asked = Path(folder) / "offers.csv", Path(folder) / "scenarios.csv"
        table.write_bytes(price_table(OFFERS))
        asked.write_bytes(scenarios(SCENARIOS))
        memory = read_file(table, catalogue(), today())
        rows = list(Scenarios(asked, Reader(memory, catalogue(), today())).read())
        scanned = ScannedTable(machine, str(table), catalogue(), today())
        joined, own = JoinedEngine(scanned, today(), TOP), Engine(memory, catalogue(), today(), TOP)
        narwhals_query = expression.cheapest
        expression.cheapest = lambda *given: setattr(machine, "asked", given) or narwhals_query(*given)  # type: ignore[assignment]
        try:
            joined.result(rows)
        finally:
            expression.cheapest = narwhals_query
        wanted, demands, offers, top = machine.asked
        plain = native()
        bare = Demands(demands.frame.to_native(), demands.joins, demands.sizes)

        def through_narwhals() -> pl.DataFrame:
            return machine.collect(narwhals_query(wanted, demands, offers, top))

        def by_polars() -> pl.DataFrame:
            query = plain.cheapest(wanted.to_native(), bare, offers.to_native(), top)
            return query.collect(engine="streaming")

        order = ["ask", "rank"]
        if not through_narwhals().sort(order).equals(by_polars().sort(order)):
            raise AssertionError("native Polars gives something else")
        seconds = medians(
            {
                "narwhals": through_narwhals, "native": by_polars, "polars engine": lambda: joined.result(rows),
                "numpy engine": lambda: own.result(rows),
            },
            ROUNDS,
        )  # fmt: skip
    cells = OFFERS * SCENARIOS
    yield Result(
        "the expression through Narwhals", seconds["narwhals"] / seconds["native"], "the same in native Polars", 1.3,
        note=f"{1e3 * seconds['narwhals']:.3g} ms for {cells:.0e} cells",
    )  # fmt: skip
    rates = {name: cells / seconds[name] for name in ("numpy engine", "polars engine")}
    yield Result(
        "the engine on Polars, cells/s", rates["polars engine"] / rates["numpy engine"], "the engine on NumPy", 0.01,
        at_most=False, note=f"{rates['polars engine']:.2g}/s and {rates['numpy engine']:.2g}/s",
    )  # fmt: skip
