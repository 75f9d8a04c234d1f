"""From a run of a result file to a measurement of a question, in the short notation and its details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pricing.measurements import single, with_spread
from pricing.notation import write, write_number
from pricing.units import RATE_FIELDS, UNITS, Unit

# What a comparison asks for first where a run has several rates.
_FIRST = ("output_token", "audio_hour", "trained_token", "total_token", "input_token", "request")
_COPIED = ("stack", "model", "precision", "measured_on", "source")


def unit_of(runs: list[Mapping[str, Any]]) -> Unit:
    """Return the unit that most runs have a rate for, the most telling one first."""
    counts = {name: sum(UNITS[name].rate_field in run["rates"] for run in runs) for name in _FIRST}
    return UNITS[max(_FIRST, key=lambda name: counts[name])]


def hardware_of(run: Mapping[str, Any]) -> str:
    """Return `ACCELERATOR:COUNT` or `PROVIDER/INSTANCE_TYPE` as far as the file says it, else ''."""
    if run.get("provider") and run.get("instance_type"):
        return f"{run['provider']}/{run['instance_type']}"
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


def point_of(run: Mapping[str, Any]) -> str:
    """Say at which load and latency a run was made, such as `concurrency 32, TTFT p99 0.113 s`."""
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
    if "offered_load_limited" in (run.get("flags") or ()):
        parts.append("offered load limited")
    return ", ".join(parts)
