"""How sure and how stable an order is: formulas by value and as properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pricing import sureness

costs = st.floats(1e-6, 1e6)


def test_known_answer_eight_percent_with_coefficients_of_4_and_6_percent():
    # √(0.04² + 0.06²) = 0.072111; ln 1.08 = 0.076961; z = 1.06725; Φ(z) = 0.857
    error = math.hypot(0.04, 0.06)
    assert sureness.probability_cheaper(math.log(1.08), error) == pytest.approx(0.857, abs=5e-4)
    # (1.96 / 0.076961)² · 0.0052 = 3.37: four runs.
    assert sureness.runs_to_settle(math.log(1.08), 0.04, 0.06) == 4


@given(st.floats(-3, 3), st.floats(1e-3, 3))
def test_probability_is_scipy_s_normal_and_both_sides_add_to_one(log_ratio, error):
    probability = sureness.probability_cheaper(log_ratio, error)
    assert probability == pytest.approx(norm.cdf(log_ratio / error), abs=1e-12)
    assert probability + sureness.probability_cheaper(-log_ratio, error) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("log_ratio", "probability"), [(0.1, 1.0), (0.0, 0.5), (-0.1, 0.0)])
def test_without_error_it_is_certain(log_ratio, probability):
    assert sureness.probability_cheaper(log_ratio, 0.0) == probability


@given(st.floats(0.01, 2), st.floats(0.001, 1), st.floats(0.001, 1))
def test_after_so_many_runs_it_is_settled_and_not_before(log_ratio, s_a, s_b):
    runs = sureness.runs_to_settle(log_ratio, s_a, s_b)

    def settled(k):
        return log_ratio >= 1.959963984540054 * math.sqrt((s_a**2 + s_b**2) / k) * (1 - 1e-9)

    if runs is None:
        assert not settled(1e6)
    else:
        assert settled(runs)
        assert runs == 1 or not settled(runs - 1.0000001)


def test_equal_costs_are_never_settled():
    assert sureness.runs_to_settle(0.0, 0.1, 0.1) is None


@given(costs, st.floats(1, 100))
def test_at_the_changes_both_cost_the_same(cost, ratio):
    other = cost * ratio
    assert cost * (1 + sureness.rise_to_swap(cost, other)) == pytest.approx(other, rel=1e-12)
    assert other * (1 - sureness.fall_to_swap(cost, other)) == pytest.approx(cost, rel=1e-9)


@given(st.floats(1e-4, 1), st.integers(2, 1000))
def test_scatter_and_error_of_the_mean_are_inverse(s, runs):
    assert sureness.spread_of_runs(sureness.standard_error(s, runs), runs) == pytest.approx(s, rel=1e-12)
