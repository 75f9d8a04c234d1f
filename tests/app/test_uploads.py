"""Uploads of price files: a preview with what was left out, then the table to download."""

from __future__ import annotations

import gc
import io
import json
import re
import weakref
import zipfile
import zlib
from datetime import date
from functools import partial
from threading import get_ident

import pytest
from starlette.testclient import TestClient

import app.shelf
from app.main import create_app
from app.settings import Settings
from app.shelf import Folder, Memory, Shelf
from app.tables import built_in
from app.uploads import FEW_BYTES, Part, worked_on
from pricing.accelerators import catalogue
from pricing.sources.own_schema import read_csv
from tests.app.asking import finished
from tests.pricing import small

PLAN = {"id": "vbm-64c-8-h100-gpu", "cpu_threads": 64, "ram": 1048576, "hourly_cost": 20.0, "locations": ["ord"]}
PLANS = json.dumps({"plans_metal": [PLAN, PLAN | {"id": "vbm-4c"}]}).encode()
QUOTES = b"Vendor,GPU,Count,Price\nFirmus,H100,8,19\n"


def test_preview_and_download(client):
    page = client.post("/prices/import", files=[("file", ("plans.json", PLANS)), ("file", ("q<b>.csv", QUOTES))])
    assert page.status_code == 200
    assert "2 rows read, 1 offers" in page.text
    assert "Left out: 1 are other products than instances" in page.text
    assert "q&lt;b&gt;.csv" in page.text
    link = re.search(r'href="(/prices/import/[0-9a-f]+\.csv)"', page.text)[1]
    table = client.get(link)
    assert table.headers["content-type"].startswith("text/csv")
    assert read_csv(table.content, "t.csv", catalogue(), date.today()).columns.price.tolist() == [20.0, 19.0]
    assert client.get("/prices/import/" + "0" * 32 + ".csv").status_code == 404


def test_the_same_as_json(client):
    answer = client.post("/api/v1/prices/import", files={"file": ("plans.json", PLANS)}).json()
    assert [(o["provider"], o["price_usd_per_hour"]) for o in answer["offers"]] == [("vultr", 20.0)]
    assert answer["files"][0]["left_out"] == [{"reason": "other_product", "count": 1, "example": "vbm-4c"}]


def test_a_zip_and_a_file_that_can_not_be_read(client):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../plans.json", PLANS)
    files = [("file", ("all.zip", out.getvalue())), ("file", ("page.html", b"<html></html>"))]
    answer = client.post("/api/v1/prices/import", files=files).json()
    assert [each["file"] for each in answer["files"]] == ["plans.json"]
    assert "in no format that is known" in answer["failed"][0]["msg"]


@pytest.mark.parametrize(
    ("files", "data", "words"),
    [
        ({"file": ("a.csv", b"<html>")}, {}, "in no format that is known"),
        ({"file": ("a.csv", b"")}, {}, "choose a file that is not empty"),
        ({"file": ("a.csv", b"Vendor,Thing,Price\nx,L4,1\n")}, {}, "--map accelerator="),
        ({"file": ("a.csv", QUOTES)}, {"map": "gpu"}, "COLUMN=HEADING"),
        ({"file": ("a.csv", QUOTES)}, {"decimal": ";"}, "is not a decimal sign"),
        ({"file": ("a.csv", b"Vendor,GPU,Price\nx,ZX81,1\n")}, {}, "no offer is left"),
        ({"file": ("a.csv", b"Vendor,GPU,Count,Price\nx,L4,1,1\nx,L4,1,1\n")}, {}, None),
    ],
)
def test_what_is_refused(client, files, data, words):
    answer = client.post("/api/v1/prices/import", files=files, data=data)
    page = client.post("/prices/import", files=files, data=data)
    if words is None:
        assert (answer.status_code, page.status_code) == (200, 200)
        return
    assert (answer.status_code, page.status_code) == (422, 422)
    assert words in answer.json()["detail"]
    assert "Not yet an answer" in page.text


def test_other_bodies_and_sizes(client):
    assert client.post("/api/v1/prices/import", json={}).status_code == 415
    broken = client.post(
        "/api/v1/prices/import", content=b"x", headers={"content-type": "multipart/form-data; boundary=y"}
    )
    assert broken.status_code == 422
    small = TestClient(create_app(Settings(max_upload=1000)))
    assert small.post("/prices/import", files={"file": ("a.csv", b"x" * 2000)}).status_code == 413


