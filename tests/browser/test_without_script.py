"""The same job with JavaScript switched off: forms, links and whole pages."""

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, TWO, WRONG, compare, cost, costs
from tests.browser.pages import VIEWS
from tests.browser.tasks import TASKS


@pytest.fixture
def plain(opened):
    return lambda address: opened(address, java_script_enabled=False)


def submit(page):
    page.get_by_role("button", name="Compare", exact=True).click()


def test_question_is_answered_by_submitting_the_form(plain):
    page = plain(compare(*KNOWN))
    page.get_by_role("textbox", name="Utilization").fill("0.5")
    submit(page)
    expect(cost(page)).to_have_text("1.19")
    expect(page.get_by_role("textbox", name="Utilization")).to_have_value("0.5")
    page.get_by_role("link", name="Link to this answer").click()
    expect(cost(page)).to_have_text("1.19")
    assert page.url.endswith(compare(*KNOWN, ("utilization", "0.5")).replace("Trainium1%3A16%3D", "Trainium1:16="))


def test_blank_row_takes_a_further_measurement(plain):
    page = plain(compare(*KNOWN))
    expect(page.get_by_role("button", name="Add a measurement")).to_be_hidden()
    for number, text in enumerate((f"half@{TRAINIUM.replace('10000', '5000')}", "third@H100-SXM:8=5200"), 2):
        page.get_by_label(f"Measurement {number}").fill(text)
        submit(page)
        expect(page.locator(".measured li")).to_have_count(number)
        expect(page.get_by_label(f"Measurement {number + 1}")).to_have_value("")
    page.locator("[data-measurement]").nth(2).locator("summary").click()
    page.locator("[name='m3.model']").fill("Qwen3-32B")
    submit(page)
    expect(page.locator(".measured li", has_text="third")).to_contain_text("Qwen3-32B")


def test_blanked_row_between_two_keeps_the_details_with_their_measurement(plain):
    page = plain(compare(*TWO, ("m", TRAINIUM), ("m3.model", "Qwen3-32B")))
    page.get_by_label("Measurement 2").fill("")
    submit(page)
    expect(page.locator(".measured li")).to_have_count(2)
    expect(page.locator(".measured li").nth(1)).to_contain_text("Trainium1:16: measured, Qwen3-32B")


def test_sorting_and_paging(plain):
    page = plain(compare(*TWO, ("purchase", "spot"), ("limit", "15")))
    page.get_by_role("button", name="Cost").click()
    expect(page.locator("th:has(#sort-cost_usd)")).to_have_attribute("aria-sort", "descending")
    first = costs(page)
    assert first == sorted(first, reverse=True)
    assert len(first) == 15
    page.get_by_role("link", name="Next").click()
    expect(page.locator("th:has(#sort-cost_usd)")).to_have_attribute("aria-sort", "descending")
    second = costs(page)
    assert second == sorted(second, reverse=True)
    assert first[-1] >= second[0] > second[-1]
    page.get_by_role("link", name="Previous").click()
    assert costs(page) == first


def test_mistake_stands_at_its_field_and_keeps_what_was_typed(plain):
    page = plain(compare(*WRONG))
    expect(page.locator("#m-0-problem")).to_contain_text("'52x0' is not a number")
    expect(page.get_by_label("Measurement 1")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Measurement 1")).to_have_value("H100-SXM:8=52x0")
    expect(page.get_by_label("Measurement 2")).to_have_value(TRAINIUM)
    page.get_by_label("Measurement 1").fill("")
    page.get_by_role("textbox", name="Utilization").fill("50%")
    submit(page)
    expect(cost(page)).to_have_text("1.19")
    expect(page.locator("form .problem:visible")).to_have_count(0)


def test_filters_of_the_price_list(plain):
    page = plain("/prices")
    page.get_by_label("Accelerator or family").fill("Trainium")
    page.get_by_role("group", name="Purchase").get_by_label("spot").check()
    page.get_by_role("button", name="Show").click()
    cells = page.locator(".scroll tbody tr").all_inner_texts()
    assert cells
    assert all("Trainium" in text and "spot" in text for text in cells)


def test_common_accelerators_are_offered_by_the_browser(plain):
    page = plain("/")
    options = page.locator(f"#{page.get_by_label('Measurement 1', exact=True).get_attribute('list')} option")
    values = options.evaluate_all("all => all.map((option) => option.value)")
    assert "H100-SXM:8=" in values
    assert "Trainium2:16=" in values
    expect(page.locator("[data-remove]:visible, [data-copies]")).to_have_count(0)


@pytest.mark.parametrize("name", TASKS)
def test_main_task_of_each_page_is_done_with_its_form(plain, name):
    task = TASKS[name]
    page = plain(task.address)
    expect(page.locator(task.where)).not_to_contain_text(task.answer)
    field = task.field(page)
    if field.evaluate("node => node.tagName") == "SELECT":
        field.select_option(task.value)
    elif field.get_attribute("type") == "checkbox":
        field.check()
    else:
        field.fill(task.value)
    page.locator("main form [type=submit]:visible").last.click()
    expect(page.locator(task.where)).to_contain_text(task.answer)
    assert task.field(page).input_value() == task.value


@pytest.mark.parametrize("name", ["imported", "benchmarks, read"])
def test_files_are_read(plain, name):
    page = plain("/")
    VIEWS[name].show(page)
    expect(page.get_by_role("heading", name="What was read")).to_be_visible()


def test_runs_of_a_file_are_compared(plain):
    page = plain("/")
    VIEWS["benchmarks, read"].show(page)
    page.get_by_role("textbox", name="Hardware of the runs").fill("L4:1")
    page.get_by_role("button", name="Compare these").click()
    expect(page.locator(".measured li")).to_have_count(3)
    expect(page.locator(".measured li").first).to_contain_text("whisper-large-v3")


def test_the_language_is_chosen_and_kept(plain):
    page = plain("/method")
    page.get_by_role("button", name="Português").click()
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    page.goto("/prices")
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
