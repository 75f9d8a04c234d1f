"""SGLang's bench_serving: JSON Lines, one run a line, which are never added up."""

from __future__ import annotations

from collections.abc import Mapping

from pricing.benchmarks.result import INPUT, OUTPUT, REQUESTS, TOTAL, Findings, Measured, mapping, number, text, whole
from pricing.benchmarks.values import each_of, json_values
from pricing.sources.document import Document
from pricing.wording import say

NAME = "sglang_bench_serving"
WHAT = "a result of SGLang's bench_serving"
MS = 1000.0
_ENGINES = {"sglang": "SGLang", "sglang-native": "SGLang", "sglang-oai": "SGLang", "sglang-oai-chat": "SGLang",
            "vllm": "vLLM", "vllm-chat": "vLLM", "trt": "TensorRT-LLM", "lmdeploy": "LMDeploy"}  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether it counts tokens again with the tokenizer, as only this tool does."""
    return '"total_output_tokens_retokenized"' in document.head_text and '"output_throughput"' in document.head_text


def read(document: Document, findings: Findings) -> None:
    """Read each run; somebody may have put the lines into an array."""
    for about in map(mapping, each_of(json_values(document))):
        if "output_throughput" not in about:
            findings.warn("a run without a rate is left out")
            continue
        server = mapping(about.get("server_info"))
        run = findings.run(stack=_ENGINES.get(str(about.get("backend", ""))))
        run.model = text(server.get("model_path")) or text(about.get("model")) or text(about.get("model_id"))
        version = text(server.get("version"))
        if run.stack and version:
            run.stack += f" {version}"
        run.precision = text(server.get("quantization"))
        _parallel(run, server)
        duration, completed = number(about.get("duration")), number(about.get("completed"))
        tokens_in, tokens_out = number(about.get("total_input_tokens")), number(about.get("total_output_tokens"))
        run.rate(OUTPUT, about.get("output_throughput"))
        run.rate(INPUT, about.get("input_throughput"))
        run.rate(REQUESTS, about.get("request_throughput"))
        if duration:
            run.rate(INPUT, (tokens_in or 0) / duration, "total_input_tokens / duration")
            run.rate(REQUESTS, (completed or 0) / duration, "completed / duration")
        run.rate(TOTAL, about.get("total_throughput"))
        if INPUT in run.rates and OUTPUT in run.rates:
            run.rate(TOTAL, run.rates[INPUT] + run.rates[OUTPUT], "input + output")
        if completed:
            # The lengths asked for may be upper bounds; what was counted is the mean.
            run.input_tokens = tokens_in / completed if tokens_in else None
            run.output_tokens = tokens_out / completed if tokens_out else None
        prompts = number(about.get("num_prompts"))
        if prompts is not None and completed is not None:
            run.requests(completed, max(prompts - completed, 0.0))
        run.concurrency = number(about.get("max_concurrency")) or number(about.get("concurrency"))
        run.load(about.get("request_rate"), run.rates.get(REQUESTS))
        if run.concurrency == 1:
            run.flag("single_sequence")
        for kind, theirs in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2e_latency")):
            for statistic, name in (
                ("mean", "mean"),
                ("p50", "median"),
                ("p90", "p90"),
                ("p95", "p95"),
                ("p99", "p99"),
            ):
                run.latency(f"{kind}_{statistic}", about.get(f"{name}_{theirs}_ms"), MS)
    if len(findings.measurements) > 1:
        findings.warn(say("the file holds {number} runs; each stands by itself", number=len(findings.measurements)))


def _parallel(run: Measured, server: Mapping[str, object]) -> None:
    """Count the accelerators: TP × PP of each replica, and as many replicas as DP says.

    With attention alone in data parallel, its ranks are part of the TP group and no more accelerators.
    """
    tensor, pipeline, data = (whole(server.get(name)) for name in ("tp_size", "pp_size", "dp_size"))
    if not tensor:
        return
    shared = server.get("enable_dp_attention") is True
    run.accelerator_count = tensor * (pipeline or 1) * (1 if shared else data or 1)
    run.parallelism = f"TP{tensor}"
    run.parallelism += f" PP{pipeline}" if pipeline and pipeline > 1 else ""
    run.parallelism += f" DP{data}{' attention' if shared else ''}" if data and data > 1 else ""
