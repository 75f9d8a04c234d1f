"""Cells of price tables: what each column takes, and what a bad cell is told."""

import pytest

from tests.pricing.small import browsed, csv_of, fault_of, faults_of, json_question, offer, only, read, table

PLACE = ("prices.csv", 2)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("98.32", 98.32),
        ("1,234.56", 1234.56),
        ("1_000", 1000),
        ("9.832e1", 98.32),
        (" 5 ", 5),
        (".5", 0.5),
        ("1e-9", 1e-9),
    ],
)
def test_prices(text, price):
    assert only(table(offer(text)))["price_usd_per_hour"] == price


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "is not a price; a price is above 0 USD per hour, and an unknown price is no row at all"),
        ("0.0", "is not a price"),
        ("-5", "is not a price"),
        ("", "is blank, and an unknown price is no row at all"),
        ("nan", "'nan' is not a number"),
        ("NaN", "'NaN' is not a number"),
        ("inf", "'inf' is not a number"),
        ("1e400", "too large"),
        ("free", "'free' is not a number"),
        ("$98.32", "without currency sign"),
        ("98.32 USD", "without currency sign, unit or space"),
        ("1.234,56", "1,234 has two readings"),
        ("0,75", "write a dot for decimals"),
        ("1,234", "two readings"),
        ("=1+1", "'=1+1' is not a number"),
        ("n/a", "'n/a' is not a number"),
        ("1e-10", "outside 1e-9 to 1e9; check its unit"),
        ("1e10", "outside 1e-9 to 1e9; check its unit"),
    ],
)
def test_what_is_no_price(text, words):
    loc, msg = fault_of(read, csv_of(offer(text)))
    assert loc == (*PLACE, "price_usd_per_hour")
    assert "line 2, column price_usd_per_hour" in msg
    assert words in msg


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("provider", "", "'' is not a provider id"),
        ("provider", "ac me", "'ac me' is not a provider id; write lower-case letters"),
        ("provider", "<script>", "is not a provider id"),
        ("provider", "=HYPERLINK(1)", "is not a provider id"),
        ("provider", "acme\u202e", "is not a provider id"),
        ("provider", "😀", "is not a provider id"),
        ("provider", "a\x00b", r"'a\x00b' is not a provider id"),
        ("provider", "a" * 65, "is not a provider id"),
        ("instance_type", "", "is blank; write the seller's name of the instance"),
        ("instance_type", "a\x00b", r"'a\x00b' holds a control character; remove it"),
        ("instance_type", "x" * 201, "has 201 characters; at most 200 are allowed"),
        ("region", "eu\x07", "holds a control character"),
        ("region", "r" * 101, "at most 100"),
        ("accelerator_count", "0", "'0' does not go with accelerator 'H100-SXM'"),
        ("accelerator_count", "", "does not go with accelerator 'H100-SXM'"),
        ("accelerator_vendor", "amd", "'amd' does not make H100-SXM; write nvidia"),
        ("sizes", "1|2|x", "'x' is not a number"),
        ("sizes", "2|1", "sizes must ascend, each once, such as 1|2|4|8"),
        ("sizes", "2|2", "sizes must ascend"),
        ("sizes", "0|1", "must be a whole number from 1"),
        ("accelerator_memory_gib", "0", "must be above 0, or blank if it is not known"),
        ("vcpus", "-8", "must be above 0"),
        ("memory_gib", "nan", "'nan' is not a number"),
        ("purchase", "ondemand", "must be one of on_demand, spot, reserved, savings_plan, capacity_block, owned"),
        ("purchase", "sopt", "Did you mean spot?"),
        ("term_months", "0", "must be a whole number from 1"),
        ("term_months", "1.5", "must be a whole number from 1"),
        ("term_months", "1 year", "'1 year' is not a number"),
        ("evidence", "rumour", "must be one of list, survey, quote, third_party"),
        ("availability", "soon", "must be one of available, waitlist, grandfathered, not_deployable, withdrawn"),
        ("observed_on", "2026-12-02", "'2026-12-02' is after today (2026-12-01, UTC)"),
        ("observed_on", "2026-02-30", "is not a date; write YYYY-MM-DD"),
        ("observed_on", "01.02.2026", "is not a date; write YYYY-MM-DD"),
        ("observed_on", "20260201", "is not a date; write YYYY-MM-DD"),
        ("source", "s" * 2001, "at most 2,000"),
        ("notes", "a\x1bb", "holds a control character"),
        ("plan", "p" * 61, "at most 60"),
    ],
)
def test_bad_cells(column, text, words):
    loc, msg = fault_of(read, csv_of(offer(10) | {column: text}))
    assert loc == (*PLACE, column)
    assert msg.startswith(f"prices.csv line 2, column {column}: ")
    assert words in msg


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1.5", "must be a whole number from 0 to 100,000"),
        ("-1", "must be a whole number from 0"),
        ("1000000000000", "must be a whole number from 0 to 100,000"),
        ("eight", "'eight' is not a number"),
    ],
)
def test_counts_that_can_not_be(text, words):
    loc, msg = faults_of(read, csv_of(offer(10, accelerator_count=text)))[0]
    assert loc == (*PLACE, "accelerator_count")
    assert words in msg


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("H10O", "Did you mean H100"),
        ("A100", "'A100' could be A100-40GB or A100-80GB; say which"),
        ("8xH100-SXM", "'8xH100-SXM' carries a count; write H100-SXM here and 8 as accelerator_count"),
        ("tpu-v5p-8", "carries a count; write TPU-v5p here and 4 as accelerator_count"),
        ("GPU\x00", r"'GPU\x00' is not an accelerator"),
    ],
)
def test_accelerators_that_are_not_clear(name, words):
    loc, msg = faults_of(read, csv_of(offer(10, accelerator=name)))[0]
    assert loc == (*PLACE, "accelerator")
    assert words in msg


