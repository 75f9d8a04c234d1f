"""Tables of Argonne's LLM-Inference-Bench, which do not say which tokens their throughput counts."""

from __future__ import annotations

import re

from pricing.benchmarks.result import OUTPUT, TOTAL, Findings, number, text
from pricing.benchmarks.values import records, tables
from pricing.sources.document import Document
from pricing.wording import say

NAME = "argonne_llm_inference_bench"
WHAT = "a table of Argonne's LLM-Inference-Bench (CSV)"
# Latency, batch and length give the rate by themselves; within this they agree with the one that is told.
_AGREES = 0.02


def recognises(document: Document) -> bool:
    """Whether it has the headings."""
    return document.first_line.startswith("Hardware,Num of Hardware,Framework,Model")


def read(document: Document, findings: Findings) -> None:
    """Read each row; which tokens are counted is told by the latency, or not taken."""
    unclear = 0
    for row in records(tables(document)[0]):
        run = findings.run(model=text(row.get("Model")), stack=text(row.get("Framework")), evidence="published")
        name = re.sub(r"\b(GPU|Accelerator)s?$", "", row.get("Hardware", "")).strip()
        findings.hardware(run, name, row.get("Num of Hardware"))
        batch, length, latency, told = (
            number(row.get(column)) for column in ("Batch Size", "Input Output Length", "Latency", "Throughput")
        )
        run.concurrency, run.input_tokens, run.output_tokens = batch, length, length
        run.latency("e2e_mean", latency)
        run.label = f"{(run.model or '').rpartition('/')[2]} {name} b{batch or 0:g} {length or 0:g}"
        if not (batch and length and latency and told):
            continue
        for rate, tokens in ((TOTAL, 2 * length), (OUTPUT, length)):
            if abs(batch * tokens / latency / told - 1) < _AGREES:
                run.rate(rate, told, "which tokens are counted follows from batch × length / latency")
                break
        else:
            unclear += 1
    if unclear:
        findings.warn(
            say(
                "{unclear} rows do not say which tokens their throughput counts, and latency does not tell it",
                unclear=unclear,
            )
        )
