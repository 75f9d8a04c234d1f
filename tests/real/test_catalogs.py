"""Importers over real files: every price is one that the file states for that instance and region."""

from __future__ import annotations

import csv
import os
from datetime import date
from pathlib import Path

import pytest

from pricing.accelerators import catalogue
from pricing.sources.document import documents
from pricing.sources.importing import import_document
from pricing.sources.own_schema import read_rows

SAMPLES = Path(os.environ["PERDOLLAR_REAL_FILES"]) / "prices/samples"
TODAY = date(2026, 12, 1)
SKYPILOT = ("aws", "gcp", "lambda", "nebius", "oci", "shadeform", "verda")
GPUHUNT = {"aws": "aws", "azure": "azure", "gcp_tpu": "gcp", "oci": "oci"}


def imported(name, provider):
    (document,) = documents([SAMPLES / name])
    found = import_document(document, catalogue(), TODAY, provider)
    assert found.rows
    read_rows(found.rows, catalogue(), TODAY)
    return found


def source_of(name):
    with (SAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("provider", SKYPILOT)
def test_skypilot(provider):
    name = f"skypilot_{provider}.csv"
    stated = {}
    for row in source_of(name):
        kind = row["InstanceType"] or row["AcceleratorName"]
        for purchase, field in (("on_demand", "Price"), ("spot", "SpotPrice")):
            # A local zone shares its region's name only.
            if row[field] and "-lax" not in row.get("AvailabilityZone", ""):
                stated.setdefault((kind, row["Region"], purchase), []).append(float(row[field]))
    for row in imported(name, provider).rows:
        prices = sorted(stated[row["instance_type"], row["region"], row["purchase"]])
        assert row["price_usd_per_hour"] == prices[(len(prices) - 1) // 2]


@pytest.mark.parametrize(("file", "provider"), GPUHUNT.items())
def test_gpuhunt(file, provider):
    name = f"gpuhunt_{file}.csv"
    stated = {}
    for row in source_of(name):
        key = (row["instance_name"], row["location"], row["spot"] == "True", int(row["gpu_count"]))
        stated.setdefault(key, set()).add(float(row["price"]))
    for row in imported(name, provider).rows:
        key = (row["instance_type"], row["region"], row["purchase"] == "spot", row["accelerator_count"])
        assert row["price_usd_per_hour"] in stated[key]


def test_known_answers():
    rows = {
        (r["provider"], r["instance_type"], r["region"], r["purchase"]): r
        for provider in SKYPILOT
        for r in imported(f"skypilot_{provider}.csv", provider).rows
    }

    def offer(*key):
        row = rows[key]
        return row["accelerator"], row["accelerator_count"], row["price_usd_per_hour"]

    assert offer("aws", "trn1.32xlarge", "us-east-1", "on_demand") == ("Trainium1", 16, 21.5)
    assert offer("aws", "trn2.48xlarge", "us-east-2", "spot") == ("Trainium2", 16, 23.0631)
    assert ("aws", "trn2.48xlarge", "us-east-2", "on_demand") not in rows
    assert offer("gcp", "tpu-v5p-12288", "us-east5", "on_demand") == ("TPU-v5p", 6144, 25804.8)
    assert offer("oci", "BM.GPU.MI355X.8", "af-casablanca-1", "on_demand") == ("MI355X", 8, 68.8)
    assert offer("oci", "BM.GPU.MI300X.8", "af-casablanca-1", "on_demand") == ("MI300X", 8, 48.0)


@pytest.mark.parametrize("name", ["aws_bulk_offer_constructed.json", "aws_get_products_constructed.json"])
def test_aws(name):
    (document,) = documents([SAMPLES / name])
    found = import_document(document, catalogue(), TODAY)
    assert {
        (r["instance_type"], r["purchase"]): (r["accelerator_count"], r["price_usd_per_hour"]) for r in found.rows
    } == {
        ("p5.48xlarge", "on_demand"): (8, 55.04),
        ("p5.48xlarge", "reserved"): (8, 23.7773),
        ("p4d.24xlarge", "on_demand"): (8, 21.957642),
        ("g6e.12xlarge", "on_demand"): (4, 10.49264),
        ("trn1.32xlarge", "on_demand"): (16, 21.5),
    }


def test_oci():
    (document,) = documents([SAMPLES / "oci_price_list_opencost_extract.json"])
    found = import_document(document, catalogue(), TODAY)
    prices = {
        r["instance_type"]: (r["accelerator"], r["accelerator_count"], r["price_usd_per_hour"]) for r in found.rows
    }
    assert prices["BM.GPU.H100.8"] == ("H100-SXM", 8, 80.0)
    assert prices["BM.GPU.A100-v2.8"] == ("A100-80GB", 8, 32.0)
    assert prices["BM.GPU4.8"] == ("A100-40GB", 8, pytest.approx(24.4))
    assert prices["VM.GPU3.1"] == ("V100", 1, 2.95)


def test_vantage():
    (document,) = documents([SAMPLES / "vantage_instances_extract.json"])
    found = import_document(document, catalogue(), TODAY)
    here = {
        (r["purchase"], r["term_months"], r["plan"]): r["price_usd_per_hour"]
        for r in found.rows
        if r["region"] == "us-east-1"
    }
    assert here["on_demand", None, ""] == 26.676
    assert here["spot", None, ""] == 6.669
    assert here["reserved", 36, "no_upfront"] == 8.55659


def test_gcp():
    (document,) = documents([SAMPLES / "gcp_billing_skus_opencost_fixture.json"])
    found = import_document(document, catalogue(), TODAY)
    prices = {(r["instance_type"], r["region"]): r["price_usd_per_hour"] for r in found.rows}
    # The page of the seller says 3.673385 for a2-highgpu-1g.
    assert prices["a2-highgpu-1g", "us-central1"] == pytest.approx(3.673385, abs=1e-6)
    assert prices["a2-highgpu-8g", "us-central1"] == pytest.approx(8 * 3.673385, abs=1e-5)
    assert {left.reason for left in found.left_out} <= {"other_product", "other_currency"}


def test_azure():
    (document,) = documents([SAMPLES / "azure_retail_prices_page_mixed.json"])
    found = import_document(document, catalogue(), TODAY)
    assert {(r["instance_type"], r["purchase"], r["term_months"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("Standard_ND96isr_H100_v5", "on_demand", None): 98.32,
        ("Standard_ND96isr_H100_v5", "spot", None): 18.984,
        ("Standard_ND96isr_H100_v5", "reserved", 12): pytest.approx(62.924772, abs=1e-6),
        ("Standard_ND96isr_H100_v5", "reserved", 36): pytest.approx(1134310 / 26280),
        ("Standard_ND96isr_MI300X_v5", "on_demand", None): 48.0,
        ("Standard_ND96isr_MI300X_v5", "spot", None): 8.8704,
        ("Standard_NC24ads_A100_v4", "on_demand", None): 3.673,
        ("Standard_NC24ads_A100_v4", "savings_plan", 12): 3.0574,
        ("Standard_NC24ads_A100_v4", "savings_plan", 36): 2.2659,
    }
    assert {left.reason for left in found.left_out} == {"dev_test", "not_linux", "low_priority"}


def test_vultr():
    (document,) = documents([SAMPLES / "vultr_plans_metal.json"])
    found = import_document(document, catalogue(), TODAY)
    assert {(r["instance_type"], r["purchase"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("vbm-256c-2048gb-8-mi300x-gpu", "on_demand"): 17.52,
        ("vbm-256c-2048gb-8-mi300x-gpu", "spot"): 14.72,
        ("vbm-112c-2048gb-8-h100-gpu", "on_demand"): 23.92,
        ("vbm-112c-2048gb-8-h100-gpu", "spot"): 18.4,
    }