def test_a_name_that_stands_for_one_of_several_is_noted():
    prices = table(offer(10, accelerator="H100"))
    assert prices.assumptions == ("'H100' in the price table is taken as H100-SXM",)
    assert only(prices)["accelerator"] == "H100-SXM"


def test_an_instance_without_an_accelerator():
    prices = table(
        offer(0.4, accelerator="", accelerator_count=0),
        offer(2, instance_type="bare", accelerator="", accelerator_count=""),
    )
    for row in browsed(prices):
        assert (row["accelerator"], row["accelerator_count"], row["accelerator_vendor"]) == (None, 0, None)
        assert row["price_usd_per_accelerator_hour"] is None
    loc, msg = fault_of(read, csv_of(offer(1, accelerator="", accelerator_count=1)))
    assert loc == (*PLACE, "accelerator_count")
    assert "one without has a blank accelerator and 0" in msg


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '=HYPERLINK("http://x","y")',
        "'",
        '"',
        "😀 GPU",
        "\u202eevil\u202c",
        "a,b;c",
        "–",
        "@x",
        "ﬁ",
    ],
)
def test_odd_names_are_kept_as_they_are(text):
    row = only(table(offer(10, instance_type=text, region=text, source=text, notes=text, plan=text)))
    assert {row[name] for name in ("instance_type", "region", "price_source", "notes", "plan")} == {text}


MEASURED = [{"accelerator": "H100-SXM", "accelerator_count": 8, "rates": {"output_tokens_per_second": 5200}}]


def inline(*offers):
    body = {"unit": "output_token", "measurements": MEASURED, "offers": list(offers)}
    return json_question(table(offer(10)), body)


@pytest.mark.parametrize(
    ("cells", "loc", "words"),
    [
        ({"price_usd_per_hour": 0}, "price_usd_per_hour", "is not a price"),
        ({"price_usd_per_hour": -1.5}, "price_usd_per_hour", "is not a price"),
        ({"price_usd_per_hour": float("nan")}, "price_usd_per_hour", "is not a number"),
        ({"price_usd_per_hour": float("inf")}, "price_usd_per_hour", "is not a number"),
        ({"price_usd_per_hour": 10**400}, "price_usd_per_hour", "too large"),
        ({"price_usd_per_hour": "0,75"}, "price_usd_per_hour", "two readings"),
        ({"price_usd_per_hour": None}, "price_usd_per_hour", "the field price_usd_per_hour is missing"),
        ({"price_usd_per_hour": True}, "price_usd_per_hour", "must be text or a number"),
        ({"price_usd_per_hour": [1]}, "price_usd_per_hour", "must be text or a number"),
        ({"provider": None}, "provider", "the field provider is missing"),
        ({"vcpus": -1}, "vcpus", "must be above 0"),
        ({"observed_on": "2027-01-01"}, "observed_on", "after today"),
        ({"purchase": "sopt"}, "purchase", "Did you mean spot?"),
        ({"purchase_": "spot"}, "purchase_", "'purchase_' is not a field of an offer. Did you mean purchase"),
    ],
)
def test_bad_inline_offers(cells, loc, words):
    found, msg = fault_of(inline, offer(9), offer(8, instance_type="b") | cells)
    assert found == ("offers", 1, loc)
    assert words in msg


def test_conflicting_inline_offers_name_both():
    loc, msg = fault_of(inline, offer(9), offer(8))
    assert loc == ("offers", 1, "price_usd_per_hour")
    assert "offers[1] and offers[0]" in msg
    assert "9 and 8 USD/h" in msg
