"""The accelerators: figures, names and where they are sold."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from app import openapi
from app.exports import dumps, in_turns, table_csv
from app.openapi_links import OF_ACCELERATORS
from app.openapi_parts import ATTACHED, file_of, json_of
from app.problems import of_input
from app.service import Pairs, by_field, grouped, link, page, query_pairs, service_of, typed_pairs
from pricing.chips import Chip, chip_columns, chips
from pricing.errors import InvalidInputError

router = APIRouter(tags=["accelerators"])
_DOCS: dict[str, Any] = {"parameters": openapi.parameters(openapi.ACCELERATOR_DOCS)}


def _found(request: Request, pairs: Pairs) -> list[Chip]:
    service = service_of(request)
    return chips(pairs, service.table, service.catalogue, service.today)


def _rows(request: Request) -> list[dict[str, object]]:
    try:
        return [chip.row() for chip in _found(request, query_pairs(request))]
    except InvalidInputError as error:
        raise of_input(error, "query") from error


@router.get(
    "/accelerators.json",
    responses={
        **json_of("AcceleratorsOut", "All that match.", links=OF_ACCELERATORS),
        **openapi.PROBLEMS,
    },
    openapi_extra=_DOCS,
    summary="Accelerators, as JSON",
)
async def accelerators_json(request: Request) -> Response:
    """List the accelerators: memory, bandwidth, TFLOPS, cores, PyTorch device, aliases, offers."""
    rows = _rows(request)
    return Response(dumps({"total": len(rows), "accelerators": rows}), media_type="application/json")


@router.get(
    "/accelerators.csv",
    response_class=StreamingResponse,
    responses={
        **file_of("text/csv", "One accelerator a line.", headers=ATTACHED),
        **openapi.PROBLEMS,
    },
    openapi_extra=_DOCS,
    summary="Accelerators, as CSV",
)
async def accelerators_csv(request: Request) -> Response:
    """Give the same list as CSV."""
    rows = _rows(request)
    headers = {"Content-Disposition": 'attachment; filename="perdollar-accelerators.csv"'}
    lines = table_csv(chip_columns(service_of(request).catalogue), (list(row.values()) for row in rows))
    return StreamingResponse(in_turns(lines), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/accelerators", include_in_schema=False)
async def accelerators_page(request: Request) -> Response:
    """Show the accelerators with their figures and sources."""
    service = service_of(request)
    pairs: Pairs = typed_pairs(request)
    context: dict[str, object] = {
        "active": "accelerators",
        "vendors": sorted({chip.vendor for chip in service.catalogue.accelerators.values()}),
        "problems": {},
        "found": [],
        "table": service.table,
    }
    try:
        pairs = query_pairs(request)
        context["found"] = _found(request, pairs)
    except InvalidInputError as error:
        context |= {"values": grouped(pairs), "problems": by_field(error.faults)}
        return page("accelerators.html", context, status=422)
    sort = dict(pairs).get("sort", "")
    context |= {
        "values": grouped(pairs),
        "sort_column": sort.removeprefix("-"),
        "sort_descending": sort.startswith("-"),
        "json_link": link("/accelerators.json", pairs),
        "csv_link": link("/accelerators.csv", pairs),
    }
    return page("accelerators.html", context)
