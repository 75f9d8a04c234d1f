"""Several measurements: one more row, their details, and the example that gives way to one's own figures."""

from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, WRONG, asked, compare, cost


def test_button_adds_a_measurement_with_its_own_details(opened):
    page = opened(compare(*KNOWN))
    page.get_by_role("button", name="Add a measurement").click()
    added = page.get_by_label("Measurement 3")
    expect(added).to_be_focused()
    expect(added).to_have_value("")
    added.fill("mine@H100-SXM:8=5200")
    row = page.locator("[data-measurement]").nth(2)
    row.locator("summary").click()
    row.get_by_label("Model").fill("Llama-3.1-70B")
    row.get_by_label("Evidence").select_option("claimed")
    row.get_by_label("Source of the figure").fill("a seller's slide")
    measured = page.locator(".measured li", has_text="mine")
    expect(measured).to_have_text("mine: claimed, Llama-3.1-70B. Source: a seller's slide.")
    ids = page.locator("[id]").evaluate_all("all => all.map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_details_of_the_second_measurement_get_to_the_answer_and_back_into_the_form(opened):
    page = opened(compare(*KNOWN))
    page.get_by_label("Measurement 2").fill("theirs@H100-SXM:8=5200")
    second = page.locator("[data-measurement]").nth(1)
    second.locator("summary").click()
    second.get_by_label("Model").fill("Qwen3-32B")
    second.get_by_label("Evidence").select_option("published")
    expect(page.locator(".measured li", has_text="theirs")).to_contain_text("published, Qwen3-32B")
    assert ("m2.model", "Qwen3-32B") in asked(page)
    assert ("m2.evidence", "published") in asked(page)
    page.reload()
    expect(page.locator("[name='m2.model']")).to_have_value("Qwen3-32B")
    expect(page.locator("[name='m2.evidence']")).to_have_value("published")
    address = page.get_by_role("link", name="JSON").get_attribute("href")
    estimates = page.request.get(address).json()["estimates"]
    assert {row["model"] for row in estimates if row["measurement"] == "theirs"} == {"Qwen3-32B"}
    assert {row["model"] for row in estimates if row["measurement"] != "theirs"} == {None}


def test_added_row_does_not_inherit_the_mistake_of_the_row_above(opened):
    page = opened(compare(*WRONG[:2]))
    page.get_by_label("Measurement 2").fill("nonsense")
    expect(page.locator("#m-1-problem")).to_be_visible()
    page.get_by_role("button", name="Add a measurement").click()
    expect(page.locator("#m-2-problem")).to_be_hidden()
    expect(page.get_by_label("Measurement 3")).not_to_have_attribute("aria-invalid", "true")


def test_own_figure_in_the_place_of_the_example_is_not_called_published(opened):
    page = opened("/")
    page.get_by_label("Measurement 1").fill("H100-SXM:8=2000")
    expect(page.locator(".measured li").first).to_have_text("H100-SXM:8: measured. Source: not stated.")
    expect(page.locator(".measured li").nth(1)).to_contain_text("4x MI300X: published, Llama-3.1-405B")
    assert "m1.source" not in dict(asked(page))


def test_blanked_measurement_is_left_out_with_its_details(opened):
    page = opened(compare(*KNOWN, ("m", "H100-SXM:8=5200"), ("m2.model", "Qwen3-32B")))
    page.get_by_label("Measurement 2").fill("")
    expect(page.locator(".measured li")).to_have_count(1)
    assert asked(page) == KNOWN
    page.get_by_label("Measurement 2").fill("H100-SXM:8=5300")
    expect(page.locator(".measured li").nth(1)).to_contain_text("Qwen3-32B")


def test_blanked_first_measurement_leaves_the_details_of_the_second_in_place(opened):
    page = opened(compare(*KNOWN, ("m", f"other@{TRAINIUM}"), ("m1.model", "one"), ("m2.model", "two")))
    page.get_by_label("Measurement 1").fill("")
    expect(page.locator(".measured li")).to_have_count(1)
    expect(page.locator(".measured li")).to_have_text("other: measured, two. Source: not stated.")
    expect(cost(page)).to_have_text("0.597")
    page.reload()
    expect(page.locator(".measured li")).to_have_text("other: measured, two. Source: not stated.")
