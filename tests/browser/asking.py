"""Questions that the tests ask, and where their answers stand on the page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Locator, Page

# 21.50 USD per hour for 36 million tokens an hour, by the worked example of the method page.
TRAINIUM = "Trainium1:16=10000"
KNOWN = [("unit", "output_token"), ("m", TRAINIUM), ("purchase", "on_demand")]
TWO = [("unit", "output_token"), ("m", "H100-SXM:8=5200"), ("m", "MI300X:8=6000"), ("purchase", "on_demand")]
RANGES = [
    *(("unit", "output_token"), ("m", "mine@H100-SXM:8=5200/5150/5300"), ("m", "theirs@MI300X:8=5000~3%")),
    *(("m", "A100-80GB=900"), ("purchase", "on_demand"), ("purchase", "spot")),
    *(("m1.model", "Llama-3.1-70B"), ("m2.model", "Llama-3.1-8B")),
]
WRONG = [("unit", "output_token"), ("m", "H100-SXM:8=52x0"), ("m", TRAINIUM), ("utilization", "50"), KNOWN[-1]]

# Two loads of one configuration each on two chips, one of them only claimed.
CURVES = [
    ("unit", "output_token"), ("purchase", "on_demand"),
    *(("m", f"{name}@{chip}=out:{rate}") for name, chip, rate, _ in (
        ("a1", "H100-SXM:8", 2000, 0.2), ("a2", "H100-SXM:8", 5200, 0.9), ("b1", "MI300X:8", 2500, 0.3),
        ("b2", "MI300X:8", 6000, 1.1))),
    *((f"m{i}.{name}", value) for i, ttft in enumerate(("0.2", "0.9", "0.3", "1.1"), 1)
      for name, value in (("curve", "sweep"), ("ttft_p99", ttft), ("evidence", "claimed" if i > 2 else "measured"))),
]  # fmt: skip


def compare(*pairs: tuple[str, str]) -> str:
    return f"/compare?{urlencode(pairs)}"


def asked(page: Page) -> list[tuple[str, str]]:
    """Return the question that the address bar holds."""
    return parse_qsl(urlsplit(page.url).query, keep_blank_values=True)


def table_row(page: Page, offer: str, region: str) -> Locator:
    return page.locator(".scroll tbody tr", has=page.get_by_role("rowheader", name=f"{offer} {region} ·"))


def cost(page: Page, offer: str = "aws trn1.32xlarge", region: str = "us-east-1") -> Locator:
    """Return the cell's rounded cost; the cell's title has every digit."""
    return table_row(page, offer, region).locator("td strong")


def costs(page: Page) -> list[float]:
    """Return the costs of the table's rows, with every digit."""
    return [
        float(text)
        for text in page.locator(".scroll tbody td:has(strong)").evaluate_all("all => all.map((c) => c.title)")
    ]


def mark_document(page: Page) -> None:
    page.evaluate("window.stillTheSameDocument = true")


def same_document(page: Page) -> bool:
    return page.evaluate("window.stillTheSameDocument === true")
