"""Spreadsheets of quotes: headings and money as people write them; what has two readings is refused."""

from __future__ import annotations

import io
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from pricing.accelerators import catalogue
from pricing.currency import exchange_rate
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


RATE = exchange_rate("EUR", TODAY, {}).per_usd


@pytest.mark.parametrize(
    "text",
    [
        "Vendor,GPU,Count,Price\nFirmus,L4,1,€0.70\n", "Vendor,GPU,Count,Price\nFirmus,L4,1,0.70 EUR/h\n",
        "Vendor,GPU,Count,Price,Currency\nFirmus,L4,1,0.70,EUR\n", "Vendor,GPU,Count,EUR/GPU/h\nFirmus,L4,1,0.7\n",
        "Vendor,GPU,Count,Price (EUR)\nFirmus,L4,1,0.7\n", "Vendor,GPU,Count,€ per hour\nFirmus,L4,1,0.7\n",
    ],
)  # fmt: skip
def test_other_currencies_are_converted_at_a_dated_rate(text):
    row = only(text)
    assert row["price_usd_per_hour"] == pytest.approx(0.7 / RATE)
    assert "0.7 EUR at" in row["notes"]
    assert "European Central Bank" in row["notes"]


def test_a_currency_without_a_rate_is_left_out():
    found = read("Vendor,GPU,Count,Price,Currency\nFirmus,L4,1,0.70,XYZ\n")
    assert (found.rows, [left.reason for left in found.left_out]) == ((), ["other_currency"])


def test_what_is_unclear_is_asked_for():
    with pytest.raises(
        PriceFileError, match=r"both 'Price' and 'Rate' could be price_usd_per_hour; say which with --map"
    ):
        read("Vendor,GPU,GPUs,Price,Rate\nFirmus,L4,1,1,2\n")
    text = "Vendor,GPU,GPUs,Price,Rate\nFirmus,L4,1,1,2\n"
    assert only(text, mapping=["price_usd_per_hour=Rate"])["price_usd_per_hour"] == 2.0
    thing = "Vendor,Thing,GPUs,Price\nFirmus,L4,1,1\n"
    with pytest.raises(
        PriceFileError, match=r"no heading is known to be accelerator.*Say which with --map accelerator="
    ):
        read(thing)
    assert only(thing, mapping=["accelerator=Thing"])["accelerator"] == "L4"
    with pytest.raises(PriceFileError, match="Did you mean Thing"):
        read(thing, mapping=["accelerator=Things"])
    with pytest.raises(PriceFileError, match=r"add --provider ID"):
        read("Maker,GPU,GPUs,Price\nFirmus,L4,1,1\n")
    with pytest.raises(PriceFileError, match=r"how many H100 the price is for is not said.*--map accelerator_count=8"):
        read("Vendor,GPU,Price\nFirmus,H100,20\n")
    assert only("Vendor,GPU,Price\nFirmus,H100,20\n", mapping=["accelerator_count=8"])["accelerator_count"] == 8
    with pytest.raises(PriceFileError, match="is a price per accelerator; map it as price_per_accelerator="):
        read("Vendor,GPU,GPUs,EUR/GPU/h\nF,H100,8,2\n", mapping=["price_usd_per_hour=EUR/GPU/h"])


@pytest.mark.parametrize("heading", ["No. of GPUs", "GPUs per node", "GPU Qty", "Anzahl", "GPU count", "# GPUs"])
def test_headings_of_a_count(heading):
    assert only(f"Vendor,GPU,{heading},Price\nFirmus,H100,8,20\n")["accelerator_count"] == 8


@pytest.mark.parametrize(
    ("heading", "cell", "price"),
    [
        ("Price/h", "20", 20.0), ("$/h", "20", 20.0), ("$/GPU/h", "2.5", 20.0), ("Price (USD)", "20", 20.0),
        ("Price USD", "20", 20.0), ("Price (USD/hour)", "20", 20.0), ("Cost per hour", "20", 20.0),
        ("On-demand price", "20", 20.0), ("price_usd_per_gpu_hour", "2.5", 20.0), ("Price per node hour", "20", 20.0),
        ("Monthly price (USD)", "14600", 20.0), ("Price", "14600 USD/month", 20.0), ("$ per GPU/hr", "2.5", 20.0),
        ("USD per day", "480", 20.0), ("Preis pro Stunde", "20", 20.0),
    ],
)  # fmt: skip
def test_headings_of_a_price(heading, cell, price):
    assert only(f"Vendor,GPU,GPUs,{heading}\nFirmus,H100,8,{cell}\n")["price_usd_per_hour"] == pytest.approx(price)


def test_units_and_upfront_payments_in_columns_of_their_own():
    row = only("Vendor,GPU,GPUs,Price,Price unit\nFirmus,H100,8,14600,USD/month\n")
    assert row["price_usd_per_hour"] == pytest.approx(20)
    # 10 + 87600 / 8760
    row = only("Vendor,GPU,GPUs,Upfront,Price,Term months\nFirmus,H100,8,87600,10,12\n")
    assert (row["price_usd_per_hour"], row["purchase"], row["term_months"]) == (pytest.approx(20), "reserved", 12)
    with pytest.raises(PriceFileError, match="needs a term"):
        read("Vendor,GPU,GPUs,Upfront,Price\nFirmus,H100,8,87600,10\n")


