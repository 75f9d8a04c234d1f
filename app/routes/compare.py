"""The main job: one question as page, JSON and CSV, and as a POST."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import orjson
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from app import openapi
from app.bodies import json_body
from app.charts import curve_chart, dot_chart, tornado_chart
from app.cli_words import command_line
from app.exports import answer_csv, answer_json, page_rows, rows_of
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
from app.spreadsheets import XLSX, markdown, tsv, xlsx
from pricing.accelerators import DATA
from pricing.columns import COLUMNS, picked
from pricing.compare import Answer, Headline, compare, curves, headlines, parts
from pricing.errors import InvalidInputError
from pricing.flags import FLAGS
from pricing.matching import REASONS, ranked
from pricing.numbers import read_whole_number
from pricing.offers import PURCHASES
from pricing.parameters import of_measurements
from pricing.question import Question
from pricing.sensitivity import of_cheapest
from pricing.units import UNITS
from pricing.wording import significant
from pricing.workings import workings

router = APIRouter(tags=["compare"])
CHART_ROWS = 15
MOST_XLSX = 100_000
_MORE_FORMS = (("XLSX", "xlsx"), ("TSV", "tsv"), ("Markdown", "md"))
# Columns of what is pasted elsewhere, unless others are asked for.
SHORT = (
    "rank", "provider", "instance_type", "region", "purchase", "accelerator", "accelerator_count", "measurement",
    "price_usd_per_hour", "cost_usd", "cost_unit", "ratio_to_baseline", "price_observed_on", "price_evidence", "flags",
)  # fmt: skip
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
    return Response(answer_json(_one_page(request)), media_type="application/json")


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
    answer = _all_rows(request)
    headers = _attachment(answer, "csv")
    return StreamingResponse(answer_csv(answer), media_type="text/csv; charset=utf-8", headers=headers)


def _attachment(answer: Answer, ending: str) -> dict[str, str]:
    name = f"perdollar-{answer.unit.id}-{answer.question.as_of}.{ending}"
    return {"Content-Disposition": f'attachment; filename="{name}"'}


@router.get(
    "/compare.xlsx",
    responses={200: {"content": {XLSX: {}}, "description": "A workbook with the CSV's columns."}, **openapi.PROBLEMS},
    openapi_extra=_GET_DOCS,
    summary="Compare, as XLSX",
)
async def compare_xlsx(request: Request) -> Response:
    """Give the same question's estimates as a workbook, at most 100,000 rows; no cell is a formula."""
    answer = _all_rows(request)
    columns = picked(answer.question.columns)
    rows = answer.figures(
        answer.page.pairs.take(np.arange(min(MOST_XLSX, len(answer.page)))), answer.page.rank[:MOST_XLSX]
    )
    table = zip(*(column.python(rows) for column in columns), strict=True)
    about = [("as_of", str(answer.question.as_of)), ("prices_sha256", answer.prices.sha256), *answer.question.pairs]
    book = await run_in_threadpool(xlsx, "estimates", [column.name for column in columns], list(table), about)
    return Response(book, media_type=XLSX, headers=_attachment(answer, "xlsx"))


@router.get(
    "/compare.tsv",
    responses={200: {"content": {"text/tab-separated-values": {}}, "description": "To paste into a spreadsheet."},
               **openapi.PROBLEMS},
    openapi_extra=_GET_DOCS,
    summary="Compare, as TSV",
)  # fmt: skip
async def compare_tsv(request: Request) -> Response:
    """Give the page's estimates between tabs, as a spreadsheet takes them from the clipboard."""
    answer = _one_page(request)
    columns = picked(answer.question.columns, SHORT)
    rows = zip(*(column.python(answer.page) for column in columns), strict=True)
    body = b"".join(tsv([column.name for column in columns], rows))
    return Response(body, media_type="text/tab-separated-values; charset=utf-8")


