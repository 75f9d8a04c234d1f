"""Billing of machines that run only while they are needed, by hand and by property."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.billed import Level, billed_hours, levels, worth_reserving


def day(counts):
    """Return 24 counts, 0 where none is given."""
    return [counts.get(hour, 0) for hour in range(24)]


def on(*hours):
    return day(dict.fromkeys(hours, 1))


@pytest.mark.parametrize(
    ("hours", "start_up", "step", "billed"),
    [
        ((9, 10, 11), 0, 60, 3.0),
        # 180 min and 6 of start-up.
        ((9, 10, 11), 6, 1, 3.1),
        # 186 min are four steps of 60.
        ((9, 10, 11), 6, 60, 4.0),
        # Over midnight: one run of 180 min, one start.
        ((23, 0, 1), 6, 1, 3.1),
        # Two runs of 66 min each.
        ((0, 2), 6, 1, 2.2),
        # To start again takes as long as the gap: kept, 120 + 180.
        ((0, 2), 120, 60, 5.0),
        # The first step of four hours covers both.
        ((0, 2), 0, 240, 4.0),
        # A step of two days: no dearer than always on.
        ((9, 10), 0, 2880, 24.0),
        (range(24), 30, 45, 24.0),
        # 0.1 min is not a binary fraction; 60 min are exactly 600 steps.
        ((5,), 0, 0.1, 1.0),
    ],
)
def test_one_machine_by_hand(hours, start_up, step, billed):
    (level,) = levels(on(*hours), start_up, step)
    assert level.billed == pytest.approx(billed, rel=1e-12)
    assert level.needed == len(list(hours))


def test_machines_needed_in_the_same_hours_are_one_level():
    # 2 all day, 5 more from 9 to 11: 2 · 24 + 5 · (2 + 0.25) = 59.25
    found = levels(day(dict.fromkeys(range(24), 2) | {9: 7, 10: 7}), 15, 1)
    assert found == (Level(2, 24.0, 24.0), Level(5, 2.0, 2.25))
    assert billed_hours(found) == 59.25


def test_nothing_needed_bills_nothing():
    assert levels([0] * 24, 10, 60) == ()


def test_a_year_is_billed_as_its_days():
    one = on(*range(8, 18))
    assert levels(one * 365, 10, 60)[0].billed == 365 * levels(one, 10, 60)[0].billed == 365 * 11


def test_reserved_where_needed_often_enough():
    # Billed for 24, 12 and 6 of 24 hours. At 10 by the hour and 4 reserved the share must be above 0.4.
    found = levels(day({h: 1 + (h < 12) + (h < 6) for h in range(24)}), 0, 60)
    assert [worth_reserving(found, 24, 10, p) for p in (2, 4, 5, 6, 10)] == [3, 2, 1, 1, 0]


COUNTS = st.lists(st.integers(0, 4), min_size=24, max_size=24)
MINUTES = st.sampled_from([0, 6, 60, 70, 120, 150.5, 2000])
STEPS = st.sampled_from([1 / 60, 0.1, 1, 7, 45, 60, 90, 240, 1440, 44_640])


@given(COUNTS, st.lists(st.integers(0, 2), min_size=24, max_size=24), MINUTES, STEPS)
def test_more_demand_never_bills_less(counts, more, start_up, step):
    grown = [a + b for a, b in zip(counts, more, strict=True)]
    for days in (1, 2):
        less, rest = (billed_hours(levels(each * days, start_up, step)) for each in (counts, grown))
        assert rest >= less * (1 - 1e-12)


@given(COUNTS, MINUTES, STEPS)
def test_between_the_hours_needed_and_always_on_and_never_rising(counts, start_up, step):
    found = levels(counts, start_up, step)
    assert sum(level.machines for level in found) == max(counts)
    assert sum(level.machines * level.needed for level in found) == sum(counts)
    assert all(level.needed <= level.billed * (1 + 1e-6) <= 24 * (1 + 1e-6) for level in found)
    assert all(b.billed <= a.billed for a, b in pairwise(found))


def least_steps(hours, start_up, step):
    """Return the fewest steps for hours on a line, by trying every way to put them into runs."""
    best = [0] + [math.inf] * len(hours)
    for end in range(1, len(hours) + 1):
        for begin in range(end):
            minutes = 60 * (hours[end - 1] + 1 - hours[begin]) + start_up
            best[end] = min(best[end], best[begin] + math.ceil(minutes / step - 1e-9))
    return best[-1]


@given(st.sets(st.integers(0, 29), min_size=1, max_size=29), MINUTES, st.sampled_from([1, 7, 45, 60, 90, 240]))
def test_no_other_way_bills_less(hours, start_up, step):
    (level,) = levels([int(h in hours) for h in range(30)], start_up, step)
    assert level.billed == min(least_steps(sorted(hours), start_up, step) * step / 60, 30)


def test_a_year_of_many_levels_takes_seconds_at_most():
    counts = [hour * 7919 % 1000 + 1 for hour in range(8760)]
    begun = time.perf_counter()
    assert sum(level.machines for level in levels(counts, 10, 60)) == max(counts)
    assert time.perf_counter() - begun < 5
