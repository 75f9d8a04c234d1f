"""Committing against on demand: values worked by hand, and what holds for any prices and chances."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pricing.commitments import (
    Plan,
    break_even_month,
    chance_needed,
    chance_to_tie,
    committed,
    cost_if_stopped,
    expected_owed,
    on_demand_cost,
    owed_after,
    owned,
    paid_by,
    stop_chances,
    times,
    weigh,
)

properties = settings(deadline=None, max_examples=60)
prices = st.floats(0.01, 1e4)
terms = st.integers(1, 60)
falls = st.one_of(st.just(0.0), st.floats(0.001, 0.9))
upfronts = st.floats(0, 1)
horizons = st.integers(1, 72)
factors = st.floats(1e-3, 1e3)


def near(value, rel=1e-12):
    return pytest.approx(value, rel=rel, abs=0)


@st.composite
def chances(draw):
    horizon = draw(horizons)
    way = draw(st.sampled_from(["monthly", "month", "list"]))
    if way == "monthly":
        return stop_chances(horizon, monthly=draw(st.floats(0, 1)))
    if way == "month":
        return stop_chances(horizon, month=draw(st.integers(1, horizon)))
    weights = draw(st.lists(st.floats(0, 1), min_size=1, max_size=horizon))
    return stop_chances(horizon, by_month=[w / max(sum(weights), 1) for w in weights])


@st.composite
def plans(draw):
    if draw(st.booleans()):
        return committed(draw(prices), draw(terms), draw(upfronts))
    capex = draw(st.floats(1, 1e6))
    resale = capex * draw(st.floats(0, 1))
    return owned(capex, draw(terms), draw(st.floats(0, 100)), draw(st.floats(0, 1e5)), resale)


def test_break_even_of_the_known_answer():
    # 12 months at 6.5 are 12 · 730 · 6.5 = 56,940 USD; on demand at 10 they are reached after 7.8 months.
    plan = committed(6.5, 12)
    assert break_even_month(plan, 10) == near(7.8)
    assert plan.total == near(56_940)
    assert on_demand_cost(10, 7.8) == near(56_940)
    assert plan.price_usd_per_hour == near(6.5)


@pytest.mark.parametrize("price", [10, 10.01, 200])
@pytest.mark.parametrize("upfront", [0, 0.3, 1])
@pytest.mark.parametrize("fall", [0, 0.2])
def test_a_commitment_that_is_no_cheaper_never_breaks_even(price, upfront, fall):
    assert break_even_month(committed(price, 12, upfront), 10, fall) is None


def test_a_term_of_days():
    # A capacity block of 14 days, in months of 730 hours: 336 / 730.
    term = 336 / 730
    assert break_even_month(committed(6, term), 8) == near(0.75 * term)


def test_on_demand_with_falling_prices():
    # A fall of 1 - 0.5^12 a year halves the price every month: 730 · 8 · (1 + 1/2 + 1/4 · 0.5).
    assert on_demand_cost(8, 2.5, 1 - 0.5**12) == near(730 * 8 * 1.625)
    assert on_demand_cost(8, 3) == 730 * 8 * 3
    assert on_demand_cost(8, 0, 0.5) == 0
    # A year at a fall of 20 %: the sum of twelve months, written out.
    months = [730 * 10 * 0.8 ** (k / 12) for k in range(12)]
    assert on_demand_cost(10, 12, 0.2) == near(math.fsum(months))
    # Hardly any fall is hardly any change.
    assert on_demand_cost(10, 12, 1e-15) == near(730 * 10 * 12)
    assert on_demand_cost(10, 12, 5e-324) == near(730 * 10 * 12)


def test_break_even_with_falling_prices_is_interpolated_in_its_month():
    # The price halves every month: 730 · 8 · (1, 1.5, 1.75, …). Two months at 5.5 are owed: 730 · 11,
    # reached 3/4 into the second month, since 8 + 0.75 · 4 = 11.
    fall = 1 - 0.5**12
    assert break_even_month(committed(5.5, 2), 8, fall) == near(1.75)
    # Three months at 5 are 15, and on demand never costs more than 14 in three months.
    assert break_even_month(committed(5, 3), 8, fall) is None
    # Without the fall: 3 · 5 / 8.
    assert break_even_month(committed(5, 3), 8) == near(1.875)


def test_costs_by_stopping_month():
    plan = committed(6, 12, upfront_share=0.5)
    # 12 · 730 · 6 = 52,560 is owed wherever it stops within the term.
    assert cost_if_stopped(plan, 10, 1) == cost_if_stopped(plan, 10, 12) == near(52_560)
    # After the term it goes on at the on-demand price: two months of 7,300.
    assert cost_if_stopped(plan, 10, 14) == near(52_560 + 14_600)
    # Half at once, the rest in twelve parts of 2,190.
    assert paid_by(plan, 10, 0) == near(26_280)
    assert paid_by(plan, 10, 4) == near(26_280 + 4 * 2_190)
    assert paid_by(plan, 10, 14) == near(52_560 + 14_600)
    assert [owed_after(plan, k) for k in (0, 4, 12, 30)] == [near(26_280), near(8 * 2_190), 0, 0]
    assert owed_after(committed(6, 12, 1), 0) == 0


def test_what_is_owed_on_average_and_by_several_machines():
    # 2,190 a month are owed: 3, 2, 1, 0 months of them with chances 1/2, 1/4, 1/8, 1/8.
    plan = committed(3, 4)
    assert expected_owed(plan, stop_chances(4, monthly=0.5)) == near(2_190 * (1.5 + 0.5 + 0.125))
    assert times(owned(100, 4, 1, 12, 50), 3) == Plan(4, near(3 * 104), 300, near(2_190), 150)


def test_after_the_term_the_price_is_the_fallen_one():
    # Halved every month, a term of 1 month: months 2 and 3 cost 730 · 4 and 730 · 2.
    assert cost_if_stopped(committed(3, 1), 8, 3, 1 - 0.5**12) == near(730 * (3 + 4 + 2))


def test_owned_machine():
    # 240,000 for 48 months, 2 USD of power per hour in use, 12,000 a year of hosting, sold for 24,000.
    plan = owned(240_000, 48, running=2, yearly=12_000, resale=24_000)
    assert plan.total == near(240_000 + 4 * 12_000)
    assert plan.upfront == 240_000
    assert cost_if_stopped(plan, 20, 10) == near(288_000 + 10 * 1_460 - 24_000)
    # 264,000 / (730 · 20 - 1,460) = 264,000 / 13,140.
    assert break_even_month(plan, 20) == near(20.091324200913242)
    # Power alone costs as much as on demand: never.
    assert break_even_month(plan, 2) is None
    assert paid_by(plan, 20, 12) == near(240_000 + 12_000 + 12 * 1_460)
    assert paid_by(plan, 20, 48) == near(288_000 + 48 * 1_460 - 24_000)
    # The price of an hour over its whole life: 264,000 / (730 · 48) + 2.
    assert plan.price_usd_per_hour == near(264_000 / 35_040 + 2)


def test_chances_to_stop():
    assert stop_chances(3) == (0, 0, 1)
    assert stop_chances(3, monthly=0.5) == (0.5, 0.25, 0.25)
    assert stop_chances(3, monthly=1) == (1, 0, 0)
    assert stop_chances(1, monthly=0.4) == (1,)
    assert stop_chances(4, month=2) == (0, 1, 0, 0)
    assert stop_chances(4, by_month=[0.25, 0, 0.25]) == (0.25, 0, 0.25, 0.5)
    assert stop_chances(2, by_month=[0.5, 0.5]) == (0.5, 0.5)
    assert math.fsum(stop_chances(10, by_month=[0.1] * 10)) == near(1)


def test_expected_costs_and_regret():
    # Two months at 6 are owed: 8,760 USD; on demand at 10: 7,300 after one month, 14,600 after two.
    weighed = weigh(committed(6, 2), 10, stop_chances(2, monthly=0.75))
    assert weighed.on_demand == (7_300, 14_600)
    assert weighed.committed == (8_760, 8_760)
    # 0.75 · 7,300 + 0.25 · 14,600.
    assert weighed.expected_on_demand == near(9_125)
    assert weighed.expected_committed == near(8_760)
    assert weighed.regrets_committed == (1_460, 0)
    assert weighed.regrets_on_demand == (0, 5_840)
    assert weighed.choice == "commit"
    assert weighed.break_even == near(1.2)
    # 7,300 + 7,300 · (1 - p) = 8,760 where p = 0.8.
    assert chance_to_tie(weighed) == near(0.8)
    assert weigh(committed(6, 2), 10, stop_chances(2, monthly=0.85)).choice == "on_demand"
    assert weigh(committed(6, 2), 10, stop_chances(2, monthly=0.8)).choice == "equal"


def test_chance_of_being_needed_till_break_even():
    few = stop_chances(3, monthly=0.5)
    assert [chance_needed(few, m) for m in (0, 1, 1.2, 2, 2.5, 3, 3.1)] == [1, 1, 0.5, 0.5, 0.25, 0.25, 0]


def test_no_chance_ties_what_is_always_dearer_or_always_cheaper():
    assert chance_to_tie(weigh(committed(12, 12), 10, stop_chances(12))) is None
    assert chance_to_tie(weigh(committed(3, 1), 10, stop_chances(12))) is None
    # Power dearer than the fallen list price: months of need speak for it first and against it later.
    assert chance_to_tie(weigh(Plan(12, 100, running=2000), 5, stop_chances(12), 0.9)) is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: committed(0, 12), "the committed price must be above 0 USD per hour, not 0"),
        (lambda: committed(-6.5, 12), "the committed price must be above 0 USD per hour, not -6.5"),
        (lambda: committed(math.nan, 12), "the committed price must be above 0 USD per hour, not nan"),
        (lambda: committed(math.inf, 12), "the committed price must be above 0 USD per hour, not inf"),
        (lambda: committed(6, 0), "the term must be above 0 and at most 600 months, not 0"),
        (lambda: committed(6, 601), "the term must be above 0 and at most 600 months, not 601"),
        (lambda: committed(6, 12, 1.5), "the share paid upfront must be from 0 to 1 (50% is 0.5), not 1.5"),
        (lambda: owned(0, 48), "the purchase price must be above 0 USD, not 0"),
        (lambda: owned(10, 48, resale=11), "the resale value must be at most the purchase price 10, not 11"),
        (lambda: owned(10, 48, running=-1), "the running cost must be 0 or more, not -1"),
        (lambda: owned(10, 48, yearly=math.nan), "the yearly cost must be 0 or more, not nan"),
        (lambda: times(committed(1, 2), 0), "the number of machines must be above 0, not 0"),
        (lambda: on_demand_cost(0, 3), "the on-demand price must be above 0 USD per hour, not 0"),
        (lambda: on_demand_cost(1, -3), "a number of months must be 0 or more, not -3"),
        (lambda: on_demand_cost(1, 3, 1),
         "the yearly fall of prices must be at least 0 and below 1 (20% is 0.2), not 1"),
        (lambda: break_even_month(committed(1, 2), 0), "the on-demand price must be above 0 USD per hour, not 0"),
        (lambda: owed_after(committed(1, 2), -1), "a number of months must be 0 or more, not -1"),
        (lambda: cost_if_stopped(committed(1, 2), 1, math.nan), "a number of months must be 0 or more, not nan"),
        (lambda: stop_chances(0), "the horizon must be a whole number of months from 1 to 600, not 0"),
        (lambda: stop_chances(1.5), "the horizon must be a whole number of months from 1 to 600, not 1.5"),
        (lambda: stop_chances(math.inf), "the horizon must be a whole number of months from 1 to 600, not inf"),
        (lambda: stop_chances(math.nan), "the horizon must be a whole number of months from 1 to 600, not nan"),
        (lambda: stop_chances(12, monthly=1.01),
         "the chance to stop must be from 0 to 1 a month (3% is 0.03), not 1.01"),
        (lambda: stop_chances(12, month=13), "the last month must be a whole number from 1 to the horizon 12, not 13"),
        (lambda: stop_chances(12, by_month=[0.2, -0.1]),
         "the chance of month 2 must be from 0 to 1 (3% is 0.03), not -0.1"),
        (lambda: stop_chances(12, by_month=[0.7, 0.4]),
         "the chances of the months sum to 1.1, and must sum to at most 1"),
        (lambda: stop_chances(1, by_month=[0.7, 0.2]),
         "2 chances are given, and the horizon is 1 months; give one a month"),
        (lambda: stop_chances(12, 0.1, 3),
         "say once when it may stop: a chance per month, a month, or a chance for each month"),
    ],
)  # fmt: skip
def test_what_cannot_be_says_what_would_be_right(call, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the whole sentence is compared
        call()
    assert str(caught.value) == said


@properties
@given(prices, terms, upfronts, prices)
def test_plain_break_even_is_its_formula(price, term, upfront, list_price):
    found = break_even_month(committed(price, term, upfront), list_price)
    assert found == (None if price >= list_price else near(term * price / list_price))


@properties
@given(plans(), prices, falls)
def test_at_break_even_the_costs_agree(plan, price, fall):
    month = break_even_month(plan, price, fall)
    assume(month is not None)
    assert 0 <= month <= plan.term_months * (1 + 1e-12)
    dearest = max(plan.total, plan.running * plan.term_months)
    uncommitted = on_demand_cost(price, month, fall)
    assert abs(uncommitted - cost_if_stopped(plan, price, month, fall)) <= 1e-10 * max(dearest, uncommitted)


@properties
@given(prices, terms, upfronts, prices, falls, chances(), factors)
def test_scaling_all_prices_leaves_break_even_and_choice(price, term, upfront, list_price, fall, stops, factor):
    before = weigh(committed(price, term, upfront), list_price, stops, fall)
    after = weigh(committed(price * factor, term, upfront), list_price * factor, stops, fall)
    # Where both are within rounding of each other, scaling may round to the other side.
    assume(abs(before.expected_committed - before.expected_on_demand) > 1e-9 * before.expected_on_demand)
    assume(abs(price * term * 730 / on_demand_cost(list_price, term, fall) - 1) > 1e-9)
    assert after.choice == before.choice
    assert after.break_even == (None if before.break_even is None else near(before.break_even, 1e-9))
    assert max(after.regrets_committed) == pytest.approx(factor * max(before.regrets_committed), rel=1e-9, abs=1e-6)


@properties
@given(plans(), prices, falls, chances())
def test_expected_costs_lie_between_least_and_largest(plan, price, fall, stops):
    weighed = weigh(plan, price, stops, fall)
    for expected, costs in (
        (weighed.expected_on_demand, weighed.on_demand),
        (weighed.expected_committed, weighed.committed),
    ):
        slack = 1e-12 * max(map(abs, costs))
        assert min(costs) - slack <= expected <= max(costs) + slack


@properties
@given(plans(), prices, falls, chances())
def test_regret_is_never_negative_and_one_choice_has_none(plan, price, fall, stops):
    weighed = weigh(plan, price, stops, fall)
    for pair in zip(weighed.regrets_committed, weighed.regrets_on_demand, strict=True):
        assert min(pair) == 0


@properties
@given(plans())
def test_what_is_owed_falls_to_nothing_at_the_end_of_the_term(plan):
    owed = [owed_after(plan, k) for k in range(int(plan.term_months) + 3)]
    assert owed == sorted(owed, reverse=True)
    assert owed[0] == near(plan.total - plan.upfront)
    assert owed[int(plan.term_months) :] == [0, 0, 0]


@properties
@given(chances())
def test_chances_sum_to_one(stops):
    assert math.fsum(stops) == near(1, 1e-9)
    assert min(stops) >= 0


@properties
@given(prices, st.floats(0, 120), st.floats(0, 120), falls)
def test_on_demand_never_falls_with_more_months(price, some, more, fall):
    few, many = sorted((some, more))
    slack = 1 + 1e-12
    assert on_demand_cost(price, few, fall) <= on_demand_cost(price, many, fall) * slack
    assert on_demand_cost(price, many, fall) <= on_demand_cost(price, many) * slack


@properties
@given(prices, terms, st.floats(1.01, 50), horizons)
def test_the_chance_that_ties_ties(price, term, times_as_dear, horizon):
    list_price = price * times_as_dear
    tie = chance_to_tie(weigh(committed(price, term), list_price, stop_chances(horizon)))
    if tie is None:
        # One of the two is cheaper even if it is never stopped, or always after a month.
        never, at_once = (
            weigh(committed(price, term), list_price, stop_chances(horizon, monthly=chance)) for chance in (0.0, 1.0)
        )
        assert (never.expected_saving > 0) == (at_once.expected_saving > 0)
        return
    weighed = weigh(committed(price, term), list_price, stop_chances(horizon, monthly=tie))
    assert weighed.expected_on_demand == near(weighed.expected_committed, 1e-9)
