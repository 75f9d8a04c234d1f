"""Links: a question written as name-value pairs reads as the same question."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.compare import compare
from pricing.reading import Reader
from pricing.units import RATE_FIELDS, UNITS
from tests.pricing.small import TODAY, catalogue, json_question, offer, pairs_of, question, rows_of, table

PRICES = table(
    offer(10),
    offer(12, provider="aws", region="eu-west-1", purchase="spot"),
    offer(1.5, provider="bolt", instance_type="gpu (secure)", accelerator_count=1, sizes="1|8"),
    offer(2, provider="bolt", instance_type="a/b:c=d@e", accelerator_count=2),
    offer(0.4, provider="bolt", instance_type="cpu", accelerator="", accelerator_count=0),
)
SAME = (
    "unit", "measurements", "utilization", "filters", "accelerators", "include_unconfirmed", "all_sizes", "baseline",
    "sort", "limit", "offset", "as_of", "pairs", "linkable", "warnings",
)  # fmt: skip


def again(asked):
    """Read a question's link, with the encoding of an address between."""
    pairs = parse_qsl(urlencode(asked.pairs), keep_blank_values=True, strict_parsing=True)
    return Reader(PRICES, catalogue(), TODAY).from_pairs(pairs)


def assert_same(asked):
    read = again(asked)
    for name in SAME:
        assert getattr(read, name) == getattr(asked, name), name
    assert read.table.sha256 == asked.table.sha256


@pytest.mark.parametrize(
    ("given_pairs", "written"),
    [
        ({}, {}),
        ({"utilization": "50%"}, {"utilization": 0.5}),
        ({"utilization": "1", "sort": "cost_usd", "offset": 0, "include_unconfirmed": 0}, {}),
        ({"include_unconfirmed": "yes", "all_sizes": "true"}, {"include_unconfirmed": 1, "all_sizes": 1}),
        ({"max_price_usd_per_hour": "1,000.50"}, {"max_price_usd_per_hour": 1000.5}),
        ({"region": ["global", "eu-west-1"]}, {"region": ["global", "eu-west-1"]}),
        ({"quote": "own/x@L4:1=1,000.5"}, {"quote": "own/x@L4:1=1,000.5"}),
        ({"baseline": " acme/box "}, {"baseline": "acme/box"}),
        ({"limit": "7", "offset": "3", "as_of": "2026-11-30"}, {"limit": 7, "offset": 3, "as_of": "2026-11-30"}),
    ],
)
def test_defaults_are_left_out_and_others_written_plainly(given_pairs, written):
    asked = question(PRICES, **given_pairs)
    assert list(asked.pairs) == pairs_of({"unit": "output_token", "m": "H100-SXM:8=5200"} | written)


@pytest.mark.parametrize(
    ("m", "written"),
    [
        ("H100-SXM:8=5200", "H100-SXM:8=5200"),
        ("H100-SXM:8=5.2k±3%", "H100-SXM:8=5200~156"),
        ("H100-SXM:8=out:5200", "H100-SXM:8=5200"),
        ("H100-SXM:8=in:21k,out:5200/5150", "H100-SXM:8=in:21000,out:5200/5150"),
        (" a b @ H100-SXM:8 = 0.1 ", "a b@H100-SXM:8=0.1"),
        ("H100=5200", "H100=5200"),
        ("8xH100-SXM=5200", "8xH100-SXM=5200"),
        ("bolt/gpu (secure):8=5200", "bolt/gpu (secure):8=5200"),
        ("@bolt/a/b:c=d@e=5200", "@bolt/a/b:c=d@e=5200"),
        ("x@bolt/a/b:c=d@e:2=5200", "x@bolt/a/b:c=d@e:2=5200"),
        ("bolt/cpu=5200", "bolt/cpu=5200"),
    ],
)
def test_measurements_written(m, written):
    asked = question(PRICES, m)
    assert ("m", written) in asked.pairs
    assert_same(asked)


@pytest.mark.parametrize(
    "label", ["<script>", '=HYPERLINK("x","y")', "'", "😀", "\u202eevil", "a=b", "a&b;c#d?e", "100%25+"]
)
def test_odd_labels_survive(label):
    asked = question(PRICES, f"{label}@H100-SXM:8=5200")
    assert_same(asked)
    assert again(asked).measurements[0].label == label


