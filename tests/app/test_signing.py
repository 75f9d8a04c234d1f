"""Signing in with a form: the cookie, the way back, and requests that other sites set off."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.app.asking import HTML, Page, problem
from tests.app.holding import AS_A, ENTRIES, UNLIMITED, UPLOAD, A, B, providers, server

PUBLIC = "0.0.0.0"  # noqa: S104
FILES = {"file": ("prices.csv", UPLOAD.encode())}
SAME = {"sec-fetch-site": "same-origin"}
IMPORT = "/prices/import"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return server(tmp_path_factory.mktemp("held"), trusted_proxies="10.0.0.1").app


@pytest.fixture
def reader(app):
    """A browser: it keeps cookies and takes pages."""
    return TestClient(app, headers=HTML, follow_redirects=False)


def signed_in(reader, token=A, back="/"):
    answer = reader.post("/sign-in", data={"token": token, "back": back}, headers=SAME)
    assert answer.status_code == 303
    return answer


def form_of(page):
    """Return the fields of the form that signs in."""
    return {e.attributes["name"]: e.attributes.get("value", "") for e in page.all("input") if e.attributes.get("name")}


def test_the_cookie_is_for_no_script_and_no_other_site(reader):
    answer = signed_in(reader)
    assert answer.headers["set-cookie"] == f"perdollar_token={A}; Path=/; HttpOnly; SameSite=Strict"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["location"] == "/"


def test_behind_https_the_cookie_is_for_https_alone(app):
    proxied = TestClient(app, client=("10.0.0.1", 1), headers={"x-forwarded-proto": "https"}, follow_redirects=False)
    cookie = signed_in(proxied).headers["set-cookie"]
    assert cookie == f"__Host-perdollar_token={A}; Path=/; HttpOnly; SameSite=Strict; Secure"
    kept = {"cookie": f"__Host-perdollar_token={A}"}
    assert providers(proxied, kept) == ["canaryalpha", "canaryshared"]
    # A cookie that plain HTTP could have set is none of HTTPS.
    assert providers(proxied, {"cookie": f"perdollar_token={A}"}) == []


def test_a_reader_who_signed_in_sees_and_uploads(reader):
    assert providers(reader) == []
    signed_in(reader)
    assert providers(reader) == ["canaryalpha", "canaryshared"]
    page = reader.post(IMPORT, files=FILES, headers=SAME)
    assert "upbox" in page.text
    assert "Signed in as a" in page.text
    assert page.headers["cache-control"] == "private, no-store"
    link = Page(page.text).link("Compare with these prices")
    assert reader.get(link).status_code == 200
    assert TestClient(reader.app).get(link, headers=AS_A).status_code == 200
    for other in ({}, {"cookie": f"perdollar_token={B}"}):
        assert TestClient(reader.app).get(link, headers=other).status_code == 422


def test_signing_out(reader):
    signed_in(reader)
    answer = reader.post("/sign-out", headers=SAME)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert answer.headers["set-cookie"] == "perdollar_token=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
    assert providers(reader) == []
    assert "Sign in" in reader.get("/").text


def test_a_page_without_a_token_offers_to_sign_in(reader):
    for path in (IMPORT, "/benchmarks"):
        page = Page(reader.get(path).text)
        assert [e for e in page.all("input") if e.attributes.get("type") == "file"] == []
        assert page.link("sign in") == "/sign-in"
        back = reader.get("/sign-in", headers={"referer": f"http://testserver{path}?a=b"})
        assert form_of(Page(back.text)) == {"token": "", "back": f"{path}?a=b"}
        refused = reader.post(path, files=FILES, headers=SAME | {"referer": f"http://testserver{path}"})
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == 'Bearer realm="PerDollar"'
        page = Page(refused.text)
        assert form_of(page) == {"token": "", "back": path}
        assert [e.text for e in page.elements if e.attributes.get("role") == "alert"] == [
            "This needs a token of this server."
        ]
        assert signed_in(reader, back=path).headers["location"] == path
        reader.cookies.clear()


@pytest.mark.parametrize("token", ["", "wrong", A + "x", f"{A}; Domain=example", "é", "x" * 500])
def test_a_token_that_is_not_valid(reader, token):
    answer = reader.post("/sign-in", data={"token": token, "back": "/prices"}, headers=SAME)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    page = Page(answer.text)
    assert form_of(page) == {"token": "", "back": "/prices"}
    assert [e.text for e in page.elements if e.attributes.get("role") == "alert"] == ["The token is not valid here."]
    assert not token or token not in answer.text


@pytest.mark.parametrize(
    ("back", "location"),
    [
        ("https://evil.example/x?y", "/x?y"), ("//evil.example/x", "/x"), ("/\\evil.example", "/evil.example"),
        ("\\\\evil.example", "/evil.example"), ("javascript:alert(1)", "/alert(1)"), ("http://[", "/"), ("", "/"),
        ("/compare?m=L4=5&unit=x", "/compare?m=L4=5&unit=x"), ("///x", "/x"),
        ("/a\r\nSet-Cookie: x=y", "/aSet-Cookie: x=y"),
    ],
)  # fmt: skip
def test_the_way_back_leads_to_no_other_site(reader, back, location):
    answer = signed_in(reader, back=back)
    assert answer.headers["location"].replace("%20", " ") == location
    assert answer.headers.get_list("set-cookie") == [f"perdollar_token={A}; Path=/; HttpOnly; SameSite=Strict"]


def test_a_cookie_that_is_not_valid_any_more_is_taken_away(reader):
    reader.cookies.set("perdollar_token", "old")
    answer = reader.get("/prices.json")
    assert answer.status_code == 200
    assert answer.headers["set-cookie"] == "perdollar_token=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
    assert answer.headers["cache-control"] == "private, no-store"
    reader.cookies.set("perdollar_token", "old")
    assert signed_in(reader).headers.get_list("set-cookie") == [
        f"perdollar_token={A}; Path=/; HttpOnly; SameSite=Strict"
    ]


def test_other_cookies_do_no_harm(app):
    for cookie in (
        f"a=b; perdollar_token={A}",
        f'broken"; =; perdollar_token={A}; c',
        f"perdollar_language=pt-BR;perdollar_token={A}",
    ):
        assert providers(TestClient(app), {"cookie": cookie}) == ["canaryalpha", "canaryshared"]
    assert SimpleCookie(f"perdollar_token={A}")["perdollar_token"].value == A


def test_a_form_that_another_site_sends_is_refused(reader):
    signed_in(reader)
    for headers in ({}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"},
                    {"origin": "null"}):  # fmt: skip
        answer = reader.post("/api/v1/prices/import", files=FILES, headers=headers)
        assert "set off by another site" in problem(answer, 403)["detail"]
        if headers:
            assert reader.post("/sign-in", data={"token": A}, headers=headers).status_code == 403
            assert reader.post("/sign-out", headers=headers).status_code == 403
            asked = reader.post("/api/v1/compare", json={}, headers=headers)
            assert problem(asked, 403)
    for headers in (SAME, {"origin": "http://testserver"}):
        assert reader.post("/api/v1/prices/import", files=FILES, headers=headers).status_code == 200


def test_a_server_without_tokens_has_nothing_to_sign_in_to(client):
    read_only = TestClient(create_app(Settings(host=PUBLIC, **UNLIMITED)))
    for asked in (client, read_only):
        assert "has no tokens" in asked.get("/sign-in").text
        assert asked.get("/sign-in").status_code == 404
        assert asked.post("/sign-in", data={"token": A}).status_code == 404
    # A cookie of another server at this address changes nothing.
    answer = client.get("/prices.json", headers={"cookie": "perdollar_token=x"})
    assert "set-cookie" not in answer.headers
    assert answer.headers.get("cache-control") is None


def test_the_pages_are_in_portuguese_as_well(reader):
    page = reader.get("/sign-in", headers={"accept-language": "pt-BR"}).text
    assert "Com um token você pode enviar arquivos" in page
    refused = reader.post(IMPORT, files=FILES, headers=SAME | {"accept-language": "pt-BR"})
    assert "Isto precisa de um token deste servidor." in refused.text
    assert len(ENTRIES) == 2
