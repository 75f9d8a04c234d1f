"""The main job as a page: question, answer, and how the answer is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.charts import curve_chart, dot_chart, tornado_chart
from app.cli_words import command_line
from app.exports import page_rows, rows_of
from app.languages import dotted, gettext, translated
from app.presets import preset_body, preset_links, preset_pairs, published_rows
from app.service import (
    Pairs,
    Service,
    by_field,
    grouped,
    is_fragment,
    link,
    linked,
    page,
    query_pairs,
    service_for,
    service_of,
    typed_pairs,
)
from app.side_by_side import lines, names
from app.view import (
    FILTER,
    HEADINGS,
    MOST_SIDES,
    OTHERS,
    Heading,
    View,
    exported,
    in_headings,
    plain_columns,
    read_view,
    shown_headings,
)
from pricing.columns import COLUMNS, Column
from pricing.compare import Answer, Headline, compare, curves, headlines, parts
from pricing.errors import InvalidInputError
from pricing.estimates import Estimates
from pricing.flags import FLAGS
from pricing.matching import REASONS, REMEDIES, ranked
from pricing.offers import PURCHASES
from pricing.parameters import LIST_PARAMETERS, of_measurements
from pricing.selection import keys, selected
from pricing.sensitivity import of_cheapest
from pricing.units import UNITS, Unit, scales
from pricing.workings import workings

router = APIRouter(tags=["compare"])
CHART_ROWS = 15
_MORE_FORMS = (("XLSX", "xlsx"), ("TSV", "tsv"), ("Markdown", "md"))
# What the page shows of an estimate; what is said of a measurement stands once, above the table.
_NOT_SHOWN = (
    "cost_unit",
    "utilization",
    "accelerator_vendor",
    "measurement_source",
    "measurement_evidence",
    "stack",
    "model",
)
PAGE_COLUMNS = tuple(column for column in COLUMNS if column.name not in _NOT_SHOWN)
_IN_HEADLINE = (
    "provider", "instance_type", "accelerator", "accelerator_count", "region", "purchase", "price_observed_on",
    "measurement_evidence",
)  # fmt: skip
HEADLINE_COLUMNS = tuple(column for column in COLUMNS if column.name in _IN_HEADLINE)


@router.get("/", include_in_schema=False)
@router.get("/compare", include_in_schema=False)
async def compare_page(request: Request) -> Response:
    """Show question and answer; the first visit shows a worked example."""
    service = service_of(request)
    pairs: Pairs = typed_pairs(request)
    view = View()
    try:
        pairs = query_pairs(request)
        service = service_for(request, pairs)
        view, pairs = read_view(pairs)
        example = not any(value.strip() and name != "table" and not name.startswith("utm_") for name, value in pairs)
        reader = service.reader()
        for preset in () if example else preset_pairs(reader).values():
            pairs = _without_stale_details(pairs, preset)
        body = preset_body() | ({"table": service.uploaded} if service.uploaded else {})
        question = reader.from_json(body) if example else reader.from_pairs(pairs)
        answer = compare(question, service.catalogue)
    except InvalidInputError as error:
        return _refused(request, service, pairs, error)
    view = replace(view, unit=question.unit)
    fragment = is_fragment(request)
    headings = shown_headings(question.columns)
    if not fragment:
        # In the page's address a heading's filter is a condition like any other.
        filters, others = in_headings(question.where, [name for heading in headings for name in heading.filters], view)
        view = replace(view, filters=(*filters, *(pair for pair in view.filters if pair not in filters)))
        pairs = [*linked(question.pairs if example else pairs, where=None), *(("where", text) for text in others)]
    results = _results(answer, service, view, headings, example=example)
    results["dotted"] = dotted(typed_pairs(request))
    status = 422 if view.problems else 200
    if fragment:
        return page("_results.html", results, status=status, headers={"HX-Push-Url": str(results["address"])})
    return page("compare.html", {**results, **_form(service, pairs)}, status=status)


def _explained(answer: Answer, rank: int) -> dict[str, object] | None:
    """How the cost at a rank comes about; None where no estimate has that rank."""
    if not 0 < rank <= answer.total:
        return None
    pairs = ranked(answer.found, rank, answer.figures).take(np.array([rank - 1]))
    row: dict[str, Any] = rows_of(answer.figures(pairs, np.array([rank])), COLUMNS)[0]
    measurement = answer.question.measurements[int(pairs.measurement[0])]
    return {"row": row, "steps": workings(row, measurement, answer.unit)}


def _without_stale_details(pairs: Pairs, example: Pairs) -> Pairs:
    """Drop what the example says of its measurements where somebody typed another rate in their place.

    Without JavaScript the form still holds the example's source and evidence, and an own figure must
    not be called published.
    """
    mine, theirs = ([value for name, value in p if name == "m"] for p in (pairs, example))
    changed = {i + 1 for i, text in enumerate(mine[: len(theirs)]) if text != theirs[i]}
    said = {(name, value) for name, value in example if name.startswith("m") and "." in name}
    published = any((name, value) in said for name, value in pairs if name.endswith(".source"))
    if not changed or not published:
        return pairs
    return [p for p in pairs if not (p in said and int(p[0][1:].partition(".")[0]) in changed)]


_OF_THE_TABLE = ("sort", "columns", "side", "per", "price_per")


def _refused(request: Request, service: Service, pairs: Pairs, error: InvalidInputError) -> Response:
    """Show the form as it was typed, with the messages at their fields."""
    fields = by_field(error.faults)
    typed = [(name, value) for name, value in typed_pairs(request) if name != "explain"]
    # What stands in the table's own fields has to outlive a refusal, which shows no table.
    kept = [(n, v) for n, v in typed if n not in fields and (n in _OF_THE_TABLE or n.startswith(FILTER)) and v.strip()]
    context = {**_form(service, pairs), "answer": None, "problems": fields, "example": False, "kept": kept}
    if is_fragment(request):
        return page("_results.html", context, status=422, headers={"HX-Push-Url": link("/compare", typed)})
    return page("compare.html", context, status=422)


def _form(service: Service, pairs: Pairs) -> dict[str, object]:
    values = grouped(pairs)
    table = service.table
    known = [p for p in service.catalogue.providers if p in set(table.values("provider"))]
    others = [p for p in table.values("provider") if p not in service.catalogue.providers]
    return {
        "active": "compare",
        "values": values,
        "problems": {},
        "presets": preset_links(service.reader()),
        "published": published_rows(pairs, service.reader()),
        "unit_options": [(unit.id, translated(unit.cost_unit)) for unit in UNITS.values()],
        "purchases": PURCHASES,
        "providers": [*known, *others],
        "areas": service.catalogue.area_names(),
        "vendors": [v for v in table.values("accelerator_vendor") if v],
        "accelerators": list(service.catalogue.accelerators),
        "table": table,
        "uploaded": service.uploaded,
    }


def _results(
    answer: Answer, service: Service, view: View, headings: Sequence[Heading], *, example: bool
) -> dict[str, object]:
    question = answer.question
    columns = plain_columns(question.columns)
    # What the page's own links say, and what those of data say: all that the shown columns hold.
    pairs = [*linked(question.pairs, columns=None), *(("columns", name) for name in columns), *view.pairs]
    data = [*linked(question.pairs, columns=None), *(("columns", name) for name in exported(columns))]
    paged = linked(pairs, offset=None)
    everything = linked(data, offset=None, limit=None)
    last = answer.offset + len(answer.page)
    chosen = selected(answer, view.sides)
    return {
        "answer": answer,
        "question": question,
        "values": grouped(pairs),
        "problems": {},
        "view": view,
        "headings": headings,
        "filters": dict(view.filters),
        "filter_problems": {str(fault.loc[0]).removeprefix(FILTER): fault.msg for fault in view.problems},
        "other_columns": OTHERS,
        "usual_headings": HEADINGS,
        "chosen_columns": {heading.name for heading in headings},
        "scales": scales(question.unit),
        "small": _small(question.unit, view),
        "filter_examples": _FILTER_EXAMPLES,
        "columns_open": bool(columns),
        "sides": names(chosen),
        "side_lines": lines(chosen, view, question.unit),
        "most_sides": MOST_SIDES,
        "example": preset_body() if example else None,
        "explained": _explained(answer, view.explain),
        "rivals_of": _rivals_of,
        "parts": [_part(part, answer, pairs, headings, view.drawn.factor) for part in parts(answer, service.catalogue)],
        "accept_link": link("/compare", [*linked(pairs, accept=None), ("accept", "all")]),
        "left_out": sum(excluded.count for excluded in answer.excluded),
        "reasons": REASONS,
        "remedies": REMEDIES,
        "remedy_links": {name: link("/compare", changed(paged)) for name, changed in _BRINGS_IN.items()},
        "flags": FLAGS,
        "sort_column": question.sort.removeprefix("-"),
        "sort_descending": question.sort.startswith("-"),
        "last": last,
        "address": link("/compare", pairs),
        "first_page": link("/compare", paged),
        "json_link": link("/compare.json", data),
        "csv_link": link("/compare.csv", everything),
        "more_links": [(name, link(f"/compare.{ending}", data)) for name, ending in _MORE_FORMS],
        "receipt_link": link("/compare/receipt.json", question.pairs),
        "previous": link("/compare", linked(paged, offset=max(answer.offset - answer.limit, 0) or None))
        if answer.offset
        else None,
        "next": link("/compare", linked(paged, offset=last)) if last < answer.total else None,
        "command": command_line(everything),
    }


def _small(unit: Unit, view: View) -> dict[str, str]:
    """What stands below the headings: units, and what else a heading holds."""
    return {
        "rank": gettext("by cost"),
        "cost_usd": view.cost_unit,
        "price_usd_per_hour": view.price_unit,
        "rate_per_second": gettext(unit.rate_unit),
        "ratio_to_baseline": gettext("to the baseline"),
        "rate_to_tie_per_second": gettext(unit.rate_unit),
        "price_to_tie_usd_per_hour": view.price_unit,
        "units_per_usd": gettext(unit.single_noun),
        "price_observed_on": gettext("age, evidence"),
    }


# What is typed most below a heading; the notation is the same in every language.
_FILTER_EXAMPLES = {
    "cost_usd": "<=0.5", "price_usd_per_hour": "<=40", "accelerator_count": "2..8", "rate_per_second": ">=1000",
    "ratio_to_baseline": "<1", "rate_to_tie_per_second": "<=5000", "price_to_tie_usd_per_hour": ">=20",
    "units_per_usd": ">=1M", "price_age_days": "<=30",
}  # fmt: skip
_LIMITS = ("max_price_usd_per_hour", "max_accelerators", "max_age_days")
# Which change of the question shows what was left out for a reason.
_BRINGS_IN: dict[str, Callable[[Pairs], Pairs]] = {
    "unconfirmed": lambda pairs: linked(pairs, include_unconfirmed=1),
    "other_size": lambda pairs: linked(pairs, all_sizes=1),
    "filtered": lambda pairs: linked(pairs, **dict.fromkeys((*LIST_PARAMETERS, *_LIMITS))),
    "area_not_stated": lambda pairs: linked(pairs, area=None),
    "evidence_left_out": lambda pairs: linked(pairs, evidence=None),
    "misses_slo": lambda pairs: linked(pairs, slo=None),
    "slo_unknown": lambda pairs: linked(pairs, slo=None),
    "other_point": lambda pairs: linked(pairs, slo=None),
    "unmet": lambda pairs: linked(pairs, where=None),
}


def _rivals_of(headline: Headline) -> list[Any]:
    return [] if headline.rivals is None else page_rows(headline.rivals, HEADLINE_COLUMNS)


def _columns_of(headings: Sequence[Heading]) -> tuple[Column[Estimates], ...]:
    """The columns that the rows of the table need."""
    needed = {column.name for column in PAGE_COLUMNS} | {heading.name for heading in headings}
    return tuple(column for column in COLUMNS if column.name in needed)


def _part(answer: Answer, whole: Answer, pairs: Pairs, headings: Sequence[Heading], factor: float) -> dict[str, object]:
    """What the page shows of estimates that can be compared with each other."""
    labels = [m.label for m in answer.question.measurements]
    places = [i for i, m in enumerate(whole.question.measurements) if m.label in labels]
    rows = page_rows(answer.page, _columns_of(headings))
    return {
        "answer": answer,
        "labels": labels,
        "rows": list(zip(rows, keys(answer.page, places), strict=True)),
        "first": rows[0] if rows else None,
        "headlines": [(page_rows(h.estimates, HEADLINE_COLUMNS)[0], h) for h in headlines(answer)],
        "chart": dot_chart(answer.cheapest(CHART_ROWS), factor),
        "curves": curve_chart(curves(answer), factor),
        "tornado": tornado_chart(of_cheapest(answer), factor),
        "alone": link("/compare", linked(of_measurements(pairs, places), offset=None)),
    }
