"""The fleet decision: known answer, ways to say the demand, mixes, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.decisions import decision_named
from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

PRICES = table(
    offer(6.88, region="r1"), offer(4.0, region="r1", purchase="reserved", term_months=12), offer(20, region="r2"),
)  # fmt: skip
PLAIN = {"unit": "output_token", "m": "H100-SXM:8=9000", "purchase": "on_demand"}
DAY = " ".join(["1000"] * 12 + ["20000"] * 12)


def figures(**values):
    return asked("fleet", PRICES, **(PLAIN | values)).result.values


def test_known_answer():
    found = figures(peak="52000", mean="18000", headroom="20%")
    assert found["machines"] == 8
    assert found["cost_per_served_usd"] == pytest.approx(0.849, abs=5e-4)
    assert found["cost_at_full_load_usd"] == pytest.approx(0.212, abs=5e-4)
    assert found["available_usd_per_month"] == pytest.approx(8 * 6.88 * 730, rel=1e-12)
    assert found["used_usd_per_month"] == pytest.approx(2 * 6.88 * 730, rel=1e-12)
    assert found["achieved_utilization"] == pytest.approx(0.25, rel=1e-12)
    assert found.get("scaled_usd_per_month") is None


def test_two_billion_tokens_a_month():
    # 2e9 / (730 · 3600) = 761 tokens/s on average, three times that at the peak: one machine.
    found = figures(units_per_month="2000M", peak_to_mean="3")
    assert found["machines"] == 1
    assert found["mean_per_second"] == pytest.approx(2e9 / (730 * 3600), rel=1e-12)
    assert found["cost_per_served_usd"] == pytest.approx(6.88 * 730 / 2000, rel=1e-12)


def test_the_example_says_the_demand_by_the_month():
    example = dict(decision_named("fleet").example)
    assert (example["units_per_month"], example["peak_to_mean"]) == ("2000M", "3")
    assert not {"peak", "mean", "hourly"} & set(example)


def test_numbers_of_machines_are_written_in_thousands():
    # A peak of 90M units a second is 10,000 machines of 9,000.
    solved = asked("fleet", PRICES, **PLAIN, peak="90M", mean="90M")
    assert solved.result.values["machines"] == 10_000
    assert solved.result.sentences[0].startswith("10,000 machines of acme/box/r1/on_demand at ")


def test_scaled_by_the_hour_and_mixed():
    found = figures(hourly=DAY)
    # 20,000 / 9,000: three machines for twelve hours, one for the other twelve: 48 machine-hours a day.
    assert (found["machines"], found["scaled_machine_hours"]) == (3, pytest.approx(48 * 730 / 24))
    assert found["scaled_usd_per_month"] == pytest.approx(48 * 6.88 * 730 / 24, rel=1e-12)
    # Reserved at 4.00 is worth it above 58 % of the hours: the first machine alone.
    assert found["reserved_machines"] == 1
    assert found["mixed_usd_per_month"] == pytest.approx((24 * 4 + 24 * 6.88) * 730 / 24, rel=1e-12)
    assert found["cheapest_way"] == "mixed"


def test_a_named_reserved_price_is_a_commitment_whatever_the_machines_are_bought_as():
    # The filter on demand is about the machines; of the offer's prices the reserved one is meant, not 6.88.
    found = figures(hourly=DAY, reserved="acme/box/r1")
    assert (found["price_usd_per_hour"], found["reserved_price_usd_per_hour"]) == (6.88, 4.0)
    refused = faults("fleet", PRICES, **PLAIN, hourly=DAY, reserved="acme/box/r1/on_demand")
    assert [msg for name, msg in refused if name == "reserved" and "is sold as on demand" in msg], refused


def test_a_commitment_is_not_scaled():
    (row,) = rows(asked("fleet", PRICES, **(PLAIN | {"purchase": "reserved", "hourly": DAY})), "fleets")
    assert row["scaled_usd_per_month"] is None


def test_offers_are_ranked_by_the_month():
    found = rows(asked("fleet", PRICES, **(PLAIN | {"peak": "9000", "mean": "900"})), "fleets")
    assert [row["offer"] for row in found] == ["acme/box/r1/on_demand", "acme/box/r2/on_demand"]
    assert [row["rank"] for row in found] == [1, 2]


def test_hours_in_json_as_in_a_link():
    body = {
        "unit": "output_token",
        "measurements": [{"hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 9000}}],
        "filters": {"purchase": ["on_demand"]}, "hourly": [1000] * 12 + [20000] * 12,
    }  # fmt: skip
    assert asked_in_json("fleet", PRICES, body).result.values == figures(hourly=DAY)


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(1, 5))
def test_monthly_cost_rises_with_demand(one, two, ratio):
    low, high = sorted((one, two))
    costs = [figures(mean=repr(mean), peak=repr(mean * ratio))["available_usd_per_month"] for mean in (low, high)]
    assert costs[0] <= costs[1]


def test_scaling_prices_scales_the_cost_and_leaves_the_machines():
    one, seven = (figures(peak="52000", mean="18000", offer=price) for price in ("1", "7"))
    assert one["machines"] == seven["machines"]
    assert seven["available_usd_per_month"] == pytest.approx(7 * one["available_usd_per_month"], rel=1e-12)


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({}, "units_per_month", "say the demand in one way"),
        ({"peak": "5", "hourly": DAY}, "hourly", "both given"),
        ({"peak": "5"}, "mean", "go together"),
        ({"peak": "5", "mean": "6"}, "peak", "below the mean"),
        ({"units_per_month": "0"}, "units_per_month", "greater than 0"),
        ({"units_per_month": "1M", "peak_to_mean": "0.5"}, "peak_to_mean", "1 or more"),
        ({"hourly": " ".join(["5"] * 8759)}, "hourly", "8,759 hourly values are given"),
        ({"hourly": " ".join(["0"] * 24)}, "hourly", "0 in all hours"),
        ({"hourly": " ".join(["5"] * 23 + ["x"])}, "hourly", "value 24: 'x' is not a number"),
        ({"peak": "5", "mean": "5", "headroom": "100%"}, "headroom", "below 1"),
        ({"peak": "5", "mean": "5", "min_replicas": "-1"}, "min_replicas", "0 or more"),
        ({"hourly": DAY, "billing_minutes": "99999"}, "billing_minutes", "44,640"),
        ({"hourly": DAY, "start_up_minutes": "99999"}, "start_up_minutes", "44,640"),
        ({"peak": "6", "mean": "5", "reserved": "3"}, "reserved", "hour by hour"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values, field, message):
    found = faults("fleet", PRICES, **(PLAIN | values))
    assert [msg for name, msg in found if name == field and message in msg], found
