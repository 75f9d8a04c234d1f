"""What the tests of faults share: a real server, raw connections, and waiting for what must come at some time."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import httpx2 as httpx

import app

HEADING = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n"
# So generous that a slow machine never meets it; a passing test waits only as long as it has to.
MOST_SECONDS = 60


def table(price, provider="acme", instance_type="box"):
    """Return a price table with one offer of an H100."""
    return f"{HEADING}{provider},{instance_type},H100-SXM,1,{price},2026-11-01\n"


def until(met, pause=0.02):
    """Wait until a condition is met, and return what it gave."""
    deadline = time.monotonic() + MOST_SECONDS
    while not (found := met()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(pause)
    return found


ROOT = Path(app.__file__).parent.parent


@dataclass
class Server:
    """A server in a process of its own."""

    process: subprocess.Popen
    address: str
    said: IO[bytes]

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    @property
    def log(self):
        """What it has written to standard error."""
        return os.pread(self.said.fileno(), 10**8, 0).decode()

    def get(self, path, **more):
        """Ask on a new connection."""
        return httpx.get(self.address + path, timeout=MOST_SECONDS, **more)

    def connect(self, data=b"", receive_buffer=None):
        """Open a connection and send something on it."""
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(MOST_SECONDS)
        client.connect(("127.0.0.1", self.port))
        client.sendall(data)
        return client

    def sockets(self):
        """Return how many connections the process holds."""
        return len([name for name in descriptors(self.process.pid) if name.startswith("socket:")])


def descriptors(pid):
    """Return what the open descriptors of a process lead to."""
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found.append(os.readlink(each))
    return found


@contextmanager
def serving(*words, before=(), **environment):
    """Run the server of this tree; `before` are words before its command, such as a shell that sets a limit."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PERDOLLAR_")}
    folder = {"PERDOLLAR_FOLDER": os.environ["PERDOLLAR_FOLDER"]}
    command = [*before, sys.executable, "-m", "app.cli", "serve", "--port", "0", *map(str, words)]
    everything = {**kept, **folder, "PYTHONPATH": str(ROOT), **environment}
    with (
        TemporaryFile() as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=everything) as process,
    ):
        try:
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            server = Server(process, found[0] if found else "", said)
            assert found, server.log
            yield server
        finally:
            process.terminate()
            try:
                process.wait(MOST_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def limited(letter, value):
    """Return the words that run a command under a limit of the shell's ulimit."""
    return ["sh", "-c", f'ulimit -{letter} {value}; exec "$@"', "sh"]


def all_of(client):
    """Receive until the server ends the connection; return what came."""
    parts = []
    with suppress(ConnectionError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer else None


def problem_of(answer):
    """Return the problem details at the end of a raw answer, checked to be whole and of safety."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    assert b"x-content-type-options: nosniff" in head.lower()
    assert b"connection: close" in head.lower()
    return json.loads(body)
