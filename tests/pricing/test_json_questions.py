"""Questions in JSON: the same as a link, with a path to each mistake."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.compare import compare
from pricing.errors import InvalidInputError
from pricing.question import Limits
from pricing.reading import Reader
from tests.pricing.small import (
    TODAY,
    catalogue,
    fault_of,
    faults_of,
    json_question,
    offer,
    outcome,
    question,
    rows_of,
    table,
)

PRICES = table(offer(10), offer(12, region="eu-1"), offer(4, purchase="spot"))
FIELD = "output_tokens_per_second"
EIGHT = {"accelerator": "H100-SXM", "accelerator_count": 8, "rates": {FIELD: 5200}}
PATH = ("measurements", 0)


def body(measured=None, **more):
    return {"unit": "output_token", "measurements": [EIGHT | (measured or {})]} | more


def test_it_is_the_same_question_as_a_link():
    whole = body(
        {"label": "mine", "stack": "vLLM"}, utilization=0.5, filters={"purchase": ["spot"]}, sort="-rank", limit=5
    )
    linked = question(
        PRICES,
        "mine@H100-SXM:8=5200",
        more=[("m1.stack", "vLLM")],
        utilization="0.5",
        purchase="spot",
        sort="-rank",
        limit=5,
    )
    asked = json_question(PRICES, whole)
    assert asked.measurements == linked.measurements
    assert asked.pairs == linked.pairs
    assert rows_of(compare(asked, catalogue())) == rows_of(compare(linked, catalogue()))


@pytest.mark.parametrize(
    "hardware",
    [
        {"accelerator": "H100-SXM", "accelerator_count": 8},
        {"accelerator": "h100_sxm", "accelerator_count": 8},
        {"accelerator": "8xH100-SXM"},
        {"hardware": "H100-SXM:8"},
        {"hardware": " 8xH100-SXM "},
    ],
)
def test_forms_of_hardware(hardware):
    (measured,) = json_question(PRICES, body() | {"measurements": [{"rates": {FIELD: 1}} | hardware]}).measurements
    assert (measured.accelerator, measured.accelerator_count, measured.label) == ("H100-SXM", 8, "H100-SXM:8")


def test_one_value_may_stand_for_a_list_of_one():
    asked = json_question(PRICES, body(filters={"purchase": "spot", "term_months": 12}))
    assert (asked.filters.purchase, asked.filters.term_months) == (("spot",), (12,))


def test_a_share_may_be_a_percentage():
    assert json_question(PRICES, body(utilization="50%")).utilization == 0.5


@pytest.mark.parametrize("given_body", [None, [], "x", 5, True])
def test_a_body_is_an_object(given_body):
    assert fault_of(json_question, PRICES, given_body) == ((), "the body must be a JSON object")


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (0, "a rate must be a number above 0, not 0"),
        (-5, "a rate must be a number above 0, not -5"),
        (float("nan"), "a rate must be a number above 0, not nan"),
        (float("inf"), "a rate must be a number above 0, not inf"),
        (10**400, "the number is too large"),
        (1e16, "outside 1e-12 to 1e15"),
        ("5200", "'5200' is not a rate; give a number, a list of repeats"),
        ("", "'' is not a rate"),
        (None, "'None' is not a rate"),
        (True, "'True' is not a rate"),
        ([], "at least two runs"),
        ([5200], "at least two runs"),
        ([5200, 0], "a rate must be a number above 0"),
        ([5200, "x"], "'x' is not a rate"),
        ([[1, 2], 3], "is not a rate"),
        ([1] * 10_001, "10,001 repeats are more than the 10,000 allowed"),
        ({}, 'a rate with a spread is {"value": 5200, "plus_minus": 150}'),
        ({"value": 5200}, "a rate with a spread is"),
        ({"value": 5200, "plus_minus": 150, "x": 1}, "a rate with a spread is"),
        ({"value": 5200, "plus_minus": 0}, "a spread must be a number above 0"),
        ({"value": 0, "plus_minus": 1}, "a rate must be a number above 0"),
        ({"value": "a", "plus_minus": 1}, "'a' is not a rate"),
    ],
)
def test_rates_refused(rate, words):
    loc, msg = faults_of(json_question, PRICES, body({"rates": {FIELD: rate}}))[0]
    assert loc == (*PATH, "rates", FIELD)
    assert words in msg


@pytest.mark.parametrize(
    ("measured", "loc", "words"),
    [
        ({"rates": {}}, (*PATH, "rates"), "at least 1 item"),
        ({"rates": 5200}, (*PATH, "rates"), "valid dictionary"),
        ({"rates": {"tokens_per_second": 1}}, None, "is not a rate field; they are output_tokens_per_second"),
        ({"rates": {"output_token_per_second": 1}}, None, "Did you mean output_tokens_per_second"),
        ({"accelerator_count": 0}, (*PATH, "accelerator_count"), "greater than or equal to 1"),
        ({"accelerator_count": 1.5}, (*PATH, "accelerator_count"), "valid integer"),
        ({"accelerator_count": 10**12}, (*PATH, "accelerator_count"), "less than or equal to 100000"),
        ({"accelerator_count": "8"}, (*PATH, "accelerator_count"), "valid integer"),
        ({"accelerator_count": True}, (*PATH, "accelerator_count"), "valid integer"),
        ({"acelerator": "L4"}, (*PATH, "acelerator"), "is not a field. Did you mean accelerator"),
        ({"label": "a@b"}, (*PATH, "label"), "'a@b' holds an '@', which ends a label"),
        ({"label": "a\x00b"}, (*PATH, "label"), "holds a control character"),
        ({"label": "x" * 201}, (*PATH, "label"), "at most 200 characters"),
        ({"label": 5}, (*PATH, "label"), "valid string"),
        ({"label": "\ud800"}, (*PATH, "label"), "valid string"),
        ({"success_rate": 0}, (*PATH, "success_rate"), "greater than 0"),
        ({"success_rate": 97}, (*PATH, "success_rate"), "less than or equal to 1"),
        ({"success_rate": float("nan")}, (*PATH, "success_rate"), "'nan'"),
        ({"rates_count": "all"}, (*PATH, "rates_count"), "'attempted' or 'successful'"),
        ({"evidence": "guess"}, (*PATH, "evidence"), "'measured', 'published', 'claimed' or 'assumed'"),
        ({"input_tokens": -1}, (*PATH, "input_tokens"), "greater than 0"),
        ({"source": "x" * 1001}, (*PATH, "source"), "at most 1000 characters"),
    ],
)
def test_measurements_refused(measured, loc, words):
    found, msg = faults_of(json_question, PRICES, body(measured))[0]
    assert loc is None or found == loc
    assert found[:2] == PATH
    assert words in msg


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"rates": {FIELD: 1}}, "say which hardware"),
        ({"accelerator": "L4", "provider": "acme", "instance_type": "box", "rates": {FIELD: 1}}, "say which hardware"),
        ({"provider": "acme", "rates": {FIELD: 1}}, "say which hardware"),
        ({"instance_type": "box", "rates": {FIELD: 1}}, "say which hardware"),
        ({"hardware": "L4:1", "accelerator": "L4", "rates": {FIELD: 1}}, "give either hardware, or accelerator"),
        ({"hardware": "L4", "accelerator_count": 2, "rates": {FIELD: 1}}, "give either hardware, or accelerator"),
        (
            {"accelerator": "H10O", "rates": {FIELD: 1}},
            "'H10O' is not an accelerator that PerDollar knows. Did you mean",
        ),
        ({"accelerator": "tpu-v5p-8", "accelerator_count": 8, "rates": {FIELD: 1}}, "already means 4 × TPU-v5p"),
        ({"provider": "acme", "instance_type": "bix", "rates": {FIELD: 1}}, "Did you mean acme/box"),
    ],
)
def test_hardware_refused(measured, words):
    loc, msg = fault_of(json_question, PRICES, body() | {"measurements": [EIGHT, measured]})
    assert loc == ("measurements", 1)
    assert words in msg


@pytest.mark.parametrize(
    ("more", "loc", "words"),
    [
        ({"unit": None}, ("unit",), "valid string"),
        ({"unit": "tokens"}, ("unit",), "'tokens' is not a unit"),
        ({"measurements": []}, ("measurements",), "at least 1 item"),
        ({"measurements": 5}, ("measurements",), "valid tuple"),
        ({"mesurements": []}, ("mesurements",), "is not a field. Did you mean measurements"),
        ({"utilization": 0}, ("utilization",), "greater than 0"),
        ({"utilization": 50}, ("utilization",), "less than or equal to 1"),
        ({"utilization": float("nan")}, ("utilization",), "'nan'"),
        ({"utilization": float("inf")}, ("utilization",), "'inf'"),
        ({"utilization": "half"}, ("utilization",), "'half' is not a number"),
        ({"utilization": None}, ("utilization",), "valid number"),
        ({"filters": 5}, ("filters",), "valid dictionary"),
        ({"filters": {"colour": "red"}}, ("filters", "colour"), "is not a field"),
        ({"filters": {"providers": ["acme"]}}, ("filters", "providers"), "Did you mean provider"),
        ({"filters": {"provider": [5]}}, ("filters", "provider", 0), "valid string"),
        ({"filters": {"max_price_usd_per_hour": 0}}, ("filters", "max_price_usd_per_hour"), "greater than 0"),
        ({"filters": {"max_accelerators": 1.5}}, ("filters", "max_accelerators"), "valid integer"),
        ({"filters": {"term_months": [0]}}, ("filters", "term_months", 0), "greater than or equal to 1"),
        ({"limit": 0}, ("limit",), "greater than or equal to 1"),
        ({"limit": 1001}, ("limit",), "less than or equal to 1000"),
        ({"limit": 1.5}, ("limit",), "valid integer"),
        ({"limit": "10"}, ("limit",), "valid integer"),
        ({"offset": -1}, ("offset",), "greater than or equal to 0"),
        ({"offset": 10**12}, ("offset",), "less than or equal to 10000000"),
        ({"as_of": 1764547200}, ("as_of",), "is not a date; write YYYY-MM-DD as text"),
        ({"as_of": "01.12.2026"}, ("as_of",), "is not a date; write YYYY-MM-DD"),
        ({"as_of": "2026-12-02"}, ("as_of",), "is after today"),
        ({"as_of": "2026-02-30"}, ("as_of",), "2026-02-30"),
        ({"include_unconfirmed": "maybe"}, ("include_unconfirmed",), "valid boolean"),
        ({"sort": 5}, ("sort",), "valid string"),
        ({"baseline": ["a"]}, ("baseline",), "valid string"),
        ({"offers": [5]}, ("offers", 0), "valid dictionary"),
        ({"offers": "x"}, ("offers",), "valid tuple"),
    ],
)
def test_questions_refused(more, loc, words):
    found, msg = fault_of(json_question, PRICES, body(**more))
    assert found == loc
    assert words in msg


def test_missing_parts_are_named():
    assert fault_of(json_question, PRICES, {"measurements": [EIGHT]}) == (("unit",), "unit: is missing")
    loc, msg = fault_of(json_question, PRICES, {"unit": "request"})
    assert (loc, msg) == (("measurements",), "measurements: is missing")


def test_no_more_than_the_limits():
    reader = Reader(PRICES, catalogue(), TODAY, Limits(measurements=1, offers=1))
    loc, msg = fault_of(reader.from_json, body() | {"measurements": [EIGHT] * 2})
    assert loc == ("measurements",)
    assert "2 measurements are more than the 1 that one question may hold" in msg
    loc, msg = fault_of(reader.from_json, body(offers=[offer(1), offer(2, region="x")]))
    assert loc == ("offers",)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
places = st.sampled_from(
    [
        "unit",
        "measurements",
        "utilization",
        "filters",
        "offers",
        "quotes",
        "baseline",
        "sort",
        "limit",
        "offset",
        "as_of",
    ]
)
inner_places = st.sampled_from(
    ["label", "hardware", "accelerator", "accelerator_count", "provider", "rates", "success_rate"]
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(places, json_values, max_size=2), st.dictionaries(inner_places, json_values, max_size=2))
def test_any_body_is_read_or_refused_with_a_sentence(outer, inner):
    found = outcome(json_question, PRICES, body(inner) | outer)
    if isinstance(found, InvalidInputError):
        assert found.faults
        assert all(fault.msg.strip() for fault in found.faults)
    else:
        assert found.measurements
