"""Receipts: hash, differences, and the parts of a change, which sum to the whole."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.receipts import differences, digest, explained

amounts = st.floats(1e-6, 1e9)
estimates = st.fixed_dictionaries(
    {
        "price_usd_per_hour": amounts, "per_replica": amounts, "utilization": st.floats(0.001, 1),
        "replicas": st.integers(1, 1000),
    }
)  # fmt: skip


def row(price_usd_per_hour, per_replica, utilization, replicas, **more):
    rate = per_replica * replicas
    cost = price_usd_per_hour / (3600 * rate * utilization) * 1e6
    return {
        "price_usd_per_hour": price_usd_per_hour, "rate_per_second": rate, "utilization": utilization,
        "replicas": replicas, "cost_usd": cost, "cost_unit": "USD per 1M output tokens", "currency": None,
    } | more  # fmt: skip


@given(estimates, estimates)
def test_the_parts_sum_to_the_whole(old, new):
    found = explained(row(**old), row(**new))
    assert math.fsum(part for _, part in found.parts) == pytest.approx(found.whole, abs=1e-11)


def test_by_hand():
    old = row(10, 1000, 0.5, 1)
    new = row(12, 1500, 0.6, 2)
    # Price 1.2 ×, throughput 1.5 ×, utilization 1.2 ×, two replicas: 1.2 / (1.5 · 1.2 · 2) = 1/3.
    found = explained(old, new)
    assert dict(found.parts) == pytest.approx(
        {
            "price": math.log(1.2), "throughput": -math.log(1.5), "utilization": -math.log(1.2),
            "whole machines": -math.log(2),
        }
    )  # fmt: skip
    assert found.whole == pytest.approx(math.log(1 / 3))


def test_a_currency_is_a_part_of_its_own():
    old = row(10, 1000, 0.5, 1, currency="BRL", units_of_currency_per_usd=5.0)
    new = row(10, 1000, 0.5, 1, currency="BRL", units_of_currency_per_usd=5.5)
    old["cost_in_currency"], new["cost_in_currency"] = 5.0 * old["cost_usd"], 5.5 * new["cost_usd"]
    found = explained(old, new)
    assert dict(found.parts)["currency"] == pytest.approx(math.log(1.1))
    assert found.whole == pytest.approx(math.log(1.1))


@pytest.mark.parametrize("more", [{"cost_unit": "USD per audio-hour"}, {"currency": "EUR"}])
def test_units_and_currencies_do_not_mix(more):
    with pytest.raises(ValueError, match=r"can't be compared|different currencies"):
        explained(row(1, 1, 1, 1), row(1, 1, 1, 1, **more))


def test_differences_name_the_place():
    old = {"a": [1.0, {"b": "x"}], "n": None}
    assert list(differences(old, {"a": [1.0, {"b": "x"}], "n": None})) == []
    assert list(differences(old, {"a": [1.0 + 1e-15, {"b": "x"}], "n": None})) == []
    assert list(differences(old, {"a": [1.1, {"b": "y"}], "n": 0})) == [
        "a[0]: 1.0, now 1.1", "a[1].b: 'x', now 'y'", "n: None, now 0",
    ]  # fmt: skip
    assert list(differences(old, {"a": [1.0], "n": None})) == ["a: 2 entries, now 1"]


def test_the_hash_is_over_everything_but_itself_and_no_order():
    receipt = {"a": 1.5, "b": {"c": "é"}, "sha256": "x"}
    assert digest(receipt) == digest({"b": {"c": "é"}, "a": 1.5})
    assert digest(receipt) != digest({"b": {"c": "é"}, "a": 1.6})
