"""Offers with an H100, sorted by price, from a table of 20,000 rows: PerDollar beside gpuhunt and SkyPilot."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from tests.bench.timing import Result
from tests.rivals.tables import SELLERS, made_up, write_all

ROOT = Path(__file__).resolve().parents[2]
ROWS, ROUNDS = 20_000, 9
# How many answers PerDollar has to give in the time that another tool takes for one.
TIMES = 100


class Tool:
    """A tool in its own process and environment, asked in rounds."""

    def __init__(self, name: str, python: str, folder: Path, stack: ExitStack) -> None:
        self.name = name
        self.process = stack.enter_context(
            subprocess.Popen(
                [python, str(ROOT / "tests" / "rivals" / "tool.py"), name, str(folder)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        )  # fmt: skip
        stack.callback(self.process.terminate)
        first = self._line()
        self.version: str = first["version"]
        self.answer = [tuple(offer) for offer in first["answer"]]
        self.seconds: list[tuple[float, float]] = []

    def _line(self) -> Any:
        line = cast(IO[str], self.process.stdout).readline()
        if not line:
            raise SystemExit(f"{self.name} ended without an answer; what it said stands above")
        return json.loads(line)

    def ask(self) -> None:
        pipe = cast(IO[str], self.process.stdin)
        pipe.write("again\n")
        pipe.flush()
        self.seconds.append(tuple(self._line()))

    @property
    def medians(self) -> tuple[float, float]:
        """Seconds of an answer, and of one that is read out."""
        asked, read_out = zip(*self.seconds, strict=True)
        return statistics.median(asked), statistics.median(read_out)


def main(rivals: str) -> int:
    rows = made_up(ROWS)
    right = sorted((r for r in rows if r.chip == "H100"), key=lambda r: r.price)
    missed = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_all(rows, folder)
        tools = {
            name: Tool(name, python, folder, stack)
            for name, python in (
                ("prices", sys.executable), ("ranking", sys.executable), ("gpuhunt", rivals), ("skypilot", rivals)
            )
        }  # fmt: skip
        for name, place in (("prices", 0), ("gpuhunt", 1), ("skypilot", 2)):
            expected = [(SELLERS[r.seller][place], r.instance_type, r.region, r.count, r.price) for r in right]
            if tools[name].answer != expected:
                raise SystemExit(f"{name} does not give the table's offers in the order of their prices")
        # A ranking is by what work costs: the price of one accelerator.
        right.sort(key=lambda r: r.price / r.count)
        if [offer[1] for offer in tools["ranking"].answer] != [r.instance_type for r in right]:
            raise SystemExit("ranking does not give the table's offers in the order of their cost")
        for _ in range(ROUNDS):
            for tool in tools.values():
                tool.ask()
        print(f"{len(right):,} offers with an H100 of {ROWS:,}, sorted by price; the same offers in the same order")
        for ours, words in (("prices", "price list"), ("ranking", "ranking by one measurement")):
            for rival in (tools["gpuhunt"], tools["skypilot"]):
                (a, a_read), (b, b_read) = tools[ours].medians, rival.medians
                result = Result(
                    f"PerDollar's {words}, answers a second", b / a, f"{rival.name} {rival.version} in memory",
                    TIMES, at_most=False,
                    note=f"{1e3 * a:.3g} ms against {1e3 * b:.3g} ms; with every offer read out as a tuple "
                    f"{1e3 * a_read:.3g} against {1e3 * b_read:.3g} ms, {b_read / a_read:.3g} ×",
                )  # fmt: skip
                print(result.line(), flush=True)
                missed += not result.met
    return 1 if missed else 0


sys.exit(main(sys.argv[1]))
