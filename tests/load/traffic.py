"""What is asked of the server, how often, and what is right: each answer is checked by value.

A question's answer is checked once against the formula, worked out here from the table's rows, and from then on has to
be the same to the byte. Uploads differ each time, and what was read has to be what was sent.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

import orjson

from tests.bench.tables import CHIPS
from tests.load.wire import Answer, multipart, request

# Somebody opens the page once and then changes things in it, each time for a fragment; scripts ask for JSON. Exports
# and uploads are rare and heavy: a few of a hundred.
SHARES = {
    "page": 0.15,
    "fragment": 0.35,
    "json_get": 0.20,
    "json_post": 0.20,
    "csv": 0.04,
    "price_upload": 0.03,
    "benchmark_upload": 0.03,
}
# A row of the table that says what the chart shows: the offer's name, and its cost in full.
_ON_PAGE = re.compile(r'(type-\d+) <small>.*?title="([^"]+)"')
VARIANTS = 20
UPLOADED_OFFERS = 200
# Ages count from this day, so that midnight changes no answer.
AS_OF = "2026-11-30"


class WrongAnswerError(Exception):
    """An answer that is not what it has to be."""


@dataclass(frozen=True)
class Job:
    """One request of a class, and a check of its answer, which raises WrongAnswerError."""

    kind: str
    sent: bytes
    check: Callable[[Answer], None]


def expect(right: bool, what: str) -> None:
    if not right:
        raise WrongAnswerError(what)


def _ok(answer: Answer) -> None:
    expect(answer.status == 200, f"status {answer.status}: {answer.body[:200]!r}")


@dataclass(frozen=True)
class Question:
    """One comparison: measurements as (chip, count, output tokens per second); on-demand offers only."""

    measurements: tuple[tuple[str, int, float], ...]

    def query(self) -> str:
        parts = [f"m={quote(f'{chip}:{count}={rate}')}" for chip, count, rate in self.measurements]
        return "&".join(["unit=output_token", *parts, "purchase=on_demand", f"as_of={AS_OF}"])

    def body(self) -> bytes:
        measurements = [
            {"accelerator": chip, "accelerator_count": count, "rates": {"output_tokens_per_second": rate}}
            for chip, count, rate in self.measurements
        ]
        filters = {"purchase": ["on_demand"]}
        return orjson.dumps({"unit": "output_token", "measurements": measurements, "filters": filters, "as_of": AS_OF})

    def costs(self, rows: list[dict[str, str]]) -> list[tuple[str, float]]:
        """Return (instance type, USD per 1M tokens) of each offer, cheapest first: P × 10⁶ / (3600 × replicas × R)."""
        found = []
        for chip, count, rate in self.measurements:
            for row in rows:
                replicas = int(row["accelerator_count"]) // count
                if row["accelerator"] == chip and row["purchase"] == "on_demand" and replicas:
                    price = float(row["price_usd_per_hour"])
                    found.append((row["instance_type"], price * 1e6 / (3600 * replicas * rate)))
        return sorted(found, key=lambda each: each[1])


def _same(given: list[tuple[str, float]], right: list[tuple[str, float]]) -> None:
    """Compare estimates by name and cost; offers as dear as each other may change places."""
    expect(len(given) > 0, "no estimate of the table's sellers")
    for (name, cost), (_, right_cost) in zip(given, right, strict=False):
        expect(abs(cost / right_cost - 1) < 1e-9, f"{name} costs {cost}, not {right_cost}")
    costs = dict(right)
    expect(all(abs(cost / costs.get(name, 0.0) - 1) < 1e-9 for name, cost in given if name in costs), "another cost")
    expect({name for name, _ in given} <= costs.keys(), "an offer that carries no measurement")


def check_by_formula(kind: str, answer: Answer, question: Question, rows: list[dict[str, str]]) -> None:
    """Check an answer against the formula: those of its estimates that are of the made-up table's sellers."""
    _ok(answer)
    right = question.costs(rows)
    if kind in ("json_get", "json_post"):
        read = orjson.loads(answer.body)
        estimates, total = read["estimates"], read["total"]
        expect(len(estimates) == min(50, total), f"{len(estimates)} estimates of {total}, not 50")
        expect(total >= len(right), f"{total} estimates in all, not {len(right)} and those of the built-in table")
        _same([(e["instance_type"], e["cost_usd"]) for e in estimates if e["provider"].startswith("seller")], right)
    elif kind == "csv":
        lines = list(csv.DictReader(io.StringIO(answer.body.decode())))
        given = [(x["instance_type"], float(x["cost_usd"])) for x in lines if x["provider"].startswith("seller")]
        expect(len(given) == len(right), f"{len(given)} estimates, not {len(right)}")
        _same(given, right)
    else:
        given = [(name, float(cost)) for name, cost in _ON_PAGE.findall(answer.body.decode())]
        _same(given, right)


