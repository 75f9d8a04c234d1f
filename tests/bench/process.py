"""Processes: how soon the command line answers and the server starts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.tables import price_table
from tests.bench.timing import Result, medians

PERDOLLAR = str(Path(sys.executable).with_name("perdollar"))
MINIMAL = """
from fastapi import FastAPI
import uvicorn
app = FastAPI()
@app.get("/")
async def root(): return {}
uvicorn.Config(app).load()
"""
SERVER = """
import sys
from pathlib import Path
import uvicorn
from app.main import create_app
uvicorn.Config(create_app(private=[Path(sys.argv[1])])).load()
"""


def _process(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, capture_output=True)


def run() -> Iterator[Result]:
    contenders = {
        "compare": _process(
            PERDOLLAR, "compare", "--unit", "output_token", "H100-SXM:8=5200", "Trainium2:16=4100", "--format", "json"
        ),
        "imports": _process(sys.executable, "-c", "import numpy, pydantic"),
        "minimal": _process(sys.executable, "-c", MINIMAL),
    }
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "bench.csv"
        table.write_bytes(price_table(20_000))
        contenders["server"] = _process(sys.executable, "-c", SERVER, str(table))
        seconds = medians(contenders, rounds=7)
    yield Result(
        "perdollar compare as a process",
        seconds["compare"] / seconds["imports"],
        'python -c "import numpy, pydantic"',
        3,
        note=f"{1e3 * seconds['compare']:.0f} ms",
    )
    yield Result(
        "server start with 20,000 more rows",
        seconds["server"] / seconds["minimal"],
        "a minimal FastAPI app",
        2.5,
        note=f"{1e3 * seconds['server']:.0f} ms",
    )
