"""Who may what: servers with tokens, read-only ones, and those of this machine alone."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from starlette.testclient import TestClient

from app import routes
from app.access import OPEN_POSTS, needs_token
from app.main import create_app
from app.settings import Settings
from pricing.errors import InvalidInputError
from tests.app.asking import ACME, GOOD, HTML, POST, Page, problem, refusal, run
from tests.app.holding import AS_A, AS_B, ENTRIES, ROWS, UNLIMITED, UPLOAD, A, B, providers, server, tables

PUBLIC = "0.0.0.0"  # noqa: S104
FILES = {"file": ("prices.csv", UPLOAD.encode())}
QUESTION = {
    "unit": "output_token",
    "measurements": [{"hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 1}}],
}
STORING = ["/prices/import", "/api/v1/prices/import", "/benchmarks", "/api/v1/benchmarks/read", "/benchmarks/use",
           "/api/v1/prices/refresh"]  # fmt: skip


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    return server(tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="module")
def read_only():
    return TestClient(create_app(Settings(host=PUBLIC, **UNLIMITED)))


def storing_routes():
    """Return path and method of every route that is not a reading one."""
    modules = [importlib.import_module(f"app.routes.{module.name}") for module in pkgutil.iter_modules(routes.__path__)]
    found = [route for module in modules for route in module.router.routes]
    return [(route.path, method) for route in found for method in route.methods - {"GET", "HEAD"}]


def test_every_route_that_is_not_plainly_open_needs_a_token(held):
    found = storing_routes()
    assert {path for path, _ in found} - OPEN_POSTS == set(STORING)
    assert {path for path, _ in found} >= OPEN_POSTS
    for path, method in found:
        answer = held.request(method, path, files=FILES)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == 'Bearer realm="PerDollar"'
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
def test_what_no_route_knows_is_closed_as_well(method):
    assert needs_token(method, "/new", "application/json")
    assert needs_token(method, POST, " Multipart/Form-Data; boundary=x")
    assert not needs_token(method, POST, "application/json")
    assert not needs_token("GET", "/new", "multipart/form-data")


@pytest.mark.parametrize("path", STORING)
def test_a_valid_token_is_let_in(held, path):
    for headers in (AS_A, AS_B, {"authorization": f"bEaReR  {A} "}):
        assert held.post(path, headers=headers).status_code in (200, 415, 422), headers
    answer = held.post(path, headers={"authorization": "Bearer wrong"})
    assert "The token is not valid here." in problem(answer, 401)["detail"] if "/api/" in path else answer.text
    assert answer.headers["www-authenticate"] == 'Bearer realm="PerDollar", error="invalid_token"'


@pytest.mark.parametrize(
    "presented", ["Bearer", "Bearer ", "Bearer x", f"Bearer {A}x", f"Bearer {A[:-1]}", f"Bearer {A} {B}"]
)
def test_a_token_that_is_not_valid_is_refused_everywhere(held, presented):
    for address in ("/", f"/compare.json?{GOOD}", "/prices.csv", "/docs", "/healthz"):
        assert held.get(address, headers={"authorization": presented}).status_code == 401
    assert held.post(POST, json=QUESTION, headers={"authorization": presented}).status_code == 401


def test_a_proxys_own_credentials_are_no_concern_of_ours(held):
    assert held.get("/prices.json", headers={"authorization": "Basic dTpw"}).status_code == 200


def test_reading_needs_no_token(held):
    for address in ("/", f"/compare.json?{GOOD}", "/prices.csv", "/prices/import", "/benchmarks", "/docs", "/healthz"):
        assert held.get(address).status_code == 200
    assert held.post(POST, json=QUESTION).status_code == 200
    assert held.post("/language", data={"to": "en"}, follow_redirects=False).status_code == 303


def test_each_token_sees_its_own_tables_and_those_of_all(held):
    assert providers(held) == []
    assert providers(held, AS_A) == ["canaryalpha", "canaryshared"]
    assert providers(held, AS_B) == ["canarybeta", "canaryshared"]


def test_tables_without_a_name_may_be_public_beside_tokens(tmp_path):
    client = server(tmp_path, public_prices=True)
    assert providers(client) == ["canaryshared"]
    assert providers(client, AS_B) == ["canarybeta", "canaryshared"]


def test_tables_of_the_command_line_are_for_all_tokens(tmp_path, small):
    client = TestClient(create_app(Settings(host=PUBLIC, tokens=ENTRIES), [small]))
    assert client.get("/prices.json?provider=acme").status_code == 422
    assert client.get("/prices.json?provider=acme", headers=AS_B).json()["total"] == 2


def test_an_upload_belongs_to_the_token_that_brought_it(held):
    sent = held.post("/api/v1/prices/import", files=FILES, headers=AS_A)
    name = sent.json()["table"]
    asked = f"/compare.json?{GOOD}&provider=uploaded&table={name}"
    assert held.get(asked, headers=AS_A).json()["total"] == 1
    assert "uploaded" in held.get(f"/prices/import/{name}.csv", headers=AS_A).text
    for headers in ({}, AS_B):
        gone = problem(held.get(asked, headers=headers))
        assert gone["errors"] == [
            {"loc": ["query", "table"],
             "msg": f"the uploaded table '{name}' is not here any more; upload its files again"}
        ]  # fmt: skip
        assert held.get(f"/prices/import/{name}.csv", headers=headers).status_code == 404
        posted = held.post(POST, json=QUESTION | {"table": name}, headers=headers)
        assert "not here any more" in problem(posted)["detail"]
        assert "not here any more" in problem(held.get(f"/prices/changes.json?table={name}", headers=headers))["detail"]
    # The same files by another token are that one's own, under the same name.
    assert held.post("/api/v1/prices/import", files=FILES, headers=AS_B).json()["table"] == name
    assert held.get(asked, headers=AS_B).json()["total"] == 1
    assert problem(held.get(asked))["errors"]


def test_answers_to_a_token_are_kept_by_no_cache(held):
    for address in (
        "/",
        f"/compare.json?{GOOD}",
        f"/compare.svg?{GOOD}",
        f"/compare.csv?{GOOD}",
        "/none",
        "/pick?q=H1",
    ):
        mine, public = held.get(address, headers=AS_A), held.get(address)
        assert mine.headers["cache-control"] == "private, no-store"
        for answer in (mine, public):
            vary = {name.strip() for name in answer.headers["vary"].split(",")}
            assert vary >= {"Authorization", "Cookie"}
        assert "no-store" not in public.headers.get("cache-control", "")
    assert held.get(f"/compare.svg?{GOOD}").headers["cache-control"] == "public, max-age=3600"
    assert "no-store" not in held.get("/static/perdollar.css", headers=AS_A).headers.get("cache-control", "")


def test_a_server_beyond_its_machine_without_tokens_is_read_only(read_only):
    for path in STORING:
        answer = read_only.post(path, files=FILES, headers=HTML)
        assert answer.status_code == 403
        for words in ("read-only", "perdollar token NAME", "PERDOLLAR_TOKENS"):
            assert words in (answer.json()["detail"] if "/api/" in path else Page(answer.text).by_id("main").text)
        assert read_only.post(path, files=FILES, headers=AS_A).status_code == 403
    assert read_only.get("/").status_code == 200
    assert read_only.post(POST, json=QUESTION).status_code == 200
    for address in ("/prices/import", "/benchmarks"):
        page = Page(read_only.get(address).text)
        assert [e for e in page.all("input") if e.attributes.get("type") == "file"] == []
        assert "read-only: it takes no files" in page.by_id("main").text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "::ffff:127.0.0.1"])
def test_a_loopback_address_is_of_this_machine_alone(host):
    assert Settings(host=host).local


def test_a_server_of_this_machine_alone_takes_all(small):
    client = TestClient(create_app(Settings(host="::1"), [small]))
    assert client.post("/api/v1/prices/import", files=FILES).status_code == 200
    assert client.get("/prices.json?provider=acme").json()["total"] == 2
    assert "cache-control" not in client.get("/prices.json").headers
    assert "Sign in" not in client.get("/prices/import").text


@pytest.mark.parametrize("host", [PUBLIC, "::", "", "192.0.2.1", "2001:db8::1", "example.org", "localhost.example.org"])
def test_any_other_address_is_the_worlds(host):
    assert not Settings(host=host).local


def test_private_tables_are_not_served_to_everybody_by_mistake(small, tmp_path):
    words = "a server at 0.0.0.0 without tokens would show the private price tables to everybody: set PERDOLLAR_TOKENS"
    assert words in refusal("serve", "--host", PUBLIC, "--port", "0", PERDOLLAR_PRICES=str(small))
    assert "PERDOLLAR_PUBLIC_PRICES=1" in refusal("serve", "--host", PUBLIC, "--port", "0", "--prices", small)
    with pytest.raises(InvalidInputError, match="would show the private price tables"):
        create_app(Settings(host=PUBLIC, prices=(small,)))
    client = TestClient(create_app(Settings(host=PUBLIC, prices=(small,), public_prices=True)))
    assert client.get("/prices.json?provider=acme").json()["total"] == 2
    assert client.post("/api/v1/prices/import", files=FILES).status_code == 403


def test_a_table_for_a_token_that_is_not_there_is_refused(small):
    for settings in ({}, {"tokens": ENTRIES, "host": PUBLIC}, {"public_prices": True}):
        with pytest.raises(
            InvalidInputError, match=r"^PERDOLLAR_PRICES has a table for the token c, which PERDOLLAR_TOK"
        ):
            create_app(Settings(prices=(f"c={small}",), **settings))


def test_a_path_with_an_equals_sign_is_told_from_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.csv").write_text(ACME)
    monkeypatch.setenv("PERDOLLAR_PRICES", f"./a=b.csv:{tmp_path}/a=b.csv:a=b.csv:team.2=x/y=z.csv")
    found = [(str(table.path), table.token) for table in Settings().tables]
    here = str(tmp_path / "a=b.csv")
    assert found == [(here, ""), (here, ""), ("b.csv", "a"), ("x/y=z.csv", "team.2")]
    monkeypatch.setenv("PERDOLLAR_PRICES", "./a=b.csv")
    assert TestClient(create_app()).get("/prices.json?provider=acme").json()["total"] == 2


def test_commands_use_all_private_tables(tmp_path):
    done = run("prices", "list", "--provider", "canaryalpha", "--provider", "canarybeta", "--format", "csv",
               PERDOLLAR_PRICES=tables(tmp_path))  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.count("canarybox-") == 2


def test_a_request_of_another_site_is_refused(held, client):
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "null"},
                    {"origin": "https://evil.example"}, {"origin": "http://testserver:81"}):  # fmt: skip
        for asked in (held, client):
            answer = asked.post("/api/v1/prices/import", files=FILES, headers=AS_A | headers)
            assert "set off by another site" in problem(answer, 403)["detail"]
        assert held.post("/sign-in", data={"token": A}, headers=headers).status_code == 403
        # What stores nothing is answered: it is the same for everybody.
        assert held.post(POST, json=QUESTION, headers=headers).status_code == 200
    for headers in ({"sec-fetch-site": "same-origin", "origin": "null"}, {"sec-fetch-site": "none"},
                    {"origin": "http://testserver"}, {"origin": "https://TestServer"}):  # fmt: skip
        for asked in (held, client):
            assert asked.post("/api/v1/prices/import", files=FILES, headers=AS_A | headers).status_code == 200


def test_the_openapi_document_says_what_needs_a_token(held, client):
    document = held.get("/openapi.json").json()
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            stores = path in STORING
            assert operation["security"] == ([{"token": []}] if stores else [{}, {"token": []}])
            assert {"401", "414", "429", "431"} <= set(operation["responses"])
            assert ("403" in operation["responses"]) == stores, (path, verb)
    local = client.get("/openapi.json").json()
    assert "securitySchemes" not in local["components"]
    assert not any("security" in operation for verbs in local["paths"].values() for operation in verbs.values())


def test_nothing_of_the_tables_is_in_what_everybody_reads(held):
    for address in ("/openapi.json", "/docs", "/method", "/decisions"):
        for headers in ({}, AS_A, HTML):
            assert "canary" not in held.get(address, headers=headers).text
    assert len(ROWS) == 3
