"""From a run of a result file to a measurement of a question, in the short notation and its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pricing.curves import same_length
from pricing.measurements import single, with_spread
from pricing.notation import write, write_number
from pricing.units import RATE_FIELDS, UNITS, Unit

# What a comparison asks for first where a run has several rates.
_FIRST = ("output_token", "audio_hour", "trained_token", "total_token", "input_token", "request")
# Runs with these marks say little of what the system can do at one load.
UNSETTLED = frozenset({"invalid", "whole_ramp", "truncated"})
_MARKS = {
    "offered_load_limited": "offered load limited", "invalid": "invalid by the tool's own rules",
    "whole_ramp": "mean over a rising load", "truncated": "ended early", "speculative_decoding": "speculative decoding",
}  # fmt: skip
_COPIED = ("stack", "model", "precision", "measured_on", "source")


def unit_of(runs: list[Mapping[str, Any]]) -> Unit:
    """Return the unit that most runs have a rate for, the most telling one first."""
    counts = {name: sum(UNITS[name].rate_field in run["rates"] for run in runs) for name in _FIRST}
    return UNITS[max(_FIRST, key=lambda name: counts[name])]


def hardware_of(run: Mapping[str, Any]) -> str:
    """Return `ACCELERATOR:COUNT` or `PROVIDER/INSTANCE_TYPE` as far as the file says it, else ''."""
    if run.get("provider") and run.get("instance_type"):
        count = run.get("accelerator_count")
        return f"{run['provider']}/{run['instance_type']}" + (f":{count}" if count else "")
    if run.get("accelerator"):
        count = run.get("accelerator_count")
        return f"{run['accelerator']}:{count}" if count else str(run["accelerator"])
    return ""


def pairs_of(run: Mapping[str, Any], place: int, hardware: str, unit: Unit, curve: str = "") -> list[tuple[str, str]]:
    """Return the parameters of a link for a run: `m` and its details `mN.…`.

    All rates of the run are given, so that the unit may be changed afterwards. `curve` names the
    curve of which the run is a point.
    """
    spread = run.get("spread") or {}
    rates = {
        field: with_spread(value, spread[field]) if spread.get(field) else single(value)
        for field, value in run["rates"].items()
        if field in RATE_FIELDS
    }
    pairs = [("m", write(str(run["label"]), hardware, rates, unit))]
    details = {name: run.get(name) for name in _COPIED}
    if run.get("evidence") not in (None, "measured"):
        details["evidence"] = run["evidence"]
    if run.get("success_rate") not in (None, 1):
        details |= {"success_rate": run["success_rate"], "rates_count": run.get("rates_count")}
    for name in ("input_tokens", "output_tokens"):
        if run.get(name):
            details[name] = float(f"{run[name]:.6g}")
    details["latency"] = point_of(run)
    details["curve"] = curve
    details["concurrency"] = run.get("concurrency")
    details |= {name: seconds for name, seconds in (run.get("latency_seconds") or {}).items() if seconds}
    for name, value in details.items():
        if value not in (None, ""):
            text = write_number(value) if isinstance(value, float) else str(value)
            pairs.append((f"m{place}.{name}", text[:1000]))
    return pairs


def curves_of(runs: Sequence[Mapping[str, Any]], hardware: Sequence[str]) -> list[str]:
    """Name the curve that each run is a point of, '' for none; a latency target picks one point of a curve.

    Points of one curve share model, hardware, software, precision, parallelism and mean lengths. Runs
    without a model may be of different ones, and are points of no curve; nor are those whose rate is
    not that of one load. Where a run does not state a length, only runs of the same file may share it.
    """
    found: list[tuple[tuple[object, ...], Mapping[str, Any], str]] = []
    names = []
    for run, where in zip(runs, hardware, strict=True):
        if not run.get("model") or not UNSETTLED.isdisjoint(run.get("flags") or ()):
            names.append("")
            continue
        key = (where, *(run.get(name) for name in ("model", "stack", "precision", "parallelism")))
        name = next((name for other, first, name in found if other == key and _same_lengths(first, run)), "")
        if not name:
            name = f"{str(run['model'])[:60]} #{len(found) + 1}"
            found.append((key, run, name))
        names.append(name)
    return names


def _same_lengths(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    lengths = [(a.get(name), b.get(name)) for name in ("input_tokens", "output_tokens")]
    if any((one is None) != (other is None) for one, other in lengths):
        return False
    if any(one is None for one, _ in lengths) and a.get("source") != b.get("source"):
        return False
    return all(same_length(one, other) for one, other in lengths)


def point_of(run: Mapping[str, Any]) -> str:
    """Say at which load and latency a run was made, such as `concurrency 32, TTFT p99 0.113 s`, and its marks."""
    parts = []
    if run.get("concurrency"):
        parts.append(f"concurrency {run['concurrency']:.4g}")
    if run.get("request_rate"):
        parts.append(f"{run['request_rate']:.4g} requests/s")
    latencies = run.get("latency_seconds") or {}
    for kind, name in (("ttft", "TTFT"), ("tpot", "TPOT"), ("itl", "ITL")):
        for statistic in ("p99", "p50"):
            seconds = latencies.get(f"{kind}_{statistic}")
            if seconds:
                parts.append(f"{name} {statistic} {seconds:.3g} s")
                break
    parts += [words for flag, words in _MARKS.items() if flag in (run.get("flags") or ())]
    return ", ".join(parts)
