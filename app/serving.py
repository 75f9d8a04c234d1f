"""Serving: one process by itself, or several workers behind one socket, under uvicorn's supervisor."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import connection, parent_process, reduction, resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from app.connections import server_options
from app.logs import configure
from app.memory import settle
from app.metrics import SHARED
from app.settings import Settings
from app.views import Views

if TYPE_CHECKING:
    from fastapi import FastAPI

log = logging.getLogger("perdollar")
# Seconds: how late a signal is seen at most, between two looks at all workers, and for which one may be deaf.
# A worker that ended is seen at once.
TICK, LOOK, DEAF = 0.1, 10.0, 30
# Seconds that a worker gets besides `grace`, to close what it has open.
CLOSING = 5.0
UPLOADS, METRICS = "uploads", "metrics"


def listening_socket(host: str, port: int) -> socket.socket:
    """Open the server's socket. OSError if the address can't be had.

    The protocol is named because asyncio sends without delay (TCP_NODELAY) only on sockets that name
    it; otherwise an answer's last part waits about 40 ms for the client's acknowledgement.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    return listener


class SharedSocket(socket.socket):
    """A listening socket that gives one connection at a time, so that each worker gets its share.

    An event loop accepts whatever is waiting. Of connections that come together one worker would take
    all, and answer them by itself for as long as they are kept open.
    """

    _given = False

    @classmethod
    def of(cls, listener: socket.socket) -> SharedSocket:
        """Take over a socket."""
        family, kind, protocol = listener.family, listener.type, listener.proto
        return cls(family, kind, protocol, fileno=listener.detach())

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection. BlockingIOError if there is none, and after each: the loop is to look again then."""
        if self._given:
            self._given = False
            raise BlockingIOError
        found = super().accept()
        self._given = True
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Be sent to a worker as the standard library sends a plain socket."""
        return _received, (reduction.DupFd(self.fileno()), self.family, self.type, self.proto)


def _received(handle: Any, family: int, kind: int, protocol: int) -> SharedSocket:
    return SharedSocket(family, kind, protocol, fileno=handle.detach())


@dataclass(frozen=True)
class Worker:
    """Makes the app inside a worker. It is sent there through a pipe, so it holds plain data and little of it.

    More than a pipe holds would keep the parent waiting for ever where a worker dies before it has read
    all. `folder` is the workers' own: what the server began with, and the tables that were uploaded.
    """

    settings: Settings
    prices: tuple[Path, ...]
    folder: Path

    def __call__(self) -> FastAPI:
        """Make the app; where the price files can't be read any more, with the tables that the server began with."""
        from app.main import create_app

        threading.Thread(target=_end_with_parent, daemon=True).start()
        configure(self.settings.log_format)
        app = create_app(self.settings, self.prices, known=self.known, uploads=self.folder / UPLOADS)
        settle()
        return app

    def keep(self, known: Views) -> None:
        """Write down what the server began with."""
        self._file.write_bytes(pickle.dumps(known))

    def known(self) -> Views:
        """Return what the server began with."""
        known: Views = pickle.loads(self._file.read_bytes())  # noqa: S301 - nobody else may write in the folder
        return known

    @property
    def _file(self) -> Path:
        return self.folder / ".tables"


