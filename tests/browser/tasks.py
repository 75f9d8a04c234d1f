"""The main task of each page: a field, what is put into it, and what the answer then holds."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page

from tests.browser.asking import KNOWN, compare


@dataclass(frozen=True)
class Task:
    """Put `value` into the field `name` of the form at `address`; `answer` is seen then, in `where`."""

    address: str
    name: str
    value: str
    answer: str
    where: str = "#results"

    def field(self, page: Page) -> Locator:
        """Return the field: the first of its name, or the box of that name and value."""
        named = page.locator(f"main form [name='{self.name}']")
        return named.and_(page.locator(f":not([type=checkbox]), [value='{self.value}']")).first


TASKS = {
    "compare": Task(compare(*KNOWN), "utilization", "0.5", "1.19"),
    "prices": Task("/prices", "accelerator", "Trainium1", "16 × Trainium1"),
    "changes": Task("/prices/changes", "since", "2026-06-01", "vbm-256c-2048gb-8-mi300x-gpu"),
    "measure": Task("/measure", "accelerator", "TPU-v6e", "--hardware TPU-v6e:1", "main"),
    "accelerators": Task("/accelerators", "vendor", "amd", "MI", "main tbody tr >> nth=0"),
    # At these prices B must do its own claim × the ratio of prices: 2 × 14 / 20.
    "claim": Task("/claim?ratio=1.5&a=20&b=14", "ratio", "2", "1.40"),
    # 36 USD an hour over 10 million tokens an hour are 3.60 a million.
    "break-even": Task("/break-even?unit=output_token&m=H100-SXM:8=5000&target_usd=9", "target_usd", "2.5", "2.50"),
    "sure": Task("/sure?unit=output_token&a=10&b=20&m=A@L4:1=100&m=B@T4:1=100", "b", "15", "1.50"),
    "fleet": Task("/fleet?unit=output_token&m=H100-SXM:8=9000&peak=52000&mean=18000", "peak", "34000", "34,000"),
    "api-prices": Task(
        "/api-prices?unit=total_token&m=H100-SXM:8=1105&api=llama-3.1-405b&input_tokens=2048&output_tokens=2048",
        "api",
        "llama-3.1-8b",
        "llama-3.1-8b",
    ),
    "audio": Task("/audio?unit=audio_hour&rtf=L4:1=0.038", "rtf", "L4:1=0.05", "20.0"),
    "commit": Task("/commit?on_demand=10&committed=6.5&term=12&horizon=24", "committed", "5", "your price: 5.00 USD"),
    # 27,560 once, and 10 machines at 20 against 12 at 15 USD an hour: 20 × 730 a month.
    "move": Task("/move?a=20&b=14&machines_now=10&machines_after=12&days=30&day_rate_usd=900", "b", "15", "14,600"),
}
