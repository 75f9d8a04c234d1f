"""axe-core finds nothing, in light and dark; borders of the form can be seen."""

import re
from pathlib import Path

import pytest

from tests.browser.asking import WRONG, compare
from tests.browser.test_layout import PAGES

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """async (tags) => {
  const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`));
}"""
# The colour of each control's border and of what lies around it.
BORDERS = """all => all.filter((node) => node.checkVisibility()).map((node) => {
  let around = node.parentElement;
  const ground = (one) => getComputedStyle(one).backgroundColor;
  while (around.parentElement && /, 0\\)|transparent/.test(ground(around))) around = around.parentElement;
  return [node.id || node.name || node.textContent, getComputedStyle(node).borderTopColor, ground(around)];
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened, watch, name, scheme):
    watch.refusals.add(404)
    page = opened(PAGES[name], bypass_csp=True, color_scheme=scheme)
    page.locator("form details").evaluate_all("all => all.forEach(one => (one.open = true))")
    page.evaluate(AXE)
    assert page.evaluate(RUN, TAGS) == []


@pytest.mark.parametrize("name", ["example", "ranges", "prices"])
def test_axe_finds_nothing_on_a_phone(opened, name):
    page = opened(PAGES[name], bypass_csp=True, width=390, height=844)
    page.evaluate(AXE)
    assert page.evaluate(RUN, TAGS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_hardware_completes(opened, scheme):
    page = opened("/", bypass_csp=True, color_scheme=scheme)
    page.locator("#m-0").fill("")
    page.locator("#m-0").press_sequentially("h100")
    page.locator("#pick-0").wait_for()
    page.keyboard.press("ArrowDown")
    page.evaluate(AXE)
    assert page.evaluate(RUN, TAGS) == []


def luminance(colour):
    """Return the relative luminance of WCAG 2.2 of an opaque rgb() colour."""
    parts = [int(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == 21
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["/", compare(*WRONG), "/prices", "/accelerators"])
def test_borders_of_controls_stand_out(opened, address, scheme):
    page = opened(address, color_scheme=scheme)
    page.locator("form details").evaluate_all("all => all.forEach(one => (one.open = true))")
    borders = page.locator("form").locator("input, select, [data-add]").evaluate_all(BORDERS)
    assert len(borders) > 5
    assert [(*seen, round(contrast(*seen[1:]), 2)) for seen in borders if contrast(*seen[1:]) < 3] == []
