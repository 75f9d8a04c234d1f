"""Load on a server: as much as it takes (closed loop), and so much on a schedule (open loop)."""

from __future__ import annotations

import asyncio
import csv
import io
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.load.traffic import Job, asking, check_by_formula, questions
from tests.load.wire import Answer, Connection

TIMEOUT = 30
# Connections that are opened at first; more are when all of them wait for an answer.
OPEN = 32
# Requests that a connection carries before another takes its place: visitors come and go, and which worker answers is
# settled when a connection is opened.
REQUESTS = 10


@dataclass
class Outcome:
    """What came of the requests: seconds of each class, and what went wrong, with an example of each kind."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    lateness: list[float] = field(default_factory=list)

    def wrong(self, job: Job, error: BaseException) -> None:
        kind = f"{job.kind}: {type(error).__name__}"
        self.errors[kind] += 1
        self.examples.setdefault(kind, str(error)[:300])

    @property
    def answered(self) -> int:
        """How many requests got the right answer."""
        return sum(map(len, self.seconds.values()))


class Pool:
    """Connections to one server, used in turn, so that all of its workers are."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._idle: deque[Connection] = deque()

    async def fill(self) -> None:
        self._idle.extend([await Connection.open(self.port) for _ in range(OPEN)])

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Give a connection; one that broke is not used again."""
        while self._idle:
            found = self._idle.popleft()
            if found.usable:
                break
            await found.close()
        else:
            found = await Connection.open(self.port)
        try:
            yield found
        except BaseException:
            await found.close()
            raise
        if found.asked < REQUESTS:
            self._idle.append(found)
        else:
            await found.close()

    async def run(self, job: Job, since: float, outcome: Outcome) -> None:
        """Do a job; its seconds count from `since`, a time of perf_counter."""
        try:
            answer = await self._answer(job)
            took = time.perf_counter() - since
            job.check(answer)
        except Exception as error:  # whatever an answer does to a check, it was not the right one
            outcome.wrong(job, error)
        else:
            outcome.seconds.setdefault(job.kind, []).append(took)

    async def _answer(self, job: Job) -> Answer:
        async with asyncio.timeout(TIMEOUT), self.connection() as connection:
            return await connection.ask(job.sent)


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
    await pool.close()
    return known


async def flat_out(port: int, jobs: Iterator[Job], seconds: float, clients: int) -> tuple[float, Outcome]:
    """Ask on so many connections, on each again as soon as it has its answer; return the answers per second."""
    pool, outcome = Pool(port), Outcome()
    begun = time.perf_counter()

    async def client() -> None:
        while (now := time.perf_counter()) < begun + seconds:
            await pool.run(next(jobs), now, outcome)

    await asyncio.gather(*(client() for _ in range(clients)))
    rate = outcome.answered / (time.perf_counter() - begun)
    await pool.close()
    return rate, outcome


async def on_schedule(port: int, jobs: Iterator[Job], seconds: float, rate: float, seed: int) -> Outcome:
    """Send requests at random times, so many a second, whether or not earlier ones are answered.

    Independent users come at exponential intervals. A request's seconds count from its time on the
    schedule, so that what waits, in the server or before it, is not left out.
    """
    rng, pool, outcome = random.Random(seed), Pool(port), Outcome()  # noqa: S311
    await pool.fill()
    running: set[asyncio.Task[None]] = set()
    begun = due = time.perf_counter()
    while (due := due + rng.expovariate(rate)) < begun + seconds:
        job = next(jobs)
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        outcome.lateness.append(time.perf_counter() - due)
        task = asyncio.create_task(pool.run(job, due, outcome))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    await pool.close()
    return outcome
