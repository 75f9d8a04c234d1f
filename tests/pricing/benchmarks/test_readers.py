"""Readers of result files: small files of our own in each form, with what trips a reader, by value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.accelerators import catalogue
from pricing.benchmarks import values
from pricing.benchmarks.reading import FORMATS, read_benchmark, read_benchmarks
from pricing.benchmarks.result import LATENCIES
from pricing.errors import InvalidInputError
from pricing.sources.document import Document

OUT, IN, TOTAL = "output_tokens_per_second", "input_tokens_per_second", "total_tokens_per_second"
REQ, AUDIO = "requests_per_second", "audio_seconds_per_second"


def read(content, name="result.json"):
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    data = text.encode() if isinstance(text, str) else text
    return read_benchmark(Document.of_bytes(name, data), catalogue())


def one(content, name="result.json"):
    found = read(content, name)
    assert len(found.measurements) == 1
    return found.measurements[0]


SERVE = {
    "date": "20261101-120000", "backend": "vllm", "model_id": "org/model", "num_prompts": 100, "request_rate": "inf",
    "max_concurrency": 16, "duration": 50.0, "completed": 90, "total_input_tokens": 45000, "total_output_tokens": 9000,
    "request_throughput": 1.8, "output_throughput": 180.0, "total_token_throughput": 1080.0, "median_ttft_ms": 250.0,
    "p99_itl_ms": 40.0,
}  # fmt: skip


def test_vllm_serve_with_failed_requests():
    run = one(SERVE)
    assert run.rates == {OUT: 180.0, TOTAL: 1080.0, REQ: 1.8, IN: 900.0}
    assert run.derived == {IN: "total_input_tokens / duration"}
    assert (run.success_rate, run.rates_count, run.flags) == (0.9, "successful", ["failed_requests"])
    assert (run.input_tokens, run.output_tokens) == (500.0, 100.0)
    assert run.latency_seconds["ttft_p50"] == 0.25
    assert run.latency_seconds["itl_p99"] == 0.04
    assert run.latency_seconds["ttft_p99"] is None
    assert (run.stack, run.label, run.measured_on) == ("vLLM", "model c16", "2026-11-01")


def test_nested_figures_of_the_same_name_are_not_the_runs():
    run = one(SERVE | {"steady_state": {"output_throughput": 999.0, "median_ttft_ms": 1.0}, "rtfx": 0.0})
    assert run.rates[OUT] == 180.0
    assert run.latency_seconds["ttft_p50"] == 0.25
    assert AUDIO not in run.rates


@pytest.mark.parametrize(
    ("rate", "achieved", "flags"), [(2.0, 1.9, ["offered_load_limited"]), (10.0, 1.8, []), ("inf", 1.8, [])]
)
def test_a_run_at_less_than_capacity_is_marked(rate, achieved, flags):
    run = one(SERVE | {"request_rate": rate, "request_throughput": achieved, "completed": 100})
    assert run.flags == flags


@pytest.mark.parametrize("value", [None, "NaN", float("nan"), float("inf"), -5, 0, True, "fast", [], {}])
def test_what_is_no_rate_is_absent(value):
    run = one(json.dumps(SERVE | {"output_throughput": value}))
    assert OUT not in run.rates
    assert run.rates[TOTAL] == 1080.0


def test_several_runs_in_one_file_stand_by_themselves():
    text = json.dumps(SERVE) + "\n" + json.dumps(SERVE | {"output_throughput": 200.0})
    found = read(text)
    assert [run.rates[OUT] for run in found.measurements] == [180.0, 200.0]
    assert [run.label for run in found.measurements] == ["model c16", "model c16 #2"]


def test_throughput_counts_input_and_output_together():
    run = one({"elapsed_time": 10.0, "num_requests": 5, "total_num_tokens": 2000, "requests_per_second": 0.5,
               "tokens_per_second": 200.0})  # fmt: skip
    assert run.rates == {TOTAL: 200.0, REQ: 0.5}
    # Lengths that don't add up to what was counted are not believed.
    wrong = one({"elapsed_time": 10.0, "num_requests": 5, "total_num_tokens": 2000, "requests_per_second": 0.5,
                 "tokens_per_second": 200.0, "input": 100, "output": 100})  # fmt: skip
    assert OUT not in wrong.rates


def test_sglang_with_infinity_and_server_info():
    line = {"backend": "sglang", "dataset_name": "random", "max_concurrency": None, "total_input_tokens": 6000,
            "total_output_tokens": 3000, "total_output_tokens_retokenized": 2990, "output_throughput": 300.0,
            "duration": 10.0, "completed": 30, "median_e2e_latency_ms": 1500.0,
            "server_info": {"model_path": "org/m", "tp_size": 4, "pp_size": 2, "version": "0.5.1"}}  # fmt: skip
    text = json.dumps(line)[:-1] + ', "request_rate": Infinity}\n'
    run = one(text)
    assert run.rates == {OUT: 300.0, IN: 600.0, REQ: 3.0, TOTAL: 900.0}
    assert (run.request_rate, run.accelerator_count, run.stack, run.model) == (None, 8, "SGLang 0.5.1", "org/m")
    assert run.latency_seconds["e2e_p50"] == 1.5


def test_inferencex_per_gpu_becomes_the_system():
    base = {"hw": "b200-trt", "conc": 64, "model": "org/m", "infmax_model_prefix": "m", "framework": "trt",
            "precision": "fp4", "spec_decoding": "mtp", "isl": 1024, "osl": 1024, "tp": 4, "pp": 2, "dcp_size": 4,
            "tput_per_gpu": 1000.0, "output_tput_per_gpu": 500.0, "input_tput_per_gpu": 500.0,
            "p99_ttft": 0.5}  # fmt: skip
    run = one(base)
    # tp · pp = 8 GPUs; DCP shares them and does not count.
    assert run.rates == {TOTAL: 8000.0, OUT: 4000.0, IN: 4000.0}
    assert (run.accelerator, run.accelerator_count, run.flags) == ("B200", 8, ["speculative_decoding"])
    assert run.latency_seconds["ttft_p99"] == 0.5
    # Prefill and decode apart: each rate is per GPU of its own kind, all are paid for.
    split = one([base | {"disagg": True, "num_prefill_gpu": 4, "num_decode_gpu": 12}])
    assert split.rates == {TOTAL: 16000.0, OUT: 6000.0, IN: 2000.0}
    assert split.accelerator_count == 16


def statistics(mean, **others):
    return {"successful": {"mean": mean, "median": mean, "total_sum": mean, "percentiles": {"p99": mean}, **others}}


def test_guidellm_0_5():
    benchmark = {
        "config": {"strategy": {"type_": "concurrent", "streams": 8}, "backend": {"model": "org/m"}},
        "duration": 10.0, "start_time": 1790000000.0,
        "metrics": {
            "request_totals": {"successful": 9, "errored": 1, "incomplete": 5, "total": 15},
            "requests_per_second": statistics(0.9), "request_latency": statistics(2.0),
            "prompt_token_count": statistics(100.0, total_sum=900.0),
            "output_token_count": statistics(50.0, total_sum=450.0),
            # The tool's own rates weigh gaps between events.
            "output_tokens_per_second": statistics(99.0), "tokens_per_second": statistics(999.0),
            "time_to_first_token_ms": statistics(30.0),
        },
    }  # fmt: skip
    report = {
        "metadata": {"version": 1, "guidellm_version": "0.5.0"},
        "args": {"model": "org/m"},
        "benchmarks": [benchmark],
    }
    run = one(report)
    assert run.rates == {IN: 90.0, OUT: 45.0, TOTAL: 135.0, REQ: 0.9}
    # Requests that the time limit cut off have not failed.
    assert (run.success_rate, run.concurrency, run.model) == (0.9, 8.0, "org/m")
    assert run.latency_seconds["e2e_p50"] == 2.0
    assert run.latency_seconds["ttft_p99"] == 0.03


def metric(unit, avg, **others):
    return {"unit": unit, "avg": avg, **others}


def test_aiperf_1_3_and_units():
    export = {
        "schema_version": "1.3",
        "input_config": {
            "models": {"items": [{"name": "org/m"}]},
            "phases": [{"name": "warmup", "concurrency": 1}, {"name": "profiling", "concurrency": 32}],
        },
        "output_token_throughput": metric("tokens/sec", 500.0), "request_throughput": metric("requests/sec", 5.0),
        "benchmark_duration": metric("ms", 20_000.0), "total_isl": metric("tokens", 40_000.0),
        "output_token_throughput_per_user": metric("tokens/sec/user", 77.0),
        "time_to_first_token": metric("us", 250_000.0, p99=400_000.0), "request_count": metric("requests", 89.0),
        "error_request_count": metric("requests", 11.0), "request_latency": None,
    }  # fmt: skip
    run = one(export)
    assert run.rates == {OUT: 500.0, REQ: 5.0, IN: 2000.0, TOTAL: 2500.0}
    assert (run.model, run.concurrency, run.success_rate) == ("org/m", 32, 0.89)
    assert run.latency_seconds["ttft_p99"] == pytest.approx(0.4)


def test_genai_perf_numbers_with_thousands_separators():
    text = (
        "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"
        'Time To First Token (ms),"1,146.31",1,2,"3,457.97",1,1,1,640.07,1\n'
        'Input Sequence Length (tokens),"3,000.00",1,1,1,1,1,1,1,1\n\n'
        'Metric,Value\nOutput Token Throughput (tokens/sec),"5,919.16"\nRequest Throughput (requests/sec),2.00\n'
    )
    run = one(text, "x.csv")
    assert run.rates == {OUT: 5919.16, REQ: 2.0, IN: 6000.0, TOTAL: 11919.16}
    assert run.latency_seconds["ttft_p99"] == pytest.approx(3.45797)
    assert "approximate" in run.derived[IN]


def test_inference_perf_saturated_stage():
    report = {"load_summary": {"count": 100, "requested_rate": 10.0, "achieved_rate": 9.9},
              "successes": {"count": 95, "latency": {"time_to_first_token": {"median": 0.2, "p99": 0.9}},
                            "throughput": {"output_tokens_per_sec": 50.0, "requests_per_sec": 9.5}},
              "failures": {"count": 5}}  # fmt: skip
    run = one(report)
    assert (run.success_rate, run.flags) == (0.95, ["failed_requests", "offered_load_limited"])
    assert run.latency_seconds["ttft_p99"] == 0.9


def test_llama_bench_markdown_of_old_and_new_versions():
    text = (
        "ggml_cuda_init: found 2 CUDA devices:\n  Device 0: NVIDIA H100 80GB HBM3, compute capability 9.0\n"
        "  Device 1: NVIDIA H100 80GB HBM3, compute capability 9.0\n"
        "| model | size | params | backend | test | t/s |\n| --- | ---: | ---: | --- | --- | ---: |\n"
        "| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | pp 512 | 1,234.50 ± 1.78 |\n"
        "| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | tg128 @ d4096 | 23.17 ± 0.00 |\n"
        "| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | pp512+tg128 | 99.5 |\n| llama 7B Q4_0 | 3 GiB | 6 B | CUDA | x | 1 |\n"
        "\nbuild: abcdef (42)\n"
    )
    found = read(text, "log.txt")
    assert [run.rates for run in found.measurements] == [{IN: 1234.5}, {OUT: 23.17}, {TOTAL: 99.5}]
    assert {(run.accelerator, run.accelerator_count) for run in found.measurements} == {("H100-SXM", 2)}
    assert found.measurements[1].input_tokens == 4096
    assert any("a row is left out" in warning for warning in found.warnings)


def test_trtllm_console_of_a_newer_version():
    text = (
        "[TRT-LLM] TensorRT-LLM log\n= PERFORMANCE OVERVIEW \nModel:\torg/m\nTensorRT-LLM Version:\t1.0\nTP Size:\t4\n"
        "PP Size:\t2\nIssue Rate (req/sec):\t1.6E+14\nRequest Throughput (req/sec):\t2.0\n"
        "Total Output Throughput (tokens/sec):\t2,000.0\nTotal Token Throughput (tokens/sec):\t6000.0\n"
        "Average Input Length (tokens):\t2000.0\n"
    )
    run = one(text, "log.txt")
    assert run.rates == {OUT: 2000.0, TOTAL: 6000.0, REQ: 2.0, IN: 4000.0}
    assert (run.accelerator_count, run.request_rate, run.flags) == (8, None, [])


LOG = (
    "================\nMLPerf Results Summary\n================\nScenario : {}\nMode : PerformanceOnly\n"
    "{}samples per second: 100.0\n{}tokens per second: 9000.0\nResult is : {}\n"
    "99.00 percentile first token latency (ns) : 500000000\n"
)


def test_mlperf_logs():
    server = one(LOG.format("Server", "Completed ", "Completed ", "VALID"), "log.txt")
    assert server.rates == {REQ: 100.0, OUT: 9000.0}
    assert server.latency_seconds["ttft_p99"] == 0.5
    offline = one(LOG.format("Offline", "", "", "INVALID"), "log.txt")
    assert offline.flags == ["invalid"]
    assert offline.latency_seconds["ttft_p99"] is None


def test_mlperf_systems_belong_to_the_folder_of_their_name():
    log = LOG.format("Offline", "", "", "VALID").encode()
    systems = [json.dumps({"accelerator_model_name": f"NVIDIA {name}", "accelerators_per_node": 8,
                           "number_of_nodes": 2, "framework": "TensorRT"}).encode()
               for name in ("H200-SXM-141GB", "B200-SXM-180GB")]  # fmt: skip
    documents = [
        Document("log.txt", ("run_1", "Offline", "sysB"), Document.of_bytes("", log).open),
        Document.of_bytes("sysA.json", systems[0]), Document.of_bytes("sysB.json", systems[1]),
        Document("log2.txt", ("elsewhere",), Document.of_bytes("", log).open),
    ]  # fmt: skip
    files, _ = read_benchmarks(documents, catalogue())
    runs = [each["measurements"][0] for each in files]
    assert (runs[0]["accelerator"], runs[0]["accelerator_count"]) == ("B200", 16)
    assert runs[1]["accelerator"] is None
    assert "not known" in files[1]["warnings"][-1]


def test_neuron_tables_name_the_instance():
    text = (
        "Model,Framework,Inst. Type,Throughput (tokens/second),Throughput (inference/second),TTFT Latency P50 (ms),"
        "Batch Size\nt5,NeuronX,Trn1.32xlarge,1000,,50,4\nbert,NeuronX,Inf2.xlarge,,200,,1\n"
    )
    first, second = read(text, "t.csv").measurements
    assert (first.rates, first.instance_type, first.provider) == ({TOTAL: 1000.0}, "trn1.32xlarge", "aws")
    assert first.latency_seconds["ttft_p50"] == 0.05
    assert second.rates == {REQ: 200.0}


def test_rtfx_minus_one_is_not_measured():
    found = read("model,RTFx\na/b,-1\nc/d,120.5\ne/f,\n", "asr.csv")
    assert [run.rates for run in found.measurements] == [{AUDIO: 120.5}]
    assert found.warnings[0].startswith("2 models have no RTFx")


def test_which_tokens_argonne_counts_follows_from_the_latency():
    head = "Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency,Throughput\n"
    rows = "".join(f"Nvidia H100 GPU,4,vLLM,m,100,8,2.0,{rate}\n" for rate in (800, 400, 7))
    found = read(head + rows, "a.csv")
    assert [run.rates for run in found.measurements] == [{TOTAL: 800.0}, {OUT: 400.0}, {}]
    assert found.warnings[-1].startswith("1 rows")


def test_a_plain_table():
    text = (
        "label,hardware,rtfx,Model,evidence,ttft_p99,speed\nmine,L4,120.5,whisper,claimed,0.4,9\n"
        ",aws/trn1.32xlarge,80,w,,,\nx,H100-SXM:8,90,w,,,\n"
    )
    found = read(text, "mine.csv")
    first, second, third = found.measurements
    assert (first.label, first.accelerator, first.accelerator_count, first.rates) == (
        "mine",
        "L4",
        None,
        {AUDIO: 120.5},
    )
    assert (first.evidence, first.latency_seconds["ttft_p99"]) == ("claimed", 0.4)
    assert (second.provider, second.instance_type) == ("aws", "trn1.32xlarge")
    assert (third.accelerator, third.accelerator_count) == ("H100-SXM", 8)
    assert any("'speed'" in warning for warning in found.warnings)
    rate = one("label,hardware,rate,unit\na,L4,5,output_token\n", "r.csv")
    assert rate.rates == {OUT: 5.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label,hardware,rate\na,L4,5\n", "the rate has no unit"),
        ("label,hardware,rtfx\na,L4,fast\n", "rtfx: 'fast' is not a number"),
        ("label,hardware,rtfx\na,L4,\n", "has neither a rate nor a latency"),
        ("label,hardware,rtfx,evidence\na,L4,5,rumour\n", "rumour"),
        ("label,hardware,rtfx\na,L4,5,6,7\n", "5 cells"),
    ],
)
def test_a_plain_table_that_cant_be_right(text, message):
    with pytest.raises(InvalidInputError, match=message):
        read(text, "t.csv")


def test_what_was_read_is_read_again():
    found = read(SERVE)
    text = json.dumps({"files": [{"file": "x", "measurements": [run.as_dict() for run in found.measurements]}]})
    again = read(text)
    assert again.format == "perdollar"
    assert [run.as_dict() for run in again.measurements] == [run.as_dict() for run in found.measurements]


def test_absent_is_none():
    run = one({"avg_latency": 2.0, "latencies": [2.0], "percentiles": {"50": 2.0}}).as_dict()
    assert set(run["latency_seconds"]) == set(LATENCIES)
    assert run["latency_seconds"]["ttft_p50"] is None
    for name in ("model", "accelerator", "success_rate", "concurrency", "request_rate"):
        assert run[name] is None


def test_large_files_are_read_without_the_figures_of_single_requests(monkeypatch):
    monkeypatch.setattr(values, "_MOST_WHOLE", 100)
    many = {
        "itls": [[0.1, 0.2]] * 50,
        "generated_texts": ['}{"output_throughput": 1'] * 50,
        "requests": [{"output_throughput": 5}],
    }
    assert one(many | SERVE).rates == one(SERVE).rates
    both = json.dumps(SERVE) + "\n" + json.dumps(SERVE)
    assert len(read(both).measurements) == 2
    # NaN is beyond the fast reader; the slower one takes the file.
    assert one(json.dumps(SERVE | {"request_goodput": float("nan")})).rates[OUT] == 180.0


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000, json.dumps(SERVE)[:-5].encode(), b"a,b\n1,2\n",
        b"<html></html>", b'{"output_throughput": {"a": 1}, "mean_ttft_ms": []}', b"PK\x03\x04junk",
        b'{"benchmarks": [1, 2], "strategy": null}', b'{"load_summary": 1, "successes": [1]}',
        b'{"measurements": {"rates": 1}}', b"Metric,avg,min,max\n", b"Hardware,Num of Hardware,Framework,Model\n",
    ],
)  # fmt: skip
def test_broken_files_get_a_message(content):
    with pytest.raises(InvalidInputError) as caught:
        read(content, "broken.bin")
    assert caught.value.faults[0].msg.startswith("broken.bin: ")


KEYS = sorted({*SERVE, "benchmarks", "metrics", "results_mean_output_throughput_token_per_s", "world_info", "engine",
               "avg_ts", "n_prompt", "input_config", "successes", "load_summary", "measurements", "rates", "hw",
               "tput_per_gpu", "decode", "prefill", "throughput", "strategy"})  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8))
def test_no_json_breaks_a_reader(content):
    try:
        found = read(json.dumps(content))
    except InvalidInputError:
        return
    for run in found.measurements:
        assert all(rate > 0 for rate in run.rates.values())


@given(st.text(max_size=200), st.sampled_from(FORMATS))
def test_no_text_breaks_a_reader(text, module):
    heads = ("Metric,avg,min,max,p1\n", "Organization,Availability,Division\n", "model,RTFx\n", "| test | t/s |\n", "")
    for head in heads:
        try:
            read(head + text, "x.csv")
        except InvalidInputError:
            continue
