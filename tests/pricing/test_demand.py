"""Demand: from hours, from a month, from a peak and a mean, from a file."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.demand import Demand, of_hours, of_month, of_peak_and_mean, read_demand, units_per_month, write_demand
from pricing.errors import InvalidInputError
from pricing.units import UNITS

DAY = [float(100 * h) for h in range(24)]  # mean 100 · 23 / 2 = 1150, peak 2300


def faults(make, *given):
    with pytest.raises(InvalidInputError) as caught:
        make(*given)
    return [(".".join(map(str, fault.loc)), fault.msg) for fault in caught.value.faults]


def test_hours_have_a_mean_and_a_peak():
    assert of_hours(DAY) == Demand(1150.0, 2300.0, tuple(DAY))
    assert of_hours(DAY).repeats_daily
    assert not of_hours([1.0] * 8760).repeats_daily


def test_a_month_of_units():
    # 730 · 3600 = 2,628,000 s; 2,628,000,000 tokens are 1000 tokens/s.
    assert of_month(2_628_000_000, 3, UNITS["output_token"]) == Demand(1000.0, 3000.0)
    # 7300 audio-hours in 730 hours are an RTFx of 10.
    assert of_month(7300, 2, UNITS["audio_hour"]) == Demand(10.0, 20.0)
    assert units_per_month(Demand(10.0, 20.0), UNITS["audio_hour"]) == 7300
    assert units_per_month(Demand(1000.0, 3000.0), UNITS["output_token"]) == 2_628_000_000


def test_a_peak_that_is_the_mean_says_that_all_hours_are_alike():
    assert of_peak_and_mean(5, 5).hours == (5,) * 24
    assert of_peak_and_mean(6, 5).hours is None


@given(st.floats(1e-3, 1e12))
def test_a_mean_is_never_above_the_peak(value):
    demand = of_hours([value] * 24)
    assert demand.mean <= demand.peak == value


LINES = [str(int(value)) for value in DAY]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LINES),
        "demand\n" + "\n".join(LINES) + "\n\n",
        "\ufeffhour,demand\r\n" + "\r\n".join(f"{h},{v}" for h, v in enumerate(LINES)),
        "\n".join(f"{h},{v}" for h, v in enumerate(LINES, 1)),
        '"hour";"tokens per second"\n' + "\n".join(f'"{h}";"{v}"' for h, v in enumerate(LINES)),
        "hour\tdemand_2026\n" + "\n".join(f"{h}\t{v}" for h, v in enumerate(LINES)),
        " ".join(LINES),
        ", ".join(LINES),
        ";".join(LINES),
        "\n".join([f"{v / 1000}k" for v in DAY]),
        "time,demand\n" + "\n".join(f"2026-01-01T{h:02}:00Z,{v}" for h, v in enumerate(LINES)),
        "\n".join(f"2026-01-01 {h:02}:00:00,{v}" for h, v in enumerate(LINES)),
    ],
)
def test_ways_to_write_a_day(text):
    assert read_demand(text) == of_hours(DAY)


@given(st.lists(st.floats(0, 1e15), min_size=24, max_size=24).filter(lambda values: max(values) > 1e-290))
def test_written_and_read_again(values):
    assert read_demand(write_demand(values)) == of_hours(values)


def changed(line, text):
    return "\n".join([*LINES[:line], text, *LINES[line + 1 :]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n".join(["5"] * 8759), "8,759 hourly values are given, and 24 (a typical day) or 8,760 (a year) are needed"),
        ("\n".join(["5"] * 8784), "8,784 hourly values are given, and 24 (a typical day) or 8,760 (a year) are needed; "
         "leave out 29 February"),
        ("", "0 hourly values"),
        ("5", "1 hourly values are given"),
        ("\n".join(["0"] * 24), "the demand is 0 in all hours"),
        (changed(4, "-3"), "line 5: '-3' can't be"),
        (changed(4, "many"), "line 5: 'many' is not a number"),
        (changed(0, "nan"), "line 1: 'nan' is not a number"),
        (changed(4, ""), "line 5: a number is missing"),
        (changed(4, "1e400"), "line 5: '1e400' is too large"),
        (changed(4, "1e16"), "line 5: '1e16' can't be"),
        (changed(4, "1,234"), "line 5: 2 columns, and the first line has 1"),
        (changed(4, "4;0,5"), "line 5: 2 columns"),
        (changed(4, "4,5,6"), "line 5: 3 columns"),
        ("\n".join(f"{h},5" for h in [*range(12), *range(13, 25)]), "line 13: hour '13' should be 12"),
        ("\n".join(f"2026-01-01T{h:02}:00,5" for h in [*range(12), *range(13, 24)]),
         "line 13: hour '2026-01-01T13:00' should be 2026-01-01T12:00:00"),
        ("\x00" * 30, "is not a number"),
        (" ".join(["4"] * 23 + ["x"]), "value 24: 'x' is not a number"),
    ],
)  # fmt: skip
def test_what_cant_be_read_is_named(text, message):
    found = faults(read_demand, text)
    assert found[0][0] == "demand"
    assert message in found[0][1]
    assert len(found) <= 10


@pytest.mark.parametrize(
    ("make", "given_", "field"),
    [
        (of_hours, ([1.0] * 23 + [math.nan],), "demand"),
        (of_hours, ([1.0] * 23 + [-1.0],), "demand"),
        (of_hours, ([],), "demand"),
        (of_peak_and_mean, (1.0, 2.0), "peak"),
        (of_peak_and_mean, (0.0, 0.0), "peak"),
        (of_peak_and_mean, (1.0, 0.0), "mean"),
        (of_peak_and_mean, (1.0, -1.0), "mean"),
        (of_peak_and_mean, (math.nan, 1.0), "peak"),
        (of_peak_and_mean, (math.inf, 1.0), "peak"),
        (of_month, (0.0, 2.0, UNITS["request"]), "units_per_month"),
        (of_month, (math.nan, 2.0, UNITS["request"]), "units_per_month"),
        (of_month, (1e9, 0.5, UNITS["request"]), "peak_to_mean"),
        (of_month, (1e9, math.inf, UNITS["request"]), "peak_to_mean"),
    ],
)
def test_demand_that_cant_be(make, given_, field):
    assert [name for name, _ in faults(make, *given_)] == [field]
