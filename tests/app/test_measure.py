"""Timing of the user's own code and commands: by value where the work is known, and what goes wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measuring import Timing, repeat
from pricing.durations import read_amount, read_seconds
from pricing.units import UNITS
from tests.app.asking import PERDOLLAR, refusal, run

CODE = """
import time
calls = []
print("this goes to standard error")

def sleep():
    calls.append(1)
    time.sleep(0.3 if len(calls) == 1 else 0.02)

def counted(device="none"):
    time.sleep(0.02)
    return 40.0 if device == "cpu" else 20.0

def ours():
    import sys
    wrong = [name for name in sys.modules if name.split(".")[0] in ("app", "pricing", "fastapi", "numpy", "pydantic")]
    if wrong:
        raise RuntimeError(f"imported: {wrong}")
    time.sleep(0.01)

def fails():
    raise ValueError("no weights")

def nothing():
    return "done"

def five():
    time.sleep(0.01)
    return 5

def none_at_all():
    return 0

def much():
    return 1e300

def late():
    calls.append(1)
    time.sleep(0.06)
    if len(calls) > 6:
        raise ValueError("out of memory")

number = 5
"""


@pytest.fixture
def measured(tmp_path):
    (tmp_path / "work.py").write_text(CODE)

    def measure(*words, **environment):
        done = subprocess.run(
            [PERDOLLAR, "measure", *map(str, words)], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, **environment},
        )  # fmt: skip
        return done, json.loads(done.stdout) if done.stdout else None

    return measure


def test_a_callable(measured, tmp_path):
    done, body = measured("work:sleep", "--unit", "audio_hour", "--units-per-call", "1m", "--within", "20%")
    assert done.returncode == 0, done.stderr
    run_ = body["measurements"][0]
    # A minute of audio in 20 ms is an RTFx of 3,000, less what the sleep takes longer.
    assert 1000 < run_["rates"]["audio_seconds_per_second"] <= 3000
    assert len(body["repeats"]) >= 5
    # The first call, in which a model would be compiled, is told apart.
    assert body["first_call_seconds"] >= 0.3
    assert all(each["seconds"] < 0.3 * body["calls_per_repeat"] for each in body["repeats"])
    assert "this goes to standard error" in done.stderr
    assert body["environment"]["python"] == ".".join(map(str, sys.version_info[:3]))
    path = tmp_path / "m.json"
    path.write_text(done.stdout)
    assert run("read", path, "--hardware", "L4:1").returncode == 0


def test_a_callable_says_how_much_it_did_and_gets_the_device(measured):
    plain = measured("work:counted", "--unit", "output_token", "--within", "20%")[1]
    assert {each["units"] / plain["calls_per_repeat"] for each in plain["repeats"]} == {20.0}
    on_cpu = measured("work:counted", "--unit", "output_token", "--device", "cpu", "--within", "20%")[1]
    assert {each["units"] / on_cpu["calls_per_repeat"] for each in on_cpu["repeats"]} == {40.0}


def test_the_process_of_the_users_code_has_nothing_of_ours(measured):
    done, _ = measured("work:ours", "--unit", "request", "--units-per-call", "1", "--within", "50%")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("work:fails", "--units-per-call", "1"), "no weights"), (("work:nothing",), "--units-per-call"),
        (("work:number", "--units-per-call", "1"), "is not callable"), (("nosuch:step",), "nosuch"),
        (("work:nosuch",), "nosuch"), (("work:sleep", "--python", "/no/python"), "/no/python"),
        (("--units", "5", "--", "/no/such/command"), "can't be run"), (("--", "true"), "--units"),
        (("--units", "5", "--", "false"), "ended with code 1"), (("work:sleep", "--within", "9"), "share below 1"),
        (("work:sleep", "--time", "soon"), "soon"), (("work:sleep", "--units-per-call", "much"), "much"),
        (("work:sleep", "--units-per-call", "1", "--hardware", "H1OO-SMX", "--time", "1000s"), "H1OO-SMX"),
        (("work:sleep", "--units-per-call", "0"), "give a number above 0"), (("--units", "0", "--", "true"), "above 0"),
        (("--units", "1e400", "--", "true"), "too large"), (("work:none_at_all",), "gives no rate"),
        (("work:much",), "gives no rate"), (("work:sleep", "--units-per-call", "-1"), "above 0"),
        (("work:five", "--device", "cuda"), "has not loaded PyTorch"),
        (("work:sleep", "--units-per-call", "1", "--time", "1000s", "--out", "/nodir/x"), "/nodir does not exist"),
        (("work:sleep", "--units-per-call", "1", "--time", "1000s", "--out", "/"), "is a folder"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told(measured, words, message):
    done, _ = measured("--unit", "output_token", *words)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_units_per_call_stand_and_a_returned_number_is_told(measured):
    given_, body = measured("work:five", "--unit", "request", "--units-per-call", "1", "--within", "20%")
    assert {each["units"] / body["calls_per_repeat"] for each in body["repeats"]} == {1.0}
    assert "the call returned 5, but --units-per-call 1 is what counts" in body["warnings"][0]
    assert "the call returned 5" in given_.stderr
    _, body = measured("work:five", "--unit", "request", "--within", "20%")
    assert {each["units"] / body["calls_per_repeat"] for each in body["repeats"]} == {5.0}
    assert body["warnings"] == []


def test_a_late_failure_keeps_the_repeats_before_it(measured):
    done, body = measured("work:late", "--unit", "request", "--units-per-call", "1", "--within", "0.0001%")
    assert done.returncode == 1
    # The first call and two to warm up come before the repeats.
    assert len(body["repeats"]) == 3
    assert "out of memory" in body["failure"]
    assert "out of memory" in body["warnings"][-1]
    assert "the repeats before it are kept" in done.stderr


def test_an_unknown_unit():
    assert "audio_hour" in refusal("measure", "--unit", "audio_hours", "x:y")


TORCH = """
__version__ = "9.9"
waited = []

