"""No input, however hostile, gives a 500 or a traceback; every error has one shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.guard import CONTENT_SECURITY_POLICY
from app.main import create_app
from app.settings import Settings
from pricing.browse import PRICE_PARAMETERS
from pricing.parameters import DETAILS, PARAMETERS

GOOD = "unit=output_token&m=H100-SXM:8=5200"
POST = "/api/v1/compare"
HTML = {"accept": "text/html"}


def refused(response, status=422):
    assert response.status_code == status, response.text[:300]
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert list(body) == ["type", "title", "status", "detail", "errors"]
    assert body["status"] == status
    assert body["detail"]
    return body


@pytest.mark.parametrize(
    ("query", "loc", "words"),
    [
        ("m=H100-SXM:8=5200", ["query", "unit"], "unit is missing"),
        ("unit=tokens&m=L4=1", ["query", "unit"], "output_token"),
        ("unit=output_token", ["query", "m"], "a measurement is missing"),
        ("unit=output_token&m=L4=0", ["query", "m", 0], "above 0"),
        ("unit=output_token&m=L4=-5", ["query", "m", 0], "above 0"),
        ("unit=output_token&m=L4=nan", ["query", "m", 0], "not a number"),
        ("unit=output_token&m=L4=inf", ["query", "m", 0], "not a number"),
        ("unit=output_token&m=L4=1e400", ["query", "m", 0], "too large"),
        ("unit=output_token&m=L4=", ["query", "m", 0], "is missing"),
        ("unit=output_token&m=L4=fast", ["query", "m", 0], "not a number"),
        ("unit=output_token&m=L4=5,200", ["query", "m", 0], "two readings"),
        ("unit=output_token&m=L4:0=5", ["query", "m", 0], "whole number from 1"),
        ("unit=output_token&m=L4:1.5=5", ["query", "m", 0], "whole number from 1"),
        ("unit=output_token&m=L4:1000000000000=5", ["query", "m", 0], "whole number from 1"),
        ("unit=output_token&m=H1000:8=5", ["query", "m", 0], "Did you mean"),
        ("unit=output_token&m=A100:8=5", ["query", "m", 0], "A100-40GB or A100-80GB"),
        (f"{GOOD}&utilization=0", ["query", "utilization"], "greater than 0"),
        (f"{GOOD}&utilization=1.01", ["query", "utilization"], "less than or equal to 1"),
        (f"{GOOD}&utilization=50", ["query", "utilization"], "less than or equal to 1"),
        (f"{GOOD}&limit=0", ["query", "limit"], "from 1 to 1,000"),
        (f"{GOOD}&limit=-1", ["query", "limit"], "from 1 to 1,000"),
        (f"{GOOD}&limit=1001", ["query", "limit"], "from 1 to 1,000"),
        (f"{GOOD}&provider=asw", ["query", "provider", 0], "Did you mean aws"),
        (f"{GOOD}&purchase=ondemand", ["query", "purchase", 0], "on_demand"),
        (f"{GOOD}&sort=cost", ["query", "sort"], "Did you mean cost_usd"),
        (f"{GOOD}&providr=aws", ["query", "providr"], "Did you mean provider"),
        (f"{GOOD}&baseline=nobody", ["query", "baseline"], "neither a measurement's label"),
        (f"{GOOD}&as_of=2999-01-01", ["query", "as_of"], "after today"),
        (f"{GOOD}&quote=acme", ["query", "quote", 0], "is not a quote"),
        (f"{GOOD}&m=a%00b@L4=1", ["query", "m"], "control character"),
    ],
)
def test_bad_queries(client, query, loc, words):
    body = refused(client.get(f"/compare.json?{query}"))
    assert [e["loc"] for e in body["errors"]] == [loc]
    assert words in body["errors"][0]["msg"]
    refused(client.get(f"/compare.csv?{query}"))
    page = client.get(f"/compare?{query}", headers=HTML)
    assert page.status_code == 422
    assert "Not yet an answer" in page.text


def test_a_rate_of_another_kind_is_left_out_never_converted(client):
    answer = client.get("/compare.json?unit=output_token&m=L4=in:100").json()
    assert answer["total"] == 0
    assert [(e["reason"], e["count"]) for e in answer["excluded"]] == [("no_rate_for_unit", 1)]
    assert {w["code"] for w in answer["warnings"]} >= {"no_estimates", "no_baseline"}


def test_what_is_accepted_though_it_looks_odd(client):
    assert client.get(f"/compare.json?{GOOD}&utilization=50%25").json()["estimates"][0]["utilization"] == 0.5
    assert client.get(f"/compare.json?{GOOD}&utm_source=x&provider=&region=").status_code == 200
    beyond = client.get(f"/compare.json?{GOOD}&offset=100000").json()
    assert beyond["estimates"] == []
    assert "offset_beyond_end" in {w["code"] for w in beyond["warnings"]}


@pytest.mark.parametrize(
    ("content", "kind", "status", "words"),
    [
        (b"", "application/json", 422, "not JSON"),
        (b'{"unit":', "application/json", 422, "not JSON"),
        (b"[]", "application/json", 422, "must be a JSON object"),
        (b"[" * 100_000, "application/json", 422, "not JSON"),
        (b'{"unit":"\\ud800"}', "application/json", 422, "not JSON"),
        (b'{"unit":"output_token","measurements":[],"x":NaN}', "application/json", 422, "not JSON"),
        (b"\xff\xfe", "application/json", 422, "not JSON"),
        (b"{}", "application/json", 422, "is missing"),
        (b"{}", "text/plain", 415, "application/json"),
        (b"unit=x", "application/x-www-form-urlencoded", 415, "application/json"),
    ],
)
def test_bad_bodies(client, content, kind, status, words):
    response = client.post(POST, content=content, headers={"content-type": kind})
    assert words in refused(response, status)["detail"]


def test_limits_have_clear_messages():
    limited = TestClient(
        create_app(Settings(max_measurements=2, max_offers=1, max_body=10, max_compare_body=2000, max_query=200))
    )
    one = {"accelerator": "L4", "accelerator_count": 1, "rates": {"output_tokens_per_second": 1}}
    offer = {
        "provider": "a",
        "instance_type": "b",
        "accelerator": "L4",
        "accelerator_count": 1,
        "price_usd_per_hour": 1,
    }
    body = refused(limited.post(POST, json={"unit": "output_token", "measurements": [one] * 3}))
    assert "3 measurements are more than the 2" in body["detail"]
    body = refused(limited.post(POST, json={"unit": "output_token", "measurements": [one], "offers": [offer] * 2}))
    assert "2 offers are more than the 1" in body["detail"]
    assert "2,000 bytes" in refused(limited.post(POST, content=b"x" * 2001), 413)["detail"]

    def chunks():
        yield from [b" " * 1000] * 3

    assert (
        "2,000 bytes"
        in refused(limited.post(POST, content=chunks(), headers={"content-type": "application/json"}), 413)["detail"]
    )
    assert "200 bytes" in refused(limited.get(f"/compare.json?{GOOD}&utm_x={'y' * 200}"), 413)["detail"]


def test_a_link_of_many_measurements_is_refused(client):
    body = refused(client.get("/compare.json?unit=output_token&" + "&".join(["m=L4=1"] * 201)))
    assert "201 measurements are more than the 200" in body["detail"]


def test_addresses_and_methods(client):
    refused(client.get("/nothing.json"), 404)
    assert "text/html" in client.get("/nothing", headers=HTML).headers["content-type"]
    refused(client.post("/compare.json"), 405)
    refused(client.get(POST), 405)
    refused(client.put("/", headers={"accept": "*/*"}), 405)
    assert client.head("/compare.json?" + GOOD).status_code == 200
    assert client.head("/compare.json?" + GOOD).content == b""


@pytest.mark.parametrize(
    "address", ["/", "/prices", "/accelerators", "/method", "/docs", "/healthz", "/nothing", "/static/perdollar.css",
                f"/compare.json?{GOOD}", f"/compare.csv?{GOOD}", "/compare.json?unit=x", "/openapi.json"],
)  # fmt: skip
def test_security_headers_are_on_every_answer(client, address):
    headers = client.get(address).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert headers["content-security-policy"].startswith("default-src 'self'; img-src 'self' data:; object-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_the_page_keeps_what_was_typed_with_the_message_at_its_field(client):
    query = "unit=output_token&m=good@L4=5&m=H100-SXM:8=5,2&m2.model=Llama&utilization=2"
    page = client.get(f"/compare?{query}", headers=HTML).text
    assert 'value="H100-SXM:8=5,2"' in page
    assert 'value="good@L4=5"' in page
    assert 'value="Llama"' in page
    field = re.search(r'<input id="m-1"[^>]*>', page)[0]
    assert 'aria-invalid="true"' in field
    assert "two readings" in re.search(r'id="m-1-problem"[^>]*>([^<]*)<', page)[1]
    assert "less than or equal to 1" in re.search(r'id="utilization-problem"[^>]*>([^<]*)<', page)[1]
    assert "aria-invalid" not in re.search(r'<input id="m-0"[^>]*>', page)[0]


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x>', "'; --", "😀", "\u202eabc", "=HYPERLINK(1)"]
)
def test_names_are_shown_as_text(client, text):
    page = client.get("/compare", params={"unit": "output_token", "m": f"{text}@L4=5", "quote": "a/<b>@L4:1=0.01"}).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<b>" not in page
    assert "a &lt;b&gt;" in page


names = st.sampled_from((*PARAMETERS, *PRICE_PARAMETERS, *(f"m1.{d}" for d in DETAILS), "x")) | st.text(max_size=8)
values = st.text(max_size=30) | st.sampled_from(
    ("H100-SXM:8=5200", "L4=1", "output_token", "aws", "1", "2026-01-01", "spot")
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(names, values), max_size=8),
    st.sampled_from(("/compare.json", "/compare", "/prices.json", "/prices", "/accelerators.json", "/compare.csv")),
)
def test_no_query_breaks_the_server(client, pairs, path):
    try:
        response = client.get(path, params=[("unit", "output_token"), ("m", "L4=1"), *pairs])
    except UnicodeEncodeError:
        return
    assert response.status_code in (200, 404, 413, 422)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    ("unit", "measurements", "utilization", "filters", "offers", "quotes", "baseline", "sort", "limit", "as_of")
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(fields, json_values, max_size=4))
def test_no_body_breaks_the_server(client, changed):
    good = {"unit": "output_token", "measurements": [{"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}]}
    try:
        response = client.post(POST, json=good | changed)
    except (UnicodeEncodeError, ValueError):
        return
    assert response.status_code in (200, 422)
