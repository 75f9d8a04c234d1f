"""Discounts off list prices, and the filter by the age of a price."""

from __future__ import annotations

from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.columns import COLUMNS
from pricing.compare import compare
from pricing.errors import InvalidInputError
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
ROWS = """provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on,evidence
aws,list,H100-SXM,8,50,2026-11-21,list
aws,survey,H100-SXM,8,50,2026-10-01,survey
gcp,list,H100-SXM,8,45,2026-11-30,list
aws,mine,H100-SXM,8,44,,quote
"""


def ask(*pairs):
    table = read_csv(ROWS.encode(), "t.csv", catalogue(), TODAY)
    question = Reader(table, catalogue(), TODAY).from_pairs([("unit", "request"), ("m", "H100-SXM:8=1"), *pairs])
    return question, compare(question, catalogue())


def prices(answer):
    names = ("provider", "instance_type", "price_usd_per_hour", "list_price_usd_per_hour")
    columns = [next(c for c in COLUMNS if c.name == name).python(answer.page) for name in names]
    return {row[:2]: row[2:] for row in zip(*columns, strict=True)}


@pytest.mark.parametrize("share", ["12%", "0.12"])
def test_a_discount_is_taken_off_list_prices_of_its_provider_only(share):
    _, answer = ask(("discount", f"aws={share}"))
    # 50 × 0.88 = 44
    assert prices(answer) == {
        ("aws", "list"): (44.0, 50.0), ("aws", "mine"): (44.0, None), ("gcp", "list"): (45.0, None),
        ("aws", "survey"): (50.0, None),
    }  # fmt: skip


def test_costs_and_ranks_follow_the_effective_price():
    _, before = ask()
    _, after = ask(("discount", "aws=50%"))
    assert before.page.price.tolist() == [44.0, 45.0, 50.0, 50.0]
    assert after.page.price.tolist() == [25.0, 44.0, 45.0, 50.0]
    assert after.page.cost[0] == pytest.approx(25 / 3600 * 1e6, rel=1e-12)


def test_discounts_are_in_the_link():
    question, answer = ask(("discount", "aws=12%"), ("discount", "gcp=5%"))
    table = read_csv(ROWS.encode(), "t.csv", catalogue(), TODAY)
    again = Reader(table, catalogue(), TODAY).from_pairs(question.pairs)
    assert prices(compare(again, catalogue())) == prices(answer)


@pytest.mark.parametrize("text", ["aws", "aws=", "aws=0", "aws=100%", "aws=-5%", "aws=12", "asw=12%", "aws=x", "=5%"])
def test_discounts_refused(text):
    with pytest.raises(InvalidInputError):
        ask(("discount", text))


def test_a_provider_has_one_discount():
    with pytest.raises(InvalidInputError, match="already given"):
        ask(("discount", "aws=5%"), ("discount", "aws=6%"))


@pytest.mark.parametrize(
    ("days", "left"),
    [(10, {("aws", "list"), ("aws", "mine"), ("gcp", "list")}), (9, {("aws", "mine"), ("gcp", "list")})],
)
def test_old_prices_are_left_out_and_own_quotes_stay(days, left):
    _, answer = ask(("max_age_days", str(days)))
    assert set(prices(answer)) == left
    assert {e.reason: e.count for e in answer.excluded} == {"filtered": 4 - len(left)}
