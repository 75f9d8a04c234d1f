"""The first visit: a worked example with its source, as sentence, chart and table."""

import re

from playwright.sync_api import expect


def test_example_is_named_as_published_with_its_source(opened):
    example = opened("/").locator(".example")
    expect(example).to_contain_text("A worked example from published figures.")
    expect(example).to_contain_text("dstackai/benchmarks")
    expect(example).to_contain_text("Llama-3.1-405B")


def test_sentence_chart_and_table_agree_on_the_cheapest(opened):
    page = opened("/")
    first = page.locator(".scroll tbody tr").first
    name = first.get_by_role("rowheader").evaluate("cell => cell.firstChild.textContent")
    shown = first.locator("td strong").inner_text()
    sentence = page.locator(".headline").first
    expect(sentence.locator("strong").first).to_have_text(name)
    expect(sentence).to_contain_text(f"{shown} USD per 1M tokens, input and output")
    expect(sentence).to_contain_text(re.compile(r"Price of \d{4}-\d\d-\d\d"))
    expect(sentence).to_contain_text("throughput: published")
    dot = page.locator(".plot .dot").first
    expect(dot.locator(".name")).to_contain_text(f"1. {name}")
    expect(dot.locator(".value")).to_have_text(shown)


def test_chart_has_fifteen_dots_in_the_order_of_the_table(opened):
    page = opened("/")
    chart = page.get_by_role("img", name="Costs of the cheapest 15 offers")
    expect(chart.locator("svg svg")).to_have_count(15)
    places = chart.locator("svg svg").evaluate_all("all => all.map((mark) => parseFloat(mark.getAttribute('x')))")
    assert places == sorted(places)
    values = chart.locator(".value").all_inner_texts()
    assert values == page.locator(".scroll tbody td strong").all_inner_texts()[:15]


def test_every_row_has_date_age_and_evidence_of_its_price(opened):
    page = opened("/")
    rows = page.locator(".scroll tbody tr")
    cells = page.locator(".scroll tbody td.source").all_inner_texts()
    assert rows.count() == len(cells) > 15
    for cell in cells:
        assert re.match(r"\d{4}-\d\d-\d\d\s+\d+ days · (list|survey)", cell), cell


def test_every_number_column_is_right_aligned_and_tabular(opened):
    page = opened("/")
    styles = page.locator(".scroll tbody tr:first-child td.number").evaluate_all(
        "all => all.map(cell => [getComputedStyle(cell).textAlign, getComputedStyle(cell).fontVariantNumeric])"
    )
    assert styles == [["right", "tabular-nums"]] * 8


def test_pages_name_themselves_and_mark_where_one_is(opened):
    page = opened("/")
    for name, title in [
        ("Prices", "Prices"),
        ("Accelerators", "Accelerators"),
        ("Method", "Method"),
        ("API", "API"),
        ("Compare", "USD per 1M tokens, input and output"),
    ]:
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_title(f"{title} · PerDollar")
        expect(page.locator("nav [aria-current=page]")).to_have_text(name)
        expect(page.locator("h1")).to_have_count(1)
