"""Numbers as text, cells of CSV, and positions in charts, by value."""

from __future__ import annotations

import pytest

from app.charts import nice_step
from app.exports import csv_lines, csv_text
from app.format import exact, figure, number_cells, percent, price, range_text, significant, words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5972222222222222, "0.597"), (0.0000023, "0.00000230"), (1234.5, "1,230"), (0, "0"), (None, "n/a"),
        (float("nan"), "n/a"), (float("inf"), "n/a"), (99.96, "100"), (999.6, "1,000"), (5, "5.00"),
        (1e-12, "1.00e-12"),
        (2.5e15, "2.50e+15"), (12345678, "12,300,000"), (0.00012345, "0.000123"), (9.996, "10.0"),
    ],
)  # fmt: skip
def test_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (21.5, "21.50"),
        (1.34375, "1.3438"),
        (0.878, "0.878"),
        (25804.8, "25,804.80"),
        (0.0042, "0.00420"),
        (None, "n/a"),
    ],
)
def test_prices(value, text):
    assert price(value) == text


def test_other_texts():
    assert percent(0.41176470588235292) == "41.2 %"
    assert percent(None) == "n/a"
    assert range_text(0.5, 0.75) == "0.500 to 0.750"
    assert range_text(0.5, None) == "0.500 or more"
    assert range_text(None, None) == ""
    assert exact(0.1 + 0.2) == "0.30000000000000004"
    assert figure(80.0) == "80"
    assert figure(3350) == "3,350"
    assert words("on_demand") == "on demand"
    assert number_cells(None) == '<td class="number" title="n/a">n/a</td>'


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"), ("a,b", '"a,b"'), ('say "x"', '"say ""x"""'), ("=1+1", "'=1+1"), ("+1", "'+1"),
        ("-1", "'-1"),
        ("@sum", "'@sum"), (" =1", "' =1"),
        ("\ttab", "'\ttab"), ("line\nbreak", '"line\nbreak"'), ("", ""), ("＝1", "'＝1"),
    ],
)  # fmt: skip
def test_text_cells_of_csv(text, cell):
    assert csv_text(text) == cell


def test_csv_is_written_part_by_part():
    def parts():
        yield from ()
        raise AssertionError("the rows are asked for before the heading is taken")

    assert next(iter(csv_lines(parts()))).startswith(b"rank,provider,")


@pytest.mark.parametrize(("span", "step"), [(1, 0.2), (7, 2), (0.034, 0.01), (100, 20), (26, 10), (5e-6, 1e-6)])
def test_round_steps(span, step):
    assert nice_step(span) == pytest.approx(step, rel=1e-12)
