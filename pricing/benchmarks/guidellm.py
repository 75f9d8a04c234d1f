"""GuideLLM reports of every schema version: one benchmark for each load of a sweep."""

from __future__ import annotations

from collections.abc import Mapping

from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, Measured, day, mapping, number, text
from pricing.benchmarks.values import json_values
from pricing.sources.document import Document
from pricing.wording import say

NAME = "guidellm"
WHAT = "a GuideLLM report"
MS = 1000.0
Mapped = Mapping[str, object]


def recognises(document: Document) -> bool:
    """Whether it lists benchmarks with GuideLLM's metrics."""
    head = document.head_text
    return '"benchmarks"' in head and ('"guidellm' in head or '"strategy"' in head or '"request_loader"' in head)


def read(document: Document, findings: Findings) -> None:
    """Read each benchmark."""
    for report in json_values(document):
        about = mapping(report)
        spec = mapping(mapping(about.get("config")).get("spec"))
        outer = mapping(about.get("args")) or spec
        benchmarks = about.get("benchmarks")
        for benchmark in benchmarks if isinstance(benchmarks, list) else []:
            _read(mapping(benchmark), outer, findings)
    if len(findings.measurements) > 1:
        findings.warn(
            say("the file holds {number} benchmarks; each stands by itself", number=len(findings.measurements))
        )


def _read(benchmark: Mapped, outer: Mapped, findings: Findings) -> None:
    metrics = mapping(benchmark.get("metrics"))
    config = mapping(benchmark.get("config")) or mapping(benchmark.get("args"))
    strategy = mapping(config.get("strategy"))
    run = findings.run(measured_on=day(benchmark.get("start_time")))
    for place in (mapping(benchmark.get("worker")), mapping(config.get("backend")), mapping(outer.get("backend"))):
        run.model = run.model or text(place.get("backend_model")) or text(place.get("model"))
    run.model = run.model or text(outer.get("model"))
    duration = number(benchmark.get("duration")) or _between(benchmark)
    counted = {
        rate: number(_successful(metrics, name).get("total_sum"))
        for rate, name in ((INPUT, "prompt_token_count"), (OUTPUT, "output_token_count"), (TOTAL, "total_token_count"))
    }
    if duration:
        # The tool's own token rates weigh gaps between events; even their mean was seen wrong by two thirds.
        for rate, tokens in counted.items():
            if tokens:
                run.rate(rate, tokens / duration, "successful tokens / duration")
        if counted[INPUT] and counted[OUTPUT]:
            tokens = (counted[INPUT] or 0) + (counted[OUTPUT] or 0)
            run.rate(TOTAL, tokens / duration, "successful tokens / duration")
    else:
        run.rate(OUTPUT, _successful(metrics, "output_tokens_per_second").get("mean"))
        run.rate(INPUT, _successful(metrics, "prompt_tokens_per_second").get("mean"))
    run.rate(REQUESTS, _successful(metrics, "requests_per_second").get("mean"))
    totals = mapping(metrics.get("request_totals")) or mapping(benchmark.get("request_totals"))
    # Requests that the time limit cut off are incomplete, not failed.
    run.requests(totals.get("successful"), totals.get("errored"))
    run.input_tokens = number(_successful(metrics, "prompt_token_count").get("mean"))
    run.output_tokens = number(_successful(metrics, "output_token_count").get("mean"))
    _load(run, strategy, metrics)
    for kind, name, unit in (
        ("ttft", "time_to_first_token_ms", MS), ("tpot", "time_per_output_token_ms", MS),
        ("itl", "inter_token_latency_ms", MS), ("e2e", "request_latency", 1.0),
    ):  # fmt: skip
        found = _successful(metrics, name)
        percentiles = mapping(found.get("percentiles"))
        run.latency(f"{kind}_mean", found.get("mean"), unit)
        run.latency(f"{kind}_p50", found.get("median"), unit)
        for statistic in ("p90", "p95", "p99"):
            run.latency(f"{kind}_{statistic}", percentiles.get(statistic), unit)


def _load(run: Measured, strategy: Mapped, metrics: Mapped) -> None:
    """Read at what load the benchmark ran, by its strategy."""
    kind = str(strategy.get("type_") or strategy.get("kind") or "")
    achieved = number(_successful(metrics, "request_concurrency").get("mean"))
    if kind == "synchronous":
        run.concurrency = 1.0
        run.flag("single_sequence")
    elif kind == "concurrent":
        run.concurrency = number(strategy.get("streams")) or number(strategy.get("max_concurrency")) or achieved
    else:
        run.concurrency = achieved
        if kind in ("constant", "poisson", "async"):
            run.load(strategy.get("rate"), run.rates.get(REQUESTS))


def _successful(metrics: Mapped, name: str) -> Mapped:
    return mapping(mapping(metrics.get(name)).get("successful"))


def _between(benchmark: Mapped) -> float | None:
    start, end = number(benchmark.get("start_time")), number(benchmark.get("end_time"))
    return end - start if start is not None and end is not None and end > start else None
