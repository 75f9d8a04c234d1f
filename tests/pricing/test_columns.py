"""The columns of an estimate: the contract's order, kinds, and one line of documentation each."""

import math

import pytest

from pricing.browse import PRICE_COLUMNS
from pricing.columns import COLUMNS
from pricing.offers import OFFER_COLUMNS
from tests.pricing.small import estimates, offer, only, table

CONTRACT = [
    "rank", "provider", "instance_type", "region", "purchase", "term_months", "accelerator",
    "accelerator_vendor", "accelerator_count", "measurement", "replicas", "idle_accelerators",
    "price_usd_per_hour", "rate_per_second", "utilization", "cost_usd", "cost_low_usd", "cost_high_usd",
    "cost_unit", "units_per_usd", "ratio_to_baseline", "rate_to_tie_per_second", "price_to_tie_usd_per_hour",
    "tied", "price_evidence", "price_observed_on", "price_age_days", "price_source", "measurement_evidence",
    "measurement_source", "stack", "model", "flags", "price_usd_per_accelerator_hour", "notes",
]  # fmt: skip


def test_the_order_is_the_contract_s_and_later_columns_are_appended():
    assert [column.name for column in COLUMNS][: len(CONTRACT)] == CONTRACT


def test_names_are_unique_and_documented():
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)
    assert all(column.doc.endswith(".") and len(column.doc) < 100 for column in COLUMNS)


def test_the_price_list_begins_with_the_schema():
    assert tuple(column.name for column in PRICE_COLUMNS)[: len(OFFER_COLUMNS)] == OFFER_COLUMNS


def test_one_row_by_value():
    prices = table(
        offer(36, region="eu-1", purchase="reserved", term_months=12, accelerator_count=20, source="page", notes="n",
              plan="no_upfront", observed_on="2026-11-01")
    )  # fmt: skip
    more = [("m1.stack", "vLLM 0.11"), ("m1.model", "Llama"), ("m1.source", "us"), ("m1.evidence", "published")]
    row = only(prices, "mine@H100-SXM:8=100~10", utilization="50%", more=more)
    # Two replicas, 4 idle: 200 units/s at 36 USD/h, half of the time used.
    cost = 36 / (3600 * 200 * 0.5) * 1e6
    assert row == {
        "rank": 1, "provider": "acme", "instance_type": "box", "region": "eu-1", "purchase": "reserved",
        "term_months": 12, "accelerator": "H100-SXM", "accelerator_vendor": "nvidia", "accelerator_count": 20,
        "measurement": "mine", "replicas": 2, "idle_accelerators": 4, "price_usd_per_hour": 36.0,
        "rate_per_second": 200.0, "utilization": 0.5, "cost_usd": pytest.approx(cost, rel=1e-12),
        "cost_low_usd": pytest.approx(cost / 1.1, rel=1e-12), "cost_high_usd": pytest.approx(cost / 0.9, rel=1e-12),
        "cost_unit": "USD per 1M output tokens", "units_per_usd": pytest.approx(1e6 / cost, rel=1e-12),
        "ratio_to_baseline": 1.0, "rate_to_tie_per_second": 200.0, "price_to_tie_usd_per_hour": 36.0, "tied": None,
        "price_evidence": "list", "price_observed_on": "2026-11-01", "price_age_days": 30, "price_source": "page",
        "measurement_evidence": "published", "measurement_source": "us", "stack": "vLLM 0.11", "model": "Llama",
        "flags": "scaled_up|spans_hosts", "price_usd_per_accelerator_hour": 1.8, "notes": "n", "plan": "no_upfront",
        "list_price_usd_per_hour": None, "currency": None, "units_of_currency_per_usd": None, "exchange_rate_on": None,
        "cost_in_currency": None, "price_in_currency_per_hour": None, "reference_point": None, "comparable_group": 1,
        "differs_in": None, "precision": None, "input_tokens": None, "output_tokens": None, "success_rate": 1.0,
        "measured_on": None, "input_cost_usd": None,
        "output_cost_usd": None, "blended_cost_usd": None, "input_cost_split_usd": None, "output_cost_split_usd": None,
    }  # fmt: skip


def test_kinds_are_those_of_the_values():
    kinds = {"number": float, "whole": int, "text": str, "date": str, "boolean": bool}
    prices = table(offer(10, term_months=12, notes="n", plan="p", source="s"), offer(11, region="eu-1", observed_on=""))
    for row in estimates(prices, ["a@H100-SXM:8=100~1", "b@H100-SXM:8=99~1"]):
        for column in COLUMNS:
            value = row[column.name]
            assert value is None or type(value) is kinds[column.kind]
            assert not isinstance(value, float) or math.isfinite(value)


def test_nothing_is_rounded():
    row = only(table(offer(0.0000023)), "H100-SXM:8=3")
    assert row["price_usd_per_hour"] == 0.0000023
    assert row["cost_usd"] == pytest.approx(0.0000023 / (3600 * 3) * 1e6, rel=1e-15)
    assert row["cost_usd"] > 0
