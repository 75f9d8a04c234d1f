"""How each accelerator runs PyTorch code: its device, and what one changes."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from pricing.accelerators import DATA, Catalogue
from pricing.wording import say


@dataclass(frozen=True, slots=True)
class Device:
    """A device of PyTorch: the change of code that it needs, what to know, and its stage (blank: not stated)."""

    device: str
    change: str
    notes: str
    source: str
    stage: str


@cache
def devices() -> dict[str, Device]:
    """Read the devices by name."""
    with (DATA / "devices.csv").open(encoding="utf-8", newline="") as file:
        return {row["device"]: Device(**row) for row in csv.DictReader(file)}


def stage_of(accelerator: str | None, catalogue: Catalogue) -> tuple[str, str] | None:
    """Return the stage of the software that runs PyTorch on an accelerator, and its source; None if not stated."""
    chip = catalogue.accelerators.get(accelerator or "")
    device = devices().get((chip.torch_device if chip else None) or "")
    return (device.stage, device.source) if device and device.stage else None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to run on an accelerator to get a measurement."""

    accelerator: str
    device: Device
    commands: tuple[tuple[str, str], ...]


def recipes(catalogue: Catalogue) -> list[Recipe]:
    """Return what to run on each accelerator that runs PyTorch."""
    found = []
    for chip in catalogue.accelerators.values():
        device = devices().get(chip.torch_device or "")
        if device is None:
            continue
        name = f"{chip.accelerator}:1"
        commands = [
            (
                say("your own code, on one accelerator"),
                f"perdollar measure mymodule:step --unit audio_hour --units-per-call 30s --device {device.device} "
                f"--hardware {name} --out measured.json",
            ),
        ]
        if device.device in ("cuda", "neuron", "hpu", "xpu") or chip.vendor == "google":
            commands.append(
                (
                    say("a language model that vLLM serves on all of a machine's accelerators"),
                    "vllm bench serve --model MODEL --dataset-name random --random-input-len 1024 "
                    "--random-output-len 256 --request-rate inf --max-concurrency 64 --save-result",
                )
            )
        elif device.device == "mps":
            commands.append((say("a language model on llama.cpp"), "llama-bench -m MODEL.gguf -o json"))
        found.append(Recipe(chip.accelerator, device, tuple(commands)))
    return found
