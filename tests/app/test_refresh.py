"""Refreshing of public prices: each provider alone, checked, swapped in whole, and taken up by a running server."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import time
import zipfile
from datetime import date

import httpx2 as httpx
import pytest

from app.fetching import Fetcher, Manner
from app.refresh import BusyError, Refresher, alone
from app.tables import built_in, open_table
from pricing.accelerators import catalogue
from pricing.published import Published
from tests.app.asking import PERDOLLAR, run
from tests.app.publisher import answer, publishing

TODAY = date(2026, 12, 1)
QUICK = Manner(connect_timeout=2, read_timeout=0.5, attempts=2, first_wait=0.01, longest_wait=0.02)
H100, SIZE = "Standard_ND96isr_H100_v5", "ND96isr H100 v5"


def item(price, region="eastus", **fields):
    return {
        "currencyCode": "USD", "retailPrice": price, "armRegionName": region, "armSkuName": H100,
        "type": "Consumption", "productName": "Virtual Machines ND H100 v5 Series", "skuName": SIZE, "meterName": SIZE,
        "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "effectiveStartDate": "2025-10-01T00:00:00Z",
    } | fields  # fmt: skip


def oracle(price):
    price_list = [{"model": "PAY_AS_YOU_GO", "value": price}]
    return json.dumps(
        {"items": [{"partNumber": "B1", "displayName": "OCI - Compute - GPU - H100", "metricName": "GPU Per Hour",
                    "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": price_list}]}]}
    )  # fmt: skip


@pytest.fixture
def server():
    with publishing() as publisher:
        yield publisher


@pytest.fixture
def refresh(server, tmp_path):
    def refreshed(provider, *sources, today=TODAY, **options):
        with Fetcher(QUICK).open() as fetcher:
            refresher = Refresher(tmp_path, catalogue(), fetcher, today, built_in(), **options)
            return refresher.refresh(provider, list(sources))

    return refreshed


def source(server, layout, path="/list", provider="oci", name="oci_price_list", version="/version", regions=()):
    return Published(provider, name, layout, server.base + path, server.base + version, regions)


def rows(folder, provider):
    with (folder / f"{provider}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_file(server, refresh, tmp_path):
    server.put("/list", answer(oracle(10.0)))
    done = refresh("oci", source(server, "file"))
    assert (done.offers, done.failed, done.held) == (1, "", ())
    (row,) = rows(tmp_path, "oci")
    assert (row["instance_type"], row["price_usd_per_hour"], row["observed_on"]) == (
        "BM.GPU.H100.8", "80.0", "2026-12-01"
    )  # fmt: skip
    assert not (tmp_path / "fetching" / "oci").exists()


def test_pages_are_read_together(server, refresh, tmp_path):
    # The placeholder of a spot price is found out although the price on demand is on another page.
    server.put("/list", answer(json.dumps({"Items": [item(98.32, meterName=f"{SIZE} Spot")],
                                           "NextPageLink": server.base + "/list2"})))  # fmt: skip
    server.put("/list2", answer(json.dumps({"Items": [item(98.32), item(99.5, "westeurope")], "NextPageLink": None})))
    done = refresh("azure", source(server, "next_page_link", provider="azure", name="azure_retail"))
    assert done.failed == ""
    assert {(r["region"], r["purchase"], r["price_usd_per_hour"]) for r in rows(tmp_path, "azure")} == {
        ("eastus", "on_demand", "98.32"), ("westeurope", "on_demand", "99.5")
    }  # fmt: skip


@pytest.mark.parametrize("link", ["http://127.0.0.2:9/x", "SELF"])
def test_pages_that_lead_away_or_in_a_circle(server, refresh, link):
    following = server.base + "/list" if link == "SELF" else link
    server.put("/list", answer(json.dumps({"Items": [item(98.32)], "NextPageLink": following})))
    done = refresh("azure", source(server, "next_page_link", provider="azure", name="azure_retail"))
    assert ("without end" if link == "SELF" else "another host") in done.failed


def test_a_stopped_run_goes_on_with_the_page_that_is_missing(server, refresh, tmp_path):
    server.put("/list", answer(json.dumps({"Items": [item(98.32)], "NextPageLink": server.base + "/list2"})))
    server.put("/list2", answer(status=404))
    pages = source(server, "next_page_link", provider="azure", name="azure_retail")
    assert "answers 404" in refresh("azure", pages).failed
    server.put("/list2", answer(json.dumps({"Items": [item(99.5, "westeurope")]})))
    assert refresh("azure", pages).offers == 2
    assert server.paths() == ["/list", "/list2", "/list2"]


def test_a_key_is_needed_and_is_not_told(server, refresh, tmp_path):
    category = {"resourceGroup": "TPU", "usageType": "OnDemand"}
    page = {"skus": [{"description": "Cloud Tpu v5e chip", "category": category, "serviceRegions": ["us-central1"],
                      "pricingInfo": [{"pricingExpression": {"usageUnit": "h", "tieredRates": [
                          {"unitPrice": {"units": "1", "nanos": 200000000, "currencyCode": "USD"}}]}}]}]}  # fmt: skip
    listed = source(server, "next_page_token", "/skus?pageSize=5000", provider="gcp", name="gcp_billing")
    server.put("/skus", answer(json.dumps({**page, "nextPageToken": "two"})), answer(json.dumps(page)))
    assert "PERDOLLAR_GCP_KEY" in refresh("gcp", listed).failed
    assert server.asked == []
    done = refresh("gcp", listed, key="a+key")
    assert (done.offers, done.failed) == (1, "")
    assert server.paths() == ["/skus?pageSize=5000&key=a%2Bkey", "/skus?pageSize=5000&key=a%2Bkey&pageToken=two"]
    assert rows(tmp_path, "gcp")[0]["price_usd_per_hour"] == "1.2"
    assert "key" not in (tmp_path / "gcp.csv").read_text()


def test_cursors(server, refresh, tmp_path):
    def plan(name, price):
        return {"id": name, "ram": 2321924, "locations": ["ord"], "hourly_cost": price}

    first = {"plans_metal": [plan("vbm-256c-2048gb-8-mi300x-gpu", 14.0)], "meta": {"links": {"next": "bmV4dA=="}}}
    last = {"plans_metal": [plan("vbm-112c-2048gb-8-h100-gpu", 23.9)], "meta": {"links": {"next": ""}}}
    server.put("/plans", answer(json.dumps(first)), answer(json.dumps(last)))
    assert refresh("vultr", source(server, "cursor", "/plans?per_page=500", "vultr", "vultr")).offers == 2
    assert server.paths()[1] == "/plans?per_page=500&cursor=bmV4dA%3D%3D"


SKYPILOT = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
    "1x_H100_SECURE,H100,1,16,188,,2.5,,US,\n"
)


def test_a_file_at_its_commit_is_dated_by_it(server, refresh, tmp_path):
    sha = "0123456789abcdef" * 2
    commits = [{"sha": sha, "commit": {"committer": {"date": "2026-11-20T08:00:00Z"}}}]
    server.put("/version", answer(json.dumps(commits)))
    server.put(f"/{sha}/vms.csv", answer(SKYPILOT, content_type="text/plain"))
    done = refresh("runpod", source(server, "github", "/{version}/vms.csv", "runpod", "skypilot"))
    assert done.failed == ""
    (row,) = rows(tmp_path, "runpod")
    assert (row["observed_on"], row["evidence"], row["price_usd_per_hour"]) == ("2026-11-20", "survey", "2.5")


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return buffer.getvalue()


GPUHUNT = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor\n"
    "gpu_8x_h100_sxm5,us-east-1,31.92,208,1800,8,H100,80,False,,nvidia\n"
)


def test_a_zip_of_a_dated_version(server, refresh, tmp_path):
    server.put("/version", answer("20261125-1234\n", content_type="text/plain"))
    server.put("/20261125-1234/catalog.zip", answer(zipped(lambdalabs=GPUHUNT), content_type="application/zip"))
    done = refresh("lambda", source(server, "dated", "/{version}/catalog.zip", "lambda", "gpuhunt"))
    assert done.failed == ""
    (row,) = rows(tmp_path, "lambda")
    assert (row["provider"], row["observed_on"], row["price_usd_per_hour"]) == ("lambda", "2026-11-25", "31.92")
    server.put("/version", answer("../../etc/passwd", content_type="text/plain"))
    assert "does not begin with a date" in refresh(
        "lambda", source(server, "dated", "/{version}/catalog.zip", "lambda", "gpuhunt")
    ).failed  # fmt: skip


def offer_file(price, region):
    attributes = {
        "instanceType": "p5.48xlarge", "regionCode": region, "operatingSystem": "Linux", "preInstalledSw": "NA",
        "tenancy": "Shared", "capacitystatus": "Used", "licenseModel": "No License required", "gpu": "8",
        "vcpu": "192", "memory": "2048 GiB", "operation": "RunInstances", "location": region,
        "servicecode": "AmazonEC2", "locationType": "AWS Region", "marketoption": "OnDemand",
        "usagetype": "BoxUsage:p5.48xlarge",
    }  # fmt: skip
    term = {"priceDimensions": {"d": {"unit": "Hrs", "pricePerUnit": {"USD": price}, "description": "x"}},
            "effectiveDate": "2026-11-01T00:00:00Z", "termAttributes": {}, "sku": "S",
            "offerTermCode": "T"}  # fmt: skip
    return json.dumps(
        {"formatVersion": "v1.0", "offerCode": "AmazonEC2", "publicationDate": "2026-11-28T00:00:00Z",
         "products": {"S": {"sku": "S", "productFamily": "Compute Instance", "attributes": attributes}},
         "terms": {"OnDemand": {"S": {"S.T": term}}}}
    )  # fmt: skip


def test_regions_that_are_files_of_their_own(server, refresh, tmp_path):
    index = {"regions": {r: {"regionCode": r, "currentVersionUrl": f"/offers/1/{r}/index.json"} for r in ("r1", "r2")}}
    server.put("/version", answer(json.dumps(index)))
    server.put("/offers/1/r1/index.json", answer(offer_file("55.04", "us-east-1")))
    server.put("/offers/1/r2/index.json", answer(offer_file("60.5", "eu-west-1")))
    aws = source(server, "regions", "/x", "aws", "aws_price_list", regions=("r1", "r2"))
    assert refresh("aws", aws).offers == 2
    found = {r["region"]: (r["price_usd_per_hour"], r["observed_on"]) for r in rows(tmp_path, "aws")}
    assert found == {"us-east-1": ("55.04", "2026-11-28"), "eu-west-1": ("60.5", "2026-11-28")}
    assert "has no region 'r3'; it has r1, r2" in refresh("aws", aws, regions=("r3",)).failed


def test_of_two_sources_the_first_counts(server, refresh, tmp_path):
    server.put("/list", answer(oracle(10.0)))
    server.put("/second", answer(oracle(12.0)))
    refresh("oci", source(server, "file"), source(server, "file", "/second", name="other"))
    assert [r["price_usd_per_hour"] for r in rows(tmp_path, "oci")] == ["80.0"]


@pytest.mark.parametrize(
    "wrong",
    [
        answer(status=500),
        answer("<html></html>", content_type="text/html"),
        answer("<html></html>"),
        answer(oracle(10.0)[:-20]),
        answer(""),
        answer("{}"),
        answer('{"items": []}'),
        answer("null"),
        answer(b"\xff\x00\xfe"),
        answer("[" * 100_000),
        answer(oracle(10.0), length=9999),
        answer(oracle(-1)),
    ],
)
def test_whatever_goes_wrong_yesterdays_table_stays(server, refresh, tmp_path, wrong):
    server.put("/list", answer(oracle(10.0)))
    assert refresh("oci", source(server, "file"), today=date(2026, 11, 30)).failed == ""
    before = (tmp_path / "oci.csv").read_bytes()
    server.put("/list", wrong)
    assert refresh("oci", source(server, "file")).failed
    assert (tmp_path / "oci.csv").read_bytes() == before
    server.put("/list", answer(oracle(10.5)))
    assert refresh("oci", source(server, "file")).failed == ""


def test_a_log_of_what_changed(server, refresh, tmp_path):
    for day, price in ((1, 10.0), (2, 10.0), (3, 10.0), (4, 11.0), (5, 11.0)):
        server.put("/list", answer(oracle(price)))
        done = refresh("oci", source(server, "file"), today=date(2026, 11, day))
    assert [(r["observed_on"], r["price_usd_per_hour"]) for r in rows(tmp_path, "oci")] == [
        ("2026-11-01", "80.0"), ("2026-11-03", "80.0"), ("2026-11-04", "88.0"), ("2026-11-05", "88.0")
    ]  # fmt: skip
    assert (done.changed.dearer, done.changed.new) == (0, 1)


def test_what_is_not_sold_any_more_is_withdrawn(server, refresh, tmp_path):
    both = {"Items": [item(98.32), item(90.0, armSkuName="Standard_ND96isr_H200_v5", meterName="ND96isr H200 v5",
                                        skuName="ND96isr H200 v5")]}  # fmt: skip
    pages = source(server, "next_page_link", provider="azure", name="azure_retail")
    server.put("/list", answer(json.dumps(both)))
    refresh("azure", pages, today=date(2026, 11, 20))
    server.put("/list", answer(json.dumps({"Items": [item(98.32)]})))
    held = refresh("azure", pages, today=date(2026, 11, 21))
    assert held.held == ("azure: 1 of 2 offers are gone",)
    assert refresh("azure", pages, today=date(2026, 11, 21), confirm=True).held == ()
    last = {r["instance_type"]: (r["availability"], r["price_usd_per_hour"]) for r in rows(tmp_path, "azure")}
    assert last == {"Standard_ND96isr_H100_v5": ("available", "98.32"), "Standard_ND96isr_H200_v5": ("withdrawn", "")}
    # It is sold again on the day on which it was withdrawn, and once more on the next.
    server.put("/list", answer(json.dumps(both)))
    for day in (21, 22):
        refresh("azure", pages, today=date(2026, 11, day))
    assert {r["availability"] for r in rows(tmp_path, "azure")} == {"available"}


def test_a_price_that_moves_too_far_is_held_back(server, refresh, tmp_path):
    server.put("/list", answer(oracle(10.0)))
    refresh("oci", source(server, "file"), today=date(2026, 11, 30))
    server.put("/list", answer(oracle(1.0)))
    held = refresh("oci", source(server, "file")).held
    assert "oci/BM.GPU.H100.8 × 8, global, on_demand: 80 becomes 8 USD/h" in held
    assert len(rows(tmp_path, "oci")) == 1
    assert refresh("oci", source(server, "file"), confirm=True).held == ()
    assert rows(tmp_path, "oci")[-1]["price_usd_per_hour"] == "8.0"


def test_the_first_fetch_is_held_against_the_built_in_table(server, refresh, tmp_path):
    # The built-in table has this shape at 80 USD/h; a price per GPU in place of one per instance is found out.
    server.put("/list", answer(oracle(10.0 / 8)))
    assert "80 becomes 10 USD/h" in refresh("oci", source(server, "file")).held[0]


def test_one_refresh_at_a_time(tmp_path):
    with alone(tmp_path), pytest.raises(BusyError, match="at work"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass


def test_a_refreshed_price_counts_before_the_built_in_and_after_a_private_one(server, refresh, tmp_path):
    columns = built_in().columns
    shape = columns.words["provider"].mask(["oci"]) & columns.words["instance_type"].mask(["BM.GPU.H100.8"])
    day = date.fromordinal(int(columns.observed[shape].max()))

    def prices(table):
        columns = table.market(TODAY).columns
        chosen = columns.words["provider"].mask(["oci"]) & columns.words["instance_type"].mask(["BM.GPU.H100.8"])
        return columns.price[chosen].tolist()

    # On the very day of the built-in observation the refreshed one counts, without a conflict.
    server.put("/list", answer(oracle(11.0)))
    refresh("oci", source(server, "file"), today=day)
    assert prices(open_table([], [tmp_path / "oci.csv"])) == [88.0]
    refresh("oci", source(server, "file"))
    private = tmp_path / "own.txt"
    private.write_text(
        "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n"
        f"oci,BM.GPU.H100.8,H100-SXM,8,70,{TODAY}\n"
    )
    assert prices(open_table([private], [tmp_path / "oci.csv"])) == [70.0]


@pytest.fixture
def listed(server, tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(
        "provider,source,layout,url,version_url,regions\n"
        f"oci,oci_price_list,file,{server.base}/list,,\n"
        f"azure,azure_retail,next_page_link,{server.base}/azure,,\n"
    )
    return {"PERDOLLAR_PUBLISHED": str(path), "PERDOLLAR_FOLDER": str(tmp_path / "tables")}


def test_the_command(server, listed, tmp_path):
    server.put("/list", answer(oracle(11.0)))
    server.put("/azure", answer("<html>", content_type="text/html"))
    done = run("prices", "refresh", **listed)
    assert done.returncode == 2
    assert "oci: 1 offers" in done.stdout
    assert "azure: failed, it has no refreshed table" in done.stderr
    assert run("prices", "refresh", "oci", **listed).returncode == 0
    found = run("prices", "list", "--provider", "oci", "--instance-type", "BM.GPU.H100.8", "--format", "json", **listed)
    assert json.loads(found.stdout)["prices"][0]["price_usd_per_hour"] == 88.0
    unknown = run("prices", "refresh", "azzure", **listed)
    assert unknown.returncode == 2
    assert "azure" in unknown.stderr


def test_a_folder_that_cant_be_written(server, listed, tmp_path):
    server.put("/list", answer(oracle(11.0)))
    (tmp_path / "tables").write_text("a file in the place of the folder")
    done = run("prices", "refresh", "oci", **listed)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_disk_that_is_full_leaves_the_last_table(server, listed, tmp_path):
    server.put("/list", answer(oracle(10.0)))
    assert run("prices", "refresh", "oci", **listed).returncode == 0
    table = tmp_path / "tables" / "oci.csv"
    before = table.read_bytes()
    server.put("/list", answer(oracle(10.5) + " " * 100_000))
    for blocks in ("0", "8"):
        # Neither the file that is fetched nor the table may grow beyond so many blocks.
        command = ["sh", "-c", f"ulimit -f {blocks}; exec {PERDOLLAR} prices refresh oci"]
        done = subprocess.run(command, env={**os.environ, **listed}, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "its last table stays in use" in done.stderr
        assert "File too large" in done.stderr
        assert table.read_bytes() == before
    found = run("prices", "list", "--provider", "oci", "--instance-type", "BM.GPU.H100.8", "--format", "json", **listed)
    assert json.loads(found.stdout)["prices"][0]["price_usd_per_hour"] == 80.0


def test_kill_at_any_moment_leaves_the_last_table(server, listed, tmp_path):
    server.put("/list", answer(oracle(10.0)))
    assert run("prices", "refresh", "oci", **listed).returncode == 0
    table = tmp_path / "tables" / "oci.csv"
    before = table.read_bytes()
    padding = " " * 20_000
    for wait in (0.1, 0.4, 0.8, 1.2):
        server.put("/list", answer(oracle(10.5) + padding, pause=0.5, ETag='"b"'))
        command = [PERDOLLAR, "prices", "refresh", "oci"]
        with subprocess.Popen(command, env={**os.environ, **listed}, stderr=subprocess.DEVNULL) as process:
            time.sleep(wait)
            process.kill()
        assert table.read_bytes() == before
    server.put("/list", answer(oracle(10.5) + padding, ETag='"b"'))
    assert run("prices", "refresh", "oci", **listed).returncode == 0
    assert b"84.0" in table.read_bytes()


@pytest.fixture
def serving(listed):
    environment = {**os.environ, **listed}
    command = [PERDOLLAR, "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().split()[3]
        try:
            yield process, address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(10)


def price_at(client, address):
    found = client.get(f"{address}/prices.json?provider=oci&instance_type=BM.GPU.H100.8").json()
    return found["prices"][0]["price_usd_per_hour"]


@pytest.mark.parametrize("by_signal", [True, False])
def test_a_running_server_takes_new_prices_up(server, listed, serving, by_signal, tmp_path):
    process, address = serving
    server.put("/list", answer(oracle(12.0)))
    with httpx.Client() as client:
        assert price_at(client, address) == 80.0
        assert run("prices", "refresh", "oci", **listed).returncode == 0
        if by_signal:
            process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 20
        while price_at(client, address) != 96.0:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        # A table that is broken is not taken, and the one in use stays.
        (tmp_path / "tables" / "oci.csv").write_text("provider,instance_type\noci,x\n")
        process.send_signal(signal.SIGHUP)
        line = process.stderr.readline()
        while "stay in use" not in line:
            line = process.stderr.readline()
            assert line
        assert price_at(client, address) == 96.0
