"""How the page shows an answer: which columns, per what, which rows side by side.

None of it is part of the question: the figures stay the same, so JSON and CSV read past it. It is
kept in the link of the page all the same, so that a shared link shows what its sender saw.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.languages import gettext
from pricing.columns import COLUMN_NAMES, COLUMNS
from pricing.conditions import read_conditions, split_condition
from pricing.errors import Fault, InvalidInputError, near_matches, shown
from pricing.numbers import read_scaled_number, read_whole_number
from pricing.units import HOURS_PER_MONTH, UNITS, Unit
from pricing.wording import say

Pairs = Sequence[tuple[str, str]]
MOST_SIDES = 6
FILTER = "where."
_SIGNS = re.compile(r"\s*(<=|>=|!=|=|<|>|~)")
_KINDS = {column.name: column.kind for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of the page's table: it is named after the first of the columns that it shows.

    `filters` are those that can be filtered by in the heading; a sort by it begins with `first` (- or nothing).
    """

    name: str
    label: str
    folds: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    number: bool = False
    first: str = ""


_OFFER = ("instance_type", "region", "purchase", "term_months", "plan")
_PRICE = ("price_usd_per_accelerator_hour",)
_SEEN = ("price_age_days", "price_evidence", "price_source", "notes")
HEADINGS = (
    Heading("rank", "Rank", number=True),
    Heading("provider", "Offer", _OFFER, ("provider", "instance_type", "region")),
    Heading("cost_usd", "Cost", ("cost_low_usd", "cost_high_usd", "tied"), ("cost_usd",), number=True),
    Heading("price_usd_per_hour", "Price", _PRICE, ("price_usd_per_hour",), number=True),
    Heading("accelerator_count", "Accelerators", ("accelerator",), ("accelerator_count", "accelerator")),
    Heading("measurement", "Measurement", ("replicas", "idle_accelerators"), ("measurement",)),
    Heading("rate_per_second", "Rate", (), ("rate_per_second",), number=True, first="-"),
    Heading("ratio_to_baseline", "Ratio", (), ("ratio_to_baseline",), number=True),
    Heading("rate_to_tie_per_second", "Rate to tie", (), ("rate_to_tie_per_second",), number=True),
    Heading("price_to_tie_usd_per_hour", "Price to tie", (), ("price_to_tie_usd_per_hour",), number=True, first="-"),
    Heading("units_per_usd", "Per USD", (), ("units_per_usd",), number=True, first="-"),
    Heading("price_observed_on", "Price seen", _SEEN, ("price_age_days",), first="-"),
    Heading("flags", "To know", (), ("flags",)),
)
USUAL = tuple(heading.name for heading in HEADINGS)
_FOLDED = {name: heading.name for heading in HEADINGS for name in (heading.name, *heading.folds)}
# The rest can be asked for; what is said of all rows alike stands above the table.
OTHERS = tuple(name for name in COLUMN_NAMES if name not in _FOLDED and name != "cost_unit")


@dataclass(frozen=True, slots=True)
class Scale:
    """A cost per another quantity, or how much one USD buys."""

    name: str
    label: str
    factor: float = 1.0
    inverse: bool = False


# Per 1M and per 1K tokens or requests, per hour and per minute of audio; and how much one USD buys.
_BY_SIZE = {1e6: ("1K", "1M", "1K", 1e-3), 3600.0: ("minute", "audio-hour", "audio-minute", 1 / 60)}


def scales(unit: Unit) -> tuple[Scale, ...]:
    """Return the ways to show a cost of this unit, the usual one first."""
    name, usual, other, factor = _BY_SIZE[unit.quoted]
    return (
        Scale("", unit.cost_unit),
        Scale(name, unit.cost_unit.replace(usual, other), factor),
        Scale("usd", f"{unit.single_noun} per USD", unit.quoted / unit.single, inverse=True),
    )


