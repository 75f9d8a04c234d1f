"""The price list, the accelerators, and the documentation, which has to name everything there is."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pytest

from app.openapi import EXAMPLE_BODY
from app.routes.about import EXAMPLES
from pricing.accelerators import catalogue
from pricing.browse import PRICE_PARAMETERS
from pricing.chips import CHIP_PARAMETERS
from pricing.columns import COLUMNS
from pricing.parameters import DETAILS, PARAMETERS
from pricing.sources.own_schema import read_csv

PAGES = ("/", "/prices", "/accelerators", "/method", "/docs", "/nothing", "/compare?unit=x", "/prices?provider=asw")


def test_the_price_list_filters_sorts_and_pages(client):
    found = client.get("/prices.json?accelerator=MI300X&purchase=on_demand&sort=-price_usd_per_accelerator_hour").json()
    each = [p["price_usd_per_accelerator_hour"] for p in found["prices"]]
    assert each == sorted(each, reverse=True)
    assert {p["accelerator"] for p in found["prices"]} == {"MI300X"}
    oci = next(p for p in found["prices"] if p["instance_type"] == "BM.GPU.MI300X.8")
    assert (oci["price_usd_per_hour"], oci["price_usd_per_accelerator_hour"]) == (48.0, 6.0)
    second = client.get("/prices.json?limit=10&offset=10").json()
    assert second["prices"] == client.get("/prices.json?limit=20").json()["prices"][10:]


def test_the_history_of_one_offer(client):
    query = "provider=aws&instance_type=trn2.48xlarge&region=us-east-2&purchase=spot&sort=-observed_on"
    now = client.get(f"/prices.json?{query}").json()["prices"]
    history = client.get(f"/prices.json?{query}&history=1").json()["prices"]
    assert [p["price_usd_per_hour"] for p in now] == [14.5593]
    assert (history[0]["observed_on"], history[0]["price_usd_per_hour"]) == ("2026-10-03", 14.5593)
    assert 23.0631 in [p["price_usd_per_hour"] for p in history]


def test_the_csv_is_a_price_table_that_can_be_read_again(client):
    text = client.get("/prices.csv?provider=runpod&provider=oci").content
    table = read_csv(text, "prices.csv", catalogue(), date.today())
    assert set(table.values("provider")) == {"runpod", "oci"}
    assert 31.92 in table.columns.price.round(6).tolist()


@pytest.mark.parametrize(
    "query", ["provider=asw", "accelerator=H1000", "sort=prices", "limit=0", "histroy=1", "as_of=x"]
)
def test_the_price_list_refuses_what_nothing_knows(client, query):
    assert client.get(f"/prices.json?{query}").status_code == 422
    page = client.get(f"/prices?{query}", headers={"accept": "text/html"})
    assert page.status_code == 422
    assert "Not yet an answer" in page.text


def test_accelerators(client):
    found = {a["accelerator"]: a for a in client.get("/accelerators.json").json()["accelerators"]}
    trainium = found["Trainium2"]
    assert (trainium["memory_gib"], trainium["physical_cores"], trainium["logical_cores"]) == (96.0, 8, 4)
    assert trainium["torch_device"] == "neuron"
    assert found["Trainium3"]["quote_only"] == "aws"
    assert found["H100-SXM"]["vendor"] == "nvidia"
    assert client.get("/accelerators.csv?vendor=apple").text.count("Apple-") >= 8


def test_quote_only_sellers_are_listed(client):
    page = client.get("/prices").text
    assert "Firmus" in page
    assert "Trainium3" in page


def test_the_documentation_names_every_parameter_and_column(client):
    page = client.get("/docs").text
    for name in (*PARAMETERS, *(f"m1.{d}" for d in DETAILS), *PRICE_PARAMETERS, *CHIP_PARAMETERS):
        assert f"<code>{name}</code>" in page, name
    method = client.get("/method").text
    for column in COLUMNS:
        assert f"<code>{column.name}</code>" in method, column.name


def test_the_documented_examples_run(client):
    for address in EXAMPLES.values():
        assert client.get(address).status_code == 200, address
    answer = client.post("/api/v1/compare", json=EXAMPLE_BODY)
    assert answer.status_code == 200
    assert "own" in {e["provider"] for e in answer.json()["estimates"]}


def test_the_openapi_document_describes_every_address(client):
    document = client.get("/openapi.json").json()
    served = {f"/{name}{ending}" for name in ("compare", "prices", "accelerators") for ending in (".json", ".csv")}
    assert set(document["paths"]) == served | {"/api/v1/compare", "/healthz"}
    schemas = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert operation["description"]
    text = client.get("/openapi.json").text
    assert {name.rpartition("/")[2] for name in re.findall(r'"\$ref":"([^"]+)"', text)} <= set(schemas)


class Assets(HTMLParser):
    """Collects what a page loads, and what a strict policy forbids."""

    def __init__(self):
        super().__init__()
        self.loaded, self.forbidden = [], []
        self.script = False

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.script = tag in ("script", "style")
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link":
            self.loaded.append(values["href"])
        self.forbidden += [f"{tag} {name}" for name in values if name == "style" or name.startswith("on")]

    def handle_data(self, data):
        if self.script and data.strip():
            self.forbidden.append(data[:40])

    def handle_endtag(self, tag):
        self.script = False


@pytest.mark.parametrize("address", PAGES)
def test_pages_load_nothing_from_elsewhere_and_hold_no_inline_script_or_style(client, address):
    assets = Assets()
    assets.feed(client.get(address, headers={"accept": "text/html"}).text)
    assert assets.forbidden == []
    assert assets.loaded
    assert all(path.startswith("/static/") for path in assets.loaded)
    for path in assets.loaded:
        assert client.get(path).status_code == 200


def test_fragments_and_whole_pages(client):
    address = "/compare?unit=output_token&m=L4=5&limit="
    whole = client.get(address)
    part = client.get(address, headers={"hx-request": "true"})
    back = client.get(address, headers={"hx-request": "true", "hx-history-restore-request": "true"})
    assert "HX-Request" in whole.headers["vary"]
    assert whole.text.startswith("<!doctype html>")
    assert back.text.startswith("<!doctype html>")
    assert "<html" not in part.text
    assert part.text.strip() in whole.text.replace("\r", "") or "Cheapest" in part.text
    assert part.headers["hx-push-url"] == "/compare?unit=output_token&m=L4=5"
