"""A wheel built from the checkout holds all that it needs, and works away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVED = """
from starlette.testclient import TestClient
import app
from app.main import create_app
client = TestClient(create_app())
page = client.get("/")
assert page.status_code == 200 and "Cheapest" in page.text, page.status_code
assert client.get("/static/perdollar.css").status_code == 200
assert client.get("/static/vendor/htmx.min.js").status_code == 200
picture = client.get("/compare.png?unit=audio_hour&m=L4=120")
assert picture.content.startswith(b"\\x89PNG"), picture.text[:200]
print(app.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    )
    subprocess.run([sys.executable, *build], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(site: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *words], cwd=site.parent, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_the_command_line_answers(installed):
    words = ("compare", "--unit", "output_token", "Trainium1:16=10000", "--purchase", "on_demand", "--format", "json")
    answer = json.loads(run(installed, "-c", "from app.cli import main; main()", *words))
    costs = {e["instance_type"]: e["cost_usd"] for e in answer["estimates"] if e["region"] == "us-east-1"}
    assert costs["trn1.32xlarge"] == pytest.approx(21.5 / (3600 * 10000) * 1e6, rel=1e-12)


def test_the_server_has_pages_and_static_files(installed):
    assert run(installed, "-c", SERVED).strip() == str(installed / "app/__init__.py")


def test_licences_are_inside(installed):
    names = {path.name for path in installed.rglob("*LICENSE*")}
    assert {"LICENSE", "htmx.LICENSE", "pico.LICENSE", "DejaVuSans.LICENSE"} <= names
