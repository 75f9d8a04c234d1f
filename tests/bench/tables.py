"""Price tables of any size, made up from a fixed seed."""

from __future__ import annotations

import csv
import io
import random

CHIPS = ("H100-SXM", "H200", "B200", "MI300X", "Trainium1", "Trainium2", "TPU-v5e", "TPU-v6e", "L4", "A100-80GB")
PURCHASES = ("on_demand", "spot", "reserved")


def price_table(rows: int) -> bytes:
    """Return a table in our schema: ten chips, hosts of 1 to 16, 40 sellers."""
    rng = random.Random(20261201)  # noqa: S311
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("provider", "instance_type", "region", "accelerator", "accelerator_count", "purchase", "term_months",
         "price_usd_per_hour", "observed_on", "evidence", "source", "notes")
    )  # fmt: skip
    for i in range(rows):
        count = rng.choice((1, 2, 4, 8, 16))
        purchase = rng.choice(PURCHASES)
        writer.writerow(
            (f"seller{i % 40}", f"type-{i}", f"region-{rng.randrange(60)}", CHIPS[i % 10], count, purchase,
             12 if purchase == "reserved" else "", round(count * rng.uniform(0.5, 9), 4),
             f"2026-{rng.randrange(1, 12):02}-{rng.randrange(1, 29):02}", "list", f"price list of seller{i % 40}", "")
        )  # fmt: skip
    return text.getvalue().encode()


def measurements(most: int = 10) -> list[str]:
    """Return one measurement of each chip, in short notation."""
    return [f"{chip}:{1 + i % 4}={1000 + 137 * i}" for i, chip in enumerate(CHIPS[:most])]


def scenarios(rows: int) -> bytes:
    """Return a scenario file for such a table: rates and utilizations all differ, many filters do.

    Of ten scenarios three name a region, two a highest price of their own, one counts a loss of spot.
    """
    rng = random.Random(20261203)  # noqa: S311
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("scenario", "unit", "m", "utilization", "purchase", "region", "max_price_usd_per_hour", "spot_loss")
    )
    for i in range(rows):
        writer.writerow(
            (f"scenario {i}", "output_token",
             f"{rng.choice(CHIPS)}:{rng.choice((1, 2, 4, 8))}={rng.uniform(500, 9000):.2f}",
             f"{rng.uniform(0.2, 1):.4f}", rng.choice(("", "on_demand", "on_demand|spot", "reserved")),
             f"region-{rng.randrange(60)}" if i % 10 in (1, 4, 7) else "",
             f"{rng.uniform(5, 90):.2f}" if i % 10 in (2, 7) else "", "5%" if i % 10 == 5 else "")
        )  # fmt: skip
    return text.getvalue().encode()
