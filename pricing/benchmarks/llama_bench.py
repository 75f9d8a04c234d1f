"""llama-bench of llama.cpp: JSON, JSON Lines, CSV and Markdown. Each row is one test of one sequence."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pricing.benchmarks.result import INPUT, OUTPUT, TOTAL, Findings, Measured, day, mapping, number, text
from pricing.benchmarks.values import broken, json_values, tables, text_of
from pricing.sources.document import Document
from pricing.wording import say

NAME = "llama_bench"
WHAT = "a llama-bench result (JSON, JSON Lines, CSV or Markdown)"
_TEST = re.compile(r"(?:pp\s*(\d+))?\s*\+?\s*(?:tg\s*(\d+))?(?:\s*@\s*d(\d+))?")
_RATE = re.compile(r"([0-9.,]+)\s*(?:±|\+/-)?\s*[0-9.,]*")
_DEVICE = re.compile(r"^\s*(?:Device\s+\d+:|ggml_vulkan: \d+ =)\s*([^,|(]+)", re.MULTILINE)
_TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:]+Z?")
_BUILD = re.compile(r"^build:\s*(\S+)(?:\s*\((\d+)\))?", re.MULTILINE)


def recognises(document: Document) -> bool:
    """Whether it has the fields of a test, or a table of tests with tokens per second."""
    head = document.head_text
    if "ggml_" in head and not head.lstrip().startswith(("{", "[")):
        return True
    return ("n_prompt" in head and "avg_ts" in head) or re.search(
        r"^\|.*\btest\b.*\bt/s\b", head, re.MULTILINE
    ) is not None


def read(document: Document, findings: Findings) -> None:
    """Read each test. Prompt processing and generation are different kinds of tokens and are not mixed."""
    head = document.head_text
    if "avg_ts" not in head:
        _markdown(text_of(document), findings)
    elif head.lstrip()[:1] in ("[", "{"):
        for value in json_values(document):
            for row in value if isinstance(value, list) else [value]:
                _row(mapping(row), findings)
    else:
        found = tables(document)
        if not found:
            raise broken(document, "the file is empty")
        for cells in found[0][1:]:
            _row(_aligned(found[0][0], cells), findings)


def _aligned(heading: list[str], cells: list[str]) -> dict[str, object]:
    """Return a row by its headings; where versions were mixed, its end is found by the time of the test."""
    row: dict[str, object] = dict(zip(heading, cells, strict=False))
    if len(cells) == len(heading):
        return row
    at = next((i for i, cell in enumerate(cells) if _TIME.fullmatch(cell)), None)
    if at is None or "test_time" not in heading:
        raise ValueError(
            say("a row has {number} cells, but the heading {number_2}", number=len(cells), number_2=len(heading))
        )
    shift = at - heading.index("test_time")
    for name in ("n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"):
        row[name] = cells[heading.index(name) + shift] if name in heading else None
    return row


def _row(row: Mapping[str, object], findings: Findings) -> None:
    prompt, generated, depth = (number(row.get(name)) or 0 for name in ("n_prompt", "n_gen", "n_depth"))
    # The file's name says what was run; the type is guessed from sizes of tensors.
    name = text(row.get("model_filename"))
    run = findings.run(model=name.rpartition("/")[2] if name else text(row.get("model_type")))
    _test(run, int(prompt), int(generated), int(depth), row.get("avg_ts"), findings)
    build, commit = text(str(row.get("build_number") or "")), text(row.get("build_commit"))
    run.stack = " ".join(
        part for part in ("llama.cpp", f"b{build}" if build else commit, text(row.get("backends"))) if part
    )
    run.measured_on = day(row.get("test_time"))
    devices = [part.strip() for part in str(row.get("gpu_info") or "").split(",") if part.strip()]
    # Without a split the main GPU alone does the work, however many are in the machine.
    _devices(run, devices[:1] if row.get("split_mode") == "none" else devices, findings)


def _markdown(content: str, findings: Findings) -> None:
    heading: list[str] = []
    build = _BUILD.search(content)
    devices = [name.strip() for name in _DEVICE.findall(content)]
    for line in content.splitlines():
        if not line.lstrip().startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "t/s" in cells and "test" in cells:
            heading = cells
            continue
        if not heading or set("".join(cells)) <= set("-: "):
            continue
        row = dict(zip(heading, cells, strict=False))
        test, rate = _TEST.fullmatch(row.get("test", "")), _RATE.fullmatch(row.get("t/s", ""))
        if test is None or rate is None or not any(test.groups()[:2]):
            findings.warn(say("a row is left out: {strip}", strip=line.strip()[:80]))
            continue
        run = findings.run(model=text(row.get("model")))
        prompt, generated, depth = (int(part or 0) for part in test.groups())
        _test(run, prompt, generated, depth, number(rate[1]), findings)
        version = (f"b{build[2]}" if build[2] else build[1]) if build else ""
        run.stack = " ".join(part for part in ("llama.cpp", version, text(row.get("backend"))) if part)
        _devices(run, devices, findings)
    if not findings.measurements:
        findings.warn("no table of tests is in it: the run failed, or the file ends early")


def _test(run: Measured, prompt: int, generated: int, depth: int, rate: object, findings: Findings) -> None:
    kind = TOTAL if prompt and generated else OUTPUT if generated else INPUT
    run.rate(kind, rate)
    run.concurrency = 1.0
    run.flag("single_sequence")
    run.input_tokens = float(prompt + depth) if prompt + depth else None
    run.output_tokens = float(generated) if generated else None
    tests = "+".join(part for part in (f"pp{prompt}" if prompt else "", f"tg{generated}" if generated else "") if part)
    run.label = f"{run.model or 'llama-bench'} {tests}{f' d{depth}' if depth else ''}"
    findings.warn("one sequence at a time: the rates are those of one user, not of a loaded machine")


def _devices(run: Measured, names: list[str], findings: Findings) -> None:
    if len(set(names)) == 1:
        findings.hardware(run, names[0], len(names))
    elif names:
        findings.warn(say("it ran on different devices: {names}", names=", ".join(names)))
