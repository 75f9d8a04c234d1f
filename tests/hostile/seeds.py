"""A small valid file in each form that a reader knows, for others to be made of; those of the readers' tests where
these have one that stands by itself.
"""

from __future__ import annotations

import csv
import io
import json

import polars as pl

from tests.hostile.nasty import TABLE, TITLES, cells, workbook, zipped
from tests.pricing.benchmarks.test_readers import IN, LOG, OUT, SERVE, metric, statistics
from tests.pricing.sources import test_aws_price_list as aws_json
from tests.pricing.sources.test_aws_other_files import P5, RESERVED, block, bulk, plan_file, rate
from tests.pricing.sources.test_azure_retail import item as azure_item
from tests.pricing.sources.test_gcp_billing import A2, sku
from tests.pricing.sources.test_gpuhunt import HEAD as GPUHUNT_HEAD
from tests.pricing.sources.test_gpuhunt import ROWS as GPUHUNT_ROWS
from tests.pricing.sources.test_oci_and_vantage import instance, item
from tests.pricing.sources.test_skypilot import HEAD as SKYPILOT_HEAD
from tests.pricing.sources.test_skypilot import info
from tests.pricing.sources.test_vultr import plan

SYSTEM = {"accelerator_model_name": "NVIDIA H200-SXM-141GB", "accelerators_per_node": 8, "number_of_nodes": 2}
GUIDELLM = {
    "metadata": {"version": 1, "guidellm_version": "0.5.0"}, "args": {"model": "org/m"},
    "benchmarks": [{
        "config": {"strategy": {"type_": "concurrent", "streams": 8}, "backend": {"model": "org/m"}},
        "duration": 10.0, "start_time": 1790000000.0, "end_time": 1790000010.0,
        "metrics": {
            "request_totals": {"successful": 9, "errored": 1, "incomplete": 5, "total": 15},
            "requests_per_second": statistics(0.9), "request_latency": statistics(2.0),
            "prompt_token_count": statistics(100.0, total_sum=900.0),
            "output_token_count": statistics(50.0, total_sum=450.0), "time_to_first_token_ms": statistics(30.0),
        },
    }],
}  # fmt: skip
AIPERF = {
    "schema_version": "1.3", "start_time": "2026-11-01T12:00:00",
    "input_config": {
        "models": {"items": [{"name": "org/m"}]}, "endpoint": {"model_names": ["org/m"]},
        "phases": [{"name": "warmup", "concurrency": 1}, {"name": "profiling", "concurrency": 32, "rate": 9}],
    },
    "output_token_throughput": metric("tokens/sec", 500.0), "request_throughput": metric("requests/sec", 5.0),
    "benchmark_duration": metric("ms", 20_000.0), "total_isl": metric("tokens", 40_000.0),
    "time_to_first_token": metric("us", 250_000.0, p99=400_000.0), "request_count": metric("requests", 89.0),
    "error_request_count": metric("requests", 11.0),
    "telemetry_data": {"endpoints": {"e": {"gpus": {"0": {"gpu_name": "NVIDIA L4"}}}}},
}  # fmt: skip
PERF_CSV = (
    "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"
    '{},"1,146.31",1,2,"3,457.97",1,1,1,640.07,1\n'
    'Input Sequence Length (tokens),"3,000.00",1,1,1,1,1,1,1,1\n\n'
    'Metric,Value\nOutput Token Throughput (tokens/sec),"5,919.16"\nRequest Throughput (requests/sec),2.00\n'
)
OWN = {"measurements": [{
    "label": "a", "model": "org/m", "stack": "vLLM 0.11", "accelerator": "H100-SXM", "accelerator_count": 8,
    "rates": {OUT: 5200.0, IN: 21000.0}, "spread": {OUT: 150.0}, "derived": {IN: "tokens / time"},
    "success_rate": 0.9, "rates_count": "successful", "concurrency": 16, "input_tokens": 500, "output_tokens": 100,
    "latency_seconds": {"ttft_p99": 0.4}, "measured_on": "2026-11-01", "evidence": "published",
    "flags": ["failed_requests"], "source": "x.json",
}], "warnings": ["the rate is that of one hour"]}  # fmt: skip
SGLANG = {
    "backend": "sglang", "max_concurrency": 4, "total_input_tokens": 6000, "total_output_tokens": 3000,
    "total_output_tokens_retokenized": 2990, "output_throughput": 300.0, "duration": 10.0, "completed": 30,
    "num_prompts": 32, "median_e2e_latency_ms": 1500.0, "request_rate": 3.5,
    "server_info": {"model_path": "org/m", "tp_size": 4, "pp_size": 2, "dp_size": 2, "version": "0.5.1"},
}  # fmt: skip
INFERENCEX = {
    "hw": "b200-trt", "conc": 64, "model": "org/m", "framework": "trt", "precision": "fp4", "spec_decoding": "mtp",
    "isl": 1024, "osl": 1024, "tp": 4, "pp": 2, "num_prefill_gpu": 4, "num_decode_gpu": 12, "tput_per_gpu": 1000.0,
    "output_tput_per_gpu": 500.0, "input_tput_per_gpu": 500.0, "p99_ttft": 0.5,
}  # fmt: skip
INFERENCE_PERF = {
    "load_summary": {"count": 100, "requested_rate": 10.0, "achieved_rate": 9.9, "concurrency": 8},
    "successes": {"count": 95, "latency": {"time_to_first_token": {"median": 0.2, "p99": 0.9}},
                  "throughput": {"output_tokens_per_sec": 50.0, "requests_per_sec": 9.5},
                  "prompt_len": {"mean": 100}, "output_len": {"mean": 50}},
    "failures": {"count": 5},
}  # fmt: skip
LLMPERF = {
    "timestamp": 1790000000, "model": "org/m", "results_mean_output_throughput_token_per_s": 180.0,
    "results_num_completed_requests_per_min": 60.0, "results_number_input_tokens_mean": 500.0,
    "results_number_output_tokens_mean": 100.0, "results_num_completed_requests": 90, "results_number_errors": 10,
    "num_concurrent_requests": 16, "results_ttft_s_quantiles_p99": 0.5, "results_ttft_s_mean": 0.2,
}  # fmt: skip
TRTLLM = {
    "engine": {"model": "org/m", "version": "1.0", "dtype": "bfloat16"},
    "world_info": {"world_size": 8, "issue_rate": 20.0}, "machine": {"name": "NVIDIA H100 80GB HBM3"},
    "request_info": {"avg_num_concurrent_requests": 30.0, "avg_input_length": 128.0, "avg_output_length": 128.0},
    "performance": {"system_output_throughput_tok_s": 2000.0, "system_total_throughput_tok_s": 4000.0,
                    "request_throughput_req_s": 15.0, "request_latency_percentiles_ms": {"p99": 900.0}},
    "streaming_metrics": {"avg_ttft_ms": 30.0, "ttft_percentiles": {"p99": 60.0}},
}  # fmt: skip
TRTLLM_TEXT = (
    "[TRT-LLM] TensorRT-LLM log\n= PERFORMANCE OVERVIEW \nModel:\torg/m\nTensorRT-LLM Version:\t1.0\nTP Size:\t4\n"
    "PP Size:\t2\nIssue Rate (req/sec):\t1.5\nRequest Throughput (req/sec):\t2.0\nConcurrency:\t1\n"
    "Total Output Throughput (tokens/sec):\t2,000.0\nTotal Token Throughput (tokens/sec):\t6000.0\n"
    "Average Input Length (tokens):\t2000.0\nAverage request latency (ms):\t900\n"
)
LLAMA = {
    "build_commit": "abcdef", "build_number": 42, "gpu_info": "NVIDIA L4, NVIDIA L4", "backends": "CUDA",
    "model_filename": "m/llama.gguf", "model_type": "llama 7B", "split_mode": "layer", "n_prompt": 512, "n_gen": 0,
    "n_depth": 0, "test_time": "2026-11-01T12:00:00Z", "avg_ns": 1, "stddev_ns": 1, "avg_ts": 1234.5, "stddev_ts": 1.5,
}  # fmt: skip
LLAMA_TEXT = (
    "ggml_cuda_init: found 2 CUDA devices:\n  Device 0: NVIDIA H100 80GB HBM3, compute capability 9.0\n"
    "| model | size | params | backend | test | t/s |\n| --- | ---: | ---: | --- | --- | ---: |\n"
    "| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | pp 512 | 1,234.50 ± 1.78 |\n"
    "| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | pp512+tg128 @ d4096 | 23.17 ± 0.00 |\n\nbuild: abcdef (42)\n"
)
OPTIMUM = {
    "report": {"prefill": {"throughput": {"unit": "tokens/s", "value": 900.0}},
               "decode": {"throughput": {"unit": "tokens/s", "value": 180.0}},
               "per_token": {"latency": {"mean": 0.01, "p99": 0.02}}},
    "config": {"backend": {"model": "org/m", "torch_dtype": "float16", "name": "pytorch", "device_ids": "0,1"},
               "scenario": {"input_shapes": {"batch_size": 4}},
               "environment": {"gpu": ["NVIDIA L4", "NVIDIA L4"], "gpu_count": 2}},
}  # fmt: skip
OPTIMUM_TEXT = (
    "# prefill:\n\n## throughput:\n\n| metric | value | unit |\n| :- | :- | :- |\n| throughput | 900.0 | tokens/s |\n\n"
    "# decode:\n\n## throughput:\n\n| metric | value | unit |\n| :- | :- | :- |\n| throughput | 180.0 | tokens/s |\n"
)
STT_TEXT = (
    "For reference, here's the time needed to transcribe **13 minutes** of audio:\n\n"
    "### Large-v2 model on GPU\n\n| Implementation | Precision | Beam size | Time | VRAM |\n"
    "| --- | --- | --- | --- | --- |\n"
    "| openai/whisper | fp16 | 5 | 2m23s | 4708MB |\n| `faster-whisper` | int8 | 5 | 59s | 2926MB |\n\n"
    "*Executed on an NVIDIA L4.*\n"
)
MLPERF_TABLE = (
    "Organization,Availability,Division,SystemName,Model,Scenario,Result,Units,accelerator_model_name,"
    "accelerators_per_node,number_of_nodes,framework,errors\n"
    "acme,available,closed,box,llama3.1-8b,Offline,9000.5,Tokens/s,NVIDIA H200-SXM-141GB,8,2,TensorRT,0\n"
)
NEURON_TABLE = (
    "Model,Framework,Inst. Type,Throughput (tokens/second),Throughput (inference/second),TTFT Latency P50 (ms),"
    "Batch Size,Input Length,Output Length\nt5,NeuronX,Trn1.32xlarge,1000,,50,4,100,50\n"
    "bert,NeuronX,Inf2.xlarge,,200,,1,,\n"
)
ARGONNE_TABLE = (
    "Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency,Throughput\n"
    "Nvidia H100 GPU,4,vLLM,m,100,8,2.0,800\nNvidia H100 GPU,4,vLLM,m,100,8,2.0,7\n"
)
PLAIN_TABLE = (
    "label,hardware,rtfx,rate,unit,Model,evidence,ttft_p99,success_rate,measured_on,flags\n"
    "mine,L4,120.5,,,whisper,claimed,0.4,95%,2026-11-01,invalid\n,aws/trn1.32xlarge,,80,output_token,w,,,,,\n"
    'x,H100-SXM:8,"1,234.5",,,w,,,,,\n'
)
GENAI_TABLE = (
    "Config Name,Concurrency,ISL,Output Token Throughput (tokens/sec) Avg,Request Throughput (requests/sec),"
    "p99 Time To First Token (ms)\nrun_0,1,200,500.5,2.5,30\nrun_1,8,200,900.5,4.5,60\n"
)


