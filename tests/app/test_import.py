"""Importing and comparing of price tables on the command line; the file in place is never half written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.files import write_atomically

PERDOLLAR = str(Path(sys.executable).with_name("perdollar"))


def run(*words):
    return subprocess.run([PERDOLLAR, "prices", *map(str, words)], check=False, capture_output=True, text=True)


@pytest.fixture
def plans(tmp_path):
    def make(price, count=1):
        plan = {"cpu_threads": 64, "ram": 1048576, "hourly_cost": price, "locations": ["ord"]}
        path = tmp_path / "plans.json"
        path.write_text(json.dumps({"plans_metal": [plan | {"id": f"vbm-{i}-8-h100-gpu"} for i in range(count)]}))
        return path

    return make


def test_an_import_can_be_checked_and_used(plans, tmp_path):
    out = tmp_path / "out.csv"
    done = run("import", plans(20.0), "--out", out)
    assert done.returncode == 0, done.stderr
    assert "1 rows read, 1 offers" in done.stderr
    assert run("check", out).returncode == 0
    words = ("compare", "--unit", "output_token", "H100-SXM:8=1000", "--provider", "vultr", "--format", "json")
    answer = subprocess.run([PERDOLLAR, *words, "--prices", str(out)], check=True, capture_output=True, text=True)
    assert 20.0 in [e["price_usd_per_hour"] for e in json.loads(answer.stdout)["estimates"]]


def test_what_can_not_be_read_is_code_2(tmp_path):
    path = tmp_path / "page.html.csv"
    path.write_text("<html>no prices</html>")
    done = run("import", path, "--out", tmp_path / "out.csv")
    assert done.returncode == 2
    assert "in no format that is known" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_a_big_move_is_held_back_until_confirmed(plans, tmp_path):
    out = tmp_path / "out.csv"
    assert run("import", plans(20.0), "--out", out).returncode == 0
    before = out.read_bytes()
    done = run("import", plans(100.0), "--out", out)
    assert done.returncode == 2
    assert "20 becomes 100 USD/h" in done.stderr
    assert out.read_bytes() == before
    assert run("import", plans(100.0), "--out", out, "--confirm").returncode == 0
    assert b"100.0" in out.read_bytes()


def test_diff(plans, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    run("import", plans(20.0, 2), "--out", old)
    run("import", plans(25.0, 3), "--out", new)
    found = json.loads(run("diff", old, new, "--format", "json").stdout)
    assert [(c["kind"], c["ratio"]) for c in found["changes"]] == [("dearer", 1.25), ("dearer", 1.25), ("new", None)]
    assert "dearer" in run("diff", old, new).stdout
    assert run("diff", old, new, "--format", "csv").stdout.startswith("kind,provider,instance_type")


def test_a_failed_write_leaves_the_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_atomically(path, b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_write_keeps_mode_and_link(tmp_path):
    path, link = tmp_path / "table.csv", tmp_path / "link.csv"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
