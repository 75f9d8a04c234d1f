"""Hostile and unusual names are shown as the text that they are."""

import pytest
from playwright.sync_api import expect

from tests.browser.asking import TRAINIUM, compare

LABELS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>'",
    "&lt;b&gt; {{ 7 * 7 }}",
    "🚀 run № 7",
    "تجربة",
    "\u202egnp.exe\u202c",
    "\u202eopen",
]


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_labels_are_text_everywhere(opened, script):
    pairs = [("unit", "output_token"), *(("m", f"{label}@{TRAINIUM}") for label in LABELS)]
    pairs += [("accept", "model"), *((f"m{number}.model", label) for number, label in enumerate(LABELS, 1))]
    page = opened(compare(*pairs), java_script_enabled=script)
    expect(page.locator(".measured li strong")).to_have_text(LABELS)
    for item, label in zip(page.locator(".measured li").all(), LABELS, strict=True):
        expect(item).to_have_text(f"{label}: measured, {label}. Source: not stated.")
    keys = page.locator(".key li").evaluate_all("all => all.map((item) => item.textContent.trim())")
    assert keys == LABELS
    cells = page.locator(".scroll tbody td:nth-child(6)").evaluate_all(
        "all => all.map((cell) => cell.firstChild.textContent)"
    )
    assert set(cells) == set(LABELS)
    for number, label in enumerate(LABELS, 1):
        expect(page.get_by_label(f"Measurement {number}", exact=True)).to_have_value(f"{label}@{TRAINIUM}")
    expect(page.locator("main :is(script, img, b)")).to_have_count(0)


def test_label_is_text_after_an_update_in_place(opened):
    page = opened(compare(("unit", "output_token"), ("m", "H100-SXM:8=5200")))
    for label in LABELS:
        page.get_by_label("Measurement 1").fill(f"{label}@{TRAINIUM}")
        expect(page.locator(".measured li strong")).to_have_text(label)
        expect(page.locator("main :is(script, img, b)")).to_have_count(0)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>=1"])
def test_mistake_quotes_what_was_typed_as_text(opened, text):
    page = opened(compare(("unit", "output_token"), ("m", "H100-SXM:8=5200")))
    page.get_by_label("Measurement 1").fill(text)
    expect(page.locator("#m-0-problem")).to_contain_text("<")
    expect(page.locator("main :is(script, img, b)")).to_have_count(0)


def test_unclosed_right_to_left_mark_does_not_turn_the_sentence(opened):
    page = opened(compare(("unit", "output_token"), ("m", f"\u202eopen@{TRAINIUM}")))
    label, offer = page.evaluate("""() => {
      const isolated = document.querySelector(".summary bdi"), range = document.createRange();
      range.setStart(isolated.nextSibling, 1);
      range.setEnd(isolated.nextSibling, 3);
      return [isolated.getBoundingClientRect().right, range.getBoundingClientRect().left];
    }""")
    assert label <= offer
