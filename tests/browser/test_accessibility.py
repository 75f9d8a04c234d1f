"""Every page in every state, light and dark, phone to desk: nothing that axe-core finds, nothing faint or too wide."""

from pathlib import Path

import pytest

from tests.browser.contrast import PARTS, contrast, faint_parts, read
from tests.browser.pages import VIEWS

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """async (tags) => {
  const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`));
}"""
# A desk in light and a phone in dark are looked at whole; the other two for what differs there.
LOOKS = [("light", 1280, TAGS), ("dark", 390, TAGS), ("dark", 1280, ["target-size"]),
         ("light", 390, ["target-size", "scrollable-region-focusable"])]  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_page_is_fit_for_all(opened, watch, name):
    watch.refusals.add(404)
    # Without motion a change of the scheme is seen at once.
    page = opened(None, reduced_motion="reduce")
    assert VIEWS[name].show(page).status == VIEWS[name].status
    page.evaluate(AXE)
    faults = []
    for scheme, width, rules in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        found = [*page.evaluate(RUN, rules), *faint_parts(page)]
        faults += [f"{scheme}, {width} px: {fault}" for fault in found]
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            faults.append(f"{wide} px wide on a screen of {width} px")
    assert "\n".join(faults) == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_hardware_completes(opened, scheme):
    page = opened("/", bypass_csp=True, color_scheme=scheme)
    page.locator("#m-0").fill("")
    page.locator("#m-0").press_sequentially("h100")
    page.locator("#pick-0").wait_for()
    page.keyboard.press("ArrowDown")
    page.evaluate(AXE)
    assert page.evaluate(RUN, TAGS) == []


def test_contrast_is_that_of_the_standard():
    black, white, grey = "rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(119, 119, 119)"
    assert contrast(black, white) == contrast(white, black) == 21
    assert contrast(grey, white) == pytest.approx(4.478, abs=0.001)
    # Half of black over white is rgb(127.5, …); a clear ground lets what lies below through.
    assert contrast("rgba(0, 0, 0, 0.5)", white) == pytest.approx(contrast("rgb(127.5, 127.5, 127.5)", white))
    assert contrast("rgb(0, 0, 0) at 0.5", white) == contrast("rgba(0, 0, 0, 0.5)", white)
    assert contrast(grey, "rgba(0, 0, 0, 0)", white) == contrast(grey, white)
    assert contrast(grey, "rgba(255, 255, 255, 0.5)", black) == pytest.approx(
        contrast(grey, "rgb(127.5, 127.5, 127.5)")
    )
    with pytest.raises(ValueError, match="not an rgb"):
        read("color(srgb 0 0 0)")


def test_borders_flags_and_charts_are_among_what_is_looked_at(opened):
    page = opened(VIEWS["ranges"].address)
    seen = {what.split(" ")[0] for what, *_ in page.evaluate(PARTS)}
    assert seen >= {"INPUT", "SELECT", "SPAN", "TH", "line", "text"}
    assert faint_parts(page) == []
    page.locator("svg.ticks").first.evaluate("node => (node.style.fill = 'rgb(200, 200, 200)')")
    (faint,) = faint_parts(page)
    assert faint.startswith("text of chart: rgb(200, 200, 200) has 1.6")
