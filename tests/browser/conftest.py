"""A real server and a real browser; every page is watched for errors and for requests to anyone else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.browser.running import chromium, server

# The strict policy of the page is itself a subject of the tests: what it blocks is an error.
REPORT_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`blocked by the policy: ${event.violatedDirective} ${event.blockedURI}`))"""

Opened = Callable[..., Page]


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    with server() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


class Watch:
    """What went wrong on the pages of one test."""

    def __init__(self, base: str) -> None:
        self.base, self.wrong, self.refusals = base, [], {422}

    def console(self, message: ConsoleMessage) -> None:
        refused = re.search(r"the server responded with a status of (\d+)", message.text)
        if refused and int(refused[1]) in self.refusals:
            return
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.base}/", "data:")):
            self.wrong.append(f"request to {request.url}")

    def context(self, context: BrowserContext) -> None:
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self.console)
        context.on("request", self.request)
        context.on("weberror", lambda error: self.wrong.append(f"page: {error.error}"))
        context.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))


@pytest.fixture
def watch(base: str) -> Iterator[Watch]:
    watch = Watch(base)
    yield watch
    assert watch.wrong == []


@pytest.fixture
def opened(base: str, browser: Browser, watch: Watch) -> Iterator[Opened]:
    """Open an address of the server in a context of its own, with the options that are named."""
    contexts = []

    def open_page(address: str | None = "/", width: int = 1280, height: int = 900, **options: object) -> Page:
        context = browser.new_context(base_url=base, viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        watch.context(context)
        page = context.new_page()
        if address is not None:
            page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
