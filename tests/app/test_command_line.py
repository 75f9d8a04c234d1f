"""The command line, as a process: what it prints, and one line on standard error with code 2 for a mistake."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from app.cli import compare
from app.cli_prices import prices_list
from pricing.browse import PRICE_PARAMETERS
from pricing.parameters import PARAMETERS

PERDOLLAR = str(Path(sys.executable).with_name("perdollar"))


def run(*words, **environment):
    return subprocess.run(
        [PERDOLLAR, *words], check=False, capture_output=True, text=True, env={**os.environ, **environment}
    )


def refusal(*words, **environment):
    done = run(*words, **environment)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("perdollar: ")
    return line


def test_a_table_for_people():
    done = run(
        "compare", "--unit", "output_token", "Trainium1:16=10000", "--purchase", "on_demand", "--region", "us-east-1"
    )
    assert done.returncode == 0
    assert "USD per 1M output tokens" in done.stdout
    line = next(line for line in done.stdout.splitlines() if "trn1.32xlarge" in line and line.strip()[0].isdigit())
    assert "0.597" in line
    assert "21.50" in line
    assert "2026-07-20" in line
    assert "left out by your filters" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "L4=1"), "unit is missing"),
        (("compare", "--unit", "output_token", "H100-SXM:8=5,2"), "two readings"),
        (("compare", "--unit", "output_token", "H1000:8=5"), "Did you mean"),
        (("compare", "--unit", "output_token", "L4=1", "--provider", "asw"), "Did you mean aws"),
        (("compare", "--unit", "output_token", "L4=1", "--set", "m1.model"), "has no '='"),
        (("compare", "--unit", "output_token", "L4=1", "--set", "m2.model=x"), "there is no measurement 2"),
        (("compare", "--unit", "output_token", "L4=1", "--prices", "/nonexistent.csv"), "can't be read"),
        (("compare", "--format", "xml"), "xml"),
        (("compare", "--unit"), "--unit"),
        (("compares",), "compares"),
        (("prices", "list", "--provider", "asw"), "Did you mean aws"),
        (("accelerators", "--vendor", "nvida"), "Did you mean nvidia"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(words, said):
    assert said in refusal(*words)


def test_a_wrong_setting_names_its_variable():
    assert "PERDOLLAR_PORT" in refusal("serve", PERDOLLAR_PORT="many")


def test_prices_check(small, tmp_path):
    done = run("prices", "check", str(small))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "acme.csv: 2 rows, no fault; providers acme\n"

    bad = tmp_path / "bad.csv"
    bad.write_text(
        "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\n"
        'acme,a,H100-SXM,8,"20,5"\nacme,b,H100-SXM,8,0\nacme,c,H1000,8,20\n'
    )
    done = run("prices", "check", str(bad))
    assert (done.returncode, done.stdout) == (2, "")
    first, second, third = sorted(done.stderr.splitlines())
    assert first.startswith("bad.csv line 2, column price_usd_per_hour: '20,5'")
    assert "line 3, column price_usd_per_hour: '0' is not a price" in second
    assert "line 4, column accelerator: 'H1000'" in third
    assert "Did you mean" in third


def test_private_tables_join_by_option_and_by_setting(small):
    words = ("compare", "--unit", "output_token", "H100-SXM:8=1000", "--provider", "acme", "--format", "json")
    by_option = json.loads(run(*words, "--prices", str(small)).stdout)
    by_setting = json.loads(run(*words, PERDOLLAR_PRICES=str(small)).stdout)
    assert by_option == by_setting
    assert [e["price_usd_per_hour"] for e in by_option["estimates"]] == [20.0]


def test_two_private_tables_that_conflict_are_both_named(small, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(small.read_text().replace(",20,", ",21,"))
    line = refusal("compare", "--unit", "output_token", "L4=1", "--prices", str(small), "--prices", str(other))
    assert "acme.csv row 1" in line
    assert "other.csv row 1" in line


def test_prices_list_and_accelerators():
    done = run("prices", "list", "--accelerator", "Trainium2", "--format", "json")
    assert {(p["instance_type"], p["purchase"]) for p in json.loads(done.stdout)["prices"]} == {
        ("trn2.3xlarge", "spot"), ("trn2.48xlarge", "spot"), ("trn2.48xlarge", "capacity_block"),
    }  # fmt: skip
    done = run("accelerators", "--vendor", "aws")
    assert re.search(r"^Trainium2 +aws +neuron +96 ", done.stdout, re.MULTILINE)


def test_every_parameter_has_an_option():
    compare_options = {o for p in compare.params for o in (p.opts or [])}
    assert {f"--{name.replace('_', '-')}" for name in PARAMETERS if name != "m"} <= compare_options
    list_options = {o for p in prices_list.params for o in (p.opts or [])}
    assert {f"--{name.replace('_', '-')}" for name in PRICE_PARAMETERS} <= list_options


def test_heavy_packages_wait_until_they_are_needed():
    code = (
        "import sys, io, contextlib\nfrom app.cli import main\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):\n"
        "    main(['compare', '--unit', 'output_token', 'L4=1', '--format', 'json'])\n"
        "print([name for name in ('fastapi', 'uvicorn', 'scipy', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reader_that_stops_early_is_no_error():
    words = f'"{PERDOLLAR}" compare --unit output_token H100-SXM:1=5 --format csv | head -1'
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rank,provider")
    assert "Traceback" not in done.stderr


def test_serve_prints_its_address_and_answers():
    with subprocess.Popen([PERDOLLAR, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
            with urllib.request.urlopen(f"{address[0]}/healthz") as answer:  # noqa: S310
                assert json.load(answer)["status"] == "ok"
            assert f"port {address[1]}" in refusal("serve", "--port", address[1])
        finally:
            server.terminate()
            server.wait()
    assert server.returncode in (0, -15)
