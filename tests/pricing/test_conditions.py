"""Conditions on columns: what each sign means, and what is refused."""

import pytest

from pricing.errors import InvalidInputError
from tests.pricing.small import ask, offer, rows_of, table

# Costs of 100 tokens/s at 1, 2, 3 and 4 USD/h: 2.777… USD per 1M and its multiples.
PRICES = table(
    offer(1, instance_type="one", accelerator_count=8, region="eu-1"),
    offer(2, instance_type="two", accelerator_count=8, region="eu-2", observed_on="2026-11-01"),
    offer(3, instance_type="three", accelerator_count=16, region="us-1", purchase="spot"),
    offer(4, instance_type="four", accelerator_count=8, region="us-2", provider="other"),
)


def found(*where, **values):
    answer = ask(PRICES, "H100-SXM:8=100", where=list(where), **values)
    return [row["instance_type"] for row in rows_of(answer)]


@pytest.mark.parametrize(
    ("where", "types"),
    [
        ("price_usd_per_hour<=2", ["one", "two"]),
        ("price_usd_per_hour<2", ["one"]),
        ("price_usd_per_hour>=3", ["three", "four"]),
        ("price_usd_per_hour > 3", ["four"]),
        ("price_usd_per_hour=2..3", ["three", "two"]),
        ("price_usd_per_hour!=2..3", ["one", "four"]),
        ("price_usd_per_hour=3..", ["three", "four"]),
        ("price_usd_per_hour=..1", ["one"]),
        ("accelerator_count=16", ["three"]),
        ("cost_usd<=5", ["one", "three"]),
        ("ratio_to_baseline>1", ["three", "two", "four"]),
        ("region~EU", ["one", "two"]),
        ("region=eu-1", ["one"]),
        ("purchase!=spot", ["one", "two", "four"]),
        ("flags~scaled", ["three"]),
        ("flags=scaled_up", ["three"]),
        ("price_observed_on<=2026-11-01", ["two"]),
        ("price_observed_on=2026-11-01", ["two"]),
        ("price_observed_on>=2026-11-02", ["one", "three", "four"]),
        ("price_age_days<10", ["one", "three", "four"]),
        ("term_months>=0", []),
        ("measurement=H100-SXM:8", ["one", "three", "two", "four"]),
        ("price_usd_per_hour<=0.002k", ["one", "two"]),
    ],
)
def test_each_sign(where, types):
    # Costs: one 2.78, three 4.17 (two replicas), two 5.56, four 11.1.
    assert found(where) == types


def test_several_all_hold_and_the_rest_is_counted():
    answer = ask(PRICES, "H100-SXM:8=100", where=["region~us", "price_usd_per_hour<=3"])
    assert answer.total == 1
    assert [row["rank"] for row in rows_of(answer)] == [1]
    assert {e.reason: e.count for e in answer.excluded} == {"unmet": 3}


def test_paging_and_sorting_are_over_what_is_left():
    where = {"where": "price_usd_per_hour>=2"}
    assert [r["instance_type"] for r in rows_of(ask(PRICES, "H100-SXM:8=100", limit=2, **where))] == ["three", "two"]
    assert [r["instance_type"] for r in rows_of(ask(PRICES, "H100-SXM:8=100", limit=2, offset=2, **where))] == ["four"]
    sort = rows_of(ask(PRICES, "H100-SXM:8=100", sort="-price_usd_per_hour", **where))
    assert [r["instance_type"] for r in sort] == ["four", "three", "two"]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("cost<=5", "Did you mean cost_"),
        ("cost_usd", "is not a condition"),
        ("cost_usd<=", "is not a condition"),
        ("cost_usd<=five", "is not a number"),
        ("cost_usd<=0,5", "a comma is read neither"),
        ("cost_usd~5", "is no text"),
        ("region<=a", "is text"),
        ("cost_usd=5..2", "write the smaller one first"),
        ("price_observed_on<=yesterday", "write YYYY-MM-DD"),
        ("price_observed_on<2026-01-01", "compare dates with"),
        ("tied=maybe", "true or false"),
    ],
)
def test_what_can_t_be_read_is_refused(where, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        found("region~eu", where)
    assert caught.value.faults[0].loc == ("where", 1)
