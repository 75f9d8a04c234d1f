"""Azure Retail Prices: Windows meters, totals of reservations, placeholders of spot, by value."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document

H100 = "Standard_ND96isr_H100_v5"


def item(price, **fields):
    return {
        "currencyCode": "USD", "retailPrice": price, "armRegionName": "eastus", "armSkuName": H100,
        "type": "Consumption",
        "productName": "Virtual Machines ND H100 v5 Series", "skuName": "ND96isr H100 v5",
        "meterName": "ND96isr H100 v5",
        "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "effectiveStartDate": "2025-10-01T00:00:00Z",
    } | fields  # fmt: skip


def read_bytes(data):
    return import_document(Document.of_bytes("page.json", data), catalogue(), date(2026, 12, 1))


def read(*items):
    return read_bytes(json.dumps({"Items": list(items), "NextPageLink": None}).encode())


def prices(found):
    return {(r["purchase"], r["term_months"]): r["price_usd_per_hour"] for r in found.rows}


def left(found):
    return {each.reason: each.count for each in found.left_out}


def test_on_demand_spot_reservations_and_savings_plans():
    plans = [{"term": "3 Years", "retailPrice": 40.5}, {"term": "1 Year", "retailPrice": 60.25}]
    found = read(
        item(98.32, savingsPlan=plans), item(18.984, meterName="ND96isr H100 v5 Spot"),
        item(551221.0, type="Reservation", reservationTerm="1 Year"),
        item(1134310.0, type="Reservation", reservationTerm="3 Years"),
    )  # fmt: skip
    assert prices(found) == {
        ("on_demand", None): 98.32,
        ("spot", None): 18.984,
        ("reserved", 12): pytest.approx(551221 / 8760),
        ("reserved", 36): pytest.approx(1134310 / 26280),
        ("savings_plan", 12): 60.25,
        ("savings_plan", 36): 40.5,
    }
    assert {(r["provider"], r["accelerator"], r["accelerator_count"]) for r in found.rows} == {("azure", "H100-SXM", 8)}


def test_what_is_left_out():
    found = read(
        # 98.32 + 96 × 0.046: the price with Windows.
        item(102.736, productName="Virtual Machines ND H100 v5 Series Windows"),
        item(9.6, skuName="ND96isr H100 v5 Low Priority"),
        item(50, type="DevTestConsumption"), item(90, currencyCode="EUR"),
        item(5, serviceName="Storage"),
        item(0.454, armSkuName="Standard_NV6ads_A10_v5"),
        item(0), item(None),
        item(99, effectiveStartDate="2027-01-01T00:00:00Z"), item(5, unitOfMeasure="1/Month"),
        item(5, type="Reservation", reservationTerm="a while"),
    )  # fmt: skip
    assert found.rows == ()
    assert left(found) == {
        "not_linux": 1, "low_priority": 1, "dev_test": 1, "other_currency": 1, "other_product": 1, "fractional": 1,
        "zero_price": 1, "no_price": 1, "not_in_force": 1, "not_hourly": 1, "unreadable": 1,
    }  # fmt: skip


def test_spot_at_the_price_on_demand_is_a_placeholder():
    found = read(item(84.8), item(84.8, skuName="ND96isr H100 v5 Spot"))
    assert prices(found) == {("on_demand", None): 84.8}
    assert left(found) == {"placeholder_price": 1}


def test_machines_without_accelerator():
    (row,) = read(item(0.192, armSkuName="Standard_D4s_v5", productName="Virtual Machines Dsv5 Series")).rows
    assert (row["instance_type"], row["accelerator"], row["accelerator_count"]) == ("Standard_D4s_v5", "", 0)


@pytest.mark.parametrize(
    "form",
    [lambda i: {"Items": i}, lambda i: [{"Items": i[:1]}, {"Items": i[1:]}], lambda i: i],
    ids=["page", "pages", "items"],
)
def test_forms_of_a_file(form):
    items = [item(98.32), item(122.9, armRegionName="westeurope")]
    assert len(read_bytes(json.dumps(form(items)).encode()).rows) == 2


def test_json_lines():
    assert len(read_bytes("\n".join(json.dumps(item(p, armRegionName=f"r{p}")) for p in (1, 2, 3)).encode()).rows) == 3


@pytest.mark.parametrize("data", [b'{"Items": [{"armSkuName": "x", "retailPrice": 1', b'"armSkuName" "retailPrice"'])
def test_broken_files_are_refused(data):
    with pytest.raises(PriceFileError, match=r"page\.json"):
        read_bytes(data)


def test_of_several_prices_the_newest_in_force_counts():
    found = read(
        item(98.0, effectiveStartDate="2025-01-01T00:00:00Z"), item(99.0, effectiveStartDate="2026-01-01T00:00:00Z"),
        item(1.0, effectiveEndDate="2026-01-01T00:00:00Z"), item(2.0, tierMinimumUnits=100.0),
        item(3.0, armRegionName=""), item(4.0, effectiveStartDate="2027-01-01T00:00:00Z"),
        item("98"), item(5.0, tierMinimumUnits="many"),
    )  # fmt: skip
    assert prices(found) == {("on_demand", None): 99.0}
    assert left(found) == {"not_in_force": 2, "volume_tier": 1, "not_offered": 1, "no_price": 1, "unreadable": 1}