def _end_with_parent() -> None:
    """Stop this worker when its parent is gone, so that none is left behind to hold the port."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


class Workers(Multiprocess):
    """uvicorn's supervisor, with some things of ours.

    A worker that ended is replaced at once, not at the next look; SIGHUP makes every worker read the
    prices anew, where uvicorn would restart them; the port is closed before the workers finish, and
    the wait for them is bounded. A second Ctrl-C or SIGTERM ends them without a wait.
    """

    def __init__(self, config: uvicorn.Config, listener: socket.socket, grace: int) -> None:
        """Take over the signals; workers start with `run`."""
        super().__init__(config, [listener])
        self.grace = grace
        self.interrupted = self.failed = False

    def run(self) -> None:
        """Keep the workers running until a signal ends them."""
        # Started first, since that unblocks SIGINT.
        resource_tracker.ensure_running()
        _without_signals(self.init_processes)
        looked = time.monotonic()
        while not self.should_exit.is_set():
            ended = connection.wait([process.process.sentinel for process in self.processes], TICK)
            _without_signals(self.handle_signals)
            if ended:
                _without_signals(self.replace_ended)
            elif time.monotonic() > looked + LOOK:
                _without_signals(self.keep_subprocess_alive)
                looked = time.monotonic()
        self.failed = any(process.exitcode == STARTUP_FAILURE for process in self.processes)
        # Held open here, the port would take connections that nobody answers.
        for listener in self.sockets:
            listener.close()
        self.terminate_all()
        self.join_all()

    def replace_ended(self) -> None:
        """Replace the workers that ended, without asking the others whether they are well."""
        for place, process in enumerate(self.processes):
            code = process.exitcode
            if code == STARTUP_FAILURE:
                # It would fail in the same way again.
                self.should_exit.set()
            elif code is not None:
                how = f"by signal {-code}" if code < 0 else f"with code {code}"
                log.error("worker %s ended %s, another takes its place", process.pid, how)
                process.kill()
                mark_process_dead(process.pid, os.environ[SHARED])  # type: ignore[no-untyped-call]
                self.processes[place] = Process(self.config, self.sockets)
                self.processes[place].start()

    def join_all(self) -> None:
        """Wait until the workers have finished their requests, `grace` seconds and a little more at most."""
        deadline = time.monotonic() + self.grace + CLOSING
        while running := [process for process in self.processes if process.process.is_alive()]:
            connection.wait([process.process.sentinel for process in running], TICK)
            again = any(signal_ in (signal.SIGINT, signal.SIGTERM) for signal_ in self.signal_queue)
            if again or time.monotonic() > deadline:
                for process in running:
                    process.process.kill()
        super().join_all()

    def handle_int(self) -> None:
        """Remember that it was Ctrl-C, which has an exit code of its own."""
        self.interrupted = True
        super().handle_int()

    def handle_hup(self) -> None:
        """Pass the signal on: the workers read the prices anew, and keep their connections."""
        for process in self.processes:
            if process.pid is not None and process.exitcode is None:
                os.kill(process.pid, signal.SIGHUP)


def _without_signals(start: Callable[[], None]) -> None:
    """Run what may start workers, with signals held back that a worker inherits so.

    SIGHUP would end a worker that does not listen for it yet: it waits until the worker does (app/watch.py).
    Ctrl-C goes to all processes of a terminal: it is the parent's, which ends the workers gently.
    """
    if os.name != "posix":
        start()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _config(app: Any, settings: Settings, **more: Any) -> uvicorn.Config:
    if settings.log_format == "json":
        more["log_config"] = None
    # Which proxies are trusted is for app/clients.py to say: uvicorn would believe any program of this machine.
    return uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, workers=settings.workers,
        proxy_headers=False, h11_max_incomplete_event_size=settings.head_bytes,
        timeout_graceful_shutdown=settings.grace, **server_options(settings), **more,
    )  # fmt: skip


def prepared(settings: Settings, prices: Sequence[Path]) -> Callable[[socket.socket], None]:
    """Read the prices, and return what serves them on a socket until a signal ends it.

    InvalidInputError if a table is wrong: nothing listens then. Ctrl-C is a KeyboardInterrupt, SIGTERM
    ends with exit code 0; both let running requests finish.
    """
    from app.main import create_app

    # uvicorn raises the signal once more when all is done.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    configure(settings.log_format)
    app = create_app(settings, prices)
    if settings.workers == 1:
        settle()
        return lambda listener: uvicorn.Server(_config(app, settings)).run(sockets=[listener])
    service = app.state.service

    def run(listener: socket.socket) -> None:
        with TemporaryDirectory(prefix="perdollar-") as folder:
            worker = Worker(settings, tuple(prices), Path(folder))
            worker.keep((service.table, dict(service.private)))
            for name in (UPLOADS, METRICS):
                (worker.folder / name).mkdir(mode=0o700)
            os.environ[SHARED] = str(worker.folder / METRICS)
            config = _config(worker, settings, factory=True, timeout_worker_healthcheck=DEAF)
            workers = Workers(config, SharedSocket.of(listener), settings.grace)
            workers.run()
        if workers.interrupted:
            raise KeyboardInterrupt
        if workers.failed:
            sys.exit(1)

    return run
