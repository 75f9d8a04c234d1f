"""Which offers carry a measurement: replicas, sizes, named types, and what is left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pricing.small import (
    ask,
    ask_json,
    codes,
    estimates,
    excluded,
    fault_of,
    offer,
    only,
    question,
    rows_of,
    table,
)

FIELD = {"output_tokens_per_second": 100}


@pytest.mark.parametrize(
    ("held", "needed", "replicas", "idle"),
    [(8, 8, 1, 0), (16, 8, 2, 0), (16, 5, 3, 1), (8, 1, 8, 0), (8, 3, 2, 2), (9, 8, 1, 1), (100_000, 1, 100_000, 0)],
)
def test_whole_replicas_and_idle_accelerators(held, needed, replicas, idle):
    row = only(table(offer(36, accelerator_count=held)), f"H100-SXM:{needed}=100")
    assert (row["replicas"], row["idle_accelerators"], row["rate_per_second"]) == (replicas, idle, replicas * 100)
    assert row["cost_usd"] == pytest.approx(36 / (3600 * replicas * 100) * 1e6, rel=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 600), st.integers(1, 8))
def test_replicas_and_idle_make_up_the_instance(held, needed):
    answer = ask(table(offer(36, accelerator_count=held)), f"H100-SXM:{needed}=100")
    if held < needed:
        assert excluded(answer) == {"too_few_accelerators": 1}
        return
    (row,) = rows_of(answer)
    assert row["replicas"] * needed + row["idle_accelerators"] == held
    assert 0 <= row["idle_accelerators"] < needed


def test_too_few_accelerators_are_counted_and_no_fraction_is_used():
    answer = ask(table(offer(1, accelerator_count=4), offer(2, accelerator_count=7), offer(10)))
    assert [row["accelerator_count"] for row in rows_of(answer)] == [8]
    assert excluded(answer) == {"too_few_accelerators": 2}
    assert answer.excluded[0].example == "acme/box × 4, global, on_demand (for H100-SXM:8)"


def test_another_accelerator_is_never_used():
    prices = table(
        offer(1, accelerator="H200"), offer(2, accelerator="H100-PCIe", region="eu-1"), offer(9, region="us-1")
    )
    assert [row["accelerator"] for row in estimates(prices)] == ["H100-SXM"]


def test_a_run_over_several_hosts_is_left_out_by_that_reason():
    answer = ask(table(offer(10)), "H100-SXM:16=9000")
    assert excluded(answer) == {"multi_host": 1}


def test_a_run_of_several_hosts_is_not_read_as_one_of_more_accelerators():
    loc, msg = fault_of(question, table(offer(10)), "2xH100-SXM:8=9000")
    assert loc == ("m", 0)
    assert "already means 2 × H100-SXM; drop the count of 8" in msg


class TestSizes:
    priced_by_gpu = table(offer(3.99, accelerator_count=1, sizes="1|2|4|8"))

    @pytest.mark.parametrize("size", [1, 2, 4, 8])
    def test_a_measurement_meets_the_size_that_it_needs(self, size):
        row = only(self.priced_by_gpu, f"H100-SXM:{size}=100")
        assert (row["accelerator_count"], row["replicas"], row["idle_accelerators"]) == (size, 1, 0)
        assert row["price_usd_per_hour"] == pytest.approx(3.99 * size, rel=1e-12)
        assert row["price_usd_per_accelerator_hour"] == pytest.approx(3.99, rel=1e-12)

    def test_the_other_sizes_are_counted(self):
        answer = ask(self.priced_by_gpu, "H100-SXM:2=100")
        assert excluded(answer) == {"too_few_accelerators": 1, "other_size": 2}

    def test_all_sizes_shows_them(self):
        answer = ask(self.priced_by_gpu, "H100-SXM:2=100", all_sizes=1)
        assert sorted(row["accelerator_count"] for row in rows_of(answer)) == [2, 4, 8]
        assert excluded(answer) == {"too_few_accelerators": 1}

    def test_the_size_with_the_lowest_cost_is_shown(self):
        # 3 of 4 used: 4/3 of the price; 6 of 8: the same; 3 × 3 of 9: no idle one.
        prices = table(offer(2, accelerator_count=1, sizes="4|8|9"))
        assert only(prices, "H100-SXM:3=100")["accelerator_count"] == 9

    def test_of_equal_costs_the_smallest(self):
        assert only(table(offer(0.1, accelerator_count=1, sizes="3|6|9")), "H100-SXM:3=100")["accelerator_count"] == 3

    def test_the_price_is_times_size_by_count(self):
        row = only(table(offer(40, accelerator_count=8, sizes="1|2|4|8")), "H100-SXM:2=100")
        assert row["price_usd_per_hour"] == pytest.approx(40 * 2 / 8, rel=1e-12)

    def test_rows_are_chosen_from_one_by_one(self):
        prices = table(
            offer(1, accelerator_count=1, sizes="1|2"), offer(3, accelerator_count=1, sizes="1|2", region="eu-1")
        )
        assert [(r["region"], r["accelerator_count"]) for r in estimates(prices, "H100-SXM:1=100")] == [
            ("global", 1),
            ("eu-1", 1),
        ]

    def test_a_filter_on_accelerators_chooses_among_the_sizes(self):
        prices = table(offer(2, accelerator_count=1, sizes="4|8|9"))
        assert only(prices, "H100-SXM:3=100", max_accelerators=8)["accelerator_count"] == 4

    def test_sizes_are_expanded_before_the_newest_counts(self):
        prices = table(
            offer(5, accelerator_count=1, sizes="1|2|4", observed_on="2026-01-01"),
            offer(4, accelerator_count=1, sizes="1|2", observed_on="2026-06-01"),
        )
        rows = estimates(prices, "H100-SXM:1=100", all_sizes=1)
        assert {row["accelerator_count"]: row["price_usd_per_hour"] for row in rows} == {1: 4, 2: 8, 4: 20}


class TestNamedTypes:
    sold = table(
        offer(10),
        offer(1, provider="bolt", instance_type="gpu (secure)", accelerator_count=1, sizes="1|8"),
        offer(2, provider="bolt", instance_type="a/b:c", accelerator_count=2),
        offer(0.4, provider="bolt", instance_type="cpu", accelerator="", accelerator_count=0),
        offer(7, region="eu-1"),
        offer(6, provider="bolt"),
    )

    def test_it_applies_to_that_type_alone_and_as_one_replica(self):
        rows = estimates(self.sold, "acme/box=100")
        assert [(r["provider"], r["region"], r["price_usd_per_hour"]) for r in rows] == [
            ("acme", "eu-1", 7),
            ("acme", "global", 10),
        ]
        assert {(r["replicas"], r["idle_accelerators"], r["measurement"]) for r in rows} == {(1, 0, "acme/box")}

    @pytest.mark.parametrize("m", ["ACME/Box=100", "acme/BOX=100", " acme / box =100", "acme/box:8=100"])
    def test_case_and_blanks_do_not_matter_and_a_count_may_be_said(self, m):
        assert len(estimates(self.sold, m)) == 2

    def test_several_sizes_must_be_told_apart(self):
        loc, msg = fault_of(question, self.sold, "bolt/gpu (secure)=100")
        assert loc == ("m", 0)
        assert "bolt/gpu (secure) is offered with 1, 8 accelerators; say which" in msg
        assert "bolt/gpu (secure):8" in msg

    @pytest.mark.parametrize(("count", "price"), [(1, 1), (8, 8)])
    def test_the_count_picks_one(self, count, price):
        row = only(self.sold, f"bolt/gpu (secure):{count}=100")
        assert (row["accelerator_count"], row["price_usd_per_hour"], row["replicas"]) == (count, price, 1)
        assert row["measurement"] == f"bolt/gpu (secure):{count}"

    def test_the_count_picks_one_in_json(self):
        answer = ask_json(
            self.sold,
            [{"provider": "bolt", "instance_type": "gpu (secure)", "accelerator_count": 8, "rates": FIELD}],
        )
        assert [row["accelerator_count"] for row in rows_of(answer)] == [8]

    def test_a_count_in_which_it_is_not_sold(self):
        loc, msg = fault_of(question, self.sold, "bolt/gpu (secure):4=100")
        assert loc == ("m", 0)
        assert "is not offered with 4 accelerators, but with 1, 8" in msg

    def test_a_slash_and_a_colon_in_the_name(self):
        assert only(self.sold, "bolt/a/b:c=100")["instance_type"] == "a/b:c"
        assert only(self.sold, "bolt/a/b:c:2=100")["instance_type"] == "a/b:c"

    def test_digits_after_a_colon_belong_to_a_type_of_that_name(self):
        prices = table(offer(10, instance_type="box:4"), offer(20, instance_type="box", accelerator_count=4))
        assert only(prices, "acme/box:4=100")["price_usd_per_hour"] == 10
        assert only(prices, "acme/box=100")["price_usd_per_hour"] == 20

    def test_an_instance_without_an_accelerator_meets_its_name_alone(self):
        row = only(self.sold, "bolt/cpu=100")
        assert (row["accelerator_count"], row["replicas"], row["idle_accelerators"]) == (0, 1, 0)
        assert "bolt/cpu" not in {f"{r['provider']}/{r['instance_type']}" for r in estimates(self.sold, "H100-SXM:1=9")}

    @pytest.mark.parametrize(
        ("m", "words"),
        [
            ("acme/bix=100", "'bix' is not an instance type of acme in the table. Did you mean acme/box?"),
            ("acne/box=100", "'acne' is not a known provider. Did you mean acme"),
            ("firmus/pod=100", "no price of 'firmus' is in the table. To use your own price, add quote=firmus/pod@"),
            ("acme/=100", "say which hardware"),
            ("/box=100", "say which hardware"),
        ],
    )
    def test_names_that_nothing_has(self, m, words):
        loc, msg = fault_of(question, self.sold, m)
        assert loc == ("m", 0)
        assert words in msg

    def test_the_name_of_a_type_without_its_provider_is_explained(self):
        _, msg = fault_of(question, self.sold, "box=100")
        assert "To name an instance type, write acme/box or bolt/box." in msg


class TestCounts:
    prices = table(offer(10), offer(2, accelerator="TPU-v5p", accelerator_count=4, instance_type="tpu"))

    def test_no_count_means_one_and_says_so(self):
        answer = ask(self.prices, "H100-SXM=100")
        assert codes(answer) == ["count_assumed", "quote_only"]
        assert "1 × H100-SXM" in answer.warnings[0].message
        (row,) = rows_of(answer)
        assert (row["measurement"], row["replicas"]) == ("H100-SXM:1", 8)

    def test_a_name_may_carry_the_count(self):
        row = only(self.prices, "tpu-v5p-8=100")
        assert (row["measurement"], row["replicas"]) == ("TPU-v5p:4", 1)
        assert only(self.prices, "8xH100-SXM=100")["replicas"] == 1
        assert "count_assumed" not in codes(ask(self.prices, "tpu-v5p-8=100"))

    def test_the_same_count_may_stand_beside_it_and_another_may_not(self):
        assert only(self.prices, "tpu-v5p-8:4=100")["replicas"] == 1
        _, msg = fault_of(question, self.prices, "tpu-v5p-8:8=100")
        assert "'tpu-v5p-8' already means 4 × TPU-v5p; drop the count of 8" in msg

    @pytest.mark.parametrize("count", ["0", "-1", "1.5", "1000000000000", "100001"])
    def test_counts_refused(self, count):
        loc, msg = fault_of(question, self.prices, f"H100-SXM:{count}=100")
        assert loc == ("m", 0)
        assert "the count after ':' is wrong" in msg
        assert "must be a whole number from 1 to 100,000" in msg

    @pytest.mark.parametrize("count", ["", "x", "8x"])
    def test_counts_that_are_no_number(self, count):
        loc, msg = fault_of(question, self.prices, f"H100-SXM:{count}=100")
        assert loc == ("m", 0)
        assert "the count after ':' is wrong" in msg


def test_hardware_that_nothing_knows_is_named_with_near_matches():
    loc, msg = fault_of(question, table(offer(10)), ["H100-SXM:8=1", "Trainum2:16=100"])
    assert loc == ("m", 1)
    assert "'Trainum2' is not an accelerator that PerDollar knows. Did you mean Trainium2" in msg


def test_a_name_with_two_memories_asks_which():
    assert "say which" in fault_of(question, table(offer(10)), "A100:8=100")[1]
