"""The AWS price list: what is for sale to everybody, by value; never a price of 0."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document


def product(name, **attributes):
    about = {
        "instanceType": name, "operatingSystem": "Linux", "preInstalledSw": "NA", "tenancy": "Shared",
        "capacitystatus": "Used", "marketoption": "OnDemand", "regionCode": "us-east-1", "operation": "RunInstances",
        "vcpu": "192", "memory": "2,048 GiB", "gpu": "8",
    }  # fmt: skip
    return {"productFamily": "Compute Instance", "attributes": about | attributes}


def dimensions(hourly=None, upfront=None):
    prices = {}
    if hourly is not None:
        prices["h"] = {"unit": "Hrs", "pricePerUnit": {"USD": f"{hourly:.10f}"}}
    if upfront is not None:
        prices["u"] = {"unit": "Quantity", "pricePerUnit": {"USD": str(upfront)}}
    return {"priceDimensions": prices}


def reserved(length, option, kind="standard", **prices):
    about = {"LeaseContractLength": length, "PurchaseOption": option, "OfferingClass": kind}
    return dimensions(**prices) | {"termAttributes": about}


P5 = (product("p5.48xlarge"), {"OnDemand": [dimensions(55.04)], "Reserved": [
    reserved("3yr", "No Upfront", hourly=23.7773), reserved("1yr", "Partial Upfront", hourly=10, upfront=87600),
    reserved("1yr", "All Upfront", "convertible", hourly=0, upfront=175200)]})  # fmt: skip


def bulk(*entries, terms_first=False):
    parts = {"products": {}, "terms": {"OnDemand": {}, "Reserved": {}}}
    for i, (about, terms) in enumerate(entries):
        parts["products"][f"S{i}"] = about
        for kind, listed in terms.items():
            parts["terms"][kind][f"S{i}"] = {f"S{i}.{n}": term for n, term in enumerate(listed)}
    if terms_first:
        parts = dict(reversed(parts.items()))
    return json.dumps(
        {"formatVersion": "v1.0", "offerCode": "AmazonEC2", "publicationDate": "2026-07-20T00:00:00Z"} | parts
    )


def pages(*entries):
    listed = [
        json.dumps({"product": about, "serviceCode": "AmazonEC2",
                    "terms": {kind: {str(n): t for n, t in enumerate(terms)} for kind, terms in each.items()}})
        for about, each in entries
    ]  # fmt: skip
    return json.dumps({"FormatVersion": "aws_v1", "PriceList": listed})


def read(text):
    return import_document(Document.of_bytes("index.json", text.encode()), catalogue(), date(2026, 12, 1))


def prices(found):
    return {
        (r["instance_type"], r["purchase"], r["term_months"], r["plan"]): r["price_usd_per_hour"] for r in found.rows
    }


@pytest.mark.parametrize(
    "text", [bulk(P5), bulk(P5, terms_first=True), pages(P5)], ids=["bulk", "terms first", "pages"]
)
def test_on_demand_and_reserved_with_upfront_payments_spread(text):
    found = read(text)
    assert prices(found) == {
        ("p5.48xlarge", "on_demand", None, ""): 55.04,
        ("p5.48xlarge", "reserved", 36, "no_upfront"): 23.7773,
        # 10 + 87,600 / 8,760 = 20; 175,200 / 8,760 = 20
        ("p5.48xlarge", "reserved", 12, "partial_upfront"): 20.0,
        ("p5.48xlarge", "reserved", 12, "convertible_all_upfront"): 20.0,
    }
    first = found.rows[0]
    assert (first["accelerator"], first["accelerator_count"], first["memory_gib"]) == ("H100-SXM", 8, 2048.0)


def test_the_date_of_publication_is_the_date_of_the_price():
    assert {row["observed_on"] for row in read(bulk(P5)).rows} == {"2026-07-20"}


def test_what_is_left_out():
    price = {"OnDemand": [dimensions(1)]}
    found = read(
        bulk(
            (product("trn2.48xlarge", marketoption="CapacityBlock", operation="RunInstances:CB"),
             {"OnDemand": [dimensions(0)]}),
            # A price there would be one on top of the block's.
            (product("p5.48xlarge", operation="RunInstances:CB"), {"OnDemand": [dimensions(0.06)]}),
            (product("p5.48xlarge", operation="RunInstances:0010:CB", operatingSystem="RHEL"), price),
            (product("p5.48xlarge", operatingSystem="Windows"), price),
            (product("p5.48xlarge", preInstalledSw="SQL Std"), price),
            (product("p5.48xlarge", tenancy="Dedicated"), price),
            (product("p5.48xlarge", capacitystatus="UnusedCapacityReservation"), {"OnDemand": [dimensions(0)]}),
            (product("p99.48xlarge"), price),
            ({"productFamily": "Storage", "attributes": {}}, price),
            (product("p4d.24xlarge"), {"OnDemand": [dimensions(0)]}),
        )
    )  # fmt: skip
    assert found.rows == ()
    assert {item.reason: item.count for item in found.left_out} == {
        "block_without_fee": 2, "not_linux": 3, "not_shared": 1, "unused_reservation": 1, "unknown_accelerator": 1,
        "other_product": 1, "zero_price": 1,
    }  # fmt: skip


def test_chips_that_aws_does_not_count():
    entries = [
        (product(name, gpu=None), {"OnDemand": [dimensions(9)]})
        for name in ("trn1.32xlarge", "inf2.24xlarge", "m7i.large")
    ]
    found = read(bulk(*entries))
    assert {r["instance_type"]: (r["accelerator"], r["accelerator_count"]) for r in found.rows} == {
        "trn1.32xlarge": ("Trainium1", 16), "inf2.24xlarge": ("Inferentia2", 6), "m7i.large": ("", 0),
    }  # fmt: skip


def test_a_mac_is_a_host_for_a_day_at_least():
    about = product("mac2-m2.metal", tenancy="Host", gpu=None, operation="", operatingSystem="NA")
    (row,) = read(bulk((about | {"productFamily": "Dedicated Host"}, {"OnDemand": [dimensions(0.878)]}))).rows
    assert (row["accelerator"], row["price_usd_per_hour"], row["notes"]) == ("Apple-M2", 0.878, "minimum rental 24 h")


@pytest.mark.parametrize("text", [bulk(P5)[:-300], pages(P5)[:-50]])
def test_broken_files_are_refused(text):
    with pytest.raises(PriceFileError, match=r"index\.json"):
        read(text)


def test_a_file_without_products_gives_nothing():
    assert read('{"offerCode": "x", "products": 5}').rows == ()
