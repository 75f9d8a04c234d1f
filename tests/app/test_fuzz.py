"""No input, however hostile, breaks the server or the command line. The cases are the same on every run."""

from __future__ import annotations

import contextlib
import io
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli import main
from pricing.browse import PRICE_PARAMETERS
from pricing.chips import CHIP_PARAMETERS
from pricing.parameters import DETAILS, PARAMETERS
from tests.app.asking import POST, Page

REPEATABLE = settings(
    max_examples=200, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
ADDRESSES = ("/compare.json", "/compare", "/compare.csv", "/prices.json", "/prices", "/prices.csv",
             "/accelerators.json", "/accelerators", "/accelerators.csv")  # fmt: skip
NAMES = (*PARAMETERS, *PRICE_PARAMETERS, *CHIP_PARAMETERS, *(f"m1.{d}" for d in DETAILS), "m2.model", "utm_x", "m0.")
WORDS = (
    "H100-SXM:8=5200", "L4=1", "L4=1~1", "L4=1/2/3", "a@L4=in:5,out:6", "aws/trn1.32xlarge=5", "aws/x@L4:1=1",
    "own/b=2", "aws=5%", "EUR=0.9", "EUR", "BRL", "rack@L4:1=capex:9,years:1", "output_token", "total_token", "aws",
    "europe", "us-east-1", "on_demand", "spot", "nvidia", "H100", "1", "0", "-1", "50%", "0.5", "1e9", "2026-01-01",
    "0001-01-01", "-cost_usd", "flags", "provider", "true", "published", "successful", "L4:1", "L4:1/global",
    "a/b/c/d/e/f/g", ":", "@", "=", "/", "~", "±", "9" * 400, "1e-320", "NaN", "\u0661", "\u202e", "\ufeff", "😀", "%",
    "'", '"', "<", "\\", "..", "--",
)  # fmt: skip


def pieces(most):
    """Make texts of known words and of anything."""
    return st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=most).map("".join)


values = st.sampled_from(WORDS) | pieces(4)
names = st.sampled_from(NAMES) | st.text(max_size=8)


def checked(response, statuses):
    """Check an answer: one of these statuses, and in one of the shapes that are promised."""
    assert response.status_code in statuses
    kind = response.headers["content-type"]
    if kind == "application/problem+json":
        assert response.json()["status"] == response.status_code
    elif kind == "application/json":
        json.loads(response.content, parse_constant=pytest.fail)
    elif kind.startswith("text/html"):
        assert all(e.attributes.get("src", "").startswith("/static/") for e in Page(response.text).all("script"))
    else:
        assert kind == "text/csv; charset=utf-8"
        assert response.text.endswith("\r\n")


@REPEATABLE
@given(
    st.sampled_from(ADDRESSES), st.lists(st.tuples(names, values), max_size=6), st.booleans(), st.booleans()
)  # fmt: skip
def test_no_query_breaks_the_server(client, address, pairs, fragment, asking):
    first = [("unit", "output_token"), ("m", "L4=1")] if asking else []
    query = "&".join(
        f"{quote_plus(n.encode('utf-8', 'surrogatepass'))}={quote_plus(v.encode('utf-8', 'surrogatepass'))}"
        for n, v in [*first, *pairs]
    )
    checked(client.get(f"{address}?{query}", headers={"hx-request": "true"} if fragment else {}), (200, 404, 422))


@REPEATABLE
@given(st.sampled_from(ADDRESSES), st.binary(max_size=60))
def test_no_bytes_in_a_query_break_the_server(client, address, raw):
    checked(client.get(f"{address}?{quote(raw, safe='&=;+')}"), (200, 404, 422))


@REPEATABLE
@given(st.sampled_from(("/", "/static/", "/api/", "/compare/", "/prices.")), st.binary(max_size=30))
def test_no_path_breaks_the_server(client, start, raw):
    response = client.get(start + quote(raw, safe=""), headers={"accept": "*/*"})
    assert response.status_code in (200, 404, 405)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
rate_values = st.sampled_from((1, 0, -1, 1e15, 1e-12, [1, 2, 3], [5], {"value": 5, "plus_minus": 1})) | json_values
RATES = ("output_tokens_per_second", "input_tokens_per_second", "audio_seconds_per_second")
measurements = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("label", "accelerator", "provider", "instance_type", *DETAILS), values | json_values),
        "hardware": st.just("L4:1") | values,
        "accelerator_count": st.just(1) | json_values,
        "rates": st.dictionaries(st.sampled_from(RATES), rate_values, max_size=2) | json_values,
    },
)
offers = st.fixed_dictionaries(
    {"provider": st.just("own") | values, "instance_type": st.just("box") | values},
    optional={
        "accelerator": st.just("L4") | json_values,
        "accelerator_count": st.just(1) | json_values,
        "price_usd_per_hour": st.just(1.5) | json_values,
        **dict.fromkeys(
            ("region", "sizes", "purchase", "term_months", "observed_on", "evidence", "notes"), json_values
        ),
        "availability": st.sampled_from(("withdrawn", "waitlist")) | json_values,
    },
)
questions = st.fixed_dictionaries(
    {},
    optional={
        "unit": st.just("output_token") | json_values,
        "measurements": st.lists(measurements, max_size=3) | json_values,
        "filters": st.dictionaries(st.sampled_from(PARAMETERS), st.lists(values, max_size=2) | json_values, max_size=2)
        | json_values,
        "offers": st.lists(offers | json_values, max_size=3),
        "quotes": st.lists(values, max_size=2) | json_values,
        **dict.fromkeys(("utilization", "baseline", "sort", "limit", "offset", "as_of", "all_sizes"), json_values),
        **dict.fromkeys(("discounts", "exchange_rates", "owned", "currency", "spot_loss"), json_values),
    },
)
GOOD = {"unit": "output_token", "measurements": [{"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}]}


@REPEATABLE
@given(questions, st.booleans())
def test_no_json_breaks_the_server(client, question, complete):
    content = json.dumps((GOOD if complete else {}) | question)
    checked(client.post(POST, content=content, headers={"content-type": "application/json"}), (200, 422))


@REPEATABLE
@given(st.binary(max_size=80) | json_values.map(json.dumps).map(str.encode))
def test_no_body_breaks_the_server(client, content):
    checked(client.post(POST, content=content, headers={"content-type": "application/json"}), (422,))


OPTIONS = ("--provider", "--region", "--area", "--purchase", "--accelerator", "--vendor", "--term-months", "--quote",
           "--utilization", "--max-price-usd-per-hour", "--max-accelerators", "--baseline", "--sort", "--limit",
           "--offset", "--as-of", "--set", "--unit", "--format", "--owned", "--discount", "--currency",
           "--exchange-rate", "--spot-loss", "--max-age-days", "--x", "--", "-")  # fmt: skip


@REPEATABLE
@given(
    st.lists(st.tuples(st.sampled_from(OPTIONS), values | st.text(max_size=5)), max_size=3),
    st.lists(values, max_size=2),
)
def test_no_words_break_the_command_line(options, measurements):
    words = ["compare", "--unit", "output_token", "--format", "json", "L4=1"]
    words += [word for pair in options for word in pair] + measurements
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(words)
    out.flush()
    if end.value.code == 2:
        assert out.buffer.getvalue() == b""
        assert len(err.getvalue().splitlines()) == 1
        assert err.getvalue().startswith("perdollar: ")
    else:
        assert end.value.code == 0
        assert out.buffer.getvalue()
