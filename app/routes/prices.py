"""The price table: what is in force, and the history of an offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from app import openapi
from app.charts import HistoryChart, history_chart
from app.exports import dumps, in_turns, page_rows, rows_of, table_csv
from app.openapi_links import OF_PRICES
from app.openapi_parts import ATTACHED, BROWSED, file_of
from app.problems import of_input
from app.service import (
    Pairs,
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
from pricing.browse import PRICE_COLUMNS, SCHEMA_COLUMNS, Browsed, browse
from pricing.errors import InvalidInputError
from pricing.offers import AVAILABILITY, EVIDENCE, PURCHASES

router = APIRouter(tags=["prices"])
_DOCS: dict[str, Any] = {"parameters": openapi.parameters(openapi.PRICES_DOCS, own=BROWSED)}


def _found(request: Request, pairs: Pairs, *, all_rows: bool = False) -> Browsed:
    service = service_for(request, pairs)
    return browse(pairs, service.table, service.catalogue, service.today, all_rows=all_rows)


@router.get(
    "/prices.json",
    response_model=openapi.PriceListOut,
    responses={200: {"links": OF_PRICES}, **openapi.PROBLEMS},
    openapi_extra=_DOCS,
    summary="Prices, as JSON",
)
async def prices_json(request: Request) -> Response:
    """List the prices in force, or with history=1 every observation."""
    try:
        found = _found(request, query_pairs(request))
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    body = {
        "as_of": found.as_of,
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "prices": rows_of(found.page, PRICE_COLUMNS),
    }
    return Response(dumps(body), media_type="application/json")


@router.get(
    "/prices.csv",
    response_class=StreamingResponse,
    responses={
        **file_of(
            "text/csv",
            "A price table in PerDollar's schema: it can be used as a private table.",
            headers=ATTACHED,
        ),
        **openapi.PROBLEMS,
    },
    openapi_extra=_DOCS,
    summary="Prices, as CSV",
)
async def prices_csv(request: Request) -> Response:
    """Give the prices in the schema of a price table: all of them unless `limit` says otherwise."""
    try:
        found = _found(request, query_pairs(request), all_rows=True)
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    header = [column.name for column in SCHEMA_COLUMNS]
    rows = zip(*(column.python(found.page) for column in SCHEMA_COLUMNS), strict=True)
    headers = {"Content-Disposition": f'attachment; filename="perdollar-prices-{found.as_of}.csv"'}
    return StreamingResponse(in_turns(table_csv(header, rows)), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/prices", include_in_schema=False)
async def prices_page(request: Request) -> Response:
    """Show the table with its filters."""
    service = service_of(request)
    pairs: Pairs = typed_pairs(request)
    context: dict[str, object] = {
        "active": "prices",
        "table": service.table,
        "providers": service.table.values("provider"),
        "purchases": PURCHASES,
        "evidence": EVIDENCE,
        "availability": AVAILABILITY,
        "areas": service.catalogue.area_names(),
        "vendors": [v for v in service.table.values("accelerator_vendor") if v],
        "accelerators": list(service.catalogue.accelerators),
        "catalogue": service.catalogue,
        "uploaded": "",
        "problems": {},
        "found": None,
    }
    try:
        pairs = query_pairs(request)
        service = service_for(request, pairs)
        context |= {"uploaded": service.uploaded, "table": service.table, "providers": service.table.values("provider")}
        found = _found(request, pairs)
    except InvalidInputError as error:
        context |= {"values": grouped(pairs), "problems": by_field(error.faults)}
        template = "_prices.html" if is_fragment(request) else "prices.html"
        return page(template, context, status=422)
    clean = [(name, value) for name, value in pairs if value.strip() and not name.startswith("utm_")]
    last = found.offset + len(found.page)
    rows = page_rows(found.page, PRICE_COLUMNS)
    context |= {
        "values": grouped(pairs),
        "found": found,
        "rows": rows,
        "chart": history_of(rows) if found.history else None,
        "last": last,
        "sort_column": found.sort.removeprefix("-"),
        "sort_descending": found.sort.startswith("-"),
        "json_link": link("/prices.json", clean),
        "csv_link": link("/prices.csv", linked(clean, offset=None, limit=None)),
        "previous": link("/prices", linked(clean, offset=max(found.offset - found.limit, 0) or None))
        if found.offset
        else None,
        "next": link("/prices", linked(clean, offset=last)) if last < found.total else None,
    }
    if is_fragment(request):
        return page("_prices.html", context, headers={"HX-Push-Url": link("/prices", clean)})
    return page("prices.html", context)


def offers_of(rows: Iterable[Any]) -> set[tuple[object, ...]]:
    """Return the keys of the offers that rows are observations of."""
    return {
        (r.provider, r.instance_type, r.accelerator_count, r.region, r.purchase, r.term_months, r.plan) for r in rows
    }


def history_of(rows: Sequence[Any]) -> HistoryChart | None:
    """Return the chart of a history, where all rows are observations of one offer."""
    seen = [(r.observed_on, r.price_usd_per_hour) for r in rows if r.observed_on and r.price_usd_per_hour]
    return history_chart(seen) if len(offers_of(rows)) == 1 else None
