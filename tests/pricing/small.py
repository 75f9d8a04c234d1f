"""Small price tables and questions for the tests, each value given where it is used."""

import csv
import io
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.browse import PRICE_COLUMNS, browse
from pricing.columns import COLUMNS
from pricing.compare import compare
from pricing.errors import InvalidInputError
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
BASIC = ("provider", "instance_type", "accelerator", "accelerator_count", "price_usd_per_hour")


def offer(price=10, **cells):
    """Return one row of a price table; 8 × H100-SXM of a seller called acme unless told otherwise."""
    basic = dict(zip(BASIC, ("acme", "box", "H100-SXM", 8, price), strict=True))
    return basic | {"observed_on": "2026-11-30", "evidence": "list"} | cells


def csv_of(*rows):
    """Write rows as a CSV file in UTF-8."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def read(data, name="prices.csv", today=TODAY):
    """Read a price table from CSV bytes or text."""
    return read_csv(data.encode() if isinstance(data, str) else data, name, catalogue(), today)


def table(*rows, today=TODAY):
    """Make a price table of these rows."""
    return read(csv_of(*rows), today=today)


def pairs_of(values):
    """Return parameters as name-value pairs; a list is a repeated parameter."""
    return [
        (name, str(value))
        for name, given in values.items()
        for value in (given if isinstance(given, (list, tuple)) else [given])
    ]


def question(prices, m="H100-SXM:8=5200", *, more=(), today=TODAY, **values):
    """Read a question as a link gives it."""
    pairs = pairs_of({"unit": "output_token", "m": m} | values)
    return Reader(prices, catalogue(), today).from_pairs([*pairs, *more])


def ask(prices, m="H100-SXM:8=5200", *, all_rows=False, **values):
    """Ask as a link does and return the answer."""
    return compare(question(prices, m, **values), catalogue(), all_rows=all_rows)


def json_question(prices, body, today=TODAY):
    """Read a question given as JSON."""
    return Reader(prices, catalogue(), today).from_json(body)


def ask_json(prices, measurements, **body):
    """Ask in JSON and return the answer."""
    whole = {"unit": "output_token", "measurements": measurements} | body
    return compare(json_question(prices, whole), catalogue())


def rows_of(answer):
    """Return the page's rows as mappings from column to value."""
    return mapped(COLUMNS, answer.page)


def mapped(columns, rows):
    """Return rows of columns as mappings."""
    values = [column.python(rows) for column in columns]
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def estimates(prices, m="H100-SXM:8=5200", **values):
    """Ask and return the rows."""
    return rows_of(ask(prices, m, **values))


def only(prices, m="H100-SXM:8=5200", **values):
    """Ask and return the one row that comes."""
    (row,) = estimates(prices, m, **values)
    return row


def excluded(answer):
    """Return how many offers were left out, by reason."""
    return {item.reason: item.count for item in answer.excluded}


def codes(answer):
    """Return the codes of the warnings."""
    return [warned.code for warned in answer.warnings]


def browsed(prices, today=TODAY, **values):
    """Browse a table and return its rows."""
    return mapped(PRICE_COLUMNS, browse(pairs_of(values), prices, catalogue(), today).page)


def faults_of(call, *args, **values):
    """Return what is wrong with an input as (loc, msg) pairs."""
    with pytest.raises(InvalidInputError) as caught:
        call(*args, **values)
    return [(fault.loc, fault.msg) for fault in caught.value.faults]


def fault_of(call, *args, **values):
    """Return the one thing that is wrong, as its loc and msg."""
    (fault,) = faults_of(call, *args, **values)
    return fault


def outcome(call, *args, error=InvalidInputError):
    """Return what a call gives, or the error with which it refuses."""
    try:
        return call(*args)
    except error as refusal:
        return refusal
