"""Inputs that once gave a wrong answer or a wrong message; each holds the right one."""

from __future__ import annotations

from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.browse import browse
from pricing.chips import chips
from pricing.compare import compare
from pricing.errors import InvalidInputError
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
HEAD = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on,evidence,availability\n"


def table(rows: str):
    return read_csv((HEAD + rows).encode(), "t.csv", catalogue(), TODAY)


def reader(rows: str = "acme,box,H100-SXM,8,20,2026-11-01,list,\n") -> Reader:
    return Reader(table(rows), catalogue(), TODAY)


def asked(*pairs: tuple[str, str], rows: str = "acme,box,H100-SXM,8,20,2026-11-01,list,\n"):
    return reader(rows).from_pairs([("unit", "output_token"), *pairs])


@pytest.mark.parametrize("rate", ["in:9e14~1e13,out:9e14~1e13", "in:9e14/9e14,out:9e14/9e14"])
def test_a_total_out_of_bounds_is_refused_at_the_measurement(rate):
    with pytest.raises(InvalidInputError) as caught:
        reader().from_pairs([("unit", "total_token"), ("m", f"H100-SXM:8={rate}")])
    assert [fault.loc for fault in caught.value.faults] == [("m", 0)]
    assert "outside 1e-12 to 1e15" in caught.value.faults[0].msg


@pytest.mark.parametrize(
    ("name", "value"), [("utilization", "1e-310"), ("m1.success_rate", "1e-320"), ("m", "H100-SXM:8=5200~1e308")]
)
def test_what_would_overflow_a_cost_is_refused(name, value):
    pairs = [(name, value)] if name == "m" else [("m", "H100-SXM:8=5200"), (name, value)]
    with pytest.raises(InvalidInputError):
        asked(*pairs)


@pytest.mark.parametrize("order", [("third_party", "list"), ("list", "third_party")])
def test_of_two_rows_that_agree_the_better_known_counts_in_any_order(order):
    rows = "".join(f"acme,box,H100-SXM,8,20,2026-11-01,{evidence},\n" for evidence in order)
    answer = compare(asked(("m", "H100-SXM:8=5200"), rows=rows), catalogue())
    assert answer.total == 1


def test_two_quotes_of_one_offer_are_both_named():
    one, two = "acme/x@H100-SXM:8=10", "acme/x@H100-SXM:8=20"
    with pytest.raises(InvalidInputError) as caught:
        asked(("m", "H100-SXM:8=5200"), ("quote", one), ("quote", two))
    (fault,) = caught.value.faults
    assert fault.loc == ("quote", 1)
    assert one in fault.msg
    assert two in fault.msg
    assert "20 and 10 USD/h" in fault.msg or "10 and 20 USD/h" in fault.msg


def test_one_mistake_gives_one_fault():
    with pytest.raises(InvalidInputError) as caught:
        reader().from_json({"unit": "output_token", "measurements": [{"accelerator": "L4", "rates": {"x": 1}}]})
    assert len(caught.value.faults) == 1
    with pytest.raises(InvalidInputError) as caught:
        table("acme,box,H100-SXM,1.5,20,2026-11-01,list,\n")
    assert len(caught.value.faults) == 1


def test_an_empty_list_of_measurements_is_said_to_be_too_short():
    with pytest.raises(InvalidInputError, match="measurements"):
        reader().from_json({"unit": "output_token", "measurements": []})


def test_a_name_with_a_slash_is_written_as_the_chip_that_it_means():
    body = {
        "unit": "output_token",
        "measurements": [
            {"accelerator": "NVIDIA/H100 80GB HBM3", "accelerator_count": 8, "rates": {"output_tokens_per_second": 5}}
        ],
    }
    try:
        question = reader().from_json(body)
    except InvalidInputError:
        pytest.fail("nvidia-smi's name with a slash is an alias")
    again = reader().from_pairs(question.pairs)
    assert again.measurements[0].accelerator == question.measurements[0].accelerator == "H100-SXM"


