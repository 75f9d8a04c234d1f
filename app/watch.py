"""Taking up of new price files by a running server: on SIGHUP, and when a file has changed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from app.service import Service
from pricing.errors import InvalidInputError

log = logging.getLogger("perdollar")
# Seconds between two looks at the files; a look asks for a few dates only.
INTERVAL = 2.0
State = tuple[tuple[str, int, int], ...]


def state_of(files: Iterable[Path]) -> State:
    """Return what tells that files have changed: names, times and sizes of those that are there."""
    found = []
    for path in files:
        with contextlib.suppress(OSError):
            stat = path.stat()
            found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def watching(
    load: Callable[[], Service], files: Callable[[], list[Path]], interval: float = INTERVAL
) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    """Return the lifespan of an app that keeps its service fresh.

    The new table is read beside the event loop and put in the place of the old one at once, so that
    each request sees one table. A table that can't be read leaves the old one in use, and the log says so.
    """

    async def watch(app: FastAPI, asked: asyncio.Event) -> None:
        seen = state_of(files())
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), interval)
            now = await run_in_threadpool(lambda: state_of(files()))
            if now == seen and not asked.is_set():
                continue
            asked.clear()
            seen = now
            try:
                service = await run_in_threadpool(load)
            except (InvalidInputError, OSError) as error:
                text = error.faults[0].msg if isinstance(error, InvalidInputError) else str(error)
                log.error("the new prices can't be read, the old ones stay in use: %s", text)
            else:
                app.state.service = service
                log.warning("new prices are in use: %d rows", service.table.source_rows)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        asked = asyncio.Event()
        hangup = getattr(signal, "SIGHUP", None)
        if hangup is not None:
            # Only the main thread may; a test's client runs the app in another one.
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(hangup, asked.set)
        task = asyncio.create_task(watch(app, asked))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    return lifespan
