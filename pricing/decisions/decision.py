"""What a decision is: its inputs, the figures and tables of its answer, and the function between them.

One `Decision` feeds the page, the JSON, the CSV, the POST route, the command and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pricing.accelerators import Catalogue
from pricing.compare import Answer, Prices, compare, prices_of
from pricing.decisions.inputs import InputsIn
from pricing.market import Market
from pricing.question import Question, Warned
from pricing.units import Unit
from pricing.wording import Sentence, say

Kind = Literal["number", "usd", "share", "whole", "text", "date", "boolean"]
Value = str | float | int | bool | None
# The parameters of a comparison that decisions take as well: what is counted, and which prices count.
PRICE_PARAMETERS = (
    "provider", "region", "area", "purchase", "term_months", "accelerator", "vendor", "quote", "owned", "discount",
    "spot_loss", "max_age_days", "include_unconfirmed", "as_of", "table",
)  # fmt: skip
QUESTION_PARAMETERS = ("unit", "m", "utilization", "accept", *PRICE_PARAMETERS)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of an answer, or one column of a table.

    `unit` is shown beside it; {cost_unit}, {rate_unit} and {single} stand for those of the question.
    """

    name: str
    label: str
    unit: str
    doc: str
    kind: Kind = "number"

    def shown_unit(self, unit: Unit) -> Sentence:
        """Return the unit's text for a question."""
        return say(self.unit, cost_unit=unit.cost_unit, rate_unit=unit.rate_unit, single=unit.single_noun)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an answer."""

    name: str
    title: str
    columns: tuple[Figure, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of lines from zero: what it shows, what its axes count, and points joined in order."""

    title: str
    across: str
    up: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class PriceUsed:
    """A price that an answer rests on: whose, USD per hour, when it was seen, how it is known, where."""

    name: str
    price_usd_per_hour: float
    observed_on: str | None
    age_days: int | None
    evidence: str
    source: str | None
    stale: bool


@dataclass(frozen=True)
class Result:
    """The answer of a decision: a verdict, sentences, figures by name, rows by table, warnings, a chart.

    `prices` are those that its sentences and figures rest on.
    """

    verdict: str | None
    sentences: tuple[str, ...]
    values: Mapping[str, Value]
    rows: Mapping[str, Sequence[Sequence[Value]]] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    chart: Lines | None = None
    prices: tuple[PriceUsed, ...] = ()


@dataclass(frozen=True)
class Case:
    """One asking of a decision: its own inputs and the question of measurements and prices beside them."""

    inputs: Any
    question: Question
    catalogue: Catalogue

    @cached_property
    def market(self) -> Market:
        """The prices that count."""
        question = self.question
        return question.table.market(
            question.as_of,
            include_unconfirmed=question.include_unconfirmed,
            discounts=question.discounts,
            spot_loss=question.spot_loss,
        )

    @cached_property
    def answer(self) -> Answer:
        """The comparison of the measurements over all offers that pass the filters."""
        return compare(self.question, self.catalogue, all_rows=True)

    @property
    def blocked(self) -> bool:
        """Whether the measurements differ in something that makes a comparison of them meaningless."""
        return bool(self.question.measurements) and self.answer.blocked

    @property
    def comparison_warnings(self) -> tuple[Warned, ...]:
        """The blocking warnings of the comparison."""
        return tuple(w for w in self.answer.warnings if w.blocking) if self.question.measurements else ()


@dataclass(frozen=True)
class Decision:
    """A decision that users ask for by name: /NAME, /NAME.json, /NAME.csv, /api/v1/NAME, `perdollar NAME`.

    `measurements` are the fewest and the most it takes, `roles` what the form calls them; `takes` are
    the parameters of a comparison that it takes besides its own `inputs`; `verdicts` the closed list
    of verdicts with their meaning; `example` the pairs of a worked example; `main` the table that is its
    CSV (its figures are where that is blank; each table has a CSV of its own at /NAME/TABLE.csv);
    `unit` what is counted where the question does not say; `chart` what its lines show, blank where it draws
    none.
    """

    name: str
    title: str
    intro: str
    inputs: type[InputsIn]
    solve: Callable[[Case], Result]
    figures: tuple[Figure, ...]
    example: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...] = ()
    main: str = ""
    unit: str | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)
    measurements: tuple[int, int] = (1, 200)
    roles: tuple[str, ...] = ()
    takes: tuple[str, ...] = QUESTION_PARAMETERS
    chart: str = ""


@dataclass(frozen=True)
class Solved:
    """A decision's answer with what was asked."""

    decision: Decision
    case: Case
    result: Result
    pairs: tuple[tuple[str, str], ...]

    @property
    def prices(self) -> Prices:
        """The price rows behind the answer."""
        return prices_of(self.case.market)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Everything to know: of the question, of the comparison, and of the decision."""
        own = (*self.case.question.warnings, *self.result.warnings)
        return tuple(dict.fromkeys(own))
