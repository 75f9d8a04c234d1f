"""Private tables leave no trace for anybody else: each answer is the one of a server that never had them."""

from __future__ import annotations

import importlib
import io
import logging
import pkgutil
import re
import zipfile
from functools import partial

import pytest
from starlette.testclient import TestClient

from app import routes
from app.access import OPEN_POSTS
from app.main import create_app
from app.openapi_decisions import example_body
from app.routes import pictures
from app.settings import Settings
from pricing.decisions import decision_named
from tests.app.asking import DAY, HTML, problem
from tests.app.holding import AS_A, AS_B, ENTRIES, HEAD, ROWS, UNLIMITED, A, server, tables

MINE, THEIRS = "canaryalpha", "canarybeta"
OFFER = "canaryalpha/canarybox-a"
H100 = {"unit": "output_token", "m": "H100-SXM:8=5200", "as_of": DAY}
# What brings out the private offer, by beginning of the path: the question itself.
ASKED = {
    "/claim": {"unit": "output_token", "a": OFFER, "b": "H100-SXM:8", "more_per_dollar": "70%"},
    "/sure": H100 | {"m": ["H100-SXM:8=5200/5150/5300", "MI300X:8=5600~4%"]},
    "/break-even": H100 | {"target_usd": "0.6"},
    "/fleet": H100 | {"units_per_month": "2000M", "peak_to_mean": "3"},
    "/api-prices": H100 | {"unit": "total_token", "m": "H100-SXM:8=in:9000,out:3000", "api": "llama-3.3-70b"},
    "/audio": {"rtf": "H100-SXM:8=0.038", "as_of": DAY},
    "/commit": {"on_demand": OFFER, "committed": "0.5", "term": "12"},
    "/move": {"a": OFFER, "b": "1", "machines_now": "10", "machines_after": "12", "days": "30", "day_rate_usd": "900"},
    "/prices/changes": {"since": "2026-10-30", "as_of": DAY},
    "/prices": {"provider": MINE, "history": "1"},
    "/pick": {"q": "canarybox", "form": "offer"},
    "/accelerators": {"sort": "-memory_gib"},
    "/": H100 | {"provider": MINE, "limit": "1000"},
}
# Slips of the pen, which are answered with the names that are nearest.
SLIPS = (
    {"provider": "canaryalph"},
    {
        "a": "canaryalpha/canarybo",
        "on_demand": "canaryalpha/canarybo",
        "baseline": "canaryalpha/canarybo",
        "q": "canarya",
    },
)
# What depends on no price.
SAME_FOR_ALL = (
    "/docs", "/openapi.json", "/method", "/measure", "/decisions", "/benchmarks", "/sign-in", "/prices/import",
    f"/prices/import/{'0' * 32}.csv",
)  # fmt: skip


def served(method):
    """Return the paths of all routes of a method."""
    modules = [importlib.import_module(f"app.routes.{module.name}") for module in pkgutil.iter_modules(routes.__path__)]
    found = [route for module in modules for route in module.router.routes if method in route.methods]
    return sorted(route.path.replace("{name}", "0" * 32) for route in found)


def asked(path):
    """Return the question that brings out the private offer at a path."""
    return next(query for begin, query in ASKED.items() if path.startswith(begin))


def shown(answer):
    """Return all that an answer holds, a workbook unpacked."""
    body = answer.content
    if body[:2] == b"PK":
        book = zipfile.ZipFile(io.BytesIO(body))
        body = b"\n".join(book.read(name) for name in sorted(book.namelist()))
    # Of what the server tells of itself: when it read its tables and how much was asked is no trace of them.
    body = re.sub(rb'(?<="loaded_at":")[^"]+|(?m:^(?:process|perdollar_http)_.*)', b"", body)
    kept = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("vary", "content-length", "cache-control", "x-request-id")
    }
    return answer.status_code, sorted(kept.items()), body


