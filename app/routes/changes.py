"""What changed in the prices: between two dates, or by an uploaded table."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from app import openapi
from app.exports import dumps, in_turns, table_csv
from app.openapi_links import OF_CHANGES
from app.openapi_parts import ATTACHED, CHANGED, file_of, json_of
from app.problems import of_input
from app.service import Pairs, by_field, grouped, link, linked, page, query_pairs, service_for, service_of, typed_pairs
from pricing.changes import KINDS, Change, Changed, changed
from pricing.errors import InvalidInputError

router = APIRouter(tags=["prices"])
_DOCS: dict[str, Any] = {"parameters": openapi.parameters(openapi.CHANGES_DOCS, own=CHANGED)}


def _found(request: Request, pairs: Pairs, *, all_rows: bool = False) -> Changed:
    service = service_of(request)
    uploaded = service_for(request, pairs).uploaded
    own = service.kept(uploaded)[1] if uploaded else None
    return changed(pairs, service.table, own, service.today, all_rows=all_rows)


@router.get(
    "/prices/changes.json",
    responses={
        **json_of("ChangesOut", "A page of changes.", links=OF_CHANGES),
        **openapi.PROBLEMS,
    },
    openapi_extra=_DOCS,
    summary="Changes, as JSON",
)
async def changes_json(request: Request) -> Response:
    """List what is new, gone, dearer or cheaper, the biggest moves first, with counts by provider."""
    try:
        found = _found(request, query_pairs(request))
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    body = {
        "since": found.since,
        "as_of": found.as_of,
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "providers": found.summaries,
        "changes": found.page,
    }
    return Response(dumps(body), media_type="application/json")


@router.get(
    "/prices/changes.csv",
    response_class=StreamingResponse,
    responses={
        **file_of("text/csv", "One change a line.", headers=ATTACHED),
        **openapi.PROBLEMS,
    },
    openapi_extra=_DOCS,
    summary="Changes, as CSV",
)
async def changes_csv(request: Request) -> Response:
    """Give the same changes as CSV: all of them unless `limit` says otherwise."""
    try:
        found = _found(request, query_pairs(request), all_rows=True)
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    names = list(Change.__slots__)
    lines = table_csv(names, ([getattr(change, name) for name in names] for change in found.page))
    headers = {"Content-Disposition": f'attachment; filename="perdollar-changes-{found.as_of}.csv"'}
    return StreamingResponse(in_turns(lines), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/prices/changes", include_in_schema=False)
async def changes_page(request: Request) -> Response:
    """Show what changed, by provider and offer."""
    service = service_of(request)
    pairs: Pairs = typed_pairs(request)
    context: dict[str, object] = {
        "active": "prices", "providers": service.table.values("provider"), "kinds": KINDS, "problems": {},
        "found": None,
    }  # fmt: skip
    try:
        pairs = query_pairs(request)
        found = _found(request, pairs)
    except InvalidInputError as error:
        context |= {"values": grouped(pairs), "problems": by_field(error.faults)}
        return page("changes.html", context, status=422)
    last = found.offset + len(found.page)
    before = max(found.offset - found.limit, 0) or None
    context |= {
        "values": grouped(pairs),
        "found": found,
        "last": last,
        "json_link": link("/prices/changes.json", pairs),
        "csv_link": link("/prices/changes.csv", linked(pairs, offset=None, limit=None)),
        "previous": link("/prices/changes", linked(pairs, offset=before)) if found.offset else None,
        "next": link("/prices/changes", linked(pairs, offset=last)) if last < found.total else None,
    }
    return page("changes.html", context)
