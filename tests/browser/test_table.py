"""The table: sorting, paging, the way back, and the same rows as file."""

import csv
import io
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, TWO, asked, compare, cost, costs, mark_document, same_document

MANY = [("unit", "output_token"), ("m", "A100-80GB:1=900"), ("m", "H100-SXM:8=5200"), ("all_sizes", "1")]


def heading(page, column):
    return page.get_by_role("columnheader").filter(has=page.locator(f"#sort-{column}"))


def ranks(page):
    return [int(cell) for cell in page.locator(".scroll tbody td:first-child").all_inner_texts()]


def test_sorting_by_a_button_keeps_focus_and_says_the_direction(opened):
    page = opened(compare(*TWO))
    mark_document(page)
    expect(heading(page, "cost_usd")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("[aria-sort]")).to_have_count(1)
    button = page.locator("#results").get_by_role("button", name="Cost")
    button.focus()
    page.keyboard.press("Enter")
    expect(heading(page, "cost_usd")).to_have_attribute("aria-sort", "descending")
    expect(button).to_be_focused()
    assert costs(page) == sorted(costs(page), reverse=True)
    assert ("sort", "-cost_usd") in asked(page)
    page.keyboard.press("Enter")
    expect(heading(page, "cost_usd")).to_have_attribute("aria-sort", "ascending")
    expect(button).to_be_focused()
    assert costs(page) == sorted(costs(page))
    assert same_document(page)


def test_sorting_by_text_and_by_what_is_better_when_large(opened):
    page = opened(compare(*TWO))
    page.get_by_role("button", name="Offer").click()
    expect(heading(page, "provider")).to_have_attribute("aria-sort", "ascending")
    providers = [name.split()[0] for name in page.locator(".scroll tbody th").all_inner_texts()]
    assert providers == sorted(providers)
    page.get_by_role("button", name="Rate", exact=True).click()
    expect(heading(page, "rate_per_second")).to_have_attribute("aria-sort", "descending")


def test_sort_outlives_a_change_of_the_question_and_a_mistake(opened):
    page = opened(compare(*TWO))
    page.get_by_role("button", name="Price", exact=True).click()
    price = heading(page, "price_usd_per_hour")
    expect(price).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("textbox", name="Utilization").fill("50")
    expect(page.locator("#results .problems")).to_be_visible()
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(price).to_have_attribute("aria-sort", "ascending")
    assert ("sort", "price_usd_per_hour") in asked(page)


def test_pages_follow_one_another_without_gap_or_overlap(opened):
    page = opened(compare(*MANY))
    seen = ranks(page)
    total = int(page.locator("#table-heading").inner_text().split()[-1].replace(",", ""))
    assert total > 100
    while page.get_by_role("link", name="Next").count():
        page.get_by_role("link", name="Next").click()
        expect(page.locator("#table-heading")).to_contain_text(f"Estimates {len(seen) + 1} to")
        seen += ranks(page)
    assert seen == list(range(1, total + 1))
    expect(page.get_by_label("Measurement 2")).to_have_value("H100-SXM:8=5200")
    page.get_by_role("link", name="Previous").click()
    assert ranks(page)[-1] < seen[-1]


def test_change_of_the_question_starts_at_the_first_page(opened):
    page = opened(compare(*MANY, ("offset", "50")))
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(page.locator("#table-heading")).to_contain_text("Estimates 1 to 50")
    assert "offset" not in dict(asked(page))


def test_page_beyond_the_last_leads_back(opened):
    page = opened(compare(*KNOWN, ("offset", "900")))
    page.get_by_role("link", name="to the first page").click()
    expect(cost(page)).to_have_text("0.597")


