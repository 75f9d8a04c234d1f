"""What is carried in and out: benchmark files, copies, and the state of forms by back, reload and link."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, TRAINIUM, compare, cost

RUN = {
    "request_throughput": 2.5, "output_throughput": 640.0, "total_token_throughput": 1920.0, "mean_ttft_ms": 210.0,
    "model_id": "meta-llama/Llama-3.1-8B", "duration": 40.0, "completed": 100, "total_input_tokens": 51200,
    "total_output_tokens": 25600, "num_prompts": 100, "request_rate": "inf", "max_concurrency": 32,
}  # fmt: skip
FILE = {"name": "run.json", "mimeType": "application/json", "buffer": json.dumps(RUN).encode()}


def use(page):
    expect(page.locator(".runs tbody tr")).to_have_count(1)
    page.get_by_label("Hardware of the runs where the table has none").fill("L4:1")
    page.get_by_role("button", name="Compare these").click()
    measurement = page.get_by_label("Measurement 1", exact=True)
    expect(measurement).to_have_value("Llama-3.1-8B c32@L4:1=out:640,total:1920,req:2.5,in:1280")


@pytest.mark.parametrize("script", [True, False])
def test_a_chosen_benchmark_file_ends_in_the_form(opened, script):
    page = opened(compare(*KNOWN), java_script_enabled=script)
    page.locator("summary", has_text="Read benchmark files").click()
    page.locator("#file").set_input_files(FILE)
    page.get_by_role("button", name="Read", exact=True).click()
    use(page)


def test_a_dropped_benchmark_file_ends_in_the_form(opened):
    page = opened(compare(*KNOWN))
    page.evaluate(
        """text => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "run.json", {type: "application/json"}));
          document.querySelector("#results").dispatchEvent(
            new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
        }""",
        json.dumps(RUN),
    )
    use(page)


def test_without_script_the_files_page_is_a_link(opened):
    page = opened("/", java_script_enabled=False)
    page.locator("summary", has_text="Read benchmark files").click()
    page.get_by_role("link", name="What can be read, and how").click()
    expect(page.locator("h1")).to_have_text("Read a benchmark")


def test_export_and_command_are_copied(opened):
    page = opened(compare(*KNOWN), permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy TSV").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("rank\tprovider\tinstance_type")
    page.locator("pre + button").click()
    expect(page.locator("pre + button")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("pre > code").inner_text()
    page.locator("#utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    expect(page.get_by_role("button", name="Copy TSV")).to_have_count(1)
    expect(page.locator("pre + button")).to_have_count(1)


def test_without_a_clipboard_the_text_is_selected_or_copied_from_the_page(opened):
    page = opened(compare(*KNOWN))
    page.evaluate("() => { document.execCommand = () => false; }")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.get_by_role("button", name="Copy Markdown").click()
    expect(page.get_by_role("status")).to_contain_text("the text is selected")
    assert page.evaluate("getSelection().toString()").startswith("| rank | provider |")


@pytest.mark.parametrize("address", ["/claim", "/fleet"])
def test_a_decision_is_restored_by_reload_back_and_link(opened, address):
    page = opened(address)
    measured = page.locator("[name=m]").first
    measured.fill("H100-SXM:8=4321")
    page.locator("[name='m1.source']").evaluate("node => node.closest('details').open = true")
    page.locator("[name='m1.source']").fill("here")
    page.get_by_role("button", name="Work it out").click()
    page.wait_for_url("**4321**")
    there = page.url
    for again in (page.reload, lambda: (page.goto("/prices"), page.go_back()), lambda: page.goto(there)):
        again()
        expect(measured).to_have_value("H100-SXM:8=4321")
        expect(page.locator("[name='m1.source']")).to_have_value("here")


def test_opened_details_and_what_is_typed_in_them_stay_when_the_answer_comes(opened):
    page = opened(compare(*KNOWN))
    row = page.locator("[data-measurement]").nth(1)
    row.locator("summary").click()
    row.get_by_label("Model").fill("Qwen3-32B")
    page.get_by_text("More filters, own prices, baseline, date").click()
    page.locator("#utilization").fill("0.5")
    expect(cost(page)).to_have_text("1.19")
    expect(row.get_by_label("Model")).to_be_visible()
    expect(row.get_by_label("Model")).to_have_value("Qwen3-32B")
    expect(page.locator("#baseline")).to_be_visible()
    page.get_by_label("Measurement 2", exact=True).fill(f"second@{TRAINIUM}")
    expect(page.locator(".measured li").nth(1)).to_contain_text("Qwen3-32B")


def test_a_mistake_is_restored_with_its_message(opened):
    page = opened(compare(*KNOWN))
    page.locator("#utilization").fill("50")
    expect(page.locator("#utilization-problem")).to_be_visible()
    page.goto("/prices")
    page.go_back()
    expect(page.locator("#utilization")).to_have_value("50")
    expect(page.locator("#utilization-problem")).to_be_visible()
