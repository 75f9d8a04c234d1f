"""The command line, as a process: what it prints in each format, and that its options are those of a link."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import urllib.request

import pytest

from app.cli import accelerators, compare
from app.cli_prices import prices_list
from app.cli_words import command_line
from pricing.browse import PRICE_PARAMETERS
from pricing.chips import CHIP_PARAMETERS
from pricing.parameters import PARAMETERS
from tests.app.asking import DAY, PERDOLLAR, refusal, run

TRAINIUM = ("compare", "--unit", "output_token", "aws/trn1.32xlarge=1e4", "--purchase", "on_demand", "--as-of", DAY)


def test_a_table_for_people():
    done = run(*TRAINIUM, "--region", "us-east-1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "Cheapest: aws trn1.32xlarge (us-east-1, on_demand) with aws/trn1.32xlarge: 0.597 USD per 1M output tokens."
    )
    assert f"1 estimates, prices as of {DAY}." in lines
    (row,) = [line.split() for line in lines if re.match(r" *1  aws", line)]
    assert row[:9] == [
        "1",
        "aws",
        "trn1.32xlarge",
        "us-east-1",
        "on_demand",
        "16",
        "×",
        "Trainium1",
        "aws/trn1.32xlarge",
    ]
    assert row[9:] == ["21.50", "0.597", "1.00", "2026-07-20", "list/measured"]
    assert any("left out by your filters" in line for line in lines)


def test_json_and_csv_have_every_digit():
    answer = json.loads(run(*TRAINIUM, "--region", "us-east-1", "--format", "json").stdout)
    assert [e["cost_usd"] for e in answer["estimates"]] == [pytest.approx(21.5 / 36, rel=1e-14)]
    done = subprocess.run([PERDOLLAR, *TRAINIUM, "--format", "csv"], check=True, capture_output=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    (row,) = [row for row in rows if row["region"] == "us-east-1"]
    assert float(row["cost_usd"]) == answer["estimates"][0]["cost_usd"]
    assert done.stdout.count(b"\r\n") == done.stdout.count(b"\n") == len(rows) + 1


def test_all_estimates_are_given_unless_told():
    words = ("compare", "--unit", "output_token", "H100-SXM:1=5", "--as-of", DAY, "--format", "json")
    answer = json.loads(run(*words).stdout)
    assert len(answer["estimates"]) == answer["total"] > 50
    some = json.loads(run(*words, "--limit", "7", "--offset", "3").stdout)
    assert some["estimates"] == answer["estimates"][3:10]


def test_details_and_quotes():
    words = ("compare", "--unit", "output_token", "x@H100-SXM:8=5000", "L4=5", "--format", "json", "--limit", "3")
    answer = json.loads(
        run(
            *words, "--set", "m1.model=Llama 3=1", "--set", "m2.evidence=claimed", "--quote", "own/rack@H100:8=0.5"
        ).stdout
    )
    first = answer["estimates"][0]
    assert (first["provider"], first["instance_type"], first["price_evidence"]) == ("own", "rack", "quote")
    assert (first["model"], first["measurement"]) == ("Llama 3=1", "x")


def test_measurements_may_begin_with_a_sign():
    done = run("compare", "--unit", "output_token", "--format", "json", "--limit", "1", "--", "-x@L4=5")
    assert json.loads(done.stdout)["estimates"][0]["measurement"] == "-x"


def test_notes_about_a_csv_go_to_standard_error():
    done = run("compare", "--unit", "output_token", "H100=5", "--format", "csv", "--offset", "100000")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    notes = done.stderr.splitlines()
    assert all(note.startswith("note: ") for note in notes)
    for words in ("no count is given", "'H100' is taken as H100-SXM", "The offset 100,000 is beyond the last"):
        assert sum(words in note for note in notes) == 1


def test_prices_check_of_a_good_table(small):
    done = run("prices", "check", small)
    assert (done.returncode, done.stdout, done.stderr) == (0, "acme.csv: 2 rows, no fault; providers acme\n", "")


def test_prices_check_tells_every_fault_of_every_file(small, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text(
        "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\n"
        'acme,a,H100-SXM,8,"20,5"\nacme,b,H100-SXM,8,0\nacme,c,H1000,8,20\nacme,d,L4,1,1\n'
    )
    empty = tmp_path / "empty.csv"
    empty.touch()
    done = run("prices", "check", bad, small, empty)
    assert done.returncode == 2
    assert done.stdout == "acme.csv: 2 rows, no fault; providers acme\n"
    first, second, third, fourth = sorted(done.stderr.splitlines())
    assert first.startswith("bad.csv line 2, column price_usd_per_hour: '20,5'")
    assert second.startswith("bad.csv line 3, column price_usd_per_hour: '0' is not a price")
    assert third.startswith("bad.csv line 4, column accelerator: 'H1000'")
    assert "Did you mean" in third
    assert fourth.startswith("empty.csv: is empty")


def test_prices_list_is_the_price_list_of_the_web(client):
    words = ("prices", "list", "--accelerator", "Trainium2", "--as-of", DAY, "--sort", "-price_usd_per_hour")
    query = f"accelerator=Trainium2&as_of={DAY}&sort=-price_usd_per_hour"
    found = json.loads(run(*words, "--format", "json").stdout)
    assert found["prices"] == client.get(f"/prices.json?{query}").json()["prices"]
    assert {(p["instance_type"], p["purchase"]) for p in found["prices"]} == {
        ("trn2.3xlarge", "spot"), ("trn2.48xlarge", "spot"), ("trn2.48xlarge", "capacity_block"),
    }  # fmt: skip
    done = run(*words, "--format", "csv")
    assert done.stdout.splitlines() == client.get(f"/prices.csv?{query}").text.splitlines()
    lines = run(*words).stdout.splitlines()
    assert lines[-1] == f"{found['total']} prices as of {DAY}."
    assert len(lines) == found["total"] + 2


def test_prices_list_with_history_and_filters():
    words = ("--provider", "aws", "--instance-type", "trn2.48xlarge", "--region", "us-east-2", "--purchase", "spot")
    done = run("prices", "list", *words, "--history", "--format", "json")
    assert len(json.loads(done.stdout)["prices"]) > 1
    assert len(json.loads(run("prices", "list", *words, "--format", "json").stdout)["prices"]) == 1


def test_accelerators_are_those_of_the_web(client):
    words = ("accelerators", "--vendor", "aws", "--sort", "-memory_gib")
    assert (
        json.loads(run(*words, "--format", "json").stdout)
        == client.get("/accelerators.json?vendor=aws&sort=-memory_gib").json()
    )
    done = run(*words, "--format", "csv")
    assert done.stdout.splitlines() == client.get("/accelerators.csv?vendor=aws&sort=-memory_gib").text.splitlines()
    assert re.search(r"^Trainium2 +aws +neuron +96 ", run(*words).stdout, re.MULTILINE)


def options_of(command):
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (compare, [name for name in PARAMETERS if name != "m"]),
        (prices_list, PRICE_PARAMETERS),
        (accelerators, CHIP_PARAMETERS),
    ],
)
def test_every_parameter_has_an_option_and_every_option_a_parameter(command, names):
    other = {"--set", "--prices", "--format"}
    # An uploaded table is the server's; the command line takes a file by --prices.
    expected = {f"--{name.replace('_', '-')}" for name in names if name != "table"}
    assert options_of(command) - other == expected
    assert all(parameter.help for parameter in command.params if parameter.param_type_name == "option")


@pytest.mark.parametrize(
    ("pairs", "command"),
    [
        ([("unit", "request"), ("m", "L4=1")], "perdollar compare --unit request L4=1"),
        ([("m", "a b@L4=1"), ("m", "it's@L4=2"), ("m1.model", "x y")],
         "perdollar compare --set 'm1.model=x y' 'a b@L4=1' 'it'\"'\"'s@L4=2'"),
        ([("m", "-x@L4=1"), ("sort", "-rank")], "perdollar compare --sort -rank -- -x@L4=1"),
        ([("include_unconfirmed", "1"), ("all_sizes", "1"), ("term_months", "12"), ("m", "$(x)@L4=1")],
         "perdollar compare --include-unconfirmed --all-sizes --term-months 12 '$(x)@L4=1'"),
    ],
)  # fmt: skip
def test_the_command_of_a_link(pairs, command):
    assert command_line(pairs) == command


@pytest.mark.parametrize("words", [(), ("compare",), ("prices",), ("prices", "check"), ("prices", "list"),
                                   ("accelerators",), ("serve",)])  # fmt: skip
def test_help(words):
    done = run(*words, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(" ".join(("Usage: perdollar", *words)))


def test_version():
    assert run("--version").stdout == "perdollar, version 0.1.0\n"


def test_heavy_packages_wait_until_they_are_needed():
    code = (
        "import sys, io, contextlib\nfrom app.cli import main\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):\n"
        "    main(['compare', '--unit', 'output_token', *sys.argv[1:], '--format', 'json'])\n"
        "print([n for n in ('fastapi', 'starlette', 'uvicorn', 'scipy', 'jinja2', 'numpy') if n in sys.modules])"
    )
    found = [
        subprocess.run([sys.executable, "-c", code, m], capture_output=True, text=True, check=True).stdout.strip()
        for m in ("L4=1", "L4=1~0.1", "L4=1/2/3")
    ]
    assert found == ["['numpy']", "['numpy']", "['scipy', 'numpy']"]


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_a_reader_that_has_gone_is_no_error(form):
    reader, writer = os.pipe()
    os.close(reader)
    words = [PERDOLLAR, "compare", "--unit", "output_token", "L4:1=5", "--format", form]
    done = subprocess.run(words, check=False, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_serve_prints_its_address_and_answers(small):
    command = [PERDOLLAR, "serve", "--port", "0", "--prices", str(small)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline()
            found = re.fullmatch(r"PerDollar is at (http://127\.0\.0\.1:(\d+)) \(Ctrl-C stops it\)\n", line)
            query = "unit=output_token&m=H100-SXM:8=1000&provider=acme"
            with urllib.request.urlopen(f"{found[1]}/compare.json?{query}") as answer:  # noqa: S310
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert "server" not in answer.headers
                assert [e["price_usd_per_hour"] for e in json.load(answer)["estimates"]] == [20.0]
            with urllib.request.urlopen(f"{found[1]}/compare.csv?{query}") as answer:  # noqa: S310
                assert answer.headers["transfer-encoding"] == "chunked"
                assert answer.read().count(b"\r\n") == 2
            busy = refusal("serve", "--port", found[2])
            assert busy.startswith(f"can't listen on 127.0.0.1 port {found[2]} (Address already in use)")
        finally:
            server.terminate()
            server.wait()
