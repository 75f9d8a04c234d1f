"""The page: the worked example of the first visit, what stands on it, and where its links lead."""

from __future__ import annotations

import pytest

from app.view import USUAL
from tests.app.asking import DAY, GOOD, HTML, Page, query_of

# Published: 8 × H100 SXM makes 1105.49 tokens/s in total, 4 × MI300X makes 1184.52.
PUBLISHED = {"8x H100 SXM": (8, 1105.4870424269457), "4x MI300X": (4, 1184.5204578457153)}


def test_the_first_visit_is_a_worked_example_from_published_figures(client):
    page = Page(client.get("/").text)
    (said,) = [p for p in page.all("p") if p.attributes.get("class") == "example"]
    assert "worked example from published figures" in said.text
    for words in ("Llama-3.1-405B", "vLLM", "fp8", "dstackai/benchmarks @06c957ab comparison/h100sxm5_vs_mi300x"):
        assert words in said.text
    values = {
        e.attributes["name"]: e.attributes["value"] for e in page.all("input") if e.attributes["name"].startswith("m")
    }
    assert values["m2.source"].startswith("dstackai/benchmarks")
    (evidence,) = [
        o for o in page.all("option") if "selected" in o.attributes and o.around[-1].attributes["id"] == "m1.evidence"
    ]
    assert evidence.attributes["value"] == "published"
    # runpod MI300X (secure), 2.39 USD per GPU: 4 × 2.39 / (3600 × 1184.52…) × 10⁶
    assert f"{4 * 2.39 / (3600 * 1184.5204578457153) * 1e6:.2f} USD per 1M tokens" in page.by_id("results").text


def test_the_worked_example_is_a_link_like_any_other(client):
    first = Page(client.get("/").text)
    answer = client.get(first.link("JSON")).json()
    assert answer["total"] > 10
    assert {e["measurement"] for e in answer["estimates"]} == set(PUBLISHED)
    for e, row in zip(answer["estimates"], first.rows(), strict=True):
        count, rate = PUBLISHED[e["measurement"]]
        assert e["rate_per_second"] == pytest.approx(e["replicas"] * rate, rel=1e-14)
        assert e["accelerator_count"] >= count * e["replicas"]
        assert e["measurement_evidence"] == "published"
        assert row["measurement"].text.startswith(e["measurement"])
        assert row["cost_usd"].attributes["title"] == repr(e["cost_usd"])
    again = Page(client.get(first.link("Link to this answer")).text)
    assert [row["cost_usd"].text for row in again.rows()] == [row["cost_usd"].text for row in first.rows()]


@pytest.mark.parametrize("address", ["/", "/?utm_source=mail", "/compare", "/compare?unit=&m=&purchase="])
def test_an_address_without_a_question_shows_the_example(client, address):
    assert client.get(address).text.count("A worked example from published figures") == 1


def test_ones_own_figure_is_not_called_published(client):
    link = Page(client.get("/").text).link("Link to this answer")
    pairs = [(name, "mine@MI300X:4=2000" if value.startswith("4x") else value) for name, value in query_of(link)]
    answer = client.get("/compare", params=pairs)
    measured = [li.text for li in Page(answer.text).all("li") if "Source:" in li.text]
    assert measured[0].startswith("8x H100 SXM: published")
    assert measured[1].startswith("mine: measured")
    assert measured[1].endswith("Source: not stated.")


def test_links_of_the_page_ask_the_same_question(client):
    query = (
        f"unit=output_token&m=A %26 b@H100-SXM:8=5200~3%25&m1.model=Llama <3&utilization=0.5&sort=-cost_usd&limit=3"
        f"&offset=2&as_of={DAY}&purchase=on_demand&purchase=spot&quote=acme/big rack@H100-SXM:8=1"
    )
    asked = client.get(f"/compare.json?{query}").json()
    page = Page(client.get(f"/compare?{query}").text)
    assert client.get(page.link("JSON")).json() == asked
    rows = client.get(page.link("CSV, all estimates")).text.split("\r\n")
    assert len(rows) == asked["total"] + 2
    again = Page(client.get(page.link("Link to this answer")).text)
    assert [row["rank"].text for row in again.rows()] == [str(e["rank"]) for e in asked["estimates"]]
    assert again.link("Link to this answer") == page.link("Link to this answer")
    assert asked["estimates"][0]["model"] == "Llama <3"


def test_next_and_previous_go_through_all_estimates(client):
    address, ranks = f"/compare?{GOOD}&limit=15&as_of={DAY}", []
    pages = []
    while address:
        page = Page(client.get(address).text)
        pages.append(page)
        ranks += [int(row["rank"].text) for row in page.rows()]
        address = next((a.attributes["href"] for a in page.all("a") if a.attributes.get("rel") == "next"), None)
    total = client.get(f"/compare.json?{GOOD}&as_of={DAY}").json()["total"]
    assert total > 30
    assert ranks == list(range(1, total + 1))
    assert [a for a in pages[0].all("a") if a.attributes.get("rel") == "prev"] == []
    back = Page(client.get(pages[2].link("Previous")).text)
    assert [row["rank"].text for row in back.rows()] == [str(n) for n in range(16, 31)]
    assert "offset" not in dict(query_of(pages[1].link("Previous")))


def test_a_page_beyond_the_end_leads_back(client):
    page = Page(client.get(f"/compare?{GOOD}&offset=9000").text)
    assert page.rows() == []
    assert "beyond the last" in page.by_id("results").text
    assert "offset" not in dict(query_of(page.link("to the first page")))


