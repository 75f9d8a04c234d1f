"""Optimum-Benchmark reports: prefill and decode of one batch; latencies in seconds."""

from __future__ import annotations

from pricing.benchmarks.result import OUTPUT, Findings, mapping, number, text, whole
from pricing.benchmarks.values import json_values, text_of
from pricing.sources.document import Document

NAME = "optimum_benchmark"
WHAT = "an Optimum-Benchmark report"


def recognises(document: Document) -> bool:
    """Whether it has the two phases of a generation."""
    head = document.head_text
    if head.lstrip().startswith("# "):
        return "# decode:" in head and "# prefill:" in head
    return '"decode"' in head and '"prefill"' in head and '"throughput"' in head


def _printed(content: str) -> dict[str, dict[str, dict[str, object]]]:
    """Return a report in Markdown in the form of the one in JSON."""
    report: dict[str, dict[str, dict[str, object]]] = {}
    section = part = ""
    for line in content.splitlines():
        if line.startswith("## "):
            part = line.strip("#: ")
        elif line.startswith("# "):
            section, part = line.strip("#: "), ""
        elif line.startswith("|") and part:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            found = report.setdefault(section, {}).setdefault(part, {})
            if cells[0] == "throughput":
                found |= {"value": cells[1], "unit": cells[-1]}
            elif len(cells) == 3:
                found[cells[0]] = cells[1]
    return report


def read(document: Document, findings: Findings) -> None:
    """Read one report, with the configuration where it is beside it in one file."""
    printed = document.head_text.lstrip().startswith("# ")
    for value in [_printed(text_of(document))] if printed else json_values(document):
        about = mapping(value)
        report = mapping(about.get("report")) or about
        config = mapping(about.get("config"))
        backend, scenario = mapping(config.get("backend")), mapping(config.get("scenario"))
        run = findings.run(model=text(backend.get("model")), precision=text(backend.get("torch_dtype")))
        decode = mapping(mapping(report.get("decode")).get("throughput"))
        if "token" in str(decode.get("unit", "")):
            run.rate(OUTPUT, decode.get("value"))
        else:
            findings.warn("the rate of decoding is not in tokens per second")
        if name := text(backend.get("name")):
            run.stack = f"Optimum-Benchmark, {name}"
        environment = mapping(config.get("environment"))
        gpus = environment.get("gpu")
        if isinstance(gpus, list) and len(set(map(str, gpus))) == 1:
            # The environment lists the GPUs of the machine; the backend's ids say which of them were used.
            used = [part for part in str(backend.get("device_ids") or "").split(",") if part.strip()]
            findings.hardware(run, gpus[0], len(used) or whole(environment.get("gpu_count")) or len(gpus))
        run.concurrency = number(mapping(scenario.get("input_shapes")).get("batch_size"))
        for kind, phase in (("tpot", "per_token"),):
            latency = mapping(mapping(report.get(phase)).get("latency"))
            for statistic in ("mean", "p50", "p90", "p95", "p99"):
                run.latency(f"{kind}_{statistic}", latency.get(statistic))
        if not config:
            findings.warn("model, batch and hardware are in benchmark_config.json, not in this file")
