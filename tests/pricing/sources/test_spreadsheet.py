"""Spreadsheets of quotes: headings and money as people write them; what has two readings is refused."""

from __future__ import annotations

import io
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document, options_of

TODAY = date(2026, 12, 1)


def read(text, mapping=(), decimal=None, name="quotes.csv"):
    data = text.encode() if isinstance(text, str) else text
    options = options_of(mapping, decimal)
    return import_document(Document.of_bytes(name, data), catalogue(), TODAY, None, options)


def only(text, **more):
    (row,) = read(text, **more).rows
    return row


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("Vendor,GPU,# GPUs,Hourly\nFirmus,H100,8,20\n", 20.0),
        ("Vendor;GPU;GPU count;$/hr\nFirmus;H100 SXM;8;$1,234.50\n", 1234.5),
        ("vendor\tGPU\tcount\tprice per GPU hour\nFirmus\tNVIDIA H100\t8\t2.5 USD/h\n", 20.0),
        ("\ufeffCloud,Accelerator,Count,USD/h,Comment\nFirmus,H100-SXM,8,USD 20 per hour,x\n", 20.0),
    ],
)
def test_headings_and_money_as_people_write_them(text, price):
    row = only(text)
    assert (row["provider"], row["accelerator"], row["accelerator_count"]) == ("firmus", "H100-SXM", 8)
    assert row["price_usd_per_hour"] == price
    assert row["evidence"] == "quote"


def test_utf_16_as_excel_saves_it():
    assert only("Vendor\tGPU\tGPUs\tPrice\nFirmus\tL4\t1\t0.7\n".encode("utf-16"))["price_usd_per_hour"] == 0.7


@pytest.mark.parametrize("text", ["1.234,56", "0,75", "1,234"])
def test_numbers_with_two_readings_are_refused_with_the_way_out(text):
    with pytest.raises(PriceFileError, match=r"line 2, column price_usd_per_hour.*--decimal ,"):
        read(f"Vendor;GPU;Count;Price\nFirmus;L4;1;{text}\n")


@pytest.mark.parametrize(("text", "price"), [("1.234,56", 1234.56), ("0,75", 0.75), ("12", 12.0)])
def test_decimal_commas_where_they_are_declared(text, price):
    assert only(f"Vendor;GPU;Count;Price\nFirmus;L4;1;{text}\n", decimal=",")["price_usd_per_hour"] == price
    with pytest.raises(PriceFileError, match="decimal comma"):
        read("Vendor;GPU;Count;Price\nFirmus;L4;1;1,234.56\n", decimal=",")


def test_other_currencies_are_refused():
    with pytest.raises(PriceFileError, match="another currency"):
        read("Vendor,GPU,Count,Price\nFirmus,L4,1,€0.70\n")


def test_what_is_unclear_is_asked_for():
    with pytest.raises(
        PriceFileError, match=r"both 'Price' and 'Rate' could be price_usd_per_hour; say which with --map"
    ):
        read("Vendor,GPU,Price,Rate\nFirmus,L4,1,2\n")
    assert (
        only("Vendor,GPU,Price,Rate\nFirmus,L4,1,2\n", mapping=["price_usd_per_hour=Rate"])["price_usd_per_hour"] == 2.0
    )
    with pytest.raises(
        PriceFileError, match=r"no heading is known to be accelerator.*Say which with --map accelerator="
    ):
        read("Vendor,Thing,Price\nFirmus,L4,1\n")
    assert only("Vendor,Thing,Price\nFirmus,L4,1\n", mapping=["accelerator=Thing"])["accelerator"] == "L4"
    with pytest.raises(PriceFileError, match="Did you mean Thing"):
        read("Vendor,Thing,Price\nFirmus,L4,1\n", mapping=["accelerator=Things"])


def test_purchase_term_and_date():
    row = only(
        "Vendor,GPU,Count,Price,Commitment,Billing,Quoted on,Region\nFirmus,L4,1,0.5,1 year,Reserved,2026-11-03,sg\n"
    )
    assert (row["purchase"], row["term_months"], row["observed_on"], row["region"]) == (
        "reserved",
        12,
        "2026-11-03",
        "sg",
    )


def test_rows_that_give_no_offer():
    found = read("Vendor,GPU,Count,Price\nF,L4,1,\nF,ZX81,1,1\nF,L4,0.5,1\nF,L4,1,0\n,,,\n")
    assert found.rows == ()
    assert {item.reason: item.count for item in found.left_out} == {
        "no_price": 1, "zero_price": 1, "fractional": 1, "unknown_accelerator": 1,
    }  # fmt: skip


def workbook(*rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_xlsx():
    data = workbook(
        ["Vendor", "GPU", "# GPUs", "Hourly", "Date"], ["Firmus", "H100", 8, 19.5, datetime(2026, 11, 3)], []
    )
    row = only(data, name="quotes.xlsx")
    assert (row["accelerator"], row["accelerator_count"], row["price_usd_per_hour"]) == ("H100-SXM", 8, 19.5)
    assert row["observed_on"] == "2026-11-03"


@pytest.mark.parametrize("cut", [100, 1000, -20])
def test_broken_xlsx_is_refused(cut):
    data = workbook(["Vendor", "GPU", "Price"], ["Firmus", "L4", 1])
    with pytest.raises(PriceFileError, match=r"quotes\.xlsx"):
        read(data[:cut], name="quotes.xlsx")
