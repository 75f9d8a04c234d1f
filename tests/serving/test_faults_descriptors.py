"""Too many connections, and no descriptor left: refused or kept waiting in order, and answered afterwards."""

from __future__ import annotations

import resource

import pytest

from tests.serving.faults import all_of, descriptors, limited, problem_of, serving, status_of, until

GET = b"GET %s HTTP/1.1\r\nhost: x\r\n\r\n"
# With 64 open files 32 are kept for other things; half of these answer 503 to those who come on top.
FILES, MOST = 64, 32
LONG = {"PERDOLLAR_HEAD_SECONDS": "600", "PERDOLLAR_IDLE_SECONDS": "600"}


@pytest.fixture
def server():
    with serving(before=limited("n", FILES), **LONG) as running:
        yield running
        assert "Traceback" not in running.log


def answer_to(client):
    """Receive the head and body of one answer of a connection that stays open."""
    data = b""
    while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < length_of(data):
        part = client.recv(65536)
        assert part, data
        data += part
    return data


def length_of(data):
    head = data.partition(b"\r\n\r\n")[0].lower()
    return int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])


def test_clients_that_say_nothing_fill_the_server_and_go(server):
    silent = [server.connect() for _ in range(MOST)]
    with server.connect(GET % b"/method") as client:
        answer = all_of(client)
        assert status_of(answer) == 503
        assert problem_of(answer)["title"] == "Service Unavailable"
        assert b"retry-after: 5\r\n" in answer.lower()
    # A server that is full is alive: probes are answered.
    for probe in ("/healthz", "/readyz"):
        assert server.get(probe).status_code == 200
    # Beyond all places there is no answer, and no descriptor either.
    more = [server.connect() for _ in range(3 * FILES)]
    with server.connect(GET % b"/healthz") as client:
        assert all_of(client) == b""
    assert len(descriptors(server.process.pid)) < FILES
    for client in (*silent, *more):
        client.close()
    until(lambda: server.get("/method").status_code == 200)
    # Each is said once, however many connections there were; the second only if a burst outran the loop.
    said = sorted(server.log.splitlines())
    assert said[0] == "32 connections are open; further ones are answered 503"
    assert said[1:] in ([], ["new connections have to wait: [Errno 24] Too many open files"])
    # It is said again the next time.
    silent = [server.connect() for _ in range(MOST + 1)]
    until(lambda: server.log.count("further ones are answered 503") == 2)
    for client in silent:
        client.close()


def test_idle_connections_make_room(server):
    kept = []
    for _ in range(2 * MOST):
        client = server.connect(GET % b"/healthz")
        assert status_of(answer_to(client)) == 200
        kept.append(client)
    # The first ones had to go, the last ones can be used again.
    assert kept[0].recv(1) == b""
    kept[-1].sendall(GET % b"/healthz")
    assert status_of(answer_to(kept[-1])) == 200
    assert server.log == ""
    for client in kept:
        client.close()


def test_a_connection_waits_where_no_descriptor_is_left(server):
    open_one = server.connect(GET % b"/healthz")
    answer_to(open_one)
    pid = server.process.pid
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(descriptors(pid)), FILES))
    waiting = [server.connect(GET % b"/healthz") for _ in range(5)]
    until(lambda: "new connections have to wait: [Errno 24] Too many open files" in server.log)
    # Who is in is answered.
    for _ in range(30):
        open_one.sendall(GET % b"/healthz")
        assert status_of(answer_to(open_one)) == 200
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
    for client in waiting:
        with client:
            assert status_of(answer_to(client)) == 200
    open_one.close()
    assert server.log.count("\n") == 1


@pytest.mark.parametrize(("asked", "told"), [("1000", "so many files may be open that 32 are taken"), ("30", "")])
def test_a_bound_that_can_not_be_had_is_said(asked, told):
    with serving(before=limited("n", FILES), PERDOLLAR_MAX_CONNECTIONS=asked) as server:
        assert server.get("/healthz").status_code == 200
        assert told in server.log
        assert bool(server.log) is bool(told)
