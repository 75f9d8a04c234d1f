"""The built-in table's known answers, with the arithmetic."""

import pytest

from app.tables import built_in
from pricing.chips import chips
from tests.pricing.small import TODAY, ask, browsed, catalogue, codes, estimates, excluded, only, rows_of

AWS = {"provider": "aws", "region": "us-east-1", "purchase": "on_demand"}


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def of_type(rows, instance_type):
    (row,) = [row for row in rows if row["instance_type"] == instance_type]
    return row


@pytest.mark.parametrize(
    ("m", "replicas", "idle", "rate", "cost"),
    [
        ("Trainium1:16=10000", 1, 0, 10_000, 0.5972222222222222),
        ("Trainium1:1=625", 16, 0, 10_000, 0.5972222222222222),
        # floor(16 / 5) = 3 replicas, 1 chip idle.
        ("Trainium1:5=3000", 3, 1, 9_000, 0.6635802469135802),
    ],
)
def test_trn1(m, replicas, idle, rate, cost):
    row = of_type(estimates(built_in(), m, **AWS), "trn1.32xlarge")
    assert (row["accelerator"], row["accelerator_count"], row["price_usd_per_hour"]) == ("Trainium1", 16, 21.5)
    assert (row["replicas"], row["idle_accelerators"], row["rate_per_second"]) == (replicas, idle, rate)
    assert row["cost_usd"] == near(21.5 / (3600 * rate) * 1e6) == near(cost)
    assert row["price_usd_per_accelerator_hour"] == near(1.34375)


def test_a_chip_of_trn1_costs_the_same_in_both_sizes():
    rows = estimates(built_in(), "Trainium1:1=625", **AWS)
    small, large = of_type(rows, "trn1.2xlarge"), of_type(rows, "trn1.32xlarge")
    assert small["price_usd_per_hour"] == 1.34375 == large["price_usd_per_accelerator_hour"]
    assert small["cost_usd"] == near(large["cost_usd"])


def test_trn2_is_never_free():
    rows = estimates(built_in(), "aws/trn2.48xlarge=4100", limit=1000)
    assert {row["purchase"] for row in rows} == {"spot", "capacity_block"}
    assert {(row["region"], row["price_usd_per_hour"]) for row in rows} == {
        ("us-east-2", 14.5593),
        ("ap-south-2", 35.760833),
    }
    answer = ask(built_in(), "aws/trn2.48xlarge=4100", purchase="on_demand")
    assert rows_of(answer) == []
    assert answer.baseline is None
    assert codes(answer) == ["no_estimates", "no_baseline"]


def test_no_price_of_trn2_is_on_demand():
    rows = browsed(built_in(), instance_type="trn2.48xlarge", history=1, limit=1000)
    assert {row["purchase"] for row in rows} == {"spot", "capacity_block"}


@pytest.mark.parametrize(
    ("as_of", "price", "seen"),
    [(None, 14.5593, "2026-10-03"), ("2026-10-03", 14.5593, "2026-10-03"), ("2026-03-01", 23.0631, "2026-02-01")],
)
def test_spot_price_of_trn2_on_a_date(as_of, price, seen):
    dated = {"as_of": as_of} if as_of else {}
    row = only(built_in(), "Trainium2:16=4100", region="us-east-2", purchase="spot", **dated)
    assert (row["price_usd_per_hour"], row["price_observed_on"]) == (price, seen)
    assert row["cost_usd"] == near(price / (3600 * 4100) * 1e6)


def test_trn2_capacity_block_per_chip():
    row = only(built_in(), "Trainium2:16=4100", region="ap-south-2")
    # 858.26 USD for 24 h.
    assert row["price_usd_per_hour"] == pytest.approx(858.26 / 24, abs=5e-7)
    assert row["price_usd_per_accelerator_hour"] == pytest.approx(2.235052, abs=5e-7)


def test_v5p_counts_cores():
    row = only(built_in(), "gcp/tpu-v5p-12288=1000")
    assert row["accelerator_count"] == 12288 // 2 == 6144
    assert row["price_usd_per_hour"] == near(6144 * 4.2) == near(25804.80)


def test_v5p_slices_cost_4_20_a_chip():
    # tpu-v5p-8 is 4 chips: 16.80 USD/h.
    rows = estimates(built_in(), "tpu-v5p-8=1000", provider="gcp", region="us-east1", purchase="on_demand", all_sizes=1)
    smallest = min(rows, key=lambda row: row["accelerator_count"])
    assert (smallest["accelerator_count"], smallest["replicas"]) == (4, 1)
    assert smallest["price_usd_per_hour"] == near(16.8)
    assert {round(row["price_usd_per_accelerator_hour"], 12) for row in rows} == {4.2}


