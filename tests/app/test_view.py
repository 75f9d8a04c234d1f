"""How the page shows an answer: scales, columns, filters in headings, rows side by side. Data are not touched by it."""

from __future__ import annotations

from html import unescape

import pytest

from app.view import HEADINGS, OTHERS, USUAL, View, exported, in_headings, read_view, shown_headings
from pricing.columns import COLUMN_NAMES
from pricing.errors import InvalidInputError
from pricing.units import UNITS, scales
from tests.app.asking import Page, query_of

# AWS trn1.32xlarge: 21.50 USD an hour, 16 chips at 10,000 tokens/s: 21.5 / 36 = 0.597222… USD per 1M output tokens.
TRAINIUM = "unit=output_token&m=Trainium1:16=10000~500&purchase=on_demand&provider=aws&region=us-east-1"
BASE = f"/compare?{TRAINIUM}"
COST = 21.5 / 36


def cost_cells(page: Page) -> list[str]:
    return [row["cost_usd"].text for row in page.rows()]


@pytest.mark.parametrize(
    ("per", "shown", "unit"),
    [
        ("", "0.597", "USD per 1M output tokens"),
        ("1M", "0.597", "USD per 1M output tokens"),
        ("1K", "0.000597", "USD per 1K output tokens"),
        # 36,000,000 tokens ÷ 21.50 USD
        ("usd", "1,670,000", "output tokens per USD"),
    ],
)
def test_a_cost_per_another_quantity(client, per, shown, unit):
    page = Page(client.get(f"{BASE}&per={per}").text)
    assert cost_cells(page)[0].startswith(shown)
    headline = next(p.text for p in page.all("p") if p.attributes.get("class") == "headline")
    assert f"{shown} {unit}" in headline


def test_charts_follow_the_quantity(client):
    page = Page(client.get(f"{BASE}&per=1K").text)
    dot = next(e for e in page.all("div") if e.attributes.get("class") == "dot")
    # 0.597222… ÷ 1000, its bounds at 10,500 and 9,500 tokens a second.
    assert "0.000597 USD per 1K output tokens (0.000569 to 0.000629)" in dot.attributes["title"]
    captions = [caption.text for caption in page.all("figcaption")]
    assert captions
    assert all("USD per 1K output tokens" in caption for caption in captions)
    inverse = Page(client.get(f"{BASE}&per=usd").text)
    assert all("USD per 1M output tokens" in caption.text for caption in inverse.all("figcaption"))


def test_pictures_follow_the_quantity(client):
    svg = client.get(f"/compare.svg?{TRAINIUM}&per=1K").text
    assert "0.000597 USD per 1K output tokens (0.000569 to 0.000629)" in svg
    assert "USD per 1M" not in svg
    tornado = client.get(f"/compare/tornado.svg?{TRAINIUM}&per=1K").text
    # The price a tenth lower and higher: 0.9 and 1.1 × 0.000597222…
    assert "0.000538 to 0.000657 USD per 1K output tokens" in tornado


def test_an_axis_has_round_figures_in_the_quantity_that_is_shown(client):
    page = Page(client.get("/compare?unit=audio_hour&m=L4:1=120&purchase=on_demand&per=minute&limit=15").text)
    axis = next(e for e in page.all("svg") if e.attributes.get("class") == "ticks")
    ticks = [e.text for e in page.all("text") if e.around[-1] is axis]
    # A step of 1, 2 or 5 times a power of ten, whatever the quantity.
    step = float(ticks[1])
    assert f"{step:e}".split("e")[0].rstrip("0") in ("1.", "2.", "5.")
    assert [float(tick) for tick in ticks] == pytest.approx([step * i for i in range(len(ticks))])


def test_bounds_of_what_a_dollar_buys_are_the_other_way_round(client):
    low = 3600 * 9500 / 21.5
    high = 3600 * 10500 / 21.5
    row = Page(client.get(f"{BASE}&per=usd").text).rows()[0]
    assert "1,590,000 to 1,760,000" in row["cost_usd"].text
    assert (round(low, -4), round(high, -4)) == (1590000, 1760000)


def test_prices_per_month(client):
    # 21.50 × 730 = 15,695
    row = Page(client.get(f"{BASE}&price_per=month").text).rows()[0]
    assert row["price_usd_per_hour"].text.startswith("15,695.00")
    assert "980.9375 each" in row["price_usd_per_hour"].text


@pytest.mark.parametrize("unit", UNITS.values(), ids=list(UNITS))
def test_every_unit_has_its_scales(unit):
    usual, other, inverse = scales(unit)
    assert usual.factor == 1
    assert usual.label == unit.cost_unit
    assert other.label != unit.cost_unit
    assert inverse.inverse


