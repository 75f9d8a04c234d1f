"""Whether the server answers, and whether the prices it answers with are those on the disk."""

from __future__ import annotations

from datetime import date, datetime
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app import metrics
from app.exports import dumps
from app.service import service_of
from app.tables import newest_built_in
from app.watch import Watch
from pricing.compare import prices_of

router = APIRouter(tags=["about"])


class HealthOut(BaseModel):
    """That the server answers."""

    status: str = Field(description="Always ok.")
    price_rows: int = Field(description="Rows of the table in use.")
    prices_sha256: str = Field(description="Hash of its content.")


class ReadyOut(BaseModel):
    """The table in use, and how it stands to the price files on the disk."""

    status: str = Field(description="Always ready: the server listens only once it has a table.")
    degraded: bool = Field(description="Whether something should be mended, although all questions are answered.")
    reasons: list[str] = Field(description="What should be mended; a private file is not named.")
    stale_files: list[str] = Field(description="Price files that differ from what is in use and can't be taken.")
    price_rows: int = Field(description="Rows of the table in use.")
    prices_sha256: str = Field(description="Hash of its content.")
    observed_from: date | None = Field(description="Date of the oldest price in force today.")
    observed_to: date | None = Field(description="Date of the newest.")
    loaded_at: datetime = Field(description="When the table was read, in UTC.")


@router.get("/healthz", response_model=HealthOut, summary="Whether the server answers")
async def healthz(request: Request) -> Response:
    """Say that the server answers, and with how many prices."""
    table = service_of(request).table
    body = {"status": "ok", "price_rows": table.source_rows, "prices_sha256": table.sha256}
    return Response(dumps(body), media_type="application/json")


@router.get("/readyz", response_model=ReadyOut, summary="Whether the prices are those on the disk")
async def readyz(request: Request) -> Response:
    """Say which table is in use and whether it is that of the price files.

    The status is 200 also where `degraded` is true: the server answers from the table it has, and to
    take it away for a bad file would take all of its replicas away at once.
    """
    service = service_of(request)
    condition = cast(Watch, request.app.state.watch).condition
    prices = prices_of(service.table.market(service.today))
    reasons = list(condition.reasons)
    if newest_built_in() > service.today:
        reasons.append(f"the clock says {service.today}, before the newest built-in price ({newest_built_in()})")
    body = {
        "status": "ready",
        "degraded": bool(reasons),
        "reasons": reasons,
        "stale_files": condition.stale_files,
        "price_rows": prices.rows,
        "prices_sha256": prices.sha256,
        "observed_from": prices.observed_from,
        "observed_to": prices.observed_to,
        "loaded_at": condition.loaded_at,
    }
    return Response(dumps(body), media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    summary="Figures of the running server, for Prometheus",
)
def metrics_text() -> Response:
    """Return requests and durations by method and route, and rows and age of the prices, as Prometheus text."""
    return Response(metrics.exposition(), headers={"Content-Type": metrics.MEDIA_TYPE, "Cache-Control": "no-store"})
