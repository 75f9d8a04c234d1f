"""trtllm-bench of TensorRT-LLM: the report as JSON, and what it prints."""

from __future__ import annotations

import re

from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, Measured, mapping, number, text, whole
from pricing.benchmarks.values import json_values, text_of
from pricing.sources.document import Document

NAME = "trtllm_bench"
WHAT = "a trtllm-bench report (JSON, or what it prints)"
MS = 1000.0
# Above this the requests are all sent at once.
_AT_ONCE = 1e9
_LINE = re.compile(r"^([A-Z][^:\n]*):[ \t]+(\S.*?)\s*$", re.MULTILINE)


def recognises(document: Document) -> bool:
    """Whether it is the report or the printed overview; a long log may stand before that."""
    head = document.head_text
    if '"world_info"' in head and '"engine"' in head:
        return True
    return ("TensorRT-LLM" in head and b"PERFORMANCE OVERVIEW" in document.read()) or "= PERFORMANCE OVERVIEW" in head


def read(document: Document, findings: Findings) -> None:
    """Read a report."""
    if document.head_text.lstrip().startswith("{"):
        for value in json_values(document):
            _report(value, findings)
    else:
        findings.format = "trtllm_bench_console"
        _printed(text_of(document), findings)


def _report(value: object, findings: Findings) -> None:
    about = mapping(value)
    engine, world, machine = (mapping(about.get(name)) for name in ("engine", "world_info", "machine"))
    requests, done = mapping(about.get("request_info")), mapping(about.get("performance"))
    run = findings.run(model=text(engine.get("model")))
    run.stack = " ".join(part for part in ("TensorRT-LLM", text(engine.get("version"))) if part)
    run.precision = text(engine.get("quantization")) or text(engine.get("dtype"))
    findings.hardware(run, machine.get("name"), world.get("world_size"))
    run.rate(OUTPUT, done.get("system_output_throughput_tok_s"))
    run.rate(TOTAL, done.get("system_total_throughput_tok_s"))
    run.rate(REQUESTS, done.get("request_throughput_req_s"))
    if TOTAL in run.rates and OUTPUT in run.rates:
        run.rate(INPUT, run.rates[TOTAL] - run.rates[OUTPUT], "total - output")
    run.concurrency = number(requests.get("avg_num_concurrent_requests"))
    run.input_tokens, run.output_tokens = (
        number(requests.get(name)) for name in ("avg_input_length", "avg_output_length")
    )
    _issue_rate(run, world.get("issue_rate"))
    streaming = mapping(about.get("streaming_metrics"))
    for kind, mean, percentiles in (
        ("ttft", streaming.get("avg_ttft_ms"), mapping(streaming.get("ttft_percentiles"))),
        ("tpot", streaming.get("avg_tpot_ms"), mapping(streaming.get("tpot_percentiles"))),
        ("e2e", done.get("avg_request_latency_ms"), mapping(done.get("request_latency_percentiles_ms"))),
    ):
        run.latency(f"{kind}_mean", mean, MS)
        for statistic in ("p50", "p90", "p95", "p99"):
            run.latency(f"{kind}_{statistic}", percentiles.get(statistic), MS)


def _issue_rate(run: Measured, rate: object) -> None:
    wanted = number(rate)
    if wanted is not None and wanted < _AT_ONCE:
        run.load(wanted, run.rates.get(REQUESTS))
    if run.concurrency is not None and run.concurrency <= 1:
        run.flag("single_sequence")


def _printed(content: str, findings: Findings) -> None:
    """Read the overview; what it calls token throughput is that of output."""
    found: dict[str, str] = {}
    for name, value in _LINE.findall(content):
        found.setdefault(name.strip(), value)
    run = findings.run(model=text(found.get("Model")))
    run.stack = " ".join(part for part in ("TensorRT-LLM", text(found.get("TensorRT-LLM Version"))) if part)
    run.precision = text(found.get("Quantization")) or text(found.get("Dtype"))
    parallel = [whole(found.get(name)) for name in ("TP Size", "PP Size")]
    if parallel[0]:
        run.accelerator_count = parallel[0] * (parallel[1] or 1)
    named = ("Total Output Throughput (tokens/sec)", "Token Throughput (tokens/sec)")
    run.rate(OUTPUT, next((found[name] for name in named if name in found), None))
    run.rate(TOTAL, found.get("Total Token Throughput (tokens/sec)"))
    run.rate(REQUESTS, found.get("Request Throughput (req/sec)"))
    run.input_tokens = number(found.get("Average Input Length (tokens)"))
    run.output_tokens = number(found.get("Average Output Length (tokens)"))
    if run.input_tokens and REQUESTS in run.rates:
        run.rate(INPUT, run.rates[REQUESTS] * run.input_tokens, "requests per second × average input length")
    if INPUT in run.rates and OUTPUT in run.rates:
        run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input + output")
    run.concurrency = number(found.get("Average concurrency")) or number(found.get("Concurrency"))
    _issue_rate(run, found.get("Issue Rate (req/sec)"))
    run.latency("e2e_mean", found.get("Average request latency (ms)"), MS)
