"""Taking up of new price files by a running server: on SIGHUP, and when a file has changed and is quiet again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import stat
import traceback
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from app import metrics
from app.memory import settle, stir
from app.service import Service
from pricing.errors import InvalidInputError, PriceFileError

log = logging.getLogger("perdollar")
# Thirty times the built-in and all refreshed tables together; more would fill the memory before it is refused.
MOST_BYTES = 1024**3
# A read that failed is tried again after so many looks: what was wrong may lie outside of the files, or pass by itself.
LOOKS_TO_RETRY = 30
# A file that has changed in so many looks, one after another, is said to have no rest.
MOST_RESTLESS = 30
PRIVATE = "a price file"
GONE = "is gone"


class Seen(NamedTuple):
    """What one look at a file tells: marks that change with its content, and why it can't be read, if so."""

    marks: tuple[int, ...]
    why_not: str = ""


State = dict[Path, Seen]


@dataclass(frozen=True)
class Condition:
    """How the table in use stands to the files on the disk; nothing here tells what a private file holds or is named.

    `stale_files` differ from what is in use and can't be taken; `reasons` say why.
    """

    loaded_at: datetime
    stale_files: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def seen(path: Path) -> Seen:
    """Look at a file without opening it: to open a pipe would be to wait for whoever writes into it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return Seen((), GONE)
    except (OSError, ValueError) as error:
        return Seen((), f"can't be looked at ({getattr(error, 'strerror', None) or error})")
    # Rights and names change without the content's time; a copy may keep time and size.
    marks = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
    if not stat.S_ISREG(found.st_mode):
        return Seen(marks, "is no regular file")
    if found.st_size > MOST_BYTES:
        return Seen(marks, f"has {found.st_size:,} bytes, more than the {MOST_BYTES:,} that a price file may have")
    return Seen(marks)


class Watch:
    """Keeps an app's service fresh, and knows how its table stands to the files.

    A file seen changing is read only when two looks, one after another, found it the same: half of a
    file may well be a table. A file of the table in use that is gone is a fault, too, until SIGHUP says
    that it is meant. A table that can't be read leaves the old one in use as a whole; the log says so
    once, and `condition` as long as it lasts.
    """

    def __init__(
        self,
        load: Callable[[], Service],
        private: Sequence[Path],
        refreshed: Callable[[], list[Path]],
        interval: float,
    ) -> None:
        """Remember how tables are read; `interval` is in seconds, between two looks."""
        self._load, self._private, self._refreshed, self._interval = load, tuple(private), refreshed, interval
        self._asked = asyncio.Event()
        self._turn = asyncio.Lock()
        self._known: set[Path] = set()
        self._in_use: State = {}
        self._tried: State = {}
        self._before: State = {}
        self._looks_failed = 0
        self._restless = 0
        self._said = ""
        self._stirred = False
        self.condition = Condition(datetime.now(UTC))
        self.refused: InvalidInputError | None = None

    def begin(self, before: Callable[[], Service] | None = None) -> Service:
        """Read the tables for the first time. InvalidInputError for one that can't be used.

        With `before`, which gives the service of a worker that ended, a bad table is told and that one used.
        """
        listed = self._listed()
        now = self._state(listed)
        # One that isn't there is refused by its reader, which can say it better.
        bad = {path: found.why_not for path, found in now.items() if found.why_not not in ("", GONE)}
        try:
            for path, why_not in bad.items():
                raise PriceFileError.at((path.name,), f"{path}: can't be read, since it {why_not}")
            service = self._load()
        except (InvalidInputError, OSError) as error:
            if before is None:
                raise
            self._known = set(listed)
            gone = {path: found.why_not for path, found in now.items() if found.why_not}
            cause = error.faults[0].msg if isinstance(error, InvalidInputError) else str(error)
            self._failed(gone or dict.fromkeys(listed, "is refused"), cause)
            service = before()
        else:
            self._taken(now)
        metrics.table_in_use(service.table)
        return service

    def ask(self) -> None:
        """Have the files read at the next turn, as they are: what is gone from the folder is meant to be gone."""
        self._asked.set()

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Watch the files while the app runs."""
        hangup = getattr(signal, "SIGHUP", None)
        if hangup is not None:
            # Only the main thread may; a test's client runs the app in another one.
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(hangup, self.ask)
                # A worker starts with it held back, see app/serving.py.
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {hangup})
        task = asyncio.create_task(self._run(app))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, app: FastAPI) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), self._interval)
            asked = self._asked.is_set()
            self._asked.clear()
            if self._stirred and not asked:
                # The requests that began with the table of before are done.
                settle()
                self._stirred = False
            await self._turn_of(app, asked)

    async def look_now(self, app: FastAPI) -> bool:
        """Read the files as they are, and return whether the table made of them is in use.

        If not, `condition` has the reasons, and `refused` what the files were refused for, if it was that.
        """
        return await self._turn_of(app, asked=True)

    async def _turn_of(self, app: FastAPI, asked: bool) -> bool:
        async with self._turn:
            self.refused = None
            try:
                service = await self._look(asked)
            except Exception as error:
                # Whatever it is, the next look must come.
                self._failed({}, f"the look at the price files failed ({type(error).__name__})", error.__traceback__)
                return False
            if service is None:
                return False
            app.state.service = service
            metrics.table_in_use(service.table)
            self._stirred = stir() or self._stirred
            return True

    async def _look(self, asked: bool) -> Service | None:
        """Look once; return the new service if the files gave one."""
        try:
            listed = await run_in_threadpool(self._listed)
        except OSError as error:
            self._failed({}, f"the folder can't be listed ({error.strerror or error})")
            self._tried = {}
            return None
        if asked:
            self._known = set(listed)
        paths = [*listed, *sorted(self._known.difference(listed))]
        now = await run_in_threadpool(self._state, paths)
        if not asked:
            if now == self._tried and not self._retry_is_due():
                self._before, self._restless = now, 0
                return None
            if now != self._before:
                self._before, self._restless = now, self._restless + 1
                if self._restless >= MOST_RESTLESS:
                    self._failed(dict.fromkeys(self._changed(now), "keeps changing"))
                return None
        self._before, self._restless, self._looks_failed = now, 0, 0
        return await self._read(paths, now)

    async def _read(self, paths: list[Path], now: State) -> Service | None:
        self._tried = now
        bad = {path: found.why_not for path, found in now.items() if found.why_not}
        if bad:
            self._failed(bad)
            return None
        try:
            service = await run_in_threadpool(self._load)
        except InvalidInputError as error:
            self.refused = error
            self._failed(dict.fromkeys(self._changed(now), "is refused"), error.faults[0].msg)
            return None
        if await run_in_threadpool(self._state, paths) != now:
            # Written to while it was read: what was read may be half of it.
            self._tried = {}
            return None
        self._taken(now)
        log.warning("new prices are in use: %d rows", service.table.source_rows)
        return service

    def _retry_is_due(self) -> bool:
        if not self.condition.reasons:
            return False
        self._looks_failed += 1
        return self._looks_failed >= LOOKS_TO_RETRY

    def _listed(self) -> list[Path]:
        return [*self._private, *self._refreshed()]

    @staticmethod
    def _state(paths: Iterable[Path]) -> State:
        return {path: seen(path) for path in paths}

    def _changed(self, now: State) -> list[Path]:
        paths = dict.fromkeys([*now, *self._in_use])
        return [path for path in paths if now.get(path) != self._in_use.get(path)]

    def _taken(self, now: State) -> None:
        self._known, self._in_use, self._tried, self._before = set(now), now, now, now
        self._said = ""
        self.condition = Condition(datetime.now(UTC))
        metrics.DEGRADED.set(0)

    def _failed(self, why: Mapping[Path, str], cause: str = "", place: TracebackType | None = None) -> None:
        """Keep for /readyz which files are bad and why; tell the log all of it, once.

        Of an exception nobody thought of it gets the place alone: its text may hold what a private file holds.
        """
        said = "; ".join([*(f"{path} {text}" for path, text in why.items()), *([cause] if cause else [])])
        if said != self._said:
            self._said = said
            metrics.LOAD_FAILURES.inc()
            metrics.DEGRADED.set(1)
            at = "".join(["\n", *traceback.format_tb(place)]) if place else ""
            log.error("the new prices can't be read, the old ones stay in use: %s%s", " ".join(said.split()), at)
        told = {path: PRIVATE if path in self._private else path.name for path in why}
        reasons = [f"{told[path]} {text}" for path, text in why.items()] or ["the price files can't be read"]
        self.condition = replace(
            self.condition,
            stale_files=tuple(dict.fromkeys(told.values())),
            reasons=tuple(dict.fromkeys(reasons)),
        )
