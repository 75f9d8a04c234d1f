"""What is too large is refused with 413 or 422, by length, by count and while it arrives."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.app.asking import GOOD, POST, answered, problem

JSON = {"content-type": "application/json"}
MIB = 1024 * 1024
ONE = {"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}
OFFER = {
    "provider": "own",
    "instance_type": "rack",
    "accelerator": "L4",
    "accelerator_count": 1,
    "price_usd_per_hour": 1,
}


@pytest.fixture(scope="module")
def tight():
    return TestClient(
        create_app(Settings(max_measurements=2, max_offers=1, max_body=10, max_compare_body=2000, max_query=200))
    )


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b"x" * 2001, {}),
        (b"x", {"content-length": "2001"}),
        (b"x", {"content-length": "-1"}),
        (b"x", {"content-length": "many"}),
        (b"x", {"content-length": "9" * 400}),
        (b"x" * 2001, {"expect": "100-continue"}),
    ],
    ids=["long", "announced", "negative", "no number", "huge number", "expect"],
)
def test_a_body_that_is_too_large(tight, content, headers):
    answer = tight.post(POST, content=content, headers=JSON | headers)
    assert "2,000 bytes" in problem(answer, 413)["detail"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("size", [1, 700, 1999])
def test_a_body_without_a_length_is_refused_while_it_arrives(tight, size):
    parts = [(b" " * size, True)] * (2000 // size + 1) + [(b"rest", True), (b"", False)]
    start, body = answered(tight.app, "POST", POST, parts, [(b"content-type", b"application/json")])
    assert start["status"] == 413
    assert dict(start["headers"])[b"content-type"] == b"application/problem+json"
    assert b"2,000 bytes" in body["body"]


@pytest.mark.parametrize("size", [1, 1000])
def test_a_body_without_a_length_may_be_as_long_as_the_limit(tight, size):
    parts = [(b" " * size, True)] * (2000 // size) + [(b"", False)]
    start, body = answered(tight.app, "POST", POST, parts, [(b"content-type", b"application/json")])
    assert start["status"] == 422
    assert b"not JSON" in body["body"]


def test_a_body_of_just_the_limit_is_read(tight):
    assert "not JSON" in problem(tight.post(POST, content=b"x" * 2000, headers=JSON), 422)["detail"]


def test_other_addresses_take_smaller_bodies(tight):
    assert "10 bytes" in problem(tight.post("/compare", content=b"x" * 11), 413)["detail"]
    assert tight.request("GET", "/compare.json", content=b"x" * 11).status_code == 413
    assert tight.post("/compare", content=b"x" * 10).status_code == 405


def test_a_query_that_is_too_long(tight):
    short = f"{GOOD}&utm_x="
    body = problem(tight.get(f"/compare.json?{short}{'y' * (201 - len(short))}"), 413)
    assert "200 bytes" in body["detail"]
    assert POST in body["detail"]
    assert tight.get(f"/compare.json?{short}{'y' * (200 - len(short))}").status_code == 200
    problem(tight.get(f"/compare?{'y' * 201}"), 413)


def test_counts_of_a_question(tight):
    question = {"unit": "output_token", "measurements": [ONE]}
    body = problem(tight.post(POST, json=question | {"measurements": [ONE] * 3}))
    assert body["errors"] == [
        {"loc": ["body", "measurements"], "msg": "3 measurements are more than the 2 that one question may hold"}
    ]
    body = problem(tight.post(POST, json=question | {"offers": [OFFER] * 2}))
    assert body["errors"] == [
        {"loc": ["body", "offers"], "msg": "2 offers are more than the 1 that one question may hold"}
    ]
    body = problem(tight.get("/compare.json?unit=output_token&m=L4=1&m=L4=1&m=L4=1"))
    assert body["errors"][0]["loc"] == ["query", "m"]
    assert tight.post(POST, json=question | {"measurements": [ONE] * 2, "offers": [OFFER]}).status_code == 200


def test_the_limits_of_the_contract(client):
    settings = Settings()
    assert (settings.max_compare_body, settings.max_body) == (16 * MIB, MIB)
    assert (settings.max_measurements, settings.max_offers) == (200, 20_000)
    announced = JSON | {"content-length": str(16 * MIB + 1)}
    assert "16,777,216 bytes" in problem(client.post(POST, content=b"{}", headers=announced), 413)["detail"]
    assert "1,048,576 bytes" in problem(client.post("/prices", content=b" " * (MIB + 1)), 413)["detail"]


def test_two_hundred_measurements_are_taken_and_one_more_is_not(client):
    link = "/compare.json?unit=output_token&limit=1" + "&m=L4=1" * 200
    assert client.get(link).status_code == 200
    assert "201 measurements are more than the 200" in problem(client.get(f"{link}&m=L4=1"))["detail"]
    body = {"unit": "output_token", "measurements": [ONE] * 200, "limit": 1}
    assert client.post(POST, json=body).status_code == 200
    body["measurements"].append(ONE)
    assert "201 measurements are more than the 200" in problem(client.post(POST, json=body))["detail"]


def test_a_million_measurements(client):
    content = b'{"unit":"output_token","measurements":[' + b"1," * 999_999 + b"1]}"
    body = problem(client.post(POST, content=content, headers=JSON))
    assert "1,000,000 measurements are more than the 200" in body["detail"]


def test_twenty_thousand_offers_are_taken_and_one_more_is_not(client):
    offers = [OFFER | {"instance_type": f"rack {i}"} for i in range(20_000)]
    question = {"unit": "output_token", "measurements": [ONE], "limit": 1, "baseline": "own/rack 19999"}
    answer = client.post(POST, json=question | {"offers": offers})
    assert answer.status_code == 200
    assert answer.json()["baseline"]["name"] == "own/rack 19999/global/on_demand"
    body = problem(client.post(POST, json=question | {"offers": [*offers, OFFER]}))
    assert "20,001 offers are more than the 20,000" in body["detail"]


def test_faults_of_many_offers_are_told_up_to_a_number(client):
    offers = [OFFER | {"price_usd_per_hour": 0}] * 5000
    body = problem(client.post(POST, json={"unit": "output_token", "measurements": [ONE], "offers": offers}))
    assert len(body["errors"]) == 20
    assert body["errors"][19]["loc"] == ["body", "offers", 19, "price_usd_per_hour"]
