"""Fetching of published price files: with time-outs, retries, limits, and resumed where it broke off.

A page is short and is held in memory; a file may be gigabytes and goes to disk as it comes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

import httpx2 as httpx
import tenacity

MIB = 1024 * 1024
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_PASSING = (408, 425, 429, 500, 502, 503, 504)
Progress = Callable[[int, int | None], None]


class FetchError(Exception):
    """A source gave no file; the message says what it did in place of it."""


class _PassingError(FetchError):
    """A failure that may be over when it is tried again, at the earliest after `wait` seconds."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True)
class Manner:
    """How patiently to fetch. Sizes in bytes, times in seconds.

    `least_rate` (bytes per second, over `grace`) ends what comes so slowly that it may never end.
    """

    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 60.0
    most_bytes: int = 4096 * MIB
    least_rate: float = 1024.0
    grace: float = 30.0


def _none(done: int, total: int | None) -> None:
    """Show nothing."""


@dataclass
class Fetcher:
    """Fetches files with one client. Redirects are followed to the same host alone."""

    manner: Manner = field(default_factory=Manner)
    progress: Progress = _none

    @contextmanager
    def open(self) -> Iterator[Fetcher]:
        """Open the client for the time of a `with` block."""
        manner = self.manner
        timeout = httpx.Timeout(manner.read_timeout, connect=manner.connect_timeout)
        headers = {"User-Agent": "PerDollar (price refresh)", "Accept-Encoding": "identity"}
        with httpx.Client(timeout=timeout, headers=headers, follow_redirects=False) as client:
            self._client = client
            yield self

    def file(self, url: str, target: Path) -> None:
        """Fetch to `target`, which is whole or not there. FetchError says what went wrong.

        What a broken attempt left is kept in `target`.part with the sender's mark of the version, and the
        next attempt, or the next run, asks for the rest of that version alone.
        """
        manner = self.manner
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_PassingError),
            stop=tenacity.stop_after_attempt(manner.attempts),
            wait=self._wait,
            reraise=True,
        )
        retrying(self._attempt, url, target)

    def page(self, url: str, target: Path) -> bytes:
        """Fetch to `target` as `file` does, and return the content."""
        self.file(url, target)
        return target.read_bytes()

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Seconds to the next attempt: what the server asks for, else twice as long as before, with chance in it."""
        manner = self.manner
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait if isinstance(error, _PassingError) else None
        doubling = tenacity.wait_random_exponential(manner.first_wait, manner.longest_wait, min=manner.first_wait / 2)
        return min(doubling(state) if asked is None else asked, manner.longest_wait)

    def _attempt(self, url: str, target: Path) -> None:
        part, mark = target.with_name(target.name + ".part"), target.with_name(target.name + ".mark")
        done = part.stat().st_size if part.exists() else 0
        version = mark.read_text("utf-8").split("\n") if done and mark.exists() else []
        headers = {}
        if len(version) == 2 and version[0] == url:
            headers = {"Range": f"bytes={done}-", "If-Range": version[1]}
        else:
            done = 0
        try:
            with self._answer(url, headers) as response:
                if response.status_code == 416:
                    part.unlink(missing_ok=True)
                    raise _PassingError(f"{_short(url)}: the rest of the file can't be had; it is fetched anew", 0)
                done = self._checked(response, url, done)
                tag = response.headers.get("etag", "")
                # A weak mark does not promise the same bytes; a date may be older than a second version.
                if tag and not tag.startswith("W/") and "content-encoding" not in response.headers:
                    mark.write_text(f"{url}\n{tag}", "utf-8")
                else:
                    mark.unlink(missing_ok=True)
                with part.open("r+b" if done else "wb") as file:
                    file.seek(done)
                    file.truncate()
                    self._receive(response, url, file, done)
                    file.flush()
                    os.fsync(file.fileno())
        except httpx.InvalidURL as error:
            raise FetchError(f"{_short(url)}: is no address ({error})") from error
        except httpx.TimeoutException as error:
            raise _PassingError(f"{_short(url)}: no answer in time ({type(error).__name__})") from error
        except httpx.HTTPError as error:
            raise _PassingError(f"{_short(url)}: broke off ({error or type(error).__name__})") from error
        os.replace(part, target)
        mark.unlink(missing_ok=True)

    @contextmanager
    def _answer(self, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        """Ask, and follow redirects to the same host."""
        for _ in range(_MOST_REDIRECTS + 1):
            with self._client.stream("GET", url, headers=headers) as response:
                if response.status_code not in _REDIRECTS:
                    yield response
                    return
                place = urljoin(url, response.headers.get("location", ""))
            if not same_host(url, place):
                raise FetchError(f"{_short(url)}: sends to another host ({_short(place)}), which is not followed")
            url = place
        raise FetchError(f"{_short(url)}: sends from one address to the next without end")

    def _checked(self, response: httpx.Response, url: str, done: int) -> int:
        """Return from which byte on the answer holds the file; FetchError for an answer that holds none."""
        status = response.status_code
        if status in _PASSING:
            raise _PassingError(f"{_short(url)}: answers {status}", _retry_after(response))
        if status not in (200, 206):
            raise FetchError(f"{_short(url)}: answers {status}")
        if "html" in response.headers.get("content-type", ""):
            raise FetchError(f"{_short(url)}: answers a web page where prices should be")
        if status == 200:
            done = 0
        elif not response.headers.get("content-range", "").startswith(f"bytes {done}-"):
            raise FetchError(f"{_short(url)}: answers another part of the file than was asked for")
        length = _length(response)
        if length is not None and done + length > self.manner.most_bytes:
            raise FetchError(f"{_short(url)}: has {done + length:,} bytes, more than {self.manner.most_bytes:,}")
        return done

    def _receive(self, response: httpx.Response, url: str, file: BinaryIO, done: int) -> None:
        manner, began, start = self.manner, time.monotonic(), done
        length = _length(response)
        total = None if length is None else done + length
        for chunk in response.iter_bytes():
            file.write(chunk)
            done += len(chunk)
            self.progress(done, total)
            if done > manner.most_bytes:
                raise FetchError(f"{_short(url)}: has more than {manner.most_bytes:,} bytes")
            took = time.monotonic() - began
            if took > manner.grace and (done - start) < manner.least_rate * took:
                raise _PassingError(f"{_short(url)}: comes too slowly, {done - start:,} bytes in {took:.0f} s")
        if total is not None and done != total:
            raise _PassingError(f"{_short(url)}: ended after {done:,} of {total:,} bytes")


def same_host(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    ports = {"http": 80, "https": 443}
    first, second = (
        (part.scheme, part.hostname, part.port or ports.get(part.scheme)) for part in map(urlsplit, (one, other))
    )
    return first == second


def _length(response: httpx.Response) -> int | None:
    text = response.headers.get("content-length", "")
    return int(text) if text.isdecimal() and "content-encoding" not in response.headers else None


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None


def _short(url: str) -> str:
    """Return an address without its query, which may hold a key."""
    return url.partition("?")[0]