@pytest.mark.parametrize(
    ("instance_type", "region", "purchase", "term", "price"),
    [
        ("azure/Standard_ND96isr_H100_v5", "eastus", "on_demand", None, 98.32),
        # A reservation's total of 551,221 USD for a year of 8,760 hours.
        ("azure/Standard_ND96isr_H100_v5", "eastus", "reserved", 12, 62.924772),
        ("oci/BM.GPU.MI300X.8", "global", "on_demand", None, 48.0),
        ("oci/BM.GPU.MI355X.8", "global", "on_demand", None, 68.8),
        ("azure/Standard_ND96isr_MI300X_v5", "eastus2", "on_demand", None, 48.0),
        ("azure/Standard_ND96isr_MI300X_v5", "eastus2", "spot", None, 8.8704),
        ("aws/mac2.metal", "us-east-1", "on_demand", None, 0.65),
        ("aws/mac2-m2.metal", "us-east-1", "on_demand", None, 0.878),
        ("aws/mac2-m2pro.metal", "us-east-1", "on_demand", None, 1.56),
        ("aws/mac2-m1ultra.metal", "us-east-1", "on_demand", None, 5.0),
        ("aws/u-p6e-gb200x72", None, "capacity_block", None, 761.904),
    ],
)
def test_prices(instance_type, region, purchase, term, price):
    where = {"region": region} if region else {}
    rows = estimates(built_in(), f"{instance_type}=1000", purchase=purchase, **where)
    assert [row["price_usd_per_hour"] for row in rows if row["term_months"] == term] == [price]


def test_the_reservation_is_the_total_by_the_hours_of_a_year():
    assert pytest.approx(62.924772, abs=5e-7) == 551_221 / 8760
    assert pytest.approx(7.865596, abs=1e-6) == 62.924772 / 8


def test_a_price_per_gpu_meets_a_measurement_on_eight():
    row = of_type(estimates(built_in(), "H100-SXM:8=5200", provider="runpod"), "H100 SXM (secure)")
    assert (row["accelerator_count"], row["replicas"]) == (8, 1)
    assert row["price_usd_per_hour"] == near(8 * 3.99) == near(31.92)
    assert row["cost_usd"] == near(31.92 / (3600 * 5200) * 1e6)


def test_secure_and_community_are_two_products_and_neither_is_spot():
    rows = estimates(built_in(), "H100-SXM:8=5200", provider="runpod")
    assert [(row["instance_type"], row["purchase"]) for row in rows] == [
        ("H100 SXM (community)", "on_demand"),
        ("H100 SXM (secure)", "on_demand"),
    ]


def test_the_newest_price_counts_and_the_others_are_history():
    now = only(built_in(), "runpod/H100 SXM (secure):1=1000")
    then = only(built_in(), "runpod/H100 SXM (secure):1=1000", as_of="2026-10-01")
    assert (now["price_usd_per_hour"], now["price_observed_on"]) == (3.99, "2026-11-09")
    assert (then["price_usd_per_hour"], then["price_observed_on"]) == (3.49, "2026-09-19")


def test_unconfirmed_prices_are_hidden_unless_asked_for():
    answer = ask(built_in(), "MI300X:8=5200", provider="tensorwave")
    assert rows_of(answer) == []
    assert excluded(answer)["unconfirmed"] == 1
    row = only(built_in(), "MI300X:8=5200", provider="tensorwave", include_unconfirmed=1)
    assert (row["price_usd_per_hour"], row["price_evidence"]) == (13.68, "third_party")


def test_plans_that_can_not_be_deployed_are_no_estimates():
    answer = ask(built_in(), "MI300X:8=5200", all_rows=True)
    assert "vultr" not in {row["provider"] for row in rows_of(answer)}
    assert excluded(answer)["not_available"] == 2


@pytest.mark.parametrize("provider", ["firmus", "coreweave"])
def test_a_quote_stands_in_where_no_price_is_public(provider):
    quote = f"{provider}/pod@GB300:72=800"
    row = only(built_in(), "GB300:72=500000", quote=quote, provider=provider)
    assert (row["price_usd_per_hour"], row["price_evidence"], row["price_age_days"]) == (800, "quote", None)


def test_gcp_has_no_a4_at_zero():
    prices = [row["price_usd_per_hour"] for row in browsed(built_in(), history=1, limit=1000, include_unconfirmed=1)]
    assert len(prices) == 767
    assert min(price for price in prices if price is not None) > 0


def test_trainium_has_chips_memory_and_cores():
    (chip,) = [c.facts for c in chips([], built_in(), catalogue(), TODAY) if c.facts.accelerator == "Trainium2"]
    # 8 physical cores, 4 logical ones at LNC=2; 16 × 96 GiB = 1.5 TiB.
    assert (chip.memory_gib, chip.physical_cores, chip.logical_cores) == (96, 8, 4)
    assert chip.memory_gib * 16 == 1536
