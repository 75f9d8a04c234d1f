"""A disk that is full: an error in one line or a problem, no half file, and a server that goes on."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import httpx2 as httpx
import pytest

from tests.serving.faults import ROOT, descriptors, limited, serving, table

# No file may grow beyond a size, here in blocks of 512 bytes (1,024 in some shells): the system refuses it as it
# refuses a write to a full disk, without a disk of its own.
BLOCKS = 2048
MIB = 2**20


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    temporary = str(tmp_path_factory.mktemp("uploads"))
    with serving(before=limited("f", BLOCKS), TMPDIR=temporary) as running:
        running.temporary = temporary
        yield running
        assert "Traceback" not in running.log


@pytest.mark.parametrize("address", ["/api/v1/prices/import", "/api/v1/benchmarks/read", "/prices/import"])
def test_an_upload_that_finds_no_room(server, address):
    def post(data):
        return httpx.post(server.address + address, files={"file": ("own.csv", data)}, timeout=60)

    answer = post(b"a" * 4 * MIB)
    assert answer.status_code == 507
    assert "no room for this upload" in answer.text
    if address.startswith("/api"):
        assert answer.headers["content-type"] == "application/problem+json"
    assert server.log.count("an upload could not be kept: File too large") >= 1
    assert not [name for name in descriptors(server.process.pid) if name.startswith(server.temporary)]
    assert os.listdir(server.temporary) == []
    # Smaller ones are kept in memory, and everything else goes on.
    assert post(table(3).encode()).status_code == (422 if "benchmarks" in address else 200)
    assert server.get("/readyz").json()["degraded"] is False


def test_an_upload_that_workers_can_not_share(tmp_path):
    with serving("--workers", 2, TMPDIR=str(tmp_path)) as server:
        assert server.get("/healthz").status_code == 200
        (shared,) = tmp_path.glob("perdollar-*")
        # In place of a full disk: a folder that is none any more.
        (shared / "uploads").rmdir()
        (shared / "uploads").write_text("")
        answer = httpx.post(server.address + "/api/v1/prices/import", files={"file": ("own.csv", table(3))}, timeout=60)
        assert answer.status_code == 507
        assert "no room for this upload" in answer.json()["detail"]
        (shared / "uploads").unlink()
        answer = httpx.post(server.address + "/api/v1/prices/import", files={"file": ("own.csv", table(3))}, timeout=60)
        assert answer.status_code == 200
        name = answer.json()["table"]
        assert server.get(f"/compare.json?unit=output_token&m=H100-SXM:1=1&table={name}").status_code == 200


def test_a_log_that_can_not_be_written(tmp_path):
    with serving(before=["sh", "-c", 'exec "$@" 2>/dev/full', "sh"], PERDOLLAR_FOLDER=str(tmp_path)) as server:
        (tmp_path / "acme.csv").write_text("broken")
        for _ in range(3):
            answer = httpx.post(server.address + "/api/v1/compare", content=b"{", timeout=60)
            assert answer.status_code == 415
        assert server.get("/compare.json?unit=output_token&m=H100=1").status_code == 200


def command(*words, most=None, out=subprocess.PIPE, folder):
    """Run the command line of this tree, where no file may grow beyond so many bytes."""

    def limit():
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [sys.executable, "-m", "app.cli", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}, cwd=folder, preexec_fn=limit,
        check=False, stdout=out, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def refused(done, folder, before):
    """Check for one line on standard error, and that the folder is as it was."""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("perdollar: ")]
    assert done.returncode == 2, done.stderr
    assert "File too large" in line
    assert "Traceback" not in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own.csv").write_text(table(3))
    heading = "scenario,unit,m\n"
    (tmp_path / "scenarios.csv").write_text(
        heading + "".join(f"s{i},output_token,H100-SXM={i}\n" for i in range(1, 400))
    )
    (tmp_path / "out.csv").write_text(table(2))
    return tmp_path


COMMANDS = {
    "import": ("prices", "import", "own.csv", "--out", "out.csv", "--confirm"),
    "measure": ("measure", "--unit", "request", "--units", "1", "--time", "0.1s", "--out", "out.csv", "--", "true"),
    "sweep": ("sweep", "scenarios.csv", "--out", "out.csv"),
    "sweep to parquet": ("sweep", "scenarios.csv", "--out", "out.parquet"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_finds_no_room_leaves_what_was_there(folder, name):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    refused(command(*COMMANDS[name], most=0, folder=folder), folder, before)


def test_a_sweep_whose_parts_have_room_and_whose_output_has_not(folder):
    words = ("sweep", "scenarios.csv", "--top", "30", "--out")
    assert command(*words, "whole.csv", folder=folder).returncode == 0
    whole = (folder / "whole.csv").read_bytes()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    # All rows are one part, which has no heading: it fits, and the output is one byte too long.
    refused(command(*words, "out.csv", most=len(whole) - 1, folder=folder), folder, before)
    assert [path.stat().st_size < len(whole) for path in (folder / "out.csv.parts").glob("*.part")] == [True]
    done = command(*words, "out.csv", folder=folder)
    assert "going on after 399 scenarios" in done.stderr
    assert (folder / "out.csv").read_bytes() == whole
    assert not (folder / "out.csv.parts").exists()


@pytest.mark.parametrize("form", ["receipt", "json", "csv", "table"])
def test_an_answer_that_finds_no_room(folder, form):
    with open("/dev/full", "w") as full:
        done = command("compare", "--unit", "output_token", "L4=5", "--format", form, out=full, folder=folder)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "the answer can't be written (No space left on device)" in done.stderr


def test_a_receipt_that_was_cut_is_no_receipt(folder):
    done = command("compare", "--unit", "output_token", "L4=5", "--format", "receipt", folder=folder)
    assert json.loads(done.stdout)
    (folder / "cut.json").write_text(done.stdout[: len(done.stdout) // 2])
    read = command("verify", "cut.json", folder=folder)
    assert read.returncode == 2
    assert read.stderr.startswith("perdollar: ")
    assert len(read.stderr.splitlines()) == 1
