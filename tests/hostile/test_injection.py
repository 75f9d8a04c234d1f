"""Names from files and links never become code: of a page, a picture, a terminal, a log line or a header."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import redirect_stderr, redirect_stdout
from urllib.parse import quote

import pytest
from jinja2 import nodes

from app.cli import main
from app.service import ENVIRONMENT
from tests.hostile.nasty import HEADING
from tests.serving.faults import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))
# Where text is taken as markup, and why nothing of a user's can be in it.
MARKED = {
    ("app/service.py", 'f"<tr>'): "each part was escaped when it was made",
    ("app/service.py", "getattr"): "what a macro of a template gave, which escapes",
    ("app/format.py", "'<span"): "a constant; format escapes what goes in",
    ("app/format.py", "''.join"): "cells of numbers alone",
    ("app/routes/imports.py", "' '"): "a blank; join escapes what goes in",
    ("app/routes/benchmarks.py", "' '"): "a blank; join escapes what goes in",
}
TURNED = "\u202e\u2066"
HIDDEN = f"\x1b[2J\x9b1m{TURNED}\x07"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_every_template_escapes():
    assert ENVIRONMENT.autoescape is True
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        tree = ENVIRONMENT.parse(text)
        assert not [each for each in tree.find_all(nodes.Filter) if each.name in ("safe", "forceescape")], path
        assert not list(tree.find_all((nodes.MarkSafe, nodes.ScopedEvalContextModifier))), path
        # An attribute without quotes ends at a blank, and scripts and styles know no escapes.
        bare = re.sub(r'"[^"<>]*"', '""', re.sub(r"\{[{%#].*?[}%#]\}", "\0", text, flags=re.DOTALL))
        assert not re.search("<[^<>]*=\0", bare), path
        for inside in re.findall(r"<(?:script|style)\b[^>]*>(.*?)</(?:script|style)>", text, re.DOTALL):
            assert not inside.strip(), path


def test_little_is_taken_as_markup():
    found = {}
    for path in sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "pricing").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Markup":
                found[path.relative_to(ROOT).as_posix(), ast.unparse(node.args[0])] = node
    assert len(found) == len(MARKED)
    for file, text in found:
        assert any(file == known and text.startswith(begins) for known, begins in MARKED), (file, text)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files whose every text holds what a terminal would obey, or that turns writing round."""
    folder = tmp_path_factory.mktemp("hidden")
    (folder / "prices.csv").write_text(HEADING + f"acme,a{TURNED}x,L4,1,0.01,2026-11-01\n", encoding="utf-8")
    (folder / "refused.csv").write_text(HEADING + f"acme,a{HIDDEN}x,L4,1,0.01,2026-11-01\n", encoding="utf-8")
    (folder / f"name{HIDDEN}.csv").write_text(HEADING + "acme,x,L4,1,0.01,2026-11-01\n", encoding="utf-8")
    (folder / f"bad{HIDDEN}.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    run = {"backend": HIDDEN, "model_id": f"m{HIDDEN}", "duration": 10.0, "completed": 10, "num_prompts": 10,
           "total_input_tokens": 100, "total_output_tokens": 100, "request_rate": "inf", "request_throughput": 1.0,
           "output_throughput": 10.0, "total_token_throughput": 20.0, "mean_ttft_ms": 1.0, "p99_ttft_ms": 1.0,
           "mean_tpot_ms": 1.0, "median_ttft_ms": 1.0, "median_tpot_ms": 1.0}  # fmt: skip
    (folder / "serve.json").write_text(json.dumps(run))
    (folder / "mine.csv").write_text(f"label,hardware,rtfx,Model\na{HIDDEN},L4,120,m{HIDDEN}\n", encoding="utf-8")
    return folder