def test_the_same_link_gives_the_same_answer():
    asked = question(
        PRICES, ["a@H100-SXM:8=5200~3%", "H100:1=700/710"], sort="-cost_usd", baseline="a", utilization="0.3"
    )
    answers = [compare(each, catalogue()) for each in (asked, again(asked))]
    assert rows_of(answers[0]) == rows_of(answers[1])
    assert answers[0].baseline == answers[1].baseline


texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=15).filter(str.strip)
numbers = st.floats(1e-6, 1e12)
rates = st.one_of(
    numbers,
    st.integers(1, 10**15),
    st.lists(numbers, min_size=2, max_size=4),
    st.tuples(numbers, numbers).map(lambda pair: {"value": pair[0], "plus_minus": pair[1]}),
)
hardware = st.sampled_from(
    [
        {"accelerator": "H100-SXM", "accelerator_count": 8},
        {"accelerator": "H100"},
        {"accelerator": "tpu-v5p-8"},
        {"accelerator": "NVIDIA H100 80GB HBM3", "accelerator_count": 2},
        {"provider": "acme", "instance_type": "box"},
        {"provider": "bolt", "instance_type": "gpu (secure)", "accelerator_count": 8},
        {"provider": "bolt", "instance_type": "a/b:c=d@e"},
        {"provider": "bolt", "instance_type": "a/b:c=d@e", "accelerator_count": 2},
        {"hardware": "L4:1"},
        {"hardware": "bolt/cpu"},
    ]
)
details = st.fixed_dictionaries(
    {},
    optional={
        "label": texts.filter(lambda text: "@" not in text),
        "stack": texts,
        "model": texts,
        "precision": texts,
        "latency": texts,
        "source": texts,
        "measured_on": texts,
        "success_rate": st.floats(1e-6, 1),
        "rates_count": st.sampled_from(["attempted", "successful"]),
        "evidence": st.sampled_from(["measured", "published", "claimed", "assumed"]),
        "input_tokens": st.floats(0.1, 1e9),
        "output_tokens": st.integers(1, 10**6),
    },
)
measurements = st.builds(
    lambda where, more, by_field: where | more | {"rates": by_field},
    hardware,
    details,
    st.dictionaries(st.sampled_from(list(RATE_FIELDS)), rates, min_size=1, max_size=3),
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "provider": st.lists(st.sampled_from(["acme", "aws", "bolt"]), max_size=3),
        "region": st.lists(st.sampled_from(["global", "eu-west-1"]), max_size=2),
        "area": st.lists(st.sampled_from(["europe", "asia"]), max_size=2),
        "purchase": st.lists(st.sampled_from(["on_demand", "spot", "owned"]), max_size=2),
        "accelerator": st.lists(st.sampled_from(["H100", "A100", "L4"]), max_size=2),
        "vendor": st.lists(st.sampled_from(["nvidia", "aws"]), max_size=2),
        "term_months": st.lists(st.integers(1, 1200), max_size=2),
        "max_price_usd_per_hour": st.floats(1e-9, 1e12),
        "max_accelerators": st.integers(1, 100_000),
    },
)
bodies = st.fixed_dictionaries(
    {"unit": st.sampled_from(list(UNITS)), "measurements": st.lists(measurements, min_size=1, max_size=4)},
    optional={
        "utilization": st.floats(1e-6, 1),
        "filters": filters,
        "include_unconfirmed": st.booleans(),
        "all_sizes": st.booleans(),
        "quotes": st.lists(
            st.sampled_from(["own/x@L4:1=0.5", "own/cpu=1,234.5", "acme/y z@H100-SXM:8=3"]), unique=True
        ),
        "baseline": texts,
        "sort": st.sampled_from(["cost_usd", "-rank", "provider"]),
        "limit": st.integers(1, 1000),
        "offset": st.integers(0, 10_000_000),
        "as_of": st.dates(max_value=TODAY).map(str),
    },
)


@settings(deadline=None, max_examples=150)
@given(bodies)
def test_any_question_survives_the_way_through_a_link(body):
    assert_same(json_question(PRICES, body))
