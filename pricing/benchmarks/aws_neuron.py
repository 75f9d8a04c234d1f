"""Performance tables of the AWS Neuron documentation: by instance type, which are measurements of that type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pricing.benchmarks.result import OUTPUT, REQUESTS, TOTAL, Findings, Measured, number, text
from pricing.benchmarks.values import records, tables
from pricing.sources.document import Document

NAME = "aws_neuron"
WHAT = "a performance table of the AWS Neuron documentation (CSV)"
_LATENCY = re.compile(r"(TTFT|TPOT)\b.*?\bP(50|90|95|99)\b", re.IGNORECASE)


def recognises(document: Document) -> bool:
    """Whether it has throughputs by instance type, or those of its tutorials."""
    line = document.first_line
    return ("Inst. Type" in line and "hroughput" in line) or (
        "TTFT" in line and "TPOT" in line and "Output token Throughput" in line
    )


def read(document: Document, findings: Findings) -> None:
    """Read each row."""
    for row in records(tables(document)[0]):
        run = findings.run(model=text(row.get("Model")), evidence="published")
        run.precision = text(row.get("Model Data Type")) or text(row.get("Model Data-Type"))
        framework, version = text(row.get("Framework")), text(row.get("Neuron Version"))
        run.stack = ", ".join(part for part in (framework, f"Neuron {version}" if version else None) if part) or None
        name = row.get("Inst. Type", "").strip().lower()
        if name:
            run.provider, run.instance_type = "aws", name
        _rates(row, run)
        for column, cell in row.items():
            if match := _LATENCY.search(column):
                # All tables of this documentation are in milliseconds.
                run.latency(f"{match[1].lower()}_p{match[2]}", cell, 1e3)
        run.concurrency = number(row.get("Batch Size"))
        run.input_tokens, run.output_tokens = number(row.get("Input Length")), number(row.get("Output Length"))
        first = next(iter(row.values()), "")
        lengths = f"{run.input_tokens:g}/{run.output_tokens:g}" if run.input_tokens and run.output_tokens else ""
        batch = f"b{run.concurrency:g}" if run.concurrency else ""
        run.label = " ".join(part for part in (run.model or first, name, batch, lengths) if part)


def _rates(row: Mapping[str, str], run: Measured) -> None:
    for column, cell in row.items():
        folded = column.lower()
        if "output token throughput" in folded:
            run.rate(OUTPUT, cell)
        elif folded.startswith("throughput (tokens"):
            # Of encoder-decoder models it counts input and output.
            run.rate(TOTAL, cell)
        elif folded.startswith(("throughput (inference", "throughput (image", "throughput (sentence")):
            run.rate(REQUESTS, cell)
