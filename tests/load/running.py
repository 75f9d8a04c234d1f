"""The server under load, as a user starts it, and the memory of its processes."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def server(table: bytes, options: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Start `perdollar serve` with a private table; give its port and process id."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERDOLLAR_")}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "prices.csv"
        path.write_bytes(table)
        environment |= {"PERDOLLAR_FOLDER": folder + "/refreshed", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "app.cli", "serve", "--port", "0", "--prices", str(path), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
            try:
                assert process.stdout is not None
                found = re.search(r"http://\S+:(\d+)", process.stdout.readline())
                assert found, "the server did not say its address"
                yield int(found[1]), process.pid
            finally:
                process.terminate()
                process.wait()


def family(process: int) -> list[int]:
    """Return a process and all that it started, and they."""
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        for children in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            waiting += map(int, children.read_text().split())
    return found


def memory(process: int) -> int:
    """Return the bytes that a process and its children hold, shared pages counted once (PSS)."""
    texts = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in family(process)]
    return sum(int(re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024 for text in texts)  # type: ignore[index]


def growth(samples: Sequence[int]) -> float:
    """Return by what share the last third of some samples is larger than the first."""
    third = max(1, len(samples) // 3)
    return statistics.mean(samples[-third:]) / statistics.mean(samples[:third]) - 1
