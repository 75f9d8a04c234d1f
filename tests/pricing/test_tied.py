"""Which estimates can't be told from the cheapest."""

import math

import pytest

from tests.pricing.small import estimates, offer, table

BOTH = table(offer(10), offer(10, accelerator="H200", instance_type="new"))


def tied(prices, m, **values):
    return [row["tied"] for row in estimates(prices, m, **values)]


def test_the_cheapest_itself_is_unknown():
    assert tied(BOTH, "H100-SXM:8=100") == [None]
    assert tied(BOTH, "H100-SXM:8=100~5") == [None]


@pytest.mark.parametrize("rate", ["100", "100~50", "90/110"])
def test_estimates_of_one_measurement_share_its_error(rate):
    prices = table(offer(10), offer(10, region="eu-1"), offer(10.0001, region="us-1"))
    assert tied(prices, f"H100-SXM:8={rate}") == [None, True, False]


def test_one_measurement_s_costs_are_tied_when_they_agree_to_1e_12():
    # 0.1 × 3 / 3 is not 0.1 in doubles, and still the same cost.
    prices = table(offer(0.1, accelerator_count=1), offer(0.1 * 3, accelerator_count=3, region="eu-1"))
    assert 0.1 * 3 / 3 != 0.1
    assert tied(prices, "H100-SXM:1=100") == [None, True]


@pytest.mark.parametrize(
    ("slower", "spread", "expected"),
    [
        # Standard errors of ln: spread / (1.96 · rate) each; tied if ln(100 / slower) < the root of the sum of squares.
        (99, 1, True),
        (98, 1, False),
        (90, 5, False),
        (90, 8, True),
        (50, 60, True),
    ],
)
def test_different_measurements_by_their_errors(slower, spread, expected):
    both = math.hypot(spread / 100, spread / slower)
    assert (math.log(100 / slower) < both) is expected
    assert tied(BOTH, [f"H100-SXM:8=100~{spread}", f"H200:8={slower}~{spread}"]) == [None, expected]


def test_repeats_have_errors_too():
    # s / (√2 · mean): 10 / 100 and 10 / 95; 1.96 × 0.145 = 0.284 > ln(100 / 95) = 0.051.
    assert tied(BOTH, ["H100-SXM:8=90/110", "H200:8=85/105"]) == [None, True]
    # 1 / 100 and 1 / 90: 1.96 × 0.0149 = 0.029 < ln(100 / 90) = 0.105.
    assert tied(BOTH, ["H100-SXM:8=99/101", "H200:8=89/91"]) == [None, False]


def test_the_rule_is_that_of_errors_not_of_overlapping_ranges():
    # 100 ± 5 and 92 ± 5: the ranges overlap (95 < 97), and 0.0834 > √(0.05² + 0.0543²) = 0.0738.
    assert tied(BOTH, ["H100-SXM:8=100~5", "H200:8=92~5"]) == [None, False]


@pytest.mark.parametrize(
    "m", [["H100-SXM:8=100", "H200:8=99~50"], ["H100-SXM:8=100~50", "H200:8=99"], ["H100-SXM:8=100", "H200:8=99"]]
)
def test_without_both_ranges_it_is_unknown(m):
    assert tied(BOTH, m) == [None, None]


def test_equal_costs_of_different_measurements_are_tied_if_errors_are_known():
    assert tied(BOTH, ["H100-SXM:8=100~5", "H200:8=100~5"]) == [None, True]
    assert tied(BOTH, ["H100-SXM:8=100", "H200:8=100"]) == [None, None]


def test_it_does_not_depend_on_page_sort_or_baseline():
    prices = table(offer(10), offer(10, region="eu-1"), offer(12, region="us-1"))
    by_rank = {row["rank"]: row["tied"] for row in estimates(prices)}
    assert by_rank == {1: None, 2: True, 3: False}
    for values in ({"sort": "-cost_usd"}, {"baseline": "acme/box/us-1"}, {"limit": 1, "offset": 1}, {"sort": "tied"}):
        assert all(by_rank[row["rank"]] == row["tied"] for row in estimates(prices, **values))
