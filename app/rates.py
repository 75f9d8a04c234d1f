"""How many requests a client may make: moving windows of the library `limits`, in the memory of this process."""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from typing import NamedTuple

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.settings import Settings
from pricing.wording import say

# Beyond these the clients that were not seen for longest are forgotten: about 40 MB at most.
MOST_CLIENTS = 10_000
MOST_HITS = 500_000
REQUESTS, UPLOADS, FAILURES = "requests", "uploads", "failures"


class Memory(MemoryStorage):
    """The library's memory for moving windows, with a bound.

    The library's own keeps a name for every client that ever came, and looks through all of them in a
    thread that it starts with nearly every request. Here a client's old hits go when it comes again, and
    the clients seen longest ago go when there are too many. Times are of a clock that nobody sets.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__()
        self._hits: OrderedDict[str, deque[float]] = OrderedDict()
        self._count = 0

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count a hit of a client, unless its window is full."""
        hits = self._recent(key, expiry)
        if len(hits) + amount > limit:
            return False
        hits.extend([time.monotonic()] * amount)
        self._count += amount
        while self._hits and (len(self._hits) > MOST_CLIENTS or self._count > MOST_HITS):
            self._count -= len(self._hits.popitem(last=False)[1])
        return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the oldest hit in the window was, and how many hits there are."""
        hits = self._recent(key, expiry)
        return (hits[0] if hits else time.monotonic()), len(hits)

    def _recent(self, key: str, expiry: int) -> deque[float]:
        hits = self._hits.setdefault(key, deque())
        self._hits.move_to_end(key)
        oldest = time.monotonic() - expiry
        while hits and hits[0] <= oldest:
            hits.popleft()
            self._count -= 1
        return hits


class TooMany(NamedTuple):
    """That a client did something too often, and when it may again (RFC 6585; RateLimit as in the IETF's draft 10)."""

    detail: str
    headers: dict[str, str]


class Rates:
    """The limits of a server: of all requests, of uploads, and of tokens that are not valid."""

    def __init__(self, settings: Settings) -> None:
        """Take the limits of the settings."""
        self._items: dict[str, RateLimitItem] = {name: parse(text) for name, text in settings.rates.items()}
        self._limiter = MovingWindowRateLimiter(Memory())

    def refused(self, kind: str, client: str) -> TooMany | None:
        """Count one of a kind, or say that it is one too many; a kind without a limit never is."""
        item = self._items.get(kind)
        if item is None or self._limiter.hit(item, kind, client):
            return None
        window = item.get_expiry()
        opens, _ = self._limiter.get_window_stats(item, kind, client)
        wait = max(math.ceil(opens - time.monotonic()), 1)
        return TooMany(
            _said(kind, {"amount": item.amount, "window": window, "wait": wait}),
            {
                "Retry-After": str(wait),
                "RateLimit-Policy": f'"{kind}";q={item.amount};w={window}',
                "RateLimit": f'"{kind}";r=0;t={wait}',
                "Cache-Control": "no-store",
            },
        )


def _said(kind: str, values: dict[str, object]) -> str:
    if kind == UPLOADS:
        return say("More than {amount:,} uploads in {window:,} s; try again in {wait:,} s.", **values)
    if kind == FAILURES:
        return say("More than {amount:,} tokens that are not valid in {window:,} s; try again in {wait:,} s.", **values)
    return say("More than {amount:,} requests in {window:,} s; try again in {wait:,} s.", **values)
