"""Who asks, and what that allows: tokens, the read-only server, and requests that another site set off."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.bodies import TooLargeError, read_away
from app.clients import CLIENT
from app.observed import route_of
from app.problems import DETAILS, ProblemError
from app.rates import FAILURES, Rates
from app.settings import PrivateTable, Settings
from app.tokens import Entry, owner_of
from pricing.decisions import DECISIONS
from pricing.errors import InvalidInputError
from pricing.wording import say

log = logging.getLogger("perdollar")
# Where the viewer of a request stands in its scope.
VIEWER = "perdollar.viewer"
SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
_READS = ("GET", "HEAD", "OPTIONS", "TRACE")
# Requests with a body that store nothing and take no file. Every other one needs a token, a new one as well.
_ASKED = [f"/api/v1/{name}{ending}" for name in ("compare", *DECISIONS) for ending in ("", "/receipt")]
OPEN_POSTS = frozenset(("/language", SIGN_IN, SIGN_OUT, *_ASKED))
# The same for everybody; nothing in them depends on who asks.
ALIKE = ("/static/",)
NO_TOKENS = say(
    "This server is read-only: it listens beyond its own machine and has no tokens. `perdollar token NAME` makes one; "
    "its entry goes into PERDOLLAR_TOKENS."
)
NEEDED = say("This needs a token of this server.")
NOT_VALID = say("The token is not valid here.")
ELSEWHERE = say("This request was set off by another site; that is refused.")


@dataclass(frozen=True)
class Viewer:
    """Who asks: the name of their token ('' without one), whether they may store, whether there are tokens."""

    name: str = ""
    may_store: bool = True
    tokens: bool = False


_NOBODY = Viewer()
_current: ContextVar[Viewer] = ContextVar("viewer", default=_NOBODY)


def viewer() -> Viewer:
    """Return who asks, for a page's template."""
    return _current.get()


def asks(request: Request) -> Viewer:
    """Return who asks. Outside of Access it is nobody, who sees the least."""
    return cast(Viewer, request.scope.get(VIEWER, Viewer(may_store=False)))


def refuse_public(settings: Settings, tables: Sequence[PrivateTable], tokens: Sequence[Entry]) -> None:
    """Refuse to serve private tables to nobody or to everybody by mistake. InvalidInputError says what to set."""
    names = {entry.name for entry in tokens}
    for table in tables:
        if table.token and table.token not in names:
            raise InvalidInputError.at(
                (), f"PERDOLLAR_PRICES has a table for the token {table.token}, which PERDOLLAR_TOKENS does not name"
            )
    if tables and not (settings.local or tokens or settings.public_prices):
        raise InvalidInputError.at(
            (),
            f"a server at {settings.host} without tokens would show the private price tables to everybody: set "
            "PERDOLLAR_TOKENS (`perdollar token NAME` makes one), or PERDOLLAR_PUBLIC_PRICES=1 if they may be public",
        )


def needs_token(method: str, path: str, content_type: str) -> bool:
    """Whether a request stores something or brings files."""
    if method in _READS:
        return False
    return path not in OPEN_POSTS or content_type.strip().lower().startswith("multipart/")


def _cookie_name(scheme: str) -> str:
    """Return the cookie's name; by its prefix a browser keeps other hosts and plain HTTP from setting it."""
    return "__Host-perdollar_token" if scheme == "https" else "perdollar_token"


