"""Pages in Portuguese: no text is left in English unmarked, and signs, dates and words are those of its readers."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from app import languages
from app.decided import shown_on_page
from app.format import day, exact, percent, price, range_text, sentence, significant, whole, words
from app.languages import has_translation, translated
from pricing.decisions import DECISIONS
from pricing.decisions.decision import Figure
from pricing.wording import Sentence, listed, say, word
from tests.app.asking import ACME

HEADERS = {"accept": "text/html", "accept-language": "pt-BR"}
QUESTION = "unit=output_token&m=H100-SXM:8=5200~300&m=Trainium2:16=4100&purchase=on_demand"
PAGES = [
    "/", f"/compare?{QUESTION}", f"/compare?{QUESTION}&explain=1&all_sizes=1&where=cost_usd%3C%3D3&currency=BRL",
    f"/compare?{QUESTION}&m1.model=a&m2.model=b", "/prices", "/prices?accelerator=H100&area=europe",
    "/prices?history=1&provider=aws&instance_type=trn1.32xlarge&region=us-east-1&purchase=on_demand", "/accelerators",
    "/benchmarks", "/measure", "/prices/import", "/prices/changes?since=2024-01-01", "/method", "/docs", "/decisions",
    # What the example of a claim quotes is the claimant's English.
    "/claim?ratio=1.7&a=aws/p5.48xlarge&b=aws/trn2.48xlarge", *(f"/{name}" for name in DECISIONS if name != "claim"),
]  # fmt: skip
REFUSED = [
    "/compare?m=H100-SXM:8%3D5,200&m=xx=1&sort=foo&as_of=x", "/prices?provider=xx&foo=1", "/accelerators?vendor=xx",
    "/measure?accelerator=xx", "/prices/changes?since=2999-01-01", "/nothing",
    *(f"/{name}?m=xx&as_of=2999-01-01&foo=1&utilization=7" for name in DECISIONS),
]  # fmt: skip
# Words of English that Portuguese has not.
ENGLISH = re.compile(r"\b(the|your|with|price|of|and|is|are|from|cost|cheapest|this|that)\b", re.IGNORECASE)
# Addresses and what is typed.
TYPED = re.compile(r"\S*[/=_]\S*")
SHOWN_ATTRIBUTES = ("title", "aria-label", "alt", "data-status")
VOID = frozenset(("meta", "link", "input", "br", "hr", "img"))
# What users and sources write: names, notes, code, addresses.
DATA_TAGS = frozenset(("code", "pre", "script", "style"))
DATA_CLASSES = frozenset(("source", "sources", "printed", "example"))


class _Texts(HTMLParser):
    """The visible texts of a page that are not marked as English and are no data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        inside = bool(self._open and self._open[-1][1])
        classes = set((given.get("class") or "").split())
        data = inside or given.get("lang") == "en" or tag in DATA_TAGS or bool(classes & DATA_CLASSES)
        if not data:
            self.found += [value for name in SHOWN_ATTRIBUTES if (value := given.get(name))]
        if tag not in VOID:
            self._open.append((tag, data))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if data.strip() and not (self._open and self._open[-1][1]):
            self.found.append(" ".join(data.split()))


@pytest.fixture
def portuguese():
    token = languages._current.set("pt-BR")
    yield
    languages._current.reset(token)


@pytest.fixture(scope="module")
def differing() -> set[str]:
    """The English texts whose translation is another one."""
    found = languages.catalog("pt-BR")._catalog
    every = [(" ".join(key.split()), value) for key, value in found.items() if isinstance(key, str) and key]
    return {key for key, value in every if key != value} - {value for _, value in every}


def _english(html: str, differing: set[str]) -> list[str]:
    return [text for text in _Texts(html).found if text in differing or ENGLISH.search(TYPED.sub("", text))]


@pytest.mark.parametrize("address", PAGES)
def test_no_text_of_a_page_is_left_in_english(client: TestClient, differing, address):
    answer = client.get(address, headers=HEADERS)
    assert answer.status_code == 200
    assert '<html lang="pt-BR">' in answer.text
    assert answer.headers["content-language"] == "pt-BR"
    assert not _english(answer.text, differing)


@pytest.mark.parametrize("address", REFUSED)
def test_no_refusal_is_left_in_english(client: TestClient, differing, address):
    answer = client.get(address, headers=HEADERS)
    assert answer.status_code in {404, 422}
    assert not _english(answer.text, differing)


def test_uploads_are_answered_in_portuguese(client: TestClient, differing):
    for path, name, body in (
        ("/prices/import", "prices.csv", ACME.encode()),
        ("/prices/import", "prices.csv", b"a;b\n1;2\n"),
        ("/benchmarks", "run.json", b"{}"),
        ("/benchmarks", "run.csv", b"label,hardware,rtfx,foo\na,L4,120,1\n"),
    ):
        answer = client.post(path, files={"file": (name, body)}, headers=HEADERS)
        assert not _english(answer.text, differing)