def test_back_and_forward_restore_results_and_form(opened):
    page = opened(compare(*KNOWN))
    field = page.get_by_role("textbox", name="Utilization")
    field.fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    page.get_by_role("button", name="Cost").click()
    cost_heading = heading(page, "cost_usd")
    expect(cost_heading).to_have_attribute("aria-sort", "descending")
    page.go_back()
    expect(cost_heading).to_have_attribute("aria-sort", "ascending")
    expect(cost(page)).to_have_text("1.19")
    expect(field).to_have_value("0.5")
    page.go_back()
    expect(cost(page)).to_have_text("0.597")
    expect(field).to_have_value("")
    assert asked(page) == KNOWN
    page.go_forward()
    expect(cost(page)).to_have_text("1.19")
    expect(field).to_have_value("0.5")
    page.go_forward()
    expect(cost_heading).to_have_attribute("aria-sort", "descending")


def test_form_works_after_the_way_back(opened):
    page = opened(compare(*KNOWN))
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    page.go_back()
    expect(cost(page)).to_have_text("0.597")
    page.get_by_label("Measurement 1").fill("Trainium1:16=1x")
    expect(page.locator("#m-0-problem")).to_contain_text("'1x' is not a number")
    page.get_by_label("Measurement 1").fill(TRAINIUM)
    expect(page.locator("#m-0-problem")).to_be_hidden()
    page.get_by_role("button", name="Add a measurement").click()
    expect(page.get_by_label("Measurement 3")).to_be_focused()


def test_typing_is_one_entry_of_the_history(opened):
    page = opened(compare(*KNOWN))
    before = page.evaluate("history.length")
    field = page.get_by_label("Measurement 1")
    for rate in ("20000", "40000"):
        field.fill(f"Trainium1:16={rate}")
        expect(page.locator(".scroll tbody")).to_contain_text(f"{int(rate):,}")
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    expect(cost(page)).to_have_text("0.597")
    expect(field).to_have_value(TRAINIUM)


def test_way_back_from_another_page(opened):
    page = opened(compare(*KNOWN))
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    page.get_by_role("link", name="Method", exact=True).click()
    expect(page.locator("h1")).to_have_text("How the numbers are made")
    page.go_back()
    expect(cost(page)).to_have_text("1.19")
    expect(page.get_by_role("textbox", name="Utilization")).to_have_value("0.5")
    expect(page.locator("h1")).to_have_text("What does it cost?")


def test_csv_has_the_rows_of_the_screen(opened):
    page = opened(compare(*TWO, ("sort", "-price_usd_per_hour")))
    with page.expect_download() as begun:
        page.get_by_role("link", name="CSV, all estimates").click()
    assert begun.value.suggested_filename.startswith("perdollar-output_token-")
    rows = list(csv.DictReader(io.StringIO(Path(begun.value.path()).read_bytes().decode(), newline="")))
    names = page.locator(".scroll tbody th").evaluate_all("all => all.map(cell => cell.firstChild.textContent)")
    assert [f"{row['provider']} {row['instance_type']}" for row in rows] == names
    assert [float(row["cost_usd"]) for row in rows] == costs(page)


def test_csv_holds_the_rows_of_all_pages(opened):
    page = opened(compare(*MANY, ("offset", "50")))
    with page.expect_download() as begun:
        page.get_by_role("link", name="CSV, all estimates").click()
    text = Path(begun.value.path()).read_bytes().decode()
    all_ranks = [int(row["rank"]) for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert all_ranks == list(range(1, len(all_ranks) + 1))
    assert all_ranks[50:100] == ranks(page)


def test_json_has_the_rows_of_the_screen(opened):
    page = opened(compare(*TWO))
    address = page.get_by_role("link", name="JSON").get_attribute("href")
    answer = page.request.get(address).json()
    assert [row["cost_usd"] for row in answer["estimates"]] == costs(page)
    assert [row["rank"] for row in answer["estimates"]] == ranks(page)


def test_source_of_a_price_opens_in_its_row(opened):
    page = opened(compare(*KNOWN))
    row = page.locator(".scroll tbody tr").first
    row.locator("summary").click()
    expect(row.locator("details p")).to_contain_text("pricing_aws.go")