def test_the_price_list_knows_what_the_comparison_knows():
    for pair in (("region", "af-south-1"), ("vendor", "amd")):
        assert browse([pair], table("acme,box,H100-SXM,8,20,2026-11-01,list,\n"), catalogue(), TODAY).total == 0
    small = table("acme,box,H100-SXM,8,20,2026-11-01,list,\n")
    assert browse([("history", "true")], small, catalogue(), TODAY).history
    for pairs in (
        [("as_of", "20261201")],
        [("as_of", "2026-W49-1")],
        [("as_of", "2026-11-30"), ("as_of", "2026-11-29")],
    ):
        with pytest.raises(InvalidInputError):
            browse(pairs, small, catalogue(), TODAY)


def test_chips_refuse_an_unknown_column_and_count_what_can_be_had():
    rows = "acme,box,H100-SXM,8,20,2026-11-01,list,\nacme,old,H100-SXM,8,,2026-11-01,list,withdrawn\n"
    with pytest.raises(InvalidInputError):
        chips([("vendor", "aws"), ("family", "H100"), ("sort", "bogus")], table(rows), catalogue(), TODAY)
    counts = {chip.facts.accelerator: chip.offers for chip in chips([], table(rows), catalogue(), TODAY)}
    assert counts["H100-SXM"] == 1


def test_a_price_and_its_withdrawal_on_one_day_conflict_in_words():
    with pytest.raises(InvalidInputError) as caught:
        table("acme,box,H100-SXM,8,10,2026-11-01,list,\nacme,box,H100-SXM,8,,2026-11-01,list,withdrawn\n")
    assert "10 USD/h and no price" in str(caught.value)


def test_the_beginning_of_a_column_is_a_near_match():
    with pytest.raises(InvalidInputError, match="price_usd_per_hour"):
        compare(asked(("m", "H100-SXM:8=5200"), ("sort", "price")), catalogue())


def test_true_is_not_a_share():
    body = {"unit": "output_token", "measurements": [{"accelerator": "L4", "rates": {"output_tokens_per_second": 1}}]}
    with pytest.raises(InvalidInputError, match="utilization"):
        reader().from_json({**body, "utilization": True})


@pytest.mark.parametrize(
    ("pairs", "places"),
    [
        (
            [("unit", "output_token"), ("m", "L4=x"), ("utilization", "2"), ("spot_loss", "7")],
            ["m", "spot_loss", "utilization"],
        ),
        ([("unit", "outpt"), ("m", "L4=5"), ("spot_loss", "7")], ["spot_loss", "unit"]),
        ([("utilization", "2")], ["m", "unit", "utilization"]),
        ([("unit", "output_token"), ("m", "L4=x")], ["m"]),
        ([("unit", "output_token"), ("m", "L4=x"), ("provider", "acmee")], ["m", "provider"]),
        (
            [("unit", "output_token"), ("m", "L4=5"), ("provider", "acmee"), ("utilization", "2")],
            ["provider", "utilization"],
        ),
    ],
)
def test_what_else_is_wrong_is_told_beside_a_measurement_that_can_not_be_read(pairs, places):
    with pytest.raises(InvalidInputError) as refused:
        reader().from_pairs(pairs)
    assert sorted(str(fault.loc[0]) for fault in refused.value.faults) == places


@pytest.mark.parametrize("more", [{}, {"utilization": 2}])
def test_an_unknown_filter_value_is_told_at_its_place_in_the_body(more):
    measurement = {"accelerator": "H100-SXM", "accelerator_count": 8, "rates": {"output_tokens_per_second": 5}}
    body = {"unit": "output_token", "measurements": [measurement], "filters": {"provider": ["acme", "acmee"]}, **more}
    with pytest.raises(InvalidInputError) as refused:
        reader().from_json(body)
    assert ("filters", "provider", 1) in [fault.loc for fault in refused.value.faults]
    assert len(refused.value.faults) == 1 + len(more)
