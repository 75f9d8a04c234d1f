"""What offers must reach to meet a target cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import estimate
from pricing.units import UNITS
from tests.pricing.decisions.asked import asked, faults, rows
from tests.pricing.small import offer, table

# 8 × H100 at 18 USD/h and 5,000 tokens/s: 18 / (3600 · 5000) · 1e6 = 1.00 USD per 1M.
PRICES = table(
    offer(18), offer(36, region="dear"),
    offer(9, instance_type="trn", accelerator="Trainium2", accelerator_count=32, purchase="spot"),
)  # fmt: skip
UNIT = UNITS["output_token"]


def ask(**values):
    return asked("break-even", PRICES, **({"unit": "output_token", "m": "H100-SXM:8=5000"} | values))


def test_throughput_price_and_utilization_by_hand():
    first, second = rows(ask(target_usd="0.8"), "estimates")
    assert first["cost_usd"] == pytest.approx(1.0, rel=1e-12)
    # At 0.80: 5000 / 0.8 = 6250 tokens/s, or 14.40 USD/h, or 125 % of the time.
    assert first["rate_needed_per_second"] == pytest.approx(6250, rel=1e-12)
    assert first["price_needed_usd_per_hour"] == pytest.approx(14.4, rel=1e-12)
    assert first["utilization_needed"] == pytest.approx(1.25, rel=1e-12)
    assert (first["says"], second["says"]) == ("cannot break even", "cannot break even")


def test_below_full_use_it_breaks_even():
    solved = ask(target_usd="1.25")
    first, second = rows(solved, "estimates")
    # 1.00 at full load is 1.25 at 80 % of the time.
    assert first["utilization_needed"] == pytest.approx(0.8, rel=1e-12)
    assert first["says"] == "breaks even from 80.0 % utilization"
    assert second["says"] == "cannot break even"
    assert solved.result.values["that_break_even"] == 1


def test_a_budget_over_units_is_a_target():
    # 1,000 USD a month for 500M tokens: 2 USD per 1M.
    assert ask(budget_usd_per_month="1000", units_per_month="500M").result.values["target_usd"] == pytest.approx(2)
    month = {"budget_usd_per_month": 300, "units_per_month": 1000}
    audio = asked("break-even", PRICES, unit="audio_hour", m="H100-SXM:8=100", **month)
    # 300 USD for 1,000 audio-hours: 0.30 each.
    assert audio.result.values["target_usd"] == pytest.approx(0.3, rel=1e-12)


def test_without_a_target_it_is_the_present_cost():
    assert ask().result.values["target_usd"] == pytest.approx(1.0, rel=1e-12)


def test_shopping_list_says_what_each_replica_must_do():
    (row,) = rows(ask(shop="Trainium2:16", target_usd="1"), "shopping_list")
    # 9 USD/h at 1 USD per 1M: 9 · 1e6 / 3600 = 2500 tokens/s, on 32 chips two replicas of 1250.
    assert row["rate_needed_per_second"] == pytest.approx(1250, rel=1e-12)
    assert (row["replicas"], row["purchase"], row["offer"]) == (2, "spot", "acme/trn/global/spot")


def test_chart_has_the_cost_by_utilization_and_the_target():
    chart = ask(target_usd="1.25").result.chart
    assert chart.series[-1].points == ((0.0, 1.25), (1.0, 1.25))
    assert chart.series[0].points[-1] == (1.0, pytest.approx(1.0))


amounts = st.floats(1e-3, 1e6)


@given(amounts, amounts, st.floats(0.01, 1), amounts)
def test_at_break_even_costs_agree(price, rate, share, target):
    cost = estimate.cost_per_quoted_unit(price, rate, share, UNIT)
    for at_target in (
        estimate.cost_per_quoted_unit(price, estimate.rate_to_tie(rate, cost, target), share, UNIT),
        estimate.cost_per_quoted_unit(estimate.price_to_tie(price, cost, target), rate, share, UNIT),
        estimate.cost_per_quoted_unit(price, rate, estimate.utilization_to_tie(share, cost, target), UNIT),
        estimate.cost_per_quoted_unit(price, estimate.rate_for_cost(price, target, share, UNIT), share, UNIT),
    ):
        assert at_target == pytest.approx(target, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"target_usd": "0"}, "target_usd", "greater than 0"),
        ({"target_usd": "0,5"}, "target_usd", "a comma is read neither"),
        ({"target_usd": "1", "budget_usd_per_month": "5"}, "target_usd", "give either"),
        ({"budget_usd_per_month": "5"}, "units_per_month", "go together"),
        ({"units_per_month": "5"}, "budget_usd_per_month", "go together"),
        ({"shop": "Trainium22:16"}, "shop.0", "Did you mean Trainium2"),
        ({"shop": "Trainium2:0"}, "shop.0", "whole number"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values, field, message):
    found = faults("break-even", PRICES, unit="output_token", m="H100-SXM:8=5000", **values)
    assert [msg for name, msg in found if name == field and message in msg], found
