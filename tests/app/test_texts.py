"""Numbers as people read them, by value."""

from __future__ import annotations

import pytest

from app.format import compact, cost_cell, exact, figure, number_cell, price, range_text, whole, words
from pricing.wording import percent, significant

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5972222222222222, "0.597"), (0.0000023, "0.00000230"), (1234.5, "1,230"), (0, "0"), (None, "n/a"),
        (NAN, "n/a"), (INF, "n/a"), (-INF, "n/a"), (99.96, "100"), (999.6, "1,000"), (5, "5.00"), (9.996, "10.0"),
        (99.94, "99.9"), (100, "100"), (0.0001, "0.000100"), (0.00009999, "0.000100"), (1e-9, "0.00000000100"),
        (1e-12, "1.00e-12"), (9.99e14, "999,000,000,000,000"), (2.5e15, "2.50e+15"), (12345678, "12,300,000"),
        (0.00012345, "0.000123"), (5e-324, "4.94e-324"), (1.7976931348623157e308, "1.80e+308"),
    ],
)  # fmt: skip
def test_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1234.5, 5, "1,234.5"), (1234.5, 2, "1,200"), (0.0000023, 1, "0.000002"), (21.5, 4, "21.50")],
)
def test_other_numbers_of_digits(value, digits, text):
    assert significant(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (21.5, "21.50"), (1.34375, "1.3438"), (0.878, "0.878"), (25804.8, "25,804.80"), (0.0042, "0.00420"),
        (0.1, "0.10"), (0.09999, "0.100"), (3, "3.00"), (14.5593, "14.5593"), (2.39, "2.39"), (1000000, "1,000,000.00"),
        (None, "n/a"), (NAN, "n/a"), (INF, "n/a"),
    ],
)  # fmt: skip
def test_prices(value, text):
    assert price(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.5, 0.75, "0.500 to 0.750"), (0.5, None, "0.500 or more"), (0.5, NAN, "0.500 or more"), (None, None, ""),
        (NAN, NAN, ""), (None, 1.0, "1.00 or less"), (0.0000023, 1234.5, "0.00000230 to 1,230"),
    ],
)  # fmt: skip
def test_ranges(low, high, text):
    assert range_text(low, high) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (percent(0.41176470588235292), "41.2 %"), (percent(0.7), "70.0 %"), (percent(1), "100 %"), (percent(0), "0 %"),
        (percent(None), "n/a"),
        (exact(0.1 + 0.2), "0.30000000000000004"), (exact(1e-300), "1e-300"), (exact(None), "n/a"), (exact(NAN), "n/a"),
        (figure(80.0), "80"), (figure(3350), "3,350"), (figure(16.5), "16.5"), (figure(None), "n/a"),
        (whole(1234567), "1,234,567"), (whole(0), "0"), (whole(None), "n/a"),
        (words("on_demand"), "on demand"), (words("spot"), "spot"),
    ],
)  # fmt: skip
def test_other_texts(written, text):
    assert written == text


def test_cells_hold_every_digit_on_hover():
    assert number_cell(0.1 + 0.2) == '<td class="number" title="0.30000000000000004">0.300</td>'
    assert number_cell(None) == '<td class="number" title="n/a">n/a</td>'


@pytest.mark.parametrize(
    ("low", "high", "tied", "more"),
    [
        (None, None, None, ""), (None, None, False, ""), (0.5, 0.75, False, "<small>0.500 to 0.750</small>"),
        (0.5, None, None, "<small>0.500 or more</small>"), (None, None, True, "<small>tied with the cheapest</small>"),
    ],
)  # fmt: skip
def test_cells_of_costs(low, high, tied, more):
    written = cost_cell(0.6, low, high, tied)
    assert written == f'<td class="number" title="0.6"><strong>0.600</strong>{more}</td>'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.5, "0.500"),
        (500, "500"),
        (1000, "1k"),
        (2500, "2,500"),
        (25_000, "25k"),
        (2e9, "2G"),
        (7.5e7, "75M"),
    ],
)
def test_ticks_are_short(value, text):
    assert compact(value) == text
