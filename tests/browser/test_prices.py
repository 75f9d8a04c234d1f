"""The price list: filters in place, the history of an offer, and the same rows as file."""

import csv
import io
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.asking import asked, mark_document, same_document


def test_filters_work_in_place_and_are_the_link(opened):
    page = opened("/prices")
    mark_document(page)
    page.get_by_label("Accelerator or family").fill("H100")
    expect(page.locator(".scroll tbody td", has_text="Gaudi1")).to_have_count(0)
    page.get_by_role("group", name="Area").get_by_label("europe").check()
    expect(page.locator(".scroll tbody")).not_to_contain_text("us-east-1")
    expect(page.get_by_role("status")).to_contain_text("prices")
    assert same_document(page)
    assert asked(page)[:2] == [("accelerator", "H100"), ("area", "europe")]
    rows = page.locator(".scroll tbody tr").all_inner_texts()
    page.reload()
    assert page.locator(".scroll tbody tr").all_inner_texts() == rows
    page.go_back()
    expect(page.locator(".scroll tbody")).to_contain_text("us-east-1")
    expect(page.get_by_role("group", name="Area").get_by_label("europe")).not_to_be_checked()
    expect(page.get_by_label("Accelerator or family").first).to_have_value("H100")


def test_history_of_an_offer_is_one_click_away(opened):
    page = opened("/prices?accelerator=Trainium1")
    page.locator(".scroll tbody tr", has_text="us-east-2").get_by_role("link", name="history").first.click()
    expect(page.locator("h2").first).to_contain_text("observed up to")
    expect(page.get_by_label("All observations, not only the newest")).to_be_checked()
    dates = [cell[:10] for cell in page.locator(".scroll tbody td:nth-child(8)").all_inner_texts()]
    assert dates == sorted(dates, reverse=True)
    assert len(set(dates)) > 1


def test_sorting_by_the_price_of_one_accelerator(opened):
    page = opened("/prices?accelerator=H100")
    button = page.get_by_role("button", name="Each")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("th:has(#sort-price_usd_per_accelerator_hour)")).to_have_attribute("aria-sort", "ascending")
    expect(button).to_be_focused()
    shown = page.locator(".scroll tbody td:nth-child(7)").evaluate_all("all => all.map((cell) => cell.title)")
    prices = [float(text) for text in shown]
    assert prices == sorted(prices)


def test_csv_holds_the_filtered_prices(opened):
    page = opened("/prices?accelerator=Trainium1&purchase=on_demand")
    with page.expect_download() as begun:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(begun.value.path()).read_bytes().decode(), newline="")))
    shown = page.locator(".scroll tbody td:nth-child(6)").evaluate_all("all => all.map(cell => cell.title)")
    assert [float(row["price_usd_per_hour"]) for row in rows] == [float(text) for text in shown]
    assert {row["purchase"] for row in rows} == {"on_demand"}


def test_unknown_filter_says_what_is_near(opened):
    page = opened("/prices")
    page.get_by_label("Accelerator or family").fill("H1000")
    expect(page.locator("#accelerator-0-problem")).to_contain_text("H100")
    expect(page.get_by_label("Accelerator or family")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Accelerator or family").fill("H100")
    expect(page.locator("#accelerator-0-problem")).to_be_hidden()


def test_accelerators_are_filtered_and_sorted(opened):
    page = opened("/accelerators")
    page.get_by_label("aws", exact=True).check()
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_label("aws", exact=True)).to_be_checked()
    page.get_by_role("button", name="Memory").click()
    expect(page.locator("th:has(#sort-memory_gib)")).to_have_attribute("aria-sort", "descending")
    names = page.locator(".scroll tbody th").all_inner_texts()
    assert set(names) == {"Trainium3", "Trainium2", "Trainium1", "Inferentia2", "Inferentia1"}
    assert names.index("Trainium2") < names.index("Trainium1")
    expect(page.get_by_label("aws", exact=True)).to_be_checked()