@pytest.mark.parametrize(
    ("text", "purchase", "term"),
    [
        ("Reserved 1yr", "reserved", 12), ("Reserved (1 year)", "reserved", 12), ("1-year commit", "reserved", 12),
        ("3 Year Savings Plan", "savings_plan", 36), ("Preemptible", "spot", None), ("on_demand", "on_demand", None),
        ("PAYG", "on_demand", None), ("capacity_block", "capacity_block", None),
    ],
)  # fmt: skip
def test_words_for_a_purchase(text, purchase, term):
    row = only(f"Vendor,GPU,GPUs,Price,Type\nFirmus,H100,8,20,{text}\n")
    assert (row["purchase"], row["term_months"]) == (purchase, term)


def test_an_unknown_word_for_a_purchase_is_left_out():
    found = read("Vendor,GPU,GPUs,Price,Type\nFirmus,H100,8,20,Platinum\n")
    assert [(left.reason, left.example) for left in found.left_out] == [("unknown_purchase", "line 2: Platinum")]


def test_several_prices_in_one_row():
    found = read("Vendor,GPU,GPUs,On-demand,Spot price,1 year reserved,3-yr reserved $/GPU/h\nF,H100,8,20,8,15,1.25\n")
    assert {(r["purchase"], r["term_months"]): r["price_usd_per_hour"] for r in found.rows} == {
        ("on_demand", None): 20.0, ("spot", None): 8.0, ("reserved", 12): 15.0, ("reserved", 36): 10.0
    }  # fmt: skip


def test_rows_that_contradict_each_other_are_refused_by_their_lines():
    with pytest.raises(PriceFileError, match=r"line 2 and line 4 .* different prices \(16 and 17 USD/h\)"):
        read("Vendor,Instance,GPU,GPUs,Price\nF,a,H100,8,16\nF,b,H100,8,16\nF,a,H100,8,17\n")
    found = read("Vendor,Instance,GPU,GPUs,Price\nF,a,H100,8,16\nF,a,H100,8,16\n")
    assert (len(found.rows), found.left_out[0].reason) == (1, "repeated")
    log = read("Vendor,Instance,GPU,GPUs,Price,Date\nF,a,H100,8,16,2026-01-01\nF,a,H100,8,17,2026-02-01\n")
    assert [row["price_usd_per_hour"] for row in log.rows] == [16.0, 17.0]


def test_a_title_above_the_headings():
    for text in ("ACME price list 2026\n\nVendor,GPU,GPUs,Price\nF,H100,8,20\n",
                 "sep=;\nVendor;GPU;GPUs;Price\nF;H100;8;20\n", "Vendor|GPU|GPUs|Price\nF|H100|8|20\n",
                 "Vendor,GPU,GPUs,Price\rF,H100,8,20\r"):  # fmt: skip
        assert only(text)["price_usd_per_hour"] == 20.0
    assert only("Vendor,Region,GPU,GPUs,Price\nF,Zürich,H100,8,20\n".encode("latin-1"))["region"] == "Zürich"


def test_sellers_by_name_and_columns_that_are_not_read():
    text = "Vendor,GPU,GPUs,Price,Colour\nAmazon Web Services,H100,8,20,red\nLambda Labs,L4,1,1,blue\nAcme,L4,1,1,x\n"
    found = read(text)
    assert [row["provider"] for row in found.rows] == ["aws", "lambda", "acme"]
    assert any("Colour" in note for note in found.notes)
    assert any("'Acme' is not a seller that is known" in note for note in found.notes)


@pytest.mark.parametrize(
    ("gpu", "chip", "count"), [("H100x8", "H100-SXM", 8), ("8x H100", "H100-SXM", 8), ("CPU", "", 0)]
)
def test_counts_in_the_name_and_machines_without(gpu, chip, count):
    row = only(f"Vendor,Instance,GPU,Price\nF,box,{gpu},20\n")
    assert (row["accelerator"], row["accelerator_count"]) == (chip, count)


def test_cells_without_a_price():
    found = read("Vendor,GPU,GPUs,Price\nF,H100,8,n/a\nF,H100,4,Contact sales\nF,H100,2,-\nF,H100,1,2\n")
    assert (len(found.rows), found.left_out[0].reason, found.left_out[0].count) == (1, "no_price", 3)


def test_xlsx_formats_and_sheets():
    book = Workbook()
    book.active.append(["Cover"])
    sheet = book.create_sheet("Prices")
    sheet.append(["Quotes of 2026"])
    sheet.append(["Vendor", "GPU", "GPUs", "Price"])
    sheet.append(["F", "H100", 8, 20])
    sheet["D3"].number_format = '#,##0.00 "€"'
    out = io.BytesIO()
    book.save(out)
    found = read(out.getvalue(), name="quotes.xlsx")
    assert found.rows[0]["price_usd_per_hour"] == pytest.approx(20 / RATE)
    assert any("'Prices' is read; not read: 'Sheet'" in note for note in found.notes)


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
