"""Browsing of prices: what is in force, history, filters, order and pages."""

import numpy as np
import pytest

from pricing.browse import PRICE_COLUMNS, browse
from pricing.offers import one_a_row
from tests.pricing.small import (
    BASIC,
    TODAY,
    browsed,
    catalogue,
    fault_of,
    faults_of,
    mapped,
    offer,
    pairs_of,
    read,
    table,
)

LOG = table(
    offer(30, observed_on="2026-01-15", notes="old"),
    offer(20, observed_on="2026-06-01"),
    offer(25, observed_on="2026-11-20", notes="new"),
    offer(9, provider="aws", region="eu-west-1", purchase="spot", observed_on="2026-11-29", evidence="survey"),
    offer(8, provider="aws", region="us-east-1", purchase="reserved", term_months=12, plan="no_upfront"),
    offer(4, provider="bolt", instance_type="tpu", accelerator="TPU-v6e", accelerator_count=1, sizes="1|4|8"),
    offer(1, provider="bolt", instance_type="rumour", evidence="third_party"),
    offer(
        5, provider="bolt", instance_type="pcie", accelerator="H100-PCIe", availability="not_deployable", observed_on=""
    ),
    offer(0.4, provider="cpu-land", instance_type="c1", accelerator="", accelerator_count=0),
)


def prices(**values):
    return [row["price_usd_per_hour"] for row in browsed(LOG, **values)]


def page(**values):
    return browse(pairs_of(values), LOG, catalogue(), TODAY)


def test_prices_in_force_in_order_of_their_names():
    rows = browsed(LOG)
    assert [(row["provider"], row["instance_type"]) for row in rows] == [
        ("acme", "box"), ("aws", "box"), ("aws", "box"), ("bolt", "pcie"), ("bolt", "tpu"), ("cpu-land", "c1"),
    ]  # fmt: skip
    assert [row["price_usd_per_hour"] for row in rows] == [25, 9, 8, 5, 4, 0.4]


def test_history_is_newest_first():
    rows = browsed(LOG, history=1, provider="acme")
    assert [(row["observed_on"], row["price_usd_per_hour"]) for row in rows] == [
        ("2026-11-20", 25),
        ("2026-06-01", 20),
        ("2026-01-15", 30),
    ]
    assert page(history=1).history
    assert page(history=1).total == 8
    assert page(history=1, include_unconfirmed=1).total == 9


@pytest.mark.parametrize(
    ("as_of", "now", "history"),
    [("2026-12-01", [25], [25, 20, 30]), ("2026-06-01", [20], [20, 30]), ("2026-01-14", [], [])],
)
def test_on_a_date(as_of, now, history):
    assert prices(provider="acme", as_of=as_of) == now
    assert prices(provider="acme", as_of=as_of, history=1) == history


def test_age_and_staleness_count_from_the_date():
    row = browsed(LOG, provider="aws", purchase="spot")[0]
    assert (row["price_age_days"], row["stale"]) == (2, False)
    rows = browsed(LOG, history=1, provider="acme")
    assert [(row["price_age_days"], row["stale"]) for row in rows] == [(11, False), (183, True), (320, True)]
    (undated,) = browsed(LOG, instance_type="pcie")
    assert (undated["observed_on"], undated["price_age_days"], undated["stale"]) == (None, None, False)


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"provider": "aws"}, [9, 8]),
        ({"provider": ["acme", "cpu-land"]}, [25, 0.4]),
        ({"instance_type": "tpu"}, [4]),
        ({"region": "eu-west-1"}, [9]),
        ({"area": "europe"}, [9]),
        ({"area": ["europe", "north_america"]}, [9, 8]),
        ({"area": ["Europe", "North America"], "purchase": ["spot", "Reserved"]}, [9, 8]),
        ({"area": "north-america"}, [8]),
        ({"accelerator": "H100"}, [25, 9, 8, 5]),
        ({"accelerator": "h100_sxm"}, [25, 9, 8]),
        ({"vendor": "google"}, [4]),
        ({"purchase": ["spot", "reserved"]}, [9, 8]),
        ({"purchase": "owned"}, []),
        ({"evidence": "survey"}, [9]),
        ({"evidence": "third_party"}, []),
        ({"evidence": "third_party", "include_unconfirmed": 1}, [1]),
        ({"availability": "not_deployable"}, [5]),
        ({"availability": "available", "provider": "bolt"}, [4]),
        ({"provider": "aws", "purchase": "spot", "region": "eu-west-1"}, [9]),
        ({"provider": "firmus"}, []),
        ({"provider": "", "region": " "}, [25, 9, 8, 5, 4, 0.4]),
    ],
)
def test_filters(filters, kept):
    assert prices(**filters) == kept


