"""Bodies of requests: JSON, read once and refused in one way; and what is left of one that is refused."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, compress
from typing import Any

import orjson
from anyio import move_on_after
from fastapi import Request
from starlette.types import Receive

from app.problems import ProblemError
from app.settings import MIB
from pricing.errors import Fault

MOST_READ_AWAY = 256 * MIB
SECONDS_TO_READ_AWAY = 10
# Commas are counted, before anything is made of them: the largest question, 20,000 offers, has 360,000 values.
MOST_VALUES = 2**20
# A question has five levels.
MOST_DEPTH = 32
_CONTAINERS = frozenset((dict, list))


class TooLargeError(Exception):
    """A body that goes beyond the limit of its address while it arrives."""


async def json_body(request: Request) -> object:
    """Read a JSON body. ProblemError 415 for another type, 422 for what is not JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise ProblemError(415, f"The body must be application/json, not {kind[:60] or 'of no stated type'}.")
    text = await request.body()
    if text.count(b",") >= MOST_VALUES:
        raise ProblemError(413, f"The body holds more than {MOST_VALUES:,} values.")
    try:
        body: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        # The parser has a limit of its own; its versions say it in these ways.
        if "recursion limit" in str(error).lower() or "depth limit" in str(error):
            raise _too_deep() from error
        raise ProblemError(422, f"The body is not JSON: {error}", [Fault(("body",), str(error))]) from error
    if text.count(b"[") + text.count(b"{") > MOST_DEPTH and depth_of(body) > MOST_DEPTH:
        raise _too_deep()
    return body


def _too_deep() -> ProblemError:
    said = f"The body is nested deeper than {MOST_DEPTH} levels."
    return ProblemError(422, said, [Fault(("body",), said)])


def depth_of(body: object) -> int:
    """Return how deep lists and objects are nested, looked at no deeper than the limit; a bare value has depth 0."""
    depth = 0
    level: list[Any] = [body] if type(body) in _CONTAINERS else []
    while level and depth <= MOST_DEPTH:
        depth += 1
        values = list(chain.from_iterable(each.values() if type(each) is dict else each for each in level))
        # Without a loop in Python: a question may hold 360,000 values.
        level = list(compress(values, map(_CONTAINERS.__contains__, map(type, values))))
    return depth


async def read_away(receive: Receive) -> None:
    """Take the rest of a body and drop it: most clients read an answer only after they have sent all."""
    taken, more = 0, True
    # One that comes too slowly is left where it is: the refusal comes first.
    with suppress(ProblemError), move_on_after(SECONDS_TO_READ_AWAY):
        while more and taken < MOST_READ_AWAY:
            message = await receive()
            taken += len(message.get("body", b""))
            more = message.get("more_body", False)
