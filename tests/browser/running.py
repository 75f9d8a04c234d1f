"""The real server and the real browser, for tests, screenshots, the HTML checker and benchmarks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from playwright.sync_api import Browser, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextmanager
def server() -> Iterator[str]:
    """Start the server on a free port and give its address; what it writes to standard error must be nothing."""
    command = [str(Path(sys.executable).with_name("perdollar")), "serve", "--port", "0"]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PERDOLLAR_") or name == "PERDOLLAR_FOLDER"
    }
    with (
        TemporaryFile() as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment) as process,
    ):
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, _text(said)
            yield found[0]
        finally:
            process.terminate()
            process.wait()
        assert _text(said) == ""


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium without any service of its own."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    assert path, f"none of {', '.join(BROWSERS)} is installed; run make browser"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()
