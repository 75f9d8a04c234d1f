"""Files of others are the very ones that their manifest names, with their licences beside them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "app/static/vendor", ROOT / "tests/browser/vendor", ROOT / "app/charts/fonts")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_files_are_those_of_the_manifest(folder):
    entries = json.loads((folder / "manifest.json").read_text())
    for entry in entries:
        assert sha256(folder / entry["file"]) == entry["sha256"], entry["file"]
        assert sha256(folder / entry["license_file"]) == entry["license_sha256"], entry["file"]
    named = {"manifest.json"} | {entry[key] for entry in entries for key in ("file", "license_file")}
    assert {path.name for path in folder.iterdir()} == named


def test_the_shipped_scripts_and_styles_are_the_versions_that_were_chosen():
    entries = json.loads((FOLDERS[0] / "manifest.json").read_text())
    assert {(entry["name"], entry["version"]) for entry in entries} == {
        ("htmx.org", "4.0.1"),
        ("@picocss/pico", "2.1.1"),
    }
    assert '"4.0.1"' in (FOLDERS[0] / "htmx.min.js").read_text()
    assert "v2.1.1" in (FOLDERS[0] / "pico.min.css").read_text()[:200]
