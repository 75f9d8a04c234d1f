"""Several workers behind one socket: what is uploaded to one is known to all, and none is missed when it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest

from app.serving import SharedSocket, listening_socket
from tests.serving.faults import MOST_SECONDS, ROOT, all_of, serving, status_of, table, until

UPLOAD = ("acme.csv", table(4).encode(), "text/csv")


def children(pid):
    """Return the processes that a process started and that still run, without Python's own tracker of resources."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = each.read_text().partition(") ")
            words = each.with_name("cmdline").read_text()
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if int(parent) == pid and state != "Z" and "resource_tracker" not in words:
            found.append(int(each.parent.name))
        del name
    return sorted(found)


@contextmanager
def workers(*words, **environment):
    """Run two workers that both answer."""
    with serving("--workers", 2, *words, **environment) as server:
        until(lambda: len(children(server.process.pid)) == 2)
        assert server.get("/healthz").status_code == 200
        yield server


def test_an_upload_is_found_by_every_worker(tmp_path):
    with workers(TMPDIR=str(tmp_path)) as server:
        answer = httpx.post(server.address + "/api/v1/prices/import", files={"file": UPLOAD}, timeout=MOST_SECONDS)
        name = answer.json()["table"]
        costs = set()
        # A new connection each time, which either worker takes.
        for _ in range(40):
            found = server.get(f"/compare.json?unit=output_token&m=H100-SXM:1=1000&provider=acme&table={name}").json()
            costs.add(found["estimates"][0]["cost_usd"])
        assert costs == {4 / 3600 / 1000 * 1e6}
        (folder,) = tmp_path.glob("perdollar-*")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_a_killed_worker_costs_its_own_requests_alone():
    stop, good, bad = threading.Event(), [], []

    def ask(server):
        # One connection at a time, kept alive: only what runs on the killed worker may fail.
        while not stop.is_set():
            try:
                with httpx.Client(base_url=server.address, timeout=MOST_SECONDS) as client:
                    while not stop.is_set():
                        status = client.get("/compare.json?unit=output_token&m=H100-SXM:8=5200").status_code
                        assert status == 200
                        good.append(status)
            except httpx.HTTPError as error:
                bad.append(error)

    with workers() as server:
        before = children(server.process.pid)
        clients = [threading.Thread(target=ask, args=(server,)) for _ in range(4)]
        for client in clients:
            client.start()
        until(lambda: len(good) > 40)
        os.kill(before[0], signal.SIGKILL)
        answered = len(good)
        until(lambda: len(good) > answered + 40)
        now = until(lambda: len(found := children(server.process.pid)) == 2 and found)
        stop.set()
        for client in clients:
            client.join()
        # Each of the four had at most one request on it.
        assert len(bad) <= 4
        assert before[1] in now
        assert before[0] not in now
        assert f"worker {before[0]} ended by signal 9, another takes its place" in server.log


def test_new_prices_reach_all_workers_on_a_signal(tmp_path):
    path = tmp_path / "acme.csv"
    path.write_text(table(4))
    question = "/compare.json?unit=output_token&m=H100-SXM:1=1000&provider=acme"
    with workers("--prices", path, PERDOLLAR_WATCH_SECONDS="3600") as server:
        path.write_text(table(8))
        server.process.send_signal(signal.SIGHUP)
        until(lambda: server.log.count("new prices are in use") == 2)
        assert {server.get(question).json()["estimates"][0]["price_usd_per_hour"] for _ in range(20)} == {8}
        assert len(children(server.process.pid)) == 2


def test_a_worker_that_starts_on_broken_prices_uses_those_of_the_start(tmp_path):
    path = tmp_path / "acme.csv"
    path.write_text(table(4))
    with workers("--prices", path, PERDOLLAR_WATCH_SECONDS="0.05") as server:
        path.write_text("provider\nbroken")
        for pid in children(server.process.pid):
            os.kill(pid, signal.SIGKILL)
        until(lambda: server.log.count("another takes its place") == 2)
        ready = until(lambda: (found := server.get("/readyz").json())["degraded"] and found)
        assert ready["stale_files"] == ["a price file"]
        question = "/compare.json?unit=output_token&m=H100-SXM:1=1000&provider=acme"
        assert server.get(question).json()["estimates"][0]["price_usd_per_hour"] == 4
        path.write_text(table(8))
        # One that starts after this reads the mended file at once.
        until(lambda: {server.get(question).json()["estimates"][0]["price_usd_per_hour"] for _ in range(10)} == {8})


@pytest.mark.parametrize("number", [1, 2])
def test_a_request_that_runs_is_finished_when_the_server_is_stopped(number):
    with serving("--workers", number) as server:
        body = b'{"unit": "output_token", "measurements": [{"accelerator": "L4", "accelerator_count": 1,'
        body += b' "rates": {"output_tokens_per_second": 100}}]}'
        head = b"POST /api/v1/compare HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        with server.connect(head + b"content-length: %d\r\n\r\n" % len(body) + body[:20]) as client:
            # Taken up by a worker: another request on the same socket is answered after it.
            assert server.get("/healthz").status_code == 200
            until(lambda: taken_up(server, number))
            server.process.terminate()
            until(lambda: refused(server))
            client.sendall(body[20:])
            answer = all_of(client)
        assert status_of(answer) == 200
        assert b'"cost_usd"' in answer
        assert server.process.wait(MOST_SECONDS) == 0
        assert server.log == ""


def taken_up(server, number):
    """Whether no connection waits in the socket's queue any more."""
    line = f":{server.port:04X} 00000000:0000 0A "
    listening = [row for row in Path("/proc/net/tcp").read_text().splitlines() if line in row]
    assert listening, number
    return all(row.split()[4].endswith(":00000000") for row in listening)


def refused(server):
    try:
        socket.create_connection(("127.0.0.1", server.port), MOST_SECONDS).close()
    except ConnectionRefusedError:
        return True
    return False


def test_what_is_wrong_is_said_before_workers_start(tmp_path):
    path = tmp_path / "acme.csv"
    path.write_text("provider\nbroken")
    command = [sys.executable, "-m", "app.cli", "serve", "--port", "0", "--workers", "2", "--prices", path]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("perdollar: acme.csv")
    assert done.stderr.count("\n") == 1


def test_a_shared_socket_gives_one_connection_at_a_look():
    with SharedSocket.of(listening_socket("127.0.0.1", 0)) as shared:
        shared.setblocking(False)
        clients = [socket.create_connection(shared.getsockname()) for _ in range(3)]
        given = []
        for _ in range(8):
            try:
                given.append(shared.accept()[0])
            except BlockingIOError:
                given.append(None)
        # A loop looks until nothing is there, and again in its next turn, after another worker had its own.
        assert [each is not None for each in given] == [True, False, True, False, True, False, False, False]
        for each in (*clients, *filter(None, given)):
            each.close()
