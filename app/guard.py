"""The outermost layer: security headers on every answer, limits on every request, HEAD as GET."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access import ALIKE, needs_token
from app.bodies import TooLargeError, read_away
from app.clients import CLIENT, Clients
from app.problems import MEDIA_TYPE, problem_bytes
from app.rates import REQUESTS, UPLOADS, Rates, TooMany
from app.service import way_back
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
PRICE_FILES = ("/prices/import", "/api/v1/prices/import")
BENCHMARKS = ("/benchmarks", "/api/v1/benchmarks/read")
# Whether the server is well is asked often, and by nobody who could wait.
PROBES = ("/healthz", "/readyz", "/metrics")
MOST_DIGITS = 18
# As RFC 9110 has them; older Pythons have the names of before.
TITLES = {413: "Content Too Large", 414: "URI Too Long"}


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, settings: Settings, rates: Rates) -> None:
        """Wrap the app; limits come from the settings."""
        self.app, self.settings, self.rates = app, settings, rates
        self.clients = Clients(settings.trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request and pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name, _here(name, value)) for name, value in message.get("headers", ())]
                # A picture states a policy of its own, stricter than that of the pages.
                stated = {name for name, _ in own}
                message["headers"] = [*own, *((name, value) for name, value in HEADERS if name not in stated)]
            elif head:
                message = {**message, "body": b""}
            await send(message)

        client, scheme = self.clients.told(scope)
        inner = {**scope, "scheme": scheme, CLIENT: client, "method": "GET" if head else scope["method"]}
        try:
            await self._checked(inner, receive, guarded_send, client)
        finally:
            # The layer outside of this one counts requests by route.
            scope["route"] = inner.get("route")

    async def _checked(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        """Pass a request on if it is within the limits, and refuse it otherwise."""
        if (many := self._too_many(scope, client)) is not None:
            await _refuse(send, 429, many.detail, many.headers)
            return
        limits = {
            COMPARE: self.settings.max_compare_body,
            **dict.fromkeys(PRICE_FILES, self.settings.max_upload),
            **dict.fromkeys(BENCHMARKS, self.settings.max_benchmark),
        }
        most = limits.get(scope["path"], self.settings.max_body)
        too_long = f"The body is larger than the {most:,} bytes that this address takes."
        too_large = self._too_large(scope)
        if too_large is not None:
            await _refuse(send, *too_large)
            return
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > MOST_DIGITS or int(length) > most:
            if headers.get(b"expect", b"").lower() != b"100-continue":
                await read_away(receive)
            await _refuse(send, 413, too_long)
            return
        received, more, started = 0, True, False

        async def limited_receive() -> Message:
            nonlocal received, more
            message = await receive()
            received += len(message.get("body", b""))
            more = message.get("more_body", False)
            if received > most:
                raise TooLargeError
            return message

        async def noted_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, limited_receive, noted_send)
        except TooLargeError:
            if not started:
                if more:
                    await read_away(receive)
                await _refuse(send, 413, too_long)

    def _too_many(self, scope: Scope, client: str) -> TooMany | None:
        """Count the request of a client, unless it is for what must always answer."""
        path = scope["path"]
        if path in PROBES or path.startswith(ALIKE):
            return None
        many = self.rates.refused(REQUESTS, client)
        if many is None and needs_token(scope["method"], path, Headers(scope=scope).get("content-type", "")):
            many = self.rates.refused(UPLOADS, client)
        return many

    def _too_large(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and sentence for an address or header fields beyond the limits."""
        most, query, headers = self.settings, scope["query_string"], scope["headers"]
        if len(scope.get("raw_path") or scope["path"].encode()) > most.max_path:
            return 414, f"The path is longer than {most.max_path:,} bytes."
        if len(query) > most.max_query:
            return 413, f"The query is longer than {most.max_query:,} bytes; POST it to {COMPARE}."
        if query.count(b"&") >= most.max_query_fields:
            return 413, f"The query has more than {most.max_query_fields:,} fields; POST it to {COMPARE}."
        if len(headers) > most.max_headers:
            return 431, f"The request has more than {most.max_headers:,} header fields."
        # As they come over the line: a colon, a blank and a line's end with each.
        if sum(len(name) + len(value) + 4 for name, value in headers) > most.max_header_bytes:
            return 431, f"The header fields are longer than {most.max_header_bytes:,} bytes together."
        return None


def _here(name: bytes, value: bytes) -> bytes:
    """Return a header's value; redirects lead to this server by path alone, since Host is whatever a client writes."""
    return way_back(value.decode("latin-1")).encode("latin-1") if name == b"location" else value


async def _refuse(send: Send, status: int, detail: str, more: Mapping[str, str] | None = None) -> None:
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
    headers += [(name.lower().encode(), value.encode()) for name, value in (more or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    title = TITLES.get(status) or HTTPStatus(status).phrase
    await send({"type": "http.response.body", "body": problem_bytes(status, title, detail)})
