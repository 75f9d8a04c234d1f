"""Reading the price files anew when somebody asks for it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app import openapi
from app.access import asks
from app.exports import dumps
from app.problems import ProblemError
from app.service import service_of
from app.views import PrivateTableError, seen_by
from app.watch import Watch
from pricing.compare import prices_of
from pricing.errors import Fault

router = APIRouter(tags=["prices"])
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
    watch: Watch = request.app.state.watch
    if not await watch.look_now(request.app):
        raise ProblemError(409, _STAYS, _told(request, watch))
    service = service_of(request)
    return Response(dumps(prices_of(service.table.market(service.today))), media_type="application/json")


def _told(request: Request, watch: Watch) -> list[Fault]:
    """Return the faults that the one who asks may know: nothing of a table that their token does not see."""
    error = watch.refused
    if error is None:
        return [Fault(("prices",), f"{reason}.") for reason in watch.condition.reasons]
    if isinstance(error, PrivateTableError):
        seen = seen_by(asks(request).name, request.app.state.tables)
        if not set(error.paths) <= set(seen):
            return [Fault(("prices",), _ANOTHERS)]
        error = error.told
    return [Fault(("prices", *fault.loc), fault.msg) for fault in error.faults]