def test_audio_is_shown_per_minute_too(client):
    page = client.get("/compare?unit=audio_hour&m=L4=120&per=minute&purchase=on_demand").text
    assert "USD per audio-minute" in page
    hour, minute = (Page(client.get(f"/compare?unit=audio_hour&m=L4=120&purchase=on_demand&per={per}").text)
                    for per in ("hour", "minute"))  # fmt: skip
    dear, cheap = (float(p.rows()[0]["cost_usd"].attributes["title"]) for p in (hour, minute))
    assert cheap == pytest.approx(dear / 60, rel=1e-12)


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("per=2M", "per", "'2M' is none of 1M, 1K, hour, minute, usd"),
        ("price_per=year", "price_per", "'year' is none of hour, month"),
        ("explain=x", "explain", "x"),
    ],
)
def test_a_way_to_show_that_does_not_exist_is_refused(client, query, field, said):
    answer = client.get(f"{BASE}&{query}")
    assert answer.status_code == 422
    assert said in unescape(answer.text)
    assert client.get(f"/compare.json?{TRAINIUM}&{query}").json()["errors"][0]["loc"] == ["query", field]


@pytest.mark.parametrize("ending", ["json", "csv", "tsv"])
def test_data_read_past_how_the_page_shows_them(client, ending):
    plain = client.get(f"/compare.{ending}?{TRAINIUM}")
    shown = client.get(f"/compare.{ending}?{TRAINIUM}&per=usd&price_per=month&explain=1&side=1|aws|x|1|y|spot||")
    assert shown.status_code == 200
    assert shown.content == plain.content


# Conditions typed below a heading


@pytest.mark.parametrize(
    ("column", "typed", "condition"),
    [
        ("region", "us-", "region~us-"),
        ("region", "=us-east-1", "region=us-east-1"),
        ("instance_type", "!=p5.48xlarge", "instance_type!=p5.48xlarge"),
        ("cost_usd", "<=0.5", "cost_usd<=0.5"),
        ("cost_usd", " > 2", "cost_usd> 2"),
        ("accelerator_count", "2..8", "accelerator_count=2..8"),
        ("accelerator_count", "8", "accelerator_count=8"),
        ("price_age_days", "..30", "price_age_days=..30"),
    ],
)
def test_a_filter_of_a_heading_is_a_condition(column, typed, condition):
    view, rest = read_view([(f"where.{column}", typed)])
    assert rest == [("where", condition)]
    assert view.filters == ((column, typed.strip()),)
    assert view.problems == ()


@pytest.mark.parametrize(
    ("where", "filters", "others"),
    [
        (["region~us-"], (("region", "us-"),), []),
        (["region=us-east-1"], (("region", "=us-east-1"),), []),
        (["region~=x"], (("region", "~=x"),), []),
        (["cost_usd<=0.5", "cost_usd>=0.1"], (("cost_usd", "<=0.5"),), ["cost_usd>=0.1"]),
        (["accelerator_count=2..8"], (("accelerator_count", "2..8"),), []),
        (["notes ~ a b"], (), ["notes ~ a b"]),
        (["nonsense"], (), ["nonsense"]),
    ],
)
def test_conditions_of_a_link_stand_in_the_headings(where, filters, others):
    assert in_headings(where, ["region", "cost_usd", "accelerator_count"], View()) == (filters, others)
    # What stands there reads as the same condition again.
    for (column, typed), text in zip(filters, where, strict=False):
        assert read_view([(f"where.{column}", typed)])[1] == [("where", text)]


def test_a_filter_narrows_the_table_and_its_link_is_an_ordinary_condition(client):
    answer = client.get("/compare?unit=output_token&m=H100-SXM:8=5200&where.accelerator=H100&where.region=us-east")
    page = Page(answer.text)
    assert {"us-east" in row["provider"].text for row in page.rows()} == {True}
    pairs = query_of(page.link("Link to this answer"))
    assert [value for name, value in pairs if name == "where"] == ["accelerator~H100", "region~us-east"]
    again = Page(client.get(page.link("Link to this answer")).text)
    assert cost_cells(again) == cost_cells(page)
    fields = {e.attributes.get("id"): e.attributes.get("value") for e in again.all("input")}
    assert fields["where.region"] == "us-east"
    assert fields["where-0"] == ""