def questions(rng: random.Random) -> list[Question]:
    """Return different questions with two measurements each."""
    found = []
    for _ in range(VARIANTS):
        first, second = rng.sample(CHIPS, 2)
        rates = [round(rng.uniform(800, 6000), 1) for _ in range(2)]
        found.append(Question(((first, rng.choice((1, 2, 4)), rates[0]), (second, rng.choice((1, 2, 4)), rates[1]))))
    return found


def asking(kind: str, question: Question) -> bytes:
    """Write the request of a question: pages packed, as browsers ask for them; data as scripts do."""
    if kind == "json_post":
        return request("POST", "/api/v1/compare", question.body(), content_type="application/json")
    path = {"json_get": "/compare.json", "csv": "/compare.csv"}.get(kind, "/compare")
    if kind in ("json_get", "csv"):
        return request("GET", f"{path}?{question.query()}")
    script = {"hx_request": "true"} if kind == "fragment" else {}
    return request("GET", f"{path}?{question.query()}", accept="text/html", accept_encoding="gzip", **script)


def price_upload(rng: random.Random) -> Job:
    """Upload a table of our own form with prices that nobody sent before."""
    prices = [round(rng.uniform(8, 40), 6) for _ in range(UPLOADED_OFFERS)]
    lines = ["provider,instance_type,region,accelerator,accelerator_count,price_usd_per_hour,observed_on"]
    lines += [f"mine,box-{i},hall-{i % 7},{CHIPS[i % 10]},8,{p},2026-11-20" for i, p in enumerate(prices)]
    body, kind = multipart("mine.csv", "\n".join(lines).encode())

    def check(answer: Answer) -> None:
        _ok(answer)
        read = orjson.loads(answer.body)
        expect(
            [float(offer["price_usd_per_hour"]) for offer in read["offers"]] == prices, "other prices than were sent"
        )
        expect(not read["failed"], f"failed: {read['failed']}")

    return Job("price_upload", request("POST", "/api/v1/prices/import", body, content_type=kind), check)


def benchmark_upload(rng: random.Random) -> Job:
    """Upload what vLLM's `bench serve` writes, with rates that nobody sent before."""
    output, total = round(rng.uniform(1000, 9000), 4), round(rng.uniform(20_000, 90_000), 4)
    run = {
        "date": "20261101-120000", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B-Instruct",
        "num_prompts": 1000, "request_rate": "inf", "max_concurrency": 64, "duration": 100.0, "completed": 1000,
        "failed": 0, "total_input_tokens": 1_024_000, "total_output_tokens": 128_000, "request_throughput": 10.0,
        "output_throughput": output, "total_token_throughput": total, "mean_ttft_ms": 90.5, "median_ttft_ms": 80.25,
        "p99_ttft_ms": 250.0, "mean_tpot_ms": 12.5, "median_tpot_ms": 12.0, "p99_tpot_ms": 20.0,
    }  # fmt: skip
    body, kind = multipart("run.json", orjson.dumps(run))

    def check(answer: Answer) -> None:
        _ok(answer)
        (file,) = orjson.loads(answer.body)["files"]
        rates = file["measurements"][0]["rates"]
        given = rates["output_tokens_per_second"], rates["total_tokens_per_second"]
        expect(given == (output, total), f"{given} tokens per second, not {(output, total)}")

    return Job("benchmark_upload", request("POST", "/api/v1/benchmarks/read", body, content_type=kind), check)


class Traffic:
    """Jobs of all classes in their shares; questions are those whose answers are known."""

    def __init__(self, known: dict[str, list[tuple[bytes, bytes]]], seed: int) -> None:
        self._known, self._rng = known, random.Random(seed)  # noqa: S311

    def jobs(self) -> Iterator[Job]:
        """Draw jobs without end."""
        while True:
            (kind,) = self._rng.choices(list(SHARES), SHARES.values())
            yield self.job(kind)

    def job(self, kind: str) -> Job:
        """Return the next job of a class."""
        if kind == "price_upload":
            return price_upload(self._rng)
        if kind == "benchmark_upload":
            return benchmark_upload(self._rng)
        sent, right = self._rng.choice(self._known[kind])

        def check(answer: Answer) -> None:
            _ok(answer)
            expect(answer.body == right, "another answer than before the load")

        return Job(kind, sent, check)
