"""Real result files: the rates, latencies and counts in them, read by eye from the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pricing.accelerators import catalogue
from pricing.benchmarks.reading import read_benchmark, read_benchmarks
from pricing.errors import InvalidInputError
from pricing.sources.document import Document

FOLDER = Path(os.environ["PERDOLLAR_REAL_FILES"]) / "benchmarks"
OUT, IN, TOTAL = "output_tokens_per_second", "input_tokens_per_second", "total_tokens_per_second"
REQ, AUDIO = "requests_per_second", "audio_seconds_per_second"


def read(name):
    return read_benchmark(Document.at(FOLDER / name), catalogue())


# File, number of runs, which of them, rates, latencies in seconds, other fields.
CASES = [
    ("vllm_bench_serve/gptoss120b_1p3d_conc128_in2048_out2048.json", 1, 0,
     {OUT: 8774.644625637522, TOTAL: 33292.73462960957, REQ: 11.982243201781667, IN: 1023101 / 41.728413585},
     {"ttft_p50": 0.2917906595, "itl_p99": 0.01719848874, "tpot_p50": 0.011042412069614087},
     {"model": "openai/gpt-oss-120b", "concurrency": 128, "request_rate": None, "success_rate": 1.0, "flags": [],
      "measured_on": "2025-09-14", "stack": None}),
    ("vllm_bench_serve/old_benchmark_serving_8xH100_llama405b_fp8_rate1000.json", 1, 0,
     {OUT: 1247.7246135492594, REQ: 10.210930181670767}, {"ttft_p99": 67.56317060929956},
     {"stack": "vLLM", "request_rate": 1000.0, "flags": [], "concurrency": None}),
    ("vllm_bench_serve/rust_vllm_bench_laguna_xs2_1xH200_c32.json", 1, 0,
     {OUT: 2405.8048278534197, IN: 2377.7292734658727, TOTAL: 4783.534101319292},
     {"ttft_p90": 0.11213182, "e2e_p99": 1.7383643573999998}, {"success_rate": 1.0, "measured_on": "2026-07-22"}),
    ("vllm_bench_throughput/4xMI300x_llama405b_req128_in2048_out2048_extra_keys.json", 1, 0,
     {TOTAL: 1184.5204578457153, OUT: 128 * 2048 / 442.6162473829463}, {}, {}),
    ("vllm_bench_throughput/8xH100_llama405b_ip2048_op2048_np128.json", 1, 0, {REQ: 0.26989426}, {}, {}),
    ("vllm_bench_latency/8xH100_llama405b_ip2048_op2048_np128.json", 1, 0, {},
     {"e2e_mean": 474.87329929399993, "e2e_p99": 474.9046756835201}, {"rates": {}}),
    ("inferencex_raw_seconds/glm5_fp8_vllm_tp8_isl1024_osl128_conc64.json", 1, 0,
     {OUT: 663.0380225369481, IN: 5304.304180295585, TOTAL: 663.0380225369481 + 5304.304180295585},
     {"ttft_p50": 0.9015302835032344, "tpot_p99": 0.1165743636678699}, {"concurrency": 64, "accelerator_count": None}),
    ("inferencex_agg/DERIVED_agg_laguna_xs2_h200_tp1_c32.json", 1, 0,
     {OUT: 2405.8048278534197, TOTAL: 4783.534101319292}, {"ttft_p99": 0.11315884401},
     {"accelerator": "H200", "accelerator_count": 1, "precision": "bf16", "input_tokens": 128}),
    ("sglang_bench_serving/deepseek_dp_mla_single_run.jsonl", 1, 0, {OUT: 12412.394674113431},
     {"ttft_p50": 10.014104524045251}, {"request_rate": None, "output_tokens": 512}),
    ("sglang_bench_serving/llama33_70b_h200_online_multi_run.jsonl", 7, 0, {OUT: 537.4142851849319},
     {"itl_p50": 0.013638956006616354}, {"request_rate": 1.0, "flags": ["offered_load_limited"]}),
    ("sglang_bench_serving/llama33_70b_h200_online_multi_run.jsonl", 7, 4, {REQ: 8.35349375073898}, {},
     {"request_rate": 16.0, "flags": []}),
    ("sglang_bench_serving/newer_schema_sharegpt_rate5.jsonl", 1, 0,
     {OUT: 957.162043188693, IN: 1477.0827846460556}, {"tpot_p99": 0.01904175553412642}, {}),
    ("aiperf/run1_reasoning_model_with_errors_profile_export_aiperf.csv", 1, 0,
     {OUT: 2320.72, REQ: 9.55, IN: 48950 / 9.32}, {"ttft_p50": 2.36932}, {"success_rate": 0.89}),
    ("aiperf/qwen36_nvfp4_rtx5090_agent_c2_profile_export_aiperf.csv", 1, 0, {OUT: 324.31, TOTAL: 2454.26},
     {"itl_p99": 0.00708}, {}),
    ("aiperf/qwen3_0p6b_concurrency2_profile_export_aiperf.json", 1, 0, {OUT: 100.6512156752534},
     {"ttft_p99": 0.048715819879999955},
     {"model": "Qwen/Qwen3-0.6B", "concurrency": 2, "accelerator": "RTX-6000-Ada", "accelerator_count": None}),
    ("genai_perf/cloudai_dynamo_example_profile_genai_perf.csv", 1, 0, {OUT: 261.25, REQ: 1.5},
     {"ttft_p99": 3.45797, "e2e_mean": 6.4062}, {}),
    ("genai_perf/analyze_export_genai_perf_doc_example.csv", 3, 0, {OUT: 149.63}, {"ttft_p99": 0.03354},
     {"label": "gpt2_run_config_2", "concurrency": 1}),
    ("guidellm/v0.3_example_sync_benchmarks_stripped.json", 1, 0,
     {OUT: 5888 / 29.997201442718506, TOTAL: (11827 + 5888) / 29.997201442718506, REQ: 1.5481806532737452},
     {"ttft_p50": 0.01638054847717285, "e2e_p50": 0.6424565315246582}, {"concurrency": 1.0, "model": "example_model"}),
    ("guidellm/v0.8dev_mock_model_report_v2.json", 1, 0, {OUT: 16 / 5.01964807510376}, {},
     {"model": "e2e-mock-model", "request_rate": 2.0}),
    ("inference_perf/vllm_batch_size__stage_4_lifecycle_metrics.json", 1, 0, {OUT: 7094.376, IN: 22675.989},
     {"ttft_p99": 2.4361789956595747}, {"request_rate": 148.89, "flags": []}),
    ("inference_perf/vllm_batch_size__summary_lifecycle_metrics.json", 1, 0, {OUT: 4646.495}, {},
     {"flags": ["whole_ramp"]}),
    ("llmperf/bedrock_70b_summary.json", 1, 0,
     {OUT: 62.867056292903534, REQ: 25.18838751305755 / 60, IN: 25.18838751305755 / 60 * 550},
     {"ttft_p99": 0.686971139999514}, {"success_rate": 101 / 150, "concurrency": 5, "flags": ["failed_requests"]}),
    ("llama_bench/gpt_oss_20b_default_hip.jsonl", 10, 1, {OUT: 49.924186}, {}, {"model": "gpt-oss-20b-F16.gguf"}),
    ("llama_bench/rtx4080_qwen25_7b_q4km.csv", 2, 0, {IN: 7285.676949}, {}, {"accelerator": "RTX-4080"}),
    ("llama_bench/rtx4080_qwen25_7b_q4km.csv", 2, 1, {OUT: 119.915244}, {}, {"output_tokens": 128}),
    ("llama_bench/glm47_flash_bf16_rocm_md.log", 2, 1, {OUT: 23.17}, {}, {"stack": "llama.cpp b9187 ROCm"}),
    ("trtllm_bench/rtx6000_qwen25_0p5b_in1024_out40_bs1_report.json", 1, 0,
     {OUT: 500.0332794023899, TOTAL: 13300.885232103568, REQ: 12.500831985059746}, {"tpot_p50": 0.0018192568717948716},
     {"accelerator": "RTX-PRO-6000", "accelerator_count": 1, "precision": "bfloat16"}),
    ("trtllm_bench/console_llama31_70b_tp8_1024_1024_3000.txt", 1, 0, {OUT: 10893.8728, REQ: 10.6385}, {},
     {"accelerator_count": 8, "precision": "FP8", "stack": "TensorRT-LLM 0.16.0", "request_rate": None}),
    ("mlperf/llama2_70b_99_server_8xH200NVL_mlperf_log_summary.txt", 1, 0, {OUT: 25614.68, REQ: 87.5},
     {"ttft_p99": 0.665559217, "tpot_p50": 0.124052288}, {"request_rate": 88.0}),
    ("mlperf/whisper_offline_8xB200_mlperf_log_summary.txt", 1, 0, {REQ: 660.7}, {}, {}),
    ("mlperf/submission_checker_summary_gigacomputing.csv", 18, 0, {OUT: 30873.9}, {},
     {"accelerator": "B200", "accelerator_count": 8, "precision": "fp4", "model": "deepseek-r1"}),
    ("aws_neuron/inf2_throughput_data_decoder.csv", 27, 0, {OUT: 649.17}, {"ttft_p50": 0.06895, "tpot_p99": 0.01548},
     {"instance_type": "inf2.48xlarge", "provider": "aws", "precision": "FP16"}),
    ("aws_neuron/nxd_llama405b_perf_comparison.csv", 2, 1, {OUT: 102.41}, {"ttft_p50": 2.255}, {}),
    ("open_asr_leaderboard/en_longform.csv", 23, 1, {AUDIO: 1002.91}, {}, {"model": "nvidia/parakeet-tdt-0.6b-v3"}),
    ("open_asr_leaderboard/en_shortform_first25.csv", 17, 0, {AUDIO: 524.88}, {}, {"evidence": "published"}),
    ("optimum_benchmark/cuda_pytorch_llama_benchmark_report.json", 1, 0, {OUT: 38.821440532429996},
     {"tpot_p50": 0.025622528076171876}, {}),
    ("optimum_benchmark/cuda_pytorch_llama_benchmark_report.md", 1, 0, {OUT: 38.82}, {}, {}),
    ("argonne_llm_inference_bench/all_results_first30.csv", 30, 1, {TOTAL: 4820.8103181615925}, {},
     {"accelerator": "GH200", "accelerator_count": 1, "concurrency": 16}),
    ("stt_tables/faster_whisper_readme_benchmark.md", 14, 4, {AUDIO: 780 / 17}, {},
     {"accelerator": "RTX-3070-Ti", "precision": "fp16"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "runs", "place", "rates", "latencies", "others"), CASES)
def test_a_real_file(name, runs, place, rates, latencies, others):
    found = read(name)
    assert len(found.measurements) == runs
    run = found.measurements[place]
    for field, value in rates.items():
        assert run.rates[field] == pytest.approx(value, rel=1e-6), field
    for field, value in latencies.items():
        assert run.latency_seconds[field] == pytest.approx(value, rel=1e-6), field
    for field, value in others.items():
        assert getattr(run, field) == value, field


def test_every_real_file_is_read_or_refused_with_a_reason():
    refused = {}
    for path in sorted(FOLDER.glob("*/*")):
        try:
            found = read(path.relative_to(FOLDER))
        except InvalidInputError as error:
            refused[path.name] = error.faults[0].msg
        else:
            assert all(run.rates or found.format == "vllm_bench_latency" for run in found.measurements)
    assert set(refused) == {
        "inf2_inf2_instance_prices.csv", "trn1_trn1_instance_prices.csv", "failed_run_md.log",
        "system_desc_ESC8000_H200_NVLx8_TRT.json",
    }  # fmt: skip
    assert "the run failed" in refused["failed_run_md.log"]


def test_a_system_beside_one_summary():
    names = ("llama2_70b_99_offline_8xH200NVL_mlperf_log_summary.txt", "system_desc_ESC8000_H200_NVLx8_TRT.json")
    files, errors = read_benchmarks([Document.at(FOLDER / "mlperf" / name) for name in names], catalogue())
    assert errors == []
    run = files[0]["measurements"][0]
    assert (run["accelerator"], run["accelerator_count"]) == ("H200-NVL", 8)
