"""The list of accelerators: figures, names, order, and who sells them."""

from __future__ import annotations

import csv
import io

import pytest

from pricing.accelerators import catalogue
from tests.app.asking import Page, problem


def chips(client, query=""):
    body = client.get(f"/accelerators.json?{query}").json()
    assert body["total"] == len(body["accelerators"])
    return body["accelerators"]


def test_figures_by_value(client):
    found = {chip["accelerator"]: chip for chip in chips(client)}
    assert list(found) == list(catalogue().accelerators)
    trainium = found["Trainium2"]
    assert (trainium["memory_gib"], trainium["physical_cores"], trainium["logical_cores"]) == (96.0, 8, 4)
    assert (trainium["vendor"], trainium["torch_device"]) == ("aws", "neuron")
    assert found["Trainium3"]["quote_only"] == "aws"
    assert found["Trainium3"]["offers"] == 0
    assert (found["H100-SXM"]["vendor"], found["H100-SXM"]["family"]) == ("nvidia", "H100")
    assert "NVIDIA H100 80GB HBM3" in found["H100-SXM"]["aliases"].split("|")
    assert found["H100-SXM"]["offers"] > 20


def test_the_offers_counted_are_those_of_the_price_list(client):
    for chip in chips(client, "vendor=amd"):
        listed = client.get(f"/prices.json?accelerator={chip['accelerator']}&limit=1000").json()["prices"]
        can_be_had = [p for p in listed if p["availability"] in ("available", "waitlist")]
        assert chip["offers"] == len(can_be_had)


def test_the_csv_has_the_cells_of_the_json(client):
    found = chips(client)
    rows = list(csv.DictReader(io.StringIO(client.get("/accelerators.csv").text, newline="")))
    assert len(rows) == len(found)
    for row, chip in zip(rows, found, strict=True):
        assert list(row) == list(chip)
        assert {name: cell.removeprefix("'") for name, cell in row.items()} == {
            name: "" if value is None else repr(value) if isinstance(value, float) else str(value)
            for name, value in chip.items()
        }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("vendor=aws&family=Trainium2", {"Trainium2"}),
        ("family=H100", {"H100-SXM", "H100-PCIe", "H100-NVL"}),
        ("family=TPU-v6e", {"TPU-v6e"}),
        ("vendor=nvidia&family=Trainium2", set()),
    ],
)
def test_filters(client, query, names):
    assert {chip["accelerator"] for chip in chips(client, query)} == names


def test_vendors_together(client):
    assert {chip["vendor"] for chip in chips(client, "vendor=aws&vendor=google")} == {"aws", "google"}


@pytest.mark.parametrize(
    "column", ["accelerator", "memory_gib", "bf16_dense_tflops", "offers", "released", "quote_only"]
)
def test_order_with_the_unknown_last(client, column):
    for sort in (column, f"-{column}"):
        values = [chip[column] for chip in chips(client, f"sort={sort}")]
        known = [value for value in values if value is not None]
        assert known
        assert values[: len(known)] == known == sorted(known, reverse=sort.startswith("-"))


@pytest.mark.parametrize(
    ("query", "loc", "words"),
    [
        ("vendor=nvida", ["vendor"], "Did you mean nvidia"), ("family=H10", ["family"], "Did you mean H100"),
        ("sort=memory", ["sort"], "Did you mean memory_gib"), ("vendr=x", ["vendr"], "Did you mean vendor"),
        ("vendor=%ff", [], "UTF-8"),
    ],
)  # fmt: skip
def test_what_nothing_knows_is_refused(client, query, loc, words):
    body = problem(client.get(f"/accelerators.json?{query}"))
    assert body["errors"][0]["loc"] == ["query", *loc]
    assert words in body["detail"]
    assert problem(client.get(f"/accelerators.csv?{query}")) == body


def test_the_page_shows_the_list(client):
    page = Page(client.get("/accelerators?vendor=aws&sort=-memory_gib").text)
    found = chips(client, "vendor=aws&sort=-memory_gib")
    names = [e.text for e in page.all("th") if e.attributes.get("scope") == "row"]
    assert names == [chip["accelerator"] for chip in found]
    cells = {row.text.split()[0]: row for row in page.all("tr") if row.inside("tbody")}
    assert "quote only" in cells["Trainium3"].text
    checked = [e.attributes["value"] for e in page.all("input") if "checked" in e.attributes]
    assert checked == ["aws"]
    assert client.get(page.link("JSON")).json()["accelerators"] == found
    assert client.get(page.link("CSV")).text.count("\r\n") == len(found) + 1
    (offers,) = [a for a in page.all("a") if a.attributes["href"] == "/prices?accelerator=Trainium2"]
    assert client.get("/prices.json?accelerator=Trainium2").json()["total"] == int(offers.text)


def test_a_page_without_any(client):
    assert "No accelerator matches" in client.get("/accelerators?vendor=nvidia&family=Trainium2").text
