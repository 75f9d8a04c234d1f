"""What the routes share: the table in use, how a question is read, and how a page is made."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app import format as text
from app.access import asks, viewer
from app.languages import LANGUAGES, gettext, language, ngettext, translated
from app.settings import Settings
from app.shelf import Shelf
from app.tables import today
from app.view import Heading, View
from pricing.accelerators import Catalogue
from pricing.errors import Fault, InvalidInputError, shown
from pricing.filters import CLOSED, identifier
from pricing.flags import FLAGS
from pricing.market import PriceTable
from pricing.reading import Reader
from pricing.wording import say

_HERE = Path(__file__).parent
# In a wheel the templates lie inside the package, in a checkout beside it.
TEMPLATES = _HERE / "templates" if (_HERE / "templates").is_dir() else _HERE.parent / "templates"
STATIC = _HERE / "static"
# Left readable in links: none of them has a meaning inside a query's value.
_SAFE = "@:/,~|="
# A browser reads both at the beginning of an address as that of another host.
BACK = "/\\"
VARY = "HX-Request, HX-History-Restore-Request, Accept-Language, Cookie"
Pairs = Sequence[tuple[str, str]]
# Fields of the forms that have one control for each value.
SEVERAL = (
    "m", "quote", "owned", "discount", "exchange_rate", "slo", "where", "accept", "accelerator",
    "region", "term_months", "instance_type",
)  # fmt: skip


@dataclass(frozen=True)
class Service:
    """The table in use and the facts beside it. Routes get it by service_of or service_for, as who asks sees it.

    In the app's state it is as somebody without a token sees it; `private` holds what the tokens see.
    """

    settings: Settings
    table: PriceTable
    catalogue: Catalogue
    shelf: Shelf
    private: Mapping[str, PriceTable] = field(default_factory=dict, repr=False)
    owner: str = ""
    uploaded: str = ""

    @property
    def today(self) -> date:
        """Today in UTC."""
        return today()

    def seen_by(self, token: str) -> Service:
        """Return the service with what the token of this name may see; '' is nobody's."""
        return replace(self, table=self.private.get(token, self.table), owner=token, private={}) if token else self

    def with_table(self, name: str | None) -> Service:
        """Return the service with an uploaded table beside the one in use; InvalidInputError if it is gone."""
        if not name:
            return self
        table = self.shelf.over(self._on_shelf(name), self.table)
        if table is None:
            raise InvalidInputError.at(
                ("table",),
                say("the uploaded table {name} is not here any more; upload its files again", name=shown(name)),
            )
        return replace(self, table=table, uploaded=name)

    def keep(self, name: str, text: str, table: PriceTable) -> None:
        """Keep an uploaded table for the one who asks."""
        self.shelf.put(self._on_shelf(name), text, table)

    def kept(self, name: str) -> tuple[str | None, PriceTable | None]:
        """Return an uploaded table of the one who asks, as CSV and by itself; None if it is not there."""
        place = self._on_shelf(name)
        return self.shelf.text(place), self.shelf.table(place)

    def _on_shelf(self, name: str) -> str:
        # Whoever knows the name alone finds nothing on another's part of the shelf.
        return hashlib.sha256(f"{self.owner}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def reader(self) -> Reader:
        """Return a reader of questions as of today."""
        return Reader(self.table, self.catalogue, self.today, self.settings.limits)


def service_of(request: Request) -> Service:
    """Return the app's service as the one who asks sees it: the one place where that is decided."""
    whole = cast(Service, request.app.state.service)
    return whole.seen_by(asks(request).name)


def service_for(request: Request, pairs: Pairs) -> Service:
    """Return the app's service, with the uploaded table that the parameter `table` names."""
    names = [value.strip() for name, value in pairs if name == "table" and value.strip()]
    return service_of(request).with_table(names[-1] if names else None)


def typed_pairs(request: Request) -> list[tuple[str, str]]:
    """Read the query string whatever it holds, for a form that has to show what was typed."""
    raw = cast(bytes, request.scope["query_string"]).decode("latin-1")
    return parse_qsl(raw, keep_blank_values=True, errors="replace", separator="&")


def query_pairs(request: Request) -> list[tuple[str, str]]:
    """Read the query string; text that is not UTF-8 or has NUL is refused."""
    raw = cast(bytes, request.scope["query_string"]).decode("latin-1")
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, errors="strict", separator="&")
    except ValueError as error:
        raise InvalidInputError.at((), say("the query is not percent-encoded UTF-8")) from error
    for name, value in pairs:
        if any(ch < " " or ch == "\x7f" for ch in name + value):
            loc = (name,) if name.isprintable() else ()
            raise InvalidInputError.at(
                loc, say("{value} holds a control character; remove it", value=ascii(value[:60]))
            )
    return pairs


