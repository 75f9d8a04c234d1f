"""The server under load, as a user starts it, and the memory of its processes."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
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


class Others:
    """How many cores other programs of the machine took since this was made: figures beside many are worth little."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._since, self._begun = time.perf_counter(), self._seconds()

    def _seconds(self) -> float:
        busy = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        # Idle and waiting for the disk are the fourth and fifth.
        ticks = sum(busy) - busy[3] - busy[4]
        for each in (os.getpid(), *family(self._process)):
            words = Path(f"/proc/{each}/stat").read_text().rpartition(") ")[2].split()
            ticks -= int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def cores(self) -> float:
        return max(0.0, (self._seconds() - self._begun) / (time.perf_counter() - self._since))


def growth(samples: Sequence[int]) -> float:
    """Return by what share the last third of some samples is larger than the first."""
    third = max(1, len(samples) // 3)
    return statistics.mean(samples[-third:]) / statistics.mean(samples[:third]) - 1
