"""The chart: round steps, and where dots, ranges and ticks lie, in percent of the width."""

from __future__ import annotations

from datetime import date

import pytest

from app.charts import dot_chart, history_chart, nice_step
from pricing.accelerators import catalogue
from pricing.compare import compare
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv
from tests.app.asking import Page

DAY = date(2026, 1, 10)
HEADING = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n"


def chart(rates, *prices):
    """Lay out offers at these prices per hour, with measurements of RTFx on one L4."""
    rows = "".join(f"acme,box-{i},L4,1,{price},2026-01-01\n" for i, price in enumerate(prices))
    table = read_csv((HEADING + rows).encode(), "x.csv", catalogue(), DAY)
    pairs = [
        ("unit", "audio_hour"),
        *(("m", f"{name}@L4:1={rate}") for name, rate in zip("abcdef", rates, strict=False)),
    ]
    answer = compare(Reader(table, catalogue(), DAY).from_pairs(pairs), catalogue(), all_rows=True)
    return dot_chart(answer.cheapest(15))


@pytest.mark.parametrize(
    ("span", "step"),
    [(1, 0.2), (7, 2), (0.034, 0.01), (100, 20), (26, 10), (5e-6, 1e-6), (5, 1), (5.000001, 2), (10, 2), (10.1, 5),
     (25, 5), (51, 20), (1e12, 2e11), (3e-9, 1e-9)],
)  # fmt: skip
def test_round_steps(span, step):
    assert nice_step(span) == pytest.approx(step, rel=1e-12)


@pytest.mark.parametrize(("span", "most", "step"), [(10, 10, 1), (10, 2, 5), (10, 1, 10), (11, 1, 20)])
def test_round_steps_for_other_numbers_of_parts(span, most, step):
    assert nice_step(span, most) == pytest.approx(step, rel=1e-12)


def test_dots_lie_in_proportion_from_zero():
    # Costs 0.5, 1, 4 USD per audio-hour: five steps of 1 from 0 to 4 make four, the axis ends at 4.
    found = chart(["2"], 1, 2, 8)
    assert [(dot.cost, dot.at) for dot in found.dots] == [(0.5, 12.5), (1.0, 25.0), (4.0, 100.0)]
    assert found.ticks == ((0.0, 0.0), (1.0, 25.0), (2.0, 50.0), (3.0, 75.0), (4.0, 100.0))
    assert [(dot.low, dot.high, dot.low_at, dot.high_at) for dot in found.dots] == [(None, None, None, None)] * 3
    assert [dot.name for dot in found.dots] == ["acme box-0", "acme box-1", "acme box-2"]
    assert found.dots[0].detail == "global · on demand · 1 × L4"
    assert found.series == ("a",)


def test_the_axis_ends_at_a_round_value_beyond_the_dearest():
    found = chart(["1"], 7)
    assert found.ticks == ((0, 0.0), (2, 25.0), (4, 50.0), (6, 75.0), (8, 100.0))
    assert found.dots[0].at == 87.5


def test_ranges_lie_at_the_costs_of_the_rates_bounds():
    # A rate of 2 ± 0.5: costs of 10 / 2, 10 / 2.5 and 10 / 1.5.
    (dot,) = chart(["2~0.5"], 10).dots
    assert (dot.cost, dot.low, dot.high) == (5.0, 4.0, pytest.approx(10 / 1.5, rel=1e-14))
    assert (dot.at, dot.low_at, dot.high_at) == (62.5, 50.0, 83.333)


def test_an_open_range_runs_to_the_edge():
    found = chart(["2~2"], 10)
    (dot,) = found.dots
    assert (dot.low, dot.high, dot.low_at, dot.high_at) == (2.5, None, 50.0, 100.0)
    assert found.ticks[-1] == (5.0, 100.0)


def test_a_far_upper_bound_does_not_squeeze_the_dots():
    # Costs of 5 and at most 10 / 0.01 = 1000: the axis ends at twice the dearest dot.
    found = chart(["2~1.99"], 10)
    (dot,) = found.dots
    assert found.ticks[-1] == (10.0, 100.0)
    assert (dot.at, dot.high_at) == (50.0, 100.0)
    assert dot.high == pytest.approx(1000, rel=1e-9)


def test_dots_know_their_measurement():
    found = chart(["2", "4"], 1, 100)
    assert found.series == ("a", "b")
    assert [(dot.cost, dot.series) for dot in found.dots] == [(0.25, 1), (0.5, 0), (25.0, 1), (50.0, 0)]


def test_at_most_fifteen_and_none_without_estimates():
    assert len(chart(["1"], *range(1, 21)).dots) == 15
    table = read_csv((HEADING + "acme,box,L4,1,1,2026-01-01\n").encode(), "x.csv", catalogue(), DAY)
    question = Reader(table, catalogue(), DAY).from_pairs([("unit", "audio_hour"), ("m", "L4:2=1")])
    assert dot_chart(compare(question, catalogue()).cheapest(15)) is None


def test_the_svg_holds_the_positions(acme):
    query = "/compare?unit=audio_hour&m=H100-SXM:1=36~9&provider=acme&as_of=2026-11-15"
    page = Page(acme.get(query).text)
    # box-1: 3.6 / 36 = 0.1, between 0.08 and 0.1333…; the box of 8: 20 / 288, between 1 / 18 and 20 / 216.
    # The axis ends at 0.15, in steps of 0.05.
    figure = [e for e in page.all("svg") if e.inside("figure")]
    assert [e.attributes["x"] for e in figure if "x" in e.attributes] == ["46.296%", "66.667%"]
    ranges = [e.attributes for e in page.all("line") if e.attributes.get("class") == "range"]
    assert [(a["x1"], a["x2"]) for a in ranges] == [("37.037%", "61.728%"), ("53.333%", "88.889%")]
    ticks = [(e.attributes["x"], e.text) for e in page.all("text")]
    assert ticks == [("0.0%", "0"), ("33.333%", "0.0500"), ("66.667%", "0.100"), ("100.0%", "0.150")]


def test_a_history_runs_from_zero_to_the_highest_price_and_from_first_to_last_day():
    chart = history_chart([("2026-10-03", 15.0), ("2026-03-01", 20.0), ("2026-06-16", 10.0)])
    # 216 days in all, the second observation after 107 of them; the ticks go to 20.
    assert [(p.day, p.x, p.y) for p in chart.points] == [
        ("2026-03-01", 0.0, 0.0),
        ("2026-06-16", round(100 * 107 / 216, 3), 50.0),
        ("2026-10-03", 100.0, 25.0),
    ]
    assert chart.ticks == ((0.0, 100.0), (5.0, 75.0), (10.0, 50.0), (15.0, 25.0), (20.0, 0.0))
    assert history_chart([("2026-10-03", 15.0), ("2026-10-03", 15.0)]) is None


def test_the_history_of_one_offer_is_drawn(client):
    query = "provider=aws&instance_type=trn2.48xlarge&region=us-east-2&purchase=spot&history=1"
    page = client.get(f"/prices?{query}").text
    assert "USD per hour, 2026-" in page
    assert "2026-10-03: 14.5593 USD per hour" in page
    assert "chart history" not in client.get("/prices?history=1").text
