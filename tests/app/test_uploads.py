"""Uploads of price files: a preview with what was left out, then the table to download."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import date

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from pricing.accelerators import catalogue
from pricing.sources.own_schema import read_csv

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
        ({"file": ("a.csv", b"")}, {}, "choose a file"),
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
