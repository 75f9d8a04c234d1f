"""The generator of load itself: it keeps its schedule, takes no wrong answer, and counts what a server does wrong."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from contextlib import asynccontextmanager

import pytest

from tests.app.asking import finished
from tests.bench.tables import price_table
from tests.load.generating import Outcome, flat_out, known_answers, on_schedule
from tests.load.judging import judged
from tests.load.running import Others, growth, memory, server
from tests.load.traffic import SHARES, Job, Question, Traffic, WrongAnswerError, expect
from tests.load.wire import Answer, request

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BAD = {
    "status": b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nok",
    "content": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
    "cut short": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
    "no HTTP": b"hello\r\n\r\n",
}


@asynccontextmanager
async def serving(answer):
    """Serve what `answer(n)` gives for the nth request: bytes, and seconds to wait before."""
    numbers = itertools.count()

    async def handle(reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                said, wait = answer(next(numbers))
                await asyncio.sleep(wait)
                writer.write(said)
                if said in (BAD["cut short"], BAD["no HTTP"]):
                    break
        except asyncio.IncompleteReadError:
            pass
        writer.close()

    started = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with started:
        yield started.sockets[0].getsockname()[1]


def jobs():
    def check(answer):
        expect(answer == (200, b"ok"), f"{answer}")

    return itertools.repeat(Job("page", request("GET", "/"), check))


@pytest.mark.parametrize("name", BAD)
def test_each_kind_of_bad_answer_is_counted(name):
    async def run():
        async with serving(lambda n: (BAD[name] if n % 10 == 3 else GOOD, 0)) as port:
            return await on_schedule(port, jobs(), 0.5, 200, seed=1)

    outcome = finished(run())
    wrong = sum(outcome.errors.values())
    asked = outcome.answered + wrong
    assert asked == len(outcome.lateness) > 50
    assert wrong == len(range(3, asked, 10))
    assert list(outcome.examples) == list(outcome.errors)


def test_a_server_that_is_gone_gives_errors_and_no_end():
    async def run():
        async with serving(lambda n: (GOOD, 0)) as port:
            pass
        return await flat_out(port, jobs(), 0.05, clients=2)

    rate, outcome = finished(run())
    assert rate == 0
    assert outcome.errors.total() > 0


def test_seconds_count_from_the_schedule():
    # The server stands still for 300 ms once. A generator that waits for it would ask nothing meanwhile.
    stall = 0.3

    async def run():
        until = time.perf_counter() + 0.2 + stall

        def answer(_):
            now = time.perf_counter()
            return GOOD, max(0.0, until - now) if now > until - stall else 0.0

        async with serving(answer) as port:
            return await on_schedule(port, jobs(), 1, 200, seed=1)

    slow = sorted(finished(run()).seconds["page"])
    # About 200 a second were due during the stall, and waited half of it.
    assert sum(seconds > stall / 3 for seconds in slow) > 200 * stall / 3


def test_the_schedule_is_the_same_for_a_seed():
    async def run(seed):
        async with serving(lambda n: (GOOD, 0)) as port:
            return len((await on_schedule(port, jobs(), 0.3, 300, seed)).lateness)

    first, again, other = (finished(run(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_costs_by_the_formula():
    rows = [
        {"instance_type": name, "accelerator": "L4", "accelerator_count": count, "purchase": purchase,
         "price_usd_per_hour": price}
        for name, count, purchase, price in (
            ("a", "4", "on_demand", "3.6"), ("b", "1", "on_demand", "1"), ("c", "2", "spot", "1"),
            ("d", "2", "on_demand", "1"),
        )
    ]  # fmt: skip
    costs = Question((("L4", 2, 1000.0),)).costs(rows)
    assert costs == [("d", pytest.approx(1e6 / 3.6e6)), ("a", pytest.approx(1.8e6 / 3.6e6))]


def test_growth_is_of_the_last_third_over_the_first():
    assert growth([100, 100, 150, 500, 110, 110]) == pytest.approx(0.10)
    assert growth([100]) == 0


def test_each_figure_is_judged():
    fair = Outcome(seconds={kind: [0.01] * 98 + [0.09] * 2 for kind in SHARES})
    assert [result.value for result in judged(fair, [100, 100, 104])] == pytest.approx([0, 1.04, *[9] * len(SHARES)])
    assert all(result.met for result in judged(fair, [100, 100, 104]))
    slow = Outcome(seconds=fair.seconds | {"csv": [0.01] * 98 + [0.11] * 2})
    slow.wrong(Job("page", b"", lambda answer: None), TimeoutError())
    missed = [result.name for result in judged(slow, [100, 100, 106]) if not result.met]
    assert missed == ["errors", "memory of the server, last third of the time", "csv, p99"]


def test_the_real_server_answers_the_whole_mix_and_a_changed_answer_is_seen():
    table = price_table(400)

    async def run(port):
        traffic = Traffic(await known_answers(port, table), seed=1)
        outcome = Outcome()
        mixed = [traffic.job(kind) for kind in SHARES for _ in range(2)]
        rate, outcome = await flat_out(port, iter(mixed * 100), 0.3, clients=2)
        await on_schedule(port, iter(mixed * 100), 0.3, max(20, rate / 2), seed=1)
        return traffic, outcome

    with server(table, []) as (port, process):
        others = Others(process)
        traffic, outcome = finished(run(port))
        assert 0 <= others.cores() <= os.cpu_count()
        assert memory(process) > 20 * 1024 * 1024
    assert outcome.examples == {}
    assert outcome.answered > 0
    drawn = [job.kind for job in itertools.islice(traffic.jobs(), 400)]
    assert set(drawn) == set(SHARES)
    assert sum(SHARES.values()) == pytest.approx(1)
    changed = Traffic({"page": [(b"", b"right")]}, seed=1).job("page")
    with pytest.raises(WrongAnswerError, match="another answer than before"):
        changed.check(Answer(200, b"wrong"))