@pytest.mark.parametrize(
    ("shown", "typed", "condition"),
    [
        ("per=1K", "where.cost_usd=<=0.0006", "cost_usd<=0.6"),
        ("per=1K", "where.cost_usd=0.0005..0.0006", "cost_usd=0.5..0.6"),
        ("per=usd", "where.cost_usd=>=1.6M", "units_per_usd>=1.6M"),
        ("price_per=month", "where.price_usd_per_hour=<=16060", "price_usd_per_hour<=22"),
        ("per=minute", "where.cost_usd=<=0.6", "cost_usd<=0.6"),
        ("per=1K", "where.cost_usd=<=x", None),
    ],
)
def test_a_filter_is_in_the_unit_that_is_shown(client, shown, typed, condition):
    name, _, value = typed.partition("=")
    answer = client.get("/compare", params=[*query_of(f"{BASE}&{shown}"), (name, value)])
    if condition is None:
        assert answer.status_code == 422
        return
    page = Page(answer.text)
    assert len(page.rows()) == 1
    pairs = query_of(page.link("Link to this answer"))
    assert [v for n, v in pairs if n == "where"] == [condition]
    again = Page(client.get(page.link("Link to this answer")).text)
    assert len(again.rows()) == 1
    if not condition.startswith("units"):
        assert again.by_id(name).attributes["value"] == value


