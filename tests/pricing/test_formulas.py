"""The formulas: known values with their arithmetic, and what holds for any numbers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing import estimate
from pricing.units import HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR, UNITS

TOKENS, AUDIO = UNITS["output_token"], UNITS["audio_hour"]
prices = st.floats(1e-6, 1e6)
rates = st.floats(1e-3, 1e9)
shares = st.floats(0.01, 1)
factors = st.floats(1e-3, 1e3)
units = st.sampled_from(list(UNITS.values()))
properties = settings(deadline=None)


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("price", "rate", "utilization", "unit", "cost"),
    [
        (21.5, 10_000, 1, "output_token", 21.5 / (3600 * 10_000) * 1e6),
        (21.5, 9_000, 1, "input_token", 21.5 / (3600 * 9_000) * 1e6),
        (98.32, 21_000, 0.5, "total_token", 98.32 * 1e6 / (3600 * 21_000 * 0.5)),
        (32, 250_000, 0.9, "trained_token", 32 * 1e6 / (3600 * 250_000 * 0.9)),
        (1, 150, 0.5, "audio_hour", 1 / (150 * 0.5)),
        (3.6, 1_000, 1, "request", 1.0),
    ],
)
def test_cost_by_value(price, rate, utilization, unit, cost):
    assert estimate.cost_per_quoted_unit(float(price), float(rate), utilization, UNITS[unit]) == near(cost)


def test_costs_written_out():
    assert estimate.cost_per_quoted_unit(21.5, 10_000.0, 1.0, TOKENS) == near(0.597222222222222222)
    assert estimate.cost_per_quoted_unit(1.0, 150.0, 0.5, AUDIO) == near(0.0133333333333333333)
    assert estimate.units_per_usd(1.0, 150.0, 0.5, AUDIO) == near(75)
    # 3600 s × 10,000 tokens/s for 21.50 USD.
    assert estimate.units_per_usd(21.5, 10_000.0, 1.0, TOKENS) == near(36_000_000 / 21.5)


def test_seventy_percent_more_per_dollar_is_41_percent_cheaper():
    assert estimate.share_saved(1 / 1.7, 1.0) == near(0.41176470588235294)
    assert estimate.share_saved(2.0, 1.0) == -1


def test_failed_work_is_paid_for():
    assert estimate.counted_rate(5200.0, 0.97) == near(5044)


def test_constants_of_time():
    assert (SECONDS_PER_HOUR, HOURS_PER_MONTH, HOURS_PER_YEAR) == (3600, 730, 8760)
    assert HOURS_PER_MONTH * 12 == HOURS_PER_YEAR


@properties
@given(prices, rates, shares, factors, units)
def test_cost_is_proportional_to_price(price, rate, share, factor, unit):
    once = estimate.cost_per_quoted_unit(price, rate, share, unit)
    assert estimate.cost_per_quoted_unit(price * factor, rate, share, unit) == near(once * factor)


@properties
@given(prices, rates, shares, factors, units)
def test_cost_is_inverse_to_rate(price, rate, share, factor, unit):
    once = estimate.cost_per_quoted_unit(price, rate, share, unit)
    assert estimate.cost_per_quoted_unit(price, rate * factor, share, unit) == near(once / factor)


@properties
@given(prices, rates, shares, units)
def test_cost_is_inverse_to_utilization(price, rate, share, unit):
    full = estimate.cost_per_quoted_unit(price, rate, 1.0, unit)
    assert estimate.cost_per_quoted_unit(price, rate, share, unit) == near(full / share)


@properties
@given(prices, rates, shares, units)
def test_units_per_usd_is_the_inverse_of_the_cost(price, rate, share, unit):
    cost = estimate.cost_per_quoted_unit(price, rate, share, unit)
    each = estimate.units_per_usd(price, rate, share, unit)
    assert each * cost == near(unit.quoted / unit.single)


@properties
@given(prices, rates, shares, prices, rates, units)
def test_at_the_tying_rate_or_price_the_cost_is_the_baseline_s(price, rate, share, other_price, other_rate, unit):
    cost = estimate.cost_per_quoted_unit(price, rate, share, unit)
    baseline = estimate.cost_per_quoted_unit(other_price, other_rate, share, unit)
    reached = estimate.rate_to_tie(rate, cost, baseline)
    assert estimate.cost_per_quoted_unit(price, reached, share, unit) == near(baseline)
    bargained = estimate.price_to_tie(price, cost, baseline)
    assert estimate.cost_per_quoted_unit(bargained, rate, share, unit) == near(baseline)


@properties
@given(prices, rates, shares, units)
def test_what_ties_with_itself_is_unchanged(price, rate, share, unit):
    cost = estimate.cost_per_quoted_unit(price, rate, share, unit)
    assert estimate.rate_to_tie(rate, cost, cost) == rate
    assert estimate.price_to_tie(price, cost, cost) == price
    assert estimate.share_saved(cost, cost) == 0


@properties
@given(prices, rates, shares, st.integers(1, 4096))
def test_replicas_at_the_same_price_for_each_cost_the_same(price, rate, share, replicas):
    one = estimate.cost_per_quoted_unit(price, rate, share, TOKENS)
    assert estimate.cost_per_quoted_unit(price * replicas, rate * replicas, share, TOKENS) == near(one)


@properties
@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_replicas_and_idle_accelerators_make_the_instance(held, needed):
    (replicas,) = estimate.replicas_held(np.array([held]), needed).tolist()
    idle = held - replicas * needed
    assert (replicas == 0) == (held < needed)
    assert 0 <= idle < needed


@properties
@given(st.lists(prices, min_size=1, max_size=5), rates, shares, units)
def test_arrays_give_what_single_numbers_give(several, rate, share, unit):
    array = estimate.cost_per_quoted_unit(np.array(several), np.full(len(several), rate), share, unit)
    assert array.tolist() == [estimate.cost_per_quoted_unit(price, rate, share, unit) for price in several]


@pytest.mark.parametrize(
    ("ratio", "error", "tied"),
    [(1.08, 0.04, True), (1.08, 0.039, False), (1 / 1.08, 0.04, True), (1.0, 0.01, True), (1.5, 0.1, False)],
)
def test_tied_within_1_96_standard_errors(ratio, error, tied):
    # ln 1.08 = 0.07696; 1.96 × 0.04 = 0.0784; 1.96 × 0.039 = 0.07644.
    assert bool(estimate.is_tied_across_measurements(math.log(ratio), error)) is tied
