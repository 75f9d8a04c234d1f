"""Pictures of charts in the page of somebody else, and opened by themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.asking import CURVES, TWO, compare

PICTURES = [
    compare(*TWO).replace("/compare", "/compare.svg"),
    compare(*TWO).replace("/compare", "/compare.png"),
    compare(*TWO).replace("/compare", "/compare/tornado.svg"),
    compare(*CURVES).replace("/compare", "/compare/latency.svg"),
    "/prices.svg?provider=aws&instance_type=trn2.48xlarge&region=us-east-2&purchase=spot",
]
GROUND = "getComputedStyle(document.querySelector('rect')).fill"
SIZES = "[...document.images].map((image) => [image.complete, image.naturalWidth, image.naturalHeight > 100])"


@pytest.fixture
def elsewhere(base: str) -> Iterator[str]:
    """Serve a page of another origin that shows the pictures and takes only what others may embed."""
    images = "".join(f'<img src="{escape(base + address)}" alt="">' for address in PICTURES)
    body = f"<!doctype html><html lang=en><title>x</title>{images}</html>".encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("cross-origin-embedder-policy", "require-corp")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def watched(browser: Browser, **options: object) -> tuple[Page, list[str]]:
    said: list[str] = []
    page = browser.new_context(**options).new_page()
    page.on("console", lambda message: said.append(message.text))
    return page, said


def test_the_page_of_another_origin_shows_them(browser, elsewhere):
    page, said = watched(browser)
    page.goto(elsewhere, wait_until="load")
    widths = [1600 if ".png" in address else 800 for address in PICTURES]
    assert page.evaluate(SIZES) == [[True, width, True] for width in widths]
    assert said == []
    page.context.close()


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(19, 23, 31)")])
def test_opened_by_itself_its_style_counts(browser, base, scheme, ground):
    page, said = watched(browser, color_scheme=scheme)
    page.goto(base + PICTURES[0])
    assert page.evaluate(GROUND) == ground
    assert said == []
    page.context.close()


@pytest.mark.parametrize("address", [each for each in PICTURES if ".svg" in each])
def test_no_text_runs_out_of_the_picture_or_over_another(browser, base, address):
    page, _ = watched(browser, viewport={"width": 900, "height": 900})
    page.goto(base + address)
    boxes = page.locator("text").evaluate_all(
        "all => all.map((one) => { const b = one.getBBox(); return [one.textContent, b.x, b.y, b.width, b.height]; })"
    )
    assert len(boxes) > 10
    assert [box for box in boxes if box[1] < 0 or box[1] + box[3] > 800] == []
    over = [
        (one[0], other[0])
        for i, one in enumerate(boxes)
        for other in boxes[i + 1 :]
        # Boxes hold the room above and below letters too: two units of it are no letters.
        if min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1]) > 0
        and min(one[2] + one[4], other[2] + other[4]) - max(one[2], other[2]) > 2
    ]
    assert over == []
    page.context.close()
