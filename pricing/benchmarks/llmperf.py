"""LLMPerf summaries; latencies in seconds. The endpoints are mostly hosted, so that there is no hardware."""

from __future__ import annotations

from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, day, mapping, number, text
from pricing.benchmarks.values import json_values
from pricing.sources.document import Document

NAME = "llmperf"
WHAT = "an LLMPerf summary"


def recognises(document: Document) -> bool:
    """Whether it has LLMPerf's flat names."""
    return '"results_mean_output_throughput_token_per_s"' in document.head_text


def read(document: Document, findings: Findings) -> None:
    """Read one summary. Rates per request are speeds as one user sees them, and are not taken."""
    for value in json_values(document):
        about = mapping(value)
        run = findings.run(model=text(about.get("model")), measured_on=day(about.get("timestamp")))
        run.stack = text(about.get("framework"))
        run.rate(OUTPUT, about.get("results_mean_output_throughput_token_per_s"))
        each_minute = number(about.get("results_num_completed_requests_per_min"))
        run.input_tokens = number(about.get("results_number_input_tokens_mean"))
        run.output_tokens = number(about.get("results_number_output_tokens_mean"))
        if each_minute:
            run.rate(REQUESTS, each_minute / 60, "results_num_completed_requests_per_min / 60")
            if run.input_tokens:
                run.rate(
                    INPUT, each_minute / 60 * run.input_tokens, "completed requests per second × mean input tokens"
                )
        if INPUT in run.rates and OUTPUT in run.rates:
            run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input + output")
        run.requests(about.get("results_num_completed_requests"), about.get("results_number_errors"))
        run.concurrency = number(about.get("num_concurrent_requests"))
        for kind, name in (("ttft", "ttft_s"), ("itl", "inter_token_latency_s"), ("e2e", "end_to_end_latency_s")):
            run.latency(f"{kind}_mean", about.get(f"results_{name}_mean"))
            for statistic in ("p50", "p90", "p95", "p99"):
                run.latency(f"{kind}_{statistic}", about.get(f"results_{name}_quantiles_{statistic}"))
        findings.warn("the requests went to an endpoint; on what it ran is not in the file")