@pytest.mark.parametrize(
    ("name", "value", "near"),
    [
        ("provider", "acne", "acme"),
        ("instance_type", "bax", "box"),
        ("region", "eu-west-l", "eu-west-1"),
        ("area", "eurpe", "europe"),
        ("accelerator", "H10O", "H100"),
        ("vendor", "nvida", "nvidia"),
        ("purchase", "sopt", "spot"),
        ("evidence", "lists", "list"),
        ("availability", "withdraw", "withdrawn"),
        ("sort", "provder", "provider"),
        ("provder", "aws", "provider"),
    ],
)
def test_what_nothing_knows_is_an_error_with_near_matches(name, value, near):
    loc, msg = fault_of(page, **{name: value})
    assert loc[0] == name
    assert "Did you mean" in msg
    assert near in msg


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("as_of", "2026-12-02", "2026-12-02 is after today (2026-12-01, UTC)"),
        ("as_of", "yesterday", "'yesterday' is not a date; write YYYY-MM-DD"),
        ("history", "2", "'2' must be 1 or 0"),
        ("include_unconfirmed", "maybe", "'maybe' must be 1 or 0"),
        ("limit", "0", "must be a whole number from 1 to 1,000"),
        ("limit", "1001", "must be a whole number from 1 to 1,000"),
        ("limit", "1.5", "must be a whole number"),
        ("offset", "-1", "must be a whole number from 0"),
        ("offset", "x", "'x' is not a number"),
        ("<script>", "1", "'<script>' is not a parameter"),
    ],
)
def test_values_refused(name, value, words):
    loc, msg = fault_of(page, **{name: value})
    assert loc == (name,)
    assert words in msg


def test_all_mistakes_are_told_at_once():
    locs = [loc for loc, _ in faults_of(page, limit="0", colour="red", provider="acne", sort="x", as_of="y")]
    assert sorted(locs) == [("as_of",), ("colour",), ("limit",), ("provider", 0), ("sort",)]


def test_tracking_parameters_are_ignored():
    assert page(utm_source="x").total == 6


def test_the_sizes_of_a_price_are_one_row():
    (row,) = browsed(LOG, instance_type="tpu")
    assert (row["sizes"], row["accelerator_count"], row["price_usd_per_hour"]) == ("1|4|8", 1, 4)
    (larger,) = browsed(table(offer(40, sizes="4|8")))
    assert (larger["sizes"], larger["accelerator_count"], larger["price_usd_per_hour"]) == ("4|8", 4, 20)
    assert larger["price_usd_per_accelerator_hour"] == 5


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", [column.name for column in PRICE_COLUMNS])
def test_every_column_sorts_with_unknown_last(name, descending):
    withdrawn = offer("", provider="zeta", availability="withdrawn")
    everything = table(
        withdrawn, *(offer(p, region=f"r{p}", vcpus=v) for p, v in ((3, 8), (1, ""), (2, 4))), offer(7, plan="p")
    )
    for prices_read in (LOG, everything):
        rows = browsed(prices_read, sort=("-" if descending else "") + name, history=1)
        known = [row[name] for row in rows if row[name] is not None]
        assert [row[name] for row in rows][: len(known)] == known
        assert known == sorted(known, reverse=descending)
        assert len(rows) == len(browsed(prices_read, history=1))


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("sort", ["provider", "-price_usd_per_hour", "purchase"])
def test_pages_put_together_are_all_rows(limit, sort):
    everything = browsed(LOG, history=1, sort=sort)
    pages = []
    for offset in range(0, len(everything), limit):
        found = page(history=1, sort=sort, limit=limit, offset=offset)
        assert (found.total, found.limit, found.offset, found.sort) == (len(everything), limit, offset, sort)
        pages += mapped(PRICE_COLUMNS, found.page)
    assert pages == everything
    assert len(page(offset=6).page) == 0


def test_a_page_is_50_rows_unless_told():
    many = table(*(offer(i, region=f"r-{i}") for i in range(1, 121)))
    assert len(browsed(many)) == 50
    assert len(browse([], many, catalogue(), TODAY, all_rows=True).page) == 120


def test_what_is_shown_can_be_read_as_a_private_table():
    rows = [{k: v for k, v in row.items() if k in (*BASIC, "region", "sizes", "purchase")} for row in browsed(LOG)]
    head = list(rows[0])
    lines = [",".join(head)] + [",".join("" if row[name] is None else str(row[name]) for name in head) for row in rows]
    again = read("\n".join(lines))
    for before, after in zip(browsed(LOG), browsed(again), strict=True):
        assert {name: after[name] for name in head} == {name: before[name] for name in head}


@pytest.mark.parametrize("filters", [{}, {"accelerator": "H100"}, {"accelerator": ["TPU-v6e", "MI300X"]}])
def test_an_order_that_is_kept_gives_the_same_rows_under_every_filter(filters):
    # More orders than are kept, each asked for twice, of offers whose sizes are put together.
    names = ["price_usd_per_hour", "accelerator_count", "region", "purchase", "observed_on"]
    sorts = [sign + name for _ in range(2) for name in names for sign in ("", "-")]
    fresh = browsed(LOG, **filters)
    for sort in sorts:
        name = sort.removeprefix("-")
        expected = sorted(
            (row for row in fresh if row[name] is not None), key=lambda row: row[name], reverse=sort.startswith("-")
        )
        rows = browsed(LOG, sort=sort, **filters)
        assert [row[name] for row in rows][: len(expected)] == [row[name] for row in expected]
        assert sorted(map(str, rows)) == sorted(map(str, fresh))


def test_of_a_price_in_several_sizes_the_smallest_stands_where_the_first_does():
    columns = table(offer(8, sizes="1|2|8"), offer(3, region="z")).columns
    turned = columns.take(np.arange(len(columns))[::-1])
    index, sizes = one_a_row(turned)
    assert list(zip(turned.words["region"].texts(index), turned.count[index], strict=True)) == [("z", 8), ("global", 1)]
    assert list(sizes.values()) == ["1|2|8"]
