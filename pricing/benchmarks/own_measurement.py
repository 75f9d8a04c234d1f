"""Files of our own: what `perdollar measure` writes and what reading gives, so that it can be kept and read again."""

from __future__ import annotations

from pricing.benchmarks.result import FLAGS, Findings, mapping, number, text
from pricing.benchmarks.values import json_values
from pricing.measurements import LATENCIES
from pricing.sources.document import Document
from pricing.units import RATE_FIELDS
from pricing.wording import say

NAME = "perdollar"
WHAT = "a measurement file of PerDollar"
_TEXTS = ("label", "model", "precision", "stack", "provider", "instance_type", "parallelism", "measured_on", "source")
_NUMBERS = ("success_rate", "concurrency", "request_rate", "input_tokens", "output_tokens")


def recognises(document: Document) -> bool:
    """Whether it holds measurements with rates under our names."""
    head = document.head_text
    return '"measurements"' in head and '"rates"' in head and head.lstrip().startswith("{")


def read(document: Document, findings: Findings) -> None:
    """Read each measurement."""
    for value in json_values(document):
        about = mapping(value)
        files = about.get("files")
        for each in files if isinstance(files, list) else [about]:
            runs = mapping(each).get("measurements")
            for one in runs if isinstance(runs, list) else []:
                _read(mapping(one), findings)
            warnings = mapping(each).get("warnings")
            for warning in warnings if isinstance(warnings, list) else []:
                findings.warn(str(warning)[:300])


def _read(about: object, findings: Findings) -> None:
    value = mapping(about)
    run = findings.run()
    for name in _TEXTS:
        if (found := text(value.get(name))) is not None:
            setattr(run, name, found)
    for name in _NUMBERS:
        setattr(run, name, number(value.get(name)))
    findings.hardware(run, value.get("accelerator"), value.get("accelerator_count"))
    derived = mapping(value.get("derived"))
    for name, half in mapping(value.get("spread")).items():
        width = number(half)
        if name in RATE_FIELDS and width is not None and width > 0:
            run.spread[name] = width
    for name, rate in mapping(value.get("rates")).items():
        if name in RATE_FIELDS:
            run.rate(name, rate, text(derived.get(name)) or "")
        else:
            findings.warn(say("the rate {name} is not known", name=repr(name)))
    for name, seconds in mapping(value.get("latency_seconds")).items():
        if name in LATENCIES:
            run.latency(name, seconds)
    if value.get("rates_count") != "successful":
        # As in a question: unless it is said otherwise, all work that was attempted is counted.
        run.rates_count = "attempted"
    if value.get("evidence") in ("published", "claimed", "assumed"):
        run.evidence = str(value["evidence"])
    flags = value.get("flags")
    for flag in flags if isinstance(flags, list) else []:
        if flag in FLAGS:
            run.flag(flag)
