"""Figures that can't be right, or that have two readings: refused or told, never a wrong number."""

from __future__ import annotations

import json

import pytest

from pricing.benchmarks.usage import pairs_of, point_of
from pricing.errors import InvalidInputError
from pricing.units import UNITS
from tests.pricing.benchmarks.test_readers import AUDIO, IN, LOG, OUT, REQ, SERVE, TOTAL, metric, one, read


@pytest.mark.parametrize("cell", ["5200,5", "5.200,5", "1,234", "12,34.5", "1.234,567", "-0,5", "1,5e3"])
def test_a_comma_with_two_readings_is_refused(cell):
    for content in (
        f'label,hardware,output_tokens_per_second\nA,H100-SXM:8,"{cell}"\n',
        json.dumps(SERVE | {"output_throughput": cell}),
        json.dumps({"measurements": [{"label": "a", "rates": {OUT: cell}}]}),
        f'model,RTFx\na,"{cell}"\n',
        f'Metric,avg,min,max\nx (ms),1,1,1\n\nMetric,Value\nOutput Token Throughput (per sec),"{cell}"\n',
    ):
        with pytest.raises(InvalidInputError, match="a comma is read neither as a decimal sign"):
            read(content)


@pytest.mark.parametrize(("cell", "value"), [("5,919.16", 5919.16), ("12,345,678.5", 12345678.5), ("1234.5", 1234.5)])
def test_a_comma_with_one_reading_parts_thousands(cell, value):
    assert one(f'label,hardware,output_tokens_per_second\nA,L4:1,"{cell}"\n').rates == {OUT: value}
    assert one(SERVE | {"output_throughput": cell}).rates[OUT] == value


@pytest.mark.parametrize(
    ("server", "count", "parallelism"),
    [
        ({"tp_size": 1, "dp_size": 8, "enable_dp_attention": False}, 8, "TP1 DP8"),
        ({"tp_size": 2, "dp_size": 4}, 8, "TP2 DP4"),
        # Attention in data parallel shares the GPUs of the tensor-parallel group.
        ({"tp_size": 8, "dp_size": 8, "enable_dp_attention": True}, 8, "TP8 DP8 attention"),
        ({"tp_size": 4, "pp_size": 2, "dp_size": 1}, 8, "TP4 PP2"),
        ({"dp_size": 8}, None, None),
    ],
)
def test_the_accelerators_of_an_sglang_server(server, count, parallelism):
    run = one({"total_output_tokens_retokenized": 1, "output_throughput": 300.0, "server_info": server})
    assert (run.accelerator_count, run.parallelism) == (count, parallelism)


def test_sglang_runs_in_an_array():
    line = {"total_output_tokens_retokenized": 1, "output_throughput": 300.0}
    found = read([line, line | {"output_throughput": 400.0}])
    assert [run.rates[OUT] for run in found.measurements] == [300.0, 400.0]


def test_tokens_of_an_mlperf_log_need_the_benchmark():
    log = LOG.format("Offline", "", "", "VALID").replace("first token latency", "latency")
    unnamed = read(log, "mlperf_log_summary.txt")
    assert unnamed.measurements[0].rates == {REQ: 100.0}
    assert "benchmark" in unnamed.missing
    assert any("llama2-70b-99_mlperf_log_summary.txt" in warning for warning in unnamed.warnings)
    assert one(log, "whisper_mlperf_log_summary.txt").rates == {REQ: 100.0}
    assert one(log, "llama2-70b-99_mlperf_log_summary.txt").rates == {REQ: 100.0, OUT: 9000.0}
    # What a first token is waited for is a language model.
    assert one(LOG.format("Server", "", "", "VALID"), "mlperf_log_summary.txt").rates == {REQ: 100.0, OUT: 9000.0}
    table = "Organization,Availability,Division,Model,Result,Units\na,b,c,{},5,Tokens/s\n"
    assert one(table.format("llama3.1-8b"), "summary.csv").rates == {OUT: 5.0}
    with pytest.raises(InvalidInputError, match="tokens of speech recognition"):
        read(table.format("whisper"), "summary.csv")


