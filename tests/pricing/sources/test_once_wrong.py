"""What importers once took wrong: dates that are not told, forms of a chip, whole sellers that vanish, formulas."""

from __future__ import annotations

import csv
import io
import json
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.changes import held_back
from pricing.doubts import doubts
from pricing.owned import parse_owned
from pricing.sources.document import Document
from pricing.sources.importing import import_document, table_text
from pricing.sources.own_schema import read_csv
from tests.pricing.small import TODAY, offer, table

GPUHUNT = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor\n"


def read(text, name, provider=None):
    return import_document(Document.of_bytes(name, text.encode()), catalogue(), TODAY, provider)


def test_a_date_that_the_file_does_not_tell_is_an_estimate():
    found = read(GPUHUNT + "a,us,2.39,16,188,1,H100,80,False,,\n", "runpod.csv")
    assert found.rows[0]["source"].endswith("[date estimated]")
    dated = import_document(
        Document.of_bytes("runpod.csv", (GPUHUNT + "a,us,2.39,16,188,1,H100,80,False,,\n").encode()), catalogue(),
        date(2026, 11, 1), source="the API", dated=True,
    )  # fmt: skip
    assert (dated.rows[0]["source"], dated.rows[0]["observed_on"]) == ("the API", "2026-11-01")


@pytest.mark.parametrize(
    ("instance", "chip"),
    [("NVIDIA H100 PCIe", "H100-PCIe"), ("H100 NVL", "H100-NVL"), ("gpu_1x_h100_sxm5", "H100-SXM")],
)
def test_the_name_of_the_instance_tells_the_form_of_the_chip(instance, chip):
    found = read(GPUHUNT + f"{instance},us,2.39,16,188,1,H100,80,False,,\n", "runpod.csv")
    assert found.rows[0]["accelerator"] == chip
    sky = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
    sky += "AvailabilityZone\n"
    again = read(sky + f"x_{instance.replace(' ', '_')},H100,1,16,188,,2.5,,us,\n", "vms.csv", "fluidstack")
    assert again.rows[0]["accelerator"] == chip


def test_a_chip_that_is_assumed_is_told():
    found = read(GPUHUNT + "box,us,2.39,16,188,1,H100,80,False,,\n", "runpod.csv")
    assert found.rows[0]["accelerator"] == "H100-SXM"
    assert found.notes == ("'H100' is taken for H100-SXM",)


def test_a_seller_that_vanishes_is_held_back():
    old, new = (table(offer(10, provider=p)).market(TODAY).columns for p in ("acme", "other"))
    assert held_back(old, new) == ["acme: 1 of 1 offers are gone"]


def test_half_a_figure_of_power_is_no_figure():
    with pytest.raises(ValueError, match="kwh is missing"):
        parse_owned("rack@H100-SXM:8=capex:280000,years:4,kw:10")
    with pytest.raises(ValueError, match="kw is missing"):
        parse_owned("rack@H100-SXM:8=capex:280000,years:4,kwh:0.1")


def test_formulas_are_neutralised_and_read_back():
    row = offer(10, instance_type='=HYPERLINK("http://x")', notes="@SUM(1)")
    text = table_text([{name: row.get(name) for name in row}], list(row))
    (cells,) = csv.DictReader(io.StringIO(text))
    assert cells["instance_type"] == '\'=HYPERLINK("http://x")'
    words = read_csv(text.encode(), "t.csv", catalogue(), TODAY).columns.words
    assert (words["instance_type"].at(0), words["notes"].at(0)) == ('=HYPERLINK("http://x")', "@SUM(1)")


def test_the_date_inside_a_page_of_get_products_and_a_share_of_a_gpu():
    about = {
        "instanceType": "g6f.large", "regionCode": "us-east-1", "operatingSystem": "Linux", "preInstalledSw": "NA",
        "tenancy": "Shared", "capacitystatus": "Used", "operation": "RunInstances", "gpu": "0.125",
    }  # fmt: skip
    term = {"priceDimensions": {"d": {"unit": "Hrs", "pricePerUnit": {"USD": "0.2"}}}}

    def entry(**attributes):
        product = {"productFamily": "Compute Instance", "attributes": about | attributes, "sku": "S"}
        return json.dumps(
            {"product": product, "serviceCode": "AmazonEC2", "terms": {"OnDemand": {"t": term}},
             "publicationDate": "2026-07-20T00:00:00Z"}
        )  # fmt: skip

    whole = entry(instanceType="g6.xlarge", gpu="1")
    found = read(json.dumps({"PriceList": [whole, entry()]}), "page.json")
    assert [(r["instance_type"], r["observed_on"]) for r in found.rows] == [("g6.xlarge", "2026-07-20")]
    assert [left.reason for left in found.left_out] == ["fractional"]


def test_a_local_zone_is_no_zone_of_its_region():
    head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
    head += "AvailabilityZone\n"
    zones = (("usw2-az1", 0.25), ("usw2-az2", 0.26), ("usw2-lax1-az1", 0.06), ("us-west-2-lax-1a", 0.07))
    rows = "".join(f"g4dn.xlarge,T4,1,4,16,,0.526,{spot},us-west-2,{zone}\n" for zone, spot in zones)
    found = read(head + rows, "vms.csv", "aws")
    assert {r["purchase"]: r["price_usd_per_hour"] for r in found.rows} == {"on_demand": 0.526, "spot": 0.25}
    assert {left.reason: left.count for left in found.left_out} == {"local_zone": 2}


def test_a_file_that_says_whose_prices_it_holds_is_believed():
    found = read(GPUHUNT + "g5.xlarge,us-east-1,1.0,4,16,1,A10G,24,False,,\n", "aws.csv", "azure")
    assert found.rows[0]["provider"] == "aws"
    assert found.notes == ("aws.csv holds the prices of aws, not those of azure",)


@pytest.mark.parametrize(("part", "plans"), [("15.6", 3), ("3.1", 2)])
def test_vantage_prices_that_are_paid_in_part(part, plans):
    reserved = {f"yrTerm1Standard.{name}Upfront": price for name, price in
                (("all", "15.3"), ("partial", part), ("no", "16.4"))}  # fmt: skip
    body = [{"instance_type": "p4d.24xlarge", "GPU": 8, "vCPU": 96, "memory": 1152, "GPU_model": "NVIDIA A100",
             "pricing": {"us-east-1": {"linux": {"ondemand": "21.96", "reserved": reserved}}}}]  # fmt: skip
    found = read(json.dumps(body), "instances.json")
    assert len([row for row in found.rows if row["purchase"] == "reserved"]) == plans


def test_the_price_of_one_gpu_for_a_machine_of_eight_is_doubted():
    usual = table(*(offer(20 + i, provider=f"p{i}") for i in range(6))).market(TODAY)
    (doubt,) = doubts(table(offer(2.5)).market(TODAY), usual)
    assert doubt.code == "far_from_median"
    assert "0.3125 USD per accelerator-hour, where the median of its kind is 2.8125" in doubt.message
    assert doubts(table(offer(22)).market(TODAY), usual) == []