class version:
    cuda = "12.9"

class cuda:
    @staticmethod
    def synchronize():
        import time
        waited.append(1)
        time.sleep(0.03)

    @staticmethod
    def get_device_name():
        return "NVIDIA H100 80GB HBM3"

    @staticmethod
    def device_count():
        return 8
"""


def test_the_device_is_waited_for_and_named(measured, tmp_path):
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "model.py").write_text("import torch\n\ndef step(device):\n    assert device == 'cuda'\n")
    done, body = measured(
        "model:step", "--unit", "request", "--units-per-call", "1", "--device", "cuda", "--time", "2s"
    )
    assert done.returncode == 0, done.stderr
    # The launch takes no time; the work is done when the device has been waited for.
    assert all(each["seconds"] >= 0.03 for each in body["repeats"])
    run_ = body["measurements"][0]
    assert (run_["accelerator"], run_["accelerator_count"], run_["stack"]) == ("H100-SXM", 1, "PyTorch 9.9")
    assert (body["environment"]["cuda"], body["environment"]["device_count"]) == ("12.9", 8)
    assert body["warnings"] == []
    (tmp_path / "deaf.py").write_text("import torch\n\ndef step():\n    pass\n")
    _, body = measured("deaf:step", "--unit", "request", "--units-per-call", "1", "--device", "cuda", "--time", "1s")
    assert "nothing shows that the work ran on the device cuda" in body["warnings"][0]
    wrong, _ = measured("model:step", "--unit", "request", "--units-per-call", "1", "--device", "tricorder")
    assert wrong.returncode == 2


def test_a_command_and_the_way_to_a_cost(measured, tmp_path):
    path = tmp_path / "audio.json"
    done, _ = measured(
        "--unit", "audio_hour", "--units", "1h", "--hardware", "L4:1", "--label", "mine", "--time", "0.5s",
        "--warm-up", "0", "--out", path, "--", "sleep", "0.1",
    )  # fmt: skip
    assert path.exists(), done.stderr
    body = json.loads(path.read_text())
    run_ = body["measurements"][0]
    rate = run_["rates"]["audio_seconds_per_second"]
    assert 10_000 < rate <= 36_000
    assert run_["spread"]["audio_seconds_per_second"] > 0
    line = run("read", path).stdout.splitlines()[-1]
    words = shlex.split(line.split("perdollar compare ")[1])
    answer = json.loads(run("compare", *words, "--format", "json", "--limit", "1").stdout)
    first = answer["estimates"][0]
    assert first["cost_usd"] == pytest.approx(first["price_usd_per_hour"] / rate)
    assert first["cost_high_usd"] > first["cost_usd"]


# A shell starts what runs in the background deaf to Ctrl-C, and tests may be run so.
LISTENING = [
    sys.executable, "-c",
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])",
]  # fmt: skip


def test_ctrl_c_keeps_the_repeats_that_are_finished(tmp_path):
    (tmp_path / "work.py").write_text(CODE)
    path = tmp_path / "kept.json"
    command = [
        PERDOLLAR,
        "measure",
        "work:counted",
        "--unit",
        "output_token",
        "--within",
        "0.0001%",
        "--out",
        str(path),
    ]
    with subprocess.Popen(
        [*LISTENING, *command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.stderr.read()
        assert process.wait(20) == 0, errors
    body = json.loads(path.read_text())
    assert body["stopped"], (body["failure"], len(body["repeats"]), errors[-300:])
    assert len(body["repeats"]) >= 2
    assert "stopped" in errors


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("1.5m", 90), ("2h", 7200), ("250ms", 0.25), ("45", 45), (" 5 s ", 5)]
)
def test_lengths_of_time(text, seconds):
    assert read_seconds(text) == pytest.approx(seconds)
    assert read_amount(text, UNITS["audio_hour"]) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "5d", "1,5s", "-3s", "five", "5 s s"])
def test_what_is_no_length_of_time(text):
    with pytest.raises(ValueError, match=r"."):
        read_seconds(text)


@given(st.lists(st.floats(0.01, 10), min_size=2, max_size=30))
def test_a_mean_that_is_known_better_stops_sooner(seconds):
    given_ = iter(seconds)

    def once():
        try:
            return next(given_), 100.0
        except StopIteration:
            raise KeyboardInterrupt from None

    timing = Timing()
    repeat(timing, once, 0.05, 1e9, lambda done, spread: None)
    assert timing.settled(0.05) or timing.stopped
    low, high = (timing.rate.low, timing.rate.high) if len(timing.seconds) > 1 else (0, 1e9)
    assert low <= timing.rate.value <= high