@pytest.fixture(scope="module")
def log():
    """What all parts of the server wrote into their logs while this file's tests ran: no private name, no token."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    # The tests' own client tells what it asks.
    handler.addFilter(lambda record: not record.name.startswith("httpx"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    for name in ("perdollar", "uvicorn", "asyncio"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield text
    root.removeHandler(handler)
    root.setLevel(before)
    said = text.getvalue()
    assert "canary" not in said
    assert A[:20] not in said
    assert ENTRIES[0].digest.hex() not in said


@pytest.fixture(scope="module")
def held(tmp_path_factory, log):
    return server(tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="module")
def without():
    """The same server where nobody ever had a private table."""
    return TestClient(create_app(Settings(host="0.0.0.0", tokens=ENTRIES, **UNLIMITED)))  # noqa: S104


@pytest.fixture(scope="module")
def without_a(tmp_path_factory):
    """The same server without the table of the one team."""
    paths = tables(tmp_path_factory.mktemp("others")).partition(":")[2]
    return TestClient(create_app(Settings(host="0.0.0.0", tokens=ENTRIES, prices=paths, **UNLIMITED)))  # noqa: S104


@pytest.fixture(scope="module")
def told(held, without, without_a):
    """Return whether the answers to a token depend on its tables; nobody else's may.

    The token asks first, so that whatever the server keeps has its answer.
    """

    def told_apart(ask):
        mine = ask(held, AS_A)
        assert ask(held, {}) == ask(without, {})
        assert ask(held, AS_B) == ask(without_a, AS_B)
        return mine != ask(without, AS_A)

    return told_apart


@pytest.fixture(autouse=True)
def _drawn_here(monkeypatch):
    """A PNG is made of the drawing alone, by another process that takes seconds to start: the drawing stands for it."""

    class Here:
        @staticmethod
        async def run_sync(_, svg, **__):
            return svg.encode()

    monkeypatch.setattr(pictures, "to_process", Here)


@pytest.mark.parametrize("path", served("GET"))
def test_every_page_and_file(told, path):
    same = path in SAME_FOR_ALL
    questions = [asked(path) | slip for slip in ({}, *SLIPS)][: 1 if same else None]

    def ask(client, headers, question):
        return shown(client.get(path, params=question, headers=HTML | headers))

    differ = [told(partial(ask, question=question)) for question in questions]
    assert any(differ) == (not same)


@pytest.mark.parametrize("path", [path for path in served("POST") if path in OPEN_POSTS and path.startswith("/api/")])
def test_every_question_as_json(told, path):
    def ask(client, headers, provider):
        return shown(client.post(path, json=posted(path) | {"filters": {"provider": [provider]}}, headers=headers))

    differ = [told(partial(ask, provider=provider)) for provider in (MINE, "canaryalph")]
    assert differ == [True, True]


def posted(path):
    """Return a question for an address, in which the private offer counts."""
    kind = path.split("/")[3]
    if kind == "compare":
        return {"unit": "output_token", "as_of": DAY,
                "measurements": [{"hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 5200}}]}  # fmt: skip
    return example_body(decision_named(kind)) | {
        name: value for name, value in asked(f"/{kind}").items() if name in ("a", "on_demand")
    }


def test_a_table_that_cannot_be_read_is_told_to_its_own_token_alone(tmp_path, log):
    client = server(tmp_path)
    before = client.get("/prices.json", headers=AS_A).json()
    (tmp_path / "a.csv").write_text(HEAD + ROWS["a"].replace("1.0625", "0").replace("H100-SXM", "canarychip"))
    for headers, words in ((AS_A, "canarychip"), (AS_B, "A private table that this token does not see can't be used")):
        body = problem(client.post("/api/v1/prices/refresh", headers=headers), 409)
        assert body["detail"] == "The price files can't be read; the table in use stays."
        assert words in body["errors"][0]["msg"]
        assert ("canary" in str(body)) == (headers is AS_A)
    assert (
        "one of the private tables a.csv, shared.csv can't be used; `perdollar prices list --prices " in log.getvalue()
    )
    assert client.get("/prices.json", headers=AS_A).json() == before
    assert client.post("/api/v1/prices/refresh").status_code == 401
    (tmp_path / "a.csv").write_text(HEAD + ROWS["a"] + ROWS["a"].replace("box-a", "box-c"))
    answer = client.post("/api/v1/prices/refresh", headers=AS_A).json()
    now = client.get(f"/compare.json?unit=output_token&m=H100-SXM:8=1&as_of={DAY}", headers=AS_A).json()["prices"]
    assert answer == client.get("/compare.json?unit=output_token&m=H100-SXM:8=1", headers=AS_A).json()["prices"]
    assert now["sha256"] == answer["sha256"]
    assert client.get("/prices.json", headers=AS_A).json()["total"] == before["total"] + 1


def test_a_failure_on_a_private_row_is_logged_by_its_place(held, log, monkeypatch):
    def fail(*_, **__):
        raise KeyError(MINE)

    monkeypatch.setattr("app.routes.prices.browse", fail)
    answer = held.get("/prices.json", headers=AS_A)
    assert problem(answer, 500)["detail"] == "The server failed on this request; it is logged."
    assert answer.headers["cache-control"] == "private, no-store"
    assert "KeyError" in log.getvalue()
    assert "in _found" in log.getvalue()


def test_tokens_that_are_not_valid_are_not_logged(held, log):
    before = log.getvalue()
    assert held.post("/sign-in", data={"token": A[:-1]}).status_code == 401
    assert held.get("/prices.json", headers={"authorization": f"Bearer {A}x"}).status_code == 401
    held.cookies.set("perdollar_token", f"{A}y")
    assert held.get("/prices.json").status_code == 200
    assert A[:20] not in log.getvalue()[len(before) :]
