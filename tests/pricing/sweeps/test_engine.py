"""The engine of sweeps gives what comparisons give: the same offers in the same order, costs to the last bit."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.tables import built_in
from pricing.accelerators import catalogue
from pricing.sweeps import engine, plans
from pricing.sweeps.engine import Engine, portions
from tests.pricing.small import TODAY, offer, table
from tests.pricing.sweeps.asking import expected_summary, expected_top, rows_of, scenarios_of

UNITS = ("output_token", "input_token", "total_token", "audio_hour", "request")
BUILT_IN = [
    {"m": "H100-SXM:8=5200"},
    {"m": "H100-SXM:8=5200", "purchase": "spot", "area": "europe"},
    {"m": "H100-SXM:8=5200/5150/5300|MI300X:8=5600~4%|Trainium2:16=4100", "purchase": "on_demand|spot"},
    {"m": "aws/trn1.32xlarge=10000|H100:3=1e3", "spot_loss": "0.07", "utilization": "37%"},
    {"m": "H100:1=700|H100:2=1400|H100:4=2800", "all_sizes": "1"},
    {"m": "H100:1=700|H200:1=900", "m1.model": "a", "m2.model": "b"},
    {"m": "H100:1=700|H200:1=900|L4:1=50", "m1.model": "a", "m2.model": "b", "accept": "model"},
    {"m": "H100:1=700|H200:1=900", "m1.evidence": "claimed", "evidence": "measured"},
    {"m": "H100:8=in:900,out:300", "unit": "total_token", "m1.success_rate": "0.97"},
    {"m": "H100:8=in:900", "unit": "output_token"},
    {"m": "H100:8=900", "max_price_usd_per_hour": "25", "accelerator": "H100"},
    {"m": "H100:1=900", "max_accelerators": "4", "vendor": "nvidia"},
    {"m": "H100:1=900", "max_price_usd_per_hour": "0.01"},
    {"m": "H100:64=900"},
    {"m": "H100:64=900|H100:1=700", "m1.model": "a", "m2.model": "b"},
    {"m": "H100:1=900", "include_unconfirmed": "1", "max_age_days": "60"},
    {"m": "H100:1=900", "include_unconfirmed": "1", "term_months": "12|36", "spot_loss": "50%"},
    {"m": "L4:1=rtfx:120~3%", "unit": "audio_hour", "provider": "gcp|aws"},
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    rows = [{"unit": "output_token"} | row for row in BUILT_IN]
    rows += [row | {"unit": unit} for row in BUILT_IN[:3] for unit in UNITS]
    return scenarios_of(tmp_path_factory.mktemp("sweep") / "scenarios.csv", built_in(), rows)


@pytest.mark.parametrize("top", [1, 7, 10_000])
def test_the_cheapest_are_those_of_a_comparison(asked, top):
    found = rows_of(Engine(built_in(), catalogue(), TODAY, top).result(asked))
    assert found == expected_top(asked, built_in(), top)


def test_a_summary_counts_what_a_comparison_finds(asked):
    found = rows_of(Engine(built_in(), catalogue(), TODAY, None).result(asked))
    means = [row.pop("cost_mean_usd") for row in found]
    expected = expected_summary(asked, built_in())
    assert means == [m and pytest.approx(m, rel=1e-12) for m in [row.pop("cost_mean_usd") for row in expected]]
    assert found == expected


# Few prices, so that many costs are tied, or nearly so: 0.1 + 0.2 is not 0.3.
OFFER = st.fixed_dictionaries(
    {
        "provider": st.sampled_from(["acme", "best"]),
        "instance_type": st.sampled_from(["a", "b", "c"]),
        "accelerator": st.sampled_from(["H100-SXM", "H100-SXM", "L4", ""]),
        "accelerator_count": st.sampled_from([1, 2, 3, 8]),
        "price_usd_per_hour": st.sampled_from([0.3, 0.1 + 0.2, 0.6, 0.9, 2.4, 1.0, 3.0]),
        "region": st.sampled_from(["eu-1", "us-east-1", "global"]),
        "purchase": st.sampled_from(["on_demand", "spot", "reserved"]),
        "term_months": st.sampled_from(["", "", 12]),
        "sizes": st.sampled_from(["", "", "1|2|4|8"]),
        "observed_on": st.sampled_from(["2026-11-30", "2026-10-01", ""]),
        "evidence": st.sampled_from(["list", "quote", "third_party"]),
        "availability": st.sampled_from(["available", "available", "grandfathered"]),
    }
)
SCENARIO = st.fixed_dictionaries(
    {
        "unit": st.sampled_from(["output_token", "request"]),
        "m": st.lists(
            st.sampled_from(["H100:1=3", "H100:2=6", "H100:1=out:3,req:7", "L4=0.3", "H100:3=9.1~1", "L4=1/2"]),
            min_size=1,
            max_size=3,
        ).map("|".join),
        "utilization": st.sampled_from(["", "0.7", "0.1"]),
        "spot_loss": st.sampled_from(["", "", "0.5", "0.3"]),
        "purchase": st.sampled_from(["", "", "spot", "spot|on_demand"]),
        "max_price_usd_per_hour": st.sampled_from(["", "", "0.3", "1.5"]),
        "max_accelerators": st.sampled_from(["", "", "2"]),
        "max_age_days": st.sampled_from(["", "", "30"]),
        "area": st.sampled_from(["", "", "north_america"]),
        "accelerator": st.sampled_from(["", "", "H100"]),
        "include_unconfirmed": st.sampled_from(["", "1"]),
        "all_sizes": st.sampled_from(["", "1"]),
        "m1.model": st.sampled_from(["", "x"]),
        "m2.model": st.sampled_from(["", "x", "y"]),
    }
)


def unlike(row):
    return tuple(
        row[k] for k in ("provider", "instance_type", "accelerator_count", "region", "purchase", "term_months")
    )


def right(row):
    """Make the cells of a row go together: no accelerators without a name, no date of two prices."""
    plain = row["accelerator"] == ""
    return row | ({"accelerator_count": 0, "sizes": ""} if plain else {})


def _table(rows):
    # A size that another row states, too, would be the same offer at another price.
    named = [row | ({"instance_type": f"sized {i}"} if row["sizes"] else {}) for i, row in enumerate(rows)]
    return table(*(offer(**row) for row in named))


TABLES = st.lists(OFFER.map(right), min_size=1, max_size=25, unique_by=unlike).map(_table)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(prices=TABLES, rows=st.lists(SCENARIO, min_size=1, max_size=5), top=st.integers(1, 6), few=st.integers(0, 3))
def test_any_scenarios_on_any_table(tmp_path_factory, prices, rows, top, few):
    rows = [row | ({"m2.model": ""} if "|" not in row["m"] else {}) for row in rows]
    path = tmp_path_factory.mktemp("sweep") / "scenarios.csv"
    scenarios = scenarios_of(path, prices, rows)
    with pytest.MonkeyPatch.context() as patch:
        # Small limits, so that what is done for many offers is done for few.
        patch.setattr(plans, "FEW", few)
        patch.setattr(plans, "MOST_PLANNED", 60 * few)
        patch.setattr(plans, "MOST_VIEWED", -90 + 10 * few)
        patch.setattr(plans, "MOST_MASKS", few)
        patch.setattr(engine, "MOST_CANDIDATES", 1 + 5 * few)
        found = rows_of(Engine(prices, catalogue(), TODAY, top).result(scenarios))
        assert found == expected_top(scenarios, prices, top)
        found = rows_of(Engine(prices, catalogue(), TODAY, None).result(scenarios))
    expected = expected_summary(scenarios, prices)
    for row in (*found, *expected):
        row["cost_mean_usd"] = row["cost_mean_usd"] and pytest.approx(row["cost_mean_usd"], rel=1e-12)
    assert found == expected


def test_of_many_offers_of_one_price_only_the_first_are_looked_at(tmp_path):
    prices = table(*(offer(8, instance_type=f"box-{i:03}", purchase=("spot", "on_demand")[i % 2]) for i in range(300)))
    plan = plans.Plans(prices.market(TODAY), catalogue(), 3, False)
    (scenario,) = scenarios_of(tmp_path / "one.csv", prices, [{"unit": "request", "m": "H100-SXM:8=5"}])
    found = plan.plan(scenario, scenario.measurements[0])
    assert (len(found.offers), found.count) == (6, 300)


def test_portions_end_where_their_rows_would_be_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "MOST_ROWS", 12)
    (one,) = scenarios_of(tmp_path / "one.csv", table(offer()), [{"unit": "request", "m": "H100-SXM:8=5"}])
    assert [len(p) for p in portions([one] * 12, None, 5)] == [5, 5, 2]
    assert [len(p) for p in portions([one] * 12, 6, 5)] == [2] * 6
    assert [len(p) for p in portions([one] * 2, 100, 5)] == [1, 1]
