"""The outermost layer: gives each request an id, counts it, and writes its line in the log."""

from __future__ import annotations

import logging
import re
import secrets
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import metrics
from app.logs import REQUEST_ID, access

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE")
NO_ROUTE = "none"


class Observed:
    """ASGI middleware around the whole app.

    An id that a proxy gave in X-Request-ID is taken where it is one; it comes back in the answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and note how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        name = given if _ID.fullmatch(given) else secrets.token_hex(8).encode()
        REQUEST_ID.set(name.decode())
        status = sent = 0

        async def noted_send(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", name)]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        began = time.perf_counter()
        metrics.IN_FLIGHT.inc()
        try:
            await self.app(scope, receive, noted_send)
        except Exception:
            # Answered by the layer outside of all others.
            status = status or 500
            raise
        finally:
            seconds = time.perf_counter() - began
            metrics.IN_FLIGHT.dec()
            # A method is whatever a client writes.
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = route_of(scope)
            metrics.REQUESTS.labels(method, route, f"{status // 100}xx" if status else "none").inc()
            metrics.DURATION.labels(method, route).observe(seconds)
            if access.isEnabledFor(logging.INFO):
                said = {"method": method, "route": route, "status": status, "seconds": round(seconds, 6), "bytes": sent}
                access.info("request", extra=said)


def route_of(scope: Scope) -> str:
    """Return the route that answered as the code writes it; of files, and where there is none, one name for all."""
    route = scope.get("route")
    if route is not None:
        return str(route.path)
    return "/static" if scope["path"].startswith("/static/") else NO_ROUTE
