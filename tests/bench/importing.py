"""Importing: a SkyPilot catalog of 100,000 rows beside what csv.reader alone needs for it."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from datetime import date

from pricing.accelerators import catalogue
from pricing.sources.document import Document
from pricing.sources.importing import import_document
from tests.bench.timing import Result, medians

ROWS = 100_000
HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
INFO = "\"{'Gpus': [{'Name': 'T4', 'Manufacturer': 'NVIDIA', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 16384}}]}\""


def catalog() -> bytes:
    """Return a catalog as AWS's is: 900 types, most without accelerator, 37 regions of three zones."""
    rng = random.Random(20261201)  # noqa: S311
    rows = []
    for i in range(ROWS):
        chip = f"T4,1.0,4.0,16.0,{INFO}" if i // 3 % 4 == 0 else ",,4.0,16.0,"
        where = f"region-{i // 2700 % 37},zone-{i % 3}"
        rows.append(f"type{i // 3 % 900}.xlarge,{chip},0.526,{rng.uniform(0.1, 0.4):.4f},{where}\n")
    return (HEAD + "".join(rows)).encode()


def run() -> Iterator[Result]:
    data = catalog()
    document = Document.of_bytes("vms.csv", data)

    def reference() -> None:
        for _ in csv.reader(io.StringIO(data.decode())):
            pass

    seconds = medians(
        {
            "perdollar": lambda: import_document(document, catalogue(), date(2026, 12, 1), "aws"),
            "csv.reader": reference,
        },
        rounds=5,
    )
    yield Result(
        "importing a SkyPilot catalog of 100,000 rows",
        seconds["perdollar"] / seconds["csv.reader"],
        "csv.reader alone",
        6,
        note=f"{seconds['perdollar']:.3g} s",
    )
