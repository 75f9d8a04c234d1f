"""Bodies of requests: JSON, read once and refused in one way; and what is left of one that is refused."""

from __future__ import annotations

from contextlib import suppress

import orjson
from anyio import move_on_after
from fastapi import Request
from starlette.types import Receive

from app.problems import ProblemError
from app.settings import MIB
from pricing.errors import Fault

MOST_READ_AWAY = 256 * MIB
SECONDS_TO_READ_AWAY = 10


class TooLargeError(Exception):
    """A body that goes beyond the limit of its address while it arrives."""


async def json_body(request: Request) -> object:
    """Read a JSON body. ProblemError 415 for another type, 422 for what is not JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise ProblemError(415, f"The body must be application/json, not {kind[:60] or 'of no stated type'}.")
    try:
        body: object = orjson.loads(await request.body())
    except orjson.JSONDecodeError as error:
        raise ProblemError(422, f"The body is not JSON: {error}", [Fault(("body",), str(error))]) from error
    return body


async def read_away(receive: Receive) -> None:
    """Take the rest of a body and drop it: most clients read an answer only after they have sent all."""
    taken, more = 0, True
    # One that comes too slowly is left where it is: the refusal comes first.
    with suppress(ProblemError), move_on_after(SECONDS_TO_READ_AWAY):
        while more and taken < MOST_READ_AWAY:
            message = await receive()
            taken += len(message.get("body", b""))
            more = message.get("more_body", False)
