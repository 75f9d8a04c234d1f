"""How sure an order is: verdict, probability, runs, and what turns it round."""

import math

import pytest

from tests.pricing.decisions.asked import asked, faults, rows
from tests.pricing.small import offer, table

PRICES = table(offer(10), offer(10, instance_type="other", accelerator="L4", accelerator_count=1))
TWO = ["A@H100-SXM:8=5400", "B@L4:1=5000"]


def sure(m=TWO, **values):
    return asked("sure", PRICES, unit="output_token", m=m, **values)


def test_known_answer_from_single_runs():
    # 5400 against 5000 at the same price: C_B / C_A = 1.08.
    solved = sure(cv_a="4%", cv_b="6%")
    found = solved.result.values
    assert found["cost_ratio"] == pytest.approx(1.08, rel=1e-12)
    assert found["probability_a_cheaper"] == pytest.approx(0.857, abs=5e-4)
    assert solved.result.verdict == "too_close_to_call"
    assert (found["runs_to_settle"], found["more_runs_a"], found["more_runs_b"]) == (4, 3, 3)


def test_verdicts_by_the_error():
    assert sure(cv_a="1%", cv_b="1%").result.verdict == "a_cheaper"
    assert sure(TWO[::-1], cv_a="1%", cv_b="1%").result.verdict == "b_cheaper"
    assert sure(cv_a="1%").result.verdict == "error_unknown"
    assert sure(cv_a="1%").result.values.get("probability_a_cheaper") is None


def test_repeats_bring_their_own_scatter():
    # Runs 5300, 5400, 5500: s = 100, s / mean = 1/54; one standard error is that over √3.
    solved = sure(["A@H100-SXM:8=5300/5400/5500", "B@L4:1=5000"], cv_b="2%")
    found = solved.result.values
    assert found["standard_error"] == pytest.approx(math.hypot(1 / 54 / math.sqrt(3), 0.02), rel=1e-12)
    assert (found["a_runs"], found["b_runs"]) == (3, 1)


def test_what_turns_it_round_smallest_first():
    flips = rows(sure(cv_a="4%", cv_b="6%"), "flips")
    assert [flip["by"] for flip in flips] == sorted(flip["by"] for flip in flips)
    price = {flip["side"]: flip for flip in flips if flip["what"] == "price"}
    # A's price may rise to 10.8, B's must fall to 10 / 1.08 = 9.259…; A's rate may fall to 5000.
    assert price["a"]["then"] == pytest.approx(10.8, rel=1e-12)
    assert price["b"]["then"] == pytest.approx(10 / 1.08, rel=1e-12)
    assert next(f for f in flips if f["what"] == "throughput" and f["side"] == "a")["then"] == pytest.approx(5000)
    assert "price of 2026-11-30, 1 days old" in price["a"]["known"]


def test_utilization_never_rises_above_one():
    sides = {(f["side"], f["what"]) for f in rows(sure(), "flips")}
    assert ("b", "utilization") not in sides
    half = {(f["side"], f["what"]) for f in rows(sure(utilization="50%"), "flips")}
    assert ("b", "utilization") in half


def test_what_can_t_be_compared_has_no_winner():
    solved = sure(cv_a="1%", cv_b="1%", **{"m1.precision": "FP8", "m2.precision": "BF16"})
    assert solved.result.verdict == "not_comparable"
    assert not any("cheaper" in sentence for sentence in solved.result.sentences)


def test_scaling_prices_leaves_verdict_and_probability():
    one, two = (sure(cv_a="4%", cv_b="6%", a=a, b=b).result for a, b in (("10", "10"), ("73", "73")))
    assert one.verdict == two.verdict
    assert one.values["probability_a_cheaper"] == pytest.approx(two.values["probability_a_cheaper"], rel=1e-12)


def test_two_measurements_are_needed():
    (fault,) = faults("sure", PRICES, unit="output_token", m=TWO[0])
    assert fault == ("m", "1 measurements are given, and this takes 2 measurements: A; B")
