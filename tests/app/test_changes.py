"""The page of changes: between two dates of the table in use, and by an uploaded table."""

from __future__ import annotations

import csv
import io

import pytest
from starlette.testclient import TestClient

from app.main import create_app

HEAD = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on,availability\n"
LOG = (
    "acme,one,H100-SXM,8,10,2026-10-01,\n"
    "acme,one,H100-SXM,8,12,2026-11-01,\n"
    "acme,two,H100-SXM,8,20,2026-10-01,\n"
    "acme,two,H100-SXM,8,5,2026-11-02,\n"
    "acme,gone,H100-SXM,8,9,2026-10-01,\n"
    "acme,gone,H100-SXM,8,,2026-11-03,withdrawn\n"
    "acme,new,H100-SXM,8,7,2026-11-04,\n"
    "acme,same,H100-SXM,8,7,2026-10-01,\n"
)


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "acme.csv"
    path.write_text(HEAD + LOG)
    return TestClient(create_app(private=[path]))


ASKED = {"since": "2026-10-15", "as_of": "2026-11-20", "provider": "acme"}


def test_between_two_dates(acme):
    found = acme.get("/prices/changes.json", params=ASKED).json()
    # ln 4 is more than ln 1.2: what fell to a quarter comes first.
    assert [(c["kind"], c["instance_type"], c["ratio"]) for c in found["changes"]] == [
        ("cheaper", "two", 0.25), ("dearer", "one", 1.2), ("gone", "gone", None), ("new", "new", None)
    ]  # fmt: skip
    assert found["providers"] == [
        {"provider": "acme", "old": 4, "new": 4, "added": 1, "gone": 1, "dearer": 1, "cheaper": 1}
    ]


def test_pages_and_forms_agree(acme):
    second = acme.get("/prices/changes.json", params=ASKED | {"limit": 1, "offset": 1}).json()
    assert (second["total"], [c["instance_type"] for c in second["changes"]]) == (4, ["one"])
    rows = list(csv.DictReader(io.StringIO(acme.get("/prices/changes.csv", params=ASKED).text)))
    assert [row["instance_type"] for row in rows] == ["two", "one", "gone", "new"]
    assert rows[1]["old_usd_per_hour"] == "10.0"
    page = acme.get("/prices/changes", params=ASKED | {"limit": 2}).text
    assert "From 2026-10-15 to 2026-11-20: 4 changes" in page
    assert "offset=2" in page
    only = acme.get("/prices/changes.json", params=ASKED | {"kind": "gone"}).json()
    assert [c["instance_type"] for c in only["changes"]] == ["gone"]


def test_nothing_changed(acme):
    found = acme.get("/prices/changes.json", params={"since": "2026-11-09", "as_of": "2026-11-09"}).json()
    assert found["total"] == 0
    assert "0 changes" in acme.get("/prices/changes", params={"since": "2026-11-09", "as_of": "2026-11-09"}).text


def test_what_an_upload_would_change(acme):
    text = HEAD + "acme,one,H100-SXM,8,11,2026-11-20,\nacme,other,H100-SXM,8,3,2026-11-20,\n"
    name = acme.post("/api/v1/prices/import", files={"file": ("own.csv", text.encode())}).json()["table"]
    found = acme.get("/prices/changes.json", params={"table": name}).json()
    assert [(c["kind"], c["instance_type"]) for c in found["changes"]] == [
        ("cheaper", "one"), ("gone", "new"), ("gone", "same"), ("gone", "two"), ("new", "other")
    ]  # fmt: skip
    assert [p["provider"] for p in found["providers"]] == ["acme"]
    assert "to your upload" in acme.get("/prices/changes", params={"table": name}).text


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("since", "2026-13-01", "2026-13-01"), ("as_of", "2999-01-01", "after today"), ("provider", "acne", "acme"),
        ("kind", "dear", "dearer"), ("limit", "0", "0"), ("sinse", "2026-01-01", "since"), ("table", "x", "upload"),
        ("since", "2026-11-25", "2026-11-20"),
    ],
)  # fmt: skip
def test_what_cant_be_right(acme, name, value, message):
    refused = acme.get("/prices/changes.json", params=ASKED | {name: value})
    assert refused.status_code == 422
    assert [each["loc"] for each in refused.json()["errors"]] == [["query", name]]
    assert message in refused.json()["errors"][0]["msg"]
    page = acme.get("/prices/changes", params=ASKED | {name: value})
    assert page.status_code == 422
