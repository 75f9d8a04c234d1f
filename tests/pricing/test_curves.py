"""Curves and latency targets: the point that does most within a target, and the way between two points."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.curves import Target, chosen, costs_along, curve_numbers, front, read_target, value_of
from pricing.measurements import Measurement, single
from tests.pricing.small import ask, ask_json, estimates, faults_of, offer, rows_of, table

OUT = "output_tokens_per_second"
PRICES = table(offer(36))


def point(rate, ttft=None, curve="c", **others):
    latencies = {} if ttft is None else {"ttft_p99": ttft}
    latencies |= {name: others.pop(name) for name in list(others) if name.startswith(("tpot", "itl"))}
    return Measurement(
        f"r{rate}", "H100-SXM", 8, None, None, {OUT: single(rate)}, curve=curve,
        latency_seconds=tuple(latencies.items()), **others,
    )  # fmt: skip


SWEEP = [point(100, 0.1), point(200, 0.2), point(400, 0.5), point(450, 2.0)]


@pytest.mark.parametrize(
    ("text", "name", "bound"),
    [
        ("ttft_p99<=0.5", "ttft_p99", 0.5), (" tpot_p50 <= 0.03 ", "tpot_p50", 0.03),
        ("tokens_per_second_per_user>=40", "tokens_per_second_per_user", 40.0),
    ],
)  # fmt: skip
def test_targets_are_read(text, name, bound):
    assert read_target(text) == Target(name, bound)
    assert read_target(str(read_target(text))) == read_target(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ttft_p99", "is not a target"), ("ttft_p98<=1", "ttft_p99"), ("ttft_p99>=1", "upper bound"),
        ("tokens_per_second_per_user<=4", "lower one"), ("ttft_p99<=fast", "fast"), ("ttft_p99<=0,5", "0,5"),
        ("ttft_p99=1", "is not a target"), ("", "is not a target"),
    ],
)  # fmt: skip
def test_targets_that_cant_be_right(text, message):
    with pytest.raises(ValueError, match=message):
        read_target(text)


def pick(points, *targets, interpolate=False):
    return chosen(points, OUT, [read_target(t) for t in targets], interpolate=interpolate)


def test_the_point_that_does_most_within_the_target():
    found = pick(SWEEP, "ttft_p99<=0.5")
    assert set(found.left_out) == {0, 1, 3}
    assert {place: reason for place, (reason, _) in found.left_out.items()} == {
        0: "other_point", 1: "other_point", 3: "misses_slo"
    }  # fmt: skip
    assert found.left_out[3][1] == "r450 has ttft_p99 2, not ttft_p99<=0.5"


def test_a_run_without_the_latency_is_not_taken_to_meet_it():
    found = pick([*SWEEP, point(9000)], "ttft_p99<=0.5")
    assert found.left_out[4][0] == "slo_unknown"
    assert 2 not in found.left_out


def test_curves_do_not_mix():
    other = [point(10, 0.3, curve="d"), point(50, 0.4, curve="c", model="m"), point(60, 0.4, curve=None)]
    found = pick([*SWEEP, *other], "ttft_p99<=0.5")
    assert not {2, 4, 5, 6} & set(found.left_out)


def test_other_lengths_are_another_curve():
    long = [point(40, 0.05, input_tokens=24576.0), point(41, 0.06, input_tokens=24000.0)]
    short = [point(4000, 0.1, input_tokens=127.0), point(5000, 0.4, input_tokens=127.0)]
    found = pick([*long, *short], "ttft_p99<=0.2", interpolate=True)
    # 24,000 and 24,576 tokens differ by 2 %: one workload. Nothing is drawn between it and the short one.
    assert {place: reason for place, (reason, _) in found.left_out.items()} == {0: "other_point", 3: "misses_slo"}
    assert found.measurements[1].rates[OUT].value == 41
    assert 4000 < found.measurements[2].rates[OUT].value < 5000
    accepted = chosen([*long, *short], OUT, [Target("ttft_p99", 0.2)], interpolate=False, accepted={"input_tokens"})
    assert set(accepted.left_out) == {0, 1, 3}


def test_a_length_that_is_not_stated_joins_one_curve_only():
    points = [point(1), point(2, input_tokens=100.0), point(3, input_tokens=900.0), point(4, input_tokens=101.0)]
    assert curve_numbers(points) == [0, 0, 2, 0]
    assert curve_numbers([point(1, curve=None), point(1, curve=None)]) == [0, 1]


def test_lengths_that_differ_are_told_with_a_target_as_without():
    details = [("m1.input_tokens", "24576"), ("m2.input_tokens", "127")]
    details += [(f"m{i}.{name}", value) for i in (1, 2) for name, value in (("curve", "x"), ("ttft_p99", "0.1"))]
    for targets in ({}, {"slo": "ttft_p99<=0.5"}):
        found = ask(PRICES, MS[:2], more=details, **targets)
        assert "input_lengths_differ" in {warning.code for warning in found.warnings}
        assert found.blocked


def test_the_rate_per_user_is_the_inverse_of_the_time_per_token():
    fast = point(100, tpot_p50=0.02)
    assert value_of(fast, "tokens_per_second_per_user") == 50.0
    assert value_of(point(100, itl_p50=0.05), "tokens_per_second_per_user") == 20.0
    assert value_of(point(100, 0.1), "tokens_per_second_per_user") is None
    points = [point(100, tpot_p50=0.01), point(300, tpot_p50=0.02), point(500, tpot_p50=0.05)]
    assert set(pick(points, "tokens_per_second_per_user>=40").left_out) == {0, 2}


def test_failed_work_does_not_count_in_the_choice():
    points = [point(100, 0.1), point(110, 0.1, success_rate=0.5)]
    assert set(pick(points, "ttft_p99<=0.5").left_out) == {1}


def test_interpolation_between_two_points():
    # Two points give a straight line: 0.2 s at 100/s, 0.4 s at 200/s, so 0.3 s at 150/s.
    found = pick([point(100, 0.2), point(200, 0.4)], "ttft_p99<=0.3", interpolate=True)
    moved = found.measurements[0]
    assert moved.rates[OUT].value == pytest.approx(150, rel=1e-9)
    assert moved.interpolated
    assert moved.latency == "interpolated at ttft_p99<=0.3 between r100 (100/s) and r200 (200/s)"
    assert (moved.label, found.left_out[1][0]) == ("r100 (interpolated)", "misses_slo")


def test_interpolation_follows_the_tightest_of_several_targets():
    points = [point(100, 0.2, tpot_p50=0.010), point(200, 0.4, tpot_p50=0.050)]
    found = pick(points, "ttft_p99<=0.3", "tpot_p50<=0.02", interpolate=True)
    # TPOT allows (0.02 - 0.01) / (0.05 - 0.01) of the way, TTFT half of it.
    assert found.measurements[0].rates[OUT].value == pytest.approx(125, rel=1e-9)


def test_interpolation_never_leaves_what_was_measured():
    assert pick(SWEEP, "ttft_p99<=5", interpolate=True).measurements[3].rates[OUT].value == 450
    below = pick(SWEEP, "ttft_p99<=0.05", interpolate=True)
    assert len(below.left_out) == 4


def test_a_point_that_others_beat_is_not_on_the_front():
    beaten = point(150, 0.6)
    points = [*SWEEP, beaten, point(200, 0.2)]
    targets = [Target("ttft_p99", 1.0)]
    assert [p.label for p in front(points, OUT, targets)] == ["r100", "r200", "r400", "r450"]


@given(
    st.lists(st.tuples(st.floats(1, 1e5), st.floats(1e-3, 100)), min_size=2, max_size=12, unique_by=lambda p: p[0]),
    st.floats(1e-3, 100),
)
def test_an_interpolated_rate_lies_between_its_neighbours(figures, bound):
    points = [point(rate, ttft) for rate, ttft in figures]
    plain = chosen(points, OUT, [Target("ttft_p99", bound)], interpolate=False)
    moved = chosen(points, OUT, [Target("ttft_p99", bound)], interpolate=True)
    assert plain.left_out.keys() == moved.left_out.keys()
    for i in set(range(len(points))) - plain.left_out.keys():
        before, after = plain.measurements[i].rates[OUT].value, moved.measurements[i].rates[OUT].value
        assert before <= after <= max(p.rates[OUT].value for p in points)
        # Nothing measured within the target does more than the point that is picked.
        assert all(p.rates[OUT].value <= before for p in points if value_of(p, "ttft_p99") <= bound)


def test_costs_along_a_curve():
    found = costs_along(SWEEP, SWEEP[2], 25.0, OUT, "ttft_p99")
    # At 36 USD/h and 400/s a million costs 25 USD; the others in inverse proportion to their rates.
    assert [(p.latency, p.cost) for p in found] == [(0.1, 100.0), (0.2, 50.0), (0.5, 25.0), (2.0, 25 * 400 / 450)]
    assert all(p.on_front for p in found)
    beaten = costs_along([*SWEEP, point(90, 0.3)], SWEEP[2], 25.0, OUT, "ttft_p99")
    assert [p.label for p in beaten if not p.on_front] == ["r90"]


MS = ["a@H100-SXM:8=100", "b@H100-SXM:8=200", "c@H100-SXM:8=400"]
DETAILS = [(f"m{i}.{name}", value) for i, ttft in ((1, "0.1"), (2, "0.2"), (3, "0.9"))
           for name, value in (("ttft_p99", ttft), ("curve", "x"), ("concurrency", "8"))]  # fmt: skip


def test_a_question_with_a_target():
    found = ask(PRICES, MS, more=DETAILS, slo="ttft_p99<=0.5")
    assert {e.reason: e.count for e in found.excluded} == {"misses_slo": 1, "other_point": 1}
    (row,) = estimates(PRICES, MS, more=DETAILS, slo="ttft_p99<=0.5")
    assert (row["measurement"], row["rate_per_second"]) == ("b", 200.0)
    assert row["reference_point"] == "concurrency 8, ttft p99 0.2 s"
    (moved,) = estimates(PRICES, MS, more=DETAILS, slo="ttft_p99<=0.5", interpolate=1)
    assert 200 < moved["rate_per_second"] < 400
    assert moved["flags"] == "interpolated"
    assert "between b (200/s) and c (400/s)" in moved["reference_point"]


def test_targets_as_json():
    measurements = [
        {"label": name, "accelerator": "H100-SXM", "accelerator_count": 8, "rates": {OUT: rate}, "curve": "x",
         "latency_seconds": {"ttft_p99": ttft}} for name, rate, ttft in (("a", 100, 0.1), ("b", 200, 0.6))
    ]  # fmt: skip
    found = ask_json(PRICES, measurements, slo=["ttft_p99<=0.5"])
    assert [row["measurement"] for row in rows_of(found)] == ["a"]


def test_a_target_that_cant_be_right_is_named():
    assert [loc for loc, _ in faults_of(ask, PRICES, MS, slo=["ttft_p99<=0.5", "speed<=1"])] == [("slo", 1)]
    assert [loc for loc, _ in faults_of(ask, PRICES, MS, interpolate=1)] == [("interpolate",)]


def test_evidence_filters_measurements():
    more = [("m1.evidence", "claimed")]
    found = ask(PRICES, MS[:2], more=more, evidence="measured")
    assert {e.reason: (e.count, e.example) for e in found.excluded} == {"evidence_left_out": (1, "a is claimed")}
    assert len(estimates(PRICES, MS[:2], more=more, evidence=["measured", "claimed"])) == 2
    ((loc, _),) = faults_of(ask, PRICES, MS[:2], evidence="rumour")
    assert loc[0] == "evidence"


def test_input_and_output_tokens_each_and_split():
    (row,) = estimates(PRICES, "H100-SXM:8=in:21000,out:5200", utilization="50%", output_price_ratio=4)
    hour = 3600 * 0.5
    assert row["input_cost_usd"] == pytest.approx(36e6 / hour / 21000)
    assert row["output_cost_usd"] == pytest.approx(36e6 / hour / 5200)
    assert row["blended_cost_usd"] == pytest.approx(36e6 / hour / 26200)
    # cost_in = P · 10⁶ / (3600 · u · (R_in + w · R_out)) and cost_out = w · cost_in.
    assert row["input_cost_split_usd"] == pytest.approx(36e6 / hour / (21000 + 4 * 5200))
    assert row["output_cost_split_usd"] == pytest.approx(4 * row["input_cost_split_usd"])
    # Split, both together pay the machine once.
    paid = (row["input_cost_split_usd"] * 21000 + row["output_cost_split_usd"] * 5200) * hour / 1e6
    assert math.isclose(paid, 36, rel_tol=1e-12)
    (plain,) = estimates(PRICES, "H100-SXM:8=in:21000,out:5200")
    assert plain["input_cost_split_usd"] is None
    (single_rate,) = estimates(PRICES, "H100-SXM:8=out:5200", output_price_ratio=4)
    assert single_rate["input_cost_usd"] is single_rate["output_cost_split_usd"] is None
