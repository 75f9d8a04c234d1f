"""Chosen rows of an answer beside each other: the same facts line by line, and which of them differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import format as text
from app.exports import page_rows
from app.languages import gettext as _
from app.languages import ngettext
from app.view import View
from pricing.columns import COLUMNS
from pricing.compare import Answer
from pricing.estimates import Estimates, Pairs
from pricing.matching import ranked
from pricing.wording import UNKNOWN

_SIGN = "|"
# What makes an estimate one of its kind, with the measurement's place before it.
_KEY = ("provider", "instance_type", "accelerator_count", "region", "purchase", "term_months", "plan")


@dataclass(frozen=True, slots=True)
class Side:
    """One chosen row with its key; `row` is None where the answer has it no longer.

    `ratio` and `rank` are None where it can't be compared.
    `ratio` is its cost divided by that of the first.
    """

    key: str
    row: Any
    ratio: float | None
    rank: int | None
    memory_gib: float | None


def row_key(place: int, row: Any) -> str:
    """Write what names a row of an answer, whatever its rank and the day: the measurement's place and the offer."""
    return _SIGN.join(
        [str(place), *("" if (value := getattr(row, name)) is None else str(value) for name in _KEY)],
    )


def keys(estimates: Estimates, rows: Sequence[Any], places: Sequence[int]) -> list[str]:
    """Return the keys of rows; `places` are those of the estimates' measurements in the whole question."""
    measured = estimates.pairs.measurement.tolist()
    return [row_key(places[i] + 1, row) for i, row in zip(measured, rows, strict=True)]


def sides(answer: Answer, chosen: Sequence[str]) -> list[Side]:
    """Return the chosen rows in their order; their ranks are those in the whole answer."""
    if not chosen:
        return []
    every = ranked(answer.found, answer.total, answer.figures)
    found: dict[str, tuple[Any, int]] = {}
    places = range(len(answer.question.measurements))
    for key in chosen:
        ranks = np.flatnonzero(_places(answer, every, key))
        if len(ranks):
            estimate = answer.figures(every.take(ranks), ranks + 1)
            rows = page_rows(estimate, COLUMNS)
            for row, name in zip(rows, keys(estimate, rows, places), strict=True):
                if name == key:
                    found[key] = row, answer.groups[int(estimate.pairs.measurement[0])]
    first = next((found[key] for key in chosen if key in found), None)
    return [_side(answer, key, found.get(key), first) for key in chosen]


def _places(answer: Answer, every: Pairs, key: str) -> np.ndarray:
    """Which pairs may have this key."""
    place, provider, instance_type, *_ = [*key.split(_SIGN), "", ""]
    words = answer.page.columns.words
    offers = words["provider"].mask([provider]) & words["instance_type"].mask([instance_type])
    wanted = int(place) - 1 if place.isascii() and place.isdigit() and len(place) < 4 else -1
    result: np.ndarray = offers[every.offer] & (every.measurement == wanted)
    return result


def _side(answer: Answer, key: str, found: tuple[Any, int] | None, first: tuple[Any, int] | None) -> Side:
    if found is None or first is None:
        return Side(key, None, None, None, None)
    row, group = found
    chip = answer.page.catalogue.accelerators.get(row.accelerator)
    ratio = row.cost_usd / first[0].cost_usd if group == first[1] else None
    # Ranks of groups that can't be compared are counted in each of them.
    rank = None if answer.blocked else row.rank
    return Side(key, row, ratio, rank, chip.memory_gib if chip else None)


@dataclass(frozen=True, slots=True)
class Line:
    """One fact of the chosen rows: of each a text and a smaller one, and whether these differ."""

    label: str
    unit: str
    cells: tuple[tuple[str, str], ...]
    number: bool
    differs: bool


