"""Throughputs: repeats, spreads, sums of two kinds, and the share that succeeded."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pricing.measurements import from_repeats, single, total_of, with_spread
from tests.pricing.small import ask, ask_json, excluded, offer, only, rows_of, table

properties = settings(deadline=None)
HOURLY = 36.0
FIELD = "output_tokens_per_second"
# Student's quantile at 0.975 has a closed form for 2 degrees of freedom: 0.95 · √(2 / (4 · 0.975 · 0.025)).
T2 = 0.95 * math.sqrt(2 / (4 * 0.975 * 0.025))


def cost(rate):
    """USD per 1M tokens at 36 USD/h."""
    return HOURLY / (3600 * rate) * 1e6


def test_repeats_by_value():
    rate = from_repeats([5200, 5150, 5300])
    mean = (5200 + 5150 + 5300) / 3
    s = math.sqrt(((5200 - mean) ** 2 + (5150 - mean) ** 2 + (5300 - mean) ** 2) / 2)
    half = T2 * s / math.sqrt(3)
    assert rate.value == pytest.approx(5216.666666666667, rel=1e-15)
    assert pytest.approx(4.30265, abs=5e-6) == T2
    assert half == pytest.approx(189.7, abs=0.05)
    assert rate.low == pytest.approx(mean - half, rel=1e-12)
    assert rate.high == pytest.approx(mean + half, rel=1e-12)
    assert rate.log_se == pytest.approx(s / math.sqrt(3) / mean, rel=1e-12)


def test_cost_bounds_follow_from_repeats():
    row = only(table(offer(HOURLY)), "H100-SXM:8=5200/5150/5300")
    # Squared deviations from 5216.67: 277.8 + 4444.4 + 6944.4 = 11666.7.
    half = T2 * math.sqrt(11666.666666666666 / 2 / 3)
    assert row["rate_per_second"] == pytest.approx(15650 / 3, rel=1e-12)
    assert row["cost_usd"] == pytest.approx(cost(15650 / 3), rel=1e-12)
    assert row["cost_low_usd"] == pytest.approx(cost(15650 / 3 + half), rel=1e-12)
    assert row["cost_high_usd"] == pytest.approx(cost(15650 / 3 - half), rel=1e-12)


def test_two_repeats_have_one_degree_of_freedom():
    # t(0.975, 1) = 12.7062; s / √2 of 90 and 110 is 10.
    rate = from_repeats([90, 110])
    assert rate.value == 100
    assert rate.high - 100 == pytest.approx(127.062047, rel=1e-8)


def test_a_lower_bound_that_is_not_positive_gives_no_upper_cost():
    row = only(table(offer(HOURLY)), "H100-SXM:8=90/110")
    assert row["cost_usd"] == pytest.approx(cost(100), rel=1e-12)
    assert row["cost_low_usd"] == pytest.approx(cost(227.062047), rel=1e-8)
    assert row["cost_high_usd"] is None


@pytest.mark.parametrize(("spread", "has_high"), [("99.9", True), ("100", False), ("150", False)])
def test_a_spread_as_large_as_the_rate_gives_no_upper_cost(spread, has_high):
    row = only(table(offer(HOURLY)), f"H100-SXM:8=100~{spread}")
    assert (row["cost_high_usd"] is not None) is has_high
    assert row["cost_low_usd"] == pytest.approx(cost(100 + float(spread)), rel=1e-12)


def test_spread_by_value():
    rate = with_spread(5200, 150)
    assert (rate.low, rate.value, rate.high) == (5050, 5200, 5350)
    assert rate.log_se == pytest.approx(150 / 1.959963984540054 / 5200, rel=1e-12)


def test_a_single_number_has_no_range():
    row = only(table(offer(HOURLY)), "H100-SXM:8=5200")
    assert row["cost_low_usd"] is None
    assert row["cost_high_usd"] is None
    assert single(5200).log_se is None


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("make", [single, lambda v: with_spread(v, 1), lambda v: from_repeats([5200, v])])
def test_what_is_no_rate(make, value):
    with pytest.raises(ValueError, match="a rate must be a number above 0"):
        make(value)


@pytest.mark.parametrize("value", [1e-13, 1e16])
def test_a_rate_outside_all_measure_is_refused(value):
    with pytest.raises(ValueError, match="outside 1e-12 to 1e15; check its unit"):
        single(value)


@pytest.mark.parametrize("half", [0, -1, math.nan, math.inf])
def test_what_is_no_spread(half):
    with pytest.raises(ValueError, match="a spread must be a number above 0"):
        with_spread(5200, half)


def test_one_run_is_no_repeat():
    with pytest.raises(ValueError, match="at least two runs"):
        from_repeats([5200])


@properties
@given(st.lists(st.floats(100, 10_000), min_size=2, max_size=12))
def test_the_interval_is_that_of_student(runs):
    rate = from_repeats(runs)
    mean, error = sum(runs) / len(runs), stats.sem(runs)
    half = stats.t.ppf(0.975, len(runs) - 1) * error
    assert rate.value == pytest.approx(mean, rel=1e-12)
    assert rate.high - rate.value == pytest.approx(half, rel=1e-6, abs=1e-8)
    assert rate.value - rate.low == pytest.approx(half, rel=1e-6, abs=1e-8)


@properties
@given(st.floats(1, 1e6), st.floats(0.001, 2))
def test_cost_bounds_are_in_order(rate, share):
    row = only(table(offer(HOURLY)), f"H100-SXM:8={rate!r}~{rate * share!r}")
    assert row["cost_low_usd"] < row["cost_usd"]
    if share < 1:
        assert row["cost_usd"] < row["cost_high_usd"]
    else:
        assert row["cost_high_usd"] is None


def test_bounds_count_replicas_and_success():
    row = only(table(offer(HOURLY, accelerator_count=16)), "H100-SXM:4=100~10", more=[("m1.success_rate", "0.5")])
    assert row["replicas"] == 4
    assert row["rate_per_second"] == pytest.approx(4 * 100 * 0.5, rel=1e-12)
    assert row["cost_low_usd"] == pytest.approx(cost(4 * 110 * 0.5), rel=1e-12)
    assert row["cost_high_usd"] == pytest.approx(cost(4 * 90 * 0.5), rel=1e-12)


def test_total_is_the_sum_of_input_and_output():
    row = only(table(offer(HOURLY)), "H100-SXM:8=in:21000,out:5200", unit="total_token")
    assert row["rate_per_second"] == 26_200
    assert row["cost_usd"] == pytest.approx(cost(26_200), rel=1e-12)


def test_a_given_total_is_not_replaced_by_the_sum():
    row = only(table(offer(HOURLY)), "H100-SXM:8=in:21000,out:5200,total:26000", unit="total_token")
    assert row["rate_per_second"] == 26_000


def test_runs_are_summed_one_by_one():
    assert total_of(from_repeats([10, 20]), from_repeats([3, 1])) == from_repeats([13, 21])


def test_spreads_are_summed_and_a_missing_one_leaves_none():
    assert total_of(with_spread(100, 10), with_spread(50, 5)) == with_spread(150, 15)
    assert total_of(with_spread(100, 10), single(50)) == single(150)


@pytest.mark.parametrize(
    ("given_kinds", "unit", "key"),
    [
        ("in:21000", "output_token", "out"),
        ("out:5200", "input_token", "in"),
        ("total:26200", "output_token", "out"),
        ("in:21000,req:3", "total_token", "total"),
        ("out:5200", "total_token", "total"),
        ("out:5200", "trained_token", "trained"),
        ("req:3", "audio_hour", "rtfx"),
    ],
)
def test_no_kind_of_rate_stands_for_another(given_kinds, unit, key):
    answer = ask(table(offer(HOURLY)), f"H100-SXM:8={given_kinds}", unit=unit)
    assert rows_of(answer) == []
    assert excluded(answer) == {"no_rate_for_unit": 1}
    example = answer.excluded[0].example
    assert example.startswith("H100-SXM:8 has ")
    assert example.endswith(f", not {key}")


def test_success_rate_applies_to_attempted_work():
    row = only(table(offer(HOURLY)), "H100-SXM:8=5200", more=[("m1.success_rate", "0.97")])
    assert row["rate_per_second"] == pytest.approx(5044, rel=1e-12)
    assert row["cost_usd"] == pytest.approx(cost(5044), rel=1e-12)


def test_success_rate_does_not_apply_to_work_that_succeeded():
    more = [("m1.success_rate", "97%"), ("m1.rates_count", "successful")]
    row = only(table(offer(HOURLY)), "H100-SXM:8=5200", more=more)
    assert row["rate_per_second"] == 5200


@pytest.mark.parametrize(
    ("rate", "value", "low", "high"),
    [
        (5200, 5200, None, None),
        (5200.5, 5200.5, None, None),
        ([90, 110], 100, None, 227.0620473617),
        ({"value": 100, "plus_minus": 10}, 100, 90, 110),
    ],
)
def test_forms_of_a_rate_in_json(rate, value, low, high):
    given_here = [{"accelerator": "H100-SXM", "accelerator_count": 8, "rates": {FIELD: rate}}]
    (row,) = rows_of(ask_json(table(offer(HOURLY)), given_here))
    assert row["rate_per_second"] == pytest.approx(value, rel=1e-12)
    assert row["cost_low_usd"] == (high and pytest.approx(cost(high), rel=1e-9))
    assert row["cost_high_usd"] == (low and pytest.approx(cost(low), rel=1e-9))
