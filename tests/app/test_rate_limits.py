"""Limits of requests per client: what is counted, what a refusal says, and what is never counted."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app import rates
from app.main import create_app
from app.rates import FAILURES, REQUESTS, Memory, Rates
from app.settings import Settings
from tests.app.asking import POST, problem
from tests.app.holding import AS_A, ENTRIES, UPLOAD, A

PUBLIC = "0.0.0.0"  # noqa: S104
FILES = {"file": ("prices.csv", UPLOAD.encode())}
WRONG = {"authorization": "Bearer wrong"}


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(rates, "time", clock)
    return clock


def serving(**settings):
    return create_app(Settings(**{"host": PUBLIC, "tokens": ENTRIES, **settings}))


def at(app, address, **headers):
    """Return a client of the app at an address."""
    return TestClient(app, client=(address, 1), headers=headers)


def test_a_client_is_refused_after_its_requests_and_let_in_when_the_oldest_is_past(clock):
    client = at(serving(rate_limit="3/minute"), "198.51.100.1")
    for _ in range(3):
        assert client.get("/prices.json").status_code == 200
        clock.now += 10
    answer = client.get("/prices.json")
    assert problem(answer, 429)["detail"] == "More than 3 requests in 60 s; try again in 30 s."
    assert problem(answer, 429)["title"] == "Too Many Requests"
    assert answer.headers["retry-after"] == "30"
    assert answer.headers["ratelimit-policy"] == '"requests";q=3;w=60'
    assert answer.headers["ratelimit"] == '"requests";r=0;t=30'
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    # Refusals do not count: whoever waits as told is let in, once.
    clock.now += 29.5
    assert client.get("/").headers["retry-after"] == "1"
    clock.now += 0.5
    assert client.get("/prices.json").status_code == 200
    assert client.get("/prices.json").headers["retry-after"] == "10"


def test_clients_are_counted_apart(clock):
    app = serving(rate_limit="1/minute", trusted_proxies="10.0.0.1")
    one, other = at(app, "198.51.100.1"), at(app, "198.51.100.2")
    assert [client.get("/none.json").status_code for client in (one, other, one, other)] == [404, 404, 429, 429]
    # A made-up header makes nobody new; behind the proxy it tells clients apart.
    assert at(app, "198.51.100.1", **{"x-forwarded-for": "203.0.113.1"}).get("/none.json").status_code == 429
    for hop in ("203.0.113.1", "203.0.113.2", "9.9.9.9, 203.0.113.3"):
        assert at(app, "10.0.0.1", **{"x-forwarded-for": hop}).get("/none.json").status_code == 404
    assert at(app, "10.0.0.1", **{"x-forwarded-for": "8.8.8.8, 203.0.113.3"}).get("/none.json").status_code == 429
    # New addresses of one IPv6 network are one client.
    statuses = [at(app, f"2001:db8::{i}").get("/none.json").status_code for i in (1, 2)]
    assert statuses == [404, 429]


def test_probes_and_static_files_are_not_counted(clock):
    client = at(serving(rate_limit="1/hour"), "198.51.100.1")
    for _ in range(5):
        assert client.get("/healthz").status_code == 200
        assert client.get("/static/perdollar.css").status_code == 200
    assert client.get("/readyz").status_code in (200, 404)
    assert client.get("/none.json").status_code == 404
    assert client.get("/none.json").status_code == 429
    assert client.get("/healthz").status_code == 200


def test_uploads_have_a_tighter_limit(clock):
    client = at(serving(upload_rate_limit="2/minute"), "198.51.100.1", **AS_A)
    path = "/api/v1/prices/import"
    assert [client.post(path, files=FILES).status_code for _ in range(2)] == [200, 200]
    answer = client.post(path, files=FILES)
    assert problem(answer, 429)["detail"] == "More than 2 uploads in 60 s; try again in 60 s."
    assert answer.headers["ratelimit-policy"] == '"uploads";q=2;w=60'
    assert client.post("/api/v1/prices/refresh").status_code == 429
    assert client.get("/prices.json").status_code == 200
    assert client.post(POST, json={}).status_code == 422


def test_tokens_that_are_not_valid_have_the_tightest(clock):
    app = serving(failure_rate_limit="2/minute")
    client = at(app, "198.51.100.1")
    assert client.get("/prices.json", headers=WRONG).status_code == 401
    assert client.post("/sign-in", data={"token": "wrong"}).status_code == 401
    answer = client.get("/prices.json", headers=WRONG)
    assert problem(answer, 429)["detail"] == "More than 2 tokens that are not valid in 60 s; try again in 60 s."
    assert answer.headers["retry-after"] == "60"
    assert answer.headers["ratelimit"] == '"failures";r=0;t=60'
    assert problem(client.post("/sign-in", data={"token": "wrong"}, headers={"accept": "*/*"}), 429)
    client.cookies.set("perdollar_token", "wrong")
    assert client.get("/prices.json").status_code == 429
    client.cookies.clear()
    # A neighbour at the same address is not locked out.
    assert client.get("/prices.json", headers=AS_A).status_code == 200
    assert client.get("/prices.json").status_code == 200
    assert client.post("/sign-in", data={"token": A}, follow_redirects=False).status_code == 303
    assert at(app, "198.51.100.2").get("/prices.json", headers=WRONG).status_code == 401


def test_the_usual_limits():
    assert Settings().rates == {}
    usual = {"requests": "600/minute", "uploads": "30/minute", "failures": "10/minute"}
    assert Settings(host=PUBLIC).rates == usual
    assert Settings(trusted_proxies="127.0.0.1").rates == usual
    given = {"rate_limit": "5/second", "upload_rate_limit": "none"}
    assert Settings(host=PUBLIC, **given).rates == {"requests": "5/second", "failures": "10/minute"}
    assert Settings(**given).rates == {"requests": "5/second"}


@pytest.mark.parametrize(
    "text", ["fast", "10", "0/minute", "-1/minute", "1/fortnight", "1/second;5/minute", "1.5/second"]
)
@pytest.mark.parametrize("name", ["rate_limit", "upload_rate_limit", "failure_rate_limit"])
def test_a_limit_that_cannot_be_read(name, text):
    with pytest.raises(ValidationError, match="write a limit as 600/minute, or none"):
        Settings(**{name: text})


def test_the_memory_is_bounded_by_clients(clock, monkeypatch):
    monkeypatch.setattr(rates, "MOST_CLIENTS", 3)
    limits = Rates(Settings(rate_limit="1/hour"))
    for client in "abc":
        assert limits.refused(REQUESTS, client) is None
    assert limits.refused(REQUESTS, "a") is not None
    assert limits.refused(FAILURES, "a") is None
    # The one that was not seen for longest is forgotten, not the one that was just refused.
    assert limits.refused(REQUESTS, "d") is None
    assert limits.refused(REQUESTS, "a") is not None
    assert limits.refused(REQUESTS, "b") is None


def test_the_memory_is_bounded_by_hits(clock, monkeypatch):
    monkeypatch.setattr(rates, "MOST_HITS", 10)
    memory = Memory()
    for i in range(100):
        assert memory.acquire_entry(f"client {i % 20}", limit=8, expiry=60)
    kept = [memory.get_moving_window(f"client {i}", 8, 60)[1] for i in range(20)]
    assert sum(kept) <= 10
    for _ in range(8):
        memory.acquire_entry("busy", limit=8, expiry=60)
    assert memory.get_moving_window("busy", 8, 60)[1] == 8
    assert not memory.acquire_entry("busy", limit=8, expiry=60)
    clock.now += 61
    assert memory.get_moving_window("busy", 8, 60) == (clock.now, 0)
