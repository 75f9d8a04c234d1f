"""Connections of clients that are slow, silent or too many: each is ended in time, so that others are served.

uvicorn waits without end for a head that trickles in, for the rest of a body after its answer, and for
a client that takes nothing of its answer. Its own bound of connections counts idle ones as well.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Iterable
from functools import partial
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

try:
    import fcntl
    import resource
    import termios
except ImportError:
    fcntl = None  # type: ignore[assignment]

from app.guard import HEADERS
from app.problems import MEDIA_TYPE, problem_bytes
from app.settings import Settings

log = logging.getLogger("perdollar")
# Looks at a connection in each of its times; a client has up to so much longer.
LOOKS = 4
LONGEST_LOOK = 1.0
# The share of the open files that the system allows which is kept for price tables, uploads and the like.
SHARE_KEPT = 8
LEAST_KEPT = 32
SECONDS_TO_RETRY = 5
# These tell that the server is overloaded, and not dead, also where it is.
PROBES = ("/healthz", "/readyz", "/metrics")
QUIET_SECONDS = 60.0


def server_options(settings: Settings) -> dict[str, Any]:
    """Return the options of uvicorn's Config that put these bounds in force."""
    return {
        "http": partial(BoundedProtocol, bounds=Bounds(settings)),
        "ws": "none",
        "timeout_keep_alive": settings.idle_seconds,
    }


class Bounds:
    """The bounds of one process, and whether it is at them."""

    def __init__(self, settings: Settings) -> None:
        """Take the bounds from the settings, connections also from how many files may be open."""
        self.head, self.body, self.answer = settings.head_seconds, settings.body_seconds, settings.answer_seconds
        self.least_rate = settings.least_rate
        self.look = min(LONGEST_LOOK, min(self.head, self.body, self.answer) / LOOKS)
        self.connections, self.kept = settings.max_connections, LEAST_KEPT
        if fcntl is not None:
            files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            if files != resource.RLIM_INFINITY:
                self.kept = max(LEAST_KEPT, files // SHARE_KEPT)
                self.connections = max(1, min(self.connections, files - self.kept))
        if self.connections < settings.max_connections and "max_connections" in settings.model_fields_set:
            log.warning(
                "PERDOLLAR_MAX_CONNECTIONS is %d, but only so many files may be open that %d are taken",
                settings.max_connections,
                self.connections,
            )
        self.full = False
        self._told = -QUIET_SECONDS
        self._loop: asyncio.AbstractEventLoop | None = None

    def count(self, connections: int) -> None:
        """Note how many connections are open; the log says once that they are too many."""
        if connections > self.connections and not self.full:
            self.full = True
            log.warning("%d connections are open; further ones are answered 503", self.connections)
        elif connections <= self.connections // 2:
            self.full = False

    def heed(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have a lack of file descriptors said once a minute: asyncio says it for each place in the queue."""
        if self._loop is not loop:
            self._loop = loop
            loop.set_exception_handler(self._lacking)

    def _lacking(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "out of system resource" not in context.get("message", ""):
            loop.default_exception_handler(context)
        elif loop.time() - self._told >= QUIET_SECONDS:
            self._told = loop.time()
            log.error("new connections have to wait: %s", context.get("exception"))


class _Counted:
    """A transport that knows how many bytes it was given."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.written = 0

    def write(self, data: bytes) -> None:
        self.written += len(data)
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol with an end to each kind of waiting."""

    def __init__(self, *arguments: Any, bounds: Bounds, **named: Any) -> None:
        """Make the protocol of one connection."""
        super().__init__(*arguments, **named)
        self.bounds = bounds
        self._head_since: float | None = None
        self._rest_since: float | None = None
        # When, with how much taken and how much waiting, the present time of an answer began.
        self._answer_since: tuple[float, int, int] | None = None
        self._timer: asyncio.TimerHandle | None = None
        bounds.heed(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or make room first: for a new client the one that has been idle longest goes."""
        super().connection_made(_Counted(transport))  # type: ignore[arg-type]
        self._head_since = self.loop.time()
        self._timer = self.loop.call_later(self.bounds.look, self._look)
        open_now = len(self.connections)
        if open_now > self.bounds.connections:
            if longest_idle := _longest_idle(self.connections):
                longest_idle.timeout_keep_alive_handler()
                return
            self.app = partial(_busy, self.app)
            if open_now > self.bounds.connections + self.bounds.kept // 2:
                self._cut()
        self.bounds.count(open_now)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)
        self.bounds.count(len(self.connections))

    def data_received(self, data: bytes) -> None:
        """Take bytes, and note when those of a head began."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_since = None
        elif self._head_since is None:
            self._head_since = self.loop.time()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, also within a body that the app is waiting for."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400, msg)
        else:
            self._cut()

    def _look(self) -> None:
        """Look whether the client is waited for too long."""
        self._timer = self.loop.call_later(self.bounds.look, self._look)
        now = self.loop.time()
        if self._takes_too_little(now):
            self._cut()
        elif self._head_since is not None and now - self._head_since >= self.bounds.head:
            self._head_since = None
            if self.conn.trailing_data[0]:
                self._refuse(408, f"The head of the request was not complete within {self.bounds.head:g} s.")
            else:
                self.transport.close()
        elif self.conn.our_state is not h11.DONE or self.conn.their_state is not h11.SEND_BODY:
            self._rest_since = None
        elif self._rest_since is None:
            self._rest_since = now
        elif now - self._rest_since >= self.bounds.body:
            self._cut()

    def _takes_too_little(self, now: float) -> bool:
        """Whether of what lay there for the client it took too little in the time of an answer."""
        pending = self.transport.get_write_buffer_size() + self._unsent()
        taken = self.transport.written - pending  # type: ignore[attr-defined]
        if not pending:
            self._answer_since = None
        elif self._answer_since is None:
            self._answer_since = (now, taken, pending)
        elif now - self._answer_since[0] >= self.bounds.answer:
            _, before, waiting = self._answer_since
            self._answer_since = (now, taken, pending)
            least = max(1.0, self.bounds.least_rate * self.bounds.answer)
            return bool(taken - before < min(waiting, least))
        return False

    def _unsent(self) -> int:
        """Return how many bytes the system holds that the client has not confirmed, where it tells."""
        if fcntl is None:
            return 0
        try:
            found = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        except OSError:
            return 0
        return int(struct.unpack("i", found)[0])

    def _cut(self) -> None:
        """End the connection at once; what the client has not taken is dropped, by the system as well."""
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _refuse(self, status: int, detail: str) -> None:
        """Answer a request that is none, and end the connection."""
        phrase = STATUS_PHRASES[status]
        body = problem_bytes(status, phrase.decode(), detail)
        for event in (
            h11.Response(status_code=status, headers=_headers(body), reason=phrase),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _longest_idle(connections: Iterable[Any]) -> Any:
    """Return the connection that has waited longest for its next request; None if none waits."""
    idle = [each for each in connections if each.timeout_keep_alive_task and not each.transport.is_closing()]
    return min(idle, key=lambda each: each.timeout_keep_alive_task.when(), default=None)


def _headers(body: bytes) -> list[tuple[bytes, bytes]]:
    own = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    return [*own, (b"connection", b"close"), *HEADERS]


async def _busy(app: Any, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 503 in the place of the app, but for probes."""
    if scope["path"] in PROBES:
        await app(scope, receive, send)
        return
    body = problem_bytes(503, "Service Unavailable", "The server has too many clients at the moment; try again soon.")
    headers = [*_headers(body), (b"retry-after", str(SECONDS_TO_RETRY).encode())]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
