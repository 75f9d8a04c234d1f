"""Timing of the user's own work, again and again, until its mean is known well enough."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pricing.measurements import Rate, from_repeats, positive, single

CHILD = Path(__file__).with_name("measured_child.py")
LEAST_REPEATS = 5
# Shorter calls are timed several at once.
LEAST_SECONDS = 0.05
Progress = Callable[[int, float | None], None]


class MeasureError(Exception):
    """The user's code or command failed; the message says how."""


@dataclass
class Timing:
    """What was timed: units done and seconds taken of each repeat, the first call apart."""

    first_seconds: float | None = None
    calls_per_repeat: int = 1
    environment: dict[str, Any] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    units: list[float] = field(default_factory=list)
    stopped: bool = False
    failure: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def rate(self) -> Rate:
        """Units per second: the mean of the repeats with its 95 % interval, one repeat without."""
        rates = [u / s for u, s in zip(self.units, self.seconds, strict=True)]
        return from_repeats(rates) if len(rates) > 1 else single(rates[0])

    @property
    def spread(self) -> float | None:
        """Half the width of the interval, as a share of the mean; None for fewer than two repeats."""
        if len(self.seconds) < 2:
            return None
        rate = self.rate
        return None if rate.high is None else (rate.high - rate.value) / rate.value

    def settled(self, within: float) -> bool:
        """Whether the mean is known to within this share."""
        spread = self.spread
        return len(self.seconds) >= LEAST_REPEATS and spread is not None and spread <= within


def repeat(timing: Timing, once: Callable[[], tuple[float, float]], within: float, most_seconds: float,
           progress: Progress) -> None:  # fmt: skip
    """Repeat until the mean is known well enough or the time is up; Ctrl-C and a late failure keep what is finished.

    MeasureError if nothing is finished, or a repeat did no work that could be counted.
    """
    start = time.monotonic()
    try:
        while not timing.settled(within):
            if len(timing.seconds) >= 1 and time.monotonic() - start >= most_seconds:
                break
            seconds, units = once()
            try:
                positive(units / seconds)
            except (ValueError, ArithmeticError) as error:
                raise MeasureError(f"a repeat of {units:g} units in {seconds:g} s gives no rate: {error}") from error
            timing.seconds.append(seconds)
            timing.units.append(units)
            progress(len(timing.seconds), timing.spread)
    except KeyboardInterrupt:
        timing.stopped = True
    except MeasureError as error:
        if not timing.seconds:
            raise
        timing.failure = str(error)


def time_command(
    command: Sequence[str], units: float, *, warm_up: int, within: float, most_seconds: float, progress: Progress
) -> Timing:
    """Time a whole command; each run does `units`. MeasureError if it can't be run or fails."""

    def once() -> tuple[float, float]:
        start = time.perf_counter()
        try:
            done = subprocess.run(command, check=False, stdout=sys.stderr)  # noqa: S603 - it is the user's own command
        except OSError as error:
            raise MeasureError(f"{command[0]!r} can't be run ({error.strerror or error})") from error
        seconds = time.perf_counter() - start
        if done.returncode:
            raise MeasureError(f"{command[0]!r} ended with code {done.returncode}")
        return seconds, units

    timing = Timing(environment={"command": list(command)})
    try:
        for place in range(warm_up):
            seconds, _ = once()
            if not place:
                timing.first_seconds = seconds
    except KeyboardInterrupt:
        timing.stopped = True
        return timing
    repeat(timing, once, within, most_seconds, progress)
    return timing


def time_callable(
    target: str, units: float | None, *, device: str, python: str, warm_up: int, within: float, most_seconds: float,
    progress: Progress,
) -> Timing:  # fmt: skip
    """Time a callable in a process of its own, which imports nothing of ours. MeasureError if it fails."""
    timing = Timing()
    with _child(target, units, device=device, python=python, warm_up=warm_up) as (read, go):
        try:
            ready = read()
        except KeyboardInterrupt:
            timing.stopped = True
            return timing
        timing.first_seconds, timing.calls_per_repeat = ready["first"], ready["calls"]
        timing.environment, timing.notes = ready["environment"], ready["notes"]

        def once() -> tuple[float, float]:
            go()
            event = read()
            return event["seconds"], event["units"]

        repeat(timing, once, within, most_seconds, progress)
    return timing


@contextmanager
def _child(
    target: str, units: float | None, *, device: str, python: str, warm_up: int
) -> Iterator[tuple[Callable[[], dict[str, Any]], Callable[[], None]]]:
    events, tell = os.pipe()
    listen, control = os.pipe()
    plan = {
        "target": target, "units": units, "device": device, "warm_up": warm_up, "least_seconds": LEAST_SECONDS,
        "events": tell, "control": listen,
    }  # fmt: skip
    command = [python, str(CHILD), json.dumps(plan)]
    try:
        # What the user's code prints goes to standard error: standard output is the measurement's.
        child = subprocess.Popen(command, pass_fds=(tell, listen), stdout=sys.stderr)  # noqa: S603
    except OSError as error:
        for descriptor in (events, tell, listen, control):
            os.close(descriptor)
        raise MeasureError(f"{python!r} can't be run ({error.strerror or error})") from error
    os.close(tell)
    os.close(listen)
    with os.fdopen(events, encoding="utf-8") as stream:

        def read() -> dict[str, Any]:
            line = stream.readline()
            if not line:
                raise MeasureError(f"{target} ended the process (code {child.wait()})")
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "failed":
                raise MeasureError(f"{target}: {event['error']}")
            return event

        def go() -> None:
            os.write(control, b"g")

        try:
            yield read, go
        finally:
            os.close(control)
            try:
                child.wait(10)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                child.kill()
                child.wait()
