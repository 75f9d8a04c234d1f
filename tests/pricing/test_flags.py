"""The flags of an estimate: the closed list, each by value."""

import pytest

from app.tables import built_in
from pricing.flags import FLAGS
from tests.pricing.small import ask_json, estimates, offer, only, rows_of, table

CLOSED = [
    "scaled_up", "host_differs", "interconnect_unknown", "spans_hosts", "large_commitment", "minimum_rental",
    "stale", "date_estimated", "second_hand", "serverless", "interpolated",
]  # fmt: skip


def flags(m="H100-SXM:8=100", more=(), **cells):
    price = cells.pop("price", 10)
    return only(table(offer(price, **cells)), m, more=more)["flags"]


def test_the_list_is_closed():
    assert list(FLAGS) == CLOSED
    assert all(text.endswith(".") for text in FLAGS.values())


def test_none_is_empty_text():
    assert flags() == ""


@pytest.mark.parametrize(
    ("m", "flag"), [("H100-SXM:4=100", "scaled_up"), ("H100-SXM:8=100", ""), ("H100-SXM:5=100", "")]
)
def test_scaled_up(m, flag):
    assert flags(m) == flag


@pytest.mark.parametrize(
    ("measured_on", "flag"),
    [
        ("acme/box", ""),
        ("ACME/Box", ""),
        ("acme/other", "host_differs"),
        ("bolt/box", "host_differs"),
        ("2026-11-01", ""),
    ],
)
def test_host_differs(measured_on, flag):
    assert flags(more=[("m1.measured_on", measured_on)]) == flag


def test_host_differs_row_by_row():
    rows = estimates(table(offer(10), offer(11, instance_type="bux")), more=[("m1.measured_on", "acme/bux")])
    assert [(row["instance_type"], row["flags"]) for row in rows] == [("box", "host_differs"), ("bux", "")]


@pytest.mark.parametrize(
    ("m", "cells", "flag"),
    [
        ("H100-SXM:8=100", {"accelerator_count": 1, "sizes": "8"}, "interconnect_unknown"),
        ("H100-SXM:1=100", {"accelerator_count": 1, "sizes": "1"}, ""),
        ("H100-SXM:8=100", {"accelerator_count": 8}, ""),
        # A slice of TPUs has its own interconnect.
        ("TPU-v6e:8=100", {"accelerator": "TPU-v6e", "accelerator_count": 1, "sizes": "8"}, ""),
    ],
)
def test_interconnect_unknown(m, cells, flag):
    assert flags(m, **cells) == flag


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (8, ""),
        (16, "scaled_up|spans_hosts"),
        (56, "scaled_up|spans_hosts"),
        (64, "scaled_up|spans_hosts|large_commitment"),
    ],
)
def test_spans_hosts_and_large_commitment(count, expected):
    # One host carries 8 H100-SXM.
    assert flags(accelerator_count=count) == expected


@pytest.mark.parametrize(("count", "expected"), [(4, ""), (72, "spans_hosts|large_commitment")])
def test_a_host_carries_four_gb200(count, expected):
    assert flags(f"GB200:{count}=100", accelerator="GB200", accelerator_count=count) == expected


@pytest.mark.parametrize("notes", ["minimum rental 24 h", "Needs 256 GPUs (Minimum)", "one-month minimum"])
def test_minimum_rental(notes):
    assert flags(notes=notes) == "minimum_rental"


@pytest.mark.parametrize(
    ("purchase", "seen", "flag"),
    [
        ("spot", "2026-11-24", ""),
        ("spot", "2026-11-23", "stale"),
        ("on_demand", "2026-06-04", ""),
        ("on_demand", "2026-06-03", "stale"),
        ("reserved", "2026-06-04", ""),
        ("reserved", "2026-06-03", "stale"),
        ("on_demand", "", ""),
    ],
)
def test_stale_after_7_days_of_spot_and_180_of_any_other(purchase, seen, flag):
    # As of 2026-12-01: 7 and 8 days, 180 and 181 days.
    assert flags(purchase=purchase, observed_on=seen) == flag


def test_stale_counts_from_as_of():
    prices = table(offer(10, purchase="spot", observed_on="2026-03-01"))
    assert only(prices, as_of="2026-03-08")["flags"] == ""
    assert only(prices, as_of="2026-03-09")["flags"] == "stale"


@pytest.mark.parametrize("where", ["notes", "source"])
def test_date_estimated(where):
    assert flags(**{where: "a snapshot, date estimated +-2 months"}) == "date_estimated"


@pytest.mark.parametrize(("evidence", "flag"), [("list", ""), ("survey", "second_hand"), ("quote", "")])
def test_second_hand(evidence, flag):
    assert flags(evidence=evidence) == flag


@pytest.mark.parametrize(("provider", "flag"), [("modal", "serverless"), ("replicate", "serverless"), ("lambda", "")])
def test_serverless(provider, flag):
    assert flags(provider=provider) == flag


def test_all_stand_in_the_list_s_order():
    cells = {"provider": "modal", "accelerator_count": 1, "sizes": "64", "purchase": "spot", "evidence": "survey",
             "observed_on": "2026-01-01", "notes": "minimum 1 h; date estimated"}  # fmt: skip
    assert flags("H100-SXM:2=100", more=[("m1.measured_on", "a/b")], **cells) == "|".join(CLOSED[:-1])


def test_each_is_in_the_built_in_table():
    measured = [
        {"accelerator": name, "accelerator_count": n, "rates": {"output_tokens_per_second": 1}, "measured_on": "aws/x"}
        for name, n in (("H100-SXM", 2), ("Apple-M2", 1), ("TPU-v5p", 1), ("Trainium1", 16))
    ]
    found = set()
    for offset in (0, 1000):
        rows = rows_of(ask_json(built_in(), measured, limit=1000, offset=offset, all_sizes=True))
        found |= {flag for row in rows for flag in row["flags"].split("|")}
    # Only a measurement between two points of a curve is interpolated.
    assert found == set(CLOSED) - {"interpolated"}
