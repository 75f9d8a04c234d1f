"""Result files by upload, by the API and on the command line; from there to a comparison."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.app.asking import refusal, run

SERVE = {
    "date": "20261101-120000", "backend": "vllm", "model_id": "org/model", "num_prompts": 100, "request_rate": "inf",
    "max_concurrency": 16, "duration": 50.0, "completed": 90, "total_input_tokens": 45000, "total_output_tokens": 9000,
    "request_throughput": 1.8, "output_throughput": 180.0, "total_token_throughput": 1080.0, "median_ttft_ms": 250.0,
}  # fmt: skip
DATA = json.dumps(SERVE).encode()


def test_the_api(client):
    files = [("file", ("../../x/serve.json", DATA)), ("file", ("broken.json", b"{"))]
    answer = client.post("/api/v1/benchmarks/read", files=files).json()
    (each,) = answer["files"]
    assert (each["file"], each["format"]) == ("serve.json", "vllm_bench_serve")
    run = each["measurements"][0]
    assert run["rates"]["output_tokens_per_second"] == 180.0
    assert run["derived"] == {"input_tokens_per_second": "total_input_tokens / duration"}
    assert (run["success_rate"], run["accelerator"], run["latency_seconds"]["ttft_p50"]) == (0.9, None, 0.25)
    assert run["latency_seconds"]["ttft_p99"] is None
    assert each["missing"] == ["precision", "accelerator", "accelerator_count"]
    assert "broken.json" in answer["failed"][0]["msg"]


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_folders_of_uploads_are_words_that_tell_files_apart(client):
    other = json.dumps(SERVE | {"output_throughput": 90.0}).encode()
    files = [("file", ("../run1/serve.json", DATA)), ("file", ("/data/run2/serve.json", other))]
    answer = client.post("/api/v1/benchmarks/read", files=files).json()
    assert [each["file"] for each in answer["files"]] == ["run1/serve.json", "run2/serve.json"]
    # The folder of a submission names the benchmark.
    log = b"MLPerf Results Summary\nScenario : Offline\nTokens per second: 9000\nSamples per second: 5\n"
    sent = {"file": ("llama2-70b-99/Offline/mlperf_log_summary.txt", log)}
    rates = client.post("/api/v1/benchmarks/read", files=sent).json()["files"][0]["measurements"][0]["rates"]
    assert rates["output_tokens_per_second"] == 9000


def test_a_zip(client):
    data = zipped(**{"../a/one.json": DATA, "b/two.json": DATA, "c/picture.png": b"x"})
    answer = client.post("/api/v1/benchmarks/read", files={"file": ("runs.zip", data)}).json()
    assert [each["file"] for each in answer["files"]] == ["one.json", "two.json"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.json", b"{}", "is no result file of a known form"), ("x.json", b"[" * 100_000, "x.json"),
        ("bomb.zip", zipped(**{"a.json": b" " * 50_000_000}), "would unpack to"),
        ("empty.zip", zipped(**{"a.png": b""}), "no file that could be"), ("x.zip", b"PK\x03\x04rubbish", "x.zip"),
        ("x.csv", b"\x00\x01\x02", "x.csv"),
    ],
)  # fmt: skip
def test_what_cant_be_read(client, name, data, message):
    refused = client.post("/api/v1/benchmarks/read", files={"file": (name, data)})
    assert refused.status_code == 422
    assert message in refused.json()["errors"][0]["msg"]
    page = client.post("/benchmarks", files={"file": (name, data)})
    assert page.status_code == 422
    assert message in unescape(page.text)


def test_limits():
    small = TestClient(create_app(Settings(max_benchmark=1000)))
    files = {"file": ("x.json", b" " * 2000)}
    assert small.post("/api/v1/benchmarks/read", files=files).status_code == 413
    assert small.post("/api/v1/benchmarks/read", content=b"x").status_code == 415


def form_of(page):
    """Return the fields of the form that leads to the comparison."""
    form = page.partition('action="/benchmarks/use"')[2]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", form.partition("</form>")[0]):
        attributes = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        if attributes.get("type") != "checkbox" or " checked" in tag:
            fields[attributes["name"]] = attributes.get("value", "")
    return fields


def test_from_the_file_to_the_cost(client):
    page = client.post("/benchmarks", files={"file": ("serve<b>.json", DATA)})
    assert page.status_code == 200
    assert "<b>" not in page.text
    fields = form_of(page.text)
    assert fields["use-0"] == "1"
    fields |= {"hardware-0": "H100-SXM:8", "unit": "output_token"}
    moved = client.post("/benchmarks/use", data=fields, follow_redirects=False)
    assert moved.status_code == 303
    link = moved.headers["location"]
    assert link.startswith("/compare?unit=output_token&m=")
    answer = client.get(link.replace("/compare?", "/compare.json?")).json()
    first = answer["estimates"][0]
    assert (first["rate_per_second"], first["model"], first["stack"]) == (180.0, "org/model", "vLLM")
    # 90 of 100 requests succeeded, and the tool's rate counts these alone: nothing is taken off again.
    assert first["cost_usd"] == pytest.approx(first["price_usd_per_hour"] / 3600 / 180 * 1e6)


def curves_in(client, *runs, hardware="H100-SXM:8"):
    """Return the curve of each run in the link that leads to the comparison."""
    data = "\n".join(json.dumps(SERVE | run) for run in runs).encode()
    fields = form_of(client.post("/benchmarks", files={"file": ("serve.json", data)}).text) | {"hardware": hardware}
    moved = client.post("/benchmarks/use", data=fields, follow_redirects=False)
    pairs = dict(parse_qsl(moved.headers["location"].partition("?")[2]))
    return [pairs.get(f"m{place}.curve") for place in range(1, len(runs) + 1)]


def test_runs_of_one_workload_are_a_curve(client):
    long = {"total_input_tokens": 90 * 24576}
    first, second, third, fourth = curves_in(client, {}, {"max_concurrency": 32}, long, {"model_id": "org/other"})
    assert first == second is not None
    assert (third, fourth) == (None, None)
    assert len(set(curves_in(client, {}, {}, long, long))) == 2
    # Runs that do not name their model may be of several.
    assert curves_in(client, {"model_id": None}, {"model_id": None}) == [None, None]
    assert curves_in(client, {"total_input_tokens": None}, {"total_input_tokens": None})[0] is not None
    assert curves_in(client, {}, {"total_input_tokens": None}) == [None, None]


def test_hardware_that_is_missing_is_asked_for_in_the_comparison(client):
    fields = form_of(client.post("/benchmarks", files={"file": ("serve.json", DATA)}).text)
    moved = client.post("/benchmarks/use", data=fields, follow_redirects=False)
    page = client.get(moved.headers["location"])
    assert page.status_code == 422
    assert "names no hardware" in unescape(page.text)


@pytest.mark.parametrize(
    "fields", [{}, {"use-0": "1"}, {"use-0": "1", "run-0": "{"}, {"use-0": "1", "run-0": "{}", "unit": "furlong"}]
)
def test_a_form_that_was_tampered_with(client, fields):
    assert client.post("/benchmarks/use", data=fields, follow_redirects=False).status_code == 422


def test_the_command(tmp_path):
    path = tmp_path / "serve.json"
    path.write_bytes(DATA)
    found = json.loads(run("read", path, "--format", "json").stdout)
    assert found["files"][0]["measurements"][0]["rates"]["output_tokens_per_second"] == 180.0
    table = run("read", path, "--hardware", "H100-SXM:8").stdout
    assert "not in the file: precision, accelerator, accelerator_count" in table
    assert "perdollar compare --unit output_token 'model c16@H100-SXM:8=out:180" in table
    assert "--set 'm1.latency=concurrency 16, TTFT p50 0.25 s'" in table
    assert "--set m1.success_rate=0.9 --set m1.rates_count=successful" in table
    assert run("read", path, "--format", "csv").stdout.startswith("file,format,label,model,")
    (tmp_path / "bad.json").write_text("{")
    both = run("read", tmp_path, "--format", "json")
    # What could be read is there; that something could not be is in the exit code and in the answer.
    assert both.returncode == 1
    assert "bad.json" in both.stderr
    (failed,) = json.loads(both.stdout)["failed"]
    assert "bad.json" in failed["msg"]
    assert run("read", path, "--format", "json").returncode == 0
    assert "bad.json" in refusal("read", tmp_path / "bad.json")
    assert "nosuch" in refusal("read", tmp_path / "nosuch.json")
    assert "H100" in refusal("read", path, "--hardware", "H100-SMX:8")


@pytest.mark.parametrize("hardware", ["H100-SXM:0", "H100-SXM:x", "L4:1.5", "8xH100-SXM:4", "/x", "aws/"])
def test_hardware_that_cant_be(tmp_path, hardware):
    path = tmp_path / "serve.json"
    path.write_bytes(DATA)
    assert "--hardware" in refusal("read", path, "--hardware", hardware)


def test_stated_hardware_stands_in_the_place_of_the_files(tmp_path):
    path = tmp_path / "own.json"
    rates = {"rates": {"requests_per_second": 5}}
    path.write_text(json.dumps({"measurements": [
        rates | {"label": "a", "accelerator": "L4", "accelerator_count": 4},
        rates | {"label": "b", "provider": "aws", "instance_type": "g6.xlarge"},
    ]}))  # fmt: skip
    (file,) = json.loads(run("read", path, "--hardware", "H100-SXM:8", "--format", "json").stdout)["files"]
    found = [(each["accelerator"], each["accelerator_count"], each["provider"]) for each in file["measurements"]]
    assert found == [("H100-SXM", 8, None), ("H100-SXM", 8, None)]
    assert file["warnings"] == [
        "a: the file says L4:4; --hardware H100-SXM:8 stands", "b: the file says aws/g6.xlarge; --hardware H100-SXM:8 "
        "stands",
    ]  # fmt: skip
    # Without a count of the user's, the file's stays.
    (file,) = json.loads(run("read", path, "--hardware", "L4", "--format", "json").stdout)["files"]
    assert [each["accelerator_count"] for each in file["measurements"]] == [4, None]


def test_a_table_of_what_was_read_is_read_again(tmp_path):
    path, table = tmp_path / "serve.json", tmp_path / "table.csv"
    runs = [SERVE | {"request_rate": 2.0}, {"avg_latency": 2.0, "latencies": [2.0], "percentiles": {"50": 2.0}}]
    path.write_text("\n".join(map(json.dumps, runs)))
    table.write_text(run("read", path, "--hardware", "H100-SXM:8", "--format", "csv").stdout)
    first, second = (
        json.loads(run("read", each, "--hardware", "H100-SXM:8", "--format", "json").stdout)["files"][0]
        for each in (path, table)
    )
    assert second["format"] == "plain_table"
    assert second["warnings"] == []
    for one, again in zip(first["measurements"], second["measurements"], strict=True):
        assert again | {"derived": {}} == one | {"derived": {}}
    assert first["measurements"][0]["flags"] == ["failed_requests", "offered_load_limited"]


def test_the_module_is_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "compare", "--unit", "furlong", "L4=5"],
        check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 2
    assert "furlong" in done.stderr


TAMPERED = [
    {"rates": {"output_tokens_per_second": 1e30}}, {"rates": {"output_tokens_per_second": 1e-30}},
    {"rates": {"output_tokens_per_second": 5}, "spread": {"output_tokens_per_second": 1e300}},
    {"rates": {"output_tokens_per_second": "5,5"}}, {"rates": {"output_tokens_per_second": 5}, "label": "\ud800 @="},
    {"rates": {"output_tokens_per_second": 5}, "model": "\ud800", "latency_seconds": {"ttft_p99": 1e300}},
    {"rates": {"output_tokens_per_second": 5}, "concurrency": -3, "success_rate": 0}, {"rates": []}, [], 5,
    {"rates": {"output_tokens_per_second": 5}, "flags": [[]], "evidence": [], "rates_count": {}}, "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("content", TAMPERED)
def test_no_form_breaks_the_way_to_the_comparison(client, content):
    fields = {"use-0": "1", "run-0": json.dumps(content), "hardware-0": "H100-SXM:8\n@=", "unit": "output_token"}
    for extra in ({}, {"use-1": "1", "run-1": json.dumps(content)}, {"run-0": json.dumps(content) + "}]}{"}):
        moved = client.post("/benchmarks/use", data=fields | extra, follow_redirects=False)
        assert moved.status_code in (303, 422)
        if moved.status_code == 303:
            assert client.get(moved.headers["location"]).status_code in (200, 422)
    upload = {"file": ("own.json", json.dumps({"measurements": [content]}))}
    assert client.post("/api/v1/benchmarks/read", files=upload).status_code in (200, 422)


def test_forms_that_are_too_much(client):
    many = {f"field-{place}": "1" for place in range(2000)}
    assert client.post("/benchmarks/use", data=many, follow_redirects=False).status_code in (400, 413, 422)
    assert client.post("/benchmarks/use", content=b"\xff\x00=%", follow_redirects=False).status_code == 422
    rubbish = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post("/benchmarks/use", content=b"rubbish", headers=rubbish).status_code in (400, 422)


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_text_breaks_the_form(client, label, hardware, unit):
    run_ = {"rates": {"output_tokens_per_second": 5}, "label": label, "model": label}
    fields = {"use-0": "1", "run-0": json.dumps(run_), "hardware-0": hardware, "unit": unit}
    assert client.post("/benchmarks/use", data=fields, follow_redirects=False).status_code in (303, 422)


def test_the_page_of_measuring(client):
    page = client.get("/measure").text
    assert "perdollar measure mymodule:step" in page
    # Each kind of device once, with what one changes for it.
    for change in ("device = &#34;cuda&#34;", "torch.compile(model, backend=&#34;neuron&#34;)", "import torch_xla"):
        assert page.count(change) == 1
    trainium = client.get("/measure", params={"accelerator": "Trainium2"}).text
    assert "--device neuron --hardware Trainium2:1" in trainium
    assert "public beta" in trainium
    older = client.get("/measure", params={"accelerator": "Trainium1"}).text
    assert "--device xla" in older
    assert "--device neuron" not in older
    wrong = client.get("/measure", params={"accelerator": "Trainium9<b>"})
    assert wrong.status_code == 422
    assert "<b>" not in wrong.text
