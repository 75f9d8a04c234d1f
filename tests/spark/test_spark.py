"""The expression on Apache Spark, in local mode, gives what comparisons give: needs Java 17 and `make spark`."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import app
from app.cli import commands
from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sweeps.scanned import ScannedTable
from pricing.sweeps.spark_machine import SparkMachine
from tests.pricing.small import TODAY, offer
from tests.pricing.sweeps.joined import built_in_rows, check, made_up, written
from tests.pricing.sweeps.test_engine import BUILT_IN, UNITS
from tests.pricing.sweeps.test_joined import MANY

ROOT = Path(app.__file__).parent.parent


@pytest.fixture(scope="module")
def session():
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in (("ui.enabled", "false"), ("ui.showConsoleProgress", "false"), ("sql.shuffle.partitions", "4")):
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_built_in_prices_give_what_comparisons_give(session, tmp_path):
    rows = [{"unit": "output_token"} | row for row in BUILT_IN]
    rows += [row | {"unit": unit} for row in BUILT_IN[:3] for unit in UNITS]
    path = written(tmp_path / "offers.csv", built_in_rows())
    check(SparkMachine(session=session), path, rows, tmp_path, tops=(7,))


def test_a_made_up_table_gives_what_comparisons_give(session, tmp_path):
    path = tmp_path / "offers.parquet"
    made_up(20_000).write_parquet(path)
    check(SparkMachine(session=session), path, MANY, tmp_path, tops=(5,))


def test_the_active_session_is_taken(session):
    assert SparkMachine().session is session


def test_a_sweep_from_a_notebook_with_a_session(session, tmp_path):
    path = written(tmp_path / "offers.csv", [offer(region="us-1"), offer(2, region="eu-1")])
    asked = written(tmp_path / "asked.csv", [{"unit": "output_token", "m": "H100-SXM:8=1000"}])
    out = tmp_path / "out.csv"
    words = ["sweep", asked, "--offers", path, "--engine", "spark", "--top", "5", "--out", out]
    commands([str(word) for word in words], standalone_mode=False)
    with out.open(newline="") as file:
        (cheaper, dearer) = csv.DictReader(file)
    # 2 USD/h ÷ (1000/s × 3600 s/h) × 10⁶
    assert float(cheaper["cost_usd"]) == pytest.approx(2 * 1e6 / 3.6e6, rel=1e-12)
    assert (cheaper["region"], dearer["region"]) == ("eu-1", "us-1")
    assert session.range(3).count() == 3


def test_a_bad_row_refuses_the_table(session, tmp_path):
    path = written(tmp_path / "offers.csv", [offer(), offer(region="eu-1") | {"accelerator": "H100-SMX"}])
    with pytest.raises(PriceFileError, match="'H100-SMX' is not an accelerator"):
        ScannedTable(SparkMachine(session=session), str(path), catalogue(), TODAY)
    with pytest.raises(PriceFileError, match="Spark can't read"):
        ScannedTable(SparkMachine(session=session), str(tmp_path / "absent.parquet"), catalogue(), TODAY)


@pytest.mark.parametrize("options", [("--top", "3"), ("--summary",)])
def test_the_command_gives_what_the_other_engines_give(tmp_path, options):
    path = tmp_path / "offers.parquet"
    made_up(3000).write_parquet(path)
    scenarios = written(tmp_path / "scenarios.csv", MANY)
    answers = {}
    for engine in ("numpy", "polars", "spark"):
        out = tmp_path / f"{engine}.csv"
        words = [
            "sweep",
            scenarios,
            "--offers",
            path,
            "--out",
            out,
            "--engine",
            engine,
            "--as-of",
            "2026-12-01",
            *options,
        ]
        words += ["--master", "local[2]"] if engine == "spark" else []
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *map(str, words)], check=False, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        with out.open(newline="") as file:
            answers[engine] = list(csv.DictReader(file))
    assert len(answers["numpy"]) >= len(MANY)
    for engine in ("polars", "spark"):
        for one, other in zip(answers["numpy"], answers[engine], strict=True):
            for name, value in one.items():
                if name.startswith(("cost_m", "cost_usd", "cost_low", "cost_high")) and value:
                    assert float(other[name]) == pytest.approx(float(value), rel=1e-12, abs=0)
                else:
                    assert other[name] == value, name
