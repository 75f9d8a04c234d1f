"""Measure the most that the server takes, then hold it at a share of that: errors, memory and latencies are judged."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

from tests.bench.tables import price_table
from tests.load.generating import flat_out, known_answers, on_schedule
from tests.load.judging import MIB, judged, machine, quantiles, table_of
from tests.load.running import Others, growth, memory, server
from tests.load.traffic import Traffic

ROWS = 20_000
MOST_SECONDS, MOST_ROUNDS, CLIENTS = 5, 2, (8, 16, 32)


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


async def measure(arguments: argparse.Namespace) -> int:
    table = price_table(ROWS)
    options = ["--workers", str(arguments.workers)] if arguments.workers > 1 else []
    with server(table, options) as (port, process):
        traffic = Traffic(await known_answers(port, table), seed=1)
        others = Others(process)
        rate, clients = await most(port, traffic)
        target = arguments.share * rate
        print(f"at most {rate:.0f} answers/s of the mix ({clients} connections); now {target:.0f}/s", flush=True)
        await on_schedule(port, traffic.jobs(), arguments.warm_up, target, seed=2)
        samples: list[int] = []
        watch = asyncio.create_task(watched(process, samples))
        beside = [others.cores()]
        others, begun = Others(process), time.perf_counter()
        outcome = await on_schedule(port, traffic.jobs(), arguments.seconds, target, seed=3)
        took = time.perf_counter() - begun
        beside.append(others.cores())
        watch.cancel()
    results = judged(outcome, samples)
    for result in results:
        print(result.line(), flush=True)
    for kind, text in outcome.examples.items():
        print(f"        {outcome.errors[kind]} × {kind}: {text}")
    late = quantiles(outcome.lateness)[1]
    print(f"        the generator sent 99 % of requests within {1e3 * late:.2g} ms of their time", flush=True)
    shares = f"Other programs took {beside[0]:.2f} cores before and {beside[1]:.2f} during the load"
    print(f"        {shares[0].lower()}{shares[1:]}", flush=True)
    if arguments.out:
        arguments.out.write_text(
            f"{machine()}\n\n{arguments.workers} workers and the generator share the machine. At most {rate:.0f} "
            f"answers/s; {took:.0f} s at {target:.0f}/s. Errors: {sum(outcome.errors.values())}. Memory: "
            f"{samples[0] / MIB:.0f} MiB at first, {samples[-1] / MIB:.0f} MiB at last, {growth(samples):+.1%} from "
            f"the first third to the last. {shares}.\n\n{table_of(outcome)}\n"
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
