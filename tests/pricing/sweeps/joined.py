"""What an engine that joins tables is held to, whichever it is: the rows that comparisons give."""

import csv

import numpy as np
import polars as pl
import pytest

from pricing.accelerators import DATA, catalogue
from pricing.sources.own_schema import read_file
from pricing.sweeps.joined import NOT_COUNTED, JoinedEngine
from pricing.sweeps.scanned import ScannedNames, ScannedTable
from tests.bench.tables import CHIPS, PURCHASES
from tests.pricing.small import TODAY
from tests.pricing.sweeps.asking import expected_summary, expected_top, rows_of, scenarios_of


def written(path, rows):
    """Write mappings from column to value as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def built_in_rows():
    """Return the rows of the built-in table, as its files have them."""
    rows = []
    for path in sorted((DATA / "offers").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            rows += [{name: " ".join(cell.split()) for name, cell in row.items()} for row in csv.DictReader(file)]
    return rows


def made_up(rows, seed=20261203, keys=None):
    """Return a table of so many observations as a frame: ten chips, 40 sellers, several dates of one offer."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, keys or max(rows // 3, 1), rows)
    mixed = key * 2654435761 % 2**32
    count = np.array([1, 2, 4, 8, 16])[(mixed >> 5) % 5]
    purchase = (mixed >> 9) % 3
    frame = pl.DataFrame(
        {
            "provider": pl.Series(key % 40).cast(pl.String),
            "instance_type": pl.Series(key).cast(pl.String),
            "region": pl.Series((mixed >> 13) % 60).cast(pl.String),
            "accelerator": np.array(CHIPS)[key // 40 % len(CHIPS)],
            "accelerator_count": count,
            "purchase": np.array(PURCHASES)[purchase],
            "term_months": pl.Series(np.where(purchase == 2, 12, 0)).replace(0, None),
            # Few different prices, so that costs are tied.
            "price_usd_per_hour": count * rng.integers(50, 900, rows) / 100,
            "observed_on": pl.Series(rng.integers(20500, 20780, rows).astype(np.int32)).cast(pl.Date),
            "evidence": np.array(["list", "quote", "third_party"])[rng.integers(0, 3, rows)],
        }
    )
    names = {"provider": "seller", "instance_type": "type-", "region": "region-"}
    return frame.with_columns((pl.lit(text) + pl.col(name)).alias(name) for name, text in names.items()).unique(
        ["instance_type", "observed_on"], keep="first", maintain_order=True
    )


def check(machine, path, rows, tmp_path, *, tops=(3,), most_pairs=None, names=None):
    """Check that scenarios give what comparisons give: the same rows and costs to the last bit, means to 1e-12."""
    table = ScannedTable(machine, str(path), catalogue(), TODAY)
    memory = read_file(path, catalogue(), TODAY)
    scenarios = scenarios_of(tmp_path / "scenarios.csv", names or ScannedNames.of(table), rows)
    assert scenarios == scenarios_of(tmp_path / "scenarios.csv", memory, rows)
    for top in tops:
        found = rows_of(JoinedEngine(table, TODAY, top, most_pairs=most_pairs).result(scenarios))
        assert found == _uncounted(expected_top(scenarios, memory, top))
    found = rows_of(JoinedEngine(table, TODAY, None, most_pairs=most_pairs).result(scenarios))
    expected = _uncounted(expected_summary(scenarios, memory))
    for row in expected:
        for name in ("cost_min_usd", "cost_mean_usd"):
            row[name] = row[name] and pytest.approx(row[name], rel=1e-12, abs=0)
    assert found == expected


def _uncounted(rows):
    """Return rows without the number of offers that were left out, which only a comparison counts."""
    return [row | {"left_out": NOT_COUNTED} if row["left_out"] and row["comparable_group"] else row for row in rows]
