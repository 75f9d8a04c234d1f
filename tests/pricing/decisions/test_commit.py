"""Commitments as a decision: typed prices, offers of the table, owned machines, and what is refused."""

import pytest

from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

PRICES = table(
    offer(10, region="r1", purchase="on_demand"),
    offer(4, region="r1", purchase="spot"),
    offer(6.5, region="r1", purchase="reserved", term_months=12),
    offer(5, region="r1", purchase="reserved", term_months=36, plan="all_upfront"),
    offer(3, region="r2", purchase="reserved", term_months=12),
    offer(20, instance_type="far", region="r1"),
    offer(12, instance_type="far", region="r2", purchase="savings_plan"),
    offer(9, instance_type="alone", region="r1"),
)


def figures(**values):
    return asked("commit", PRICES, **values).result.values


def near(value, rel=1e-12):
    return pytest.approx(value, rel=rel, abs=0)


def codes(solved):
    return [warned.code for warned in solved.warnings]


def test_known_answer():
    solved = asked("commit", PRICES, on_demand="10", committed="6.5")
    found = solved.result.values
    # 12 · 6.5 / 10; needed for the whole year: 730 · 12 · 6.5 against 730 · 12 · 10.
    assert found["break_even_month"] == near(7.8)
    assert (found["expected_committed_usd"], found["expected_on_demand_usd"]) == (near(56_940), near(87_600))
    # If month 1 is the last: 56,940 - 7,300. If month 12 is: 87,600 - 56,940.
    assert (found["worst_regret_committed_usd"], found["worst_regret_committed_month"]) == (near(49_640), 1)
    assert (found["worst_regret_on_demand_usd"], found["worst_regret_on_demand_month"]) == (near(30_660), 12)
    assert (found["term_months"], found["horizon_months"]) == (12, 12)
    assert solved.result.verdict == "commit"
    assert "7.80 months or longer" in solved.result.sentences[0]


def test_no_cheaper_is_never():
    solved = asked("commit", PRICES, on_demand="10", committed="10", horizon="6")
    assert solved.result.values["break_even_month"] is None
    assert solved.result.values["chance_to_reach_break_even"] is None
    assert solved.result.verdict == "on_demand"
    assert solved.result.sentences[0].startswith("Committing never pays")
    # On demand is the better choice in every month.
    assert solved.result.values["worst_regret_on_demand_month"] is None


def test_a_year_at_the_same_price_is_the_same():
    assert asked("commit", PRICES, on_demand="10", committed="10").result.verdict == "equal"


def test_months_show_what_is_paid_and_still_owed():
    solved = asked("commit", PRICES, on_demand="10", committed="6", upfront="50%", horizon="14", stop_month="13")
    months = rows(solved, "months")
    assert [row["month"] for row in months] == list(range(15))
    # 52,560 in all, half of it at once, then 2,190 a month.
    assert (months[0]["committed_paid_usd"], months[0]["still_owed_usd"]) == (near(26_280), near(26_280))
    assert months[0]["regret_committed_usd"] is None
    assert (months[4]["committed_paid_usd"], months[4]["still_owed_usd"]) == (near(35_040), near(17_520))
    assert months[4]["on_demand_usd"] == near(29_200)
    assert [months[k]["still_owed_usd"] for k in (12, 13, 14)] == [0, 0, 0]
    # After the term at the on-demand price.
    assert months[14]["committed_if_last_usd"] == near(52_560 + 2 * 7_300)
    assert [row["chance_to_be_last"] for row in months[1:]] == [0] * 12 + [1, 0]


def test_three_ways_to_say_when_it_stops():
    both = {"on_demand": "10", "committed": "6", "term": "2"}
    # 0.75 · 7,300 + 0.25 · 14,600.
    assert figures(**both, stop_chance="75%")["expected_on_demand_usd"] == near(9_125)
    assert figures(**both, stop_chances=["75%"])["expected_on_demand_usd"] == near(9_125)
    assert figures(**both, stop_chances=["0.25", "0.25"])["expected_on_demand_usd"] == near(12_775)
    assert figures(**both, stop_month="1")["expected_on_demand_usd"] == near(7_300)
    # 4,380 are still owed after month 1.
    assert figures(**both, stop_month="1")["expected_owed_usd"] == near(4_380)
    assert figures(**both)["monthly_chance_to_tie"] == near(0.8)


