"""Owned machines, lost spot work and other currencies, by value."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import estimate
from pricing.accelerators import catalogue
from pricing.columns import COLUMNS
from pricing.compare import compare
from pricing.currency import ECB, exchange_rate
from pricing.errors import InvalidInputError
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
ROWS = """provider,instance_type,accelerator,accelerator_count,purchase,price_usd_per_hour,observed_on,evidence
aws,a,H100-SXM,8,on_demand,10,2026-11-30,list
aws,a,H100-SXM,8,spot,9.2,2026-11-30,list
"""
RACK = "rack@H100-SXM:8=capex:280000,years:4,kw:10.2,pue:1.3,kwh:0.12,yearly:20000"


def ask(*pairs, as_of=TODAY):
    reader = Reader(read_csv(ROWS.encode(), "t.csv", catalogue(), TODAY), catalogue(), as_of)
    question = reader.from_pairs([("unit", "request"), ("m", "H100-SXM:8=1"), *pairs])
    assert reader.from_pairs(question.pairs).pairs == question.pairs
    answer = compare(question, catalogue())
    columns = {column.name: column.python(answer.page) for column in COLUMNS}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_an_owned_machine_by_its_parts():
    row = next(row for row in ask(("owned", RACK)) if row["provider"] == "own")
    # 280,000 / (4 · 8760) + 10.2 · 1.3 · 0.12 + 20,000 / 8760 = 7.990868 + 1.5912 + 2.283105
    assert row["price_usd_per_hour"] == pytest.approx(280000 / 35040 + 1.5912 + 20000 / 8760, rel=1e-12)
    assert (row["purchase"], row["instance_type"], row["price_evidence"]) == ("owned", "rack", "quote")
    assert row["notes"] == "USD per hour: purchase 7.99087, power 1.5912, upkeep 2.28311"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rack", "is not an owned machine"), ("rack@H100-SXM=capex:1,years:1", "no count"),
        ("rack@H100-SXM:8=capex:1", "years must be given"), ("rack@H100-SXM:8=capex:0,years:4", "capex must be given"),
        ("rack@H100-SXM:8=capex:1,years:4,pue:0.9", "at least 1"),
        ("rack@H100-SXM:8=capex:1,years:4,kw:-1", "negative"),
        ("rack@H100-SXM:8=capex:1,years:4,power:1", "not key:number"),
        ("rack@H100-SXM:8=capex:1,capex:2,years:4", "twice"),
        ("rack@H1000:8=capex:1,years:4", "Did you mean"),
    ],
)  # fmt: skip
def test_owned_machines_refused(text, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        ask(("owned", text))
    assert caught.value.faults[0].loc[:2] == ("owned", 0)


def test_upfront_payments_are_spread_over_the_term():
    # 1.5 + 8760 / (1 · 8760) = 2.5; three years: 1 + 26,280 / 26,280 = 2
    assert estimate.amortised_price(1.5, 8760, 12) == 2.5
    assert estimate.amortised_price(1, 26280, 36) == 2.0


def test_lost_work_makes_spot_dearer_and_ranks_it_so():
    plain = ask()
    assert [row["purchase"] for row in plain] == ["spot", "on_demand"]
    lossy = ask(("spot_loss", "10%"))
    # 9.2 / (3600 · 0.9) is more than 10 / 3600.
    assert [row["purchase"] for row in lossy] == ["on_demand", "spot"]
    assert lossy[1]["cost_usd"] == pytest.approx(9.2 / (3600 * 0.9) * 1e6, rel=1e-12)
    assert [row["utilization"] for row in lossy] == [1.0, 0.9]
    assert lossy[1]["price_usd_per_hour"] == 9.2


@given(u=st.floats(0.01, 1), loss=st.floats(0, 0.99))
def test_lost_work_never_adds(u, loss):
    assert estimate.utilization_with_loss(u, loss) <= u


def test_costs_in_another_currency_at_the_users_rate():
    row = ask(("currency", "brl"), ("exchange_rate", "BRL=5.5"))[0]
    assert row["cost_usd"] == pytest.approx(9.2 / 3600 * 1e6, rel=1e-12)
    assert row["cost_in_currency"] == pytest.approx(9.2 * 5.5 / 3600 * 1e6, rel=1e-12)
    assert (row["currency"], row["units_of_currency_per_usd"], row["exchange_rate_on"]) == ("BRL", 5.5, None)
    assert row["price_in_currency_per_hour"] == pytest.approx(50.6, rel=1e-12)


def test_a_reference_rate_has_its_date_and_source():
    # ECB, 2 January 2024: 1 EUR = 1.0956 USD = 0.86645 GBP (a Tuesday); the first of January is a holiday.
    rate = exchange_rate("GBP", date(2024, 1, 2), {})
    assert rate.per_usd == pytest.approx(0.86645 / 1.0956, rel=1e-9)
    assert (rate.currency, rate.on, rate.source) == ("GBP", date(2024, 1, 2), ECB)
    assert exchange_rate("GBP", date(2024, 1, 1), {}).on == date(2023, 12, 29)
    assert exchange_rate("USD", date(2024, 1, 2), {}).per_usd == 1.0


def test_a_quote_in_another_currency_is_converted_with_its_rate_in_the_notes():
    row = next(
        r
        for r in ask(("quote", "acme/x@H100-SXM:8=1,234.50EUR"), ("exchange_rate", "EUR=0.5"))
        if r["provider"] == "acme"
    )
    assert row["price_usd_per_hour"] == 2469.0
    assert row["notes"] == "1,234.50 EUR at 0.5 EUR per USD, your rate"


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("currency", "XXQ")], "not a currency with a reference rate"), ([("currency", "¥")], "not a currency"),
        ([("quote", "a/x@H100-SXM:8=5XXQ")], "not a currency"), ([("exchange_rate", "BRL")], "CURRENCY=UNITS_PER_USD"),
        ([("exchange_rate", "BRL=0")], "greater than 0"), ([("spot_loss", "1")], "less than 1"),
    ],
)  # fmt: skip
def test_refused(pairs, words):
    with pytest.raises(InvalidInputError, match=words):
        ask(*pairs)
