"""The baseline: how it is named, where it is looked for, and what is worked out from it."""

import pytest

from tests.pricing.small import ask, codes, estimates, excluded, fault_of, offer, rows_of, table

MARKET = table(
    offer(10, region="eu-1"),
    offer(12, region="us-1"),
    offer(4, region="us-1", purchase="spot"),
    offer(8, region="us-1", purchase="reserved", term_months=12),
    offer(7, region="us-1", purchase="reserved", term_months=36),
    offer(9, provider="bolt", instance_type="a/b:c"),
    offer(1.5, provider="bolt", instance_type="sized", accelerator_count=1, sizes="8|16"),
    offer(3, provider="bolt", instance_type="chip", accelerator="TPU-v6e"),
)
TWO = ["ours@H100-SXM:8=100", "tpu@TPU-v6e:8=50"]


def baseline(name, m=TWO, **more):
    found = ask(MARKET, m, baseline=name, **more).baseline
    return (found.name, found.measurement, found.price_usd_per_hour)


def test_absent_it_is_the_first_measurement_s_cheapest():
    assert baseline("") == ("acme/box/us-1/spot", "ours", 4)
    assert baseline("", TWO[::-1]) == ("bolt/chip/global/on_demand", "tpu", 3)


def test_absent_it_follows_the_filters():
    assert baseline("", purchase="on_demand") == ("bolt/a/b:c/global/on_demand", "ours", 9)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("ours", ("acme/box/us-1/spot", "ours", 4)),
        ("tpu", ("bolt/chip/global/on_demand", "tpu", 3)),
        ("acme/box", ("acme/box/us-1/spot", "ours", 4)),
        ("ACME/box", ("acme/box/us-1/spot", "ours", 4)),
        ("acme/box:8", ("acme/box/us-1/spot", "ours", 4)),
        ("acme/box/eu-1", ("acme/box/eu-1/on_demand", "ours", 10)),
        ("acme/box/us-1/on_demand", ("acme/box/us-1/on_demand", "ours", 12)),
        ("acme/box/us-1/reserved", ("acme/box/us-1/reserved/36", "ours", 7)),
        ("acme/box/us-1/reserved/12", ("acme/box/us-1/reserved/12", "ours", 8)),
        ("acme/box:8/us-1/reserved/12", ("acme/box/us-1/reserved/12", "ours", 8)),
        ("bolt/a/b:c", ("bolt/a/b:c/global/on_demand", "ours", 9)),
        ("bolt/a/b:c:8/global/on_demand", ("bolt/a/b:c/global/on_demand", "ours", 9)),
        ("bolt/sized", ("bolt/sized:8/global/on_demand", "ours", 12)),
        ("bolt/sized:16", ("bolt/sized:16/global/on_demand", "ours", 24)),
        ("bolt/sized:16/global", ("bolt/sized:16/global/on_demand", "ours", 24)),
        ("bolt/chip", ("bolt/chip/global/on_demand", "tpu", 3)),
    ],
)
def test_forms_of_a_name(name, found):
    assert baseline(name) == found


@pytest.mark.parametrize(
    "name",
    [
        "box",
        "acme/bix",
        "acne/box",
        "acme/box:4",
        "acme/box:x",
        "acme/box/asia-1",
        "acme/box/eu-1/spot",
        "acme/box/us-1/reserved/24",
        "acme/box/us-1/reserved/12/x",
        "bolt/sized:4",
        "Ours",
        "<script>",
        "=HYPERLINK(1)",
        "/",
        "😀",
    ],
)
def test_a_name_that_nothing_has_is_an_error(name):
    loc, msg = fault_of(ask, MARKET, TWO, baseline=name)
    assert loc == ("baseline",)
    assert f"{name!r} is neither a measurement's label nor an offer with an estimate" in msg
    assert "PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]]" in msg


