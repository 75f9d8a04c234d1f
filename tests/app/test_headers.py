"""Headers of every answer, HEAD, fragments for the page's script, and the names of downloads."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.guard import CONTENT_SECURITY_POLICY
from app.main import create_app
from app.settings import Settings
from tests.app.asking import DAY, GOOD, HTML, POST, Page, answered

SECURITY = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
}
PAGE = "text/html; charset=utf-8"
CSV = "text/csv; charset=utf-8"
# address: status and content type
ANSWERS = {
    "/": (200, PAGE),
    f"/compare?{GOOD}": (200, PAGE),
    "/compare?unit=x": (422, PAGE),
    "/prices": (200, PAGE),
    "/prices?provider=asw": (422, PAGE),
    "/accelerators": (200, PAGE),
    "/accelerators?vendor=x": (422, PAGE),
    "/method": (200, PAGE),
    "/docs": (200, PAGE),
    "/nothing": (404, PAGE),
    f"/compare.json?{GOOD}": (200, "application/json"),
    f"/compare.csv?{GOOD}": (200, CSV),
    "/prices.json": (200, "application/json"),
    "/prices.csv": (200, CSV),
    "/accelerators.json": (200, "application/json"),
    "/accelerators.csv": (200, CSV),
    "/healthz": (200, "application/json"),
    "/readyz": (200, "application/json"),
    "/openapi.json": (200, "application/json"),
    "/compare.json?unit=x": (422, "application/problem+json"),
    "/compare.csv?unit=x": (422, "application/problem+json"),
    "/nothing.json": (404, "application/problem+json"),
    "/static/nothing.css": (404, "application/problem+json"),
    POST: (405, "application/problem+json"),
    "/static/perdollar.css": (200, "text/css; charset=utf-8"),
    "/static/perdollar.js": (200, "text/javascript; charset=utf-8"),
    "/static/icon.svg": (200, "image/svg+xml"),
    "/static/vendor/htmx.min.js": (200, "text/javascript; charset=utf-8"),
}
PAGES = [address for address, (_, kind) in ANSWERS.items() if kind == PAGE]


def refuse_weak(headers):
    """Check that each header of safety is there once, with its value."""
    for name, value in SECURITY.items():
        assert headers.get_list(name) == [value]


def test_the_policy_is_the_one_that_is_written_down():
    assert SECURITY["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("address", ANSWERS)
def test_every_answer_has_its_type_and_the_headers_of_safety(client, address):
    answer = client.get(address, headers=HTML)
    assert (answer.status_code, answer.headers["content-type"]) == ANSWERS[address]
    refuse_weak(answer.headers)
    assert "set-cookie" not in answer.headers


def test_posts_refusals_and_redirects_have_them_too(client):
    tight = TestClient(create_app(Settings(max_query=20)))
    body = {"unit": "output_token", "measurements": [{"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}]}
    answers = [
        (client.post(POST, json=body), 200),
        (client.post(POST, json={}), 422),
        (client.post(POST, content=b"{}"), 415),
        (client.post("/prices"), 405),
        (tight.get(f"/compare?{GOOD}"), 413),
        (client.get("/prices/", follow_redirects=False), 307),
        (client.get("/static/perdollar.css", headers={"range": "bytes=0-9"}), 206),
        (client.head("/"), 200),
    ]
    for answer, status in answers:
        assert answer.status_code == status
        refuse_weak(answer.headers)


@pytest.mark.parametrize("address", ANSWERS)
def test_head_is_get_without_a_body(client, address):
    whole, head = client.get(address, headers=HTML), client.head(address, headers=HTML)
    assert whole.content
    assert head.content == b""
    assert head.status_code == whole.status_code
    same = ("content-type", "content-length", "vary", "content-disposition", "etag", "allow")
    assert {name: head.headers.get(name) for name in same} == {name: whole.headers.get(name) for name in same}


@pytest.mark.parametrize("address", ["/", f"/compare.csv?{GOOD}", "/static/perdollar.css", "/compare.json?unit=x"])
def test_nothing_of_a_body_is_sent_for_head(client, address):
    start, *bodies = answered(client.app, "HEAD", address)
    assert start["status"] == ANSWERS[address][0]
    assert b"".join(message.get("body", b"") for message in bodies) == b""
    assert b"".join(message.get("body", b"") for message in answered(client.app, "GET", address)[1:])


@pytest.mark.parametrize("address", PAGES)
def test_caches_keep_pages_and_fragments_apart(client, address):
    for more in ({}, {"hx-request": "true"}):
        vary = [name.strip() for name in client.get(address, headers=HTML | more).headers["vary"].split(",")]
        assert "HX-Request" in vary
        assert "HX-History-Restore-Request" in vary


@pytest.mark.parametrize(
    "address", ["/", f"/compare?{GOOD}", "/compare?unit=x", "/prices?vendor=amd", "/prices?vendor=x"]
)
def test_the_pages_script_gets_the_results_alone(client, address):
    whole = client.get(address, headers=HTML)
    part = client.get(address, headers=HTML | {"hx-request": "true"})
    assert part.status_code == whole.status_code
    assert whole.text.startswith("<!doctype html>")
    assert "<html" not in part.text
    inside = [e.text for e in Page(whole.text).elements if e.attributes.get("id") == "results"]
    assert inside == [" ".join("".join(Page(f"<div>{part.text}</div>").elements[0].parts).split())]
    for other in ({"hx-request": "false"}, {"hx-request": "true", "hx-history-restore-request": "true"}):
        assert client.get(address, headers=HTML | other).text == whole.text


@pytest.mark.parametrize(
    ("address", "pushed"),
    [
        (f"/compare?{GOOD}&limit=&utm_source=x&provider=&sort=cost_usd", f"/compare?{GOOD}"),
        ("/compare?m=L4=5&unit=output_token", "/compare?unit=output_token&m=L4=5"),
        ("/compare?unit=output_token&m=a%20b@L4=5k", "/compare?unit=output_token&m=a+b@L4=5000"),
        ("/compare?unit=output_token&m=%C3%A9@L4=5", "/compare?unit=output_token&m=%C3%A9@L4=5"),
        ("/prices?vendor=amd&region=&utm_source=x", "/prices?vendor=amd"),
        ("/prices?", "/prices"),
    ],
)
def test_the_address_that_a_fragment_stands_for(client, address, pushed):
    answer = client.get(address, headers={"hx-request": "true"})
    assert answer.headers["hx-push-url"] == pushed
    assert client.get(pushed, headers={"hx-request": "true"}).text == answer.text
    assert "hx-push-url" not in client.get(address).headers


def test_downloads_have_names(client):
    names = {
        f"/compare.csv?{GOOD}&as_of={DAY}": f"perdollar-output_token-{DAY}.csv",
        f"/prices.csv?as_of={DAY}": f"perdollar-prices-{DAY}.csv",
        "/accelerators.csv": "perdollar-accelerators.csv",
    }
    for address, name in names.items():
        assert client.get(address).headers["content-disposition"] == f'attachment; filename="{name}"'
    assert "content-disposition" not in client.get(f"/compare.json?{GOOD}").headers


def test_an_error_of_a_download_is_no_download(client):
    answer = client.get("/compare.csv?unit=x")
    assert "content-disposition" not in answer.headers


def test_static_files_can_be_kept(client):
    answer = client.get("/static/perdollar.css")
    assert client.get("/static/perdollar.css", headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_the_same_path_with_a_slash_leads_to_the_address(client):
    answer = client.get(f"/compare/?{GOOD}", follow_redirects=False)
    assert answer.headers["location"].endswith(f"/compare?{GOOD}")


@pytest.mark.parametrize(("path", "location"), [("/compare/", "/compare"), ("/prices/?a=1", "/prices?a=1")])
def test_redirects_lead_to_this_server_whatever_host_a_client_names(client, path, location):
    # Behind a proxy that ends TLS an address with a scheme would be that of the inside, too.
    answer = client.get(path, headers={"host": "evil.example"}, follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == location
