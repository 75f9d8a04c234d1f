"""Questions as name-value pairs: what is read, and what each mistake is told."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.errors import InvalidInputError
from pricing.parameters import PARAMETERS
from pricing.question import Limits
from pricing.reading import Reader
from tests.pricing.small import TODAY, catalogue, fault_of, faults_of, offer, outcome, question, table

PRICES = table(offer(10), offer(1.5, provider="bolt", instance_type="sized", accelerator_count=1, sizes="1|8"))
M = "H100-SXM:8=5200"


def read(*pairs, limits=None):
    reader = Reader(PRICES, catalogue(), TODAY, *([limits] if limits else []))
    return reader.from_pairs(pairs)


def test_defaults():
    asked = question(PRICES)
    assert (asked.unit.id, asked.utilization, asked.sort, asked.limit, asked.offset) == (
        "output_token",
        1,
        "cost_usd",
        None,
        0,
    )
    assert (asked.as_of, asked.include_unconfirmed, asked.all_sizes, asked.baseline) == (TODAY, False, False, None)
    (measured,) = asked.measurements
    assert (measured.label, measured.accelerator, measured.accelerator_count) == ("H100-SXM:8", "H100-SXM", 8)
    assert (measured.evidence, measured.success_rate, measured.rates_count) == ("measured", 1, "attempted")
    assert asked.warnings == ()


def test_everything_a_link_can_say():
    details = {
        "success_rate": "97%", "rates_count": "successful", "stack": "vLLM", "model": "Llama", "precision": "FP8",
        "input_tokens": "1024", "output_tokens": "256.5", "latency": "p50 2 s", "measured_on": "2026-11-01",
        "evidence": "published", "source": "us",
    }  # fmt: skip
    asked = question(
        PRICES, "mine@h100_sxm:8=out:5.2k~3%", more=[(f"m1.{name}", value) for name, value in details.items()],
        utilization="50%", provider=["acme", "bolt"], region="global", purchase="spot", accelerator="H100",
        vendor="nvidia", area="europe", term_months=12, max_price_usd_per_hour="1,000.5", max_accelerators=16,
        include_unconfirmed=1, all_sizes="true", baseline="mine", sort="-rank", limit=10, offset=20, as_of="2026-06-01",
    )  # fmt: skip
    (measured,) = asked.measurements
    assert (measured.label, measured.success_rate, measured.rates_count) == ("mine", 0.97, "successful")
    assert (measured.stack, measured.model, measured.precision, measured.latency) == ("vLLM", "Llama", "FP8", "p50 2 s")
    assert (measured.input_tokens, measured.output_tokens, measured.measured_on) == (1024, 256.5, "2026-11-01")
    assert (measured.evidence, measured.source) == ("published", "us")
    assert (asked.utilization, asked.filters.provider, asked.filters.region) == (0.5, ("acme", "bolt"), ("global",))
    assert (asked.filters.term_months, asked.filters.max_price_usd_per_hour) == ((12,), 1000.5)
    assert asked.filters.max_accelerators == 16
    assert asked.accelerators == {"H100-SXM", "H100-PCIe", "H100-NVL"}
    assert (asked.include_unconfirmed, asked.all_sizes, asked.baseline, asked.sort) == (True, True, "mine", "-rank")
    assert (asked.limit, asked.offset, asked.as_of) == (10, 20, date(2026, 6, 1))


def test_blank_values_are_absent():
    blank = [(name, " ") for name in PARAMETERS] + [("m1.stack", ""), ("m1.success_rate", " ")]
    asked = read(("unit", "output_token"), ("m", M), *blank)
    assert asked.pairs == question(PRICES).pairs


def test_tracking_parameters_are_ignored():
    assert read(("unit", "output_token"), ("m", M), ("utm_source", "x"), ("utm_", "y")).pairs == question(PRICES).pairs


def test_a_blank_measurement_keeps_the_places_of_the_others():
    asked = read(("unit", "output_token"), ("m", ""), ("m", M), ("m2.stack", "vLLM"))
    assert [m.stack for m in asked.measurements] == ["vLLM"]
    loc, _ = fault_of(read, ("unit", "output_token"), ("m", ""), ("m", M), ("m", "H1OO=5"))
    assert loc == ("m", 2)


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("50%", 0.5), ("1", 1), ("100%", 1), ("0.0001", 0.0001)])
def test_utilization(text, value):
    assert question(PRICES, utilization=text).utilization == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "greater than 0"),
        ("-0.5", "greater than 0"),
        ("1.01", "less than or equal to 1"),
        ("50", "less than or equal to 1"),
        ("101%", "less than or equal to 1"),
        ("0%", "greater than 0"),
        ("0,5", "two readings"),
        ("nan", "'nan' is not a number"),
        ("inf", "'inf' is not a number"),
        ("1e400", "too large"),
        ("half", "'half' is not a number"),
        ("%", "a number is missing"),
    ],
)
def test_utilization_refused(text, words):
    loc, msg = fault_of(question, PRICES, utilization=text)
    assert loc == ("utilization",)
    assert msg.startswith("utilization: ")
    assert words in msg


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ("0", "a rate must be a number above 0, not 0"),
        ("-1", "a rate must be a number above 0, not -1"),
        ("nan", "'nan' is not a number"),
        ("inf", "'inf' is not a number"),
        ("1e400", "'1e400' is too large"),
        ("1e16", "outside 1e-12 to 1e15; check its unit"),
        ("", "the rate after '=' is missing; write it in output tokens/s"),
        ("fast", "'fast' is not a number"),
        ("1,234", "two readings"),
        ("0,75", "two readings"),
        ("1.234,56", "two readings"),
        ("5200 tok/s", "is not a number"),
    ],
)
def test_rates_refused(rate, words):
    loc, msg = fault_of(question, PRICES, [M, f"H100-SXM:8={rate}"])
    assert loc == ("m", 1)
    assert words in msg


@pytest.mark.parametrize(
    ("pairs", "loc", "words"),
    [
        ([("m", M)], ("unit",), "unit is missing: say what is counted; the units are output_token,"),
        ([("unit", "tokens"), ("m", M)], ("unit",), "'tokens' is not a unit"),
        ([("unit", "output_tokens"), ("m", M)], ("unit",), "Did you mean output_token"),
        ([("unit", "request"), ("unit", "output_token"), ("m", M)], ("unit",), "unit is given twice"),
        ([("unit", "request")], ("m",), "a measurement is missing; write HARDWARE=RATE, for example H100-SXM:8=5200"),
        ([("unit", "request"), ("m", " ")], ("m",), "a measurement is missing"),
    ],
)
def test_without_unit_or_measurement(pairs, loc, words):
    found, msg = fault_of(read, *pairs)
    assert found == loc
    assert words in msg


@pytest.mark.parametrize(
    ("name", "value", "loc", "words"),
    [
        ("utilisation", "0.5", ("utilisation",), "'utilisation' is not a parameter. Did you mean utilization"),
        ("providers", "aws", ("providers",), "Did you mean provider"),
        ("m1.stak", "x", ("m1.stak",), "Did you mean m1.stack"),
        ("m0.stack", "x", ("m0.stack",), "is not a parameter"),
        ("<script>", "x", ("<script>",), "is not a parameter"),
        ("", "x", ("",), "'' is not a parameter"),
        ("m2.stack", "x", ("m2",), "m2.… is given, but there is no measurement 2"),
        ("m1.success_rate", "1.5", ("m1.success_rate",), "less than or equal to 1"),
        ("m1.success_rate", "0", ("m1.success_rate",), "greater than 0"),
        ("m1.success_rate", "most", ("m1.success_rate",), "'most' is not a number"),
        ("m1.rates_count", "all", ("m1.rates_count",), "'attempted' or 'successful'"),
        ("m1.evidence", "guess", ("m1.evidence",), "'measured', 'published', 'claimed' or 'assumed'"),
        ("m1.input_tokens", "0", ("m1.input_tokens",), "greater than 0"),
        ("m1.output_tokens", "1,024", ("m1.output_tokens",), "two readings"),
        ("m1.stack", "x" * 201, ("m1.stack",), "at most 200 characters"),
        ("m1.model", "a\x00b", ("m1.model",), r"'a\x00b' holds a control character; remove it"),
        ("baseline", "a\x00b", ("baseline",), "holds a control character"),
        ("include_unconfirmed", "maybe", ("include_unconfirmed",), "'maybe' must be 1 or 0"),
        ("all_sizes", "2", ("all_sizes",), "'2' must be 1 or 0"),
        ("limit", "0", ("limit",), "must be a whole number from 1 to 1,000"),
        ("limit", "ten", ("limit",), "'ten' is not a number"),
        ("offset", "-1", ("offset",), "must be a whole number from 0"),
        ("as_of", "2026-12-02", ("as_of",), "is after today (2026-12-01, UTC)"),
        ("as_of", "today", ("as_of",), "'today' is not a date; write YYYY-MM-DD"),
    ],
)
def test_mistakes(name, value, loc, words):
    found, msg = faults_of(read, ("unit", "output_token"), ("m", M), (name, value))[0]
    assert found == loc
    assert words in msg
    assert msg.isprintable()


@pytest.mark.parametrize("name", ["utilization", "baseline", "limit", "as_of", "all_sizes", "max_accelerators"])
def test_one_value_given_twice_with_different_values(name):
    pair = {"as_of": ("2026-01-01", "2026-02-01"), "all_sizes": ("0", "1")}.get(name, ("1", "0.5"))
    loc, msg = fault_of(read, ("unit", "output_token"), ("m", M), (name, pair[0]), (name, pair[1]))
    assert loc == (name,)
    assert "is given 2 times with different values; give it once" in msg


def test_of_two_orders_or_offsets_the_last_counts():
    asked = read(
        ("unit", "output_token"), ("m", M), ("sort", "rank"), ("offset", "5"), ("sort", "-rank"), ("offset", "0")
    )
    assert (asked.sort, asked.offset) == ("-rank", 0)


def test_all_mistakes_are_told_at_once():
    locs = {
        loc
        for loc, _ in faults_of(
            read, ("unit", "output_token"), ("m", "H1OO=5"), ("m", "H100-SXM:8=0"), ("m", "A100=5"), ("limit", "0"),
            ("utilization", "50"), ("colour", "red"), ("m9.stack", "x"),
        )
    }  # fmt: skip
    assert locs == {("m", 0), ("m", 1), ("m", 2), ("limit",), ("utilization",), ("colour",), ("m9",)}


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '=HYPERLINK("x")', "'", "😀", "\u202eevil", "a=b", "–"])
def test_odd_labels_are_kept_as_they_are(text):
    (measured,) = question(PRICES, f"{text}@H100-SXM:8=5200").measurements
    assert measured.label == text


@pytest.mark.parametrize("label", ["a\x00b", "\x1b[31m", "\x7f"])
def test_control_characters_in_a_label_are_refused(label):
    loc, msg = faults_of(question, PRICES, f"{label}@H100-SXM:8=5200")[0]
    assert loc[:2] == ("m", 0)
    assert "holds a control character; remove it" in msg


def test_no_more_than_the_limits():
    few = Limits(measurements=2, offers=1)
    assert (
        len(read(("unit", "request"), ("m", "H100-SXM:8=1"), ("m", ""), ("m", "L4:1=1"), limits=few).measurements) == 2
    )
    loc, msg = fault_of(read, ("unit", "request"), *[("m", M)] * 3, limits=few)
    assert loc == ("m",)
    assert "3 measurements are more than the 2 that one question may hold" in msg
    loc, msg = fault_of(read, ("unit", "request"), *[("m", M)] * 201)
    assert "201 measurements are more than the 200" in msg


words = st.sampled_from([*PARAMETERS, "m1.stack", "m1.success_rate", "m2.x", "utm_x", "zz"])
values = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [M, "L4=1", "acme/box=5", "a@b=c", "request", "1", "0.5", "50%", "spot", "acme", "2026-01-01", "-rank"]
    ),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(words, values), max_size=8))
def test_any_pairs_are_read_or_refused_with_a_place_and_a_sentence(pairs):
    asked = outcome(read, ("unit", "output_token"), ("m", M), *pairs)
    if isinstance(asked, InvalidInputError):
        assert asked.faults
        assert all(fault.msg.strip() and fault.loc for fault in asked.faults)
    else:
        assert read(*asked.pairs).measurements == asked.measurements