def lines(found: Sequence[Side], view: View, rate_unit: str) -> list[Line]:
    """Return what the page says of chosen rows, in the reader's language."""
    rate_unit = _(rate_unit)
    made = [
        _line(_("Cost"), view.cost_unit, found, lambda side: _cost(side.row, view), number=True),
        _line(_("Cost, ratio to the first"), "", found, _ratio, number=True, compared=False),
        _line(
            _("Price"),
            view.price_unit,
            found,
            lambda side: text.price(view.price(side.row.price_usd_per_hour)),
            number=True,
        ),
        _line(
            _("Price of each accelerator"),
            view.price_unit,
            found,
            lambda side: text.price(view.price(side.row.price_usd_per_accelerator_hour)),
            number=True,
        ),
        _line(
            _("Accelerators"),
            "",
            found,
            lambda side: (
                f"{side.row.accelerator_count} × {side.row.accelerator}" if side.row.accelerator else _("none")
            ),
        ),
        _line(
            _("Accelerator memory"),
            "GiB",
            found,
            lambda side: text.figure(side.memory_gib and side.memory_gib * side.row.accelerator_count),
            number=True,
        ),
        _line(_("Region"), "", found, lambda side: side.row.region),
        _line(_("Purchase"), "", found, lambda side: _purchase(side.row)),
        _line(_("Measurement"), "", found, lambda side: side.row.measurement),
        _line(_("Model"), "", found, lambda side: side.row.model or _("not stated")),
        _line(_("Precision"), "", found, lambda side: side.row.precision or _("not stated")),
        _line(_("Software"), "", found, lambda side: side.row.stack or _("not stated")),
        _line(_("Evidence of the rate"), "", found, lambda side: text.words(side.row.measurement_evidence)),
        _line(
            _("Replicas"),
            "",
            found,
            lambda side: (
                str(side.row.replicas),
                _("%(idle)s idle") % {"idle": side.row.idle_accelerators} if side.row.idle_accelerators else "",
            ),
        ),
        _line(_("Rate"), rate_unit, found, lambda side: text.significant(side.row.rate_per_second), number=True),
        _line(
            _("Rate to tie"),
            rate_unit,
            found,
            lambda side: text.significant(side.row.rate_to_tie_per_second),
            number=True,
        ),
        _line(_("Price seen"), "", found, lambda side: _seen(side.row)),
        _line(_("Rank"), _("by cost"), found, lambda side: text.whole(side.rank), number=True, compared=False),
        _line(
            _("To know"),
            "",
            found,
            lambda side: ", ".join(map(text.words, filter(None, side.row.flags.split("|")))) or _("nothing"),
        ),
    ]
    return made


def _line(
    label: str, unit: str, found: Sequence[Side], write: Callable[[Side], str | tuple[str, str]],
    *, number: bool = False, compared: bool = True,
) -> Line:  # fmt: skip
    cells = []
    for side in found:
        said = write(side) if side.row is not None else UNKNOWN
        cells.append(said if isinstance(said, tuple) else (said, ""))
    differs = compared and len({cell for cell, side in zip(cells, found, strict=True) if side.row is not None}) > 1
    return Line(label, unit, tuple(cells), number, differs)


def _cost(row: Any, view: View) -> tuple[str, str]:
    return text.significant(view.cost(row.cost_usd)), text.range_text(*view.bounds(row.cost_low_usd, row.cost_high_usd))


def _ratio(side: Side) -> str:
    return _("can't be compared") if side.ratio is None else text.significant(side.ratio)


def _purchase(row: Any) -> tuple[str, str]:
    months = row.term_months
    term = ngettext("%(n)s month", "%(n)s months", months) % {"n": months} if months else ""
    return text.words(row.purchase), ", ".join(filter(None, (term, text.words(row.plan) if row.plan else "")))


def _seen(row: Any) -> tuple[str, str]:
    age = row.price_age_days
    days = ngettext("%(n)s day", "%(n)s days", age) % {"n": age} if age is not None else ""
    return f"{text.day(row.price_observed_on)}, {text.words(row.price_evidence)}", days
