"""The registry of units: ids, labels and rate fields that people script against."""

import pytest

from pricing.units import RATE_FIELDS, SHORT_KEYS, UNITS, unit_named
from tests.pricing.small import fault_of, offer, only, table

REGISTRY = [
    ("output_token", "USD per 1M output tokens", "output_tokens_per_second", "out"),
    ("input_token", "USD per 1M input tokens", "input_tokens_per_second", "in"),
    ("total_token", "USD per 1M tokens, input and output", "total_tokens_per_second", "total"),
    ("trained_token", "USD per 1M trained tokens", "trained_tokens_per_second", "trained"),
    ("audio_hour", "USD per audio-hour", "audio_seconds_per_second", "rtfx"),
    ("request", "USD per 1M requests", "requests_per_second", "req"),
]


def test_the_units_of_the_contract_and_no_others():
    assert [(u.id, u.cost_unit, u.rate_field, u.short_key) for u in UNITS.values()] == REGISTRY
    assert list(UNITS) == [row[0] for row in REGISTRY]
    assert list(RATE_FIELDS) == [row[2] for row in REGISTRY]
    assert list(SHORT_KEYS) == [row[3] for row in REGISTRY]


@pytest.mark.parametrize(("unit", "label", "field", "key"), REGISTRY)
def test_a_cost_carries_its_own_unit(unit, label, field, key):
    row = only(table(offer(36)), f"H100-SXM:8={key}:100", unit=unit)
    assert row["cost_unit"] == label
    # 36 USD/h at 100 units/s: 1e-4 USD for each; 36 / 100 USD per audio-hour.
    assert row["cost_usd"] == pytest.approx(0.36 if unit == "audio_hour" else 100.0, rel=1e-12)
    assert row["units_per_usd"] == pytest.approx(1 / 0.36 if unit == "audio_hour" else 1e4, rel=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_a_bare_rate_is_in_the_question_s_unit(unit):
    row = only(table(offer(36)), "H100-SXM:8=100", unit=unit)
    assert row["rate_per_second"] == 100
    assert row["cost_unit"] == UNITS[unit].cost_unit


def test_audio_by_value():
    row = only(table(offer(1)), "H100-SXM:8=150", unit="audio_hour", utilization="0.5")
    # 1 USD buys an hour at RTFx 150, half of it used: 75 hours of audio.
    assert row["cost_usd"] == pytest.approx(1 / (150 * 0.5), rel=1e-12) == pytest.approx(0.0133333333333333, rel=1e-12)
    assert row["units_per_usd"] == pytest.approx(75, rel=1e-12)


def test_streams_in_real_time_are_an_rtfx():
    # 200 concurrent real-time streams for 2 USD/h: 1 cent for an hour of audio.
    assert only(table(offer(2)), "H100-SXM:8=200", unit="audio_hour")["cost_usd"] == pytest.approx(0.01, rel=1e-12)


def test_a_unit_is_found_by_its_id():
    assert unit_named(" request ") is UNITS["request"]
    assert RATE_FIELDS["requests_per_second"] is SHORT_KEYS["req"] is UNITS["request"]


@pytest.mark.parametrize(
    ("name", "near"),
    [("output_tokens", "output_token"), ("audio_hours", "audio_hour"), ("REQUEST", "request"), ("tokens", None)],
)
def test_an_unknown_unit_lists_the_units(name, near):
    loc, msg = fault_of(unit_named, name)
    assert loc == ("unit",)
    assert repr(name) in msg
    assert ", ".join(UNITS) in msg
    assert near is None or f"Did you mean {near}" in msg
