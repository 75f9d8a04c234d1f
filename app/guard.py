"""The outermost layer: security headers on every answer, limits on every request, HEAD as GET."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.bodies import TooLargeError, read_away
from app.problems import MEDIA_TYPE, problem_bytes
from app.settings import Settings

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
COMPARE = "/api/v1/compare"
UPLOADS = ("/prices/import", "/api/v1/prices/import")
BENCHMARKS = ("/benchmarks", "/api/v1/benchmarks/read")
MOST_DIGITS = 18


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Wrap the app; limits come from the settings."""
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request and pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        outer, head = scope, scope["method"] == "HEAD"
        if head:
            scope = {**scope, "method": "GET"}
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = message.get("headers", ())
                # A picture states a policy of its own, stricter than that of the pages.
                stated = {name for name, _ in own}
                message["headers"] = [*own, *((name, value) for name, value in HEADERS if name not in stated)]
            elif head:
                message = {**message, "body": b""}
            await send(message)

        limits = {
            COMPARE: self.settings.max_compare_body,
            **dict.fromkeys(UPLOADS, self.settings.max_upload),
            **dict.fromkeys(BENCHMARKS, self.settings.max_benchmark),
        }
        most = limits.get(scope["path"], self.settings.max_body)
        too_long = f"The body is larger than the {most:,} bytes that this address takes."
        if len(scope["query_string"]) > self.settings.max_query:
            limit = self.settings.max_query
            await _refuse(guarded_send, f"The query is longer than {limit:,} bytes; POST it to {COMPARE}.")
            return
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > MOST_DIGITS or int(length) > most:
            if headers.get(b"expect", b"").lower() != b"100-continue":
                await read_away(receive)
            await _refuse(guarded_send, too_long)
            return
        received, more = 0, True

        async def limited_receive() -> Message:
            nonlocal received, more
            message = await receive()
            received += len(message.get("body", b""))
            more = message.get("more_body", False)
            if received > most:
                raise TooLargeError
            return message

        try:
            try:
                await self.app(scope, limited_receive, guarded_send)
            finally:
                # The layer outside of this one counts requests by route.
                outer["route"] = scope.get("route")
        except TooLargeError:
            if not started:
                if more:
                    await read_away(receive)
                await _refuse(guarded_send, too_long)


async def _refuse(send: Send, detail: str) -> None:
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": problem_bytes(413, "Content Too Large", detail)})
