"""InferenceX: its aggregated results, whose rates are per GPU, and its own client's, whose latencies are in seconds."""

from __future__ import annotations

from pricing.benchmarks.result import (
    INPUT,
    OUTPUT,
    REQUESTS,
    TOTAL,
    Findings,
    mapping,
    number,
    text,
    whole,
)
from pricing.benchmarks.values import json_values
from pricing.benchmarks.vllm import serve
from pricing.measurements import LATENCY_KINDS, STATISTICS
from pricing.sources.document import Document

NAME = "inferencex"
WHAT = "an InferenceX result"
_THEIRS = {"mean": "mean", "p50": "median", "p90": "p90", "p95": "p95", "p99": "p99"}


def recognises(document: Document) -> bool:
    """Whether it has rates per GPU, or latencies without a unit in their names."""
    head = document.head_text
    aggregated = '"tput_per_gpu"' in head and '"hw"' in head
    return aggregated or ('"median_ttft"' in head and '"output_throughput"' in head)


def read(document: Document, findings: Findings) -> None:
    """Read each result."""
    for value in json_values(document):
        for result in value if isinstance(value, list) else [value]:
            about = mapping(result)
            if "tput_per_gpu" in about:
                findings.format = "inferencex_agg"
                _aggregated(about, findings)
            elif "output_throughput" in about:
                findings.format = "inferencex_raw"
                run = serve(about, findings)
                if INPUT in run.rates and OUTPUT in run.rates:
                    run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input_throughput + output_throughput")
                findings.warn("on how many accelerators it ran may be in the file's name (tp8), not in the file")


def _aggregated(value: object, findings: Findings) -> None:
    """Turn rates per GPU into those of the system.

    With prefill and decode apart, output is told per decode GPU and input per prefill GPU, while all of
    them are paid for.
    """
    about = mapping(value)
    prefill, decode = whole(about.get("num_prefill_gpu")), whole(about.get("num_decode_gpu"))
    if prefill and decode:
        gpus, prefills, decodes = prefill + decode, prefill, decode
    else:
        sizes = [whole(about.get(name)) or 1 for name in ("tp", "pp", "pcp_size")]
        gpus = prefills = decodes = sizes[0] * sizes[1] * sizes[2]
    run = findings.run(model=text(about.get("model")), precision=text(about.get("precision")))
    run.stack = text(about.get("framework"))
    name = str(about.get("hw") or "")
    # Names carry the engine or the rack: b200-trt, gb200-nvl72.
    known = name if findings.catalogue.candidates(name) else name.partition("-")[0]
    findings.hardware(run, known, gpus)
    run.accelerator_count = gpus
    for rate, field, count in (
        (TOTAL, "tput_per_gpu", gpus), (OUTPUT, "output_tput_per_gpu", decodes),
        (INPUT, "input_tput_per_gpu", prefills),
    ):  # fmt: skip
        each = number(about.get(field))
        if each is None or each <= 0:
            run.rate(rate, about.get(field))
        else:
            run.rate(rate, each * count, f"{field} × {count}")
    run.rate(REQUESTS, about.get("request_throughput"))
    run.concurrency = number(about.get("conc"))
    run.input_tokens, run.output_tokens = number(about.get("isl")), number(about.get("osl"))
    if (text(about.get("spec_decoding")) or "none") != "none":
        run.flag("speculative_decoding")
    for kind in LATENCY_KINDS:
        for statistic in STATISTICS:
            run.latency(f"{kind}_{statistic}", about.get(f"{_THEIRS[statistic]}_{'e2el' if kind == 'e2e' else kind}"))
