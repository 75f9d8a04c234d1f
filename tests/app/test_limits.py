"""What is too large is refused with 413, 414, 431 or 422, by length, by count and while it arrives."""

from __future__ import annotations

import orjson
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
    assert body["detail"] == f"The query is longer than 200 bytes; POST it to {POST}."
    assert body["title"] == "Content Too Large"
    assert tight.get(f"/compare.json?{short}{'y' * (200 - len(short))}").status_code == 200
    problem(tight.get(f"/compare?{'y' * 201}"), 413)


def test_a_path_that_is_too_long(client):
    assert client.get("/" + "x" * 2047).status_code == 404
    body = problem(client.get("/" + "x" * 2048), 414)
    assert body["detail"] == "The path is longer than 2,048 bytes."
    # As it comes over the line, where a letter may be nine bytes.
    assert client.get("/" + "%E2%82%AC" * 227).status_code == 404
    problem(client.get("/" + "%E2%82%AC" * 228), 414)


def test_a_query_of_too_many_fields(client):
    most = "&".join([GOOD, *["utm_x=1"] * 3998])
    assert client.get(f"/compare.json?{most}").status_code == 200
    body = problem(client.get(f"/compare.json?{most}&utm_x=1"), 413)
    assert body["detail"] == f"The query has more than 4,000 fields; POST it to {POST}."
    problem(client.get(f"/compare?{'&' * 4000}"), 413)


def headers_of(count, size):
    """Return so many header fields whose lines have so many bytes together."""
    found = [(f"x-{i:02}".encode(), b"") for i in range(count)]
    rest = size - sum(len(name) + 4 for name, _ in found)
    return [*found[:-1], (found[-1][0], b"v" * rest)]


@pytest.mark.parametrize(
    ("count", "size", "refused"),
    [
        (100, 1000, None),
        (101, 1000, "The request has more than 100 header fields."),
        (2, 65536, None),
        (2, 65537, "The header fields are longer than 65,536 bytes together."),
    ],
)
def test_header_fields_that_are_too_many_or_too_long(client, count, size, refused):
    start, body = answered(client.app, "GET", "/healthz", headers=headers_of(count, size))
    assert start["status"] == (431 if refused else 200)
    if refused:
        told = orjson.loads(body["body"])
        assert (told["title"], told["detail"]) == ("Request Header Fields Too Large", refused)
        assert dict(start["headers"])[b"x-content-type-options"] == b"nosniff"


def nested(depth, opening, closing):
    """Return a question with a field that is nested so deep, itself the first level."""
    inner = opening * (depth - 1) + b"1" + closing * (depth - 1)
    return b'{"unit": "output_token", "measurements": ' + inner + b"}"


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":[', b"]}]")])
@pytest.mark.parametrize("path", [POST, "/api/v1/compare/receipt", "/api/v1/fleet"])
def test_json_that_is_nested_too_deep(client, opening, closing, path):
    levels = opening.count(b"[") + opening.count(b"{")
    said = "The body is nested deeper than 32 levels."
    fits = (31 // levels) + 1
    body = problem(client.post(path, content=nested(fits, opening, closing), headers=JSON))
    assert said != body["detail"]
    # Above the limit, above the parser's own, and far above what Python could follow.
    for depth in (fits + 1, 1100, 100_000):
        body = problem(client.post(path, content=nested(depth, opening, closing)[: 16 * MIB], headers=JSON), 422)
        assert body["detail"] == said
        assert body["errors"] == [{"loc": ["body"], "msg": said}]


def test_json_of_too_many_values(client):
    content = b'{"unit":"output_token","measurements":[' + b"1," * (2**20 - 2) + b"1]}"
    assert "measurements are more than the 200" in problem(client.post(POST, content=content, headers=JSON))["detail"]
    body = problem(client.post(POST, content=content.replace(b"1]}", b"1,1]}"), headers=JSON), 413)
    assert body["detail"] == "The body holds more than 1,048,576 values."


def test_forms_of_too_many_files_and_fields(client):
    one = ("file", ("q.csv", b"Vendor,GPU,Count,Price\nFirmus,H100,8,19\n"))
    path = "/api/v1/prices/import"
    assert client.post(path, files=[one] * 20).status_code == 200
    body = problem(client.post(path, files=[one] * 21))
    assert body["detail"] == "the form can't be read: Too many files. Maximum number of files is 20."
    assert client.post(path, files=[one], data={"map": [""] * 50}).status_code == 200
    body = problem(client.post(path, files=[one], data={"map": [""] * 51}))
    assert body["detail"] == "the form can't be read: Too many fields. Maximum number of fields is 50."
    assert client.post(path, files=[one], data={"x": "y" * MIB}).status_code == 200
    body = problem(client.post(path, files=[one], data={"x": "y" * (MIB + 1)}))
    assert body["detail"] == "the form can't be read: Part exceeded maximum size of 1024KB."
    choice = {"to": "en", **{f"x{i}": "" for i in range(4)}}
    assert client.post("/language", data=choice, follow_redirects=False).status_code == 303
    client.cookies.clear()
    body = problem(client.post("/language", data=choice | {"more": ""}, headers={"accept": "*/*"}), 400)
    assert body["detail"] == "Too many fields. Maximum number of fields is 5."
    runs = {f"x{i}": "" for i in range(610)}
    assert "no run is chosen" in client.post("/benchmarks/use", data=runs).text
    body = problem(client.post("/benchmarks/use", data=runs | {"more": ""}), 400)
    assert body["detail"] == "Too many fields. Maximum number of fields is 610."


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
