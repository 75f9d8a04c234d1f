"""Numbers as people write them: what has two readings is refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.notation import write_number
from pricing.numbers import read_number, read_scaled_number, read_utilization, read_whole_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5200", 5200),
        (" 5200 ", 5200),
        ("5_200", 5200),
        ("1_234_567.5", 1234567.5),
        ("0.75", 0.75),
        (".75", 0.75),
        ("0.0000023", 0.0000023),
        ("1.2e3", 1200),
        ("1E-3", 0.001),
        ("+3", 3),
        ("-3", -3),
        ("1.234", 1.234),
    ],
)
def test_read(text, value):
    assert read_number(text) == value


@pytest.mark.parametrize("text", ["1.234,56", "0,75", "1,234", "1,234,567", "1,234.56", "12,5"])
def test_a_comma_is_refused_with_the_way_out(text):
    with pytest.raises(ValueError, match="1,234 has two readings; write a dot for decimals") as caught:
        read_number(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(("text", "value"), [("1,234.56", 1234.56), ("12,345,678.9", 12345678.9), ("0.75", 0.75)])
def test_thousands_separators_that_can_not_be_read_otherwise(text, value):
    assert read_number(text, thousands=True) == value


@pytest.mark.parametrize("text", ["1.234,56", "0,75", "1,234", "1,23.4", "1234,567.8", ",5", "1,234."])
def test_thousands_separators_that_can(text):
    with pytest.raises(ValueError, match=r"two readings|not a number"):
        read_number(text, thousands=True)


@pytest.mark.parametrize(
    "text",
    ["abc", "3abc", "$5", "5 USD", "5 200", "1__0", "_1", "1_", "0x10", "nan", "inf", "-inf", "Infinity", "1e", "e5",
     ".", "--1", "٣", "5200\x00", "½", "1.2.3", "1'234"],
)  # fmt: skip
def test_text_is_no_number(text):
    with pytest.raises(ValueError, match="is not a number"):
        read_number(text)


@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_nothing_is_no_number(text):
    with pytest.raises(ValueError, match="a number is missing"):
        read_number(text)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 400])
def test_too_large(text):
    with pytest.raises(ValueError, match="too large"):
        read_number(text)


@pytest.mark.parametrize(
    ("text", "value"), [("5.2k", 5200), ("5K", 5000), ("1.5M", 1_500_000), ("2_000k", 2_000_000), ("0.3k", 300)]
)
def test_suffixes(text, value):
    assert read_scaled_number(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [("5m", "milli or million"), ("5e3k", "not both"), ("k", "missing"), ("5,2k", "two readings"),
     ("5G", "not a number"), ("5kk", "not a number"), ("1e308k", "not both")],
)  # fmt: skip
def test_suffixes_refused(text, words):
    with pytest.raises(ValueError, match=words):
        read_scaled_number(text)


@pytest.mark.parametrize(("text", "value"), [("8", 8), ("8.0", 8), ("1", 1), ("100000", 100_000), ("1e3", 1000)])
def test_whole_numbers(text, value):
    assert read_whole_number(text, least=1, most=100_000) == value


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "100001", "1e12", "1000000000000"])
def test_whole_numbers_refused(text):
    with pytest.raises(ValueError, match="must be a whole number from 1 to 100,000"):
        read_whole_number(text, least=1, most=100_000)


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("50%", 0.5), ("100%", 1), ("33.5 %", 0.335), ("50", 50)])
def test_shares(text, value):
    assert read_utilization(text) == value


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_reads_the_same(value):
    read = read_number(write_number(value))
    assert math.copysign(1, read) == math.copysign(1, value) or value == 0
    assert read == value


@settings(deadline=None)
@given(st.decimals(0, 10**9, places=3))
def test_k_is_a_thousand_to_the_last_bit(number):
    assert read_scaled_number(f"{number}k") == float(number * 1000)
