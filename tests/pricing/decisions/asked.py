"""Asking decisions in tests, as links and as JSON."""

import pytest

from pricing.accelerators import catalogue
from pricing.decisions import decision_named
from pricing.decisions.asking import from_json, from_pairs
from pricing.errors import InvalidInputError
from pricing.reading import Reader
from tests.pricing.small import TODAY, pairs_of


def asked(name, prices, **values):
    """Answer a decision asked as a link does; a list is a repeated parameter."""
    return from_pairs(decision_named(name), pairs_of(values), Reader(prices, catalogue(), TODAY))


def asked_in_json(name, prices, body):
    """Answer a decision asked in JSON."""
    return from_json(decision_named(name), body, Reader(prices, catalogue(), TODAY))


def faults(name, prices, **values):
    """Return what is wrong with a question, as (field, message)."""
    with pytest.raises(InvalidInputError) as caught:
        asked(name, prices, **values)
    return [(".".join(map(str, fault.loc)), fault.msg) for fault in caught.value.faults]


def rows(solved, name):
    """Return the rows of one of its tables as mappings."""
    (table,) = [each for each in solved.decision.tables if each.name == name]
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in solved.result.rows[name]]
