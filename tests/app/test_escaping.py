"""Whatever stands in names, notes and links is shown as text, and pages load and run nothing but their own files."""

from __future__ import annotations

import csv
import io
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from tests.app.asking import DAY, GOOD, HTML, Page

TAG = "<script>alert(1)</script>"
BREAK = "\"'><img src=x onerror=alert(1)>&amp;"
PAGES = (
    "/", "/compare", "/prices", "/accelerators", "/method", "/docs", "/nothing", "/compare?unit=x",
    "/prices?provider=asw", "/accelerators?vendor=x", f"/compare?{GOOD}&m=L4=5~3%25&limit=100", "/prices?history=1",
)  # fmt: skip


def refuse_foreign_elements(page):
    """Check that a page runs its own two scripts alone and has no attribute that could run or style anything."""
    assert [e.attributes.get("src") for e in page.all("script")] in ([], OWN_SCRIPTS)
    assert [e for e in page.elements if e.tag in ("img", "b", "style", "iframe", "object", "embed", "base")] == []
    assert [name for e in page.elements for name in e.attributes if name == "style" or name.startswith("on")] == []
    assert [e.text for e in page.all("script") if e.text] == []


OWN_SCRIPTS = ["/static/vendor/htmx.min.js", "/static/perdollar.js"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(
        ["provider", "instance_type", "region", "accelerator", "accelerator_count", "purchase", "term_months",
         "price_usd_per_hour", "observed_on", "evidence", "source", "notes", "plan"]
    )  # fmt: skip
    for i, text in enumerate((TAG, BREAK)):
        rest = ["H100-SXM", 8, "reserved", 12, 20 + i, "2026-11-01", "survey", f"source {text}", f"notes {text}"]
        writer.writerow(["acme", f"type {text}", f"region {text}", *rest, text])
    path = tmp_path_factory.mktemp("prices") / "hostile.csv"
    path.write_text(file.getvalue(), encoding="utf-8")
    return TestClient(create_app(private=[path]))


@pytest.mark.parametrize("headers", [HTML, HTML | {"hx-request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize("text", [TAG, BREAK])
def test_a_private_tables_cells_are_shown_as_text(hostile, text, headers):
    params = {"unit": "output_token", "m": "H100-SXM:8=5", "provider": "acme", "as_of": DAY}
    page = Page(hostile.get("/compare", params=params, headers=headers).text)
    refuse_foreign_elements(page)
    (row,) = [row for row in page.rows() if f"type {text}" in row["provider"].text]
    assert f"region {text}" in row["provider"].text
    assert f"source {text} (notes {text})" in row["price_observed_on"].text
    titles = [e.attributes["title"] for e in page.elements if e.attributes.get("class") == "dot"]
    assert [title for title in titles if f"type {text}" in title]

    page = Page(hostile.get("/prices?provider=acme", headers=headers).text)
    refuse_foreign_elements(page)
    (row,) = [row for row in page.rows() if f"type {text}" in row["instance_type"].text]
    assert row["region"].text == f"region {text}"
    assert row["source"].text == f"source {text}notes {text}"
    (history,) = [
        a.attributes["href"] for a in page.all("a") if a.text == "history" and row["instance_type"] in a.around
    ]
    assert f"type {text}" in Page(hostile.get(history).text).rows()[0]["instance_type"].text


@pytest.mark.parametrize("text", [TAG, BREAK.replace("=", ""), "'; --", "😀", "\u202eabc", "=HYPERLINK(1)", "{{7*7}}"])
def test_labels_and_details_are_shown_as_text(client, text):
    params = {
        "unit": "output_token", "m": [f"{text}@L4=5", "L4=6"], "m1.model": text, "m1.source": text, "m2.model": "x",
        "quote": "a/<b>@L4:1=0.01", "as_of": DAY, "accept": "model",
    }  # fmt: skip
    answer = client.get("/compare", params=params)
    assert answer.status_code == 200
    page = Page(answer.text)
    refuse_foreign_elements(page)
    assert [e for e in page.all("input") if e.attributes.get("value") == f"{text}@L4=5"]
    assert [e for e in page.all("input") if e.attributes["name"] == "m1.model" and e.attributes["value"] == text]
    assert f"{text}: measured, {text}. Source: {text}." in [li.text for li in page.all("li")]
    key = [li.text for li in page.all("li") if li.around[-1].attributes.get("class") == "key"]
    assert key[0] == text
    assert any("a <b>" in row["provider"].text for row in page.rows())
    assert any(text in p.text for p in page.all("p") if p.attributes.get("class") == "note")


@pytest.mark.parametrize("text", [TAG, BREAK, "😀", "{{7*7}}", "%s%n"])
@pytest.mark.parametrize(
    "address",
    [
        "/compare?unit={}&m=L4=5", f"/compare?{GOOD}&{{}}=1", f"/compare?{GOOD}&m={{}}", f"/compare?{GOOD}&sort={{}}",
        f"/compare?{GOOD}&provider={{}}", f"/compare?{GOOD}&quote={{}}", f"/compare?{GOOD}&baseline={{}}",
        f"/compare?{GOOD}&as_of={{}}", "/prices?provider={}", "/prices?{}=1", "/prices?sort={}",
        "/accelerators?vendor={}", "/accelerators?{}=1",
    ],
)  # fmt: skip
def test_mistakes_are_repeated_as_text(client, address, text):
    for headers in (HTML, HTML | {"hx-request": "true"}):
        answer = client.get(address.format(quote(text, safe="")), headers=headers)
        assert answer.status_code == 422
        page = Page(answer.text)
        refuse_foreign_elements(page)
        assert [e for e in page.elements if "data-problems" in e.attributes]


@pytest.mark.parametrize("headers", [{}, {"host": '"><script>alert(1)</script>'}, {"host": "["}])
@pytest.mark.parametrize("address", ["/docs", f"/{quote(TAG)}", "/nothing"])
def test_paths_and_hosts_run_nothing(client, address, headers):
    answer = client.get(address, headers=HTML | headers)
    assert answer.status_code in (200, 404)
    refuse_foreign_elements(Page(answer.text))


@pytest.mark.parametrize("address", PAGES)
def test_pages_load_their_own_files_alone(client, address):
    page = Page(client.get(address, headers=HTML).text)
    refuse_foreign_elements(page)
    loaded = [
        e.attributes[name]
        for e in page.elements
        for name in ("src", "srcset", "data", "poster")
        if name in e.attributes
    ]
    loaded += [e.attributes["href"] for e in page.all("link")]
    assert len(loaded) == 5
    for path in loaded:
        assert path.startswith("/static/")
        assert client.get(path).status_code == 200
    actions = [e.attributes[name] for e in page.elements for name in ("action", "hx-get") if name in e.attributes]
    assert all(action.startswith("/") and not action.startswith("//") for action in actions)
    links = [e.attributes["href"] for e in page.all("a")]
    assert all(link.startswith(("/", "#", "https://")) for link in links)


@pytest.mark.parametrize("path", ["perdollar.css", "vendor/pico.min.css"])
def test_style_sheets_load_nothing_from_elsewhere(client, path):
    text = client.get(f"/static/{path}").text
    assert "@import" not in text
    assert "url(http" not in text.replace(" ", "").replace('"', "").replace("'", "")
    assert "url(//" not in text.replace(" ", "").replace('"', "").replace("'", "")


@pytest.mark.parametrize("address", PAGES)
def test_ids_stand_once_and_labels_point_at_fields(client, address):
    page = Page(client.get(address, headers=HTML).text)
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert sorted(ids) == sorted(set(ids))
    assert {e.attributes["for"] for e in page.all("label") if "for" in e.attributes} <= set(ids)
    described = [e.attributes["aria-describedby"].split() for e in page.elements if "aria-describedby" in e.attributes]
    assert {name for names in described for name in names} <= set(ids)