@dataclass(frozen=True)
class View:
    """How an answer is shown. `per` is a scale's name, `price_per` month or nothing (an hour)."""

    explain: int = 0
    sides: tuple[str, ...] = ()
    per: str = ""
    price_per: str = ""
    # What stands in the headings' filters: column and condition without its name.
    filters: tuple[tuple[str, str], ...] = ()
    scale: Scale = Scale("", "")
    problems: tuple[Fault, ...] = ()

    def refuse_problems(self) -> None:
        """Raise InvalidInputError where a heading's filter could not be read."""
        if self.problems:
            raise InvalidInputError(self.problems)

    def of(self, unit: Unit) -> View:
        """Return the view of an answer in this unit; a scale that the unit lacks is the usual one."""
        found = {scale.name: scale for scale in scales(unit)}
        return replace(self, scale=found.get(self.per, found[""]))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What a link to the page has besides the question."""
        kept = [("side", key) for key in self.sides]
        return kept + [(name, value) for name, value in (("per", self.per), ("price_per", self.price_per)) if value]

    def cost(self, usd: float | None) -> float | None:
        """Return a cost in USD per quoted unit as it is shown."""
        if usd is None or not self.scale.inverse:
            return None if usd is None else usd * self.scale.factor
        return self.scale.factor / usd if usd else None

    def bounds(self, low: float | None, high: float | None) -> tuple[float | None, float | None]:
        """Return the bounds of a cost as they are shown; what one USD buys is least where the cost is highest."""
        shown_bounds = self.cost(low), self.cost(high)
        return shown_bounds[::-1] if self.scale.inverse else shown_bounds

    @property
    def cost_unit(self) -> str:
        """The unit of a cost as it is shown, in the reader's language."""
        return gettext(self.scale.label)

    def chart_cost(self, usd: float | None) -> float | None:
        """Return a cost as charts show it: per the same quantity; what one USD buys is drawn as its cost."""
        return usd if usd is None or self.scale.inverse else usd * self.scale.factor

    def ticks(self, placed: Iterable[tuple[float, float]]) -> list[tuple[float | None, float]]:
        """Return the ticks of an axis of costs, which stay where they are."""
        return [(self.chart_cost(value), at) for value, at in placed]

    def chart_unit(self, unit: Unit) -> str:
        """The unit of costs in charts."""
        return gettext(unit.cost_unit) if self.scale.inverse else self.cost_unit

    def price(self, usd_per_hour: float | None) -> float | None:
        """Return a price per hour as it is shown."""
        if usd_per_hour is None or not self.price_per:
            return usd_per_hour
        return usd_per_hour * HOURS_PER_MONTH

    @property
    def price_unit(self) -> str:
        """The unit of a price as it is shown."""
        return gettext("USD per month (730 hours)") if self.price_per else gettext("USD per hour")


def read_view(pairs: Pairs) -> tuple[View, list[tuple[str, str]]]:
    """Take out what says how the page shows an answer; filters of headings become conditions of the question.

    A filter that can't be read is left out and named in `problems`. InvalidInputError names the field
    of anything else that can't be right.
    """
    view, rest = View(), []
    shown_in = _shown_in(pairs)
    for name, value in pairs:
        text = value.strip()
        if name.startswith(FILTER):
            if text:
                column = name.removeprefix(FILTER)
                view = replace(view, filters=(*view.filters, (column, text)))
                try:
                    rest.append(("where", _condition(column, text, shown_in)))
                except InvalidInputError as error:
                    # Half of a filter is not a mistake yet: the page shows the answer without it, and says so.
                    view = replace(view, problems=(*view.problems, *error.faults))
        elif name == "explain":
            view = replace(view, explain=_rank(text) if text else 0)
        elif name == "side":
            if text and text not in view.sides:
                view = replace(view, sides=(*view.sides, text)[:MOST_SIDES])
        elif name == "per":
            view = replace(view, per=_one_of(name, text, ("", "1M", "1K", "hour", "minute", "usd")))
        elif name == "price_per":
            view = replace(view, price_per=_one_of(name, text, ("", "hour", "month")))
        else:
            rest.append((name, value))
    if view.per in ("1M", "hour"):
        view = replace(view, per="")
    if view.price_per == "hour":
        view = replace(view, price_per="")
    return view, rest


def _rank(text: str) -> int:
    try:
        return read_whole_number(text, least=1, most=10**7)
    except ValueError as error:
        raise InvalidInputError.at(("explain",), str(error)) from error


def _one_of(name: str, text: str, known: Sequence[str]) -> str:
    if text in known:
        return text
    raise InvalidInputError.at((name,), say("{text} is none of {known}", text=shown(text), known=", ".join(known[1:])))


