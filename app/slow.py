"""Bodies that come too slowly are refused, so that nobody holds the server by sending a byte now and then."""

from __future__ import annotations

import time

from anyio import move_on_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import ProblemError
from app.settings import Settings
from pricing.wording import say


class SlowBodies:
    """ASGI middleware: of a body some bytes must come within body_seconds, and least_rate bytes a second altogether.

    Only the time in which the app waits for bytes counts. Once an answer has begun, the connection
    itself sees to what is left of the body (app/connections.py).
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Wrap the app; limits come from the settings."""
        self.app, self.most, self.least_rate = app, settings.body_seconds, settings.least_rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, with a receive that doesn't wait for ever. ProblemError 408 comes out of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        waited, received, watched = 0.0, 0, True

        async def noticed_send(message: Message) -> None:
            nonlocal watched
            watched = False
            await send(message)

        async def timed_receive() -> Message:
            nonlocal waited, received, watched
            if not watched:
                return await receive()
            began = time.monotonic()
            with move_on_after(self.most) as waiting:
                message = await receive()
            waited += time.monotonic() - began
            if not waiting.cancelled_caught:
                received += len(message.get("body", b""))
                watched = message.get("more_body", False)
                if not watched or waited <= self.most or received >= self.least_rate * waited:
                    return message
            elif not watched:
                # The answer began in the meantime; it waits for the end of the connection alone.
                return await receive()
            raise ProblemError(
                408,
                say(
                    "The body comes too slowly: {received:,} bytes in {waited:.0f} s.", received=received, waited=waited
                ),
                headers={"Connection": "close"},
            )

        await self.app(scope, timed_receive, noticed_send)