def said_by(words):
    """Run a command in this process; return what it wrote for people, and its exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out.flush()
    err.flush()
    return out.buffer.getvalue().decode() + err.buffer.getvalue().decode(), ended.value.code


def commands(folder):
    """Make every command that shows a name of a file, or in a file."""
    compare = ("compare", "--unit", "output_token", "L4=5", "--prices")
    for path in sorted(folder.iterdir()):
        yield from (("read", path), ("prices", "check", path), (*compare, path), ("verify", path),
                      ("prices", "import", path, "--out", "-", "--confirm"), ("sweep", path, "--out", path / "x.csv"),
                      ("prices", "list", "--provider", "acme", "--prices", path), ("prices", "diff", path, path),
                      ("explain", path, path))  # fmt: skip
    yield ("compare", "--unit", HIDDEN, f"{HIDDEN}@L4=5")
    yield ("compare", "--unit", "output_token", "L4=5", "--set", f"m1.model={TURNED}")
    yield ("compare", "--unit", "output_token", f"{TURNED}@L4=5")
    yield (HIDDEN,)


def test_terminals_get_no_commands(files):
    codes = set()
    for words in commands(files):
        said, code = said_by(words)
        codes.add(code)
        assert said.strip(), words
        # An import to standard output is CSV, and as the file has it.
        shown = "\n".join(line for line in said.splitlines() if not line.startswith("acme,"))
        assert not UNSEEN.search(shown), (words, ascii(UNSEEN.search(shown)[0]))
        assert "Traceback" not in said
    assert codes == {0, 2}
    # What was hidden is shown, so that a reader sees that something is odd.
    said, _ = said_by(["compare", "--unit", "output_token", "L4=5", "--prices", files / "prices.csv"])
    assert "acme" in said
    assert r"\u202e" in said


def test_files_for_programs_are_as_they_are(files):
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "prices", "list", "--provider", "acme", "--prices", files / "prices.csv",
         "--format", "json"],
        check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    (one,) = json.loads(done.stdout)["prices"]
    assert one["instance_type"] == f"a{TURNED}x"


CANARY = "c4nary"
FORGED = (f"{CANARY}\r\nX-Forged: 1", f'{CANARY}"; filename="x.exe', f"{CANARY}\u2028", f"../{CANARY}", f"{CANARY}é")
PATHS = ("compare", "compare.json", "compare.csv", "compare.xlsx", "compare.tsv", "compare.md", "compare.svg",
         "compare.png", "compare/receipt.json", "prices", "prices.json", "prices.csv", "prices.svg", "accelerators",
         "accelerators.csv", "claim", "claim.csv", "fleet.csv", "prices/changes.csv", "no/such/page")  # fmt: skip


@pytest.mark.parametrize("text", FORGED)
def test_no_name_reaches_a_header(client, text):
    given = quote(text, safe="")
    for path in PATHS:
        for query in (f"unit=output_token&m={given}@L4%3D5", f"provider={given}", f"as_of={given}", f"{given}=1"):
            answer = client.get(f"/{path}?{query}", headers={"x-request-id": text.encode().replace(b"\r\n", b" ")})
            assert "x-forged" not in answer.headers
            for name, value in answer.headers.items():
                assert CANARY not in value or name == "location", (path, name, value)
                assert value.isascii()
                assert value.isprintable()


def test_names_of_uploads_reach_no_header(client):
    table = (HEADING + "acme,x,L4,1,0.01,2026-11-01\n").encode()
    for text in FORGED:
        name = quote(text + ".csv", safe="/ .;=é") if "\r" in text else text + ".csv"
        answer = client.post("/api/v1/prices/import", files={"file": (name, table)})
        assert answer.status_code == 200
        export = client.get(f"/prices/import/{answer.json()['table']}.csv")
        assert export.headers["content-disposition"] == 'attachment; filename="prices.csv"'


@pytest.mark.parametrize(
    "text", ["</text><script>alert(1)</script>", '"/><a href="javascript:x">', "]]>", "&x;", "\u202ea"]
)
def test_pictures_hold_names_as_text(client, text):
    answer = client.get("/compare.svg", params={"unit": "output_token", "m": [f"{text}@L4=5", "L4=6"]})
    assert answer.status_code == 200
    picture = ET.fromstring(answer.content)  # noqa: S314 - our own answer
    kinds = {each.tag.rpartition("}")[2] for each in picture.iter()}
    assert kinds <= {
        "svg",
        "title",
        "desc",
        "style",
        "g",
        "text",
        "tspan",
        "rect",
        "line",
        "path",
        "circle",
        "polyline",
    }
    assert not [name for each in picture.iter() for name in each.attrib if name.startswith("on") or "href" in name]
    # What would turn the writing round is left out.
    shown = text.removeprefix("\u202e")
    texts = ["".join(each.itertext()) for each in picture.iter()]
    assert any(shown in each for each in texts)
    assert not any("\u202e" in each for each in texts)


def test_the_templates_are_all_looked_at():
    assert {path.suffix for path in TEMPLATES} <= {".html", ".svg", ".txt", ".xml"}
    assert len(TEMPLATES) == len(ENVIRONMENT.list_templates())
