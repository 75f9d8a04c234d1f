"""Valid files with a few things wrong: what is read obeys the contract, anything else is refused in words.

Each reader's smallest valid file is changed at random, as broken exports and hostile hands change them. A price that
is read has to be taken by the table it is written to, and a measurement by the reader of the project's own form.
`make fuzz` makes many (PERDOLLAR_FUZZ_EXAMPLES of each file); these are the same on every run.
"""

from __future__ import annotations

import json
import math
import os
from copy import deepcopy
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.exports import dumps
from pricing.accelerators import catalogue
from pricing.benchmarks.reading import read_benchmarks
from pricing.errors import InvalidInputError, PriceFileError
from pricing.sources.document import ENDINGS, Document, members
from pricing.sources.importing import import_document, table_text
from pricing.sources.own_schema import read_csv
from tests.hostile.seeds import BENCHMARKS, PACKED_BENCHMARKS, PACKED_PRICES, PARQUET, PRICES

TODAY = date(2026, 12, 1)
SETTINGS = settings(
    max_examples=int(os.environ.get("PERDOLLAR_FUZZ_EXAMPLES", "0")) * 10 or 12, deadline=None, derandomize=True,
    database=None, suppress_health_check=list(HealthCheck),
)  # fmt: skip
# In place of any value: wrong types, numbers at the ends of what there is, texts that mean something elsewhere.
VALUES = (
    None, True, False, 0, -1, 1, 3, 0.5, -0.0, 1e-320, 1e308, 10**400, 2**63, float("nan"), float("inf"), "", " ", "-",
    "NaN", "inf", "1e400", "1,5", "1.234,5", "0x10", "\u0661", "9" * 400, "x" * 5000, "a\x00b", "\x1b[31m", "\u202e",
    "=1+1", "<b>", "2026-02-30", "9999-12-31", "0001-01-01", "H100", "L4", [], {}, [None], [[]], [{}], {"a": {}},
    {"": 1}, ["H100", 8], {"value": -1, "unit": 3}, [1] * 50,
)  # fmt: skip
CELLS = (
    *(str(value) for value in VALUES if isinstance(value, str | float)),
    '"', '""', '"a', "a\nb", ",", ";", "\t", "|", "\r", "\ufeff", "±", "%", "$", "€1,5", "1 234", "1'234",
)  # fmt: skip


def places(value, found):
    """Collect each container with the keys or indices in it."""
    if isinstance(value, dict):
        found += [(value, key) for key in value]
        for each in list(value.values()):
            places(each, found)
    elif isinstance(value, list):
        found += [(value, i) for i in range(len(value))]
        for each in value:
            places(each, found)
    return found