def test_near_matches_are_offered():
    assert "Did you mean acme/box" in fault_of(ask, MARKET, TWO, baseline="acme/bax")[1]
    assert "Did you mean ours" in fault_of(ask, MARKET, TWO, baseline="our")[1]


def test_a_label_is_tried_before_an_offer():
    m = ["tpu@TPU-v6e:8=50", "acme/box/eu-1@H100-SXM:8=100"]
    assert baseline("acme/box/eu-1", m) == ("acme/box/us-1/spot", "acme/box/eu-1", 4)


@pytest.mark.parametrize("name", ["acme/box/us-1/spot", "ours"])
@pytest.mark.parametrize(
    "narrowed",
    [
        {"provider": "bolt"},
        {"purchase": "on_demand"},
        {"limit": 1, "offset": 3},
        {"sort": "-cost_usd"},
        {"max_price_usd_per_hour": 3},
    ],
)
def test_a_named_baseline_is_found_before_filters_sort_and_paging(name, narrowed):
    answer = ask(MARKET, TWO, baseline=name, **narrowed)
    assert answer.baseline.name == "acme/box/us-1/spot"
    cost = 4 / (3600 * 100) * 1e6
    for row in rows_of(answer):
        assert row["ratio_to_baseline"] == pytest.approx(row["cost_usd"] / cost, rel=1e-12)


def test_a_label_without_an_estimate_is_an_error():
    loc, msg = fault_of(ask, MARKET, [*TWO, "other@L4:1=5"], baseline="other")
    assert loc == ("baseline",)
    assert "'other' has no estimate, so it can't be the baseline" in msg
    loc, msg = fault_of(ask, MARKET, [*TWO, "kind@H100-SXM:8=in:5"], baseline="kind")
    assert "'kind' has no estimate" in msg


def test_without_an_estimate_of_the_first_measurement_there_is_none():
    answer = ask(MARKET, ["l4@L4:1=5", *TWO])
    assert answer.baseline is None
    assert "no_baseline" in codes(answer)
    assert "l4 has no estimate, so there is no baseline" in " ".join(w.message for w in answer.warnings)
    for row in rows_of(answer):
        assert row["ratio_to_baseline"] is None
        assert row["rate_to_tie_per_second"] is None
        assert row["price_to_tie_usd_per_hour"] is None
    assert len(rows_of(answer)) == 8


def test_the_first_measurement_may_be_of_another_kind():
    answer = ask(MARKET, ["in@H100-SXM:8=in:5", "tpu@TPU-v6e:8=50"])
    assert answer.baseline is None
    assert excluded(answer) == {"no_rate_for_unit": 1}


def test_what_is_worked_out_from_it():
    rows = estimates(MARKET, TWO, baseline="acme/box/us-1/on_demand", limit=1000)
    base = 12 / (3600 * 100) * 1e6
    for row in rows:
        assert row["ratio_to_baseline"] == pytest.approx(row["cost_usd"] / base, rel=1e-12)
        reached = row["price_usd_per_hour"] / (3600 * row["rate_to_tie_per_second"]) * 1e6
        assert reached == pytest.approx(base, rel=1e-12)
        bargained = row["price_to_tie_usd_per_hour"] / (3600 * row["rate_per_second"]) * 1e6
        assert bargained == pytest.approx(base, rel=1e-12)
    (own,) = [row for row in rows if row["region"] == "us-1" and row["purchase"] == "on_demand"]
    assert (own["ratio_to_baseline"], own["rate_to_tie_per_second"], own["price_to_tie_usd_per_hour"]) == (1, 100, 12)
    (spot,) = [row for row in rows if row["purchase"] == "spot"]
    # A third of the price: the rate may fall to a third, or the price rise to 12.
    assert spot["rate_to_tie_per_second"] == pytest.approx(100 / 3, rel=1e-12)
    assert spot["price_to_tie_usd_per_hour"] == pytest.approx(12, rel=1e-12)