@pytest.mark.parametrize("count", ["x", "1.5", "0", "-8", "1e9"])
def test_a_count_that_is_none_is_refused(count):
    for text in (f"hardware,rtfx\nL4:{count},5\n", f"hardware,accelerator_count,rtfx\nL4,{count},5\n"):
        with pytest.raises(InvalidInputError, match="line 2: accelerator_count"):
            read(text)


def test_counts_that_contradict_each_other():
    for name, count in (("H100-SXM:8", 4), ("8xH100-SXM", 4), ("4xH100-SXM:8", "")):
        with pytest.raises(InvalidInputError, match="two ways that differ: 4, 8"):
            read(f"hardware,accelerator_count,rtfx\n{name},{count},5\n")
    assert one("hardware,accelerator_count,rtfx\nH100-SXM:8,8,5\n").accelerator_count == 8
    found = read({"measurements": [{"rates": {OUT: 5}, "accelerator": "8xH100-SXM", "accelerator_count": 4}]})
    assert found.measurements[0].accelerator_count is None
    assert any("means 8 of them" in warning for warning in found.warnings)
    wrong = read({"measurements": [{"rates": {OUT: 5}, "accelerator": "L4", "accelerator_count": 1.5}]})
    assert any("which is not a count" in warning for warning in wrong.warnings)


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [("success_rate", "95%", 0.95), ("success_rate", "1", 1.0), ("ttft_p99", "350ms", 0.35), ("ttft_p99", "2", 2.0)],
)
def test_cells_with_a_unit(column, cell, value):
    run = one(f"hardware,rtfx,{column}\nL4:1,5,{cell}\n")
    assert (run.latency_seconds["ttft_p99"] if column == "ttft_p99" else run.success_rate) == pytest.approx(value)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("success_rate", "95"), ("success_rate", "-1"), ("success_rate", "0"), ("success_rate", "most"),
        ("ttft_p99", "fast"), ("ttft_p99", "-1"), ("ttft_p99", "3 weeks"), ("concurrency", "-3"),
        ("concurrency", "many"), ("input_tokens", "1e300"), ("out", "1e30"), ("out", "-5"), ("out", "NaN"),
        ("flags", "splendid"), ("rates_count", "some"), ("evidence", "rumour"),
    ],
)  # fmt: skip
def test_no_cell_of_a_known_column_is_passed_over(column, cell):
    with pytest.raises(InvalidInputError, match=f"line 2: .*{column if column != 'flags' else 'splendid'}"):
        read(f"hardware,rtfx,{column}\nL4:1,5,{cell}\n")
    assert one(f"hardware,rtfx,{column}\nL4:1,5,\n").rates == {AUDIO: 5.0}


def test_typed_success_rates_count_attempted_work():
    assert one("hardware,rtfx,success_rate\nL4:1,5,90%\n").rates_count == "attempted"
    assert one("hardware,rtfx,success_rate,rates_count\nL4:1,5,90%,successful\n").rates_count == "successful"


def test_genai_perf_does_not_count_errors():
    text = (
        "Metric,avg,min,max,p99\nTime {} First Token (ms),1,1,1,1\n\nMetric,Value\n"
        "Output Token Throughput (tokens/sec),50\nRequest Count (count),100\n"
    )
    assert one(text.format("To"), "x.csv").success_rate is None
    # AIPerf has a row of errors where there are any.
    assert one(text.format("to"), "x.csv").success_rate == 1.0
    export = {"input_config": {"model_names": ["m"]}, "request_throughput": metric("requests/sec", 5.0),
              "output_token_throughput": metric("tokens/sec", 50.0), "request_count": metric("count", 9.0)}  # fmt: skip
    assert one(export).success_rate is None
    assert one(export | {"error_request_count": metric("count", 1.0)}).success_rate == 0.9


