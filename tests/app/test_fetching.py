"""Fetching from a server that stalls, breaks off, lies about length, sends pages of HTML, or asks to wait."""

from __future__ import annotations

import pytest

from app.fetching import Fetcher, FetchError, Manner, same_host
from tests.app.publisher import answer, publishing

QUICK = Manner(
    connect_timeout=2, read_timeout=0.5, attempts=3, first_wait=0.01, longest_wait=0.05, most_bytes=50_000, grace=0.5
)
BODY = bytes(range(256)) * 40


@pytest.fixture
def server():
    with publishing() as publisher:
        yield publisher


@pytest.fixture
def fetch(server, tmp_path):
    def fetched(path="/list", manner=QUICK):
        with Fetcher(manner).open() as fetcher:
            return fetcher.page(server.base + path, tmp_path / "list")

    return fetched


def refused(fetch, path="/list", manner=QUICK):
    with pytest.raises(FetchError) as caught:
        fetch(path, manner)
    return str(caught.value)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_failure_that_passes_is_tried_again(server, fetch, status):
    server.put("/list", answer(status=status), answer(BODY))
    assert fetch() == BODY
    assert len(server.asked) == 2


def test_the_server_says_how_long_to_wait(server, fetch):
    server.put("/list", answer(status=429, Retry_After="0"), answer(BODY))
    assert fetch(manner=Manner(first_wait=600, longest_wait=600)) == BODY


def test_it_gives_up_in_the_end(server, fetch, tmp_path):
    server.put("/list", answer(status=503))
    assert "answers 503" in refused(fetch)
    assert len(server.asked) == 3
    assert not (tmp_path / "list").exists()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204, 304])
def test_what_does_not_pass_is_asked_once(server, fetch, status):
    server.put("/list", answer(status=status))
    assert f"answers {status}" in refused(fetch)
    assert len(server.asked) == 1


def test_a_stalled_answer_is_left(server, fetch):
    server.put("/list", answer(BODY, pause=2))
    assert "no answer in time" in refused(fetch)


def test_a_trickle_is_left(server, fetch):
    server.put("/list", answer(BODY, pause=0.2))
    slow = Manner(attempts=1, grace=0.5, least_rate=100_000)
    assert "comes too slowly" in refused(fetch, manner=slow)


def test_the_rest_of_a_broken_file_is_asked_for(server, fetch):
    server.put("/list", answer(BODY, sent=3000, ETag='"one"'), answer(BODY, ETag='"one"'))
    assert fetch() == BODY
    second = server.asked[1][1]
    assert second["Range"] == "bytes=3000-"
    assert second["If-Range"] == '"one"'


def test_another_version_is_fetched_whole(server, fetch):
    other = BODY[::-1]
    server.put("/list", answer(BODY, sent=3000, ETag='"one"'), answer(other, ETag='"two"'))
    assert fetch() == other


def test_the_next_run_goes_on(server, fetch, tmp_path):
    server.put("/list", answer(BODY, sent=4000, ETag='"one"'), answer(status=404))
    refused(fetch)
    assert (tmp_path / "list.part").stat().st_size == 4000
    server.put("/list", answer(BODY, ETag='"one"'))
    assert fetch() == BODY
    assert server.asked[-1][1]["Range"] == "bytes=4000-"


def test_without_a_mark_of_the_version_it_begins_anew(server, fetch):
    server.put("/list", answer(BODY, sent=3000), answer(BODY))
    assert fetch() == BODY
    assert "Range" not in server.asked[1][1]


def test_a_wrong_part_is_refused(server, fetch):
    server.put(
        "/list", answer(BODY, sent=3000, ETag='"one"'),
        answer(BODY[:100], status=206, Content_Range="bytes 0-99/10240", ETag='"one"'),
    )  # fmt: skip
    assert "another part" in refused(fetch)


def test_a_length_that_is_too_long_is_a_broken_file(server, fetch):
    server.put("/list", answer(BODY, length=len(BODY) + 500))
    assert "broke off" in refused(fetch) or "ended after" in refused(fetch)


def test_html_is_no_price_list(server, fetch):
    server.put("/list", answer("<html>Sign in</html>", content_type="text/html; charset=utf-8"))
    assert "a web page where prices should be" in refused(fetch)


@pytest.mark.parametrize("claimed", [60_000, None])
def test_too_much_is_left(server, fetch, claimed):
    server.put("/list", answer(b"x" * 60_000, length=claimed))
    assert "more than 50,000" in refused(fetch)


def test_redirects_stay_on_the_host(server, fetch):
    server.put("/list", answer(status=302, Location="/moved"))
    server.put("/moved", answer(BODY))
    assert fetch() == BODY
    server.put("/list", answer(status=302, Location="http://127.0.0.2:1/secret?key=1"))
    assert "sends to another host (http://127.0.0.2:1/secret), which is not followed" in refused(fetch)
    server.put("/list", answer(status=302, Location="/list"))
    assert "without end" in refused(fetch)


def test_a_key_in_the_query_is_not_told(server, fetch):
    server.put("/list", answer(status=403))
    assert "SECRET" not in refused(fetch, "/list?key=SECRET")


def test_no_server(tmp_path):
    with pytest.raises(FetchError, match="broke off"), Fetcher(QUICK).open() as fetcher:
        fetcher.page("http://127.0.0.1:9/x", tmp_path / "never")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/x", "https://a.example:443/y", True),
        ("https://a.example/x", "http://a.example/x", False),
        ("https://a.example/x", "https://b.a.example/x", False),
        ("https://a.example/x", "https://a.example@evil.example/x", False),
        ("https://a.example/x", "https://a.example:8443/x", False),
    ],
)
def test_same_host(one, other, same):
    assert same_host(one, other) is same
