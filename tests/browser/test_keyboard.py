"""By keyboard alone: from the top to the answer, with the focus always to be seen."""

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, compare, cost
from tests.browser.tasks import TASKS


def tab_to(page, locator, most=80):
    for _ in range(most):
        page.keyboard.press("Tab")
        if locator.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"{locator} is not reached with {most} tabs")


def test_skip_link_is_first_and_leads_past_the_navigation(opened):
    page = opened(compare(*KNOWN))
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the results")).to_be_focused()
    expect(page.get_by_role("link", name="To the results")).to_be_in_viewport(ratio=1)
    for name in ("tokens", "audio", "is a seller's claim true?"):
        page.keyboard.press("Tab")
        expect(page.locator(".presets").get_by_role("link", name=name)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Cost per")).to_be_focused()


def test_question_is_asked_and_answered(opened):
    page = opened("/")
    tab_to(page, page.get_by_label("Cost per"))
    page.keyboard.press("Home")
    tab_to(page, page.get_by_label("Measurement 1"))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(TRAINIUM)
    tab_to(page, page.get_by_role("textbox", name="Utilization"))
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    expect(cost(page)).to_have_text("1.19")
    expect(page.get_by_role("textbox", name="Utilization")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Compare", exact=True))
    tab_to(page, page.locator("#sort-cost_usd"))
    tab_to(page, page.get_by_role("link", name="CSV, all estimates"), most=200)


def test_link_to_the_results_moves_the_focus_there(opened):
    page = opened(compare(*KNOWN))
    tab_to(page, page.get_by_role("link", name="To the results"))
    page.keyboard.press("Enter")
    expect(page.locator("#results")).to_be_focused()
    tab_to(page, page.locator("#sort-rank"))


def test_table_scrolls_by_keyboard(opened):
    page = opened(compare(*KNOWN), width=390, height=844)
    box = page.get_by_role("region", name="Estimates 1 to")
    box.focus()
    page.keyboard.press("ArrowRight")
    box.evaluate("node => new Promise(done => node.scrollLeft ? done() : node.onscroll = done)")
    assert box.evaluate("node => node.scrollLeft") > 0


def test_focus_is_to_be_seen_wherever_it_stands(opened):
    page = opened("/", height=500)
    for _ in range(70):
        page.keyboard.press("Tab")
        # Pico draws the ring as an outline or as a shadow.
        seen = page.evaluate("""() => {
          const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
          const ring = style.outlineStyle !== "none" || style.boxShadow !== "none";
          return [node.outerHTML.slice(0, 120), ring, box.bottom > 0 && box.top < innerHeight && box.right > 0];
        }""")
        assert seen[1:] == [True, True], seen[0]


@pytest.mark.parametrize("name", TASKS)
def test_main_task_of_each_page_needs_no_pointer(opened, name):
    task = TASKS[name]
    page = opened(task.address)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    field = task.field(page)
    tab_to(page, field)
    kind = field.get_attribute("type")
    if kind == "checkbox":
        page.keyboard.press("Space")
    elif kind == "date":
        year, month, day = task.value.split("-")
        page.keyboard.type(f"{month}{day}{year}")
    else:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(task.value)
    if field.evaluate("node => node.tagName") == "SELECT":
        tab_to(page, page.locator("main form [type=submit]").last)
    page.keyboard.press("Enter")
    expect(page.locator(task.where)).to_contain_text(task.answer)


@pytest.mark.parametrize(
    ("address", "column"),
    [(compare(*KNOWN), "cost_usd"), ("/prices", "price_usd_per_hour"), ("/accelerators", "memory_gib")],
)
def test_enter_on_a_heading_sorts(opened, address, column):
    page = opened(address)
    button, heading = page.locator(f"#sort-{column}"), page.locator(f"th:has(#sort-{column})")
    was = heading.get_attribute("aria-sort")
    button.focus()
    page.keyboard.press("Enter")
    expect(heading).not_to_have_attribute("aria-sort", was or "none")
