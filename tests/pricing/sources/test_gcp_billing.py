"""GCP's SKUs: core, memory and accelerator put together, by value."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document


def sku(text, group, units, nanos, *, usage="OnDemand", unit="h", currency="USD", regions=("us-central1",)):
    price = {"currencyCode": currency, "units": str(units), "nanos": nanos}
    return {
        "description": text, "category": {"resourceGroup": group, "usageType": usage}, "serviceRegions": list(regions),
        "pricingInfo": [{"pricingExpression": {"usageUnit": unit, "tieredRates": [{"unitPrice": price}]}}],
    }  # fmt: skip


A2 = (
    sku("Nvidia Tesla A100 GPU running in Americas", "GPU", 2, 933908000),
    sku("A2 Instance Core running in Americas", "CPU", 0, 31611000),
    sku("A2 Instance Ram running in Americas", "RAM", 0, 4237000, unit="GiBy.h"),
)


def read(*skus):
    data = json.dumps({"skus": list(skus)}).encode()
    return import_document(Document.of_bytes("skus.json", data), catalogue(), date(2026, 12, 1))


def left(found):
    return {each.reason: each.count for each in found.left_out}


def test_a_machine_is_composed_of_its_parts():
    found = read(*A2)
    prices = {r["instance_type"]: r["price_usd_per_hour"] for r in found.rows}
    # 12 × 0.031611 + 85 × 0.004237 + 2.933908 = 3.673385, which is what the seller's page says.
    assert prices["a2-highgpu-1g"] == pytest.approx(3.673385, abs=1e-9)
    assert prices["a2-highgpu-8g"] == pytest.approx(8 * 3.673385, abs=1e-8)
    row = found.rows[0]
    assert (row["accelerator"], row["accelerator_count"], row["provider"]) == ("A100-40GB", 1, "gcp")
    assert row["notes"].startswith("composed of")
    assert found.left_out == ()


def test_parts_without_a_partner_are_left_out():
    assert left(read(A2[0])) == {"accelerator_only": 1}
    assert left(read(*A2[1:])) == {"host_only": 2}
    elsewhere = sku("A2 Instance Ram running in Europe", "RAM", 0, 5000000, unit="GiBy.h", regions=["europe-west4"])
    assert left(read(A2[0], A2[1], elsewhere)) == {"accelerator_only": 1, "host_only": 2}


def test_tpus_are_priced_by_the_chip():
    found = read(
        sku("TPU-v6e running in Americas", "TPU", 2, 700000000),
        sku("TPU v5e Spot", "TPU", 0, 600000000, usage="Preemptible"),
    )
    assert {(r["accelerator"], r["accelerator_count"], r["purchase"], r["price_usd_per_hour"]) for r in found.rows} == {
        ("TPU-v6e", 1, "on_demand", 2.7), ("TPU-v5e", 1, "spot", 0.6),
    }  # fmt: skip


def test_what_is_left_out():
    found = read(
        sku("Storage PD Capacity", "SSD", 0, 40000000, unit="GiBy.mo"), sku("TPU-v6e", "TPU", 0, 0),
        sku("TPU-v6e", "TPU", 1, 0, currency="IDR"), sku("TPU-v6e", "TPU", 1, 0, unit="s"),
    )  # fmt: skip
    assert found.rows == ()
    assert left(found) == {"other_product": 1, "no_price": 1, "other_currency": 1, "not_hourly": 1}


@pytest.mark.parametrize(
    "data", [b'{"skus": [{"pricingInfo": [', b'{"skus": [{"pricingInfo": 5, "description": "TPU-v6e"}]}']
)
def test_broken_files_are_refused(data):
    data = data.replace(b'"TPU-v6e"}', b'"TPU-v6e", "category": {"usageType": "OnDemand"}}')
    with pytest.raises(PriceFileError, match=r"skus\.json"):
        import_document(Document.of_bytes("skus.json", data), catalogue(), date(2026, 12, 1))
