"""Medians of interleaved rounds: each round times every contender once, so that a busy machine slows all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ROUNDS = 7


@dataclass(frozen=True)
class Result:
    """One figure: measured / reference, and the bound it has to meet."""

    name: str
    value: float
    reference: str
    bound: float
    at_most: bool = True
    note: str = ""

    @property
    def met(self) -> bool:
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def line(self) -> str:
        sign = "<=" if self.at_most else ">="
        verdict = "met" if self.met else "MISSED"
        note = f"  ({self.note})" if self.note else ""
        return f"{verdict:7} {self.name}: {self.value:.3g} × {self.reference}, target {sign} {self.bound:.3g}{note}"


def medians(contenders: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median seconds of each contender over interleaved rounds, after one warm-up of each."""
    for run in contenders.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}
