"""What the tests share: a small table, processes of the command line, problems, and pages taken apart."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

PERDOLLAR = str(Path(sys.executable).parent / "perdollar")
HTML = {"accept": "text/html"}
POST = "/api/v1/compare"
GOOD = "unit=output_token&m=H100-SXM:8=5200"
# A date on which all prices of the small table, and most of the built-in one, were seen.
DAY = "2026-11-15"
ACME = """\
provider,instance_type,region,accelerator,accelerator_count,price_usd_per_hour,observed_on,evidence,source,notes
acme,"=box, 8",eu-1,H100-SXM,8,20,2026-11-01,list,"acme's ""page""\",
acme,box-1,eu-1,H100-SXM,1,3.6,2026-11-01,list,-page,first
"""
VOID = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")


def run(*words, **environment):
    """Run the command line as a process."""
    return subprocess.run(
        [PERDOLLAR, *map(str, words)], check=False, capture_output=True, text=True, env={**os.environ, **environment}
    )


def refusal(*words, **environment):
    """Return the one line that the command line says of a mistake, without `perdollar: `."""
    done = run(*words, **environment)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("perdollar: ")
    return line.removeprefix("perdollar: ")


def problem(response, status=422):
    """Return the problem details of an answer, checked for their shape."""
    assert response.status_code == status, response.text[:300]
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert list(body) == ["type", "title", "status", "detail", "errors"]
    assert (body["type"], body["status"]) == ("about:blank", status)
    assert body["title"]
    assert body["detail"]
    for error in body["errors"]:
        assert list(error) == ["loc", "msg"]
        assert error["loc"]
        assert error["msg"]
    return body


@dataclass(eq=False)
class Element:
    """An element of a page: its tag, attributes and text, and the elements around it."""

    tag: str
    attributes: dict[str, str]
    around: tuple[Element, ...] = ()
    parts: list[str] = field(default_factory=list)

    @property
    def text(self):
        """The text inside, blanks put together."""
        return " ".join("".join(self.parts).split())

    def inside(self, tag):
        """Whether an element of this tag is around it."""
        return any(element.tag == tag for element in self.around)


class Page(HTMLParser):
    """A page taken apart into its elements."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open)))

    def handle_endtag(self, tag):
        assert self._open
        assert self._open.pop().tag == tag, (tag, self.getpos())

    def handle_data(self, data):
        for element in self._open:
            element.parts.append(data)

    def all(self, tag):
        """Return the elements of a tag."""
        return [element for element in self.elements if element.tag == tag]

    def by_id(self, name):
        """Return the one element with an id."""
        (element,) = [element for element in self.elements if element.attributes.get("id") == name]
        return element

    def link(self, text):
        """Return the address of the one link with a text."""
        (address,) = [a.attributes["href"] for a in self.all("a") if a.text == text]
        return address

    def rows(self):
        """Return the bodies of tables that sort: of each row its cells, by the column that their heading sorts by."""
        buttons = [b for b in self.all("button") if b.inside("th") and b.attributes.get("name") == "sort"]
        names = [button.attributes["value"].removeprefix("-") for button in buttons]
        tables = [e for button in buttons for e in button.around if e.tag == "table"]
        return [dict(zip(names, row, strict=True)) for row in self._bodies(tables)]

    def table_of(self, name):
        """Return the texts of the cells in the body of the table inside the element with an id."""
        section = self.by_id(name)
        tables = [table for table in self.all("table") if section in table.around]
        return [[cell.text for cell in row] for row in self._bodies(tables)]

    def _bodies(self, tables):
        rows = [e for e in self.all("tr") if e.inside("tbody") and any(table in e.around for table in tables)]
        return [
            [e for e in self.elements if e.tag in ("td", "th") and e.around and e.around[-1] is row] for row in rows
        ]


def query_of(address):
    """Return the name-value pairs of a link."""
    return parse_qsl(urlsplit(address).query, keep_blank_values=True)


def finished(work):
    """Run a coroutine to its end, in a thread of its own: browser tests leave a loop running in the first one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def answered(app, method, address, parts=((b"", False),), headers=()):
    """Ask the app without a client: body parts as (bytes, whether more come). Returns the messages it sends."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": list(headers), "scheme": "http", "server": ("x", 80), "client": ("x", 1), "root_path": "",
        "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1",
    }  # fmt: skip
    left, sent = list(parts), []

    async def receive():
        if not left:
            # The client has sent everything and waits.
            await asyncio.Event().wait()
        body, more = left.pop(0)
        return {"type": "http.request", "body": body, "more_body": more}

    async def send(message):
        sent.append(message)

    finished(app(scope, receive, send))
    return sent
