"""A mistake on the command line is one line on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import subprocess

import pytest

from app.cli import main
from tests.app.asking import PERDOLLAR, refusal

ASKED = ("compare", "--unit", "output_token")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "perdollar"),
        (("prices",), "prices"),
        (("compare",), "unit is missing"),
        (("compare", "L4=1"), "unit is missing: say what is counted; the units are output_token, "),
        (ASKED, "a measurement is missing; write HARDWARE=RATE"),
        (("compare", "--unit", "tokens", "L4=1"), "'tokens' is not a unit"),
        ((*ASKED, "H100-SXM:8=5,2"), "two readings"),
        ((*ASKED, "H1000:8=5"), "Did you mean"),
        ((*ASKED, "L4"), "has no '='"),
        ((*ASKED, "L4=1", "x=2"), "'x' is not an accelerator"),
        ((*ASKED, "a\nb@L4=1"), "control character"),
        ((*ASKED, "L4=1", "--provider", "asw"), "Did you mean aws"),
        ((*ASKED, "L4=1", "--purchase", "ondemand"), "Did you mean on_demand"),
        ((*ASKED, "L4=1", "--utilization", "50"), "less than or equal to 1"),
        ((*ASKED, "L4=1", "--limit", "0"), "'0' must be a whole number from 1 to 1,000"),
        ((*ASKED, "L4=1", "--sort", "cost"), "Did you mean cost_usd"),
        ((*ASKED, "L4=1", "--baseline", "nobody"), "neither a measurement's label"),
        ((*ASKED, "L4=1", "--as-of", "tomorrow"), "YYYY-MM-DD"),
        ((*ASKED, "L4=1", "--quote", "x"), "is not a quote"),
        ((*ASKED, "L4=1", "--set", "m1.model"), "has no '='"),
        ((*ASKED, "L4=1", "--set", "m2.model=x"), "there is no measurement 2"),
        ((*ASKED, "L4=1", "--set", "m1.modle=x"), "Did you mean m1.model"),
        ((*ASKED, "L4=1", "--prices", "/nonexistent.csv"), "/nonexistent.csv: can't be read"),
        ((*ASKED, "L4=1", "--format", "xml"), "'xml' is not one of"),
        ((*ASKED, "L4=1", "--providr", "aws"), "No such option '--providr'"),
        ((*ASKED, "-x@L4=5"), "No such option"),
        (("compare", "--unit"), "--unit"),
        (("compares",), "compares"),
        (("prices", "lists"), "lists"),
        (("prices", "check"), "FILE..."),
        (("prices", "list", "--provider", "asw"), "Did you mean aws"),
        (("prices", "list", "--limit", "x"), "not a number"),
        (("prices", "list", "--sort", "price"), "price_usd_per_hour"),
        (("prices", "diff", "/nonexistent.csv", "/nonexistent.csv"), "can't be read"),
        (("accelerators", "--vendor", "nvida"), "Did you mean nvidia"),
        (("accelerators", "--sort", "memory"), "Did you mean memory_gib"),
        (("serve", "--port", "x"), "'x' is not a valid integer"),
        (("serve", "--port", "65536"), "65536 is not in the range"),
        (("serve", "--prices", "/nonexistent.csv"), "/nonexistent.csv: can't be read"),
        (("serve", "--host", "[::1]", "--port", "0"), "can't listen on [::1] port 0"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(capfd, words, said):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    out, err = capfd.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("perdollar: ")
    assert said in line


def test_all_mistakes_stand_on_the_one_line():
    line = refusal(*ASKED, "L4=0", "H1000=1", "--provider", "asw", "--limit", "0")
    assert "above 0" in line
    assert "'H1000' is not an accelerator" in line
    assert "'0' must be a whole number" in line


@pytest.mark.parametrize(
    "words",
    [
        (b"\xff@L4=5",),
        (b"\xff=5",),
        (b"L4=5", b"--set", b"m1.model=\xff"),
        (b"L4=5", b"--provider", b"\xff"),
        (b"L4=5", b"--quote", b"a\xff/b@L4:1=1"),
    ],
)
def test_words_that_are_not_utf_8(words):
    done = subprocess.run([PERDOLLAR, *ASKED, *words, "--format", "json"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "\\udcff" in line
