"""Filters: what each keeps, what is counted as left out, and values that nothing knows."""

import pytest

from tests.pricing.small import ask, ask_json, excluded, fault_of, faults_of, offer, question, rows_of, table

MARKET = table(
    offer(10, provider="aws", region="us-east-1"),
    offer(11, provider="aws", region="eu-west-1"),
    offer(4, provider="aws", region="us-east-1", purchase="spot"),
    offer(8, provider="aws", region="us-east-1", purchase="reserved", term_months=12),
    offer(6, provider="aws", region="us-east-1", purchase="reserved", term_months=36),
    offer(21, provider="azure", region="westeurope", accelerator_count=16),
    offer(9, provider="lambda"),
    offer(5, provider="gcp", region="us-central1", accelerator="TPU-v6e"),
    offer(7, provider="lambda", instance_type="pcie", accelerator="H100-PCIe"),
    offer(12, provider="lambda", instance_type="nvl", accelerator="H100-NVL"),
)
CHIPS = ["H100-SXM:8=100", "TPU-v6e:8=100", "H100-PCIe:8=100", "H100-NVL:8=100"]
ALL = [4, 5, 6, 7, 8, 9, 10, 11, 12, 21]


def prices(**filters):
    return sorted(row["price_usd_per_hour"] for row in rows_of(ask(MARKET, CHIPS, **filters)))


def test_no_filter_means_all():
    assert prices() == ALL


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"provider": "aws"}, [4, 6, 8, 10, 11]),
        ({"provider": ["azure", "lambda"]}, [7, 9, 12, 21]),
        ({"region": "us-east-1"}, [4, 6, 8, 10]),
        ({"region": ["eu-west-1", "us-central1"]}, [5, 11]),
        ({"region": "global"}, [7, 9, 12]),
        ({"area": "europe"}, [11, 21]),
        ({"area": "north_america"}, [4, 5, 6, 8, 10]),
        ({"area": ["europe", "north_america"]}, [4, 5, 6, 8, 10, 11, 21]),
        ({"purchase": "spot"}, [4]),
        ({"purchase": ["spot", "reserved"]}, [4, 6, 8]),
        ({"purchase": "owned"}, []),
        ({"term_months": 12}, [8]),
        ({"term_months": [12, 36]}, [6, 8]),
        ({"accelerator": "H100"}, [4, 6, 7, 8, 9, 10, 11, 12, 21]),
        ({"accelerator": "h100-pcie"}, [7]),
        ({"accelerator": ["H100-NVL", "tpu-v6e-8"]}, [5, 12]),
        ({"accelerator": "L4"}, []),
        ({"vendor": "google"}, [5]),
        ({"vendor": ["google", "nvidia"]}, ALL),
        ({"vendor": "amd"}, []),
        ({"max_price_usd_per_hour": 8}, [4, 5, 6, 7, 8]),
        ({"max_price_usd_per_hour": "7.99"}, [4, 5, 6, 7]),
        ({"max_accelerators": 8}, [4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ({"provider": "aws", "purchase": "reserved", "term_months": 36, "region": "us-east-1"}, [6]),
        ({"provider": "aws", "vendor": "google"}, []),
    ],
)
def test_what_each_keeps(filters, kept):
    assert prices(**filters) == kept


@pytest.mark.parametrize(
    ("filters", "out"),
    [
        ({"provider": "aws"}, {"filtered": 5}),
        ({"area": "europe"}, {"filtered": 5, "area_not_stated": 3}),
        ({"max_accelerators": 8}, {"filtered": 1}),
        ({"area": "europe", "provider": "aws"}, {"filtered": 9}),
    ],
)
def test_what_is_left_out_is_counted(filters, out):
    answer = ask(MARKET, CHIPS, **filters)
    assert excluded(answer) == out
    assert answer.total + sum(out.values()) == len(ALL)


def test_the_filters_are_the_same_in_json():
    rates = {"output_tokens_per_second": 100}
    measured = [{"accelerator": "H100-SXM", "accelerator_count": 8, "rates": rates}]
    filters = {"provider": ["aws"], "purchase": ["reserved"], "term_months": [12], "vendor": ["nvidia"],
               "accelerator": ["H100"], "region": ["us-east-1"], "area": ["north_america"],
               "max_price_usd_per_hour": 8, "max_accelerators": 8}  # fmt: skip
    assert [row["price_usd_per_hour"] for row in rows_of(ask_json(MARKET, measured, filters=filters))] == [8]


@pytest.mark.parametrize(
    ("name", "value", "near"),
    [
        ("provider", "asw", "aws"),
        ("provider", "AWS", "aws"),
        ("region", "us-eest-1", "us-east-1"),
        ("area", "eurpe", "europe"),
        ("area", "eu", "europe"),
        ("purchase", "ondemand", "on_demand"),
        ("purchase", "sopt", "spot"),
        ("accelerator", "H10O", "H100"),
        ("vendor", "nvida", "nvidia"),
    ],
)
def test_an_unknown_value_is_an_error_with_near_matches(name, value, near):
    loc, msg = fault_of(question, MARKET, **{name: value})
    assert loc == (name, 0)
    assert repr(value) in msg
    assert near in msg


@pytest.mark.parametrize("name", ["provider", "region", "area", "purchase", "accelerator", "vendor"])
@pytest.mark.parametrize("value", ["<script>", "=HYPERLINK(1)", "'", "😀", "\u202e", "zzzz"])
def test_hostile_values_are_refused(name, value):
    loc, msg = fault_of(question, MARKET, **{name: ["", value]})
    assert loc == (name, 0)
    assert msg.isprintable()


def test_the_place_of_an_unknown_value_is_named():
    loc, _ = fault_of(question, MARKET, purchase=["spot", "on_demand", "leased"])
    assert loc == ("purchase", 2)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("term_months", "0", "must be a whole number from 1"),
        ("term_months", "1.5", "must be a whole number from 1"),
        ("term_months", "year", "'year' is not a number"),
        ("max_accelerators", "0", "must be a whole number from 1"),
        ("max_accelerators", "1000000000000", "must be a whole number from 1 to 100,000"),
        ("max_accelerators", "1.5", "must be a whole number"),
        ("max_price_usd_per_hour", "0,75", "two readings"),
        ("max_price_usd_per_hour", "nan", "is not a number"),
        ("max_price_usd_per_hour", "1e400", "too large"),
        ("max_price_usd_per_hour", "$5", "without currency sign"),
    ],
)
def test_numbers_refused(name, value, words):
    loc, msg = faults_of(question, MARKET, **{name: value})[0]
    assert loc[0] == name
    assert words in msg


@pytest.mark.parametrize("value", ["0", "-1"])
def test_a_highest_price_is_above_0(value):
    loc, msg = fault_of(question, MARKET, max_price_usd_per_hour=value)
    assert loc == ("max_price_usd_per_hour",)
    assert "greater than 0" in msg


def test_blank_filters_are_absent():
    assert prices(provider="", region=" ", area="", term_months="", max_price_usd_per_hour="") == ALL


def test_values_of_the_user_s_own_offers_are_known():
    row = rows_of(ask(MARKET, quote="mycloud/x@H100-SXM:8=1", provider="mycloud"))
    assert [r["provider"] for r in row] == ["mycloud"]
