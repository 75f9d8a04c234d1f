"""The built-in table holds what the collected observations say, price for price."""

from __future__ import annotations

import csv
import math
import os
from collections import Counter
from pathlib import Path

from pricing.accelerators import DATA, catalogue

SOURCE = Path(os.environ["PERDOLLAR_REAL_FILES"]) / "prices"
KEY = ("provider", "instance_type", "accelerator", "accelerator_count", "purchase", "term_months", "observed_on")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_observation_is_in_the_built_in_table_with_its_price():
    collected = rows_of(SOURCE / "offers.csv")
    shipped = [row for path in sorted((DATA / "offers").glob("*.csv")) for row in rows_of(path)]
    assert len(shipped) >= len(collected) > 0

    def prices(rows: list[dict[str, str]]) -> Counter[tuple[object, ...]]:
        return Counter((*(row[name] for name in KEY), float(row["price_usd_per_hour"])) for row in rows)

    missing = prices(collected) - prices(shipped)
    assert not missing


def test_the_chips_have_the_collected_figures():
    chips = catalogue().accelerators
    checked = 0
    for row in rows_of(SOURCE / "accelerators.csv"):
        chip = chips[row["accelerator"]]
        for name in ("memory_gib", "memory_bandwidth_gb_s", "bf16_dense_tflops", "fp8_dense_tflops"):
            if row.get(name):
                figure = getattr(chip, name)
                assert figure is not None, (row["accelerator"], name)
                assert math.isclose(figure, float(row[name])), (row["accelerator"], name)
                checked += 1
    assert checked > 100
