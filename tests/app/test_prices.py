"""The price list: filters, order, history, pages, and a CSV that can be used as a price table again."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.tables import built_in
from pricing.accelerators import catalogue
from pricing.browse import PRICE_COLUMNS, SCHEMA_COLUMNS
from pricing.offers import TEXT
from pricing.sources.own_schema import read_csv
from tests.app.asking import DAY, Page, problem, query_of

SCHEMA = [
    "provider",
    "instance_type",
    "region",
    "accelerator",
    "accelerator_vendor",
    "accelerator_count",
    "sizes",
    "accelerator_memory_gib",
    "vcpus",
    "memory_gib",
    "purchase",
    "term_months",
    "price_usd_per_hour",
    "observed_on",
    "evidence",
    "source",
    "notes",
]


def prices(client, query=""):
    return client.get(f"/prices.json?as_of={DAY}&limit=1000&{query}").json()["prices"]


def test_the_columns_are_those_of_a_price_table(client):
    names = [column.name for column in SCHEMA_COLUMNS]
    assert names[: len(SCHEMA)] == SCHEMA
    assert client.get("/prices.csv").text.partition("\r\n")[0] == ",".join(names)
    for price in prices(client):
        assert list(price) == [column.name for column in PRICE_COLUMNS]


@pytest.mark.parametrize(
    ("query", "column", "values"),
    [
        ("provider=oci&provider=runpod", "provider", {"oci", "runpod"}),
        ("accelerator=H100", "accelerator", {"H100-SXM", "H100-NVL", "H100-PCIe"}),
        ("accelerator=H100-SXM", "accelerator", {"H100-SXM"}),
        ("vendor=amd", "accelerator_vendor", {"amd"}),
        ("purchase=spot", "purchase", {"spot"}),
        ("purchase=spot&purchase=reserved", "purchase", {"spot", "reserved"}),
        ("region=us-east-1", "region", {"us-east-1"}),
        ("instance_type=trn1.32xlarge", "instance_type", {"trn1.32xlarge"}),
        ("evidence=survey", "evidence", {"survey"}),
    ],
)
def test_filters(client, query, column, values):
    found = prices(client, query)
    assert {price[column] for price in found} == values
    everything = [price for price in prices(client) if price[column] in values]
    key = ("provider", "instance_type", "region", "purchase", "term_months", "plan", "accelerator_count")
    assert sorted(str([p[k] for k in key]) for p in found) == sorted(str([p[k] for k in key]) for p in everything)


def test_the_filter_of_areas_goes_by_region(client):
    found = prices(client, "area=europe&provider=aws")
    assert found
    assert {price["region"].split("-")[0] for price in found} == {"eu"}


def test_what_can_not_be_had_can_be_looked_at(acme):
    states = {price["availability"] for price in prices(acme, "availability=grandfathered")}
    assert states <= {"grandfathered"}
    assert {price["availability"] for price in prices(acme, "availability=available&provider=acme")} == {"available"}


def test_unconfirmed_prices_are_hidden_unless_asked_for(client):
    assert "third_party" not in {price["evidence"] for price in prices(client)}
    shown = prices(client, "include_unconfirmed=1&evidence=third_party")
    assert {price["evidence"] for price in shown} == {"third_party"}
    assert prices(client, "evidence=third_party") == []


@pytest.mark.parametrize("column", [column.name for column in PRICE_COLUMNS])
def test_every_column_sorts_both_ways_with_the_unknown_last(client, column):
    for sort in (column, f"-{column}"):
        values = [price[column] for price in prices(client, f"sort={sort}")]
        known = [value for value in values if value is not None]
        assert known
        assert values[: len(known)] == known == sorted(known, reverse=sort.startswith("-"))


def test_a_price_of_each_accelerator_is_that_of_the_whole_divided(client):
    found = prices(client)
    with_chips = [price for price in found if price["accelerator_count"]]
    assert len(with_chips) > 500
    for price in with_chips:
        each = price["price_usd_per_accelerator_hour"] * price["accelerator_count"]
        assert each == pytest.approx(price["price_usd_per_hour"], rel=1e-12)
    oci = next(price for price in found if price["instance_type"] == "BM.GPU.MI300X.8")
    assert (oci["price_usd_per_hour"], oci["price_usd_per_accelerator_hour"]) == (48.0, 6.0)
    assert {p["price_usd_per_accelerator_hour"] for p in found if not p["accelerator_count"]} <= {None}


def test_pages(client):
    whole = prices(client)
    body = client.get(f"/prices.json?as_of={DAY}").json()
    assert (body["as_of"], body["total"], body["limit"], body["offset"]) == (DAY, len(whole), 50, 0)
    assert body["prices"] == whole[:50]
    assert client.get(f"/prices.json?as_of={DAY}&limit=7&offset=11").json()["prices"] == whole[11:18]
    assert client.get(f"/prices.json?as_of={DAY}&offset=5000").json()["prices"] == []
    assert client.get(f"/prices.csv?as_of={DAY}&limit=7").text.count("\r\n") == 8


def test_the_history_of_one_offer(client):
    query = "provider=aws&instance_type=trn2.48xlarge&region=us-east-2&purchase=spot&sort=-observed_on"
    now, history = prices(client, query), prices(client, f"{query}&history=1")
    assert [price["price_usd_per_hour"] for price in now] == [14.5593]
    assert (history[0]["observed_on"], history[0]["price_usd_per_hour"]) == ("2026-10-03", 14.5593)
    assert 23.0631 in [price["price_usd_per_hour"] for price in history]
    before = client.get(f"/prices.json?{query}&as_of=2026-03-01").json()["prices"]
    assert [price["price_usd_per_hour"] for price in before] == [23.0631]
    old = client.get(f"/prices.json?{query}&as_of=2026-03-01&history=1").json()["prices"]
    assert all(price["observed_on"] <= "2026-03-01" for price in old)


def test_an_old_price_is_called_stale(acme):
    query = "/prices.json?provider=acme&as_of="
    ages = {
        day: {(price["price_age_days"], price["stale"]) for price in acme.get(query + day).json()["prices"]}
        for day in ("2026-11-01", DAY)
    }
    assert ages == {"2026-11-01": {(0, False)}, DAY: {(14, False)}}
    spot = prices(acme, "purchase=spot")
    assert spot
    assert all(price["stale"] == (price["price_age_days"] > 7) for price in spot)


@pytest.mark.parametrize("query", ["", "history=1&include_unconfirmed=1", "provider=runpod&provider=oci"])
def test_the_csv_read_again_is_the_same_table(client, query):
    data = client.get(f"/prices.csv?{query}").content
    again = read_csv(data, "prices.csv", catalogue(), date.today())
    assert again.source_rows == client.get(f"/prices.json?{query}").json()["total"]
    unconfirmed = "unconfirmed" in query
    wanted = built_in().market(date.today(), include_unconfirmed=unconfirmed).columns
    if "provider" in query:
        wanted = wanted.take(np.flatnonzero(wanted.words["provider"].mask(["runpod", "oci"])))
    found = again.market(date.today(), include_unconfirmed=unconfirmed).columns

    def rows(columns):
        everything = np.arange(len(columns))
        texts = [columns.words[name].texts(everything) for name in TEXT]
        numbers = [columns.count, columns.term, columns.observed, columns.price.round(9)]
        return sorted(zip(*texts, *(array.tolist() for array in numbers), strict=True), key=str)

    assert rows(found) == rows(wanted)


def test_an_exported_table_answers_as_the_table_did(client, tmp_path):
    path = tmp_path / "copy.csv"
    path.write_bytes(client.get("/prices.csv?history=1&include_unconfirmed=1").content)
    query = f"/compare.json?unit=output_token&m=H100-SXM:8=5200&limit=1000&as_of={DAY}"
    copy = TestClient(create_app(private=[path])).get(query).json()
    original = client.get(query).json()
    assert copy["total"] == original["total"]
    costs = [(e["instance_type"], round(e["cost_usd"], 9)) for e in original["estimates"]]
    assert [(e["instance_type"], round(e["cost_usd"], 9)) for e in copy["estimates"]] == costs


@pytest.mark.parametrize(
    ("query", "loc", "words"),
    [
        ("provider=asw", ["provider", 0], "Did you mean aws"),
        ("provider=aws&provider=asw", ["provider", 1], "Did you mean aws"),
        ("instance_type=trn1.32xlage", ["instance_type", 0], "Did you mean trn1.32xlarge"),
        ("region=us-esat-1", ["region", 0], "us-east-1"),
        ("area=europa", ["area", 0], "Did you mean europe"),
        ("accelerator=H1000", ["accelerator", 0], "Did you mean"),
        ("vendor=nvida", ["vendor", 0], "Did you mean nvidia"),
        ("purchase=ondemand", ["purchase", 0], "Did you mean on_demand"),
        ("evidence=lists", ["evidence", 0], "Did you mean list"),
        ("availability=availible", ["availability", 0], "Did you mean available"),
        ("sort=price_usd", ["sort"], "Did you mean price_usd_per_hour"),
        ("histroy=1", ["histroy"], "Did you mean history"),
        ("history=maybe", ["history"], "must be 1 or 0"),
        ("limit=0", ["limit"], "from 1 to 1,000"),
        ("limit=1&limit=2", ["limit"], "given 2 times"),
        ("offset=-1", ["offset"], "from 0"),
        ("as_of=x", ["as_of"], "YYYY-MM-DD"),
        ("as_of=2999-01-01", ["as_of"], "after today"),
        ("provider=a%00b", ["provider"], "control character"),
        ("provider=%ff", [], "UTF-8"),
    ],
)
def test_what_nothing_knows_is_refused(client, query, loc, words):
    body = problem(client.get(f"/prices.json?{query}"))
    assert [error["loc"] for error in body["errors"]] == [["query", *loc]]
    assert words in body["detail"]
    assert problem(client.get(f"/prices.csv?{query}")) == body


def test_a_combination_that_nobody_sells_is_empty_not_an_error(client):
    assert prices(client, "provider=oci&accelerator=Trainium1") == []
    assert (
        "No price matches" in Page(client.get("/prices?provider=oci&accelerator=Trainium1").text).by_id("results").text
    )
    assert client.get("/prices.csv?provider=oci&accelerator=Trainium1").text.count("\r\n") == 1


def test_the_page_shows_the_rows_of_the_json(client):
    query = f"accelerator=MI300X&sort=-price_usd_per_hour&as_of={DAY}"
    found = prices(client, query)
    rows = Page(client.get(f"/prices?{query}&limit=1000").text).rows()
    assert len(rows) == len(found) > 5
    for row, price in zip(rows, found, strict=True):
        assert row["provider"].text == price["provider"]
        assert row["region"].text == price["region"]
        assert row["price_usd_per_hour"].attributes["title"] == repr(price["price_usd_per_hour"])
        assert row["price_age_days"].text == str(price["price_age_days"])


def test_links_of_the_page(client):
    page = Page(client.get(f"/prices?vendor=amd&limit=10&offset=10&as_of={DAY}&sort=region&utm_source=x&region=").text)
    found = client.get(page.link("JSON")).json()
    assert (found["limit"], found["offset"]) == (10, 10)
    assert [row["region"].text for row in page.rows()] == [price["region"] for price in found["prices"]]
    assert client.get(page.link("CSV")).text.count("\r\n") == found["total"] + 1
    after = Page(client.get(page.link("Next")).text)
    following = client.get(f"/prices.json?vendor=amd&limit=10&offset=20&as_of={DAY}&sort=region").json()["prices"]
    shown = [(row["instance_type"].text.removesuffix("history"), row["region"].text) for row in after.rows()]
    assert shown == [(price["instance_type"], price["region"]) for price in following]
    kept = {"vendor": "amd", "limit": "10", "as_of": DAY, "sort": "region"}
    assert dict(query_of(page.link("Next"))) == kept | {"offset": "20"}
    assert "offset" not in dict(query_of(page.link("Previous")))


def test_sellers_without_public_prices_are_listed(client):
    page = Page(client.get("/prices").text)
    listed = [li.text for li in page.all("li")]
    assert any(text.startswith("Firmus") and "H100-SXM, GB300" in text for text in listed)
    assert any(text.startswith("Fluidstack: everything") for text in listed)
    assert any("Trainium3" in text for text in listed)
