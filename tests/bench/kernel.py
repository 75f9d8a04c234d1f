"""The ranking: 20,000 offers × 10 measurements, the cheapest 50, beside the same query as a polars lazy plan."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date

import polars as pl

from pricing.accelerators import catalogue
from pricing.compare import compare
from pricing.question import Question
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv
from tests.bench.tables import measurements, price_table
from tests.bench.timing import Result, medians

TODAY = date(2026, 12, 1)
# Asked this often in each round, since one answer is too short to time by itself.
BATCH = 10


def _ours(question: Question) -> None:
    for _ in range(BATCH):
        _ = compare(question, catalogue()).page.cost


def _theirs(plan: pl.LazyFrame) -> None:
    for _ in range(BATCH):
        plan.collect()


def run() -> Iterator[Result]:
    data = price_table(20_000)
    reader = Reader(read_csv(data, "bench.csv", catalogue(), TODAY), catalogue(), TODAY)
    question = reader.from_pairs([("unit", "output_token"), *(("m", m) for m in measurements())])
    offers = pl.read_csv(io.BytesIO(data))
    parts = [m.replace("=", ":").split(":") for m in measurements()]
    rates = pl.DataFrame(
        {"accelerator": [p[0] for p in parts], "n": [int(p[1]) for p in parts], "rate": [float(p[2]) for p in parts]}
    )
    cost = pl.col("price_usd_per_hour") * 1e6 / (3600 * pl.col("replicas") * pl.col("rate"))
    plan = (
        offers.lazy()
        .join(rates.lazy(), on="accelerator")
        .with_columns((pl.col("accelerator_count") // pl.col("n")).alias("replicas"))
        .filter(pl.col("replicas") >= 1)
        .with_columns(cost.alias("cost_usd"))
        .sort("cost_usd", "provider", "instance_type")
        .head(50)
    )
    ours, theirs = compare(question, catalogue()).page.cost.tolist(), plan.collect()["cost_usd"].to_list()
    if any(abs(a / b - 1) > 1e-12 for a, b in zip(ours, theirs, strict=True)):
        raise AssertionError("the two engines do not give the same costs")
    seconds = medians({"perdollar": lambda: _ours(question), "polars": lambda: _theirs(plan)}, rounds=9)
    yield Result(
        "ranking 20,000 offers × 10 measurements, top 50",
        seconds["perdollar"] / seconds["polars"],
        "a polars lazy plan",
        1 / 10,
        note=f"{1e3 * seconds['perdollar'] / BATCH:.3g} ms against {1e3 * seconds['polars'] / BATCH:.3g} ms",
    )
