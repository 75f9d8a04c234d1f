"""Bodies of requests: JSON, read once and refused in one way."""

from __future__ import annotations

import orjson
from fastapi import Request

from app.problems import ProblemError
from pricing.errors import Fault


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
