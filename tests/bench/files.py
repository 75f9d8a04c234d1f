"""Files: writing 200,000 estimates as CSV, reading a table of 200,000 rows."""

from __future__ import annotations

import csv
import io
import tracemalloc
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Literal

from pydantic import BaseModel, Field

from app.exports import answer_csv
from pricing.accelerators import catalogue
from pricing.columns import COLUMNS
from pricing.compare import compare
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv
from tests.bench.tables import CHIPS, price_table
from tests.bench.timing import Result, medians

TODAY = date(2026, 12, 1)
MIB = 1024 * 1024


class Row(BaseModel):
    """The reference: one pydantic model per row."""

    provider: str = Field(min_length=1)
    instance_type: str = Field(min_length=1)
    region: str
    accelerator: str
    accelerator_count: int = Field(ge=0)
    purchase: Literal["on_demand", "spot", "reserved"]
    term_months: Literal[""] | int
    price_usd_per_hour: float = Field(gt=0, allow_inf_nan=False)
    observed_on: date
    evidence: Literal["list", "survey", "quote", "third_party"]
    source: str
    notes: str


def run() -> Iterator[Result]:
    data = price_table(200_000)
    yield _reading(data)
    yield from _writing(data)


def _reading(data: bytes) -> Result:
    def reference() -> list[Row]:
        return [Row.model_validate(row) for row in csv.DictReader(io.StringIO(data.decode()))]

    seconds = medians(
        {"perdollar": lambda: read_csv(data, "bench.csv", catalogue(), TODAY), "pydantic": reference}, rounds=5
    )
    return Result(
        "reading and checking a table of 200,000 rows",
        seconds["perdollar"] / seconds["pydantic"],
        "csv + one pydantic model per row",
        1 / 2,
        note=f"{seconds['perdollar']:.3g} s against {seconds['pydantic']:.3g} s",
    )


def _writing(data: bytes) -> Iterator[Result]:
    reader = Reader(read_csv(data, "bench.csv", catalogue(), TODAY), catalogue(), TODAY)
    pairs = [("unit", "output_token"), *(("m", f"{chip}:1={1000 + i}~30") for i, chip in enumerate(CHIPS))]
    question = reader.from_pairs(pairs)
    answer = compare(question, catalogue(), all_rows=True)
    size = sum(map(len, answer_csv(answer)))
    rows = list(zip(*(column.python(answer.page) for column in COLUMNS), strict=True))

    def ours() -> None:
        for _ in answer_csv(answer):
            pass

    def reference() -> None:
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        out.getvalue().encode()

    seconds = medians({"perdollar": ours, "csv.writer": reference}, rounds=5)
    yield Result(
        f"/compare.csv of {len(answer.page):,} estimates, MB/s",
        seconds["csv.writer"] / seconds["perdollar"],
        "csv.writer with the rows ready as Python objects",
        2,
        at_most=False,
        note=f"{size / seconds['perdollar'] / 1e6:.3g} MB/s",
    )
    tracemalloc.start()
    for _ in answer_csv(answer):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Result("extra memory of that export", peak / MIB, "1 MiB", 16)
    seconds = medians({"first": lambda: list(islice(answer_csv(answer), 2)), "all": ours}, rounds=5)
    yield Result("time to the first rows of that export", seconds["first"] / seconds["all"], "the whole export", 0.05)
