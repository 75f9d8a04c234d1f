"""Claims of more units per dollar: the formulas, by value and as properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import claims

amounts = st.floats(1e-6, 1e6)
shares = st.floats(0.01, 1)


def test_seventy_percent_more_per_dollar_is_a_ratio_of_1_7_and_41_2_percent_cheaper():
    assert claims.ratio_of_share_more(0.7) == pytest.approx(1.7, rel=1e-15)
    # 1 - 1/1.7 = 0.7/1.7 = 7/17
    assert claims.ratio_of_share_cheaper(7 / 17) == pytest.approx(1.7, rel=1e-15)


def test_known_answer_of_the_factor():
    # P_A = 10, P_B = 8, r = 1.7: 1.7 · 8 / 10 = 1.36
    assert claims.factor_needed(1.7, 10, 8) == pytest.approx(1.36, rel=1e-15)


def test_nothing_is_a_hundred_percent_cheaper():
    with pytest.raises(ValueError, match="write a share below 1"):
        claims.ratio_of_share_cheaper(1.0)


@given(amounts, amounts, amounts, amounts, shares, shares)
def test_at_the_factor_the_units_per_dollar_are_r_times(ratio, price_a, price_b, rate_a, share_a, share_b):
    rate_b = rate_a * claims.factor_needed(ratio, price_a, price_b, share_a, share_b)
    assert rate_b * share_b / price_b == pytest.approx(ratio * rate_a * share_a / price_a, rel=1e-12)


@given(amounts, amounts, amounts)
def test_scaling_both_prices_leaves_the_factor(price_a, price_b, scale):
    scaled = claims.factor_needed(1.7, scale * price_a, scale * price_b)
    assert scaled == pytest.approx(claims.factor_needed(1.7, price_a, price_b), rel=1e-12)


@given(amounts, amounts, amounts)
def test_at_the_price_needed_the_actual_ratio_is_the_claim(ratio, price_b, actual):
    price = claims.price_needed(ratio, price_b, actual)
    # The ratio of units per dollar goes with 1 / P_B.
    assert actual * price_b / price == pytest.approx(ratio, rel=1e-12)


def test_interval_of_a_ratio_by_hand():
    # Standard errors 3 % and 4 % of the mean: √(0.03² + 0.04²) = 0.05; 1.96 · 0.05 = 0.098 on the log scale.
    low, high = claims.ratio_interval(1.5, 0.03, 0.04)
    assert low == pytest.approx(1.5 * math.exp(-0.0979982), rel=1e-6)
    assert high == pytest.approx(1.5 * math.exp(0.0979982), rel=1e-6)


@pytest.mark.parametrize("errors", [(None, 0.1), (0.1, None), (None, None), (1e300, 1e300)])
def test_no_interval_without_both_errors(errors):
    assert claims.ratio_interval(1.5, *errors) is None


@given(amounts, st.floats(0, 2), st.floats(0, 2))
def test_interval_of_the_inverse_is_the_inverse_of_the_interval(ratio, a, b):
    low, high = claims.ratio_interval(ratio, a, b)
    other_low, other_high = claims.ratio_interval(1 / ratio, b, a)
    assert (other_low, other_high) == pytest.approx((1 / high, 1 / low), rel=1e-9)


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((1.7, 1.9), "supported"),
        ((1.2, 1.69), "not_supported"),
        ((1.6, 1.8), "inconclusive"),
        ((1.5, 1.7), "inconclusive"),
        (None, "inconclusive"),
    ],
)
def test_verdict_by_where_the_claim_lies(interval, said):
    assert claims.verdict(1.7, interval) == said
    assert said in claims.VERDICTS