@dataclass(frozen=True, slots=True)
class _ShownIn:
    """In what costs and prices are shown, and so filtered by: a scale of the unit, and hours in a price's period."""

    scale: Scale
    hours: float

    def column(self, name: str) -> str:
        """The column that a heading shows."""
        return "units_per_usd" if name == "cost_usd" and self.scale.inverse else name

    def factor(self, name: str) -> float:
        """What a number of this column is multiplied by to be shown."""
        if name == "cost_usd" and not self.scale.inverse:
            return self.scale.factor
        return self.hours if name in ("price_usd_per_hour", "price_to_tie_usd_per_hour") else 1.0


def _shown_in(pairs: Pairs) -> _ShownIn:
    last = dict(pairs)
    unit = UNITS.get(last.get("unit", "").strip()) or UNITS["output_token"]
    found = {scale.name: scale for scale in scales(unit)}
    hours = HOURS_PER_MONTH if last.get("price_per", "").strip() == "month" else 1.0
    return _ShownIn(found.get(last.get("per", "").strip(), found[""]), hours)


def _times(text: str, factor: float) -> str:
    """Multiply the numbers of a condition without its column, such as >=4 or 2..4."""
    if factor == 1:
        return text
    signed = _SIGNS.match(text)
    sign = signed[0] if signed else ""
    parts = [part and f"{read_scaled_number(part) * factor:.12g}" for part in text[len(sign) :].split("..")]
    return sign + "..".join(parts)


def _condition(column: str, text: str, shown_in: _ShownIn) -> str:
    """Write what stands in a heading's filter as a condition: europe, >=4, 2..4, !=aws.

    Numbers are in the unit that the heading shows.
    """
    loc = (f"{FILTER}{column}",)
    kind = _KINDS.get(column)
    if kind is None:
        raise InvalidInputError.at(
            loc, say("{name} is not a column.{hint}", name=shown(column), hint=near_matches(column, _KINDS))
        )
    with contextlib.suppress(ValueError):
        # What is no number is refused below.
        text = _times(text, 1 / shown_in.factor(column))
    column = shown_in.column(column)
    signed = _SIGNS.match(text) is not None
    condition = f"{column}{text}" if signed else f"{column}{'~' if kind == 'text' else '='}{text}"
    try:
        read_conditions([condition], COLUMNS)
    except InvalidInputError as error:
        raise InvalidInputError.at(loc, error.faults[0].msg) from error
    return condition


def in_headings(
    where: Iterable[str], shown_filters: Iterable[str], pairs: Pairs = ()
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Split conditions: one for each filter of the headings, as it is typed there, and the others.

    `pairs` say in what costs and prices are shown.
    """
    shown_in = _shown_in(pairs)
    free, filters, others = set(shown_filters), [], []
    for text in where:
        name, sign, value = split_condition(text) or ("", "", "")
        if name not in free:
            others.append(text)
            continue
        free.discard(name)
        plain = sign == ("~" if _KINDS[name] == "text" else "=") and not _SIGNS.match(value)
        filters.append((name, _times(value if plain else sign + value, shown_in.factor(name))))
    return tuple(filters), others


def shown_headings(columns: Sequence[str]) -> tuple[Heading, ...]:
    """Return the headings of the table that these columns ask for, in the usual order; the usual ones for none.

    A column that is folded into another is shown with that one; the others come after, in the order asked for.
    """
    if not columns:
        return HEADINGS
    asked = {_FOLDED.get(name, name) for name in columns}
    usual = tuple(heading for heading in HEADINGS if heading.name in asked)
    docs = {column.name: column for column in COLUMNS}
    more = dict.fromkeys(name for name in columns if name in OTHERS)
    return usual + tuple(
        Heading(name, name, (), (name,), number=docs[name].kind in ("number", "whole")) for name in more
    )


def plain_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are not the usual ones of the page: those alone need to stand in a link."""
    return () if tuple(columns) == USUAL else tuple(columns)


def exported(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of an export of what the page shows: those folded into a shown one too."""
    if not columns:
        return ()
    wanted = [name for heading in shown_headings(columns) for name in (heading.name, *heading.folds)]
    return tuple(dict.fromkeys(wanted))
