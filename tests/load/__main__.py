"""Measure the most that the server takes, then hold it at a share of that: errors, memory and latencies are judged."""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

from tests.bench.tables import price_table
from tests.bench.timing import Result
from tests.load.generating import Outcome, Pool, flat_out, on_schedule
from tests.load.running import ROOT, growth, memory, server
from tests.load.traffic import SHARES, Traffic, asking, check_by_formula, questions

ROWS = 20_000
MOST_SECONDS, MOST_ROUNDS, CLIENTS = 5, 2, (8, 16, 32)
PACKAGES = ("fastapi", "uvicorn", "numpy", "pydantic", "orjson")
MIB = 1024 * 1024


async def known_answers(port: int, table: bytes) -> dict[str, list[tuple[bytes, bytes]]]:
    """Ask every question once, in every form, and check the answers by the formula."""
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    pool, known = Pool(port), {}
    for kind in ("page", "fragment", "json_get", "json_post", "csv"):
        for question in questions(random.Random(kind)):  # noqa: S311
            sent = asking(kind, question)
            async with pool.connection() as connection:
                answer = await connection.ask(sent)
            check_by_formula(kind, answer, question, rows)
            known.setdefault(kind, []).append((sent, answer.body))
    pool.close()
    return known


async def most(port: int, traffic: Traffic) -> tuple[float, int]:
    """Return the most answers per second of the mix, and on how many connections."""
    rates: dict[int, list[float]] = {clients: [] for clients in CLIENTS}
    for _ in range(MOST_ROUNDS):
        for clients, found in rates.items():
            rate, outcome = await flat_out(port, traffic.jobs(), MOST_SECONDS, clients)
            if outcome.errors:
                raise SystemExit(f"wrong answers before the load: {outcome.examples}")
            found.append(rate)
    best = max(rates, key=lambda clients: statistics.median(rates[clients]))
    return statistics.median(rates[best]), best


async def watched(process: int, samples: list[int]) -> None:
    """Note the memory of the server once a second."""
    while True:
        samples.append(memory(process))
        await asyncio.sleep(1)


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


async def measure(arguments: argparse.Namespace) -> int:
    table = price_table(ROWS)
    options = ["--workers", str(arguments.workers)] if arguments.workers > 1 else []
    with server(table, options) as (port, process):
        traffic = Traffic(await known_answers(port, table), seed=1)
        rate, clients = await most(port, traffic)
        target = arguments.share * rate
        print(f"at most {rate:.0f} answers/s of the mix ({clients} connections); now {target:.0f}/s", flush=True)
        await on_schedule(port, traffic.jobs(), arguments.warm_up, target, seed=2)
        samples: list[int] = []
        watch = asyncio.create_task(watched(process, samples))
        begun = time.perf_counter()
        outcome = await on_schedule(port, traffic.jobs(), arguments.seconds, target, seed=3)
        took = time.perf_counter() - begun
        watch.cancel()
    results = judged(outcome, samples)
    for result in results:
        print(result.line(), flush=True)
    for kind, text in outcome.examples.items():
        print(f"        {outcome.errors[kind]} × {kind}: {text}")
    late = quantiles(outcome.lateness)[1]
    print(f"        the generator sent 99 % of requests within {1e3 * late:.2g} ms of their time", flush=True)
    if arguments.out:
        arguments.out.write_text(
            f"{machine()}\n\n{arguments.workers} workers and the generator share the machine. At most {rate:.0f} "
            f"answers/s; {took:.0f} s at {target:.0f}/s. Errors: {sum(outcome.errors.values())}. Memory: "
            f"{samples[0] / MIB:.0f} MiB at first, {samples[-1] / MIB:.0f} MiB at last, {growth(samples):+.1%} from "
            f"the first third to the last.\n\n{table_of(outcome)}\n"
        )
    return 0 if all(result.met for result in results) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="processes of the server")
    parser.add_argument("--seconds", type=float, default=60, help="how long the load is held")
    parser.add_argument("--warm-up", type=float, default=20, help="seconds of the same load before that")
    parser.add_argument("--share", type=float, default=0.8, help="of the most that the server takes")
    parser.add_argument("--out", type=Path, help="write machine, figures and table as Markdown")
    return asyncio.run(measure(parser.parse_args()))


sys.exit(main())
