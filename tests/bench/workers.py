"""Two workers beside one: answers per second of the same questions, on servers started as a user starts them.

The generator shares the machine's cores with the workers. What it asks for is therefore what costs the server much
and the generator little: the page's fragment of results, as it is fetched while somebody types.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Iterator
from contextlib import ExitStack

from tests.bench.tables import price_table
from tests.bench.timing import Result
from tests.load.generating import flat_out, known_answers
from tests.load.running import server
from tests.load.traffic import Traffic

ROUNDS, SECONDS, CONNECTIONS = 7, 3, 32


async def _measure(ports: dict[int, int], table: bytes) -> dict[int, float]:
    traffic = {n: Traffic(await known_answers(port, table), seed=1) for n, port in ports.items()}
    rates: dict[int, list[float]] = {n: [] for n in ports}
    for _ in range(ROUNDS):
        for n, port in ports.items():
            jobs = iter(lambda n=n: traffic[n].job("fragment"), None)
            rate, outcome = await flat_out(port, jobs, SECONDS, CONNECTIONS)
            if outcome.errors:
                raise AssertionError(outcome.examples)
            rates[n].append(rate)
    return {n: statistics.median(found) for n, found in rates.items()}


def run() -> Iterator[Result]:
    table = price_table(20_000)
    with ExitStack() as stack:
        ports = {n: stack.enter_context(server(table, ["--workers", str(n)]))[0] for n in (1, 2)}
        rates = asyncio.run(_measure(ports, table))
    yield Result(
        "two workers, the page's fragment, answers/s", rates[2] / rates[1], "one worker", 1.6, at_most=False,
        note=f"{rates[2]:.0f}/s, {rates[1]:.0f}/s, with the generator on {os.cpu_count()} cores",
    )  # fmt: skip