def csv_of(row):
    """Write one mapping as a table."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows((row, row.values()))
    return out.getvalue()


def _written(files):
    """Return names with bytes: a text is UTF-8, anything else JSON."""
    made = {}
    for name, content in files.items():
        text = content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1)
        made[name] = text.encode() if isinstance(text, str) else text
    return made


# By a name that begins with that of the format, the name of a file, its ending included, after a blank.
BENCHMARKS = _written({
    "perdollar own.json": OWN, "perdollar read.json": {"files": [{"file": "x", **OWN}]},
    "inferencex_agg agg.json": [INFERENCEX], "inferencex_raw raw.json": {**SERVE, "median_ttft": 0.25},
    "vllm_bench_serve serve.json": SERVE,
    "vllm_bench_throughput t.json": {
        "elapsed_time": 10.0, "num_requests": 5, "total_num_tokens": 2000, "requests_per_second": 0.5,
        "tokens_per_second": 200.0, "input": 300, "output": 100, "model": "org/m"},
    "vllm_bench_latency l.json": {"avg_latency": 2.0, "latencies": [2.0], "percentiles": {"50": 2.0}},
    "sglang_bench_serving s.jsonl": f"{json.dumps(SGLANG)}\n{json.dumps(SGLANG)}\n",
    "guidellm g.json": GUIDELLM, "inference_perf stage.json": INFERENCE_PERF, "llmperf summary.json": LLMPERF,
    "trtllm_bench report.json": TRTLLM, "trtllm_bench_console log.txt": TRTLLM_TEXT,
    "llama_bench rows.json": [LLAMA], "llama_bench rows.csv": csv_of(LLAMA), "llama_bench table.md": LLAMA_TEXT,
    "optimum_benchmark report.json": OPTIMUM, "optimum_benchmark report.md": OPTIMUM_TEXT,
    "aiperf profile.json": AIPERF, "aiperf profile.csv": PERF_CSV.format("Time to First Token (ms)"),
    "genai_perf profile.csv": PERF_CSV.format("Time To First Token (ms)"), "genai_perf analysis.csv": GENAI_TABLE,
    "mlperf llama2-70b_log_summary.txt": LOG.format("Server", "Completed ", "Completed ", "VALID"),
    "mlperf summary.csv": MLPERF_TABLE, "aws_neuron table.csv": NEURON_TABLE,
    "open_asr_leaderboard asr.csv": "model,RTFx\na/b,-1\nc/d,120.5\ne/f,\n",
    "argonne_llm_inference_bench a.csv": ARGONNE_TABLE, "stt_table readme.md": STT_TEXT,
    "plain_table mine.csv": PLAIN_TABLE,
})  # fmt: skip
OWN_TABLE = (
    "provider,instance_type,region,accelerator,accelerator_count,sizes,memory_gib,purchase,term_months,"
    "price_usd_per_hour,observed_on,evidence,notes,availability,plan\n"
    "acme,box,eu-west,H100-SXM,8,,2048,on_demand,,31.92,2026-11-01,list,x,,\n"
    "acme,gpu,,L4,1,1|2|8,,reserved,12,2.5,2026-11-01,survey,,waitlist,no_upfront\n"
    'acme,cpu,,,0,,16,spot,,"1,234.5",,quote,,,\n'
)
SHEET = (
    "Vendor;GPU;GPU count;$/hr;Term months;Date;Notes\n"
    "Firmus;H100 SXM;8;$1,234.50;12;2026-11-01;x\nNebius;L4;1;0.7;;;\n"
)
SKYPILOT = (
    f"{SKYPILOT_HEAD}p5.48xlarge,H100,8.0,192.0,2048.0,{info('H100', 8, 81920)},55.04,20.5,us-east-1,use1-az1\n"
    f"p5.48xlarge,H100,8.0,192.0,2048.0,{info('H100', 8, 81920)},55.04,30.5,us-east-1,use1-az2\n"
    f"m7i.large,,,2,8,,0.1,,us-east-1,use1-az1\n"
)
SKYPILOT_GCP = (
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
    "a2-highgpu-2g,24.0,170.0,,,,us-central1,us-central1-a,1.47895,0.7395\n"
    ",,,A100,1,A100,us-central1,us-central1-a,2.9339,1.5\n,,,tpu-v6e-8,1,tpu-v6e-8,us-central1,us-central1-a,21.6,7\n"
)
VANTAGE = {"ondemand": "55.04", "spot_avg": "20.5", "spot_min": "18", "spot_max": "23",
           "reserved": {"yrTerm1Standard.noUpfront": "40.5"}}  # fmt: skip
AZURE = [
    azure_item(98.32, savingsPlan=[{"term": "3 Years", "retailPrice": 40.5}]),
    azure_item(551221.0, type="Reservation", reservationTerm="1 Year", tierMinimumUnits=0),
]
PRICES = _written({
    "own_schema table.csv": OWN_TABLE, "skypilot aws.csv": SKYPILOT, "skypilot gcp.csv": SKYPILOT_GCP,
    "gpuhunt azure.csv": GPUHUNT_HEAD + GPUHUNT_ROWS, "aws_savings_plans plan.json": plan_file(rate("30.5")),
    "aws_savings_plans rates first.json": plan_file(rate("30.5"), order="rates first"),
    "aws_capacity_blocks blocks.json": {"CapacityBlockOfferings": [block(CapacityBlockDurationMinutes=5), block()]},
    "aws_price_list index.json": aws_json.bulk(aws_json.P5), "aws_price_list pages.json": aws_json.pages(aws_json.P5),
    "aws_price_list index.csv": bulk(P5, P5 | RESERVED | {"PricePerUnit": "10"}),
    "azure_retail page.json": {"Items": AZURE, "NextPageLink": None},
    "azure_retail lines.jsonl": "\n".join(map(json.dumps, AZURE)),
    "gcp_billing skus.json": {"skus": [*A2, sku("TPU-v6e running in Americas", "TPU", 2, 700000000)]},
    "oci_price_list list.json": {"items": [item("Compute - GPU - MI300X", 6), item("Compute - GPU - A10", 2)]},
    "vantage instances.json": [instance("p5.48xlarge", VANTAGE, 8, "NVIDIA H100")],
    "vultr plans.json": {"plans_metal": [plan("vbm-64c-1024gb-8-mi300x-gpu", hourly_cost_preemptible=12.5)]},
    "spreadsheet quotes.csv": SHEET,
    "spreadsheet quotes.xlsx": workbook(cells(TITLES, ["acme", "box", "H100-SXM", "1", "4", "2026-11-01"])),
})  # fmt: skip
_frame = pl.read_csv(io.BytesIO(OWN_TABLE.encode()), infer_schema=False)
PARQUET = io.BytesIO()
_frame.write_parquet(PARQUET)
# Packed, and made up of several: their bytes are changed, not the text in them.
PACKED_PRICES = {"t.zip": zipped(("a/table.csv", TABLE), ("azure.csv", GPUHUNT_HEAD + GPUHUNT_ROWS))}
PACKED_BENCHMARKS = {
    "t.zip": zipped(("a/serve.json", json.dumps(SERVE)), ("b/serve.json", json.dumps(SERVE)),
                    ("sysA.json", json.dumps(SYSTEM)),
                    ("sysA/llama2-70b/log.txt", LOG.format("Offline", "", "", "VALID"))),
}  # fmt: skip
