"""Moving: values worked by hand, and what holds for any amounts."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pricing.moving import (
    Amount,
    cost_of_machines,
    cost_of_work,
    net_after,
    payback_months,
    payback_range,
    porting_cost,
    saving,
    verdict,
    warm_up_cost,
)
from pricing.units import UNITS

properties = settings(deadline=None, max_examples=60)
amounts = st.floats(0.01, 1e9)
factors = st.floats(1e-3, 1e3)


def near(value, rel=1e-12):
    return pytest.approx(value, rel=rel, abs=0)


@st.composite
def ranged(draw):
    value = draw(amounts)
    return Amount(value, value * draw(st.floats(0.1, 1)), value * draw(st.floats(1, 10)), True)


def test_one_off_cost():
    # 20 days at 900 and 2,000 for a licence; 40 hours on 2 machines of 35.76 USD an hour.
    assert porting_cost(20, 900, 2_000) == 20_000
    assert porting_cost(lump=5_000) == 5_000
    assert porting_cost() == 0
    assert warm_up_cost(40, 35.76, 2) == near(2_860.8)


def test_monthly_costs():
    # 3 machines at 10 USD an hour for 730 hours.
    assert cost_of_machines(10, 3) == 21_900
    # 5 billion tokens at 0.6 USD per million, 0.5 to 0.75.
    tokens = cost_of_work(Amount(0.6, 0.5, 0.75, True), 5e9, UNITS["output_token"])
    assert (tokens.value, tokens.low, tokens.high) == (near(3_000), near(2_500), near(3_750))
    # 20,000 audio-hours at 0.03 USD; no upper bound stays none.
    audio = cost_of_work(Amount(0.03, 0.02, None, True), 20_000, UNITS["audio_hour"])
    assert audio == Amount(near(600), near(400), None, True)


def test_saving_of_bills_is_exact():
    assert saving(Amount.exact(40_000), Amount.exact(30_000)) == Amount(10_000, 10_000, 10_000, True)


def test_range_of_a_saving_adds_errors_in_squares():
    # 3 and 4 below, 6 and 8 above: 10 - √(3² + 4²) = 5 and 10 + √(6² + 8²) = 20.
    now, after = Amount(30, 27, 36, True), Amount(20, 12, 24, True)
    assert saving(now, after) == Amount(10, 5, 20, True)
    # What is known exactly adds nothing: from 10 - 4 to 10 + 8.
    assert saving(Amount.exact(30), after) == Amount(10, 6, 18, True)


def test_open_and_unknown_ranges():
    assert saving(Amount(30), Amount.exact(20)) == Amount(10)
    # No cost after the move is too high: the lowest saving is open.
    assert saving(Amount.exact(30), Amount(20, 12, None, True)) == Amount(10, None, 18, True)
    assert saving(Amount(30, 27, None, True), Amount.exact(20)) == Amount(10, 7, None, True)


def test_payback():
    # 22,860.80 USD at 10,000 a month.
    assert payback_months(22_860.8, 10_000) == near(2.28608)
    assert payback_months(0, 10) == 0
    assert payback_range(12_000, Amount(2_000, 1_000, 4_000, True)) == (3, 12)
    assert [net_after(20_000, 1_000, m) for m in (0, 12, 24, 36)] == [-20_000, -8_000, 4_000, 16_000]


@pytest.mark.parametrize("monthly", [0, -0.0, -5, -1e300])
def test_nothing_saved_never_pays_back(monthly):
    assert payback_months(10_000, monthly) is None
    assert payback_months(0, monthly) is None
    assert verdict(Amount.exact(monthly)) == verdict(Amount(monthly)) == "never"


def test_a_range_that_includes_nothing_saved_is_open_at_that_end():
    assert payback_range(12_000, Amount(1_000, -500, 4_000, True)) == (3, None)
    assert payback_range(12_000, Amount(1_000, 0, 4_000, True)) == (3, None)
    assert payback_range(12_000, Amount(1_000, None, 4_000, True)) == (3, None)
    assert payback_range(12_000, Amount(1_000, 500, None, True)) == (0, 24)
    assert payback_range(12_000, Amount(-3_000, -5_000, -1_000, True)) == (None, None)


@pytest.mark.parametrize(
    ("monthly", "expected"),
    [
        (Amount(10), "pays_back"),
        (Amount(10, 1, 20, True), "pays_back"),
        (Amount(10, 0, 20, True), "may_pay_back"),
        (Amount(10, None, 20, True), "may_pay_back"),
        (Amount(-10, -30, 20, True), "may_pay_back"),
        (Amount(-10, -30, None, True), "may_pay_back"),
        (Amount(-10, -30, 0, True), "never"),
        (Amount(0), "never"),
    ],
)
def test_verdict(monthly, expected):
    assert verdict(monthly) == expected


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: porting_cost(-3, 900), "the days of work must be 0 or more, not -3"),
        (lambda: porting_cost(3, -900), "the rate of a day must be 0 or more, not -900"),
        (lambda: porting_cost(lump=math.nan), "the sum must be 0 or more, not nan"),
        (lambda: warm_up_cost(-1, 10), "the hours of compiling and warm-up must be 0 or more, not -1"),
        (lambda: warm_up_cost(1, 0), "the price per hour must be above 0, not 0"),
        (lambda: warm_up_cost(1, 10, 0), "the number of machines must be above 0, not 0"),
        (lambda: cost_of_machines(math.inf, 1), "the price per hour must be above 0, not inf"),
        (lambda: cost_of_work(Amount(0.0), 5, UNITS["request"]), "the cost must be above 0, not 0"),
        (lambda: cost_of_work(Amount(1.0), -5, UNITS["request"]), "the work a month must be above 0, not -5"),
        (lambda: payback_months(-1, 5), "the one-off cost must be 0 or more, not -1"),
        (lambda: payback_months(1, math.nan), "the monthly saving must be a number, not nan"),
        (lambda: payback_range(1, Amount(5)), "this saving has no range"),
        (lambda: net_after(1, 5, -1), "the months must be 0 or more, not -1"),
    ],
)
def test_what_cannot_be_says_what_would_be_right(call, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the whole sentence is compared
        call()
    assert str(caught.value) == said


@properties
@given(amounts, amounts)
def test_at_payback_nothing_is_won_or_lost(one_off, monthly):
    months = payback_months(one_off, monthly)
    assert abs(net_after(one_off, monthly, months)) <= 1e-12 * one_off


@properties
@given(amounts, ranged(), ranged(), factors)
def test_scaling_all_amounts_leaves_payback_and_verdict(one_off, now, after, factor):
    def times(amount):
        return Amount(amount.value * factor, amount.low * factor, amount.high * factor, True)

    before, then = saving(now, after), saving(times(now), times(after))
    assume(min(abs(before.low), abs(before.value), abs(before.high)) > 1e-9 * now.high)
    assert verdict(then) == verdict(before)
    for a, b in zip(payback_range(one_off, before), payback_range(one_off * factor, then), strict=True):
        assert b == (None if a is None else near(a, 1e-6))


@properties
@given(ranged(), ranged())
def test_a_saving_lies_in_its_range_and_no_wider_than_the_worst_cases(now, after):
    found = saving(now, after)
    assert found.low <= found.value <= found.high
    slack = 1e-12 * (now.high + after.high)
    assert now.low - after.high - slack <= found.low
    assert found.high <= now.high - after.low + slack
    # The other way round is the same range with the other sign.
    back = saving(after, now)
    assert (back.low, back.high) == (pytest.approx(-found.high, abs=slack), pytest.approx(-found.low, abs=slack))


@properties
@given(amounts, ranged(), ranged())
def test_payback_lies_in_its_range(one_off, now, after):
    found = saving(now, after)
    months, (shortest, longest) = payback_months(one_off, found.value), payback_range(one_off, found)
    if months is not None:
        assert shortest <= months
        assert longest is None or months <= longest
