"""The switch between languages, with and without JavaScript; what was asked stays."""

from __future__ import annotations

from playwright.sync_api import expect

QUESTION = "/compare?unit=output_token&m=H100-SXM:8=5200&m=Trainium2:16=4100&purchase=on_demand"


def test_the_switch_keeps_the_question_without_javascript(opened):
    page = opened(QUESTION, java_script_enabled=False)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Português (Brasil)").click()
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    assert "m=Trainium2:16=4100" in page.url.replace("%3D", "=")
    expect(page.locator("input[name=m]").nth(0)).to_have_value("H100-SXM:8=5200")
    expect(page.get_by_role("link", name="Link para esta resposta")).to_be_visible()
    # It is kept for the next page, and taken back there.
    page.get_by_role("link", name="Preços", exact=True).click()
    expect(page.locator("h1")).to_have_text("Preços")
    page.get_by_role("button", name="English").click()
    expect(page.locator("h1")).to_have_text("Prices")


def test_the_page_that_the_script_changes_stays_in_its_language(opened):
    page = opened(QUESTION, locale="pt-BR")
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    with page.expect_response(lambda response: "/compare" in response.url and response.ok):
        page.locator("#utilization").fill("0.5")
    expect(page.locator("#results")).to_contain_text("Link para esta resposta")
    expect(page.locator("#status")).to_contain_text("estimativas")
