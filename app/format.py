"""Numbers as text for pages and terminals, in the reader's language. Unknown is n/a, never 0."""

from __future__ import annotations

import math
from datetime import date

from markupsafe import Markup, escape

from app import languages
from app.charts.axes import short
from app.languages import gettext, has_translation, localized, translated
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
    if low is None or math.isnan(low):
        return "" if high is None or math.isnan(high) else gettext("%(high)s or less") % {"high": significant(high)}
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
    """Write a date, or its ISO text, as the reader's language does."""
    if not value:
        return UNKNOWN
    return languages.day(value if isinstance(value, date) else date.fromisoformat(value))


def sentence(text: str) -> Markup:
    """Write a text of the code in the reader's language; one that has no translation is marked as English."""
    shown = escape(translated(text))
    return shown if has_translation(text) else Markup('<span lang="en">{}</span>').format(shown)


def number_cell(value: float | None) -> str:
    """Write a table cell of a number, rounded, with every digit on hover."""
    return f'<td class="number" title="{exact(value)}">{significant(value)}</td>'


def number_cells(*values: float | None) -> Markup:
    """Write table cells of numbers beside each other."""
    return Markup("".join(map(number_cell, values)))  # noqa: S704 - nothing but digits and signs of numbers


def price_cell(value: float | None, each: float | None) -> str:
    """Write the cell of an instance's price, that of one of its accelerators below it."""
    # Texts inside f-strings are not found for the catalog.
    one = gettext("%(price)s each")
    below = "" if each is None else f"<small>{one % {'price': price(each)}}</small>"
    return f'<td class="number" title="{exact(value)}">{price(value)}{below}</td>'


def rank_cell(rank: int, key: str, group: str, *, chosen: bool) -> str:
    """Write the cell of a rank, with the mark that puts the row beside others; `group` tells equal ranks apart."""
    if not key or chosen:
        return f'<td class="number rank">{"✓ " if chosen else ""}{rank}</td>'
    name = escape(key)
    box = f'<input type="checkbox" form="question" name="side" value="{name}" id="side-{group}{rank}">'
    return f'<td class="number rank"><label>{box} {rank}</label></td>'


def plain_cell(value: object) -> str:
    """Write the cell of any other column; unknown is n/a."""
    if isinstance(value, bool):
        said = gettext("yes") if value else gettext("no")
        return f'<td class="plain">{said}</td>'
    if isinstance(value, int | float):
        return number_cell(value) if isinstance(value, float) else f'<td class="number">{whole(value)}</td>'
    return f"<td>{escape(value) if value not in (None, '') else UNKNOWN}</td>"


def cost_cell(cost: float | None, low: float | None, high: float | None, tied: bool | None, rank: int = 0) -> str:
    """Write the cell of a cost, its range below it; a button shows how the cost of a rank comes about."""
    bounds = f"<small>{range_text(low, high)}</small>" if low is not None or high is not None else ""
    tie = gettext("tied with the cheapest")
    mark = f"<small>{tie}</small>" if tied else ""
    shown = f"<strong>{significant(cost)}</strong>"
    if rank:
        how = gettext("how it comes about")
        shown = (
            f'<button type="submit" form="question" name="explain" value="{rank}" class="explain" '
            f'aria-label="{significant(cost)}: {how}"><strong>{significant(cost)}</strong></button>'
        )
    return f'<td class="number" title="{exact(cost)}">{shown}{bounds}{mark}</td>'
