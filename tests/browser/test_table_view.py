"""The table's own controls in a browser: filters below headings, columns, scales, rows side by side."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened

QUESTION = "/compare?unit=output_token&m=H100-SXM:8=5200&purchase=on_demand"


def rows(page: Page) -> int:
    return page.locator(".estimates tbody tr").count()


def test_typing_below_a_heading_narrows_the_table_and_keeps_the_place(opened: Opened):
    page = opened(QUESTION)
    before = rows(page)
    box = page.locator("[id='where.region']")
    box.click()
    page.keyboard.type("us-east", delay=30)
    expect(page.locator("#table-heading")).not_to_contain_text(str(before))
    expect(page).to_have_url(re.compile(r"where=region~us-east"))
    assert 0 < rows(page) < before
    expect(box).to_be_focused()
    page.keyboard.type("-1")
    expect(page).to_have_url(re.compile(r"where=region~us-east-1"))
    expect(box).to_have_value("us-east-1")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    expect(page.locator("#table-heading")).to_contain_text(str(before))


def test_half_of_a_filter_keeps_the_table(opened: Opened):
    page = opened(QUESTION)
    page.locator("[id='where.cost_usd']").press_sequentially("<=")
    expect(page.locator("[id='where.cost_usd-wrong']")).to_contain_text("is not a condition")
    assert rows(page) > 5
    page.keyboard.type("1.5")
    expect(page).to_have_url(re.compile(r"where=cost_usd(<|%3C)(=|%3D)1\.5$"))
    expect(page.locator("[id='where.cost_usd-wrong']")).to_be_hidden()
    expect(page.locator("[id='where.cost_usd']")).to_have_attribute("aria-invalid", "false")
    costs = page.locator(".estimates .explain").all_inner_texts()
    assert costs
    assert all(float(cost) <= 1.5 for cost in costs)


def test_what_is_typed_while_an_answer_comes_is_kept(opened: Opened):
    page = opened(QUESTION)
    # An answer that takes its time: more is typed before it is there.
    page.route("**/compare?*", lambda route: (page.wait_for_timeout(400), route.continue_()))
    box = page.locator("[id='where.region']")
    box.press_sequentially("us")
    page.wait_for_timeout(250)
    box.press_sequentially("-east-1", delay=60)
    expect(page).to_have_url(re.compile(r"where=region~us-east-1$"))
    expect(box).to_have_value("us-east-1")
    expect(box).to_be_focused()


def test_a_mistake_in_the_form_keeps_the_filter(opened: Opened):
    page = opened(QUESTION)
    page.locator("[id='where.region']").fill("us-east")
    expect(page).to_have_url(re.compile("where="))
    narrowed = rows(page)
    page.locator("#m-0").fill("H100-SXM:8=52x0")
    expect(page.locator("[data-problems]")).to_be_visible()
    page.locator("#m-0").fill("H100-SXM:8=5300")
    expect(page.locator("[id='where.region']")).to_have_value("us-east")
    assert rows(page) == narrowed


def test_columns_are_chosen_one_after_the_other(opened: Opened):
    page = opened(QUESTION)
    page.get_by_text("Columns", exact=True).click()
    page.locator("#column-precision").check()
    expect(page.locator(".estimates thead .sort").last).to_have_text("precision")
    # The list stays open for the next choice.
    page.locator("#column-rate_to_tie_per_second").uncheck()
    expect(page.locator("#sort-rate_to_tie_per_second")).to_have_count(0)
    expect(page.locator("#column-precision")).to_be_visible()
    page.reload()
    expect(page.locator(".estimates thead .sort").last).to_have_text("precision")
    page.locator("#sort-precision").click()
    expect(page).to_have_url(re.compile("sort=precision"))


def test_scales_change_what_is_shown_and_not_the_order(opened: Opened):
    page = opened(QUESTION)
    names = page.locator(".estimates tbody th").all_inner_texts()
    page.locator("#per").select_option("usd")
    expect(page.locator(".headline").first).to_contain_text("output tokens per USD")
    assert page.locator(".estimates tbody th").all_inner_texts() == names
    page.locator("#price_per").select_option("month")
    expect(page.locator(".estimates thead")).to_contain_text("USD per month")
    page.go_back()
    expect(page.locator("#price_per")).to_have_value("")


def test_rows_are_put_side_by_side_and_taken_away_again(opened: Opened):
    page = opened(QUESTION)
    page.locator("#side-1").check()
    expect(page.locator("#sides thead th")).to_have_count(2)
    page.locator("#side-3").check()
    expect(page.locator("#sides thead th")).to_have_count(3)
    page.locator("#kept-1").uncheck()
    expect(page.locator("#sides thead th")).to_have_count(2)
    page.locator("#kept-1").uncheck()
    expect(page.locator("#sides")).to_have_count(0)
    expect(page.locator("#side-1")).not_to_be_checked()
