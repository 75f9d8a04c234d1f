"""The main job: one question as page, JSON and CSV, and as a POST."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from app import openapi
from app.bodies import json_body
from app.charts import curve_chart, dot_chart
from app.cli_words import command_line
from app.exports import answer_csv, answer_json, page_rows
from app.problems import of_input
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
from pricing.accelerators import DATA
from pricing.columns import COLUMNS
from pricing.compare import Answer, compare, curves, headlines, parts
from pricing.errors import InvalidInputError
from pricing.flags import FLAGS
from pricing.matching import REASONS
from pricing.offers import PURCHASES
from pricing.parameters import of_measurements
from pricing.question import Question
from pricing.units import UNITS

router = APIRouter(tags=["compare"])
CHART_ROWS = 15
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
# From this many inline offers on, the answer is worked out beside the event loop, not in it.
MANY_OFFERS = 200
_GET_DOCS: dict[str, Any] = {
    "parameters": [*openapi.parameters(openapi.COMPARE_DOCS, ("unit", "m")), *openapi.detail_parameters()]
}
_POST_DOCS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/QuestionIn"},
                "examples": {"own offer and repeats": {"value": openapi.EXAMPLE_BODY}},
            }
        },
    }
}


@cache
def example_body() -> dict[str, Any]:
    """Read the worked example of the first visit: published figures, with their source."""
    body: dict[str, Any] = orjson.loads((DATA / "example.json").read_bytes())
    return body


def _asked(request: Request) -> Question:
    pairs = query_pairs(request)
    return service_for(request, pairs).reader().from_pairs(pairs)


@router.get(
    "/compare.json",
    response_model=openapi.AnswerOut,
    responses=openapi.PROBLEMS,
    openapi_extra=_GET_DOCS,
    summary="Compare, as JSON",
)
async def compare_json(request: Request) -> Response:
    """Cost per unit of every offer that carries the measured hardware, cheapest first."""
    try:
        answer = compare(_asked(request), service_of(request).catalogue)
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    return Response(answer_json(answer), media_type="application/json")


@router.get(
    "/compare.csv",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/csv": {}},
            "description": "All estimates, one a line; the columns are those of the JSON.",
        },
        **openapi.PROBLEMS,
    },
    openapi_extra=_GET_DOCS,
    summary="Compare, as CSV",
)
async def compare_csv(request: Request) -> Response:
    """Give the same question's estimates as CSV: all of them unless `limit` says otherwise."""
    try:
        answer = compare(_asked(request), service_of(request).catalogue, all_rows=True)
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    name = f"perdollar-{answer.unit.id}-{answer.question.as_of}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(answer_csv(answer), media_type="text/csv; charset=utf-8", headers=headers)


@router.post(
    "/api/v1/compare",
    response_model=openapi.AnswerOut,
    responses={**openapi.PROBLEMS, **openapi.UNSUPPORTED},
    openapi_extra=_POST_DOCS,
    summary="Compare, question as JSON",
)
async def compare_post(request: Request) -> Response:
    """Answer the same question given as JSON, with inline offers if you like."""
    body = await json_body(request)
    offers = body.get("offers") if isinstance(body, dict) else None
    service = service_of(request)
    try:
        name = body.get("table") if isinstance(body, dict) else None
        service = service.with_table(name if isinstance(name, str) else None)
        if isinstance(offers, list) and len(offers) > MANY_OFFERS:
            return Response(await run_in_threadpool(_posted, service, body), media_type="application/json")
        return Response(_posted(service, body), media_type="application/json")
    except InvalidInputError as error:
        raise of_input(error, "body") from error


def _posted(service: Service, body: object) -> bytes:
    return answer_json(compare(service.reader().from_json(body), service.catalogue))


@router.get("/", include_in_schema=False)
@router.get("/compare", include_in_schema=False)
async def compare_page(request: Request) -> Response:
    """Show question and answer; the first visit shows a worked example."""
    service = service_of(request)
    pairs: Pairs = typed_pairs(request)
    try:
        pairs = query_pairs(request)
        service = service_for(request, pairs)
        example = not any(value.strip() and name != "table" and not name.startswith("utm_") for name, value in pairs)
        reader = service.reader()
        pairs = pairs if example else _without_stale_details(pairs, reader.from_json(example_body()).pairs)
        body = example_body() | ({"table": service.uploaded} if service.uploaded else {})
        question = reader.from_json(body) if example else reader.from_pairs(pairs)
        answer = compare(question, service.catalogue)
    except InvalidInputError as error:
        return _refused(request, service, pairs, error)
    context = {**_form(service, question.pairs if example else pairs), **_results(answer, service, example=example)}
    if is_fragment(request):
        return page("_results.html", context, headers={"HX-Push-Url": str(context["address"])})
    return page("compare.html", context)


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


def _refused(request: Request, service: Service, pairs: Pairs, error: InvalidInputError) -> Response:
    """Show the form as it was typed, with the messages at their fields."""
    fields = by_field(error.faults)
    context = {**_form(service, pairs), "answer": None, "problems": fields, "example": False}
    if is_fragment(request):
        return page("_results.html", context, status=422, headers={"HX-Push-Url": link("/compare", pairs)})
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
        "unit_options": [(unit.id, unit.cost_unit) for unit in UNITS.values()],
        "purchases": PURCHASES,
        "providers": [*known, *others],
        "areas": service.catalogue.area_names(),
        "vendors": [v for v in table.values("accelerator_vendor") if v],
        "accelerators": list(service.catalogue.accelerators),
        "table": table,
        "uploaded": service.uploaded,
    }


def _results(answer: Answer, service: Service, *, example: bool) -> dict[str, object]:
    question = answer.question
    pairs = question.pairs
    paged = linked(pairs, offset=None)
    everything = linked(pairs, offset=None, limit=None)
    last = answer.offset + len(answer.page)
    return {
        "answer": answer,
        "question": question,
        "example": example_body() if example else None,
        "parts": [_part(part, answer, pairs) for part in parts(answer, service.catalogue)],
        "accept_link": link("/compare", [*linked(pairs, accept=None), ("accept", "all")]),
        "left_out": sum(excluded.count for excluded in answer.excluded),
        "reasons": REASONS,
        "flags": FLAGS,
        "sort_column": question.sort.removeprefix("-"),
        "sort_descending": question.sort.startswith("-"),
        "last": last,
        "address": link("/compare", pairs),
        "first_page": link("/compare", paged),
        "json_link": link("/compare.json", pairs),
        "csv_link": link("/compare.csv", everything),
        "previous": link("/compare", linked(paged, offset=max(answer.offset - answer.limit, 0) or None))
        if answer.offset
        else None,
        "next": link("/compare", linked(paged, offset=last)) if last < answer.total else None,
        "command": command_line(everything),
    }


def _part(answer: Answer, whole: Answer, pairs: Pairs) -> dict[str, object]:
    """What the page shows of estimates that can be compared with each other."""
    labels = [m.label for m in answer.question.measurements]
    places = [i for i, m in enumerate(whole.question.measurements) if m.label in labels]
    return {
        "answer": answer,
        "labels": labels,
        "rows": page_rows(answer.page, PAGE_COLUMNS),
        "headlines": [(page_rows(h.estimates, HEADLINE_COLUMNS)[0], h) for h in headlines(answer)],
        "chart": dot_chart(answer.cheapest(CHART_ROWS)),
        "curves": curve_chart(curves(answer)),
        "alone": link("/compare", linked(of_measurements(pairs, places), offset=None)),
    }
