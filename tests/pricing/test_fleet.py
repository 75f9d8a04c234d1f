"""Fleets: whole machines, what they cost, and what is worth reserving, by value and as properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import fleet
from pricing.billed import billed_hours, worth_reserving
from pricing.demand import of_hours
from pricing.fleet import Running
from pricing.units import UNITS

UNIT = UNITS["output_token"]


def test_known_answer():
    # 52,000 / (9,000 · 0.8) = 7.2: 8 machines. 8 · 6.88 · 730 = 40,179.2 USD a month for
    # 18,000 · 3600 · 730 = 47,304M tokens: 0.849; at full load 6.88 / 32.4 = 0.212.
    assert fleet.machines_for(52_000, 9_000, 0.2) == 8
    monthly = fleet.cost_of_hours(6.88, fleet.monthly_hours(8, 1))
    assert monthly == pytest.approx(40_179.2, rel=1e-12)
    assert fleet.cost_per_served(monthly, 18_000, UNIT) == pytest.approx(0.849, abs=5e-4)
    used = fleet.used_cost(18_000, 6.88, 9_000)
    assert fleet.cost_per_served(used, 18_000, UNIT) == pytest.approx(6.88 / 32.4, rel=1e-12)
    assert fleet.achieved_utilization(18_000, fleet.monthly_hours(8, 1), 9_000) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("demand", "rate", "headroom", "least", "machines"),
    [
        (0, 10, 0, 0, 0),
        (0, 10, 0, 2, 2),
        (10, 10, 0, 0, 1),
        (10.0001, 10, 0, 0, 2),
        (0.3, 0.1, 0, 0, 3),
        (8, 10, 0.2, 0, 1),
    ],
)
def test_an_exact_multiple_needs_no_machine_more(demand, rate, headroom, least, machines):
    assert fleet.machines_for(demand, rate, headroom, least) == machines


@pytest.mark.parametrize("given_", [(1, 1, 1.0), (1, 1, -0.1), (1, 1, math.nan), (1, 1, 0, -1), (1e30, 1e-6)])
def test_what_can_t_be_is_refused(given_):
    with pytest.raises(ValueError, match=r"can't be|more than"):
        fleet.machines_for(*given_)


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 0.9))
def test_cost_never_falls_with_demand(one, two, rate, headroom):
    low, high = sorted((one, two))
    assert fleet.machines_for(low, rate, headroom) <= fleet.machines_for(high, rate, headroom)


def test_mix_by_hand():
    # Machine 1 is needed always, machine 2 in 12 of 24 hours, machine 3 in 4.
    needed = [3] * 4 + [2] * 8 + [1] * 12
    found = fleet.levels_of(needed, Running())
    assert billed_hours(found) == 24 + 12 + 4
    # On demand 10, reserved 6: worth it above 60 % of the hours, so machine 1 alone.
    assert worth_reserving(found, 24, 10, 6) == 1
    # 6 · 24 + 10 · 16 = 304 USD a day.
    assert fleet.mixed_cost(found, 24, 10, 6, 1) == pytest.approx(304 * 730 / 24, rel=1e-12)
    # At 4.9 machine 2 is worth it, too: 2 · 4.9 · 24 + 10 · 4 = 275.2.
    assert worth_reserving(found, 24, 10, 4.9) == 2
    assert fleet.mixed_cost(found, 24, 10, 4.9, 2) == pytest.approx(275.2 * 730 / 24, rel=1e-12)


@given(st.lists(st.integers(0, 9), min_size=24, max_size=24).filter(any), st.floats(1, 100), st.floats(1, 100))
def test_no_other_number_of_reserved_machines_is_cheaper(needed, price, reserved_price):
    found = fleet.levels_of(needed, Running())
    best = worth_reserving(found, 24, price, reserved_price)
    cost = fleet.mixed_cost(found, 24, price, reserved_price, best)
    assert all(
        cost <= fleet.mixed_cost(found, 24, price, reserved_price, n) * (1 + 1e-9) for n in range(max(needed) + 1)
    )


def test_steps_hold_the_cost_on_both_sides_of_a_machine_more():
    points = fleet.steps(6.88, 9_000, Running(0.2), 52 / 18, 8, UNIT)
    # One machine up to a mean of 9,000 · 0.8 · 18 / 52 = 2,492.3 tokens/s: 6.88 / 3600 / 2492.3 · 1e6 = 0.7668.
    at_end = [cost for mean, cost in points if mean == pytest.approx(2492.3077, rel=1e-6)]
    assert [at_end[0], at_end[-1]] == pytest.approx([0.76681, 2 * 0.76681], rel=1e-4)
    assert len(points) <= 200


def test_hours_of_machines_follow_the_demand():
    demand = of_hours([10.0] * 12 + [25.0] * 12)
    assert fleet.machines_by_hour(demand, 10, Running(least=2)) == (2,) * 12 + (3,) * 12