def changed_json(data, rng):
    """Drop, replace, repeat, rename or wrap some values of JSON."""
    lines = data.decode().splitlines()
    whole = json.loads(data) if not data.startswith(b"{") or len(lines) == 1 or data.rstrip().endswith(b"\n}") else None
    content = whole if whole is not None else [json.loads(line) for line in lines]
    for _ in range(rng.randint(1, 3)):
        found = places(content, [])
        if not found:
            break
        holder, key = rng.choice(found)
        what = rng.randrange(6)
        if what == 0:
            del holder[key]
        elif what == 1 and isinstance(holder, dict):
            holder[rng.choice([*holder, "other"])] = holder.pop(key)
        elif what == 2 and isinstance(holder, list):
            holder.insert(0, holder[key])
        elif what == 3:
            holder[key] = [holder[key]]
        else:
            holder[key] = deepcopy(rng.choice(VALUES))
    if whole is None:
        return "\n".join(map(json.dumps, content)).encode()
    return json.dumps(content, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def changed_text(data, rng):
    """Replace, drop or repeat cells, lines and characters of a table or a log."""
    text = data.decode()
    for _ in range(rng.randint(1, 3)):
        lines = text.split("\n")
        row = rng.randrange(len(lines))
        cells = lines[row].split(sign := rng.choice((",", ";", "\t", "|", ":", " ")))
        what = rng.randrange(7)
        if what < 3:
            cells[rng.randrange(len(cells))] = rng.choice(CELLS)
            lines[row] = sign.join(cells)
        elif what == 3:
            del cells[rng.randrange(len(cells))]
            lines[row] = sign.join(cells)
        elif what == 4:
            lines.insert(row, rng.choice((lines[row], "", sign * 3)))
        elif what == 5:
            del lines[row]
        text = "\n".join(lines)
        if what == 6 and text:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(("", '"', "\x00", "\ufeff", "\r", "9", "-", "\u0661")) + text[at + 1 :]
    return text.encode(rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig")), "replace")


def changed_bytes(data, rng):
    """Flip, drop or repeat bytes."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(max(1, len(made)))
        what = rng.randrange(4)
        if what == 0:
            del made[at : at + rng.choice((1, 2, 8, 10_000))]
        elif what == 1:
            made[at:at] = made[at : at + 16]
        elif made:
            made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def changed(name, data, rng):
    """Change a file, mostly as its form has it."""
    if rng.random() < 0.1 or name.endswith((".xlsx", ".zip", ".parquet")):
        return changed_bytes(data, rng)
    return (changed_json if name.endswith((".json", ".jsonl")) else changed_text)(data, rng)


def in_words(refused, *names):
    """Check what a refusal says: of which file (or archive), in one line of bounded length."""
    assert refused.faults
    for fault in refused.faults:
        assert fault.msg.startswith(names)
        assert "\n" not in fault.msg
        assert len(fault.msg) < 3000
        assert all(sign.isprintable() for sign in fault.msg), fault.msg


def check_prices(document, provider=None):
    """Read prices; what is read makes a table that is read again whole."""
    try:
        found = import_document(document, catalogue(), TODAY, provider)
    except PriceFileError as refused:
        in_words(refused, document.name, "t.zip: ")
        return
    assert len(found.rows) <= 1000
    for note in found.notes:
        assert all(sign.isprintable() for sign in note), note
    if not found.rows:
        return
    text = table_text(found.rows)
    try:
        table = read_csv(text.encode(), "again.csv", catalogue(), TODAY)
    except PriceFileError as refused:
        # Two rows of a file may contradict each other: which one holds is not for the reader to say.
        others = [fault.msg for fault in refused.faults if "stands twice" not in fault.msg]
        if others:
            pytest.fail(f"read, and not taken by the table: {others}")
        return
    assert len(table.columns) >= 1
    prices = table.columns.price
    assert not (prices < 0).any()
    assert not (prices == math.inf).any()


def check_runs(documents):
    """Read runs; what is read obeys the contract and is read again in the project's own form."""
    files, errors = read_benchmarks(documents, catalogue())
    for error in errors:
        in_words(error, *(document.name for document in documents), "t.zip: ", "there is no file")
    for file in files:
        for run in file["measurements"]:
            assert all(0 < rate < math.inf for rate in run["rates"].values()), run["rates"]
            assert all(
                value is None or 0 < value < math.inf for value in run["latency_seconds"].values()
            ), run["latency_seconds"]  # fmt: skip
            assert run["success_rate"] is None or 0 < run["success_rate"] <= 1
            assert run["accelerator_count"] is None or run["accelerator_count"] >= 1
            assert run["accelerator"] is None or run["accelerator"] in catalogue().accelerators
        assert all("\n" not in warning for warning in file["warnings"])
    if not files:
        return
    # JSON for everybody: no NaN, no half of a surrogate pair.
    text = dumps({"files": files})
    again, _ = read_benchmarks([Document.of_bytes("again.json", text)], catalogue())
    before = [run["rates"] for file in files for run in file["measurements"]]
    assert [run["rates"] for file in again for run in file["measurements"]] == before


@pytest.mark.parametrize("seed", PRICES)
@SETTINGS
@given(rng=st.randoms(use_true_random=False))
def test_prices(seed, rng):
    name = seed.rpartition(" ")[2]
    # A catalog of SkyPilot's names its seller in its folder alone.
    seller = name.partition(".")[0] if seed.startswith("skypilot") else None
    check_prices(Document.of_bytes(name, changed(name, PRICES[seed], rng)), seller)


@SETTINGS
@given(rng=st.randoms(use_true_random=False))
def test_a_parquet_table(rng):
    check_prices(Document.of_bytes("t.parquet", changed_bytes(PARQUET.getvalue(), rng)))


@pytest.mark.parametrize("seed", BENCHMARKS)
@SETTINGS
@given(rng=st.randoms(use_true_random=False))
def test_benchmarks(seed, rng):
    name = seed.rpartition(" ")[2]
    check_runs([Document.of_bytes(name, changed(name, BENCHMARKS[seed], rng))])


@pytest.mark.parametrize(("name", "data"), [*PACKED_PRICES.items(), *PACKED_BENCHMARKS.items()])
@SETTINGS
@given(rng=st.randoms(use_true_random=False))
def test_archives(name, data, rng):
    try:
        inside = list(members(name, changed_bytes(data, rng), ENDINGS))
    except PriceFileError as refused:
        in_words(refused, name)
        return
    for document in inside:
        try:
            (check_prices if data in PACKED_PRICES.values() else lambda each: check_runs([each]))(document)
        except InvalidInputError as refused:
            in_words(refused, name)


@pytest.mark.parametrize("seed", [*PRICES, *BENCHMARKS])
def test_the_files_are_valid_as_they_are(seed):
    # Otherwise the changes would be made to what is refused anyway.
    name = seed.rpartition(" ")[2]
    if seed in PRICES:
        assert import_document(Document.of_bytes(name, PRICES[seed]), catalogue(), TODAY, "aws").rows
    else:
        files, errors = read_benchmarks([Document.of_bytes(name, BENCHMARKS[seed])], catalogue())
        assert not errors
        assert files[0]["measurements"]
        assert files[0]["format"] == seed.partition(" ")[0]
