"""How the page shows an answer: which columns, per what, which rows side by side.

None of it is part of the question: the figures stay the same, so JSON and CSV read past it. It is
kept in the link of the page all the same, so that a shared link shows what its sender saw.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.languages import gettext
from pricing.columns import COLUMN_NAMES, COLUMNS
from pricing.conditions import SIGNS, read_conditions, rescaled, split_condition
from pricing.errors import Fault, InvalidInputError, near_matches, shown
from pricing.numbers import read_whole_number
from pricing.units import HOURS_PER_MONTH, UNITS, Scale, Unit, scales
from pricing.wording import say

Pairs = Sequence[tuple[str, str]]
MOST_SIDES = 6
FILTER = "where."
_PRICES = ("price_usd_per_hour", "price_to_tie_usd_per_hour")
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


@dataclass(frozen=True)
class View:
    """How an answer is shown. `per` is a scale's name, `price_per` month or nothing (an hour)."""

    explain: int = 0
    sides: tuple[str, ...] = ()
    per: str = ""
    price_per: str = ""
    # What stands in the headings' filters: column and condition without its name.
    filters: tuple[tuple[str, str], ...] = ()
    unit: Unit = UNITS["output_token"]
    problems: tuple[Fault, ...] = ()

    def refuse_problems(self) -> None:
        """Raise InvalidInputError where a heading's filter could not be read."""
        if self.problems:
            raise InvalidInputError(self.problems)

    @cached_property
    def scale(self) -> Scale:
        """How costs are said; a scale that the unit lacks is the usual one."""
        found = {scale.name: scale for scale in scales(self.unit)}
        return found.get(self.per, found[""])

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What a link to the page has besides the question."""
        kept = [("side", key) for key in self.sides]
        return kept + [(name, value) for name, value in (("per", self.per), ("price_per", self.price_per)) if value]

    @property
    def cost_unit(self) -> str:
        """The unit of a cost as it is shown, in the reader's language."""
        return gettext(self.scale.label)

    @property
    def drawn(self) -> Scale:
        """The scale of charts: what one USD buys is drawn as its cost."""
        return scales(self.unit)[0] if self.scale.inverse else self.scale

    def column(self, name: str) -> str:
        """The column that a heading shows, by which it filters."""
        return "units_per_usd" if name == "cost_usd" and self.scale.inverse else name

    def factor(self, name: str) -> float:
        """What a number of this column is multiplied by to be shown."""
        if name == "cost_usd" and not self.scale.inverse:
            return self.scale.factor
        return HOURS_PER_MONTH if self.price_per and name in _PRICES else 1.0

    def price(self, usd_per_hour: float | None) -> float | None:
        """Return a price per hour as it is shown."""
        return None if usd_per_hour is None else usd_per_hour * self.factor("price_usd_per_hour")

    @property
    def price_unit(self) -> str:
        """The unit of a price as it is shown."""
        return gettext("USD per month (730 hours)") if self.price_per else gettext("USD per hour")


def read_view(pairs: Pairs) -> tuple[View, list[tuple[str, str]]]:
    """Take out what says how the page shows an answer; filters of headings become conditions of the question.

    A filter that can't be read is left out and named in `problems`. InvalidInputError names the field
    of anything else that can't be right.
    """
    view, rest = _ways_to_show(pairs), []
    for name, value in pairs:
        text = value.strip()
        if name.startswith(FILTER):
            if text:
                column = name.removeprefix(FILTER)
                view = replace(view, filters=(*view.filters, (column, text)))
                try:
                    rest.append(("where", _condition(column, text, view)))
                except InvalidInputError as error:
                    # Half of a filter is not a mistake yet: the page shows the answer without it, and says so.
                    view = replace(view, problems=(*view.problems, *error.faults))
        elif name == "explain":
            view = replace(view, explain=_rank(text) if text else 0)
        elif name == "side":
            if text and text not in view.sides:
                view = replace(view, sides=(*view.sides, text)[:MOST_SIDES])
        elif name not in _WAYS:
            rest.append((name, value))
    return view, rest


# What may be said of each; the usual ones need not stand in a link.
_WAYS = {"per": ("1M", "1K", "hour", "minute", "usd"), "price_per": ("hour", "month")}
_USUAL_WAYS = ("1M", "hour")


def _ways_to_show(pairs: Pairs) -> View:
    """Read first in what costs and prices are shown: filters are typed in that."""
    found = {"per": "", "price_per": ""}
    for name, value in pairs:
        text = value.strip()
        if name in _WAYS:
            if text and text not in _WAYS[name]:
                raise InvalidInputError.at(
                    (name,), say("{text} is none of {known}", text=shown(text), known=", ".join(_WAYS[name]))
                )
            found[name] = "" if text in _USUAL_WAYS else text
    unit = UNITS.get(dict(pairs).get("unit", "").strip(), UNITS["output_token"])
    return View(per=found["per"], price_per=found["price_per"], unit=unit)


def _rank(text: str) -> int:
    try:
        return read_whole_number(text, least=1, most=10**7)
    except ValueError as error:
        raise InvalidInputError.at(("explain",), str(error)) from error


def _condition(column: str, text: str, view: View) -> str:
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
        text = rescaled(text, 1 / view.factor(column))
    column = view.column(column)
    signed = SIGNS.match(text) is not None
    condition = f"{column}{text}" if signed else f"{column}{'~' if kind == 'text' else '='}{text}"
    try:
        read_conditions([condition], COLUMNS)
    except InvalidInputError as error:
        raise InvalidInputError.at(loc, error.faults[0].msg) from error
    return condition


def in_headings(
    where: Iterable[str], shown_filters: Iterable[str], view: View
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Split conditions: one for each filter of the headings, as it is typed there, and the others.

    Numbers are written in the unit that the heading shows.
    """
    free, filters, others = set(shown_filters), [], []
    for text in where:
        name, sign, value = split_condition(text) or ("", "", "")
        if name not in free:
            others.append(text)
            continue
        free.discard(name)
        plain = sign == ("~" if _KINDS[name] == "text" else "=") and not SIGNS.match(value)
        filters.append((name, rescaled(value if plain else sign + value, view.factor(name))))
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
