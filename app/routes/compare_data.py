"""The main job as data: JSON, CSV, XLSX, TSV and Markdown of one question, and the question as a POST."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from app import openapi
from app.bodies import json_body
from app.exports import answer_csv, answer_json, in_turns
from app.openapi_links import OF_COMPARISON
from app.openapi_parts import ATTACHED, file_of
from app.problems import of_input
from app.service import Service, link, query_pairs, service_for, service_of
from app.spreadsheets import XLSX, markdown, tsv, xlsx
from app.view import read_view
from pricing.columns import picked
from pricing.compare import Answer, compare
from pricing.errors import InvalidInputError
from pricing.question import Question
from pricing.wording import significant

router = APIRouter(tags=["compare"])
MOST_XLSX = 100_000
# Columns of what is pasted elsewhere, unless others are asked for.
SHORT = (
    "rank", "provider", "instance_type", "region", "purchase", "accelerator", "accelerator_count", "measurement",
    "price_usd_per_hour", "cost_usd", "cost_unit", "ratio_to_baseline", "price_observed_on", "price_evidence", "flags",
)  # fmt: skip
# From this many inline offers on, the answer is worked out beside the event loop, not in it.
MANY_OFFERS = 200
_GET_DOCS: dict[str, Any] = {"parameters": openapi.compare_parameters()}
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


def _asked(request: Request) -> Question:
    view, pairs = read_view(query_pairs(request))
    view.refuse_problems()
    return service_for(request, pairs).reader().from_pairs(pairs)


@router.get(
    "/compare.json",
    response_model=openapi.AnswerOut,
    responses={200: {"links": OF_COMPARISON}, **openapi.PROBLEMS},
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
        **file_of("text/csv", "All estimates, one a line; the columns are those of the JSON.", headers=ATTACHED),
        **openapi.PROBLEMS,
    },
    openapi_extra=_GET_DOCS,
    summary="Compare, as CSV",
)
async def compare_csv(request: Request) -> Response:
    """Give the same question's estimates as CSV: all of them unless `limit` says otherwise."""
    answer = _all_rows(request)
    headers = _attachment(answer, "csv")
    return StreamingResponse(in_turns(answer_csv(answer)), media_type="text/csv; charset=utf-8", headers=headers)


def _attachment(answer: Answer, ending: str) -> dict[str, str]:
    name = f"perdollar-{answer.unit.id}-{answer.question.as_of}.{ending}"
    return {"Content-Disposition": f'attachment; filename="{name}"'}


@router.get(
    "/compare.xlsx",
    response_class=Response,
    responses={
        **file_of(XLSX, "A workbook with the CSV's columns.", binary=True, headers=ATTACHED),
        **openapi.PROBLEMS,
    },
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
    response_class=Response,
    responses={
        **file_of("text/tab-separated-values", "To paste into a spreadsheet."),
        **openapi.PROBLEMS,
    },
    openapi_extra=_GET_DOCS,
    summary="Compare, as TSV",
)
async def compare_tsv(request: Request) -> Response:
    """Give the page's estimates between tabs, as a spreadsheet takes them from the clipboard."""
    answer = _one_page(request)
    columns = picked(answer.question.columns, SHORT)
    rows = zip(*(column.python(answer.page) for column in columns), strict=True)
    body = b"".join(tsv([column.name for column in columns], rows))
    return Response(body, media_type="text/tab-separated-values; charset=utf-8")


@router.get(
    "/compare.md",
    response_class=Response,
    responses={**file_of("text/markdown", "To paste into an issue or a README."), **openapi.PROBLEMS},
    openapi_extra=_GET_DOCS,
    summary="Compare, as Markdown",
)
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
    responses={200: {"links": OF_COMPARISON}, **openapi.PROBLEMS, **openapi.UNSUPPORTED},
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
