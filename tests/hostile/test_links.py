"""A folder with links, pipes and devices in it: the files in it are read, and nothing waits or goes round."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pricing.errors import PriceFileError
from pricing.sources.document import documents
from tests.hostile.nasty import TABLE
from tests.serving.faults import ROOT


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.csv").write_text(TABLE)
    (tmp_path / "elsewhere.csv").write_text(TABLE.replace("box", "other"))
    (inside / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    for name, to in (("gone.csv", "nowhere"), ("loop.csv", "loop.csv"), ("zero.csv", "/dev/zero"), ("up", "..")):
        (inside / name).symlink_to(to)
    os.mkfifo(inside / "pipe.csv")
    os.mkfifo(inside / "pipe.json")
    return inside


def test_only_files_are_read(folder):
    # A link to a file is that file: whoever may write in the folder may as well copy it there.
    assert [(document.name, b"other" in document.read()) for document in documents([folder])] == [
        ("a.csv", False), ("link.csv", True),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "why"), [("gone.csv", "No such file"), ("loop.csv", "Too many levels")])
def test_a_link_that_leads_nowhere_is_refused_in_words(folder, name, why):
    with pytest.raises(PriceFileError, match=rf"{name}: can't be read \({why}"):
        list(documents([folder / name]))


def test_the_commands_end(folder, tmp_path):
    out = tmp_path / "out.csv"
    for words, code in ((["prices", "import", folder, "--out", out], 0), (["read", folder], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *map(str, words)], check=False, capture_output=True, text=True,
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
    assert out.read_text().count("\n") == 3
