"""The main job: change the question, read the answer, pass it on as a link."""

import re

from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, TWO, asked, compare, cost, mark_document, same_document


def test_known_answer(opened):
    page = opened(compare(*KNOWN))
    expect(cost(page)).to_have_text("0.597")
    expect(cost(page).locator("xpath=ancestor::td")).to_have_attribute("title", "0.5972222222222222")


def test_change_of_the_form_updates_in_place_and_the_link_gives_the_same(opened):
    page = opened("/")
    mark_document(page)
    page.get_by_label("Cost per").select_option("output_token")
    page.get_by_label("Measurement 1").fill(TRAINIUM)
    page.get_by_label("Measurement 2").fill("")
    expect(cost(page)).to_have_text("0.597")
    expect(page.locator(".headline").first).to_contain_text("USD per 1M output tokens")
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    assert same_document(page)
    assert dict(asked(page))["utilization"] == "0.5"
    assert ("m", TRAINIUM) in asked(page)
    answer = page.locator("#results").inner_text()
    address = page.url
    page.reload()
    assert page.locator("#results").inner_text() == answer
    assert page.url == address
    expect(page.get_by_role("textbox", name="Utilization")).to_have_value("0.5")
    expect(page.get_by_label("Measurement 1")).to_have_value(TRAINIUM)


def test_address_bar_holds_the_canonical_link(opened):
    page = opened(compare(*KNOWN))
    page.get_by_role("textbox", name="Utilization").fill("50%")
    expect(cost(page)).to_have_text("1.19")
    assert asked(page) == [*KNOWN, ("utilization", "0.5")]
    link = page.get_by_role("link", name="Link to this answer").get_attribute("href")
    assert page.url.endswith(link)


def test_focus_and_caret_stay_while_typing(opened):
    page = opened(compare(*KNOWN))
    field = page.get_by_role("textbox", name="Utilization")
    field.press_sequentially("0.5")
    expect(cost(page)).to_have_text("1.19")
    expect(field).to_be_focused()
    field.press_sequentially("9")
    expect(cost(page)).to_have_text("1.01")
    expect(field).to_have_value("0.59")


def test_typing_quickly_ends_in_the_right_answer(opened):
    page = opened(compare(*TWO))
    field = page.get_by_label("Measurement 1")
    field.fill("")
    field.press_sequentially(TRAINIUM, delay=3)
    page.get_by_label("Measurement 2").fill("")
    # The first measurement's cost stands there before the second is gone.
    expect(page).not_to_have_url(re.compile("MI300X"))
    expect(cost(page)).to_have_text("0.597")
    assert asked(page) == KNOWN


def test_late_answer_to_an_earlier_question_is_not_shown(opened):
    page = opened(compare(*KNOWN))
    held = []

    def hold(route):
        held.append(route)

    page.route("**/compare?*utilization=0.25*", hold)
    with page.expect_request("**/compare?*utilization=0.25*"):
        page.get_by_role("textbox", name="Utilization").fill("0.25")
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(cost(page)).to_have_text("1.19")
    assert dict(asked(page))["utilization"] == "0.5"


def test_filters_narrow_the_answer(opened):
    page = opened(compare(*KNOWN, ("purchase", "spot")))
    expect(page.locator(".scroll tbody th", has_text="spot").first).to_be_visible()
    page.get_by_role("group", name="Purchase").get_by_label("spot").uncheck()
    expect(page.locator(".scroll tbody th", has_text="spot")).to_have_count(0)
    page.locator("summary", has_text="Area").click()
    page.get_by_label("asia", exact=True).check()
    expect(page.locator("#results")).not_to_contain_text("us-east-1 · on demand")
    assert ("area", "asia") in asked(page)


def test_own_price_joins_the_comparison(opened):
    page = opened(compare(*KNOWN))
    page.get_by_text("More filters, own prices, baseline, date").click()
    page.get_by_label("Your own price").first.fill("mylab/rack@Trainium1:16=3.60")
    expect(cost(page, "mylab rack", "global")).to_have_text("0.100")
    expect(page.locator(".headline").first).to_contain_text("mylab rack")


def test_live_region_says_the_answer_and_is_not_replaced(opened):
    page = opened(compare(*KNOWN))
    page.evaluate("document.getElementById('status').dataset.first = 'yes'")
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    status = page.get_by_role("status")
    expect(status).to_contain_text("Cheapest: aws trn1.32xlarge, 1.19 USD per 1M output tokens")
    expect(status).to_have_attribute("data-first", "yes")
