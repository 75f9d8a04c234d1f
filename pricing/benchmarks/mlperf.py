"""MLPerf Inference: loadgen's log summary, the submission checker's table, and the description of a system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pricing.benchmarks.result import OUTPUT, REQUESTS, Findings, Measured, mapping, number, text, whole
from pricing.benchmarks.values import json_values, records, tables, text_of
from pricing.errors import shown
from pricing.sources.document import Document
from pricing.wording import say

NAME = "mlperf"
WHAT = "an MLPerf log summary or the submission checker's table"
NS = 1e9
_LINE = re.compile(r"^\s*([A-Za-z0-9.][^:\n]*?)\s*:\s*(\S.*?)\s*$", re.MULTILINE)
# Benchmarks of language models, by what folders and files are called after them; a sample is a text.
_TEXTS = ("llama", "gptj", "gpt-j", "gpt-oss", "mixtral", "deepseek", "qwen")
_SPEECH = ("whisper", "rnnt")
_UNITS = {"Tokens/s": OUTPUT, "Samples/s": REQUESTS, "Queries/s": REQUESTS}


def recognises(document: Document) -> bool:
    """Whether it is one of the two."""
    return "MLPerf Results Summary" in document.head_text or document.first_line.startswith(
        "Organization,Availability,Division"
    )


def is_system(document: Document) -> bool:
    """Whether it describes a system."""
    head = document.head_text
    return '"accelerator_model_name"' in head and '"accelerators_per_node"' in head


def system_of(document: Document) -> dict[str, object]:
    """Read the description of a system."""
    return dict(mapping(json_values(document)[0]))


def read(document: Document, findings: Findings) -> None:
    """Read a summary, or each row of the table."""
    if document.first_line.startswith("Organization,"):
        for row in records(tables(document)[0]):
            _checked(row, findings)
        return
    content = text_of(document)
    found: dict[str, str] = {}
    for name, value in _LINE.findall(content):
        found.setdefault(name.lower(), value)
    run = findings.run(evidence="published")
    scenario = found.get("scenario", "")
    where = " ".join((document.name, *document.folders)).lower()
    samples = found.get("samples per second") or found.get("completed samples per second")
    tokens = found.get("tokens per second") or found.get("completed tokens per second")
    run.rate(REQUESTS, samples)
    # A first token is waited for in benchmarks of language models alone.
    texts = any(name in where for name in _TEXTS) or any("first token latency" in name for name in found)
    if any(name in where for name in _SPEECH):
        findings.warn(
            "this is speech recognition: its tokens are neither input nor output of a language model, and RTFx is at "
            "most 30 × samples per second, since a sample is at most 30 s of audio"
        )
    elif texts:
        run.rate(OUTPUT, tokens)
    elif tokens:
        # Of Whisper's log nothing but the values tells it from a language model's.
        findings.asked.append("benchmark")
        findings.warn(
            say(
                "the log says {tokens} tokens per second, but not of which benchmark: they are output of a "
                "language model, or of Whisper, whose tokens are no such rate, so that they are not taken. "
                "Give the log in its submission's folder (or a zip of it), or with the benchmark in the "
                "file's name: llama2-70b-99_mlperf_log_summary.txt",
                tokens=shown(tokens),
            )
        )
    run.label = f"MLPerf {scenario}".strip()
    if "VALID" not in found.get("result is", "VALID").split():
        run.flag("invalid")
        findings.warn("the result is INVALID by MLPerf's own rules")
    if scenario == "Server":
        run.request_rate = number(found.get("target_qps"))
    for kind, name, suffix in (
        ("e2e", "latency (ns)", "percentile latency (ns)"),
        ("ttft", "first token latency (ns)", "percentile first token latency (ns)"),
        ("tpot", "time to output token (ns)", "percentile time to output token (ns)"),
    ):
        # In the offline scenario all samples are sent at once, and a latency says nothing.
        if scenario != "Offline":
            run.latency(f"{kind}_mean", found.get(f"mean {name}"), NS)
            for percent in (50, 90, 95, 99):
                run.latency(f"{kind}_p{percent}", found.get(f"{percent}.00 {suffix}"), NS)


def _checked(row: Mapping[str, str], findings: Findings) -> None:
    rate = _UNITS.get(row.get("Units", ""))
    if rate == OUTPUT and any(name in str(row.get("Model")).lower() for name in _SPEECH):
        findings.warn("tokens of speech recognition are no rate of a language model, and are left out")
        return
    if rate is None:
        findings.warn(
            say("results in {Units} are latencies, not rates, and are left out", Units=row.get("Units") or "no unit")
        )
        return
    run = findings.run(model=text(row.get("Model")), precision=text(row.get("weight_data_types")), evidence="published")
    run.rate(rate, row.get("Result"))
    run.stack = text(row.get("framework"))
    run.label = " ".join(part for part in (row.get("SystemName"), row.get("Model"), row.get("Scenario")) if part)
    _system(findings, run, row)
    if row.get("errors", "0") not in ("0", ""):
        run.flag("invalid")


def _system(findings: Findings, run: Measured, about: Mapping[str, object]) -> None:
    each, nodes = whole(about.get("accelerators_per_node")), whole(about.get("number_of_nodes")) or 1
    name = str(about.get("accelerator_model_name") or "")
    if "," in name or "+" in name:
        findings.warn(say("the system has several kinds of accelerators: {name}", name=name))
        return
    findings.hardware(run, name, each * nodes if each else None)


def with_systems(found: Sequence[Findings], systems: Mapping[str, Mapping[str, object]]) -> None:
    """Say on what the log summaries were made: on the system that their folder is named after.

    A submission's results lie in folders named as the file that describes the system. Without such
    a folder one summary and one system belong together, and of more none is guessed.
    """
    logs = [each for each in found if any(run.accelerator is None for run in each.measurements)]
    for findings in logs:
        fitting = [about for name, about in systems.items() if name in findings.folders]
        if not fitting and len(systems) == 1 and len(logs) == 1:
            fitting = list(systems.values())
        if len(fitting) == 1:
            for run in findings.measurements:
                _system(findings, run, fitting[0])
                run.stack = run.stack or text(fitting[0].get("framework"))
        elif systems:
            findings.warn(
                say("{number} systems are described beside it; on which one it ran is not known", number=len(systems))
            )
