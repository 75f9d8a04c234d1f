"""Filling in without a manual: completion, rows, what is pasted, and published examples."""

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, TWO, asked, compare
from tests.browser.test_keyboard import tab_to

TABLE = "hardware\trate\tname\tspread\nTrainium1:16\t10000\tmine@home\nH100-SXM:8\t5200\ttheirs\t±3%\nMI300X:8=6000\n"


def options(page):
    return page.get_by_role("listbox").get_by_role("option")


def field(page, number=1):
    return page.get_by_label(f"Measurement {number}", exact=True)


def paste(page, number, text):
    """Paste as the browser does, without the machine's clipboard."""
    field(page, number).evaluate(
        """(node, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          return node.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
        }""",
        text,
    )


def test_hardware_completes_and_is_chosen_by_keyboard(opened):
    page = opened(compare(*KNOWN))
    tab_to(page, field(page))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("p5.48")
    expect(options(page).first).to_have_text("aws/p5.48xlarge=Amazon Web Services, 8 × H100-SXM")
    expect(field(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    expect(field(page)).to_have_attribute("aria-activedescendant", "pick-0")
    page.keyboard.press("ArrowUp")
    expect(options(page).last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field(page)).to_have_value("aws/p5.48xlarge=")
    expect(options(page)).to_have_count(0)
    page.keyboard.type("5200")
    expect(page.locator(".headline").first).to_contain_text("aws p5.48xlarge")
    assert ("m", "aws/p5.48xlarge=5200") in asked(page)


def test_an_option_is_chosen_by_mouse_and_the_focus_stays(opened):
    page = opened(compare(*KNOWN))
    page.get_by_role("button", name="Add a measurement").click()
    field(page, 3).press_sequentially("mine@v5e")
    options(page).nth(1).click()
    expect(field(page, 3)).to_have_value("mine@TPU-v5e:4=")
    expect(field(page, 3)).to_be_focused()


def test_escape_and_leaving_close_the_list_and_keep_the_text(opened):
    page = opened(compare(*KNOWN))
    for leave in ("Escape", "Tab"):
        field(page, 2).fill("")
        field(page, 2).press_sequentially("h100")
        expect(options(page)).to_have_count(20)
        page.keyboard.press(leave)
        expect(options(page)).to_have_count(0)
        expect(field(page, 2)).to_have_value("h100")
        expect(field(page, 2)).to_have_attribute("aria-expanded", "false")


def test_one_typing_asks_once_for_completions_and_once_for_the_answer(opened):
    page = opened(compare(*KNOWN))
    sent = []
    page.on("request", lambda request: sent.append(request.url.partition("?")[0].rpartition("/")[2]))
    field(page, 2).press_sequentially("l4", delay=5)
    expect(options(page).first).to_contain_text("L4:1=")
    expect(page.locator("#m-1-problem")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert sorted(name for name in sent if not name.endswith(".svg")) == ["compare", "pick"]
    assert page.url.partition("?")[0].endswith("/compare")


def test_completion_of_a_quote_on_a_decision(opened):
    page = opened("/claim?unit=output_token&more_per_dollar=70%25&a=20&b=10")
    page.get_by_label("A: price or offer").fill("")
    page.get_by_label("A: price or offer").press_sequentially("p5.48")
    expect(options(page).first).to_contain_text("aws/p5.48xlarge")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("A: price or offer")).to_have_value("aws/p5.48xlarge")


def test_a_row_in_the_middle_is_removed_with_its_details(opened):
    rows = [("m", f"third@{TRAINIUM}"), *((f"m{n}.model", "same") for n in (1, 2, 3)), ("m3.source", "here")]
    page = opened(compare(*TWO, *rows))
    page.get_by_role("button", name="Remove row 2").click()
    expect(page.locator(".measured li")).to_have_count(2)
    expect(page.locator(".measured li").nth(1)).to_have_text("third: measured, same. Source: here.")
    expect(field(page, 2)).to_have_value(f"third@{TRAINIUM}")
    expect(page.locator("[name='m2.source']")).to_have_value("here")
    assert "m3.source" not in dict(asked(page))
    ids = page.locator("[id]").evaluate_all("all => all.map(node => node.id)")
    assert len(ids) == len(set(ids))
    page.go_back()
    expect(field(page, 2)).to_have_value("MI300X:8=6000")
    expect(page.locator("[name='m3.source']")).to_have_value("here")


def test_removing_every_row_leaves_a_blank_one_that_takes_the_focus(opened):
    page = opened(compare(*KNOWN))
    for _ in range(3):
        page.get_by_role("button", name="Remove row 1").press("Enter")
    expect(page.locator("[data-measurement]")).to_have_count(1)
    expect(field(page)).to_have_value("")
    expect(field(page)).to_be_focused()


def test_lines_of_a_spreadsheet_fill_rows_and_what_is_no_line_is_told(opened):
    page = opened("/")
    page.get_by_label("Cost per").select_option("output_token")
    paste(page, 1, TABLE)
    expect(page.locator("#pasted")).to_have_text(
        "Lines pasted: 3. Not read, since they hold no hardware and rate: hardware rate name spread"
    )
    expect(page.get_by_role("status")).to_contain_text("Lines pasted: 3.")
    expect(page.get_by_role("status")).to_contain_text("Cheapest:")
    assert [value for name, value in asked(page) if name == "m"] == [
        f"mine home@{TRAINIUM}",
        "theirs@H100-SXM:8=5200~156",
        "MI300X:8=6000",
    ]
    expect(page.locator(".measured li").nth(1)).to_have_text("theirs: measured. Source: not stated.")


def test_pasted_lines_leave_other_measurements_alone_and_commas_are_not_converted(opened):
    page = opened(compare(*TWO))
    page.get_by_role("button", name="Add a measurement").click()
    paste(page, 3, "L4\t0,75\nL40S\t900")
    expect(field(page, 1)).to_have_value("H100-SXM:8=5200")
    expect(field(page, 3)).to_have_value("L4=0,75")
    expect(page.get_by_label("Measurement 4", exact=True)).to_have_value("L40S=900")
    expect(page.locator("#m-2-problem")).to_contain_text("comma")


def test_a_single_value_is_pasted_as_usual(opened):
    page = opened(compare(*KNOWN))
    assert field(page, 2).evaluate(
        """node => { const clipboardData = new DataTransfer(); clipboardData.setData("text/plain", "L4=120\\n");
        return node.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true})); }"""
    )


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tokens", "dstackai/benchmarks"),
        ("audio", "Open ASR Leaderboard"),
        ("is a seller's claim true?", "Where it holds"),
    ],
)
def test_each_published_example_is_a_link_with_an_answer(opened, script, name, said):
    page = opened("/", java_script_enabled=script)
    page.locator(".presets").get_by_role("link", name=name).click()
    expect(page.locator(".headline").first).to_be_visible()
    expect(page.locator("main")).to_contain_text(said)
    expect(page.locator(".flag.warn", has_text="can't be compared")).to_have_count(0)
    assert asked(page)


def test_own_figure_in_the_place_of_a_linked_example_is_not_called_published(opened):
    page = opened("/")
    page.locator(".presets").get_by_role("link", name="audio").click()
    field(page).fill("A100-80GB:1=90")
    expect(page.locator(".measured li")).to_have_text("A100-80GB:1: measured. Source: not stated.")
