"""Oracle's price list is per GPU; Vantage's list has facts about Trainium that are wrong."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document


def read(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return import_document(Document.of_bytes("list.json", text.encode()), catalogue(), date(2026, 12, 1))


def chips_and_price(row):
    return row["accelerator"], row["accelerator_count"], row["price_usd_per_hour"]


def item(name, price, metric="GPU Per Hour", currency="USD", model="PAY_AS_YOU_GO"):
    prices = [{"currencyCode": currency, "prices": [{"model": model, "value": price}]}]
    return {"partNumber": "B1", "displayName": name, "metricName": metric, "currencyCodeLocalizations": prices}


def test_oracles_price_per_gpu_times_the_gpus_of_the_shape():
    found = read(
        {
            "items": [
                item("Compute - GPU - MI300X", 6),
                item("Compute - GPU - A10", 2),
                item("OCI - Compute - GPU - H100", 10),
            ]
        }
    )
    assert {r["instance_type"]: chips_and_price(r) for r in found.rows} == {
        "BM.GPU.MI300X.8": ("MI300X", 8, 48.0), "BM.GPU.A10.4": ("A10", 4, 8.0), "VM.GPU.A10.1": ("A10", 1, 2.0),
        "VM.GPU.A10.2": ("A10", 2, 4.0), "BM.GPU.H100.8": ("H100-SXM", 8, 80.0),
    }  # fmt: skip


def test_oracles_newer_form():
    prices = [{"currencyCode": "USD", "model": "PAY_AS_YOU_GO", "value": 8.6}]
    new = {"partNumber": "B2", "displayName": "Compute - GPU - MI355X", "metricName": "GPU Per Hour", "prices": prices}
    assert [r["price_usd_per_hour"] for r in read({"items": [new]}).rows] == [pytest.approx(68.8)]


def test_what_oracles_list_leaves_out():
    others = [item("Compute - E4", 0.025, "OCPU Per Hour"), item("GPU - ZX81", 1), item("GPU - H200", 0)]
    found = read({"items": [*others, item("GPU - H100", 9, currency="EUR")]})
    assert found.rows == ()
    assert {each.reason: each.count for each in found.left_out} == {
        "other_product": 1, "unknown_accelerator": 1, "no_price": 1, "zero_price": 1,
    }  # fmt: skip


def instance(name, linux, gpus=0, model=None):
    return {"instance_type": name, "pretty_name": name, "GPU": gpus, "GPU_model": model, "vCPU": 192, "memory": 2048,
            "pricing": {"us-east-1": {"linux": linux, "mswin": {"ondemand": "99"}}}}  # fmt: skip


def test_vantages_prices():
    reserved = {
        "yrTerm1Standard.noUpfront": "40.5",
        "yrTerm3Convertible.allUpfront": "20.25",
        "yrTerm1Standard.partialUpfront": "9",
    }
    linux = {"ondemand": "55.04", "spot_avg": "20.5", "spot_min": "18", "spot_max": "23", "reserved": reserved}
    found = read([instance("p5.48xlarge", linux, 8, "NVIDIA H100")])
    assert {(r["purchase"], r["term_months"], r["plan"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("on_demand", None, ""): 55.04, ("spot", None, ""): 20.5, ("reserved", 12, "no_upfront"): 40.5,
        ("reserved", 36, "convertible_all_upfront"): 20.25,
    }  # fmt: skip
    assert {(r["accelerator"], r["accelerator_count"]) for r in found.rows} == {("H100-SXM", 8)}
    assert [each.reason for each in found.left_out] == ["reservation_part"]


def test_vantages_trainium():
    found = read([
        instance("trn2.48xlarge", {"ondemand": "0.125", "spot_avg": "14.5"}),
        instance("trn1.32xlarge", {"ondemand": "21.50"}), instance("m7i.large", {"ondemand": "0.1"}),
        instance("inf2.24xlarge", {"ondemand": "N/A"}),
    ])  # fmt: skip
    assert {(r["instance_type"], r["purchase"]): chips_and_price(r) for r in found.rows} == {
        ("trn2.48xlarge", "spot"): ("Trainium2", 16, 14.5), ("trn1.32xlarge", "on_demand"): ("Trainium1", 16, 21.5),
        ("m7i.large", "on_demand"): ("", 0, 0.1),
    }  # fmt: skip
    assert {each.reason for each in found.left_out} == {"placeholder_price", "no_price"}


@pytest.mark.parametrize(
    "text",
    ['{"items": [{"partNumber": "x", "metricName": "y"', '[{"instance_type": "a", "pretty_name": "b", "pricing": {'],
)
def test_broken_lists_are_refused(text):
    with pytest.raises(PriceFileError, match=r"list\.json"):
        read(text)


def test_one_broken_item_of_oracles_list_leaves_the_others():
    found = read({"items": [5, item("OCI - Compute - GPU - H100", 10.0)]})
    assert [row["price_usd_per_hour"] for row in found.rows] == [80.0]
    assert [(left.reason, left.count) for left in found.left_out] == [("unreadable", 1)]