def link(path: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Write an address: the one place that builds them."""
    query = _query(tuple(pairs))
    return f"{path}?{query}" if query else path


def way_back(address: str) -> str:
    """Return path and query alone of an address, so that the way back leads to no other site; '/' if it has none."""
    try:
        came = urlsplit(address)
    except ValueError:
        return "/"
    return f"/{came.path.lstrip(BACK)}" + (f"?{came.query}" if came.query else "")


@lru_cache(64)
def _query(pairs: tuple[tuple[str, str], ...]) -> str:
    # An answer's links hold the same query several times.
    return urlencode(pairs, safe=_SAFE)


def linked(pairs: Pairs, **changes: object) -> list[tuple[str, str]]:
    """Return the pairs with some parameters set, or dropped where the value is None."""
    kept = [(name, value) for name, value in pairs if name not in changes]
    return kept + [(name, str(value)) for name, value in changes.items() if value is not None]


def grouped(pairs: Pairs) -> dict[str, list[str]]:
    """Return the values of each parameter, for a form; blank ones count only where a place counts (m)."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        if value.strip() or name == "m":
            values.setdefault(name, []).append(identifier(value) if name in CLOSED else value)
    return values


# What a row of the table says of its offer alone: the same for every question.
_offer_fields = attrgetter(
    "provider", "instance_type", "region", "purchase", "term_months", "plan", "accelerator", "accelerator_count",
    "price_observed_on", "price_age_days", "price_evidence", "price_source", "notes",
)  # fmt: skip


def table_row(row: Any, headings: Sequence[Heading], view: View, key: str, group: int | str) -> Markup:
    """Return a row of the table of estimates: the cells of these headings; `key` names it for a side-by-side view.

    Ranks of a group are its own, so that only those of an undivided answer can be explained.

    A page has many rows, and a template evaluates each expression slowly: what is the same for
    every question is made by the template once for each offer and kept, the numbers are put between.
    """
    name, accelerators, source = _offer_cells(language(), _offer_fields(row))
    low, high = view.scale.bounds(row.cost_low_usd, row.cost_high_usd)
    cells = {
        "rank": text.rank_cell(row.rank, key, f"{group}-" if group else "", chosen=key in view.sides),
        "provider": name,
        "cost_usd": text.cost_cell(view.scale.said(row.cost_usd), low, high, row.tied, 0 if group else row.rank),
        "price_usd_per_hour": text.price_cell(
            view.price(row.price_usd_per_hour),
            view.price(row.price_usd_per_accelerator_hour) if (row.accelerator_count or 0) > 1 else None,
        ),
        "accelerator_count": accelerators,
        "measurement": _measurement_cell(language(), row.measurement, row.replicas, row.idle_accelerators),
        "rate_per_second": text.number_cell(row.rate_per_second),
        "ratio_to_baseline": text.number_cell(row.ratio_to_baseline),
        "rate_to_tie_per_second": text.number_cell(row.rate_to_tie_per_second),
        "price_to_tie_usd_per_hour": text.number_cell(view.price(row.price_to_tie_usd_per_hour)),
        "units_per_usd": text.number_cell(row.units_per_usd),
        "price_observed_on": source,
        "flags": _flag_cell(language(), row.flags),
    }
    made = [cells[h.name] if h.name in cells else text.plain_cell(getattr(row, h.name)) for h in headings]
    return Markup(f"<tr>{''.join(made)}</tr>")  # noqa: S704 - every part was escaped when it was made


@lru_cache(8192)
def _offer_cells(_language: str, fields: tuple[object, ...]) -> tuple[Markup, ...]:
    return tuple(_made(macro, *fields) for macro in ("name", "accelerators", "source"))


@lru_cache(1024)
def _flag_cell(_language: str, flags: str) -> Markup:
    return _made("marks", flags, FLAGS)


@lru_cache(1024)
def _measurement_cell(_language: str, label: str, replicas: int, idle: int) -> Markup:
    return _made("measurement", label, replicas, idle)


def _made(macro: str, *values: object) -> Markup:
    return Markup(getattr(ENVIRONMENT.get_template("_offer.html").module, macro)(*values))  # noqa: S704


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters |= {
        "significant": text.significant,
        "price": text.price,
        "exact": text.exact,
        "percent": text.percent,
        "figure": text.figure,
        "whole": text.whole,
        "words": text.words,
        "day": text.day,
        "said": translated,
        "table_row": table_row,
    }
    environment.globals |= {
        "range_text": text.range_text,
        "number_cells": text.number_cells,
        "compact": text.compact,
        "sentence": text.sentence,
        "languages": LANGUAGES,
        "language": language,
        "link": link,
        "linked": linked,
        "viewer": viewer,
    }
    return environment


ENVIRONMENT = _environment()


def page(
    template: str, context: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """Answer with a page or a fragment, in the reader's language; caches keep them apart by what Vary names."""
    body = ENVIRONMENT.get_template(template).render(context)
    return HTMLResponse(body, status, {"Vary": VARY, "Content-Language": language(), **(headers or {})})


def is_fragment(request: Request) -> bool:
    """Whether the page's own script asks for the results alone."""
    asks = request.headers.get("hx-request") == "true"
    # The back button asks for the whole page in the same way.
    return asks and request.headers.get("hx-history-restore-request") != "true"


def by_field(faults: Iterable[Fault], several: Container[str] = SEVERAL) -> dict[str, Markup]:
    """Return each field's message, in the reader's language, under the name that the form gives it, such as m-0.

    `several` are the fields that have one control for each value.
    """
    messages: dict[str, Markup] = {}
    for fault in faults:
        loc = fault.loc
        name = str(loc[0]) if loc else ""
        if name in several and len(loc) > 1:
            name = f"{name}-{loc[1]}"
        said = text.sentence(fault.msg)
        messages[name] = messages[name] + " " + said if name in messages else said
    return messages
