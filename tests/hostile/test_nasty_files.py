"""Nasty files through the doors of uploads and of the command line: a refusal in words, or the right reading."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import app
from tests.hostile.nasty import FILES, HEADING, TABLE, TITLES, cells, workbook

ROOT = Path(app.__file__).parent.parent
# What is said of each as a file of prices, and as one of a benchmark; a number is that of the offers read.
NO_FORMAT, NO_RESULT = "is in no format that is known", "is no result file of a known form"
GZIP = "is packed with gzip; unpack it first"
PRICES, WORKBOOK = "is a table of prices, not of a benchmark", "is a zip inside a zip (or a spreadsheet)"
SAID = {
    "zip bomb": ("would unpack to 314,572,800 bytes", "would unpack to 314,572,800 bytes"),
    "zip that lies about its size": ("a.zip: is not a zip file that can be read ('a.csv': BadZipFile",) * 2,
    "zip in a zip in a zip": (NO_FORMAT, WORKBOOK),
    "zip of many members": ("a.zip: holds 20,000 files, more than 5,000",) * 2,
    "zip that leads out of its folder": (1, PRICES),
    "zip with a link": (NO_FORMAT, NO_RESULT),
    "zip cut off": ("a.zip: is not a zip file that can be read",) * 2,
    "gzip bomb": (GZIP, "would unpack to more than 61,155,800 bytes"),
    "gzip cut off": (GZIP, "is not a gzip file that can be read"),
    "JSON of 10^5 levels": (NO_FORMAT, "nested too deeply"),
    "JSON with objects of 10^5 levels": (NO_FORMAT, "nested too deeply"),
    "JSON with a number of 10^6 digits": (NO_FORMAT, "not whole JSON: a number has too many digits"),
    "JSON with NaN": (NO_FORMAT, NO_RESULT),
    "NUL in a table": (r"column instance_type: 'b\x00x' holds a control character", "is binary"),
    "bytes that are no UTF-8": ("a.csv line 2: byte 0xff is not UTF-8; save the file as UTF-8", PRICES),
    "two encodings in one file": ("a.csv line 3: byte 0xe9 is not UTF-8; save the file as UTF-8", PRICES),
    "UTF-16 of an odd length": ("is not a date; write YYYY-MM-DD", "starts as UTF-16, but byte 234 is none"),
    "price of 10^400": ("is too large for a number", PRICES),
    "price of infinity": ("column price_usd_per_hour: 'inf' is not a number", PRICES),
    "price of nan": ("column price_usd_per_hour: 'nan' is not a number", PRICES),
    "price below 0": ("a.csv line 2, column price_usd_per_hour: '-4' is not a price; a price is above 0", PRICES),
    "10^5 columns": ("a.csv line 1: has 100,000 columns, more than 1,000", NO_RESULT),
    "field of 4 MB": ("field larger than field limit", PRICES),
    "quote that never ends": ("a.csv line 4: not valid CSV", PRICES),
    "workbook that laughs": ("is not a spreadsheet that can be read", WORKBOOK),
    "workbook that reads a file": ("is not a spreadsheet that can be read", WORKBOOK),
    "workbook of all cells": ("the files have no rows", WORKBOOK),
    "workbook with a far cell": ("has 16,384 columns, more than 1,000", WORKBOOK),
    "workbook without parts": ("is not a spreadsheet that can be read", WORKBOOK),
    "empty": ("choose a file", "choose a file"),
    "name that is a path": (1, PRICES),
    "name with markup": (NO_FORMAT, NO_RESULT),
}


def test_each_file_has_its_outcome():
    assert SAID.keys() == FILES.keys()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("address", "which"), [("/api/v1/prices/import", 0), ("/api/v1/benchmarks/read", 1)])
def test_an_upload(client, name, address, which):
    expected = SAID[name][which]
    answer = client.post(address, files={"file": FILES[name]})
    if isinstance(expected, int):
        assert answer.status_code == 200
        (file,) = answer.json()["files"]
        assert file["offers"] == expected
        assert "/" not in file["file"]
        return
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert any(expected in fault["msg"] for fault in problem["errors"]), problem["errors"][0]["msg"][:400]
    assert len(answer.content) < 20_000
    assert all("\n" not in fault["msg"] for fault in problem["errors"])
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("name", ["name with markup", "NUL in a table", "workbook that reads a file"])
def test_the_page_shows_it_as_text(client, name):
    page = client.post("/prices/import", files={"file": FILES[name]}, headers={"accept": "text/html"})
    assert page.status_code == 422
    assert "<img" not in page.text
    assert "onerror=alert(1)&gt;" in page.text or name != "name with markup"


@pytest.mark.parametrize("words", [("prices", "import"), ("prices", "check"), ("read",), ("verify",)])
def test_the_command_line_in_bounded_memory(tmp_path, words):
    # 1.5 GiB of addresses: what the largest of the bombs would take many times over is not there.
    most = 3 * 2**29
    paths = []
    for number, (given, data) in enumerate(FILES.values()):
        path = tmp_path / f"{number}{''.join(Path(given).suffixes[-2:])}"
        path.write_bytes(data)
        paths.append(path)
    code = (
        "import sys, json\nfrom app.cli import main\nfor path in sys.argv[2:]:\n    try:\n"
        "        main([*json.loads(sys.argv[1]), path])\n    except SystemExit as ended:\n"
        "        print(ended.code, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(words), *map(str, paths)], check=False, capture_output=True, text=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-600:]
    assert "Traceback" not in done.stderr
    assert "MemoryError" not in done.stderr
    codes = [line for line in done.stderr.splitlines() if line in ("0", "1", "2")]
    assert len(codes) == len(paths)
    assert codes.count("0") <= 3


def test_a_formula_is_text_on_the_way_in_and_out(client):
    # What a workbook would compute is not read as what it is; text that begins as a formula comes out as text.
    formula = '=HYPERLINK("http://x","y")'
    sheet = workbook(cells(TITLES, ["acme", formula.replace('"', "&quot;"), "H100-SXM", "1", "4", "2026-11-01"]))
    name = client.post("/api/v1/prices/import", files={"file": ("a.xlsx", sheet)}).json()["table"]
    text = client.get(f"/prices/import/{name}.csv").text
    assert "\"'=HYPERLINK" in text
    assert ",=HYPERLINK" not in text
    again = client.post("/api/v1/prices/import", files={"file": ("a.csv", text.encode())}).json()
    assert again["table"] == name
    assert HEADING.startswith(TABLE[:8])
