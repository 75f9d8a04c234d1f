"""Widths from a small phone to a desk: nothing lies on something else. (Too wide: test_accessibility.py.)"""

import itertools
import re

import pytest
from playwright.sync_api import expect

from tests.browser.asking import KNOWN, RANGES, WRONG, compare

LONG = "mycompany/eu-west-cluster-with-a-very-long-name-of-its-own@Trainium1:16=3.60"
WIDTHS = (320, 390, 1280)
# Each piece of text as [left, top, right, bottom]; a range over the contents leaves empty space out.
BOXES = """all => all.map(node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
})"""


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("address", ["/", compare(*RANGES), compare(*KNOWN, ("quote", LONG))])
def test_texts_of_the_chart_are_legible_and_lie_apart(opened, address, width):
    page = opened(address, width=width, height=844)
    plot = page.locator(".plot")
    texts = plot.locator(".name, .where, .value, text:visible")
    sizes = texts.evaluate_all("all => all.map(node => parseFloat(getComputedStyle(node).fontSize))")
    assert min(sizes) >= 10
    names, values = (plot.locator(kind).evaluate_all(BOXES) for kind in (".name", ".value"))
    assert len(names) == len(values) >= 6
    ticks = plot.locator("text:visible").evaluate_all("""all => all.map(node => {
      const box = node.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })""")
    marks = plot.locator(".dot > svg > svg > *").evaluate_all("""all => all.map(node => {
      const box = node.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })""")
    assert len(ticks) >= 2
    boxes = [*names, *values, *ticks]
    assert [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)] == []
    assert [(mark, box) for mark in marks for box in boxes if overlap(mark, box)] == []
    assert all(box[0] >= 0 and box[2] <= width for box in [*boxes, *marks])


@pytest.mark.parametrize("address", ["/", "/prices", compare(*WRONG)])
def test_results_are_one_tap_away_on_a_phone(opened, address):
    page = opened(address, width=390, height=844, has_touch=True)
    link = page.get_by_role("link", name="To the results")
    box = link.bounding_box()
    assert box["y"] + box["height"] < 844 / 3
    assert box["height"] >= 24
    first = page.locator("#results > :visible").first
    expect(first).not_to_be_in_viewport(ratio=0.2)
    link.tap()
    expect(first).to_be_in_viewport(ratio=0.2)


def test_form_and_results_stand_side_by_side_on_a_desk(opened):
    page = opened("/")
    form, results = page.locator("#question").bounding_box(), page.locator("#results").bounding_box()
    assert form["x"] + form["width"] <= results["x"]
    assert results["y"] < 200


def test_row_header_and_its_heading_stay_in_view_when_the_table_scrolls(opened):
    page = opened("/", width=390, height=844)
    table = page.locator(".scroll").first
    table.evaluate("box => (box.scrollLeft = 2000)")
    left = table.bounding_box()["x"]
    assert table.locator("tbody th").first.bounding_box()["x"] == pytest.approx(left, abs=1)
    assert table.locator("thead th:has(#sort-provider)").bounding_box()["x"] == pytest.approx(left, abs=1)


def test_wide_numbers_of_an_expensive_question_keep_apart(opened):
    page = opened(compare(("unit", "request"), ("m", "H100-SXM:8=0.0001"), ("purchase", "on_demand")), width=320)
    ticks = page.locator(".plot text:visible").evaluate_all(
        "all => all.map(node => { const box = node.getBoundingClientRect(); return [box.left, box.right]; })"
    )
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ticks))
    assert ticks[0][0] >= 0
    assert ticks[-1][1] <= 320


@pytest.mark.parametrize("address", ["/", "/claim", "/sure"])
def test_an_answer_prints_on_one_page_with_its_link(opened, address):
    page = opened(address)
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    page.emulate_media(media="print")
    expect(page.locator(".printed").last).to_be_visible()
    expect(page.locator(".printed").last).to_contain_text("unit=")