def test_falling_prices():
    # At a fall of 1 - 0.5^12 a year each month costs half the one before: 8 + 0.75 · 4 = 11 = 2 · 5.5.
    found = figures(on_demand="8", committed="5.5", term="2", yearly_fall=repr(1 - 0.5**12))
    assert found["break_even_month"] == near(1.75)


def test_owned_machine():
    found = figures(
        on_demand="20", capex_usd="240000", term="48", running_usd_per_hour="2", yearly_usd="12000", resale_usd="24000",
    )  # fmt: skip
    # 264,000 / (730 · 20 - 730 · 2).
    assert found["break_even_month"] == near(264_000 / 13_140)
    assert found["total_usd"] == near(288_000)
    assert found["committed_price_usd_per_hour"] == near(264_000 / 35_040 + 2)


def test_several_machines_scale_the_sums_and_no_price():
    one, three = (figures(on_demand="10", committed="6.5", stop_chance="3%", machines=n) for n in ("1", "3"))
    for name in ("expected_committed_usd", "expected_on_demand_usd", "worst_regret_committed_usd", "total_usd"):
        assert three[name] == near(3 * one[name])
    for name in ("break_even_month", "committed_price_usd_per_hour", "on_demand_price_usd_per_hour"):
        assert three[name] == near(one[name])


def test_every_commitment_of_the_instance_type_in_its_region():
    solved = asked("commit", PRICES, on_demand="acme/box/r1", horizon="12")
    plans = {row["offer"]: row for row in rows(solved, "plans")}
    assert list(plans) == ["acme/box/r1/reserved/12", "acme/box/r1/reserved/36"]
    # The list price, not the cheaper spot price.
    assert solved.result.values["on_demand_price_usd_per_hour"] == 10
    assert [row["break_even_month"] for row in plans.values()] == [near(7.8), near(18)]
    assert [row["upfront_share"] for row in plans.values()] == [0, 1]
    # 36 months at 5 are owed, and 12 are needed.
    assert plans["acme/box/r1/reserved/36"]["expected_usd"] == near(730 * 36 * 5)
    assert [row["better"] for row in plans.values()] == ["commit", "on_demand"]


def test_the_horizon_is_the_longest_term_unless_told():
    assert figures(on_demand="acme/box/r1")["horizon_months"] == 36
    assert figures(on_demand="acme/box/r1", term_months="12")["horizon_months"] == 12


def test_the_uncommitted_path_may_be_spot_by_name():
    assert figures(on_demand="acme/box/r1/spot", committed="3")["on_demand_price_usd_per_hour"] == 4


def test_the_purchase_filter_is_of_the_commitments():
    solved = asked("commit", PRICES, on_demand="acme/box/r1", purchase="reserved", term="36")
    assert [row["term_months"] for row in rows(solved, "plans")] == [36]


def test_other_region_and_unstated_term_are_said():
    solved = asked("commit", PRICES, on_demand="acme/far/r1")
    assert {"region_differs", "term_assumed"} <= set(codes(solved))
    assert [row["term_months"] for row in rows(solved, "plans")] == [12]
    assert "term_assumed" not in codes(asked("commit", PRICES, on_demand="acme/far/r1", term="24"))


def test_scaling_all_prices_leaves_break_even_and_choice():
    one, other = (
        asked("commit", PRICES, on_demand=repr(10 * c), committed=repr(6.5 * c), stop_chance="5%", yearly_fall="20%")
        for c in (1, 7.3)
    )
    assert other.result.verdict == one.result.verdict
    for name in ("break_even_month", "monthly_chance_to_tie", "chance_to_reach_break_even"):
        assert other.result.values[name] == near(one.result.values[name], 1e-9)