def test_the_walk_finds_what_is_left_in_english(client: TestClient, differing):
    # The same page in English has many: the test above can fail.
    html = client.get("/prices", headers={"accept": "text/html"}).text
    found = _english(html.replace('<html lang="en">', "<html>"), differing)
    assert "Prices" in found
    assert "Instance type" in found
    assert len(found) > 40


@pytest.mark.usefixtures("portuguese")
class TestSigns:
    def test_numbers(self):
        assert significant(0.5972222222222222) == "0,597"
        assert significant(5200) == "5.200"
        assert whole(1234567) == "1.234.567"
        assert price(21.5) == "21,50"
        assert price(25804.8) == "25.804,80"
        assert percent(0.412) == "41,2 %"
        assert exact(0.5972222222222222) == "0,5972222222222222"
        assert range_text(0.5, 1.25) == "0,500 a 1,25"
        assert significant(None) == "n/a"

    def test_dates_and_words(self):
        assert day("2026-12-01") == "01/12/2026"
        assert day(date(2026, 12, 1)) == "01/12/2026"
        assert words("on_demand") == "sob demanda"

    def test_figures_of_decisions(self):
        def shown(kind, value, name="x"):
            return shown_on_page(Figure(name, "", "", "", kind), value)

        assert shown("number", 0.597222) == "0,597"
        assert shown("usd", 5200.0) == "5.200,00"
        assert shown("share", 0.5) == "50,0 %"
        assert shown("date", "2026-12-01") == "01/12/2026"
        assert shown("boolean", True) == "sim"
        assert shown("text", "spot", "purchase") == "spot"
        assert shown("text", "on_demand", "purchase") == "sob demanda"
        # A label is the user's.
        assert shown("text", "price", "machine") == "price"

    def test_sentences(self):
        said = say("{as_of} is after today ({today}, UTC)", as_of=date(2027, 1, 2), today=date(2026, 12, 1))
        assert said == "2027-01-02 is after today (2026-12-01, UTC)"
        assert translated(said) == "02/01/2027 é depois de hoje (01/12/2026, UTC)"
        share = say("{share:percent} cheaper", share=0.4123)
        assert share == "41.2 % cheaper"
        assert translated(share) == "41,2 % mais barata"
        # Texts among the values are the user's, words are not.
        assert translated(say("{label} is {evidence}", label="price", evidence=word("claimed"))) == "price é alegada"
        assert translated(listed(["H100", "H200"], " or ")) == "H100 ou H200"
        assert translated(say("is given twice") + say(" and ") + "x") == "foi dada duas vezes e x"
        assert translated(ValueError(said).args[0]) == "02/01/2027 é depois de hoje (01/12/2026, UTC)"

    def test_what_has_no_translation_is_marked_as_english(self):
        assert has_translation("Prices")
        assert not has_translation("Nobody has translated this <b>.")
        marked = sentence("Nobody has translated this <b>.")
        assert marked == '<span lang="en">Nobody has translated this &lt;b&gt;.</span>'
        assert sentence(say("is given twice")) == "foi dada duas vezes"
        assert not has_translation(say("{first}{second}", first=say("is given twice"), second=Sentence("xyz abc")))


@pytest.mark.parametrize(
    "address",
    [
        f"/compare.json?{QUESTION}&m1.model=a&m2.model=b", f"/compare.csv?{QUESTION}", "/prices.json?accelerator=H100",
        "/prices.csv?accelerator=H100", "/prices/changes.csv?since=2024-01-01", "/accelerators.json", "/openapi.json",
        *(f"/{name}.{ending}" for name in DECISIONS for ending in ("json", "csv")),
        f"/compare/receipt.json?{QUESTION}", "/compare.json?m=xx&unit=foo",
    ],
)  # fmt: skip
def test_data_know_no_language(client: TestClient, address):
    english, other = (client.get(address, headers={"accept-language": tag}) for tag in ("en", "pt-BR"))
    assert english.content == other.content


def test_a_link_is_read_by_each_in_their_language(client: TestClient):
    address = f"/compare?{QUESTION}"
    english, other = (client.get(address, headers={"accept-language": tag}).text for tag in ("en", "pt-BR"))
    assert "Link to this answer" in english
    assert "Link para esta resposta" in other
    link = re.search(r'<a href="(/compare\?[^"]*)">Link', english)
    assert link is not None
    assert link[1] in other
    assert "0,597" not in english


def test_sentences_are_texts_to_json(client: TestClient):
    answer = client.get("/claim.json?ratio=1.7&a=10&b=12", headers=HEADERS).json()
    assert answer["statement"][0].startswith("The claim: B gives 1.70 times")
    refused = client.get("/claim.json?ratio=x", headers={"accept-language": "pt-BR"}).json()
    assert "is not a number" in refused["detail"]
