"""inference-perf: reports of the whole run and of its stages; latencies in seconds."""

from __future__ import annotations

from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, mapping, number
from pricing.benchmarks.values import json_values
from pricing.sources.document import Document

NAME = "inference_perf"
WHAT = "an inference-perf report"
_LATENCIES = (
    ("ttft", "time_to_first_token"), ("tpot", "time_per_output_token"), ("itl", "inter_token_latency"),
    ("e2e", "request_latency"),
)  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether it sums up a load, successes and failures."""
    return '"load_summary"' in document.head_text and '"successes"' in document.head_text


def read(document: Document, findings: Findings) -> None:
    """Read one report."""
    for value in json_values(document):
        about = mapping(value)
        load, done = mapping(about.get("load_summary")), mapping(about.get("successes"))
        run = findings.run()
        rates = mapping(done.get("throughput"))
        run.rate(OUTPUT, rates.get("output_tokens_per_sec"))
        run.rate(INPUT, rates.get("input_tokens_per_sec"))
        run.rate(TOTAL, rates.get("total_tokens_per_sec"))
        run.rate(REQUESTS, rates.get("requests_per_sec"))
        run.requests(done.get("count"), mapping(about.get("failures")).get("count"))
        run.concurrency = number(load.get("concurrency"))
        if "requested_rate" in load:
            run.load(load.get("requested_rate"), load.get("achieved_rate"))
        else:
            run.flag("whole_ramp")
            findings.warn("a summary is the mean over all stages; the report of the best stage says what can be done")
        run.input_tokens = number(mapping(done.get("prompt_len")).get("mean"))
        run.output_tokens = number(mapping(done.get("output_len")).get("mean"))
        for kind, name in _LATENCIES:
            found = mapping(mapping(done.get("latency")).get(name))
            for statistic, theirs in (
                ("mean", "mean"),
                ("p50", "median"),
                ("p90", "p90"),
                ("p95", "p95"),
                ("p99", "p99"),
            ):
                run.latency(f"{kind}_{statistic}", found.get(theirs))
