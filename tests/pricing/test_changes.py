"""What changed between two tables, and when a new one is held back."""

from __future__ import annotations

from datetime import date

from pricing.accelerators import catalogue
from pricing.changes import changes, held_back, summaries
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
HEAD = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\n"


def columns(*rows):
    text = HEAD + "".join(f"acme,{name},H100-SXM,8,{price}\n" for name, price in rows)
    return read_csv(text.encode(), "t.csv", catalogue(), TODAY).market(TODAY).columns


def test_changes_by_kind_the_biggest_move_first():
    old = columns(("a", 10), ("b", 10), ("c", 10), ("same", 10), ("gone", 10))
    new = columns(("a", 11), ("b", 4), ("c", 20), ("same", 10), ("new", 7))
    found = changes(old, new)
    # |ln 0.4| = 0.916 > ln 2 = 0.693 > ln 1.1 = 0.095
    assert [(c.kind, c.instance_type, c.ratio) for c in found] == [
        ("cheaper", "b", 0.4), ("dearer", "c", 2.0), ("dearer", "a", 1.1), ("gone", "gone", None), ("new", "new", None),
    ]  # fmt: skip
    assert (found[-1].old_usd_per_hour, found[-1].new_usd_per_hour) == (None, 7.0)
    (summary,) = summaries(old, new, found)
    assert (summary.old, summary.new, summary.added, summary.gone, summary.dearer, summary.cheaper) == (
        5,
        5,
        1,
        1,
        2,
        1,
    )


def test_nothing_changed():
    assert changes(columns(("a", 10)), columns(("a", 10))) == []


def test_a_move_of_more_than_three_times_is_held_back():
    assert held_back(columns(("a", 10)), columns(("a", 30))) == []
    (reason,) = held_back(columns(("a", 10)), columns(("a", 30.1)))
    assert "10 becomes 30.1 USD/h" in reason
    assert len(held_back(columns(("a", 10)), columns(("a", 3.3)))) == 1


def test_more_than_a_fifth_gone_is_held_back():
    old = columns(*((f"t{i}", 10) for i in range(10)))
    assert held_back(old, columns(*((f"t{i}", 10) for i in range(8)))) == []
    (reason,) = held_back(old, columns(*((f"t{i}", 10) for i in range(7))))
    assert reason == "acme: 3 of 10 offers are gone"
