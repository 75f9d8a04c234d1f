"""Ask the running server for each page, check all of them at once, and print what is wrong.

Fragments, which are not whole documents, are parts of these pages.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2

from app.languages import LANGUAGES
from tests.browser.pages import VIEWS, View
from tests.browser.running import server

JAR = Path(__file__).parent / "node_modules/vnu-jar/build/dist/vnu.jar"
# Messages that say nothing against a page, each with its reason.
ACCEPTED = (
    (r"Attribute “hx-[a-z-]+” not allowed on element", "htmx's own attributes, which browsers leave alone"),
    (
        r"This document appears to be written in English but the “html” start tag has “lang=\"pt-BR\"”",
        "the reference of the API stays in English inside a page in Portuguese, and is marked so",
    ),
)


def pages(base: str, folder: Path) -> dict[str, str]:
    """Write each page into the folder; return what each file shows."""
    names: dict[str, str] = {}
    with httpx2.Client(base_url=base, timeout=60) as client:
        for name, view in VIEWS.items():
            for language in LANGUAGES:
                answer = _asked(client, view, {"Accept": "text/html", "Accept-Language": language})
                if answer.status_code != view.status or answer.headers["content-language"] != language:
                    raise AssertionError(f"{name} in {language}: {answer.status_code}")
                path = folder / f"{len(names)}.html"
                path.write_bytes(answer.content)
                names[path.name] = f"{name}, {language}"
    return names


def _asked(client: httpx2.Client, view: View, headers: dict[str, str]) -> httpx2.Response:
    if view.file:
        return client.post(view.address, files={"file": view.file}, headers=headers)
    return client.get(view.address, headers=headers)


def checked(folder: Path) -> list[dict[str, object]]:
    """Return the checker's messages on the files of a folder."""
    command = ["java", "-jar", str(JAR), "--format", "json", "--stdout", "--exit-zero-always", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: list[dict[str, object]] = json.loads(done.stdout)["messages"]
    return found


def main() -> int:
    """Check everything; 1 if a page has a fault, or an accepted message is not met any more."""
    with tempfile.TemporaryDirectory() as name, server() as base:
        folder = Path(name)
        names = pages(base, folder)
        messages = checked(folder)
    faults: dict[str, list[str]] = {}
    met = set()
    for each in messages:
        text = str(each["message"])
        accepted = [pattern for pattern, _ in ACCEPTED if re.search(pattern, text)]
        met.update(accepted)
        if not accepted:
            where = f"{names[str(each['url']).rpartition('/')[2]]}, line {each.get('lastLine')}"
            kind = each.get("subType", each["type"])
            faults.setdefault(f"{kind}: {re.sub(r'[0-9]+', '…', text)}", []).append(
                f"{where}: {each.get('extract', '')!r}"
            )
    for text, places in faults.items():
        print(f"{text}\n    {len(places)} times, such as in {places[0]}\n    and {places[-1]}")
    gone = [pattern for pattern, _ in ACCEPTED if pattern not in met]
    for pattern in gone:
        print(f"accepted, but not met any more: {pattern}")
    print(f"{len(names)} pages in {len(LANGUAGES)} languages: {sum(map(len, faults.values()))} faults")
    return 1 if faults or gone else 0


sys.exit(main())