def test_headings_sort_by_every_shown_column(client):
    page = Page(client.get(f"/compare?{GOOD}&purchase=on_demand&as_of={DAY}").text)
    buttons = [b for b in page.all("button") if b.attributes.get("name") == "sort"]
    assert len(buttons) > 10
    for button in buttons:
        assert button.attributes["form"] == "question"
        sort = button.attributes["value"]
        column = sort.removeprefix("-")
        estimates = client.get(f"/compare.json?{GOOD}&as_of={DAY}&sort={sort}&limit=1000").json()["estimates"]
        known = [e[column] for e in estimates if e[column] not in (None, "")]
        assert known == sorted(known, reverse=sort.startswith("-"))
        # What is unknown or blank comes after the rest.
        assert [e[column] for e in estimates[: len(known)]] == known


def test_the_sorted_column_says_so_and_turns_round(client):
    page = Page(client.get(f"/compare?{GOOD}&sort=price_usd_per_hour").text)
    button = page.by_id("sort-price_usd_per_hour")
    assert button.attributes["value"] == "-price_usd_per_hour"
    assert button.around[-1].attributes["aria-sort"] == "ascending"
    back = Page(client.get(f"/compare?{GOOD}&sort=-price_usd_per_hour").text).by_id("sort-price_usd_per_hour")
    assert back.attributes["value"] == "price_usd_per_hour"
    assert back.around[-1].attributes["aria-sort"] == "descending"


def test_the_form_holds_the_question(client):
    query = (
        "unit=request&m=a@L4=5&m=b@H100-SXM:8=6/7&m2.model=Llama&m2.evidence=claimed&m2.rates_count=successful"
        "&utilization=70%25&purchase=spot&purchase=on_demand&provider=aws&area=europe&vendor=nvidia&accelerator=L4"
        "&accelerator=H100&region=eu-west-1&term_months=12&quote=a/b@L4:1=2&max_price_usd_per_hour=100"
        f"&max_accelerators=8&baseline=a&limit=100&as_of={DAY}&all_sizes=1&include_unconfirmed=1&currency=BRL"
        "&exchange_rate=BRL=5.43&discount=aws=0.12&spot_loss=0.05&max_age_days=400"
        "&owned=rack@H100-SXM:8=capex:280000,years:4"
    )
    page = Page(client.get(f"/compare?{query}").text)
    sent = []
    for e in page.elements:
        name = e.attributes.get("name")
        if (
            e.tag == "input"
            and e.attributes.get("form") != "files"
            and (e.attributes["type"] != "checkbox" or "checked" in e.attributes)
        ):
            sent.append((name, e.attributes["value"]))
        if e.tag == "option" and "selected" in e.attributes:
            sent.append((e.around[-1].attributes["name"], e.attributes["value"]))
    given = query_of(f"?{query}")
    missing = [pair for pair in given if pair not in sent]
    assert missing == []
    extra = [(name, value) for name, value in sent if value and (name, value) not in given]
    assert [pair for pair in extra if pair[0] != "columns"] == [("sort", "cost_usd")]
    assert [value for name, value in extra if name == "columns"] == list(USUAL)


def test_a_table_without_ranges_and_an_answer_without_estimates(client):
    page = Page(client.get("/compare?unit=output_token&m=L4=in:100", headers=HTML).text)
    assert page.rows() == []
    assert "0 estimates" in page.by_id("results").text
    assert "no rate of the kind that is asked for" in page.by_id("left-out").text
    assert [svg for svg in page.all("svg") if svg.inside("figure")] == []


def test_unknown_is_not_applicable_never_zero(client):
    query = f"unit=output_token&m=L4=in:100&m=H100-SXM:8=100&as_of={DAY}"
    answer = client.get(f"/compare.json?{query}").json()
    assert answer["baseline"] is None
    assert {e["ratio_to_baseline"] for e in answer["estimates"]} == {None}
    rows = Page(client.get(f"/compare?{query}").text).rows()
    assert {row["ratio_to_baseline"].text for row in rows} == {"n/a"}
    assert {row["rate_to_tie_per_second"].text for row in rows} == {"n/a"}


def test_figures_are_rounded_to_significant_digits(acme):
    query = f"unit=output_token&m=H100-SXM:8=5e9&provider=acme&as_of={DAY}"
    (row,) = Page(acme.get(f"/compare?{query}").text).rows()
    # 20 / (3600 × 5·10⁹) × 10⁶
    assert row["cost_usd"].text == "0.00000111"
    assert row["cost_usd"].attributes["title"] == repr(20 / (3600 * 5e9) * 1e6)
    assert row["price_usd_per_hour"].text == "20.002.50 each"


def test_each_cost_opens_its_workings(client):
    query = f"unit=output_token&m=aws/trn1.32xlarge=10000&purchase=on_demand&region=us-east-1&as_of={DAY}"
    answer = client.get(f"/compare?{query}&explain=1")
    text = " ".join(Page(answer.text).by_id("workings").text.split())
    # 21.50 / (3600 · 10000 · 1) · 1e6 = 0.597222…
    assert "21.5 ÷ (3,600 × 10,000 × 1) × 1,000,000 = 0.597222 USD per 1M output tokens" in text
    assert 'id="workings"' not in client.get(f"/compare?{query}").text
    assert 'id="workings"' not in client.get(f"/compare?{query}&explain=999").text
    refused = client.get(f"/compare?{query}&explain=x", headers=HTML)
    assert refused.status_code == 422