@pytest.mark.parametrize("value", ["NaN", "-5", "1" + "0" * 400, '"fast"', "1e30", "true"])
def test_a_rate_that_is_none_is_told_and_missed(value):
    found = read(json.dumps(SERVE).replace('"output_throughput": 180.0', f'"output_throughput": {value}'))
    assert OUT not in found.measurements[0].rates
    assert OUT in found.missing
    assert any(f"{OUT} is " in warning for warning in found.warnings)


def test_what_is_absent_is_no_doubt():
    found = read(SERVE | {"output_throughput": None, "rtfx": 0.0, "p99_ttft_ms": None, "mean_tpot_ms": 0})
    assert found.warnings == []
    assert found.missing == ["precision", "accelerator", "accelerator_count"]


def test_a_total_below_its_parts_is_not_taken():
    found = read(SERVE | {"total_token_throughput": 1})
    assert found.measurements[0].rates == {OUT: 180.0, REQ: 1.8, IN: 900.0}
    assert TOTAL in found.missing
    assert any("less than 900 of one kind" in warning for warning in found.warnings)


def test_amounts_that_no_comparison_takes():
    found = read(SERVE | {"max_concurrency": -3, "mean_ttft_ms": -1, "total_input_tokens": -90})
    run = found.measurements[0]
    assert (run.concurrency, run.input_tokens, run.latency_seconds["ttft_mean"]) == (None, None, None)
    assert "concurrency is -3" in found.warnings[0]
    own = read({"measurements": [{"rates": {OUT: 5}, "success_rate": 95}]})
    assert own.measurements[0].success_rate is None
    assert "success_rate is 95" in own.warnings[0]


def test_a_run_of_which_all_requests_failed_has_no_rate():
    with pytest.raises(InvalidInputError, match="while all requests failed"):
        read({"measurements": [{"rates": {OUT: 5}, "success_rate": 0}]})
    found = read(SERVE | {"completed": 0})
    assert (found.measurements[0].rates, found.measurements[0].success_rate) == ({}, None)


def test_marks_of_load():
    export = {"input_config": {"loadgen": {"concurrency": 64, "request_rate": 0.5}, "endpoint": {}},
              "request_throughput": metric("requests/sec", 0.49),
              "output_token_throughput": metric("tokens/sec", 50.0)}  # fmt: skip
    run = one(export)
    assert (run.concurrency, run.request_rate, run.flags) == (64, 0.5, ["offered_load_limited"])
    assert one(SERVE | {"max_concurrency": 0.008}).flags == ["failed_requests", "offered_load_limited"]
    assert "whole_ramp" in one(SERVE | {"ramp_up_strategy": "linear"}).flags
    assert one(SERVE | {"rtfx": 312.5}).rates[AUDIO] == 312.5


def test_marks_travel_with_the_measurement():
    log = LOG.format("Server", "", "", "INVALID")
    run = one(log, "log.txt").as_dict()
    assert "invalid by the tool's own rules" in point_of(run)
    assert "invalid" in dict(pairs_of(run, 1, "L4:1", UNITS["request"]))["m1.latency"]
    ramp = {"load_summary": {}, "successes": {"throughput": {"output_tokens_per_sec": 50.0}}}
    assert point_of(one(ramp).as_dict()) == "mean over a rising load"


def test_devices_that_were_used():
    report = {phase: {"throughput": {"unit": "tokens/s", "value": 9.0}} for phase in ("prefill", "decode")}
    config = {"environment": {"gpu": ["NVIDIA L4"] * 4}, "backend": {"device_ids": "0,1"}}
    assert one({"report": report, "config": config}).accelerator_count == 2
    row = {"n_prompt": 0, "n_gen": 128, "avg_ts": 50.0, "gpu_info": "NVIDIA L4, NVIDIA L4", "split_mode": "none"}
    assert one([row]).accelerator_count == 1
    assert one([row | {"split_mode": "layer"}]).accelerator_count == 2
