"""The columns of an estimate: one registry feeds JSON, CSV, page, sorting and documentation.

The order of the contract is the order of the CSV's heading; new columns are only appended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np

from pricing.currency import ExchangeRate
from pricing.errors import InvalidInputError, near_matches, shown
from pricing.estimates import NOT_TIED, TIED, Estimates
from pricing.flags import flags
from pricing.measurements import Measurement
from pricing.offers import NO_TERM, UNDATED
from pricing.wording import say

# Up to here, going over the rows one by one is quicker than looking for the different ones.
FEW = 1000
Kind = Literal["number", "whole", "text", "date", "boolean"]


@dataclass(frozen=True, slots=True)
class Coded:
    """Text values as codes into a vocabulary; '' stands for unknown."""

    codes: np.ndarray
    vocabulary: Sequence[str]


class Sized(Protocol):
    """Rows of something, in columns."""

    def __len__(self) -> int:
        """Return the number of rows."""


Rows = TypeVar("Rows", bound=Sized)


@dataclass(frozen=True, slots=True)
class Column(Generic[Rows]):
    """One column: name, kind, one line of documentation, and its values for some rows.

    `values` gives floats with NaN for unknown, or Coded text.
    """

    name: str
    kind: Kind
    doc: str
    values: Callable[[Rows], np.ndarray | Coded]

    def python(self, rows: Rows) -> list[object]:
        """Return the values as Python objects, None where unknown."""
        values = self.values(rows)
        if isinstance(values, Coded):
            vocabulary, unknown = values.vocabulary, "" if self.name == "flags" else None
            return [vocabulary[code] or unknown for code in values.codes.tolist()]
        if self.kind == "boolean":
            return [None if v < NOT_TIED else v == TIED for v in values.tolist()]
        numbers: list[object] = values.tolist()
        if values.dtype.kind == "i":
            return numbers
        unknown = np.isnan(values)
        if self.kind != "whole" and not unknown.any():
            return numbers
        number = int if self.kind == "whole" else float
        return [None if u else number(v) for v, u in zip(values.tolist(), unknown.tolist(), strict=True)]

    def order(self, rows: Rows, descending: bool) -> np.ndarray:
        """Return the positions of the rows sorted by this column, unknown last in both directions.

        Equal values stay in the order they have, which is by cost.
        """
        values = self.values(rows)
        if isinstance(values, Coded):
            ranks = {text: i for i, text in enumerate(sorted(set(values.vocabulary)))}
            place = np.array([ranks[text] if text else np.nan for text in values.vocabulary], float)
            keys = place[values.codes]
        elif self.kind == "boolean":
            keys = np.where(values < NOT_TIED, np.nan, values)
        else:
            keys = values.astype(float)
        # NumPy sorts NaN last; unknown stays last when the others are turned round.
        return np.argsort(-keys if descending else keys, kind="stable")


def _offer(name: str) -> Callable[[Estimates], Coded]:
    def values(e: Estimates) -> Coded:
        words = e.columns.words[name]
        return Coded(words.codes[e.pairs.offer], words.vocabulary)

    return values


def _measured(get: Callable[[Measurement], str | None]) -> Callable[[Estimates], Coded]:
    def values(e: Estimates) -> Coded:
        return Coded(e.pairs.measurement, [get(m) or "" for m in e.question.measurements])

    return values


def _number(get: Callable[[Measurement], float | None]) -> Callable[[Estimates], np.ndarray]:
    def values(e: Estimates) -> np.ndarray:
        each = np.array([np.nan if (v := get(m)) is None else v for m in e.question.measurements], float)
        found: np.ndarray = each[e.pairs.measurement]
        return found

    return values


def _constant(get: Callable[[Estimates], str]) -> Callable[[Estimates], Coded]:
    return lambda e: Coded(np.zeros(len(e), np.int64), [get(e)])


@cache
def _day(ordinal: int) -> str:
    return "" if ordinal == UNDATED else date.fromordinal(ordinal).isoformat()


def days_as_text(days: np.ndarray) -> Coded:
    """Return the dates of ordinals, '' for none."""
    if len(days) < FEW:
        return Coded(np.arange(len(days)), list(map(_day, days.tolist())))
    different, codes = np.unique(days, return_inverse=True)
    return Coded(codes, list(map(_day, different.tolist())))


def _observed_on(e: Estimates) -> Coded:
    return days_as_text(e.columns.observed[e.pairs.offer])


def _idle(e: Estimates) -> np.ndarray:
    needed = np.array([m.accelerator_count or 0 for m in e.question.measurements])
    result: np.ndarray = e.columns.count[e.pairs.offer] - e.pairs.replicas * needed[e.pairs.measurement]
    return result


def _term(e: Estimates) -> np.ndarray:
    term = e.columns.term[e.pairs.offer]
    return np.where(term == NO_TERM, np.nan, term)


def _per_accelerator(e: Estimates) -> np.ndarray:
    count = e.columns.count[e.pairs.offer]
    return e.price / np.where(count == 0, np.nan, count)


_NO_CURRENCY = ExchangeRate("", float("nan"), None, "")


def _rate(e: Estimates) -> ExchangeRate:
    return e.question.currency or _NO_CURRENCY


def _list_price(e: Estimates) -> np.ndarray:
    listed = e.market.list_price
    if listed is None:
        return np.full(len(e), np.nan)
    before: np.ndarray = listed[e.pairs.offer]
    return np.where(before == e.price, np.nan, before)


COLUMNS: tuple[Column[Estimates], ...] = (
    Column("rank", "whole", "Place by cost from 1, whatever the sort.", lambda e: e.rank),
    Column("provider", "text", "Seller, in lower case.", _offer("provider")),
    Column("instance_type", "text", "The seller's name of the instance.", _offer("instance_type")),
    Column(
        "region", "text", "Region as the seller names it; global where one price holds everywhere.", _offer("region")
    ),
    Column("purchase", "text", "on_demand, spot, reserved, savings_plan, capacity_block or owned.", _offer("purchase")),
    Column("term_months", "whole", "Months of commitment.", _term),
    Column("accelerator", "text", "Canonical name of the chip or GPU.", _offer("accelerator")),
    Column("accelerator_vendor", "text", "Maker of the accelerator.", _offer("accelerator_vendor")),
    Column("accelerator_count", "whole", "Accelerators in the instance.", lambda e: e.columns.count[e.pairs.offer]),
    Column("measurement", "text", "Label of the measurement.", _measured(lambda m: m.label)),
    Column("replicas", "whole", "Copies of the measured set-up that the instance holds.", lambda e: e.pairs.replicas),
    Column("idle_accelerators", "whole", "Accelerators left over: paid for and idle.", _idle),
    Column("price_usd_per_hour", "number", "USD per hour of the whole instance.", lambda e: e.price),
    Column(
        "rate_per_second",
        "number",
        "Units per second that count: replicas × rate × success, before utilization.",
        lambda e: e.rate,
    ),
    Column("utilization", "number", "Share of paid time whose work counts, at that rate.", lambda e: e.utilization),
    Column("cost_usd", "number", "USD per quoted unit; see cost_unit.", lambda e: e.cost),
    Column("cost_low_usd", "number", "Cost at the upper bound of the rate.", lambda e: e.cost_low),
    Column("cost_high_usd", "number", "Cost at the lower bound of the rate.", lambda e: e.cost_high),
    Column(
        "cost_unit", "text", "What the cost is quoted for.", _constant(lambda e: str.__str__(e.question.unit.cost_unit))
    ),
    Column(
        "units_per_usd",
        "number",
        "Single units (tokens, audio-hours, requests) for one USD.",
        lambda e: e.units_per_usd,
    ),
    Column("ratio_to_baseline", "number", "Cost divided by the baseline's cost.", lambda e: e.ratio_to_baseline),
    Column(
        "rate_to_tie_per_second",
        "number",
        "Rate at which this offer would cost what the baseline does.",
        lambda e: e.rate_to_tie,
    ),
    Column(
        "price_to_tie_usd_per_hour",
        "number",
        "Price at which this offer would cost what the baseline does.",
        lambda e: e.price_to_tie,
    ),
    Column(
        "tied",
        "boolean",
        "Whether the cost can't be told from the cheapest's; unknown without ranges.",
        lambda e: e.tied,
    ),
    Column("price_evidence", "text", "list, survey, quote or third_party.", _offer("evidence")),
    Column("price_observed_on", "date", "Date on which the price was seen.", _observed_on),
    Column("price_age_days", "whole", "Days from that date to as_of.", lambda e: e.age_days),
    Column("price_source", "text", "Where the price was seen.", _offer("source")),
    Column("measurement_evidence", "text", "measured, published, claimed or assumed.", _measured(lambda m: m.evidence)),
    Column("measurement_source", "text", "Who measured it.", _measured(lambda m: m.source)),
    Column("stack", "text", "Software that was measured.", _measured(lambda m: m.stack)),
    Column("model", "text", "Model that was measured.", _measured(lambda m: m.model)),
    Column(
        "flags",
        "text",
        "What to know before relying on it, separated by |; empty for none.",
        lambda e: Coded(*flags(e)),
    ),
    Column("price_usd_per_accelerator_hour", "number", "USD per hour, divided by the accelerators.", _per_accelerator),
    Column("notes", "text", "Notes of the price.", _offer("notes")),
    Column("plan", "text", "Plan of a commitment, such as no_upfront.", _offer("plan")),
    Column("list_price_usd_per_hour", "number", "Price before your discount; unknown without one.", _list_price),
    Column("currency", "text", "Currency of the next four columns.", _constant(lambda e: _rate(e).currency)),
    Column("units_of_currency_per_usd", "number", "Exchange rate.", lambda e: np.full(len(e), _rate(e).per_usd)),
    Column("exchange_rate_on", "date", "Date of that rate.", _constant(lambda e: str(_rate(e).on or ""))),
    Column("cost_in_currency", "number", "Cost in that currency.", lambda e: e.cost * _rate(e).per_usd),
    Column("price_in_currency_per_hour", "number", "Price in that currency.", lambda e: e.price * _rate(e).per_usd),
    Column(
        "reference_point",
        "text",
        "Load and latency at which the rate holds, as far as they are known.",
        _measured(lambda m: m.reference_point),
    ),
    Column(
        "input_cost_usd",
        "number",
        "USD per 1M input tokens if the whole machine is charged to these; not to be added up.",
        lambda e: e.token_costs.input_alone,
    ),
    Column(
        "output_cost_usd",
        "number",
        "USD per 1M output tokens if the whole machine is charged to these; not to be added up.",
        lambda e: e.token_costs.output_alone,
    ),
    Column(
        "blended_cost_usd",
        "number",
        "USD per 1M tokens of the measured mix of input and output.",
        lambda e: e.token_costs.blended,
    ),
    Column(
        "input_cost_split_usd",
        "number",
        "USD per 1M input tokens where output_price_ratio splits the cost of both.",
        lambda e: e.token_costs.input_split,
    ),
    Column(
        "output_cost_split_usd",
        "number",
        "USD per 1M output tokens where output_price_ratio splits the cost of both.",
        lambda e: e.token_costs.output_split,
    ),
    Column(
        "comparable_group",
        "whole",
        "Estimates of one group can be compared with each other, those of two groups can't.",
        lambda e: e.group,
    ),
    Column(
        "differs_in",
        "text",
        "In what the measurement differs from the baseline's, separated by |.",
        lambda e: Coded(e.pairs.measurement, e.differs_in),
    ),
    Column("precision", "text", "Number format that was measured.", _measured(lambda m: m.precision)),
    Column("input_tokens", "number", "Mean input length that was measured.", _number(lambda m: m.input_tokens)),
    Column("output_tokens", "number", "Mean output length that was measured.", _number(lambda m: m.output_tokens)),
    Column("success_rate", "number", "Share of requests that succeeded.", _number(lambda m: m.success_rate)),
    Column("measured_on", "text", "Date or place of the measurement.", _measured(lambda m: m.measured_on)),
)

COLUMN_NAMES = tuple(column.name for column in COLUMNS)


def picked(names: Sequence[str], otherwise: Sequence[str] = COLUMN_NAMES) -> tuple[Column[Estimates], ...]:
    """Return the columns of these names in their order, or those of `otherwise` where there are none."""
    by_name = dict(zip(COLUMN_NAMES, COLUMNS, strict=True))
    return tuple(by_name[name] for name in names or otherwise)


# Columns that depend on the offer alone, whatever the question.
_OF_OFFER = (
    "provider", "instance_type", "region", "purchase", "term_months", "accelerator", "accelerator_vendor",
    "accelerator_count", "price_usd_per_hour", "price_evidence", "price_observed_on", "price_age_days", "price_source",
    "price_usd_per_accelerator_hour", "notes", "plan", "list_price_usd_per_hour",
)  # fmt: skip
OFFER_COLUMNS = tuple(column for column in COLUMNS if column.name in _OF_OFFER)
QUESTION_COLUMNS = tuple(column for column in COLUMNS if column.name not in _OF_OFFER)
_MOST_KEPT = 10_000


def estimate_rows(estimates: Estimates) -> list[dict[str, object]]:
    """Return estimates as one mapping each, in the order of the columns, None for unknown.

    What depends on the offer alone is kept with the market, since it is asked for again and again.
    """
    kept, offers = estimates.market.rows, estimates.pairs.offer.tolist()
    if len(kept) > _MOST_KEPT:
        kept.clear()
    if any(offer not in kept for offer in offers):
        names = [column.name for column in OFFER_COLUMNS]
        blank = dict.fromkeys(column.name for column in COLUMNS)
        values = zip(*(column.python(estimates) for column in OFFER_COLUMNS), strict=True)
        kept.update(
            (offer, blank | dict(zip(names, row, strict=True))) for offer, row in zip(offers, values, strict=True)
        )
    names = [column.name for column in QUESTION_COLUMNS]
    rows = []
    for offer, row in zip(offers, zip(*(c.python(estimates) for c in QUESTION_COLUMNS), strict=True), strict=True):
        whole = kept[offer].copy()
        whole.update(zip(names, row, strict=True))
        rows.append(whole)
    return rows


def find_column(sort: str, columns: Sequence[Column[Rows]]) -> tuple[Column[Rows], bool]:
    """Read a sort order: a column's name, '-' before it for descending."""
    name = sort.removeprefix("-")
    for column in columns:
        if column.name == name:
            return column, sort.startswith("-")
    raise InvalidInputError.at(
        ("sort",),
        say("{sort} is not a column to sort by.", sort=shown(sort)) + near_matches(name, [c.name for c in columns]),
    )
