"""Visiting in a real Chromium: bytes of the first visit, and how soon a changed input shows its results."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from playwright.sync_api import Browser, CDPSession

from tests.bench.timing import Result
from tests.browser.running import chromium, server

KIB = 1024
WARM_UP, ROUNDS, SWAPS = 5, 9, 5
# The address of the reference: htmx fetches it and swaps it in, but nothing is worked out or written.
EMPTY = "/healthz"
# Milliseconds from asking to the results in the document and laid out; the page's wait for a pause in typing is left
# out, since the request starts at once in both. Most of it is the layout of the table.
SWAP = """async ([path, selector]) => {
  const begun = performance.now();
  await htmx.ajax("GET", path, { target: selector, swap: "innerHTML" });
  document.querySelector(selector).getBoundingClientRect();
  return performance.now() - begun;
}"""


def _first_visit(browser: Browser, base: str) -> dict[str, int]:
    """Return the bytes, headers included, of each address that a first visit loads."""
    page = browser.new_context(base_url=base).new_page()
    session: CDPSession = page.context.new_cdp_session(page)
    session.send("Network.enable")
    addresses: dict[str, str] = {}
    sizes: dict[str, int] = {}
    session.on(
        "Network.responseReceived", lambda event: addresses.update({event["requestId"]: event["response"]["url"]})
    )
    session.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto("/", wait_until="networkidle")
    found = {
        addresses[name].removeprefix(base): int(size)
        for name, size in sizes.items()
        if addresses.get(name, "").startswith(base)
    }
    # A headless browser asks for no icon; one on a screen does.
    icon = page.request.get("/static/icon.svg")
    found["/static/icon.svg"] = len(icon.body()) + sum(len(n) + len(v) + 4 for n, v in icon.headers.items())
    page.context.close()
    return found


def _swaps(browser: Browser, base: str) -> dict[str, float]:
    """Return the median milliseconds of a swap of results, and of an empty one, over interleaved rounds."""
    page = browser.new_context(base_url=base, viewport={"width": 1280, "height": 900}).new_page()
    page.goto("/")
    page.evaluate("document.body.append(Object.assign(document.createElement('div'), { id: 'empty' }))")
    query = "/compare?unit=output_token&m=H100-SXM:8={}&m=MI300X:8=6000&purchase=on_demand"
    times: dict[str, list[float]] = {"results": [], "empty": []}
    for number in range(WARM_UP + ROUNDS * SWAPS):
        # Another rate each time, as somebody types it: no answer is a repeated one.
        for name, words in (("results", [query.format(5000 + number), "#results"]), ("empty", [EMPTY, "#empty"])):
            taken = page.evaluate(SWAP, words)
            if number >= WARM_UP:
                times[name].append(taken)
    page.context.close()
    return {name: statistics.median(values) for name, values in times.items()}


def run() -> Iterator[Result]:
    with server() as base, chromium() as browser:
        sizes = _first_visit(browser, base)
        yield Result(
            "first visit, everything as Chromium receives it",
            sum(sizes.values()) / KIB,
            "1 KB",
            60,
            note=", ".join(f"{size / KIB:.1f} {address}" for address, size in sizes.items()),
        )
        figures = _swaps(browser, base)
    yield Result(
        "swap of the results after a change, p50",
        figures["results"] / figures["empty"],
        "a swap of next to nothing from the same server",
        2,
        note=f"{figures['results']:.3g} ms against {figures['empty']:.3g} ms",
    )
    yield Result("the same swap", figures["results"], "1 ms", 100)
