"""Browsing of accelerators: facts, names, offers, and who sells at a quoted price only."""

import pytest

from pricing.chips import chips
from tests.pricing.small import TODAY, catalogue, fault_of, faults_of, offer, pairs_of, table

PRICES = table(
    offer(10),
    offer(11, region="eu-1"),
    offer(12, observed_on="2026-01-01"),
    offer(4, instance_type="tpu", accelerator="TPU-v6e", accelerator_count=1, sizes="1|4|8"),
    offer(1, accelerator="L4", evidence="third_party", region="x"),
)
COLUMNS = list(chips([], PRICES, catalogue(), TODAY)[0].row())


def found(**values):
    return [chip.row() for chip in chips(pairs_of(values), PRICES, catalogue(), TODAY)]


def chip(name):
    (row,) = [row for row in found() if row["accelerator"] == name]
    return row


def test_every_accelerator_is_listed_once():
    names = [row["accelerator"] for row in found()]
    assert names == list(catalogue().accelerators)


def test_facts_by_value():
    trn2 = chip("Trainium2")
    assert (trn2["vendor"], trn2["memory_gib"], trn2["physical_cores"], trn2["logical_cores"]) == ("aws", 96, 8, 4)
    v5p = chip("TPU-v5p")
    assert (v5p["vendor"], v5p["slice_units_per_chip"], v5p["memory_gib"]) == ("google", 2, 95)
    assert "NVIDIA H100 80GB HBM3" in chip("H100-SXM")["aliases"].split("|")
    assert "A100" not in chip("A100-80GB")["aliases"].split("|")


@pytest.mark.parametrize(("name", "offers"), [("H100-SXM", 2), ("TPU-v6e", 1), ("L4", 0), ("B200", 0)])
def test_offers_in_force_are_counted_one_for_each_price(name, offers):
    assert chip(name)["offers"] == offers


@pytest.mark.parametrize(("name", "sellers"), [("Trainium3", "aws"), ("H100-SXM", "firmus"), ("L4", None)])
def test_who_sells_at_a_quoted_price_only(name, sellers):
    assert chip(name)["quote_only"] == sellers


def test_filters():
    assert {row["vendor"] for row in found(vendor="aws")} == {"aws"}
    assert {row["accelerator"] for row in found(family="H100")} == {"H100-SXM", "H100-PCIe", "H100-NVL"}
    both = found(vendor=["aws", "google"])
    assert {row["vendor"] for row in both} == {"aws", "google"}
    assert found(vendor="aws", family="H100") == []
    assert found(vendor="", family=" ") == found() == found(utm_campaign="x")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("vendor", "nvida", "'nvida' is not a known vendor. Did you mean nvidia"),
        ("family", "H1O0", "'H1O0' is not a known family. Did you mean"),
        ("sort", "memory", "'memory' is not a column to sort by. Did you mean memory_gib"),
        ("vendors", "aws", "'vendors' is not a parameter. Did you mean vendor"),
        ("vendor", "<script>", "'<script>' is not a known vendor"),
    ],
)
def test_what_nothing_knows_is_an_error_with_near_matches(name, value, words):
    loc, msg = fault_of(found, **{name: value})
    assert loc == (name,)
    assert words in msg


def test_all_mistakes_are_told_at_once():
    assert [loc for loc, _ in faults_of(found, colour="red", family="x")] == [("colour",), ("family",)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_sorts_with_unknown_last(name, descending):
    values = [row[name] for row in found(sort=("-" if descending else "") + name)]
    known = [value for value in values if value is not None]
    assert values[: len(known)] == known
    assert known == sorted(known, reverse=descending)
    assert len(values) == len(catalogue().accelerators)
