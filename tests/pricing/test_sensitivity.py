"""What moves a cost, by values worked by hand: C = P · 10⁶ / (3600 · R · s · u · (1 - l))."""

from __future__ import annotations

import pytest

from pricing.measurements import Rate, single, with_spread
from pricing.sensitivity import moves, of_cheapest
from pricing.units import unit_named
from tests.pricing.small import ask, offer, table

AUDIO, TOKENS = unit_named("audio_hour"), unit_named("output_token")


def figures(found):
    return [(m.input, m.at_low, m.at_high, m.cost_low, m.cost_high, m.stated) for m in found]


def close(rows):
    return [tuple(pytest.approx(v, rel=1e-12) if isinstance(v, float) else v for v in row) for row in rows]


def test_each_input_alone_moves_the_cost():
    # Audio costs P / (RTFx · s · u) = 6 / (10 · 0.6) = 1.
    found = moves(6.0, single(10.0), 1.0, 0.6, AUDIO)
    assert figures(found) == close(
        [
            ("utilization", 0.7, 0.5, 6 / 7, 1.2, False),
            ("throughput", 11.0, 9.0, 1 / 1.1, 1 / 0.9, False),
            ("price", 5.4, 6.6, 0.9, 1.1, False),
        ]
    )
    assert [move.width for move in found] == pytest.approx([1.2 - 6 / 7, 1 / 0.9 - 1 / 1.1, 0.2], rel=1e-12)


def test_a_range_of_the_throughput_takes_the_place_of_a_tenth():
    # 10 / (4 · 1) = 2.5; at 5 it is 2, at 3 it is 3.33.
    (first, *others) = moves(10.0, with_spread(4.0, 1.0), 1.0, 1.0, AUDIO)
    assert figures([first]) == close([("throughput", 5.0, 3.0, 2.0, 10 / 3, True)])
    assert [move.input for move in others] == ["price", "utilization"]


def test_full_load_can_only_fall_and_a_success_rate_moves_too():
    # 7.2 · 10⁶ / (3600 · 1000 · 0.8 · 1) = 2.5 USD per 1M tokens.
    found = {move.input: move for move in moves(7.2, single(1000.0), 0.8, 1.0, TOKENS)}
    assert list(found) == ["success_rate", "throughput", "price", "utilization"]
    assert figures([found["utilization"], found["success_rate"]]) == close(
        [("utilization", 1.0, 0.9, 2.5, 2.5 / 0.9, False), ("success_rate", 0.9, 0.7, 20 / 9, 20 / 7, False)]
    )


def test_without_a_positive_end_there_is_no_highest_cost():
    wide = {move.input: move for move in moves(1.0, with_spread(2.0, 3.0), 1.0, 0.1, AUDIO)}
    assert (wide["throughput"].at_high, wide["throughput"].cost_high) == (None, None)
    assert (wide["utilization"].at_high, wide["utilization"].cost_high) == (None, None)
    assert wide["throughput"].cost_low == pytest.approx(1 / (5 * 0.1), rel=1e-12)
    assert [move.input for move in wide.values()] == ["throughput", "utilization", "price"]
    assert {wide["throughput"].width, wide["utilization"].width} == {float("inf")}


def test_three_tenths_less_is_no_share():
    (move,) = [move for move in moves(1.0, single(1.0), 1.0, 0.3 - 0.2, AUDIO) if move.input == "utilization"]
    assert move.cost_high is None


def test_a_range_of_no_width_is_none():
    (move,) = [m for m in moves(9.0, Rate(9.0, 9.0, 9.0, 0.0), 1.0, 1.0, AUDIO) if m.input == "throughput"]
    assert (move.at_low, move.stated) == (pytest.approx(9.9), False)


def test_work_that_spot_loses_scales_the_cost_and_not_the_ends():
    found = {move.input: move for move in moves(6.0, single(10.0), 1.0, 0.6, AUDIO, 0.2)}
    assert (found["utilization"].at_low, found["utilization"].at_high) == pytest.approx((0.7, 0.5))
    assert (found["price"].cost_low, found["price"].cost_high) == pytest.approx((1.125, 1.375), rel=1e-12)


def test_the_cheapest_of_an_answer_with_its_replicas():
    prices = table(offer(36, instance_type="dear"), offer(18, instance_type="cheap"))
    about = of_cheapest(ask(prices, "mine@H100-SXM:4=1000", utilization="0.5"))
    # Two replicas of four: 18 · 10⁶ / (3600 · 2000 · 0.5) = 5.
    assert (about.offer, about.measurement, about.cost) == ("acme cheap", "mine", pytest.approx(5, rel=1e-12))
    (move,) = [move for move in about.moves if move.input == "throughput"]
    assert (move.at_low, move.at_high, move.cost_low) == pytest.approx((2200, 1800, 5 / 1.1), rel=1e-12)
    assert of_cheapest(ask(prices, "H100-SXM:16=1000")) is None


def test_spot_that_loses_work():
    prices = table(offer(18, purchase="spot"))
    about = of_cheapest(ask(prices, "H100-SXM:8=1000", spot_loss="0.2"))
    cost = 18e6 / (3600 * 1000 * 0.8)
    assert about.cost == pytest.approx(cost, rel=1e-12)
    (move,) = [move for move in about.moves if move.input == "price"]
    assert (move.cost_low + move.cost_high) / 2 == pytest.approx(cost, rel=1e-12)
