"""Price tables in our schema as an engine reads them: which cells are wrong, found by the engine itself.

A table that needs no other engine is checked cell by cell in `sources.own_schema`, which also reads
what people write (`1,234.56`). Here numbers and dates are plain, and a fault names a column, how many rows
have it, and one of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import narwhals as nw

from pricing.accelerators import Catalogue
from pricing.errors import MOST_FAULTS, Fault, PriceFileError, near_matches, shown
from pricing.offers import AVAILABILITY, EVIDENCE, OFFER_COLUMNS, PURCHASES, REQUIRED_COLUMNS
from pricing.sources import cells
from pricing.sources.own_schema import read_accelerator
from pricing.sweeps.expression import UNDATED, Frame

# Columns of which the different values are looked at one by one; few combinations are expected.
CLOSED = ("provider", "region", "accelerator", "accelerator_vendor", "purchase", "evidence", "availability", "sizes")
FREE = {"instance_type": 200, "plan": 60}
NUMBERS = ("accelerator_count", "term_months", "price_usd_per_hour")
MOST_COMBINATIONS = 1_000_000
_NUMBER = r"^[0-9]{1,15}([.][0-9]{1,20})?([eE][-+]?[0-9]{1,3})?$"
_WHOLE = r"^[0-9]{1,9}$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
# Blanks around it, a control character, or an apostrophe against spreadsheets.
_NOT_PLAIN = "^\\s|\\s$|[\\x00-\\x1f\\x7f-\\x9f]|^'[ ]*[=+\\-@＝＋－＠]"


@dataclass(frozen=True)
class Rule:
    """What is wrong with a row: the column, a condition, and what would be right."""

    column: str
    wrong: nw.Expr
    right: str


def check_heading(names: Sequence[str], table: str) -> None:
    """Refuse unknown and missing columns; PriceFileError names them."""
    faults = []
    for name in [name for name in names if name not in OFFER_COLUMNS][:MOST_FAULTS]:
        near = near_matches(name, OFFER_COLUMNS)
        faults.append(Fault((table, name), f"{table}: {shown(name)} is not a column of a price table.{near}"))
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        faults.append(
            Fault((table,), f"{table}: {', '.join(missing)} missing; required are {', '.join(REQUIRED_COLUMNS)}")
        )
    if faults:
        raise PriceFileError(faults)


def plain(raw: Frame) -> Frame:
    """Give a table all columns that count, with one kind of blank: '' for texts, null for numbers.

    Numbers and dates that are texts stay so.
    """
    have = raw.collect_schema()
    columns = []
    for name in (*CLOSED, *FREE):
        text = nw.col(name).cast(nw.String).fill_null("") if name in have else nw.lit("")
        columns.append(text.alias(name))
    for name in (*NUMBERS, "observed_on"):
        if name not in have:
            columns.append(nw.lit(None).cast(nw.String).alias(name))
        elif have[name] == nw.String:
            columns.append(nw.when(nw.col(name) == "").then(None).otherwise(nw.col(name)).alias(name))
        else:
            columns.append(nw.col(name))
    return raw.select(*columns)


def _typed(frame: Frame, name: str, kind: Any, pattern: str) -> nw.Expr:
    """Return a column as numbers or dates; null where its text can't be one."""
    column = nw.col(name)
    if frame.collect_schema()[name] != nw.String:
        return column.cast(kind)
    text = nw.when(column.str.contains(pattern)).then(column).otherwise(None)
    return text.str.to_date(format="%Y-%m-%d") if kind is nw.Date else text.cast(kind)


def typed(frame: Frame) -> Frame:
    """Return the table with numbers and dates as such; null where a text is none."""
    return frame.with_columns(
        price_usd_per_hour=_typed(frame, "price_usd_per_hour", nw.Float64, _NUMBER),
        accelerator_count=_typed(frame, "accelerator_count", nw.Int64, _WHOLE),
        term_months=_typed(frame, "term_months", nw.Int64, _WHOLE),
        observed_on=_typed(frame, "observed_on", nw.Date, _DAY),
    )


def _rules(today: date) -> Iterator[Rule]:
    """Yield what can be wrong with a single row; a column's text before it was read is `raw_` and its name."""
    for name, most in FREE.items():
        text = nw.col(name)
        yield Rule(
            name, text.str.contains(_NOT_PLAIN), "write it without blanks around it or line breaks"
        )  # fmt: skip
        yield Rule(name, text.str.len_chars() > most, f"at most {most} characters are allowed")
    yield Rule("instance_type", nw.col("instance_type") == "", "write the seller's name of the instance")
    price, count, term, day = (
        nw.col(name) for name in ("price_usd_per_hour", "accelerator_count", "term_months", "observed_on")
    )
    unread = {"price_usd_per_hour": "digits with a dot, such as 98.32", "accelerator_count": "a whole number",
              "term_months": "a whole number of months", "observed_on": "YYYY-MM-DD"}  # fmt: skip
    for name, right in unread.items():
        yield Rule(name, ~nw.col(f"raw_{name}").is_null() & nw.col(name).is_null(), f"write {right}")
    in_range = (price >= cells.LEAST_PRICE) & (price <= cells.MOST_PRICE)
    yield Rule("price_usd_per_hour", ~price.is_null() & ~in_range, "a price is above 0, from 1e-9 to 1e9 USD per hour")
    yield Rule(
        "price_usd_per_hour",
        nw.col("raw_price_usd_per_hour").is_null() & (nw.col("availability") != "withdrawn"),
        "an unknown price is no row at all; only a row with availability 'withdrawn' has no price",
    )
    yield Rule(
        "accelerator_count",
        (count > cells.MOST_ACCELERATORS) | (count < 0),
        f"at most {cells.MOST_ACCELERATORS} accelerators are allowed",
    )
    yield Rule(
        "accelerator_count",
        ((nw.col("accelerator") == "") != (count.fill_null(0) == 0))
        & (nw.col("raw_accelerator_count").is_null() | ~count.is_null()),
        "an instance with accelerators has a count of at least 1, one without has a blank accelerator and 0",
    )
    yield Rule("accelerator_count", (nw.col("sizes") != "") & (count.fill_null(0) == 0), "sizes need an accelerator")
    yield Rule("term_months", (term < 1) | (term > 1200), "a term is 1 to 1200 months")
    yield Rule("observed_on", day <= UNDATED, "a price was not seen before 1900")
    yield Rule("observed_on", day > today, f"a price can't be seen after today ({today}, UTC)")


