"""What a benchmark's result file gives: measurements, and what could not be found in it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from pricing.accelerators import Catalogue, UnknownNameError
from pricing.errors import printable, shown
from pricing.measurements import LATENCIES, positive
from pricing.numbers import COMMA
from pricing.question import LEAST_SHARE
from pricing.units import RATE_FIELDS
from pricing.wording import say

FLAGS = {
    "offered_load_limited": "the run was given less work than the system could do, so that it understates capacity",
    "single_sequence": "one request at a time: a figure of latency, not of capacity",
    "failed_requests": "some requests failed; the rates count the others",
    "whole_ramp": "the mean over a run whose load rose, idle gaps included; a stage by itself says more",
    "invalid": "the tool itself calls the run invalid",
    "truncated": "the run or its file ended early",
    "speculative_decoding": "a draft model guessed tokens; the rate depends on the text",
}
# Below this share of the requested rate the system could not follow: it is saturated, not starved.
FOLLOWED = 0.9
MOST_DOUBTED = 5
# What a comparison takes at most, of amounts and of rates.
MOST, MOST_RATE = 1e12, 1e15
# Totals are rounded, and counted over times that differ a little.
LEAST_TOTAL = 0.98
_CONTROL = r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_FIGURES = re.compile(r"[+-]?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")
# A comma that can be nothing but a thousands separator: 1,234.56 and 1,234,567.
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]+|(?:,[0-9]{3}){2,})")
_BLANKS = ("", "none", "null", "n/a", "na", "-", "unknown")
Rates = dict[str, float]
OUTPUT, INPUT, TOTAL = "output_tokens_per_second", "input_tokens_per_second", "total_tokens_per_second"
TRAINED, AUDIO, REQUESTS = "trained_tokens_per_second", "audio_seconds_per_second", "requests_per_second"


@dataclass(slots=True)
class Measured:
    """One run. Rates are of the whole system, in units per second; latencies in seconds; None is unknown.

    `derived` says of each rate that the file does not state how it was worked out; `spread` is half
    of a rate's 95 % interval.
    """

    label: str = ""
    model: str | None = None
    precision: str | None = None
    stack: str | None = None
    accelerator: str | None = None
    accelerator_count: int | None = None
    provider: str | None = None
    instance_type: str | None = None
    rates: Rates = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    spread: dict[str, float] = field(default_factory=dict)
    success_rate: float | None = None
    rates_count: str = "successful"
    parallelism: str | None = None
    concurrency: float | None = None
    request_rate: float | None = None
    latency_seconds: dict[str, float | None] = field(default_factory=lambda: dict.fromkeys(LATENCIES))
    input_tokens: float | None = None
    output_tokens: float | None = None
    measured_on: str | None = None
    evidence: str = "measured"
    flags: list[str] = field(default_factory=list)
    source: str = ""
    doubts: dict[str, str] = field(default_factory=dict)

    def rate(self, name: str, value: object, derived: str = "") -> None:
        """Set a rate, if it is a number above 0; the first one set stays. A stated one that is none is doubted."""
        if name in self.rates or not stated(value):
            return
        found = number(value)
        try:
            self.rates[name] = positive(math.nan if found is None else found)
        except ValueError:
            if not derived:
                self.doubt(name, value)
            return
        if derived:
            self.derived[name] = derived

    def latency(self, name: str, value: object, per_second: float = 1.0) -> None:
        """Set a latency, given in units of which `per_second` make a second; 0 stands for one not measured."""
        if self.latency_seconds[name] is not None or not stated(value):
            return
        found = number(value)
        if found is not None and 0 < found / per_second <= MOST:
            self.latency_seconds[name] = found / per_second
        elif found != 0:
            self.doubt(name, value)

    def doubt(self, name: str, value: object) -> None:
        """Remember that the file states something that can't be right, and that it is not taken."""
        self.doubts.setdefault(name, shown(value, 30).strip("'"))

    def check(self) -> None:
        """Take back what can't be right, whichever reader set it: what a comparison would refuse, or contradicts."""
        for name in ("concurrency", "request_rate", "input_tokens", "output_tokens"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= MOST:
                setattr(self, name, None)
                if value != 0:
                    self.doubt(name, f"{value:g}")
        if self.success_rate == 0:
            # Nothing was done: a rate that is stated all the same is not one of work that counts.
            for name in list(self.rates):
                self.doubt(name, say("{pop:g} while all requests failed", pop=self.rates.pop(name)))
            self.success_rate = None
        elif self.success_rate is not None and not LEAST_SHARE <= self.success_rate <= 1:
            self.doubt("success_rate", f"{self.success_rate:g}")
            self.success_rate = None
        parts = [self.rates[name] for name in (INPUT, OUTPUT) if name in self.rates]
        if parts and TOTAL in self.rates and self.rates[TOTAL] < LEAST_TOTAL * max(parts):
            self.doubt(
                TOTAL, say("{pop:g}, less than {max:g} of one kind of token", pop=self.rates.pop(TOTAL), max=max(parts))
            )
            self.derived.pop(TOTAL, None)
        self.derived = {name: how for name, how in self.derived.items() if name in self.rates}
        self.spread = {
            name: half
            for name, half in self.spread.items()
            if name in self.rates and self.rates[name] + half <= MOST_RATE
        }
        if self.concurrency is not None and self.concurrency < 1:
            # On average less than one request was under way: the system mostly waited.
            self.flag("offered_load_limited")

    def requests(self, completed: object, failed: object) -> None:
        """Set the success rate from the counts of requests that were completed and that failed."""
        done, lost = number(completed), number(failed)
        if done is None or lost is None or done + lost <= 0 or done < 0 or lost < 0:
            return
        self.success_rate = done / (done + lost)
        if lost:
            self.flag("failed_requests")

    def load(self, requested: object, achieved: object) -> None:
        """Set the rate at which requests were sent; where the system followed it, capacity is not known."""
        wanted = number(requested)
        if wanted is None or wanted <= 0:
            return
        self.request_rate = wanted
        reached = number(achieved)
        if reached is not None and reached >= FOLLOWED * wanted:
            self.flag("offered_load_limited")

    def flag(self, name: str) -> None:
        """Mark the run."""
        if name not in self.flags:
            self.flags.append(name)

    def as_dict(self) -> dict[str, object]:
        """Return the run with the names of the contract."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "doubts"}


@dataclass(slots=True)
class Findings:
    """Collects the runs of one file, and what is to be said of it. `asked`: what else the user has to say."""

    file: str
    format: str
    catalogue: Catalogue
    folders: tuple[str, ...] = ()
    measurements: list[Measured] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def run(self, **known: object) -> Measured:
        """Begin a run; what is known of it may be given as fields."""
        made = Measured(source=f"{self.format}, {self.file}", **known)  # type: ignore[arg-type]
        self.measurements.append(made)
        return made

    def warn(self, text: str) -> None:
        """Say something of the file, once."""
        text = printable(text)
        if text not in self.warnings:
            self.warnings.append(text)

    def hardware(self, run: Measured, name: object, count: object = None) -> None:
        """Set accelerator and count from the names that the file gives; a name that is not known is told."""
        text = str(name or "").strip()
        number_of = whole(count)
        if number_of:
            run.accelerator_count = number_of
        elif stated(count):
            self.warn(
                say("the file gives {count} as the number of accelerators, which is not a count", count=shown(count))
            )
        if not text:
            return
        try:
            found = self.catalogue.resolve(text)
        except UnknownNameError:
            self.warn(
                say(
                    "the file names the accelerator {text}, which is not known here or could be several",
                    text=shown(text),
                )
            )
            return
        run.accelerator = found.accelerator
        if found.assumed is not None:
            self.warn(say("{text} is taken for {accelerator}", text=shown(text), accelerator=found.accelerator))
        if found.count and number_of and found.count != number_of:
            run.accelerator_count = None
            self.warn(
                say(
                    "{text} means {count} of them, but the file also says {number_of}: none is taken",
                    text=shown(text),
                    count=found.count,
                    number_of=number_of,
                )
            )
        elif found.count and not stated(count):
            run.accelerator_count = found.count

    @property
    def missing(self) -> list[str]:
        """Fields that a comparison needs and that no run of the file has."""
        runs = self.measurements
        found = [
            name
            for name in ("model", "precision", "stack", "accelerator", "accelerator_count", "concurrency")
            if not any(getattr(run, name) for run in runs)
        ]
        if any(run.instance_type for run in runs):
            found = [name for name in found if not name.startswith("accelerator")]
        found += [
            name
            for name in RATE_FIELDS
            if any(name in run.doubts for run in runs) and not any(name in run.rates for run in runs)
        ]
        return found + self.asked + (["rates"] if not any(run.rates for run in runs) else [])

    def doubted(self) -> None:
        """Say what was stated and not taken, of the first few runs one by one."""
        doubted = [run for run in self.measurements if run.doubts]
        for run in doubted[:MOST_DOUBTED]:
            said = "; ".join(f"{name} is {value}" for name, value in run.doubts.items())
            self.warn(say("{label}: left out, since it can't be right: {said}", label=run.label or "a run", said=said))
        if len(doubted) > MOST_DOUBTED:
            self.warn(say("so it is in {number} more runs", number=len(doubted) - MOST_DOUBTED))

    def rename(self, folder: str) -> None:
        """Put the name of a folder before that of the file, in sources and labels as well."""
        name = f"{folder}/{self.file}"
        for run in self.measurements:
            if self.file in run.source and name not in run.source:
                run.source = run.source.replace(self.file, name)
            run.label = re.sub(rf"{_CONTROL}|@", " ", f"{folder} {run.label}")[:80].strip()
        self.file = name

    def named(self) -> None:
        """Give each run a label that tells it from the others."""
        seen: dict[str, int] = {}
        for run in self.measurements:
            if not run.label:
                stem = self.file.rpartition(".")[0] or self.file
                parts = [run.model.rpartition("/")[2] if run.model else stem]
                if run.request_rate is not None:
                    parts.append(f"{run.request_rate:.4g} req/s")
                elif run.concurrency is not None:
                    parts.append(f"c{run.concurrency:.4g}")
                run.label = " ".join(parts)
            # In the short notation an @ ends the label.
            run.label = re.sub(rf"{_CONTROL}|@", " ", run.label)[:80].strip() or "run"
            seen[run.label] = seen.get(run.label, 0) + 1
            if seen[run.label] > 1:
                run.label = f"{run.label} #{seen[run.label]}"


def distinguish(found: Sequence[Findings]) -> None:
    """Put folders before names of files that are the same, and say where two files give the same runs.

    Results of several runs often differ in nothing but their folder.
    """
    same: dict[str, list[Findings]] = {}
    for each in found:
        same.setdefault(each.file, []).append(each)
    for several in same.values():
        places = {each.folders for each in several}
        if len(places) == 1:
            continue
        # From the nearest folder that they do not all share, as far as it takes to tell them apart.
        first = next(i for i in itertools.count() if len({folders[i : i + 1] for folders in places}) > 1)
        last = next(i for i in itertools.count(first) if len({folders[first:i] for folders in places}) == len(places))
        for each in several:
            if each.folders[first:last]:
                each.rename("/".join(reversed(each.folders[first:last])))
    firsts: dict[str, Findings] = {}
    for each in found:
        runs = repr([run.as_dict() | {"label": "", "source": ""} for run in each.measurements])
        earlier = firsts.setdefault(runs, each)
        if earlier is not each:
            each.warn(say("gives the same runs as {file}: is it the same file twice?", file=earlier.file))


class AmbiguousNumberError(ValueError):
    """A number whose comma has two readings; what it says is for the user."""


def stated(value: object) -> bool:
    """Whether a file says something here, be it right or wrong; null, blank and n/a say nothing."""
    return value is not None and not (isinstance(value, str) and value.strip().lower() in _BLANKS)


def number(value: object) -> float | None:
    """Read a number of a file; None for what is none: null, NaN, infinite, text, true or false.

    AmbiguousNumberError for a comma that may be a decimal sign or part thousands.
    """
    if isinstance(value, str):
        text = value.strip()
        if "," in text and _FIGURES.fullmatch(text):
            if not _THOUSANDS.fullmatch(text):
                raise AmbiguousNumberError(COMMA.format(value=shown(text)))
            text = text.replace(",", "")
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def whole(value: object) -> int | None:
    """Read a count of at least 1."""
    found = number(value)
    return int(found) if found is not None and found >= 1 and found == int(found) and found <= 100_000 else None


def text(value: object) -> str | None:
    """Read a text; None for blank, null and words that stand for nothing."""
    if not isinstance(value, str) or not stated(value):
        return None
    return re.sub(f"{_CONTROL}+", " ", value).strip()[:200] or None


def mapping(value: object) -> Mapping[str, object]:
    """Return a mapping, empty where the file has something else there."""
    return value if isinstance(value, dict) else {}


def day(value: object) -> str | None:
    """Read the date of a run, as tools write it: 20250914-014738, ISO 8601, or seconds since 1970."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value).date().isoformat() if 1e9 < value < 4e9 else None
        except (OverflowError, OSError, ValueError):
            return None
    match = re.match(r"(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)", value.strip()) if isinstance(value, str) else None
    return "-".join(match.groups()) if match else None
