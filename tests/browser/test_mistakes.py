"""Mistakes: the message stands at its field, and what was typed stays."""

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, WRONG, compare, cost


def test_message_stands_at_its_field_and_goes_when_the_field_is_right(opened):
    page = opened(compare(*KNOWN))
    field, note = page.get_by_label("Measurement 1"), page.locator("#m-0-problem")
    expect(note).to_be_hidden()
    field.fill("Trainium1:16=10o00")
    expect(note).to_contain_text("'10o00' is not a number")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("Trainium1:16=10o00")
    expect(field).to_have_accessible_description(
        "'10o00' is not a number; write digits with a dot for decimals, without currency sign, unit or space"
    )
    expect(page.get_by_role("status")).to_have_text("The question has a mistake; see its fields.")
    expect(page.locator("#results .scroll tbody")).to_have_count(0)
    field.fill(TRAINIUM)
    expect(cost(page)).to_have_text("0.597")
    expect(note).to_be_hidden()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("status")).to_contain_text("Cheapest: aws trn1.32xlarge")


def test_all_mistakes_of_a_link_are_shown_at_once(opened):
    page = opened(compare(*WRONG))
    expect(page.get_by_role("alert").locator("li")).to_have_count(2)
    for field in ("#m-0", "#utilization"):
        expect(page.locator(field)).to_have_attribute("aria-invalid", "true")
        expect(page.locator(f"{field}-problem")).to_be_visible()
    expect(page.locator("#m-0")).to_have_value("H100-SXM:8=52x0")
    expect(page.locator("#utilization")).to_have_value("50")
    expect(page.locator("#m-1")).not_to_have_attribute("aria-invalid", "true")
    page.locator("#m-0").fill("")
    expect(page.locator("#m-0-problem")).to_be_hidden()
    expect(page.locator("#utilization-problem")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("m", "H100-SXN:8=5200", "H100-SXM"),
        ("m", "H100-SXM:8=1,234", "thousands"),
        ("utilization", "0", "utilization"),
        ("max_price_usd_per_hour", "-3", "max_price_usd_per_hour"),
        ("as_of", "2999-01-01", "2999-01-01"),
        ("baseline", "nobody/nothing", "nobody"),
        ("m1.success_rate", "2", "success_rate"),
        ("region", "us-eest-1", "us-east-1"),
    ],
)
def test_message_of_each_kind_of_field_is_visible(opened, name, value, said):
    """Those in closed parts of the form too."""
    page = opened(compare(*((n, v) for n, v in KNOWN if n != name), (name, value)))
    note = page.locator("form [data-problem-of]:not([hidden])")
    expect(note).to_have_count(1)
    expect(note).to_be_visible()
    expect(note).to_contain_text(said)


def test_message_in_a_closed_part_opens_it(opened):
    page = opened(compare(*KNOWN))
    page.get_by_text("More filters, own prices, baseline, date").click()
    # In one step, so that the answer can't come between typing and closing.
    page.get_by_label("Baseline", exact=True).evaluate("""node => {
      node.value = "nobody/nothing";
      node.dispatchEvent(new Event("input", {bubbles: true}));
      node.closest("details").open = false;
    }""")
    expect(page.locator("#baseline-problem")).to_be_visible()
    expect(page.locator("#baseline-problem")).to_contain_text("nobody")


def test_unknown_address_leads_home(opened, watch):
    watch.refusals.add(404)
    page = opened("/nowhere")
    expect(page.locator("h1")).to_have_text("404: Not Found")
    page.get_by_role("link", name="To the comparison").click()
    expect(page.locator(".example")).to_be_visible()
