"""Large tables: `perdollar sweep` with each engine as a process of its own, its seconds, cells a second and memory.

Run as `python -m tests.bench.engines [--millions N] [--scenarios N] [ENGINE…]`; the engines' outputs have to be the
same to the byte (Spark: in ids, and in costs to 1e-12). It takes minutes, so `make bench` leaves it out.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from tests.bench.tables import price_table, scenarios
from tests.load.judging import machine

ROOT = Path(__file__).resolve().parents[2]
MILLION, TOP = 1_000_000, 10


def write_offers(folder: Path, millions: int) -> None:
    """Write a folder of Parquet files of a million offers each."""
    table = pl.read_csv(io.BytesIO(price_table(MILLION)), infer_schema=False)
    for i in range(millions):
        name = pl.concat_str("instance_type", pl.lit(f"-{i}"))
        table.with_columns(name.alias("instance_type")).write_parquet(folder / f"{i:03}.parquet")


def swept(asked: Path, offers: Path, engine: str, out: Path) -> tuple[float, int]:
    """Return the seconds of one sweep, and the most KiB that one of its processes held; of Spark, Python's alone."""
    options = ["--master", "local[*]"] if engine == "spark" else []
    command = [sys.executable, "-m", "app.cli", "sweep", asked, "--offers", offers, "--top", str(TOP),
               "--engine", engine, *options, "--out", out]  # fmt: skip
    start = time.perf_counter()
    process = subprocess.Popen(
        list(map(str, command)), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    assert process.stderr is not None
    if status:
        raise SystemExit(process.stderr.read().decode()[-2000:])
    assert isinstance(usage, resource.struct_rusage)
    return time.perf_counter() - start, usage.ru_maxrss


def same(first: Path, second: Path) -> bool:
    """Whether two outputs name the same offers in the same order, at costs within 1e-12 of each other."""
    with first.open() as one, second.open() as other:
        for row, right in zip(csv.DictReader(one), csv.DictReader(other), strict=True):
            for column, text in right.items():
                given = row[column]
                if given != text and not (
                    column.endswith("usd") and math.isclose(float(given), float(text), rel_tol=1e-12)
                ):
                    return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engines", description=__doc__)
    parser.add_argument("--millions", type=int, default=2, help="of offers")
    parser.add_argument("--scenarios", type=int, default=1000)
    parser.add_argument("engines", nargs="*", default=["numpy", "polars"])
    given = parser.parse_args()
    cells = given.millions * MILLION * given.scenarios
    print(f"{machine()}\n{given.millions} million offers (Parquet) × {given.scenarios:,} scenarios, the cheapest {TOP}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        asked, offers = folder / "scenarios.csv", folder / "offers"
        asked.write_bytes(scenarios(given.scenarios))
        offers.mkdir()
        write_offers(offers, given.millions)
        table = offers
        if "numpy" in given.engines:
            # It reads one file.
            table = folder / "offers.parquet"
            pl.read_parquet(offers / "*.parquet").write_parquet(table)
        right: Path | None = None
        for engine in given.engines:
            out = folder / f"{engine}.csv"
            seconds, kib = swept(asked, table, engine, out)
            print(f"{engine:7} {seconds:7.1f} s, {cells / seconds:.2g} cells/s, {kib / 1024**2:.2f} GiB", flush=True)
            if right is not None and not same(out, right):
                print(f"{engine} gives something else than {right.stem}")
                return 1
            right = right or out
    return 0


if __name__ == "__main__":
    sys.exit(main())