def set_off_elsewhere(headers: Headers) -> bool | None:
    """Whether the browser says that another site's page made the request; None if it says nothing."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    if origin is None:
        return None
    return urlsplit(origin).netloc.casefold() != headers.get("host", "").casefold() or not urlsplit(origin).netloc


class Access:
    """ASGI middleware that finds out who asks, and refuses what they may not."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        tokens: Sequence[Entry],
        rates: Rates,
        refuse: Callable[[Request, ProblemError], Response],
    ) -> None:
        """Wrap the app; `refuse` makes the page or the JSON of a refusal."""
        self.app, self.tokens, self.rates, self.refuse = app, tuple(tokens), rates, refuse
        self.nobody = Viewer("", not tokens and settings.local, bool(tokens))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find out who who, and pass the request on or refuse it."""
        if scope["type"] != "http" or scope["path"].startswith(ALIKE):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        who, refusal, stale = self.nobody, None, False
        by_cookie = False
        if self.tokens:
            presented, by_cookie = _presented(headers, scope["scheme"])
            name = owner_of(presented, self.tokens) if presented else ""
            if name:
                who = Viewer(name, True, True)
            elif presented:
                # A cookie may be older than the settings; its user is asked to sign in again where it matters.
                stale = by_cookie
                refusal = None if by_cookie else _unauthorized(NOT_VALID, "invalid_token")
                refusal = too_many_failures(self.rates, scope) or refusal
        refusal = refusal or self._refusal(scope, headers, who, by_cookie=by_cookie)
        scope[VIEWER] = who
        _current.set(who)

        started = False

        async def private_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                answer = MutableHeaders(scope=message)
                if self.tokens:
                    # A cache must not give one reader's answer to another.
                    answer.add_vary_header("Authorization, Cookie")
                if who.name or stale:
                    answer["Cache-Control"] = "private, no-store"
                if stale and "set-cookie" not in answer:
                    answer.append("Set-Cookie", cookie(scope["scheme"], ""))
            await send(message)

        if refusal is None:
            try:
                await self.app(scope, receive, private_send)
            except Exception as error:
                if not who.name or isinstance(error, HTTPException | TooLargeError):
                    raise
                # What it says may hold what a private table holds: the log gets the place alone.
                place = "".join(traceback.format_tb(error.__traceback__))
                log.error("request failed: %s %s\n%s%s", scope["method"], route_of(scope), place, type(error).__name__)
                if started:
                    raise ConnectionAbortedError("an answer was broken off; the log has the place") from None
                failed = ProblemError(500, DETAILS[500])
                await self.refuse(Request(scope, receive), failed)(scope, receive, private_send)
        else:
            if headers.get("expect", "").lower() != "100-continue":
                await read_away(receive)
            await self.refuse(Request(scope, receive), refusal)(scope, receive, private_send)

    def _refusal(self, scope: Scope, headers: Headers, who: Viewer, *, by_cookie: bool) -> ProblemError | None:
        if scope["method"] in _READS:
            return None
        guarded = needs_token(scope["method"], scope["path"], headers.get("content-type", ""))
        elsewhere = set_off_elsewhere(headers)
        if elsewhere and (guarded or by_cookie or scope["path"] in (SIGN_IN, SIGN_OUT)):
            return ProblemError(403, ELSEWHERE)
        if not guarded:
            return None
        if not who.may_store:
            return _unauthorized(NEEDED) if who.tokens else ProblemError(403, NO_TOKENS)
        if by_cookie and elsewhere is None:
            # Every browser that keeps such a cookie says where a form was sent from.
            return ProblemError(403, ELSEWHERE)
        return None


def too_many_failures(rates: Rates, scope: Scope) -> ProblemError | None:
    """Count a token that is not valid, or return the refusal of one too many.

    A valid one is never refused for it: tokens can't be guessed, and neighbours share an address.
    """
    many = rates.refused(FAILURES, scope[CLIENT])
    return None if many is None else ProblemError(429, many.detail, headers=many.headers)


def challenge(error: str = "") -> dict[str, str]:
    """Return the headers of a 401: what would let the request in."""
    said = f', error="{error}"' if error else ""
    return {"WWW-Authenticate": f'Bearer realm="PerDollar"{said}', "Cache-Control": "no-store"}


def _unauthorized(detail: str, error: str = "") -> ProblemError:
    return ProblemError(401, detail, headers=challenge(error))


def _presented(headers: Headers, scheme: str) -> tuple[str, bool]:
    """Return the token that a request brings, and whether a cookie brings it. Other schemes are a proxy's own."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        # Something is presented even where nothing follows the word.
        return token.strip() or "-", False
    kept = cookie_parser(headers.get("cookie", "")).get(_cookie_name(scheme), "")
    return kept, bool(kept)


def cookie(scheme: str, value: str) -> str:
    """Write the Set-Cookie header of a token, '' to take it away: for no script, for no request from elsewhere."""
    secure = "; Secure" if scheme == "https" else ""
    gone = "" if value else "; Max-Age=0"
    return f"{_cookie_name(scheme)}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{gone}"