def survey(frame: Frame, today: date) -> tuple[Frame, list[Rule]]:
    """Return the query that looks at every row once, and the rules that it counts.

    Its result has a row for each combination of the CLOSED columns: how many `rows` have it, and for
    each rule i how many break it (`wrong_i`) and one of the values that do (`value_i`).
    """
    rules = list(_rules(today))
    raws = {f"raw_{name}": nw.col(name) for name in (*NUMBERS, "observed_on")}
    read = typed(frame.with_columns(**raws))
    flags = {}
    for i, rule in enumerate(rules):
        wrong = rule.wrong.fill_null(False)
        name = f"raw_{rule.column}" if f"raw_{rule.column}" in raws else rule.column
        flags[f"wrong_{i}"] = wrong.cast(nw.Int64)
        flags[f"value_{i}"] = nw.when(wrong).then(nw.col(name).cast(nw.String).fill_null("")).otherwise(None)
    counted = read.select(*CLOSED, **flags).group_by(*CLOSED).agg(
        nw.len().alias("rows"),
        *(nw.col(f"wrong_{i}").sum() for i in range(len(rules))),
        *(nw.col(f"value_{i}").min() for i in range(len(rules))),
    )  # fmt: skip
    return counted, rules


def faults_of_rows(found: Sequence[Mapping[str, Any]], rules: Sequence[Rule], table: str) -> Iterator[Fault]:
    """Yield a fault for each rule that rows break."""
    for i, rule in enumerate(rules):
        wrong = sum(row[f"wrong_{i}"] for row in found)
        if wrong:
            value = min(row[f"value_{i}"] for row in found if row[f"value_{i}"] is not None)
            yield _fault(table, rule.column, wrong, f"{shown(value)}: {rule.right}")


def read_closed(
    found: Sequence[Mapping[str, Any]], catalogue: Catalogue, table: str, faults: list[Fault]
) -> dict[str, dict[str, str]]:
    """Return for each CLOSED column what its values mean; faults where they mean nothing."""
    readers: dict[str, Callable[[str], str]] = {
        "provider": cells.provider,
        "region": lambda text: cells.text_of("a region", most=100)(text) or "global",
        "accelerator": lambda text: _accelerator(text, catalogue),
        "accelerator_vendor": str.lower,
        "purchase": cells.one_of(PURCHASES, "on_demand"),
        "evidence": cells.one_of(EVIDENCE, "quote"),
        "availability": cells.one_of(AVAILABILITY, "available"),
        "sizes": lambda text: "|".join(map(str, cells.sizes_of(text))),
    }
    meanings: dict[str, dict[str, str]] = {}
    for name, reader in readers.items():
        meanings[name] = {}
        for text in sorted({row[name] for row in found}):
            try:
                meanings[name][text] = reader(text.strip())
            except ValueError as error:
                rows = sum(row["rows"] for row in found if row[name] == text)
                faults.append(_fault(table, name, rows, str(error)))
    if not faults:
        faults += _other_makers(found, meanings, catalogue, table)
    return meanings


def _accelerator(text: str, catalogue: Catalogue) -> str:
    return read_accelerator(text, catalogue).accelerator if text else ""


def _other_makers(
    found: Sequence[Mapping[str, Any]], meanings: Mapping[str, Mapping[str, str]], catalogue: Catalogue, table: str
) -> Iterator[Fault]:
    """Yield a fault for each maker that is stated of an accelerator of another one."""
    for text, stated in sorted({(row["accelerator"], row["accelerator_vendor"]) for row in found}):
        name, vendor = meanings["accelerator"][text], meanings["accelerator_vendor"][stated]
        maker = catalogue.accelerators[name].vendor if name else ""
        if vendor and vendor != maker:
            rows = sum(r["rows"] for r in found if (r["accelerator"], r["accelerator_vendor"]) == (text, stated))
            msg = f"{shown(stated)} does not make {name or 'a blank accelerator'}; write {maker or 'nothing'}"
            yield _fault(table, "accelerator_vendor", rows, msg)


def _fault(table: str, column: str, rows: int, msg: str) -> Fault:
    count = "1 row" if rows == 1 else f"{rows:,} rows"
    return Fault((table, column), f"{table}, column {column}, {count}: {msg}")
