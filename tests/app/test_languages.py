"""The language of a page, by the reader's switch and the browser's list; data know none."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.languages import chosen


@pytest.mark.parametrize(
    ("cookie", "accepted", "name"),
    [
        ("", "", "en"),
        ("", "pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"),
        ("", "pt", "pt-BR"),
        ("", "PT-br", "pt-BR"),
        ("", "pt-PT", "pt-BR"),
        ("", "en-US,pt-BR;q=0.9", "en"),
        ("", "pt-BR;q=0.2, en;q=0.7", "en"),
        ("", "de, pt;q=0.5, en;q=0.4", "pt-BR"),
        ("", "de,fr;q=0.9", "en"),
        ("", "*", "en"),
        ("", "pt;q=0", "en"),
        ("", "pt;q=x", "en"),
        ("", "pt;q=nan", "en"),
        ("", ",;,;;q=,", "en"),
        ("perdollar_language=pt-BR", "en", "pt-BR"),
        ("a=b; perdollar_language=en; c=d", "pt-BR", "en"),
        ("perdollar_language=xx", "pt-BR", "pt-BR"),
        ('perdollar_language="; \x00;;=', "pt-BR", "pt-BR"),
    ],
)
def test_the_switch_comes_before_the_browser_s_list(cookie, accepted, name):
    assert chosen(cookie, accepted) == name


def test_the_switch_keeps_the_language_and_goes_back_to_the_same_question(client: TestClient):
    came = {"referer": "https://elsewhere.example/compare?unit=output_token&m=H100-SXM:8%3D5200"}
    answer = client.post("/language", data={"to": "pt-BR"}, headers=came, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/compare?unit=output_token&m=H100-SXM:8%3D5200"
    assert answer.headers["set-cookie"].startswith("perdollar_language=pt-BR; HttpOnly; Max-Age=31536000; Path=/")
    client.cookies.clear()


@pytest.mark.parametrize("came", ["https://x.example//evil.example/a", "https://x.example/\\evil.example/a", "", "x:y"])
def test_the_way_back_leads_to_no_other_site(client: TestClient, came):
    answer = client.post("/language", data={"to": "en"}, headers={"referer": came}, follow_redirects=False)
    assert answer.headers["location"] in {"/evil.example/a", "/", "/y"}
    client.cookies.clear()


@pytest.mark.parametrize("form", [{"to": "xx"}, {}, {"to": ""}])
def test_a_language_without_a_catalog_is_refused(client: TestClient, form):
    answer = client.post("/language", data=form)
    assert answer.status_code == 422
    assert "en, pt-BR" in answer.text


def test_pages_and_fragments_say_their_language(client: TestClient):
    for headers in ({}, {"hx-request": "true"}):
        answer = client.get("/compare?m=H100-SXM:8%3D5200", headers={"accept-language": "pt-BR", **headers})
        assert answer.headers["content-language"] == "pt-BR"
        assert "Accept-Language" in answer.headers["vary"]
        assert "Cookie" in answer.headers["vary"]


@pytest.mark.parametrize("ending", ["json", "csv", "tsv", "md", "xlsx"])
def test_data_are_the_same_in_every_language(client: TestClient, ending):
    address = f"/compare.{ending}?m=H100-SXM:8%3D5200~300"
    english, portuguese = (client.get(address, headers={"accept-language": tag}) for tag in ("en", "pt-BR"))
    assert english.content == portuguese.content


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("5.200", "5.200 é lido como 5,20"),
        ("5200", ""),
        ("52.5", ""),
        ("0.038", ""),
        ("1234.567", ""),
        ("in:21.000,out:5.200", "21.000 é lido como 21,0"),
    ],
)
def test_thousands_with_a_dot_are_asked_about_where_readers_write_them(client: TestClient, rate, said):
    query = {"m": f"H100-SXM:8={rate}", "unit": "output_token" if ":" not in rate else "total_token"}
    portuguese = client.get("/compare", params=query, headers={"accept-language": "pt-BR"}).text
    assert (said in portuguese) if said else ("é lido como" not in portuguese)
    assert "is read as" not in client.get("/compare", params=query).text
