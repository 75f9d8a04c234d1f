"""GenAI-Perf as CSV: one profile, or the table of an analysis over several configurations."""

from __future__ import annotations

import re

from pricing.benchmarks import aiperf
from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, number
from pricing.benchmarks.values import records, tables
from pricing.sources.document import Document

NAME = "genai_perf"
WHAT = "a GenAI-Perf export (CSV)"
_LATENCY = re.compile(r"(p50|p90|p95|p99|Avg\.) (Time To First Token|Inter Token Latency|Request Latency) \(ms\)")
_KINDS = {"Time To First Token": "ttft", "Inter Token Latency": "itl", "Request Latency": "e2e"}


def recognises(document: Document) -> bool:
    """Whether it is the table of a profile or of an analysis."""
    line = document.first_line
    return line.startswith("Metric,avg,min,max") or ("Config Name" in line and "Output Token Throughput" in line)


def read(document: Document, findings: Findings) -> None:
    """Read an export."""
    if document.first_line.startswith("Metric,"):
        aiperf.read_rows(document, findings)
        return
    for row in records(tables(document)[0]):
        run = findings.run(label=row.get("Config Name", ""))
        for name, cell in row.items():
            if "Output Token Throughput (" in name and "Avg" in name:
                run.rate(OUTPUT, cell)
            elif "Request Throughput (" in name:
                run.rate(REQUESTS, cell)
            elif match := _LATENCY.fullmatch(name):
                statistic = "mean" if match[1] == "Avg." else match[1]
                run.latency(f"{_KINDS[match[2]]}_{statistic}", cell, 1e3)
        run.concurrency, run.input_tokens = number(row.get("Concurrency")), number(row.get("ISL"))
        if run.input_tokens and REQUESTS in run.rates:
            run.rate(INPUT, run.input_tokens * run.rates[REQUESTS], "ISL × requests per second (approximate)")
        if INPUT in run.rates and OUTPUT in run.rates:
            run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input + output")
        if run.concurrency == 1:
            run.flag("single_sequence")
