"""vLLM's own benchmarks: `bench serve` (old and new names, the Rust client), `throughput` and `latency`."""

from __future__ import annotations

from pricing.benchmarks.result import (
    AUDIO,
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
from pricing.benchmarks.values import json_values
from pricing.sources.document import Document

NAME = "vllm"
WHAT = "a result of vLLM's benchmarks (serve, throughput or latency)"
MS = 1000.0
# The client is vLLM's; these names in `backend` say what was on the other side, others only the protocol.
ENGINES = {
    "vllm": "vLLM", "sglang": "SGLang", "sglang-native": "SGLang", "sglang-oai": "SGLang", "lmdeploy": "LMDeploy",
    "tensorrt-llm": "TensorRT-LLM", "trt": "TensorRT-LLM", "tgi": "TGI", "deepspeed-mii": "DeepSpeed-MII",
    "llama.cpp": "llama.cpp", "scalellm": "ScaleLLM",
}  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether it has the names of one of the three."""
    head = document.head_text
    serve = '"output_throughput"' in head and '"total_output_tokens_retokenized"' not in head and (
        '"total_token_throughput"' in head or '"mean_ttft_ms"' in head or '"request_throughput"' in head
    )  # fmt: skip
    # A long list of single requests may stand before the summary.
    serve |= '"model_id"' in head and '"num_prompts"' in head
    throughput = '"tokens_per_second"' in head and '"elapsed_time"' in head and '"num_requests"' in head
    latency = '"avg_latency"' in head and '"percentiles"' in head
    return serve or throughput or latency


def read(document: Document, findings: Findings) -> None:
    """Read each run of a file; `--append-result` puts several into one."""
    for value in json_values(document):
        for run in value if isinstance(value, list) else [value]:
            about = mapping(run)
            if "elapsed_time" in about and "tokens_per_second" in about:
                findings.format = "vllm_bench_throughput"
                _throughput(about, findings)
            elif "avg_latency" in about:
                findings.format = "vllm_bench_latency"
                _latency(about, findings)
            elif "output_throughput" in about:
                findings.format = "vllm_bench_serve"
                serve(about, findings)
            else:
                findings.warn("a run without a rate is left out")


def serve(about: dict[str, object] | object, findings: Findings) -> Measured:
    """Read a run of `bench serve`. Nested figures (steady_state) have the same names and are not the run's."""
    run = findings.run()
    value = mapping(about)
    run.model = text(value.get("model_id"))
    run.stack = ENGINES.get(str(value.get("backend", "")).lower())
    run.measured_on = day(value.get("date"))
    duration = number(value.get("duration"))
    run.rate(OUTPUT, value.get("output_throughput"))
    run.rate(INPUT, value.get("input_throughput"))
    run.rate(TOTAL, value.get("total_token_throughput"))
    run.rate(REQUESTS, value.get("request_throughput"))
    if number(value.get("rtfx")) != 0:
        # Newer clients write rtfx into every result; 0 stands for a language model.
        run.rate(AUDIO, value.get("rtfx"))
    tokens_in, tokens_out = number(value.get("total_input_tokens")), number(value.get("total_output_tokens"))
    if duration and tokens_in:
        run.rate(INPUT, tokens_in / duration, "total_input_tokens / duration")
    completed, prompts, failed = (number(value.get(name)) for name in ("completed", "num_prompts", "failed"))
    if completed:
        run.input_tokens = tokens_in / completed if tokens_in else None
        run.output_tokens = tokens_out / completed if tokens_out else None
    if failed is None and completed is not None and prompts is not None:
        failed = max(prompts - completed, 0.0)
    run.requests(completed, failed)
    run.concurrency = number(value.get("max_concurrency"))
    run.load(value.get("request_rate"), value.get("request_throughput"))
    if stated(value.get("ramp_up_strategy")):
        run.flag("whole_ramp")
        findings.warn("the rate of requests rose during the run; a run at one rate says more")
    if run.concurrency == 1:
        run.flag("single_sequence")
    for kind, theirs in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2el")):
        for statistic, name in (
            ("mean", "mean"),
            ("p50", "median"),
            ("p50", "p50"),
            ("p90", "p90"),
            ("p95", "p95"),
            ("p99", "p99"),
        ):
            run.latency(f"{kind}_{statistic}", value.get(f"{name}_{theirs}_ms"), MS)
            # InferenceX' own client writes seconds, and so no _ms.
            run.latency(f"{kind}_{statistic}", value.get(f"{name}_{theirs}"))
    return run


def _throughput(value: object, findings: Findings) -> None:
    """Read `bench throughput`, whose tokens are input and output together."""
    about = mapping(value)
    run = findings.run(stack="vLLM")
    run.model = text(about.get("model")) or text(about.get("model_id"))
    run.rate(TOTAL, about.get("tokens_per_second"))
    run.rate(REQUESTS, about.get("requests_per_second"))
    requests, tokens, seconds = (
        number(about.get(name)) for name in ("num_requests", "total_num_tokens", "elapsed_time")
    )
    # A fork adds the lengths, one of them misspelt; they are taken only if they add up to the tokens counted.
    tokens_in, tokens_out = number(about.get("input")), number(about.get("output") or about.get("ouput"))
    if tokens_in and tokens_out and requests and tokens and seconds and requests * (tokens_in + tokens_out) == tokens:
        run.input_tokens, run.output_tokens = tokens_in, tokens_out
        run.rate(INPUT, requests * tokens_in / seconds, "num_requests × input / elapsed_time")
        run.rate(OUTPUT, requests * tokens_out / seconds, "num_requests × output / elapsed_time")
    else:
        findings.warn("tokens_per_second counts input and output together, and the file does not part them")


def _latency(value: object, findings: Findings) -> None:
    """Read `bench latency`: how long one batch takes; how large it was is not in the file."""
    about = mapping(value)
    run = findings.run(stack="vLLM")
    run.latency("e2e_mean", about.get("avg_latency"))
    for name, seconds in mapping(about.get("percentiles")).items():
        if f"e2e_p{name}" in run.latency_seconds:
            run.latency(f"e2e_p{name}", seconds)
    findings.warn("a latency benchmark has no rate: batch size and output length are not in the file")
