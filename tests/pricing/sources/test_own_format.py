"""Tables in our own schema are taken whole: sizes, evidence, plan and availability are kept."""

from __future__ import annotations

from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.importing import import_document, table_text
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
TEXT = (
    "provider,instance_type,accelerator,accelerator_count,sizes,price_usd_per_hour,observed_on,evidence,plan,availability\n"
    "acme,gpu,H100-SXM,1,1|2|8,2.5,2026-11-01,survey,no_upfront,waitlist\n"
)


def test_all_columns_are_kept():
    found = import_document(Document.of_bytes("t.csv", TEXT.encode()), catalogue(), TODAY)
    assert (found.format, found.rows_read) == ("own_schema", 1)
    assert (
        table_text(found.rows).splitlines()[1]
        == "acme,gpu,,H100-SXM,,1,1|2|8,,,,,,2.5,2026-11-01,survey,,,waitlist,no_upfront"
    )
    again = read_csv(table_text(found.rows).encode(), "again.csv", catalogue(), TODAY)
    assert again.columns.price.tolist() == [2.5, 5.0, 20.0]


def test_broken_files_are_refused():
    with pytest.raises(PriceFileError, match=r"t\.csv"):
        import_document(Document.of_bytes("t.csv", TEXT.encode() + b'"acme'), catalogue(), TODAY)