def test_half_of_a_filter_leaves_the_table_and_says_so(client):
    answer = client.get(f"{BASE}&where.cost_usd=%3E%3D&where.region=us", headers={"hx-request": "true"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert len(page.rows()) >= 1
    assert page.by_id("where.cost_usd").attributes["value"] == ">="
    assert page.by_id("where.cost_usd").attributes["aria-invalid"] == "true"
    assert "is not a condition" in page.by_id("where.cost_usd-wrong").text
    refused = client.get(f"/compare.json?{TRAINIUM}&where.cost_usd=%3E%3D")
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["loc"] == ["query", "where.cost_usd"]


def test_a_mistake_elsewhere_loses_nothing_of_the_table(client):
    query = (
        "unit=output_token&m=H100-SXM:8=52x0&where.region=us&columns=provider&columns=cost_usd&per=1K&sort=-cost_usd"
    )
    page = Page(client.get(f"/compare?{query}", headers={"hx-request": "true"}).text)
    hidden = [(e.attributes["name"], e.attributes["value"]) for e in page.all("input")]
    assert hidden == [pair for pair in query_of(f"?{query}") if pair[0] not in ("unit", "m")]


def test_filters_that_nothing_meets_stay_to_be_changed(client):
    page = Page(client.get(f"{BASE}&where.region=nowhere").text)
    assert page.rows() == []
    assert page.by_id("where.region").attributes["value"] == "nowhere"


def test_a_filter_on_no_column_is_named(client):
    view, rest = read_view([("where.costs", "1")])
    assert rest == []
    assert view.problems[0].loc == ("where.costs",)
    assert "'costs' is not a column." in view.problems[0].msg


# Columns


def test_every_column_can_be_shown_and_none_twice():
    folded = [name for heading in HEADINGS for name in (heading.name, *heading.folds)]
    assert sorted([*folded, *OTHERS, "cost_unit"]) == sorted(COLUMN_NAMES)


def test_chosen_columns_are_shown_and_exported(client):
    page = Page(client.get(f"{BASE}&columns=provider&columns=cost_usd&columns=precision").text)
    assert list(page.rows()[0]) == ["provider", "cost_usd", "precision"]
    assert page.rows()[0]["precision"].text == "n/a"
    head = client.get(page.link("CSV, all estimates")).text.splitlines()[0].split(",")
    assert head == [
        "provider", "instance_type", "region", "purchase", "term_months", "plan", "cost_usd", "cost_low_usd",
        "cost_high_usd", "tied", "precision",
    ]  # fmt: skip


def test_the_usual_columns_need_no_link(client):
    page = Page(client.get(BASE + "".join(f"&columns={name}" for name in USUAL)).text)
    assert not [1 for name, _ in query_of(page.link("Link to this answer")) if name == "columns"]
    assert len(client.get(page.link("CSV, all estimates")).text.splitlines()[0].split(",")) == len(COLUMN_NAMES)


def test_a_folded_column_is_shown_with_the_one_it_belongs_to():
    assert [h.name for h in shown_headings(["region", "cost_usd"])] == ["provider", "cost_usd"]
    assert shown_headings([]) == HEADINGS
    assert exported([]) == ()


# Side by side


def test_marked_rows_stand_side_by_side(client):
    question = "/compare?unit=output_token&m=H100-SXM:8=5200&purchase=on_demand"
    first = Page(client.get(question).text)
    keys = [e.attributes["value"] for e in first.all("input") if e.attributes.get("name") == "side"][:2]
    assert keys[0].startswith("1|")
    page = Page(client.get(f"{question}&side={keys[1]}&side={keys[0]}").text)
    lines = {row[0]: row[1:] for row in page.table_of("sides")}
    costs = [row["cost_usd"].attributes["title"] for row in first.rows()[:2]]
    assert lines["Rankby cost"] == ["2", "1"]
    assert lines["Cost, ratio to the first"] == ["1.00", f"{float(costs[0]) / float(costs[1]):#.3g}"]
    boxes = [e.attributes for e in page.all("input") if e.attributes.get("name") == "side"]
    assert [b["value"] for b in boxes if "checked" in b] == [keys[1], keys[0]]
    # A marked row has its mark above alone: two of them could never be taken away.
    assert not {keys[0], keys[1]} & {b["value"] for b in boxes if "checked" not in b}
    assert [v for n, v in query_of(page.link("Link to this answer")) if n == "side"] == [keys[1], keys[0]]


@pytest.mark.parametrize(
    "key", ["1|aws|gone|8|x|spot||", "x", "||||", "9|aws|trn1.32xlarge|16|us-east-1|on_demand||", "<b>"]
)
def test_a_row_that_is_gone_is_said_to_be(client, key):
    page = client.get("/compare", params=[*query_of(BASE), ("side", key)])
    assert page.status_code == 200
    assert "no longer among the estimates" in page.text
    assert "<b>" not in page.text


def test_rows_of_two_groups_have_no_ratio(client):
    question = [
        ("unit", "output_token"), ("m", "H100-SXM:8=5200"), ("m", "H200-SXM:8=6000"), ("m1.model", "Llama"),
        ("m2.model", "Qwen"), ("purchase", "on_demand"),
    ]  # fmt: skip
    page = Page(client.get("/compare", params=question).text)
    keys = [e.attributes["value"] for e in page.all("input") if e.attributes.get("name") == "side"]
    chosen = [next(k for k in keys if k.startswith(place)) for place in ("1|", "2|")]
    page = Page(client.get("/compare", params=[*question, *(("side", k) for k in chosen)]).text)
    lines = {row[0]: row[1:] for row in page.table_of("sides")}
    assert lines["Cost, ratio to the first"] == ["1.00", "can't be compared"]
    assert lines["Model ≠"] == ["Llama", "Qwen"]
    # Each group has ranks of its own.
    assert lines["Rankby cost"] == ["n/a", "n/a"]


def test_data_compare_no_cost_with_a_baseline_of_another_kind(client):
    question = "unit=output_token&m=a@H100-SXM:8=5200~3%&m=b@MI300X:8=5200~3%&m1.model=A&m2.model=B&purchase=on_demand"
    question = question.replace("%", "%25")
    rows = client.get(f"/compare.json?{question}").json()["estimates"]
    apart = ("ratio_to_baseline", "rate_to_tie_per_second", "price_to_tie_usd_per_hour", "tied")
    of_b = [[row[name] for name in apart] for row in rows if row["measurement"] == "b"]
    assert {tuple(values[:3]) for values in of_b} == {(None, None, None)}
    cheapest = rows[0]["measurement"]
    other = [row["tied"] for row in rows if row["measurement"] != cheapest]
    assert set(other) == {None}
    of_a = [row["ratio_to_baseline"] for row in rows if row["measurement"] == "a"]
    assert min(of_a) == 1
    accepted = client.get(f"/compare.json?{question}&accept=model").json()["estimates"]
    assert all(row["ratio_to_baseline"] for row in accepted)


def test_only_so_many_rows_are_kept():
    view, _ = read_view([("side", str(i)) for i in range(20)])
    assert view.sides == tuple("012345")


def test_what_is_left_out_says_what_brings_it_in(client):
    page = Page(client.get("/compare?unit=output_token&m=H100-SXM=700&purchase=on_demand&area=europe").text)
    links = {a.text: a.attributes["href"] for a in page.all("a")}
    assert "area=" not in links["Take your filters away."]
    wider = Page(client.get(links["Take your filters away."]).text)
    assert len(wider.rows()) > len(page.rows())
    every = wider.link("Show every size.")
    sizes = Page(client.get(every).text)
    assert "all_sizes=1" in every
    assert not [1 for a in sizes.all("a") if a.text == "Show every size."]


def test_a_rank_that_is_none_is_refused():
    with pytest.raises(InvalidInputError):
        read_view([("explain", "0")])
