"""One made-up table of offers, written in the form that each tool reads."""

from __future__ import annotations

import csv
import io
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path

# Chips that all three tools call by the same name; only PerDollar tells the H100s apart.
CHIPS = ("H100", "H200", "B200", "MI300X", "L4", "L40S", "T4", "A10G", "A10", "A40")
# Sellers that all three know, as PerDollar, gpuhunt and SkyPilot call them.
SELLERS = (
    ("lambda", "lambdalabs", "lambda"),
    ("nebius", "nebius", "nebius"),
    ("oci", "oci", "oci"),
    ("runpod", "runpod", "runpod"),
    ("verda", "verda", "verda"),
)
VERSION = "1"


@dataclass(frozen=True)
class Row:
    """One offer: on demand, of a whole instance. `seller` is a place in SELLERS."""

    seller: int
    instance_type: str
    region: str
    chip: str
    count: int
    price: float


def made_up(rows: int, *, h100_every: int = 10) -> list[Row]:
    """Return offers from a fixed seed, every `h100_every`-th with an H100; no two have the same price.

    Nor have two the same price per accelerator, so that every order has one right answer.
    """
    rng = random.Random(20261203)  # noqa: S311
    each = rng.sample(range(500_000, 9_000_000), rows)
    found, seen = [], set()
    for i, millionths in enumerate(each):
        count = rng.choice((1, 2, 4, 8))
        price = count * millionths / 1e6
        while price in seen:
            count *= 2
            price = count * millionths / 1e6
        seen.add(price)
        chip = CHIPS[0] if i % h100_every == 0 else CHIPS[1 + i % (len(CHIPS) - 1)]
        found.append(Row(i % len(SELLERS), f"type-{i}", f"region-{rng.randrange(60)}", chip, count, price))
    return found


def write_all(rows: list[Row], folder: Path) -> None:
    """Write the table below a folder: perdollar.csv, gpuhunt/, skypilot/."""
    (folder / "perdollar.csv").write_text(_perdollar(rows))
    for place, (_, gpuhunt, skypilot) in enumerate(SELLERS):
        own = [row for row in rows if row.seller == place]
        _gpuhunt(own, folder / "gpuhunt" / gpuhunt, gpuhunt)
        vms = folder / "skypilot" / skypilot / "vms.csv"
        vms.parent.mkdir(parents=True)
        vms.write_text(_skypilot(own))


def _text(heading: str, rows: list[tuple[object, ...]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heading.split(","))
    writer.writerows(rows)
    return out.getvalue()


def _perdollar(rows: list[Row]) -> str:
    return _text(
        "provider,instance_type,region,accelerator,accelerator_count,vcpus,memory_gib,price_usd_per_hour,observed_on,evidence",
        [
            (SELLERS[r.seller][0], r.instance_type, r.region, r.chip, r.count, 8 * r.count, 64 * r.count, r.price,
             "2026-11-01", "list")
            for r in rows
        ],
    )  # fmt: skip


def _gpuhunt(rows: list[Row], folder: Path, name: str) -> None:
    """Write a catalog as it is published: a version beside a zip of one CSV, sorted by price."""
    text = _text(
        "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data",
        [
            (r.instance_type, r.region, r.price, 8 * r.count, 64 * r.count, r.count, r.chip, 80, False, "",
             "amd" if r.chip.startswith("MI") else "nvidia", "", "x86", "{}")
            for r in sorted(rows, key=lambda r: r.price)
        ],
    )  # fmt: skip
    (folder / VERSION).mkdir(parents=True)
    (folder / "version").write_text(VERSION)
    with zipfile.ZipFile(folder / VERSION / "catalog.zip", "w") as packed:
        packed.writestr(f"{name}.csv", text)


def _skypilot(rows: list[Row]) -> str:
    def info(r: Row) -> str:
        gpu = {"Name": r.chip, "Manufacturer": "NVIDIA", "Count": r.count, "MemoryInfo": {"SizeInMiB": 81920}}
        return str({"Gpus": [gpu], "TotalGpuMemoryInMiB": 81920 * r.count})

    return _text(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone",
        [
            (r.instance_type, r.chip, r.count, 8 * r.count, 64 * r.count, info(r), r.price, "", r.region, "")
            for r in rows
        ],
    )
