"""AWS' other price files: the CSV form of the bulk file, Savings Plans, Capacity Block offerings, by value."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document


def read(text, name="index"):
    data = text.encode() if isinstance(text, str) else text
    return import_document(Document.of_bytes(name, data), catalogue(), date(2026, 12, 1))


def left(found):
    return {each.reason: each.count for each in found.left_out}


HEADING = (
    "SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange",
    "EndingRange", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass",
    "Product Family", "serviceCode", "Location", "Region Code", "Instance Type", "vCPU", "Memory",
    "Operating System", "Tenancy", "Pre Installed S/W", "CapacityStatus", "operation", "MarketOption", "GPU",
)  # fmt: skip
P5 = {
    "SKU": "A", "OfferTermCode": "OD", "TermType": "OnDemand", "Unit": "Hrs", "PricePerUnit": "55.04",
    "Currency": "USD", "Product Family": "Compute Instance", "Region Code": "us-east-1",
    "Instance Type": "p5.48xlarge", "vCPU": "192", "Memory": "2,048 GiB", "Operating System": "Linux",
    "Tenancy": "Shared", "Pre Installed S/W": "NA", "CapacityStatus": "Used", "operation": "RunInstances",
    "MarketOption": "OnDemand", "GPU": "8",
}  # fmt: skip
ABOUT = (
    ("FormatVersion", "v1.0"), ("Disclaimer", 'For "information", only'),
    ("Publication Date", "2026-11-12T22:53:08Z"), ("Version", "20261112225308"), ("OfferCode", "AmazonEC2"),
)  # fmt: skip


def bulk(*rows, heading=HEADING, about=ABOUT, end="\n"):
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerows(about)
    writer.writerow(heading)
    writer.writerows([row.get(name, "") for name in heading] for row in rows)
    return out.getvalue()


RESERVED = {"SKU": "A", "OfferTermCode": "R1", "TermType": "Reserved", "LeaseContractLength": "1yr",
            "PurchaseOption": "Partial Upfront", "OfferingClass": "standard"}  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_csv_form(end):
    rows = (
        P5, P5 | RESERVED | {"PricePerUnit": "10"},
        P5 | {"SKU": "B", "Operating System": "Windows"}, P5 | {"SKU": "B", "Operating System": "Windows"},
        P5 | {"SKU": "C", "CapacityStatus": "UnusedCapacityReservation", "PricePerUnit": "0"},
        # The upfront part of the reservation stands far from its price per hour.
        P5 | RESERVED | {"Unit": "Quantity", "PricePerUnit": "87600"},
    )  # fmt: skip
    found = read(bulk(*rows, end=end))
    assert found.format == "aws_price_list"
    assert {(r["purchase"], r["plan"], r["term_months"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("on_demand", "", None): 55.04,
        # 10 + 87600 / 8760
        ("reserved", "partial_upfront", 12): pytest.approx(20.0),
    }
    row = found.rows[0]
    assert (row["accelerator"], row["accelerator_count"], row["region"], row["observed_on"], row["memory_gib"]) == (
        "H100-SXM", 8, "us-east-1", "2026-11-12", 2048.0
    )  # fmt: skip
    # A product that is left out counts once, however many terms it has.
    assert left(found) == {"not_linux": 1, "unused_reservation": 1}


def test_a_line_of_another_length_and_another_currency():
    text = bulk(P5, P5 | {"SKU": "D", "Currency": "CNY"}) + '"E","OD"\n'
    assert left(read(text)) == {"other_currency": 1, "unreadable": 1}


def test_the_csv_form_gives_what_the_json_form_gives():
    china = P5 | {"SKU": "C", "Region Code": "cn-north-1", "Currency": "CNY"}
    host = {"SKU": "M", "Product Family": "Dedicated Host", "Instance Type": "mac2-m2.metal", "Tenancy": "Host"}
    rows = (
        P5, china, china | RESERVED | {"SKU": "C"}, china | RESERVED | {"SKU": "C", "Unit": "Quantity"},
        P5 | RESERVED | {"PricePerUnit": "10"}, P5 | RESERVED | {"Unit": "Quantity", "PricePerUnit": "87600"},
        P5 | RESERVED | {"OfferTermCode": "R3", "LeaseContractLength": "3yr", "PurchaseOption": "All Upfront",
                         "OfferingClass": "convertible", "Unit": "Quantity", "PricePerUnit": "525600"},
        P5 | {"SKU": "B", "operation": "RunInstances:CB", "MarketOption": "CapacityBlock", "PricePerUnit": "0"},
        P5 | host | {"PricePerUnit": "0.878", "GPU": "", "Operating System": "NA", "operation": ""},
        P5 | {"SKU": "T", "Instance Type": "trn1.32xlarge", "PricePerUnit": "21.5", "GPU": "", "Memory": "512 GiB"},
    )  # fmt: skip
    names = {
        "Instance Type": "instanceType", "Region Code": "regionCode", "vCPU": "vcpu", "Memory": "memory", "GPU": "gpu",
        "Operating System": "operatingSystem", "Tenancy": "tenancy", "Pre Installed S/W": "preInstalledSw",
        "CapacityStatus": "capacitystatus", "operation": "operation", "MarketOption": "marketoption",
    }  # fmt: skip
    products, terms = {}, {"OnDemand": {}, "Reserved": {}}
    for row in rows:
        sku, code = row["SKU"], row["OfferTermCode"]
        attributes = {name: row[title] for title, name in names.items() if row[title]}
        products[sku] = {"productFamily": row["Product Family"], "attributes": attributes}
        term = terms[row["TermType"]].setdefault(sku, {}).setdefault(f"{sku}.{code}", {"priceDimensions": {}})
        term["termAttributes"] = {title: row.get(title, "") for title in RESERVED if title in HEADING[11:14]}
        dimension = {"unit": row["Unit"], "pricePerUnit": {row["Currency"]: row["PricePerUnit"]}}
        term["priceDimensions"][row["Unit"]] = dimension
    head = {"offerCode": "AmazonEC2", "publicationDate": "2026-11-12T22:53:08Z"}
    as_csv = read(bulk(*rows))
    as_json = read(json.dumps(head | {"products": products, "terms": terms}))
    assert as_csv.rows == as_json.rows
    assert left(as_csv) == left(as_json) == {"other_currency": 2, "block_without_fee": 1}
    assert {(r["instance_type"], r["plan"]): r["price_usd_per_hour"] for r in as_csv.rows} == {
        ("p5.48xlarge", ""): 55.04, ("p5.48xlarge", "partial_upfront"): pytest.approx(20.0),
        # 525,600 / (3 × 8,760)
        ("p5.48xlarge", "convertible_all_upfront"): pytest.approx(20.0),
        ("mac2-m2.metal", ""): 0.878, ("trn1.32xlarge", ""): 21.5,
    }  # fmt: skip


def test_the_csv_form_without_the_lines_about_the_file_or_quotation_marks():
    beheaded = read(bulk(P5, about=()))
    plain = read(
        bulk(P5).replace('"For ""information"", only"', "x").replace('"2,048 GiB"', "2048 GiB").replace('"', "")
    )
    assert beheaded.format == plain.format == "aws_price_list"
    assert [(r["price_usd_per_hour"], r["observed_on"]) for r in (*beheaded.rows, *plain.rows)] == [
        (55.04, "2026-12-01"), (55.04, "2026-11-12"),
    ]  # fmt: skip


def test_a_large_csv_is_read_in_bounded_memory(tmp_path):
    path = tmp_path / "index.csv"
    windows = bulk(P5 | {"SKU": "W", "Operating System": "Windows"}, about=(), heading=HEADING).splitlines()[1]
    with path.open("w") as file:
        file.write(bulk(P5))
        file.writelines(f"{windows}\n" for _ in range(60_000))
    document = Document.at(path)
    tracemalloc.start()
    found = import_document(document, catalogue(), date(2026, 12, 1))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found.rows), found.rows_read, left(found)) == (1, 60_001, {"not_linux": 1})
    assert most < path.stat().st_size / 5


def test_a_csv_without_headings_is_refused():
    head = "".join(f'"{a}","{b}"\n' for a, b in (("FormatVersion", "v1.0"), ("Version", "OfferTermCode")))
    with pytest.raises(PriceFileError, match="no line of headings"):
        read(head.replace('"OfferTermCode"', '"OfferTermCode"') + '"OfferTermCode"\n')


def rate(price, name="p5.48xlarge", **fields):
    return {
        "discountedSku": "X", "discountedUsageType": f"USE2-BoxUsage:{name}", "discountedOperation": "RunInstances",
        "discountedServiceCode": "AmazonEC2", "rateCode": "S.X", "unit": "Hrs",
        "discountedRate": {"price": price, "currency": "USD"}, "discountedRegionCode": "us-east-2",
        "discountedInstanceType": name,
    } | fields  # fmt: skip


def plan_file(*rates, years=3, option="No Upfront", family="ComputeSavingsPlans", order="products first"):
    about = {"purchaseOption": option, "purchaseTerm": f"{years}yr", "granularity": "hourly"}
    products = [{"sku": "S", "productFamily": family, "serviceCode": "ComputeSavingsPlans", "attributes": about}]
    length = {"duration": years, "unit": "year"}
    term = {"sku": "S", "description": "x", "effectiveDate": "2026-11-01T00:00:00Z"}
    term |= (
        {"rates": list(rates), "leaseContractLength": length}
        if order == "rates first"
        else {"leaseContractLength": length, "rates": list(rates)}
    )
    head = {"version": "1", "publicationDate": "2026-11-10T00:00:00Z", "offerCode": "AWSComputeSavingsPlan"}
    parts = {"products": products, "terms": {"savingsPlan": [term]}}
    if order == "terms first":
        parts = dict(reversed(parts.items()))
    return json.dumps(head | parts)


@pytest.mark.parametrize("order", ["products first", "terms first", "rates first"])
def test_savings_plans(order):
    found = read(
        plan_file(rate("30.5"), rate("12.1", "trn1.32xlarge"), rate("0.04", "m7i.large"), years=3, order=order)
    )
    assert found.format == "aws_savings_plans"
    made = {r["instance_type"]: (r["price_usd_per_hour"], r["accelerator"], r["accelerator_count"]) for r in found.rows}
    assert made == {
        "p5.48xlarge": (30.5, "H100-SXM", 8), "trn1.32xlarge": (12.1, "Trainium1", 16), "m7i.large": (0.04, "", 0)
    }  # fmt: skip
    row = found.rows[0]
    assert (row["purchase"], row["term_months"], row["plan"], row["region"], row["observed_on"]) == (
        "savings_plan", 36, "compute_no_upfront", "us-east-2", "2026-11-10"
    )  # fmt: skip


@pytest.mark.parametrize("order", ["products first", "terms first"])
def test_savings_plans_without_a_code_of_the_offer(order):
    data = json.loads(plan_file(rate("30.5"), order=order))
    del data["offerCode"]
    found = read(json.dumps(data | {"regionCode": "us-east-2"}, indent=1))
    assert found.format == "aws_savings_plans"
    assert [r["price_usd_per_hour"] for r in found.rows] == [30.5]


def test_rates_by_usage_alone_and_of_local_zones():
    zone = rate("2.5", "g4dn.2xlarge", discountedUsageType="LAX1-BoxUsage:g4dn.2xlarge",
                discountedRegionCode="us-west-2-lax-1")  # fmt: skip
    found = read(plan_file(rate("30.5", discountedInstanceType=""), zone))
    assert {(r["instance_type"], r["region"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("p5.48xlarge", "us-east-2"): 30.5, ("g4dn.2xlarge", "us-west-2-lax-1"): 2.5,
    }  # fmt: skip


def test_plans_are_told_apart():
    found = read(plan_file(rate("25"), years=1, option="All Upfront", family="EC2InstanceSavingsPlans"))
    assert [(r["plan"], r["term_months"]) for r in found.rows] == [("ec2_instance_all_upfront", 12)]


def test_what_savings_plans_leave_out():
    found = read(
        plan_file(
            rate("1"), rate("2", discountedOperation="RunInstances:0002"),
            rate("3", discountedUsageType="USE2-DedicatedUsage:p5.48xlarge"),
            rate("4", discountedUsageType="USE2-UnusedBox:p5.48xlarge"),
            rate("5", discountedServiceCode="AWSLambda"), rate("6", "p99.48xlarge"),
            rate("7", discountedRate={"price": "7", "currency": "CNY"}), rate("0"), rate("8", unit="Lambda-GB-Second"),
        )
    )  # fmt: skip
    assert [r["price_usd_per_hour"] for r in found.rows] == [1.0]
    assert left(found) == {
        "not_linux": 1, "not_shared": 1, "unused_reservation": 1, "other_product": 1, "unknown_accelerator": 1,
        "other_currency": 1, "zero_price": 1, "not_hourly": 1,
    }  # fmt: skip


def test_savings_plans_as_csv():
    heading = (
        "SKU,RateCode,Unit,EffectiveDate,DiscountedRate,Currency,DiscountedSKU,DiscountedServiceCode,"
        "DiscountedUsageType,DiscountedOperation,PurchaseOption,LeaseContractLength,LeaseContractLengthUnit,"
        "ServiceCode,UsageType,Operation,Description,Instance Family,Location,Location Type,Granularity,"
        "Product Family,DiscountedRegionCode,DiscountedInstanceType\n"
    )
    line = (
        "S,S.X,Hrs,2026-11-01,30.5,USD,X,AmazonEC2,BoxUsage:p5.48xlarge,RunInstances,No Upfront,1,year,"
        'ComputeSavingsPlans,u,,"1 year, no upfront",,Any,AWS Region,hourly,ComputeSavingsPlans,us-east-1,p5.48xlarge\n'
    )
    about = "FormatVersion,v1.0\nDisclaimer,x\nPublication Date,2026-04-22T19:42:03Z\nVersion,1\n"
    found = read(about + "OfferCode,AWSComputeSavingsPlan\n" + heading + line)
    (row,) = found.rows
    assert (row["price_usd_per_hour"], row["term_months"], row["region"], row["observed_on"]) == (
        30.5, 12, "us-east-1", "2026-04-22"
    )  # fmt: skip


@pytest.mark.parametrize("text", [plan_file(rate("1"))[:-30], plan_file(rate("1")).replace('"1"', '"x"', 2)])
def test_broken_savings_plans_are_refused(text):
    with pytest.raises(PriceFileError):
        read(text)


def block(fee="2214.72", hours=24, count=1, **fields):
    return {
        "CapacityBlockOfferingId": "cb-0", "InstanceType": "trn2.48xlarge", "AvailabilityZone": "us-east-2c",
        "InstanceCount": count, "StartDate": "2026-12-05T11:30:00Z", "EndDate": "2026-12-06T11:30:00Z",
        "CapacityBlockDurationHours": hours, "UpfrontFee": fee, "CurrencyCode": "USD", "Tenancy": "default",
    } | fields  # fmt: skip


def test_capacity_blocks_are_priced_by_the_instance_hour():
    offerings = [block("858.24"), block("1716.48", count=2), block("5664.384", hours=168), block("900"),
                 block("88", InstanceType="p5.48xlarge", AvailabilityZone="us-east-1-atl-2a")]  # fmt: skip
    found = read(json.dumps({"CapacityBlockOfferings": offerings}))
    assert found.format == "aws_capacity_blocks"
    made = {(r["instance_type"], r["plan"], r["region"]): r["price_usd_per_hour"] for r in found.rows}
    # 858.24 / 24 = 1716.48 / (2 × 24) = 35.76; 900 / 24 = 37.5; 5664.384 / 168 = 33.7166…
    assert made == {
        ("trn2.48xlarge", "24_hours", "us-east-2"): pytest.approx(35.76),
        ("trn2.48xlarge", "168_hours", "us-east-2"): pytest.approx(5664.384 / 168),
        ("p5.48xlarge", "24_hours", "us-east-1"): pytest.approx(88 / 24),
    }
    day = next(r for r in found.rows if r["plan"] == "24_hours" and r["instance_type"] == "trn2.48xlarge")
    assert (day["purchase"], day["accelerator_count"]) == ("capacity_block", 16)
    assert "minimum rental 24 h" in day["notes"]
    assert "lower median of 3 offerings, 35.76 to 37.5" in day["notes"]


def test_minutes_come_on_top_of_the_hours_of_a_block():
    # Begun at 04:55 for 11:30 of the next day: 30 h 35 min.
    found = read(json.dumps({"CapacityBlockOfferings": [block("1100.88", hours=30, CapacityBlockDurationMinutes=35)]}))
    (row,) = found.rows
    # 1,100.88 / (30 + 35 / 60) = 1,100.88 × 60 / 1,835
    assert (row["plan"], row["price_usd_per_hour"]) == ("30_hours_35_minutes", pytest.approx(66052.8 / 1835))
    assert row["notes"] == "minimum rental 30 h 35 min; 1100.88 USD upfront for 1 × 30 h 35 min"


def test_what_capacity_blocks_leave_out():
    whole = block(CapacityBlockDurationMinutes=1440)
    offerings = [block(), block(CurrencyCode="CNY"), block(InstanceType="p99.48xlarge"), block("0"),
                 block(AvailabilityZone="?"), block(count=None), block(hours=0), whole]  # fmt: skip
    found = read(json.dumps({"CapacityBlockOfferings": offerings}))
    assert [r["price_usd_per_hour"] for r in found.rows] == [pytest.approx(92.28)]
    assert left(found) == {"other_currency": 1, "unknown_accelerator": 1, "zero_price": 1, "unreadable": 4}


@pytest.mark.parametrize("wrong", [block("a lot"), block(hours="long"), "no offering"])
def test_broken_capacity_blocks_are_refused(wrong):
    with pytest.raises(PriceFileError):
        read(json.dumps({"CapacityBlockOfferings": [wrong]}))
