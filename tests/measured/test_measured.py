"""A real PyTorch model and real speech recognition, timed by `perdollar measure` and turned into a cost.

Runs where PERDOLLAR_MEASURED_PYTHON names a Python that has torch and pocketsphinx (`make measured`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import wave

import pytest

from tests.app.asking import PERDOLLAR, run

PYTHON = os.environ["PERDOLLAR_MEASURED_PYTHON"]
NET = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)).eval()
x = torch.randn(64, 512)

def step(device):
    with torch.inference_mode():
        net.to(device)(x.to(device))
"""
SPEECH = """
import wave
from pocketsphinx import Decoder

with wave.open("speech.wav") as file:
    rate, frames = file.getframerate(), file.getnframes()
    audio = file.readframes(frames)
decoder = Decoder(samprate=rate)

def step():
    decoder.start_utt()
    decoder.process_raw(audio, full_utt=True)
    decoder.end_utt()
    words = decoder.hyp().hypstr.split()
    # A synthetic voice is not heard word for word.
    assert {"go", "forward", "ten", "meters"} & set(words), words
    return frames / rate
"""


def measured(folder, *words):
    command = [PERDOLLAR, "measure", "--python", PYTHON, "--within", "5%", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_pytorch_model_on_the_cpu(tmp_path):
    (tmp_path / "net.py").write_text(NET)
    words = ("net:step", "--unit", "request", "--units-per-call", "64", "--device", "cpu", "--time", "20s")
    body = measured(tmp_path, *words)
    assert body["environment"]["torch"]
    assert body["measurements"][0]["stack"].startswith("PyTorch ")
    assert body["measurements"][0]["rates"]["requests_per_second"] > 64
    assert body["first_call_seconds"] > 0


def test_speech_recognition_and_what_an_hour_of_audio_costs(tmp_path):
    assert shutil.which("espeak-ng"), "install espeak-ng: it speaks the words that are recognised"
    (tmp_path / "speech.py").write_text(SPEECH)
    text = "go forward ten meters. " * 4
    subprocess.run(["espeak-ng", "-w", tmp_path / "spoken.wav", text], check=True)
    with wave.open(str(tmp_path / "spoken.wav")) as spoken, wave.open(str(tmp_path / "speech.wav"), "wb") as plain:
        # The model hears 16,000 samples a second; the nearest of the others is near enough for it.
        frames, rate = spoken.readframes(spoken.getnframes()), spoken.getframerate()
        plain.setparams((1, 2, 16000, 0, "NONE", ""))
        count = len(frames) // 2 * 16000 // rate
        plain.writeframes(b"".join(frames[2 * (i * rate // 16000) :][:2] for i in range(count)))
    body = measured(tmp_path, "speech:step", "--unit", "audio_hour", "--time", "60s")
    rtfx = body["measurements"][0]["rates"]["audio_seconds_per_second"]
    assert rtfx > 0.1
    quote = ("--quote", "acme/cpu-box=0.40", "--purchase", "on_demand")
    answer = run("compare", "--unit", "audio_hour", f"acme/cpu-box={rtfx}", *quote, "--format", "json")
    assert json.loads(answer.stdout)["estimates"][0]["cost_usd"] == pytest.approx(0.40 / rtfx)
