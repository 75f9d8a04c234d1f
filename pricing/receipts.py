"""Receipts: what an answer rests on, so that anybody can work it out again and see what changed.

A receipt holds the question, the price rows behind the answer with source and date, the answer, the
version of the formulas, and a SHA-256 over all of it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pricing.browse import SCHEMA_COLUMNS, rows_together
from pricing.market import PriceTable
from pricing.offers import Columns
from pricing.question import Question
from pricing.wording import say

FORMAT = 1
# Raised with every change of a formula that changes a figure.
FORMULAS = 1
# Parts of an answer that a receipt's own rows must give again; the rest (hash of the whole table) can't be.
COMPARED = ("total", "estimates", "baseline", "comparability", "verdict", "statement", "figures", "tables")
# A machine's own logarithm or exponential may differ in the last digit.
SAME = 1e-12


def digest(receipt: Mapping[str, Any]) -> str:
    """SHA-256 over a receipt without its own hash: JSON with sorted keys and no blanks, in UTF-8."""
    content = {name: value for name, value in receipt.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rows_behind(question: Question, table: PriceTable, names: Iterable[str] | None) -> list[dict[str, Any]]:
    """Return the prices in force that a question may meet, in the price schema, before any discount.

    `names` are the accelerators and PROVIDER/INSTANCE_TYPEs that it speaks of; None takes all.
    """
    market = table.market(question.as_of, include_unconfirmed=question.include_unconfirmed)
    columns = Columns.joined([market.columns, market.unconfirmed])
    if names is not None:
        wanted = set(names)
        types = zip(*(columns.words[name].texts(np.arange(len(columns))) for name in _TYPE), strict=True)
        named = np.array([f"{provider}/{instance_type}" in wanted for provider, instance_type in types], bool)
        columns = columns.take(np.flatnonzero(columns.words["accelerator"].mask(wanted) | named))
    offered = rows_together(columns, question.as_of)
    values = [column.python(offered) for column in SCHEMA_COLUMNS]
    keys = [column.name for column in SCHEMA_COLUMNS]
    rows = (dict(zip(keys, row, strict=True)) for row in zip(*values, strict=True))
    return [{name: value for name, value in row.items() if value not in (None, "")} for row in rows]


_TYPE = ("provider", "instance_type")


def names_in(question: Question, texts: Iterable[str], accelerators: Iterable[str]) -> set[str]:
    """Return the accelerators and instance types that a question and its texts speak of."""
    found = {m.accelerator for m in question.measurements if m.accelerator}
    found |= {f"{m.provider}/{m.instance_type}" for m in question.measurements if m.provider}
    known = sorted(question.table.instance_types(), key=len, reverse=True)
    for text in [*texts, question.baseline or ""]:
        found.update(name for name in known if text == name or text.startswith((f"{name}/", f"{name}:")))
        found.update(name for name in accelerators if text.casefold().startswith(name.casefold()))
    return found


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield where two answers differ, as place: old value, new value; numbers that agree to 1e-12 are equal."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from differences(old.get(name), new.get(name), f"{place}.{name}" if place else str(name))
    elif _is_list(old) and _is_list(new):
        if len(old) != len(new):
            yield say("{place}: {number:,} entries, now {number_2:,}", place=place, number=len(old), number_2=len(new))
        for i, (a, b) in enumerate(zip(old, new, strict=False)):
            yield from differences(a, b, f"{place}[{i}]")
    elif not _equal(old, new):
        yield f"{place}: {old!r}, now {new!r}"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _equal(a: object, b: object) -> bool:
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (a, b))
    if numbers and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=SAME, abs_tol=0.0)
    return a == b


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a cost changed: parts of ln(new / old), which sum to the whole."""

    old: float
    new: float
    parts: tuple[tuple[str, float], ...]

    @property
    def whole(self) -> float:
        """ln(new / old)."""
        return math.log(self.new / self.old)

    def rows(self) -> list[tuple[str, float, float]]:
        """Each part and the whole, with its logarithm and the factor that it makes alone, exp(part)."""
        return [(name, part, math.exp(part)) for name, part in (*self.parts, ("whole", self.whole))]


def explained(old: Mapping[str, Any], new: Mapping[str, Any]) -> Explained:
    """Split the change of an estimate's cost into price, throughput, utilization, whole machines, currency.

    From C = P / (3600 · n · r · u) · quoted · x, with n replicas of r units per second each and x the
    units of a currency per USD: ln(C'/C) = ln(P'/P) - ln(r'/r) - ln(u'/u) - ln(n'/n) + ln(x'/x).
    `old` and `new` are estimates of the same unit in the columns of an answer. ValueError if not.
    """
    if old["cost_unit"] != new["cost_unit"]:
        raise ValueError(
            say(
                "a cost in {cost_unit} can't be compared with one in {cost_unit_2}",
                cost_unit=old["cost_unit"],
                cost_unit_2=new["cost_unit"],
            )
        )
    currencies = [each.get("currency") for each in (old, new)]
    if currencies[0] != currencies[1]:
        said = " and ".join(str(name or "USD") for name in currencies)
        raise ValueError(say("the receipts are in different currencies ({said}); ask both in the same one", said=said))

    def ln(name: str) -> float:
        return math.log(new[name] / old[name])

    machines = math.log(new["replicas"] / old["replicas"])
    parts = [
        ("price", ln("price_usd_per_hour")),
        ("throughput", -(ln("rate_per_second") - machines)),
        ("utilization", -ln("utilization")),
        ("whole machines", -machines),
    ]
    column = "cost_usd"
    if currencies[0]:
        parts.append(("currency", ln("units_of_currency_per_usd")))
        column = "cost_in_currency"
    return Explained(old[column], new[column], tuple(parts))
