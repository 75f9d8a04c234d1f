"""How files come: packed, in other encodings, large, of the same name; and what is said of those that can't be read."""

from __future__ import annotations

import gzip
import io
import json

import pytest

from pricing.accelerators import catalogue
from pricing.benchmarks.reading import ENDINGS, read_benchmarks
from pricing.errors import InvalidInputError
from pricing.sources.document import Document, documents
from tests.pricing.benchmarks.test_readers import OUT, SERVE, one, read

DATA = json.dumps(SERVE).encode()
TABLE = "label,hardware,rtfx\na,L4:1,120.5\n"


def test_gzip_and_utf_16():
    run = one(gzip.compress(DATA, mtime=0), "serve.json.gz")
    assert (run.rates, run.source) == (one(SERVE).rates, "vllm_bench_serve, serve.json")
    for encoding in ("utf-16", "utf-16-be", "utf-8-sig"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        assert one(mark + TABLE.encode(encoding), "t.csv").rates == one(TABLE).rates
    assert one(gzip.compress(TABLE.encode("utf-16"), mtime=0), "t.csv.gz").rates == one(TABLE).rates


def test_a_folder_of_packed_files(tmp_path):
    (tmp_path / "serve.json.gz").write_bytes(gzip.compress(DATA, mtime=0))
    (tmp_path / "system.json.gz").write_bytes(
        gzip.compress(b'{"accelerator_model_name":"L4","accelerators_per_node":8}', mtime=0)
    )
    log = b"MLPerf Results Summary\nScenario : Offline\nSamples per second: 5\n"
    (tmp_path / "log.txt").write_bytes(log)
    files, errors = read_benchmarks(documents([tmp_path], ENDINGS), catalogue())
    assert [each["file"] for each in files] == ["log.txt", "serve.json"]
    assert files[0]["measurements"][0]["accelerator_count"] == 8
    assert errors == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"), (b" \n", "is empty"), (b"PK\x03\x04rest", "zip inside a zip"), (b"a\0b", "is binary"),
        (gzip.compress(DATA, mtime=0)[:-20], "is not a gzip file that can be read"),
        (b"\x1f\x8brest", "is not a gzip file"),
        (gzip.compress(b" " * 9_000_000, mtime=0), "would unpack to more than"),
        (gzip.compress(b"x" * 257 + b"ustar" + b"x" * 300, mtime=0), "is a tar archive"),
        (b"\xff\xfe\x00", "starts as UTF-16, but byte"), (DATA[:-5].replace(b"throughput", b"x"), "not whole JSON"),
        (TABLE.replace(",", ";").encode(), "columns parted by semicolons"),
        (TABLE.replace(",", "\t").encode(), "columns parted by tabs"),
        (b"label,hardware,rtf\na,L4:1,0.01\n", "a column rtf, which has two readings"),
        (b"# made by hand\n" + TABLE.encode(), "starts with a comment"),
        (b"provider,price_usd_per_hour\na,5\n", "is a table of prices"), (b"a,b\n1,2\n", "of a known form"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(InvalidInputError) as caught:
        read(data, "x")
    assert caught.value.faults[0].msg.startswith("x: ")
    assert message in caught.value.faults[0].msg


def test_figures_of_requests_before_the_summary():
    many = {"output_lens": [100] * 30_000, "texts": ["word " * 20] * 3000, "nested": {"itls": [[0.1, 0.2]] * 3000}}
    sglang = {"total_output_tokens_retokenized": 1, "output_throughput": 300.0}
    assert one(many | sglang).rates == {OUT: 300.0}
    assert [run.rates for run in read([many | sglang, many | sglang]).measurements] == [{OUT: 300.0}] * 2
    assert one(many | {"load_summary": {}, "successes": {"throughput": {"output_tokens_per_sec": 5.0}}}).rates == {
        OUT: 5
    }
    with pytest.raises(InvalidInputError, match="no result file of a known form"):
        read(many)


def at(name, data, *folders):
    return Document(name, folders, lambda: io.BytesIO(data))


def test_files_of_one_name_are_told_apart_by_their_folders():
    other = json.dumps(SERVE | {"output_throughput": 200.0, "model_id": None}).encode()
    places = [("aiperf", "run1", "a", "top"), ("aiperf", "run2", "a", "top"), ("aiperf", "run1", "b", "top")]
    files, _ = read_benchmarks(
        [at("export.json", other, *place) for place in places] + [at("own.json", DATA)], catalogue()
    )
    assert [each["file"] for each in files] == [
        "a/run1/export.json", "a/run2/export.json", "b/run1/export.json", "own.json"
    ]  # fmt: skip
    assert [each["measurements"][0]["label"] for each in files] == [
        "a/run1 export c16", "a/run2 export c16", "b/run1 export c16", "model c16"
    ]  # fmt: skip
    assert files[1]["measurements"][0]["source"] == "vllm_bench_serve, a/run2/export.json"


def test_the_same_file_twice_is_told():
    files, _ = read_benchmarks([at("a.json", DATA), at("b.json", DATA), at("c.json", DATA.replace(b"180", b"181"))],
                               catalogue())  # fmt: skip
    assert [each["warnings"] for each in files] == [
        [],
        ["gives the same runs as a.json: is it the same file twice?"],
        [],
    ]
    files, _ = read_benchmarks([at("a.json", DATA), at("a.json", DATA)], catalogue())
    assert files[1]["warnings"] == ["gives the same runs as a.json: is it the same file twice?"]
