"""Order of estimates: by cost, ties in a total order, pages that never overlap or skip."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.columns import COLUMNS
from tests.pricing.small import ask, codes, estimates, fault_of, faults_of, offer, question, rows_of, table

NAMES = [column.name for column in COLUMNS]
# Spreads, replicas, terms, blanks, an undated price and a machine for each kind of text.
MIXED = table(
    offer(10, notes="b", source="s1"),
    offer(12, provider="bolt", observed_on="", evidence="survey"),
    offer(8, provider="bolt", purchase="spot", observed_on="2026-01-01"),
    offer(9, purchase="reserved", term_months=12, plan="no_upfront"),
    offer(7, purchase="reserved", term_months=36, plan="all_upfront", source="s2"),
    offer(30, provider="aws", instance_type="big", accelerator_count=20, notes="a"),
    offer(10, region="eu-1"),
    offer(5, provider="modal", instance_type="m", accelerator="L4", accelerator_count=2),
)
MEASURED = ["fast@H100-SXM:8=5200~150", "slow@H100-SXM:8=2100", "small@L4:1=400/410/420"]
DETAILS = [("m1.stack", "vLLM"), ("m2.model", "m"), ("m3.source", "us"), ("m2.evidence", "claimed")]


def test_rank_is_by_cost():
    rows = estimates(MIXED, MEASURED)
    costs = [row["cost_usd"] for row in rows]
    assert costs == sorted(costs)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == 7 * 2 + 1


TIE_FIELDS = ("provider", "instance_type", "accelerator_count", "region", "purchase", "term_months", "measurement")
TIES_IN_ORDER = [
    ("acme", "a", 8, "eu-1", "on_demand", None, "x"),
    ("acme", "a", 8, "eu-1", "on_demand", None, "y"),
    ("acme", "a", 8, "global", "on_demand", None, "x"),
    ("acme", "a", 8, "global", "on_demand", None, "y"),
    ("acme", "a", 8, "global", "reserved", None, "x"),
    ("acme", "a", 8, "global", "reserved", None, "y"),
    ("acme", "a", 8, "global", "reserved", 6, "x"),
    ("acme", "a", 8, "global", "reserved", 6, "y"),
    ("acme", "a", 8, "global", "reserved", 12, "x"),
    ("acme", "a", 8, "global", "reserved", 12, "y"),
    ("acme", "a", 16, "eu-1", "on_demand", None, "x"),
    ("acme", "a", 16, "eu-1", "on_demand", None, "y"),
    ("acme", "b", 8, "eu-1", "on_demand", None, "x"),
    ("acme", "b", 8, "eu-1", "on_demand", None, "y"),
    ("bolt", "a", 8, "eu-1", "on_demand", None, "x"),
    ("bolt", "a", 8, "eu-1", "on_demand", None, "y"),
]


@settings(deadline=None, max_examples=25)
@given(st.permutations(TIES_IN_ORDER[::2]))
def test_ties_are_in_one_order_however_the_table_is_written(order):
    rows = [
        offer(
            count, provider=p, instance_type=t, accelerator_count=count, region=r, purchase=how, term_months=term or ""
        )
        for p, t, count, r, how, term, _ in order
    ]
    found = estimates(table(*rows), ["x@H100-SXM:8=100", "y@H100-SXM:8=100"])
    assert len({row["cost_usd"] for row in found}) == 1
    assert [tuple(row[name] for name in TIE_FIELDS) for row in found] == TIES_IN_ORDER


def test_the_measurement_s_place_in_the_question_counts_not_its_label():
    found = estimates(table(offer(10)), ["z@H100-SXM:8=100", "a@H100-SXM:8=100"])
    assert [row["measurement"] for row in found] == ["z", "a"]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_column_sorts_with_unknown_last(name, descending):
    rows = estimates(MIXED, MEASURED, sort=("-" if descending else "") + name, more=DETAILS)
    everything = estimates(MIXED, MEASURED, more=DETAILS)
    assert sorted(row["rank"] for row in rows) == [row["rank"] for row in everything]
    by_rank = {row["rank"]: row for row in everything}
    assert all(row == by_rank[row["rank"]] for row in rows)
    known = [row[name] for row in rows if row[name] not in (None, "")]
    assert [row[name] for row in rows][: len(known)] == known
    assert known == sorted(known, reverse=descending)
    for value in {row[name] for row in rows}:
        ranks = [row["rank"] for row in rows if row[name] == value]
        assert ranks == sorted(ranks)


@pytest.mark.parametrize(
    "name", ["term_months", "price_observed_on", "price_age_days", "cost_high_usd", "tied", "plan"]
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_unknown_is_last_in_both_directions(name, sign):
    values = [row[name] for row in estimates(MIXED, MEASURED, sort=sign + name)]
    unknown = sum(value is None for value in values)
    assert 0 < unknown < len(values)
    assert all(value is None for value in values[-unknown:])


@pytest.mark.parametrize(
    ("sort", "near"),
    [
        ("cost", "cost_usd"),
        ("price_usd", "price_usd_per_hour"),
        ("-pirce_usd_per_hour", "price_usd_per_hour"),
        ("--rank", None),
    ],
)
def test_an_unknown_column_is_an_error(sort, near):
    loc, msg = fault_of(ask, MIXED, MEASURED, sort=sort)
    assert loc == ("sort",)
    assert f"{sort!r} is not a column to sort by." in msg
    assert near is None or near in msg


@pytest.mark.parametrize("sort", ["cost_usd", "rank", "-cost_usd", "provider", "-term_months", "flags", "tied"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 15, 1000])
def test_pages_put_together_are_all_rows(sort, limit):
    everything = estimates(MIXED, MEASURED, sort=sort)
    pages = []
    for offset in range(0, len(everything), limit):
        answer = ask(MIXED, MEASURED, sort=sort, limit=limit, offset=offset)
        assert (answer.total, answer.limit, answer.offset) == (len(everything), limit, offset)
        pages += rows_of(answer)
    assert pages == everything


offers = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["", "eu-1", "us-1"]),
        st.sampled_from(["on_demand", "spot"]),
        st.sampled_from([4, 8, 12, 16]),
        st.sampled_from([0.1, 0.3, 1, 7]),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda row: row[:4],
)


@settings(deadline=None, max_examples=60)
@given(
    offers, st.integers(1, 9), st.sampled_from(["cost_usd", "-cost_usd", "price_usd_per_hour", "-region", "purchase"])
)
def test_pages_never_overlap_or_skip(rows, limit, sort):
    # Prices per accelerator, so that many costs are equal or differ in their last bit only.
    prices = table(
        *(
            offer(each * count, provider=p, region=r, purchase=how, accelerator_count=count)
            for p, r, how, count, each in rows
        )
    )
    m = ["H100-SXM:4=100", "H100-SXM:8=200", "H100-SXM:1=25"]
    everything = rows_of(ask(prices, m, sort=sort, all_rows=True))
    pages = []
    for offset in range(0, len(everything), limit):
        pages += rows_of(ask(prices, m, sort=sort, limit=limit, offset=offset))
    assert pages == everything
    keys = [tuple(row[name] for name in TIE_FIELDS) for row in everything]
    assert len(set(keys)) == len(keys)


def test_a_page_is_50_rows_unless_told():
    many = table(*(offer(i, region=f"r-{i}") for i in range(1, 121)))
    assert len(estimates(many)) == 50
    assert len(estimates(many, limit=100)) == 100
    assert len(rows_of(ask(many, all_rows=True))) == 120
    assert len(rows_of(ask(many, all_rows=True, limit=7))) == 7
    assert len(rows_of(ask(many, all_rows=True, offset=100))) == 20


def test_an_offset_beyond_the_end_is_an_empty_page_with_a_warning():
    answer = ask(table(offer(10)), offset=1)
    assert (answer.total, rows_of(answer)) == (1, [])
    assert "offset_beyond_end" in codes(answer)
    assert "The offset 1 is beyond the last of 1 estimates." in [w.message for w in answer.warnings]
    assert "offset_beyond_end" not in codes(ask(table(offer(10)), offset=0))
    assert rows_of(ask(table(offer(10)), offset=10_000_000)) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("limit", "0"), ("limit", "1001"), ("limit", "1.5"), ("limit", "-1"), ("offset", "-1"), ("offset", "10000001")],
)
def test_limits_of_paging(name, value):
    loc, msg = faults_of(question, MIXED, MEASURED, **{name: value})[0]
    assert loc == (name,)
    assert "must be a whole number from" in msg


def test_rows_come_in_chunks_that_are_the_page():
    answer = ask(MIXED, MEASURED, sort="-provider")
    parts = list(answer.chunks(4, 5))
    assert [len(part) for part in parts] == [4, 5, 5, 1]
    ranks = [rank for part in parts for rank in part.rank.tolist()]
    costs = [cost for part in parts for cost in part.cost.tolist()]
    page = rows_of(answer)
    assert (ranks, costs) == ([row["rank"] for row in page], [row["cost_usd"] for row in page])


def test_the_cheapest_do_not_depend_on_page_or_order():
    answer = ask(MIXED, MEASURED, sort="-cost_usd", offset=5, limit=2)
    assert answer.cheapest(3).cost.tolist() == [row["cost_usd"] for row in estimates(MIXED, MEASURED, limit=3)]
