"""Vultr's list of plans: the price is that of the whole instance; a plan in no location is not for sale."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document


def plan(name, **fields):
    return {"id": name, "cpu_threads": 64, "ram": 1048576, "hourly_cost": 20.0, "locations": ["ord"]} | fields


def read(*plans):
    data = json.dumps({"plans_metal": list(plans)}).encode()
    return import_document(Document.of_bytes("plans.json", data), catalogue(), date(2026, 12, 1))


def test_prices_are_of_the_whole_instance():
    found = read(plan("vbm-64c-1024gb-8-mi300x-gpu", hourly_cost_preemptible=12.5, locations=["ord", "sea"]))
    assert [
        (r["purchase"], r["region"], r["accelerator"], r["accelerator_count"], r["price_usd_per_hour"])
        for r in found.rows
    ] == [
        ("on_demand", "ord", "MI300X", 8, 20.0),
        ("spot", "ord", "MI300X", 8, 12.5),
        ("on_demand", "sea", "MI300X", 8, 20.0),
        ("spot", "sea", "MI300X", 8, 12.5),
    ]
    assert found.rows[0]["memory_gib"] == 1024
    assert found.rows[0]["observed_on"] == "2026-12-01"


def test_what_is_left_out():
    found = read(
        plan("vbm-64c-1024gb-8-mi325x-gpu", locations=[]), plan("vbm-4c-32gb"), plan("vbm-8c-64gb-8-zx81-gpu"),
        plan("vbm-64c-1024gb-8-h100-gpu", hourly_cost=0),
    )  # fmt: skip
    assert found.rows == ()
    assert found.rows_read == 4
    assert {left.reason: left.count for left in found.left_out} == {
        "zero_price": 1, "unknown_accelerator": 1, "other_product": 1, "not_offered": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "data", [b'{"plans_metal": [', b'{"plans_metal": 5, "hourly_cost": 1}', b"", b"<html>", b"\xff\xfe"]
)
def test_broken_files_are_refused(data):
    with pytest.raises(PriceFileError, match=r"plans\.json"):
        import_document(Document.of_bytes("plans.json", data), catalogue(), date(2026, 12, 1))
