"""Clients that trickle, stall, vanish or don't read: each is ended in time, and the others are answered meanwhile."""

from __future__ import annotations

import socket
import time

import pytest

from app.main import create_app
from app.settings import Settings
from tests.app.asking import answered
from tests.serving.faults import all_of, descriptors, problem_of, serving, status_of, until

# So short that a test is soon over; what is tested is what happens then, not when.
TIMES = {
    "PERDOLLAR_HEAD_SECONDS": "1", "PERDOLLAR_BODY_SECONDS": "1", "PERDOLLAR_ANSWER_SECONDS": "1",
    "PERDOLLAR_IDLE_SECONDS": "1",
}  # fmt: skip
COMPARE = b"POST /api/v1/compare HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
GET = b"GET %s HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    temporary = str(tmp_path_factory.mktemp("uploads"))
    with serving(TMPDIR=temporary, **TIMES) as running:
        running.temporary = temporary
        yield running
        assert "Traceback" not in running.log
        assert "Exception" not in running.log


def trickle(client, data, pause=0.05):
    """Send a byte now and then until the server has enough of it; return what it answers."""
    client.settimeout(0)
    for i in range(10**6):
        try:
            client.send(data[i % len(data) :][:1])
        except (BlockingIOError, ConnectionError):
            break
        try:
            if client.recv(1, socket.MSG_PEEK) is not None:
                break
        except BlockingIOError:
            time.sleep(pause)
        except ConnectionError:
            break
    client.settimeout(60)
    return all_of(client)


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nhost: x\r\n", b"GET /?", b"\r\n"])
def test_a_head_that_stops(server, begun):
    with server.connect(begun) as client:
        assert server.get("/healthz").status_code == 200
        answer = all_of(client)
        if begun.strip():
            assert problem_of(answer)["detail"] == "The head of the request was not complete within 1 s."
            assert status_of(answer) == 408


def test_a_head_that_trickles(server):
    with server.connect(b"GET / HTTP/1.1\r\nhost: x\r\n") as client:
        answer = trickle(client, b"a: b\r\n")
        assert status_of(answer) == 408


def test_the_head_of_a_second_request_that_trickles(server):
    with server.connect(GET % b"/healthz") as client:
        until(lambda: b"}" in client.recv(65536))
        assert status_of(trickle(client, b"GET / HTTP/1.1\r\nhost: x\r\na: b\r\na: b")) == 408


def test_a_connection_that_is_idle(server):
    with server.connect(GET % b"/healthz") as client:
        answer = all_of(client)
        assert status_of(answer) == 200
        assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("begun", [b"", b"{"])
def test_a_body_that_stops(server, begun):
    with server.connect(COMPARE % 100 + begun) as client:
        assert server.get("/healthz").status_code == 200
        answer = all_of(client)
        assert status_of(answer) == 408
        assert f"The body comes too slowly: {len(begun)} bytes in " in problem_of(answer)["detail"]


def test_a_body_that_trickles(server):
    with server.connect(COMPARE % 10**6) as client:
        assert status_of(trickle(client, b" ")) == 408


def test_a_form_that_stops_within_a_file(server):
    form = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' + b"a" * 2**21
    head = b"POST /prices/import HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=x\r\n"
    with server.connect(head + b"content-length: %d\r\n\r\n" % (len(form) + 100) + form) as client:
        until(lambda: files_of(server))
        answer = all_of(client)
        assert status_of(answer) == 408
        assert b"comes too slowly" in answer
        assert b"</html>" in answer
    until(lambda: not files_of(server))


def files_of(server):
    """Return the temporary files that the server holds; they have no name any more."""
    return [name for name in descriptors(server.process.pid) if name.startswith(server.temporary)]


def test_a_body_that_comes_in_time_though_in_parts(server):
    body = b'{"unit": "output_token", "measurements": [{"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}]}'
    with server.connect(COMPARE.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n") % len(body)) as client:
        for i in range(0, len(body), 20):
            client.sendall(body[i : i + 20])
        assert status_of(all_of(client)) == 200


def test_the_rest_of_a_body_after_its_answer(server):
    with server.connect(b"POST /nothing.json HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n") as client:
        answer = trickle(client, b" ")
        assert status_of(answer) == 404
        assert answer.count(b"HTTP/1.1") == 1


def test_a_client_that_takes_nothing(server):
    idle = until_quiet(server)
    asked = GET % b"/prices.csv"
    clients = [server.connect(asked * 60, receive_buffer=4096) for _ in range(3)]
    until(lambda: server.sockets() == idle + 3)
    assert server.get("/healthz").status_code == 200
    until(lambda: server.sockets() <= idle)
    whole = len(server.get("/prices.csv").content) * 60
    for client in clients:
        with client:
            assert len(all_of(client)) < whole


def test_a_client_that_takes_an_answer_slowly_but_steadily(server):
    one = server.connect(GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n") % b"/prices.csv", 4096)
    with one as client:
        parts = []
        while part := client.recv(16384):
            parts.append(part)
            time.sleep(0.05)
        answer = b"".join(parts)
    assert status_of(answer) == 200
    assert answer.endswith(b"0\r\n\r\n")


def until_quiet(server):
    """Return how many sockets the server has when no client is left."""
    until(lambda: server.sockets() <= LISTENING)
    return server.sockets()


# The listening socket and the two ends of the loop's own pair.
LISTENING = 3


def test_no_http_is_refused_in_the_shape_of_all_errors(server):
    with server.connect(b"\x16\x03\x01 nonsense\r\n\r\n") as client:
        assert problem_of(all_of(client))["status"] == 400


@pytest.mark.parametrize("path", [b"/api/v1/compare", b"/nothing.json"])
def test_a_body_in_chunks_that_is_broken(server, path):
    head = b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n" % path
    with server.connect(head + b"5\r\nabcde\r\nno number\r\n") as client:
        assert status_of(all_of(client)) in (400, 404)
    assert server.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "begun",
    [
        COMPARE % 1000 + b"{",
        b"POST /prices/import HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=x\r\n"
        b'content-length: 9000000\r\n\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
        + b"a"
        * 2**21,
        (GET % b"/prices.csv") * 3,
        GET % b"/compare?unit=output_token&m=H100=1",
    ],
    ids=["json", "upload", "stream", "page"],
)
def test_clients_that_vanish_leave_nothing_behind(server, begun):
    idle = until_quiet(server)
    for hard in (False, True):
        for _ in range(5):
            client = server.connect(begun)
            if hard:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
    assert server.get("/healthz").status_code == 200
    until(lambda: server.sockets() <= idle)
    until(lambda: not files_of(server))
    assert "Traceback" not in server.log


def test_a_refused_upload_that_stalls_is_refused_all_the_same():
    # The read-only server refuses uploads once it has read them away.
    app = create_app(Settings(host="192.0.2.1", body_seconds=0.05))
    headers = [(b"content-type", b"multipart/form-data; boundary=x"), (b"content-length", b"100")]
    start, _ = answered(app, "POST", "/api/v1/prices/import", [(b"--x", True)], headers)
    assert start["status"] == 403
