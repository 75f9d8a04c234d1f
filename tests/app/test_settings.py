"""Settings from the environment, and private tables beside the built-in one: joined, or refused whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.tables import built_in, open_table
from pricing.errors import PriceFileError
from tests.app.asking import ACME, DAY, GOOD, problem, refusal, run

HEADING = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour"


@pytest.fixture
def table(tmp_path):
    def write(text, name="own.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def asked(client, more=""):
    answer = client.get(f"/compare.json?unit=output_token&m=H100-SXM:8=1000&provider=acme&as_of={DAY}{more}").json()
    return [(e["instance_type"], e["price_usd_per_hour"]) for e in answer["estimates"]]


def test_defaults_are_private_to_this_machine():
    settings = Settings()
    assert (settings.host, settings.port, settings.prices) == ("127.0.0.1", 8000, ())


def test_settings_come_from_the_environment(monkeypatch, small):
    for name, value in (
        ("PRICES", f"{small}:"), ("HOST", "::1"), ("PORT", "9"), ("MAX_MEASUREMENTS", "1"), ("MAX_OFFERS", "0"),
        ("MAX_QUERY", "150"), ("MAX_BODY", "5"), ("MAX_COMPARE_BODY", "6"),
    ):  # fmt: skip
        monkeypatch.setenv(f"PERDOLLAR_{name}", value)
    settings = Settings()
    assert settings.prices == (Path(small),)
    assert (settings.host, settings.port) == ("::1", 9)
    client = TestClient(create_app())
    assert asked(client) == [("=box, 8", 20.0)]
    assert "2 measurements are more than the 1" in problem(client.get(f"/compare.json?{GOOD}&m=L4=1"))["detail"]
    assert "150 bytes" in problem(client.get("/compare.json?" + "x" * 151), 413)["detail"]
    assert "5 bytes" in problem(client.post("/x.json", content=b"123456"), 413)["detail"]
    assert "6 bytes" in problem(client.post("/api/v1/compare", content=b"1234567"), 413)["detail"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "many"), ("PORT", "65536"), ("PORT", "-1"), ("MAX_QUERY", "0"), ("MAX_BODY", "1.5"),
     ("MAX_MEASUREMENTS", ""), ("MAX_OFFERS", "-1"), ("MAX_COMPARE_BODY", "16MiB"), ("RATE_LIMIT", "fast")],
)  # fmt: skip
def test_a_wrong_setting_is_named_by_its_variable(monkeypatch, name, value):
    variable = f"PERDOLLAR_{name}"
    assert f"the environment variable {variable} is wrong" in refusal("compare", "L4=1", **{variable: value})
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_a_private_table_is_joined_with_the_built_in_one(acme, client):
    assert asked(acme) == [("=box, 8", 20.0)]
    query = "/compare.json?unit=output_token&m=H100-SXM:8=1000&limit=1000"
    private, public = acme.get(query).json(), client.get(query).json()
    assert private["total"] == public["total"] + 1
    assert private["prices"]["rows"] == public["prices"]["rows"] + 2
    assert private["prices"]["sha256"] != public["prices"]["sha256"]
    assert "acme" in acme.get("/").text
    problem(client.get("/compare.json?unit=output_token&m=L4=1&provider=acme"))


def test_tables_of_settings_and_of_the_call_are_both_used(table):
    one = table(f"{HEADING}\nacme,one,H100-SXM,8,10\n", "one.csv")
    two = table(f"{HEADING}\nacme,two,H100-SXM,8,11\n", "two.csv")
    client = TestClient(create_app(Settings(prices=(one,)), [two]))
    assert asked(client) == [("one", 10.0), ("two", 11.0)]


def test_the_same_table_twice_is_one(small):
    rows = len(open_table([small]).columns)
    assert len(open_table([small, small]).columns) == rows == len(built_in().columns) + 2


def test_a_newer_observation_takes_the_place_of_the_built_in_one(table):
    path = table(f"{HEADING},region,observed_on\naws,trn1.32xlarge,Trainium1,16,99,us-east-1,2026-11-01\n")
    client = TestClient(create_app(private=[path]))
    query = "/compare.json?unit=output_token&m=aws/trn1.32xlarge=1&region=us-east-1&purchase=on_demand&as_of="
    prices = {
        day: [e["price_usd_per_hour"] for e in client.get(query + day).json()["estimates"]]
        for day in ("2026-10-31", "2026-11-01")
    }
    assert prices == {"2026-10-31": [21.5], "2026-11-01": [99.0]}


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        ("aws,trn1.32xlarge,Trainium1,16,99,us-east-1,2026-07-20\n", ["own.csv row 1", "the built-in table row "]),
        ("acme,a,L4,1,1,x,2026-01-01\nacme,b,L4,1,1,x,2026-01-01\nacme,a,L4,1,2,x,2026-01-01\n",
         ["own.csv line 2", "own.csv line 4"]),
    ],
)  # fmt: skip
def test_conflicting_observations_are_refused_with_both_places(table, rows, places):
    path = table(f"{HEADING},region,observed_on\n{rows}")
    with pytest.raises(PriceFileError) as refused:
        create_app(private=[path])
    (fault,) = refused.value.faults
    assert all(place in fault.msg for place in places)
    assert "on the same date with different values" in fault.msg


def test_two_private_tables_that_conflict_are_both_named(small, table):
    other = table(ACME.replace(",20,", ",21,"), "other.csv")
    line = refusal("compare", "--unit", "output_token", "L4=1", "--prices", small, "--prices", other)
    assert "acme.csv row 1" in line
    assert "other.csv row 1" in line
    assert "20 and 21 USD/h" in line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{HEADING}\nacme,a,L4,1,1\nacme,b,L4,1,0\n", "own.csv line 3, column price_usd_per_hour: '0' is not a price"),
        (f"{HEADING}\nacme,a,L4,1,-1\n", "line 2, column price_usd_per_hour"),
        (f"{HEADING}\nacme,a,L4,1,nan\n", "line 2, column price_usd_per_hour"),
        (f"{HEADING}\nacme,a,L4,1,\n", "line 2, column price_usd_per_hour"),
        (f'{HEADING}\nacme,a,L4,1,"20,5"\n', "line 2, column price_usd_per_hour: '20,5'"),
        (f"{HEADING}\nacme,a,H1000,1,1\n", "line 2, column accelerator: 'H1000'"),
        (f"{HEADING}\nacme,a,L4,x,1\n", "line 2, column accelerator_count"),
        (f"{HEADING},observed_on\nacme,a,L4,1,1,2999-01-01\n", "line 2, column observed_on"),
        (f"{HEADING}\nacme,a,L4,1\n", "line 2: 4 cells, but the heading has 5"),
        ("provider,price\nacme,1\n", "line 1"),
        (f"{HEADING}\n", "no rows"),
        ("", "is empty"),
    ],
)
def test_a_bad_file_is_refused_whole(table, text, words):
    path = table(text)
    with pytest.raises(PriceFileError, match="own") as refused:
        create_app(private=[path])
    assert words in str(refused.value)
    assert words in refusal("serve", "--port", "0", "--prices", path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PriceFileError, match="can't be read"):
        create_app(private=[tmp_path / "none.csv"])
    with pytest.raises(PriceFileError, match="can't be read"):
        create_app(private=[tmp_path])


def test_private_tables_by_option_and_by_setting_are_the_same(small):
    words = ("compare", "--unit", "output_token", "H100-SXM:8=1000", "--provider", "acme", "--format", "csv")
    by_option, by_setting = run(*words, "--prices", small), run(*words, PERDOLLAR_PRICES=str(small))
    assert by_option.stdout == by_setting.stdout
    assert by_option.stdout.count("acme,") == 1


def test_every_setting_is_in_the_documentation():
    root = Path(__file__).parents[2]
    text = "".join(
        path.read_text(encoding="utf-8") for path in (root / "README.md", *sorted((root / "docs").glob("*.md")))
    )
    missing = [name for name in Settings.model_fields if f"`PERDOLLAR_{name.upper()}`" not in text]
    assert missing == []


def test_the_limits_in_the_documentation_are_those_of_the_settings():
    text = (Path(__file__).parents[2] / "docs" / "access.md").read_text(encoding="utf-8")
    settings = Settings(host="0.0.0.0")  # noqa: S104
    told = dict(re.findall(r"`PERDOLLAR_(MAX_\w+)` \| ([\d,]+) \|", text))
    assert told == {
        name.upper(): f"{getattr(settings, name):,}"
        for name in Settings.model_fields
        if f"`PERDOLLAR_{name.upper()}` |" in text and name.startswith("max_")
    }
    assert len(told) == 11
    rates = re.findall(r"`PERDOLLAR_(\w+)_LIMIT` \| `([\w/]+)` \|", text)
    assert [rate for _, rate in rates] == list(settings.rates.values())
