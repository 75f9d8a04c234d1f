"""Reading the price files anew when somebody asks for it."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from app import openapi
from app.access import asks
from app.exports import dumps
from app.problems import ProblemError
from app.service import service_of
from app.views import PrivateTableError, seen_by
from pricing.compare import prices_of
from pricing.errors import Fault, InvalidInputError

router = APIRouter(tags=["prices"])
log = logging.getLogger("perdollar")
_STAYS = "The price files can't be read; the table in use stays."
_ANOTHERS = "A private table that this token does not see can't be used; the server's log names it."


@router.post(
    "/api/v1/prices/refresh",
    response_model=openapi.PricesOut,
    responses={**openapi.PROBLEMS, **openapi.STAYS},
    summary="Read the price files anew",
)
async def refresh(request: Request) -> Response:
    """Read the server's price files now, and put the new table in the place of the old one.

    Other workers of the server take the files up by themselves, within seconds.
    """
    state = request.app.state
    try:
        async with state.reading:
            state.service = await run_in_threadpool(state.load)
    except InvalidInputError as error:
        log.error("the new prices can't be read, the old ones stay in use: %s", error.faults[0].msg)
        raise ProblemError(409, _STAYS, _told(request, error)) from error
    except OSError as error:
        log.error("the new prices can't be read, the old ones stay in use: %s", error)
        raise ProblemError(409, _STAYS, [Fault(("prices",), error.strerror or str(error))]) from error
    service = service_of(request)
    log.warning("new prices are in use: %d rows", state.service.table.source_rows)
    return Response(dumps(prices_of(service.table.market(service.today))), media_type="application/json")


def _told(request: Request, error: InvalidInputError) -> list[Fault]:
    """Return the faults that the one who asks may know: nothing of a table that their token does not see."""
    if isinstance(error, PrivateTableError):
        seen = seen_by(asks(request).name, request.app.state.tables)
        if not set(error.paths) <= set(seen):
            return [Fault(("prices",), _ANOTHERS)]
        error = error.told
    return [Fault(("prices", *fault.loc), fault.msg) for fault in error.faults]