def test_chart_has_both_paths_from_the_start():
    lines = asked("commit", PRICES, on_demand="10", committed="6.5").result.chart.series
    assert [line.name for line in lines] == ["on demand", "committed, if that month is the last", "committed, paid"]
    assert lines[0].points[0] == (0, 0)
    assert lines[0].points[-1] == (12, near(87_600))
    assert [y for _, y in lines[1].points] == [near(56_940)] * 12


def test_in_json_as_in_a_link():
    body = {"on_demand": "acme/box/r1", "stop_chances": [0.1, 0.2], "horizon": 12, "filters": {"term_months": [12]}}
    linked = asked("commit", PRICES, on_demand="acme/box/r1", stop_chances=["10%", "20%"], horizon="12",
                   term_months="12")  # fmt: skip
    assert asked_in_json("commit", PRICES, body).result == linked.result


def test_reading_the_link_again_gives_the_same():
    solved = asked("commit", PRICES, on_demand="acme/box/r1", stop_chances=["10%", "10%", "0"], horizon="12")
    values = {}
    for name, value in solved.pairs:
        values.setdefault(name, []).append(value)
    assert values["stop_chances"] == ["0.1", "0.1", "0"]
    assert asked("commit", PRICES, **values).result == solved.result


TYPED = {"on_demand": "10", "committed": "6.5"}


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({}, "on_demand", "the price on demand is missing"),
        ({"on_demand": "10"}, "committed", "the committed price is missing"),
        ({"on_demand": "0", "committed": "6.5"}, "on_demand", "is not a price"),
        ({"on_demand": "10", "committed": "-6.5"}, "committed", "is not a price"),
        ({"on_demand": "acme/bux"}, "on_demand", "Did you mean acme/box"),
        ({"on_demand": "acme/alone"}, "committed", "no committed price of acme/alone/r1/on_demand passes"),
        ({"on_demand": "acme/box/r1/reserved"}, "on_demand", "no on-demand price of 'acme/box/r1/reserved'"),
        ({"on_demand": "acme/box/r1", "term": "24"}, "term",
         "no commitment of 24 months is on sale; the terms are 12, 36"),
        (TYPED | {"term": "0"}, "term", "greater than 0"),
        (TYPED | {"term": "601"}, "term", "at most 600 months, not 601"),
        (TYPED | {"horizon": "0"}, "horizon", "a whole number of months from 1 to 600, not 0"),
        (TYPED | {"horizon": "1.5"}, "horizon", "must be a whole number"),
        (TYPED | {"stop_chance": "3"}, "stop_chance", "3 should be at most 1"),
        (TYPED | {"stop_chance": "-3%"}, "stop_chance", "greater than or equal to 0"),
        (TYPED | {"stop_month": "13"}, "stop_month", "from 1 to the horizon 12, not 13"),
        (TYPED | {"stop_chances": ["70%", "40%"]}, "stop_chances", "sum to 1.1, and must sum to at most 1"),
        (TYPED | {"horizon": "1", "stop_chances": ["1%", "1%"]}, "stop_chances", "2 chances are given"),
        (TYPED | {"stop_chance": "3%", "stop_month": "3"}, "stop_month", "say once when it may stop"),
        (TYPED | {"yearly_fall": "100%"}, "yearly_fall", "at least 0 and below 1"),
        (TYPED | {"upfront": "150%"}, "upfront", "1.5 should be at most 1"),
        (TYPED | {"machines": "2.5"}, "machines", "2.5 is not a whole number of machines"),
        (TYPED | {"machines": "0"}, "machines", "greater than 0"),
        (TYPED | {"capex_usd": "9"}, "capex_usd", "not both"),
        (TYPED | {"resale_usd": "9"}, "resale_usd", "give capex_usd as well"),
        ({"on_demand": "10", "capex_usd": "9", "resale_usd": "10"}, "resale_usd",
         "at most the purchase price 9, not 10"),
        (TYPED | {"horizn": "9"}, "horizn", "Did you mean horizon"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_field(values, field, message):
    found = faults("commit", PRICES, **values)
    assert [(name, msg) for name, msg in found if name == field and message in msg], found
