"""Numbers as text for pages and terminals, in the reader's language. Unknown is n/a, never 0."""

from __future__ import annotations

import math
from datetime import date

from markupsafe import Markup

from app.charts.axes import short
from app.languages import ENGLISH, gettext, language, localized
from pricing import wording
from pricing.wording import UNKNOWN


def significant(value: float | None, digits: int = 3) -> str:
    """Round to significant digits, as pricing.wording does."""
    return localized(wording.significant(value, digits))


def percent(value: float | None) -> str:
    """Write a share as a percentage with three significant digits at most."""
    return localized(wording.percent(value))


def price(value: float | None) -> str:
    """Write a price per hour: cents and more where the seller states more, small ones in full digits."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value < 0.1:
        return significant(value)
    text = f"{value:,.4f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return localized(f"{whole}.{cents.ljust(2, '0')}")


def exact(value: float | None) -> str:
    """Write every digit of a number, for those who want to check it."""
    return UNKNOWN if value is None or not math.isfinite(value) else localized(repr(value))


def figure(value: float | None) -> str:
    """Write a data-sheet figure as the sheet has it."""
    return UNKNOWN if value is None else localized(f"{value:,.10g}")


def whole(value: int | None) -> str:
    """Write a count with thousands separators."""
    return UNKNOWN if value is None else localized(f"{value:,}")


def range_text(low: float | None, high: float | None) -> str:
    """Write a range; an open end is said in words."""
    if low is None or (isinstance(low, float) and math.isnan(low)):
        return ""
    if high is None or math.isnan(high):
        return gettext("%(low)s or more") % {"low": significant(low)}
    return gettext("%(low)s to %(high)s") % {"low": significant(low), "high": significant(high)}


def compact(value: float) -> str:
    """Write a number for the tick of an axis: 2,000,000,000 is 2G."""
    return localized(short(value))


def words(name: str) -> str:
    """Write an identifier in words: on_demand is on demand."""
    return gettext(name.replace("_", " "))


def day(value: date | str | None) -> str:
    """Write a date as its readers do; English readers of both sides of an ocean agree on 2026-12-01 alone."""
    if not value:
        return UNKNOWN
    if language() == ENGLISH:
        return str(value)
    from babel.dates import format_date  # noqa: PLC0415 - only for other languages

    return format_date(date.fromisoformat(str(value)), "short", locale=language().replace("-", "_"))


def number_cells(*values: float | None) -> Markup:
    """Write table cells of numbers, rounded, with every digit on hover."""
    cells = [f'<td class="number" title="{exact(v)}">{significant(v)}</td>' for v in values]
    return Markup("".join(cells))  # noqa: S704 - nothing but digits and signs of numbers


def cost_cell(cost: float, low: float | None, high: float | None, tied: bool | None, rank: int = 0) -> Markup:
    """Write the cell of a cost, its range below it; a button shows how the cost of a rank comes about."""
    bounds = f"<small>{range_text(low, high)}</small>" if low is not None else ""
    tie = gettext("tied with the cheapest")
    mark = f"<small>{tie}</small>" if tied else ""
    shown = f"<strong>{significant(cost)}</strong>"
    if rank:
        how = gettext("how it comes about")
        shown = (
            f'<button type="submit" form="question" name="explain" value="{rank}" class="explain" '
            f'aria-label="{significant(cost)}: {how}"><strong>{significant(cost)}</strong></button>'
        )
    text = f'<td class="number" title="{exact(cost)}">{shown}{bounds}{mark}</td>'
    return Markup(text)  # noqa: S704 - nothing but digits and signs of numbers
