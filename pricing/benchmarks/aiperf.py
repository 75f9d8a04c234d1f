"""AIPerf and GenAI-Perf as JSON, and AIPerf as CSV: metrics with units, averages and percentiles."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pricing.benchmarks.result import (
    INPUT,
    OUTPUT,
    REQUESTS,
    TOTAL,
    Findings,
    Measured,
    day,
    mapping,
    number,
    stated,
    text,
)
from pricing.benchmarks.values import json_values, records, tables
from pricing.sources.document import Document
from pricing.wording import say

NAME = "aiperf"
WHAT = "an AIPerf or GenAI-Perf export"
_PER_SECOND = {"ns": 1e9, "us": 1e6, "µs": 1e6, "ms": 1e3, "s": 1.0, "sec": 1.0, "seconds": 1.0}
_LATENCIES = (
    ("ttft", "time_to_first_token"), ("itl", "inter_token_latency"), ("e2e", "request_latency"),
)  # fmt: skip
_ROW = re.compile(r"(.+?)\s*\(([^()]*)\)|(.+)")
Metrics = dict[str, Mapping[str, object]]


def recognises(document: Document) -> bool:
    """Whether it has the metrics of an export."""
    head = document.head_text
    if head.lstrip().startswith("{"):
        return ('"input_config"' in head and '"request_throughput"' in head) or '"output_token_throughput"' in head
    return head.startswith("Metric,avg,min,max") and "Time to First Token" in head


def read(document: Document, findings: Findings) -> None:
    """Read an export."""
    if document.head_text.lstrip().startswith("{"):
        for value in json_values(document):
            _json(value, findings)
    else:
        read_rows(document, findings)


def _json(value: object, findings: Findings) -> None:
    about = mapping(value)
    config = mapping(about.get("input_config"))
    if "endpoint" not in config and "models" not in config:
        findings.format = "genai_perf"
    run = findings.run(measured_on=day(about.get("start_time")))
    run.model = _model(config)
    _read(run, {name: mapping(metric) for name, metric in about.items()}, counts_errors=findings.format == NAME)
    loadgen = mapping(config.get("loadgen")) or _phase(config)
    stimulus = mapping(mapping(config.get("perf_analyzer")).get("stimulus"))
    run.concurrency = number(loadgen.get("concurrency")) or number(stimulus.get("concurrency"))
    rate = loadgen.get("request_rate") or loadgen.get("rate") or stimulus.get("request_rate")
    # A limit of concurrency beside a rate does not make the system busy.
    run.load(rate, run.rates.get(REQUESTS))
    if any(stated(value) for name, value in loadgen.items() if name.endswith("_ramp_duration")):
        run.flag("whole_ramp")
    if run.concurrency == 1:
        run.flag("single_sequence")
    if about.get("was_cancelled") is True:
        run.flag("truncated")
    _devices(run, about, findings)


def _model(config: Mapping[str, object]) -> str | None:
    names = mapping(config.get("endpoint")).get("model_names") or config.get("model_names")
    items = mapping(config.get("models")).get("items")
    if isinstance(names, list) and names:
        return text(names[0])
    if isinstance(items, list) and items:
        return text(mapping(items[0]).get("name"))
    return text(config.get("model"))


def _phase(config: Mapping[str, object]) -> Mapping[str, object]:
    """Return the phase that was measured, of a plan with warm-up."""
    phases = config.get("phases")
    named = [mapping(phase) for phase in phases] if isinstance(phases, list) else []
    return next((phase for phase in named if phase.get("name") == "profiling"), {})


def _devices(run: Measured, about: Mapping[str, object], findings: Findings) -> None:
    names: set[str] = set()
    for endpoint in mapping(mapping(about.get("telemetry_data")).get("endpoints")).values():
        for gpu in mapping(mapping(endpoint).get("gpus")).values():
            name = text(mapping(gpu).get("gpu_name"))
            if name:
                names.add(name)
    if len(names) == 1:
        findings.hardware(run, names.pop())
        run.accelerator_count = None
        findings.warn("telemetry lists every GPU that it could reach, used or not: the count is not taken from it")
    elif names:
        findings.warn(say("telemetry lists several kinds of GPU: {sorted}", sorted=", ".join(sorted(names))))


def read_rows(document: Document, findings: Findings) -> None:
    """Read an export as CSV: tables of metrics one below the other, the unit in the row's name."""
    metrics: Metrics = {}
    for table in tables(document):
        if table[0][0] != "Metric":
            _telemetry(table, metrics)
            continue
        for row in records(table):
            match = _ROW.fullmatch(row["Metric"])
            if match is None:
                continue
            name = (match[1] or match[3]).lower().replace(" ", "_")
            figures: dict[str, object] = {"unit": match[2] or ""}
            figures |= {column: cell for column, cell in row.items() if column != "Metric"}
            figures.setdefault("avg", row.get("Value"))
            metrics.setdefault(name, figures)
    run = findings.run()
    _read(run, metrics, counts_errors=findings.format == NAME)
    gpu = metrics.get("gpu_name")
    if gpu:
        findings.hardware(run, gpu["avg"])
        run.accelerator_count = None


def _telemetry(table: list[list[str]], metrics: Metrics) -> None:
    names = {row.get("GPU_Name", "") for row in records(table)} - {""}
    if len(names) == 1:
        metrics["gpu_name"] = {"avg": names.pop()}


def _read(run: Measured, metrics: Metrics, *, counts_errors: bool) -> None:
    """Take the rates of the system; speeds per user and per request are others.

    AIPerf states errors where there are any (`counts_errors`); GenAI-Perf never does, so that they are not known.
    """

    def average(name: str) -> float | None:
        return number(metrics.get(name, {}).get("avg"))

    run.rate(OUTPUT, metrics.get("output_token_throughput", {}).get("avg"))
    run.rate(TOTAL, metrics.get("total_token_throughput", {}).get("avg"))
    run.rate(REQUESTS, metrics.get("request_throughput", {}).get("avg"))
    duration = metrics.get("benchmark_duration", {})
    seconds = number(duration.get("avg"))
    if seconds:
        seconds /= _PER_SECOND.get(str(duration.get("unit", "sec")).lower(), 1.0)
    total = average("total_isl") or average("total_input_sequence_length")
    run.input_tokens, run.output_tokens = average("input_sequence_length"), average("output_sequence_length")
    if seconds and total:
        run.rate(INPUT, total / seconds, "total input tokens / duration")
    elif run.input_tokens and REQUESTS in run.rates:
        run.rate(INPUT, run.input_tokens * run.rates[REQUESTS], "mean input length × requests per second (approximate)")
    if INPUT in run.rates and OUTPUT in run.rates:
        run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input + output")
    errors = average("error_request_count")
    run.requests(average("request_count"), 0.0 if errors is None and counts_errors else errors)
    for kind, name in _LATENCIES:
        metric = metrics.get(name, {})
        unit = _PER_SECOND.get(str(metric.get("unit", "ms")).lower(), 1e3)
        for statistic, theirs in (("mean", "avg"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99")):
            run.latency(f"{kind}_{statistic}", metric.get(theirs), unit)
