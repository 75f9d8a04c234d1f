"""What came of a load, beside the bounds: errors, memory, latencies of each class; and on what machine."""

from __future__ import annotations

import os
import platform
import re
import statistics
import subprocess
from importlib import metadata
from pathlib import Path

from tests.bench.timing import Result
from tests.load.generating import Outcome
from tests.load.running import ROOT, growth
from tests.load.traffic import SHARES

PACKAGES = ("fastapi", "uvicorn", "numpy", "pydantic", "orjson")
MIB = 1024 * 1024


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    ordered = sorted(seconds)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


def machine() -> str:
    """Say what the figures were measured on."""
    cpu = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT
    ).stdout.strip()
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"{cpu[1] if cpu else platform.processor()}, {os.cpu_count()} cores, {gib:.0f} GiB; "
        f"Python {platform.python_version()}, {packages}; commit {commit or 'unknown'}"
    )


def judged(outcome: Outcome, samples: list[int]) -> list[Result]:
    """Return the figures with their bounds."""
    wrong = sum(outcome.errors.values())
    results = [
        Result("errors", wrong, "1 answer", 0, note=f"of {outcome.answered + wrong:,} answers"),
        Result(
            "memory of the server, last third of the time", 1 + growth(samples), "that of the first", 1.05,
            note=f"{samples[0] / MIB:.0f} to {samples[-1] / MIB:.0f} MiB",
        ),
    ]  # fmt: skip
    for kind in SHARES:
        half, nearly_all = quantiles(outcome.seconds[kind])
        results.append(
            Result(f"{kind}, p99", nearly_all / half, "its p50", 10,
                   note=f"p50 {1e3 * half:.3g} ms, p99 {1e3 * nearly_all:.3g} ms of {len(outcome.seconds[kind]):,}")
        )  # fmt: skip
    return results


def table_of(outcome: Outcome) -> str:
    """Write the latencies as Markdown."""
    lines = ["| class | share | answers | p50, ms | p99, ms | p99 / p50 |", "|---|---|---|---|---|---|"]
    for kind, share in SHARES.items():
        half, nearly_all = quantiles(outcome.seconds[kind])
        lines.append(
            f"| {kind} | {share:.0%} | {len(outcome.seconds[kind]):,} | {1e3 * half:.1f} | {1e3 * nearly_all:.1f} | "
            f"{nearly_all / half:.1f} |"
        )
    return "\n".join(lines)