def test_an_uploaded_table_is_asked_beside_the_one_in_use(client):
    text = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\nacme,box,H100-SXM,8,1.5\n"
    answer = client.post("/api/v1/prices/import", files={"file": ("own.csv", text.encode())}).json()
    name = answer["table"]
    asked = {"unit": "output_token", "m": "H100-SXM:8=1000", "limit": "1"}
    first = client.get("/compare.json", params=asked | {"table": name}).json()["estimates"][0]
    assert (first["provider"], first["price_usd_per_hour"]) == ("acme", 1.5)
    assert first["cost_usd"] == pytest.approx(1.5 / 3.6)
    assert client.get("/compare.json", params=asked).json()["estimates"][0]["provider"] != "acme"
    posted = {"unit": "output_token", "table": name, "measurements": [
        {"hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 1000}}]}  # fmt: skip
    assert client.post("/api/v1/compare", json=posted).json()["estimates"][0]["provider"] == "acme"
    assert client.get("/prices.json", params={"table": name, "provider": "acme"}).json()["total"] == 1
    page = client.get("/compare", params=asked | {"table": name}).text
    assert f'name="table" value="{name}"' in page
    assert f"table={name}" in page.partition("compare.csv")[2][:500]
    assert "acme" in client.get("/", params={"table": name}).text


def test_an_uploaded_table_that_is_gone(client):
    asked = {"unit": "output_token", "m": "H100-SXM:8=1000", "table": "0" * 32}
    for path in ("/compare.json", "/compare.csv", "/prices.json"):
        params = asked if "compare" in path else {"table": asked["table"]}
        refused = client.get(path, params=params)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["loc"] == ["query", "table"]
        assert "upload its files again" in refused.text
    page = client.get("/compare", params=asked)
    assert page.status_code == 422
    assert "upload its files again" in page.text
    assert client.get("/prices", params={"table": asked["table"]}).status_code == 422


@pytest.fixture(params=["memory", "folder"])
def shelf_of(request, tmp_path):
    """Return what puts a table with each price on a shelf, alone or shared; their names are the prices."""
    return partial(filled, Shelf(Folder(tmp_path) if request.param == "folder" else Memory()))


def filled(shelf, *prices):
    for price in prices:
        table = small.table(small.offer(price))
        shelf.put(str(price), small.csv_of(small.offer(price)).decode(), table)
    return shelf


def test_the_shelf_lets_the_oldest_go(shelf_of, monkeypatch):
    size = len(zlib.compress(small.csv_of(small.offer(1)), level=1))
    monkeypatch.setattr(app.shelf, "MOST_BYTES", 2 * size + 2)
    shelf = shelf_of(1, 2, 3)
    assert [shelf.text(name) is None for name in "123"] == [True, False, False]
    assert [shelf.table(name) is None for name in "123"] == [True, False, False]
    assert shelf.over("1", built_in()) is None
    # What is asked of is not the oldest; what is put again takes no more room.
    shelf.table("2")
    for _ in range(3):
        shelf.put("2", shelf.text("2"), shelf.table("2"))
    shelf.put("4", shelf.text("2"), shelf.table("2"))
    assert [shelf.text(name) is None for name in "234"] == [False, True, False]


def test_a_table_larger_than_the_shelf_is_kept_until_the_next(shelf_of, monkeypatch):
    monkeypatch.setattr(app.shelf, "MOST_BYTES", 10)
    shelf = shelf_of(1, 2)
    assert shelf.text("1") is None
    assert shelf.table("2").columns.price.tolist() == [2]


def test_any_number_of_uploads_keeps_few_tables_in_memory_and_answers_for_all(shelf_of):
    prices = range(1, 31)
    shelf, table = shelf_of(*prices), built_in()
    own = [shelf.table(str(price)).columns.price.tolist() for price in prices]
    assert own == [[price] for price in prices]
    joined = [shelf.over(str(price), table) for price in prices]
    assert [len(each.columns) for each in joined] == [len(table.columns) + 1] * 30
    prices_of_acme = [each.columns.price[each.columns.words["provider"].mask(["acme"])].tolist() for each in joined]
    assert prices_of_acme == own
    seen = [weakref.ref(each.columns) for each in joined]
    del joined
    gc.collect()
    assert sum(ref() is not None for ref in seen) == Shelf.MOST_TABLES
    # The last is not joined anew for each question, nor is one of before a refresh taken for it.
    assert shelf.over("30", table) is shelf.over("30", table)
    newer = small.table(small.offer(7, provider="bolt"))
    assert len(shelf.over("30", newer).columns) == 2


def test_a_damaged_file_of_the_shared_shelf_is_a_table_that_is_gone(tmp_path):
    shelf = filled(Shelf(Folder(tmp_path)), 1)
    other = Shelf(Folder(tmp_path))
    assert other.table("1").columns.price.tolist() == [1]
    (tmp_path / "1").write_bytes(b"no table")
    assert Shelf(Folder(tmp_path)).table("1") is None
    assert shelf.text("1") is None
    (tmp_path / "1").unlink()
    assert shelf.table("1") is None
    assert other.over("1", built_in()) is None


@pytest.mark.parametrize(
    ("data", "beside"),
    [(b"a,b\n", False), (b"x" * FEW_BYTES, False), (b"x" * (FEW_BYTES + 1), True), (b"PK\x03\x04", True),
     (b"\x1f\x8b\x08", True)],
)  # fmt: skip
def test_large_and_packed_uploads_are_worked_on_beside_the_event_loop(data, beside):
    async def run():
        part = Part("a.csv", data, ())
        return await worked_on([part], get_ident) != get_ident()

    assert finished(run()) is beside
