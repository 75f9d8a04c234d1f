"""The chart: round steps, and where dots, ranges and ticks lie, in percent of the width."""

from __future__ import annotations

from datetime import date

import pytest

from app.charts import curve_chart, dot_chart, history_chart, lines_chart, nice_step, tornado_chart
from pricing.accelerators import catalogue
from pricing.compare import Curve, compare
from pricing.curves import Point
from pricing.decisions.decision import Lines, Series
from pricing.measurements import single
from pricing.reading import Reader
from pricing.sensitivity import Sensitivity, moves
from pricing.sources.own_schema import read_csv
from pricing.units import unit_named
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
    assert (found.series, found.unproven, found.ranged) == (("a",), {}, False)


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
    # What moves the cost stands in details; it is looked at below.
    drawn = [e for e in page.elements if e.inside("figure") and not e.inside("details")]
    assert [e.attributes["x"] for e in drawn if e.tag == "svg" and "x" in e.attributes] == ["46.296%", "66.667%"]
    ranges = [e.attributes for e in drawn if e.attributes.get("class") == "range"]
    assert [(a["x1"], a["x2"]) for a in ranges] == [("37.037%", "61.728%"), ("53.333%", "88.889%")]
    ticks = [(e.attributes["x"], e.text) for e in drawn if e.tag == "text"]
    assert ticks == [("0.0%", "0"), ("33.333%", "0.0500"), ("66.667%", "0.100"), ("100.0%", "0.150")]


def figures_of(page):
    """Return of each figure its title, the texts of its axes, and its table: headings, then rows of cells."""
    found = []
    for figure in page.all("figure"):
        inside = [e for e in page.elements if figure in e.around]
        rows = [
            [c.text for c in inside if c.tag in ("th", "td") and c.around[-1] is row]
            for row in inside
            if row.tag == "tr"
        ]
        axes = [e.text for e in inside if e.attributes.get("class", "").startswith("axis")]
        found.append(([e.text for e in inside if e.tag == "figcaption"], axes, rows))
    return found


def test_figures_have_titles_units_and_tables(acme):
    query = "/compare?unit=audio_hour&m=H100-SXM:1=36~9&provider=acme&as_of=2026-11-15"
    dots, tornado = figures_of(Page(acme.get(query).text))
    unit = "USD per audio-hour"
    assert dots[:2] == ([f"The cheapest 2: {unit}, with ranges"], [unit])
    assert dots[2] == [
        ["Rank", "Offer", "Measurement", f"Cost{unit}", f"At least{unit}", f"At most{unit}"],
        ["1", "acme =box, 8 eu-1 · on demand · 8 × H100-SXM", "H100-SXM:1", "0.0694", "0.0556", "0.0926"],
        ["2", "acme box-1 eu-1 · on demand · 1 × H100-SXM", "H100-SXM:1", "0.100", "0.0800", "0.133"],
    ]
    # 20 / (8 · 36): with the range of 27 to 45 each, the price ± 10 %, and a load of 90 %.
    assert tornado[:2] == ([f"What moves the cost of acme =box, 8 (H100-SXM:1): {unit}"], [unit])
    assert tornado[2] == [
        ["Input", "From", "To", f"Lowest cost{unit}", f"Highest cost{unit}"],
        ["Throughput RTFx (audio seconds/s)", "360", "216", "0.0556", "0.0926"],
        ["Price USD per hour", "18.0", "22.0", "0.0625", "0.0764"],
        ["Utilization", "1.00", "0.900", "0.0694", "0.0772"],
    ]


def test_pictures_of_the_page_are_of_its_question(acme):
    page = Page(acme.get("/compare?unit=audio_hour&m=H100-SXM:1=36~9&provider=acme&as_of=2026-11-15").text)
    links = [a.attributes["href"] for a in page.all("a") if a.text in ("SVG", "PNG")]
    question = "unit=audio_hour&m=H100-SXM:1=36~9&provider=acme&as_of=2026-11-15"
    names = ("compare.svg", "compare.png", "compare/tornado.svg", "compare/tornado.png")
    assert links == [f"/{name}?{question}" for name in names]
    assert [acme.get(address).status_code for address in links] == [200] * 4


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


def test_a_tornado_lies_around_the_cost():
    # 6 / (10 · 0.6) = 1: utilization from 6/7 to 1.2, throughput from 0.909 to 1.111, price from 0.9 to 1.1.
    found = tornado_chart(
        Sensitivity("acme box", "a", 1.0, moves(6.0, single(10.0), 1.0, 0.6, unit_named("audio_hour")))
    )
    assert [value for value, _ in found.ticks] == pytest.approx([0.8, 0.9, 1.0, 1.1, 1.2])
    assert [at for _, at in found.ticks] == pytest.approx([0, 25, 50, 75, 100], abs=1e-3)
    assert found.at == 50.0
    assert [(bar.move.input, bar.low_at, bar.high_at) for bar in found.bars] == [
        ("utilization", 14.286, 100.0),
        ("throughput", 27.273, 77.778),
        ("price", 25.0, 75.0),
    ]
    assert tornado_chart(None) is None


def test_an_open_or_far_end_of_a_tornado_runs_to_twice_the_cost():
    found = tornado_chart(Sensitivity("a", "b", 5.0, moves(1.0, single(2.0), 1.0, 0.1, unit_named("audio_hour"))))
    assert (found.ticks[-1], found.bars[0].high_at) == ((10.0, 100.0), 100.0)
    assert found.bars[0].move.cost_high is None


def test_lines_and_curves_lie_between_zero_and_the_largest():
    found = lines_chart(
        Lines("t", "hours", "USD", (Series("a", ((0.0, 0.0), (4.0, 10.0))), Series("b", ((2.0, 5.0),))))
    )
    assert found.series == (("a", ((0.0, 100.0), (100.0, 0.0))), ("b", ((50.0, 50.0),)))
    assert [tick for tick, _ in found.across] == [0, 1, 2, 3, 4]
    assert lines_chart(Lines("t", "x", "y", (Series("a", ((0.0, 0.0),)),))) is None
    assert lines_chart(Lines("t", "x", "y", ())) is None
    curve = Curve("sweep", "acme box", "ttft_p99", (Point("one", 0.5, 4.0, True), Point("two", 1.0, 2.0, True)))
    (series,) = curve_chart([curve]).series
    assert [(p.label, p.x, p.y) for p in series.points] == [("one", 50.0, 0.0), ("two", 100.0, 50.0)]
    assert curve_chart([]) is None
