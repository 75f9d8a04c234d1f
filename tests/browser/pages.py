"""Every page and state of the app: one list for layout, accessibility, screenshots and the HTML checker."""

from __future__ import annotations

import json
from dataclasses import dataclass

from playwright.sync_api import Page, Response

from pricing.decisions import DECISIONS
from tests.browser.asking import CURVES, KNOWN, RANGES, TRAINIUM, TWO, WRONG, compare

BENCHMARKS = (
    b"label,hardware,rtfx,model\nours,L4:1,120.5,whisper-large-v3\nsecond,T4:1,61,whisper-large-v3\nunknown,,40,\n"
)
PLANS = {"plans_metal": [{"id": "vbm-48c-8-h100-gpu", "cpu_threads": 64, "ram": 1048576, "hourly_cost": 20.0,
                          "locations": ["ord"]}, {"id": "vbm-4c", "cpu_threads": 4, "ram": 8192, "hourly_cost": 0,
                          "locations": ["ord"]}]}  # fmt: skip


@dataclass(frozen=True)
class View:
    """A page in one state: its address, and the file that is given to the form there (name and contents)."""

    address: str
    status: int = 200
    file: tuple[str, bytes] | None = None

    def show(self, page: Page, *, opening: bool = True) -> Response:
        """Open the view as a visitor would, and all that opens in it."""
        answer = page.goto(self.address)
        if self.file:
            name, data = self.file
            page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
            with page.expect_navigation() as sent:
                page.locator("form:has(input[type=file]) [type=submit]").click()
            answer = sent.value
        if opening:
            page.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        return answer


COMPARISONS = {
    "example": View("/"),
    "answer": View(compare(*KNOWN)),
    "ranges": View(compare(*RANGES)),
    "curves": View(compare(*CURVES)),
    "groups": View(compare(*KNOWN, ("m", "L4:1=50"), ("m1.model", "a"), ("m2.model", "b"))),
    "explained": View(compare(*TWO, ("explain", "2"))),
    "mistakes": View(compare(*WRONG), 422),
    "nothing found": View(compare(("unit", "output_token"), ("m", TRAINIUM), ("provider", "azure"))),
    "other unit": View(compare(("unit", "audio_hour"), ("m", "L4=120"), ("area", "europe"), ("currency", "BRL"))),
}
DECIDED = {
    **{name: View(f"/{name}") for name in DECISIONS},
    **{f"{name}, mistaken": View(f"/{name}?a=x&as_of=x&m=y&m=z&rtf=q", 422) for name in DECISIONS},
}
OTHERS = {
    "decisions": View("/decisions"),
    "prices": View("/prices"),
    "history": View("/prices?history=1&instance_type=trn1.32xlarge&sort=-observed_on"),
    "prices, mistaken": View("/prices?provider=asw", 422),
    "import": View("/prices/import"),
    "imported": View("/prices/import", 200, ("plans.json", json.dumps(PLANS).encode())),
    "import, refused": View("/prices/import", 422, ("page.csv", b"<html>no prices</html>")),
    "changes": View("/prices/changes?since=2026-06-01&as_of=2026-11-09"),
    "changes, mistaken": View("/prices/changes?since=2999-01-01", 422),
    "benchmarks": View("/benchmarks"),
    "benchmarks, read": View("/benchmarks", 200, ("runs.csv", BENCHMARKS)),
    "benchmarks, refused": View("/benchmarks", 422, ("page.csv", b"<html>no runs</html>")),
    "measure": View("/measure"),
    "measure, one": View("/measure?accelerator=Trainium2"),
    "accelerators": View("/accelerators"),
    "accelerators, mistaken": View("/accelerators?vendor=x", 422),
    "method": View("/method"),
    "docs": View("/docs"),
    "nowhere": View("/nowhere", 404),
}
VIEWS = {**COMPARISONS, **DECIDED, **OTHERS}
