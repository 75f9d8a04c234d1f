"""Chosen rows of an answer as the page says them: one fact a line, and whether it differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app import format as text
from app.exports import page_rows
from app.languages import gettext as _
from app.languages import ngettext
from app.view import View
from pricing.columns import COLUMNS
from pricing.selection import Selected
from pricing.units import Unit
from pricing.wording import UNKNOWN

# A text and a smaller one below it.
Cell = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One fact of the chosen rows: what is said of each, and whether these differ."""

    label: str
    unit: str
    cells: tuple[Cell, ...]
    number: bool
    differs: bool


def names(found: Sequence[Selected]) -> list[tuple[str, str, bool]]:
    """Return of each chosen row its key, its name, and whether the answer still has it."""
    rows = map(_row, found)
    return [
        (
            each.key,
            each.key.replace("|", " ") if row is None else f"{row.provider} {row.instance_type}",
            row is not None,
        )
        for each, row in zip(found, rows, strict=True)
    ]


def lines(found: Sequence[Selected], view: View, unit: Unit) -> list[Line]:
    """Return what the page says of chosen rows, in the reader's language."""
    rows = [(each, _row(each)) for each in found]

    def line(
        label: str, write: Callable[[Selected, Any], str | Cell], unit: str = "",
        *, number: bool = False, compared: bool = True,
    ) -> Line:  # fmt: skip
        written = [UNKNOWN if row is None else write(each, row) for each, row in rows]
        cells = tuple(said if isinstance(said, tuple) else (said, "") for said in written)
        known = {cell for cell, (_each, row) in zip(cells, rows, strict=True) if row is not None}
        return Line(label, unit, cells, number, compared and len(known) > 1)

    stated, rate_unit, price_unit = _("not stated"), _(unit.rate_unit), view.price_unit
    return [
        line(_("Cost"), lambda _s, row: _cost(row, view), view.cost_unit, number=True),
        line(_("Cost, ratio to the first"), lambda each, _r: _ratio(each), number=True, compared=False),
        line(_("Price"), lambda _s, row: text.price(view.price(row.price_usd_per_hour)), price_unit, number=True),
        line(
            _("Price of each accelerator"),
            lambda _s, row: text.price(view.price(row.price_usd_per_accelerator_hour)), price_unit, number=True,
        ),
        line(_("Accelerators"), lambda _s, row: _hardware(row)),
        line(_("Accelerator memory"), lambda each, _r: text.figure(each.memory_gib), "GiB", number=True),
        line(_("Region"), lambda _s, row: row.region),
        line(_("Purchase"), lambda _s, row: _purchase(row)),
        line(_("Measurement"), lambda _s, row: row.measurement),
        line(_("Model"), lambda _s, row: row.model or stated),
        line(_("Precision"), lambda _s, row: row.precision or stated),
        line(_("Software"), lambda _s, row: row.stack or stated),
        line(_("Evidence of the rate"), lambda _s, row: text.words(row.measurement_evidence)),
        line(_("Source of the rate"), lambda _s, row: row.measurement_source or stated),
        line(_("Replicas"), lambda _s, row: _replicas(row)),
        line(_("Rate"), lambda _s, row: text.significant(row.rate_per_second), rate_unit, number=True),
        line(_("Rate to tie"), lambda _s, row: text.significant(row.rate_to_tie_per_second), rate_unit, number=True),
        line(_("Price seen"), lambda _s, row: _seen(row)),
        line(_("Source of the price"), lambda _s, row: row.price_source or stated),
        line(_("Rank"), lambda each, _r: text.whole(each.rank), _("by cost"), number=True, compared=False),
        line(_("To know"), lambda _s, row: _marks(row)),
    ]  # fmt: skip


def _row(each: Selected) -> Any:
    return None if each.estimate is None else page_rows(each.estimate, COLUMNS)[0]


def _cost(row: Any, view: View) -> Cell:
    bounds = view.scale.bounds(row.cost_low_usd, row.cost_high_usd)
    return text.significant(view.scale.said(row.cost_usd)), text.range_text(*bounds)


def _ratio(each: Selected) -> str:
    return _("can't be compared") if each.ratio is None else text.significant(each.ratio)


def _hardware(row: Any) -> str:
    return f"{row.accelerator_count} × {row.accelerator}" if row.accelerator else _("none")


def _marks(row: Any) -> str:
    return ", ".join(text.words(name) for name in row.flags.split("|") if name) or _("nothing")


def _replicas(row: Any) -> Cell:
    idle = _("%(idle)s idle") % {"idle": row.idle_accelerators} if row.idle_accelerators else ""
    return str(row.replicas), idle


def _purchase(row: Any) -> Cell:
    months = row.term_months
    term = ngettext("%(n)s month", "%(n)s months", months) % {"n": months} if months else ""
    return text.words(row.purchase), ", ".join(filter(None, (term, text.words(row.plan) if row.plan else "")))


def _seen(row: Any) -> Cell:
    age = row.price_age_days
    days = ngettext("%(n)s day", "%(n)s days", age) % {"n": age} if age is not None else ""
    return f"{text.day(row.price_observed_on)}, {text.words(row.price_evidence)}", days
