"""Sweeps: 10⁸ offer × scenario cells against a copy of as many doubles, and the memory of 10⁹ cells."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.tables import today
from pricing.accelerators import catalogue
from pricing.compare import compare
from pricing.reading import Reader
from pricing.sources.own_schema import read_file
from pricing.sweeps.engine import Engine, portions
from pricing.sweeps.scenarios import Scenario, Scenarios
from tests.bench.tables import price_table, scenarios
from tests.bench.timing import Result, medians

OFFERS = 20_000
SCENARIOS = 5_000
CELLS = OFFERS * SCENARIOS
MOST_MIB = 512
TOP = 10
# The command as a child, which tells the most memory in KiB that it held. What resource.getrusage tells
# of a child begins with the memory of its parent on Linux, which here holds the arrays of the copy.
COMMAND = """
from app.cli import main
try:
    main()
finally:
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


def _command(scenario_file: Path, table: Path, out: Path) -> float:
    """Sweep from file to file and return the peak memory in MiB."""
    words = ("sweep", scenario_file, "--offers", table, "--top", TOP, "--out", out)
    done = subprocess.run([sys.executable, "-c", COMMAND, *map(str, words)], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def _check(engine: Engine, asked: list[Scenario], reader: Reader) -> None:
    """Fail where a sweep and a comparison differ."""
    for scenario in asked[:: len(asked) // 50]:
        ours = engine.result([scenario])
        theirs = compare(scenario.question(reader.table, today()), catalogue()).page
        costs = [] if not len(theirs) else theirs.cost[:TOP].tolist()
        if ours["cost_usd"][~np.isnan(ours["cost_usd"])].tolist() != costs:
            raise AssertionError(f"scenario {scenario.id} costs something else in a comparison")


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        table, few, many = (Path(folder) / name for name in ("offers.csv", "few.csv", "many.csv"))
        table.write_bytes(price_table(OFFERS))
        few.write_bytes(scenarios(SCENARIOS))
        many.write_bytes(scenarios(10 * SCENARIOS))
        reader = Reader(read_file(table, catalogue(), today()), catalogue(), today())
        asked = list(Scenarios(few, reader).read())
        _check(Engine(reader.table, catalogue(), today(), TOP), asked, reader)
        arrays = [np.ones(CELLS), np.ones(CELLS)]

        def swept(top: int | None) -> None:
            # Nothing is planned when it starts.
            engine = Engine(reader.table, catalogue(), today(), top)
            for portion in portions(asked, top):
                engine.result(portion)

        seconds = medians(
            {
                "copy": lambda: np.copyto(*arrays),
                "top": lambda: swept(TOP),
                "summary": lambda: swept(None),
                "command": lambda: _command(few, table, Path(folder) / "few-out.csv"),
            }
        )
        arrays.clear()
        copied, whole = seconds["copy"], seconds["command"]
        for name, what in (("top", f"the cheapest {TOP}"), ("summary", "number, lowest and mean cost")):
            yield Result(
                f"sweep of {SCENARIOS:,} scenarios × {OFFERS:,} offers, {what}: cells a second",
                copied / seconds[name],
                "NumPy's copy of 8 bytes a cell",
                0.35,
                at_most=False,
                note=f"{1e3 * seconds[name]:.0f} ms against {1e3 * copied:.0f} ms",
            )
        start = time.perf_counter()
        peak = _command(many, table, Path(folder) / "many-out.parquet")
        longer = time.perf_counter() - start
        yield Result(
            f"peak memory of perdollar sweep, {10 * SCENARIOS:,} scenarios × {OFFERS:,} offers, file to file",
            peak / MOST_MIB,
            f"{MOST_MIB} MiB",
            1,
            note=f"{peak:.0f} MiB; {longer:.2f} s, {10 * copied / longer:.2g} × the copy; "
            f"{SCENARIOS:,} scenarios from file to file {whole:.2f} s, {copied / whole:.2g} × the copy",
        )