@router.get(
    "/compare.md",
    responses={200: {"content": {"text/markdown": {}}, "description": "To paste into an issue or a README."},
               **openapi.PROBLEMS},
    openapi_extra=_GET_DOCS,
    summary="Compare, as Markdown",
)  # fmt: skip
async def compare_markdown(request: Request) -> Response:
    """Give the page's estimates as a table in Markdown, rounded for reading, with a link to the answer."""
    answer = _one_page(request)
    columns = picked(answer.question.columns, SHORT)
    cells = [[_rounded(value) for value in column.python(answer.page)] for column in columns]
    right = [i for i, column in enumerate(columns) if column.kind in ("number", "whole")]
    lines = markdown([column.name for column in columns], zip(*cells, strict=True), right)
    address = f"{str(request.base_url).rstrip('/')}{link('/compare', answer.question.pairs)}"
    note = f"\n{answer.unit.cost_unit}, prices as of {answer.question.as_of}: <{address}>\n"
    return Response(b"".join([*lines, note.encode()]), media_type="text/markdown; charset=utf-8")


def _rounded(value: object) -> object:
    return significant(value, 4) if isinstance(value, float) else value


def _one_page(request: Request) -> Answer:
    try:
        return compare(_asked(request), service_of(request).catalogue)
    except InvalidInputError as error:
        raise of_input(error, "query") from error


def _all_rows(request: Request) -> Answer:
    try:
        return compare(_asked(request), service_of(request).catalogue, all_rows=True)
    except InvalidInputError as error:
        raise of_input(error, "query") from error


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
        pairs, rank = _without_explain(pairs)
        example = not any(value.strip() and name != "table" and not name.startswith("utm_") for name, value in pairs)
        reader = service.reader()
        pairs = pairs if example else _without_stale_details(pairs, reader.from_json(example_body()).pairs)
        body = example_body() | ({"table": service.uploaded} if service.uploaded else {})
        question = reader.from_json(body) if example else reader.from_pairs(pairs)
        answer = compare(question, service.catalogue)
    except InvalidInputError as error:
        return _refused(request, service, pairs, error)
    context = {**_form(service, question.pairs if example else pairs), **_results(answer, service, example=example)}
    context["explained"] = _explained(answer, rank)
    if is_fragment(request):
        return page("_results.html", context, headers={"HX-Push-Url": str(context["address"])})
    return page("compare.html", context)


def _without_explain(pairs: Pairs) -> tuple[Pairs, int]:
    """Take out the rank whose cost is to be explained, 0 for none: a button of the page, not of the question."""
    asked = [value for name, value in pairs if name == "explain" and value.strip()]
    rank = 0
    if asked:
        try:
            rank = read_whole_number(asked[-1], least=1, most=10**7)
        except ValueError as error:
            raise InvalidInputError.at(("explain",), str(error)) from error
    return [pair for pair in pairs if pair[0] != "explain"], rank


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


def _refused(request: Request, service: Service, pairs: Pairs, error: InvalidInputError) -> Response:
    """Show the form as it was typed, with the messages at their fields."""
    fields = by_field(error.faults)
    context = {**_form(service, pairs), "answer": None, "problems": fields, "example": False, "explained": None}
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
        "rivals_of": _rivals_of,
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
        "more_links": [
            (name, link(f"/compare.{ending}", pairs))
            for name, ending in (("XLSX", "xlsx"), ("TSV", "tsv"), ("Markdown", "md"))
        ],
        "receipt_link": link("/compare/receipt.json", pairs),
        "previous": link("/compare", linked(paged, offset=max(answer.offset - answer.limit, 0) or None))
        if answer.offset
        else None,
        "next": link("/compare", linked(paged, offset=last)) if last < answer.total else None,
        "command": command_line(everything),
    }


def _rivals_of(headline: Headline) -> list[Any]:
    return [] if headline.rivals is None else page_rows(headline.rivals, HEADLINE_COLUMNS)


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
        "tornado": tornado_chart(of_cheapest(answer)),
        "alone": link("/compare", linked(of_measurements(pairs, places), offset=None)),
    }
