"""Throughputs: a rate with its range, from one number, repeats or a spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pricing.units import RATE_FIELDS
from pricing.wording import say

EVIDENCE = ("measured", "published", "claimed", "assumed")
LATENCY_KINDS = ("ttft", "tpot", "itl", "e2e")
STATISTICS = ("mean", "p50", "p90", "p95", "p99")
# Time to first token, per output token, between tokens, end to end; in seconds.
LATENCIES = tuple(f"{kind}_{statistic}" for kind in LATENCY_KINDS for statistic in STATISTICS)
RATES_COUNT = ("attempted", "successful")
# A 95 % interval is this many standard errors to each side of a normal mean.
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate in units per second. `low`, `high`: 95 % interval; `log_se`: standard error of ln(rate).

    The three are None for a single number without a spread: its error is unknown, not zero.
    `runs` and `half_width` keep what was given, so that a link can say it again.
    """

    value: float
    low: float | None = None
    high: float | None = None
    log_se: float | None = None
    runs: tuple[float, ...] = ()
    half_width: float | None = None


def positive(value: float) -> float:
    """Return the rate if it can be one; ValueError with a sentence otherwise."""
    if not math.isfinite(value) or value <= 0:
        raise ValueError(say("a rate must be a number above 0, not {value:g}", value=value))
    # Beyond these no cost is a finite, normal double.
    if not 1e-12 <= value <= 1e15:
        raise ValueError(say("a rate of {value:g} per second is outside 1e-12 to 1e15; check its unit", value=value))
    return value


def single(value: float) -> Rate:
    """One number: no range."""
    return Rate(positive(value))


def with_spread(value: float, half_width: float) -> Rate:
    """Return the rate with the 95 % interval value ± half_width, both in units per second.

    Standard error of ln(rate) = half_width / (1.96 · value).
    """
    positive(value)
    if not math.isfinite(half_width) or half_width <= 0:
        raise ValueError(say("a spread must be a number above 0, not {half_width:g}", half_width=half_width))
    positive(value + half_width)
    return Rate(
        value,
        value - half_width,
        value + half_width,
        half_width / (NORMAL_95 * value),
        half_width=half_width,
    )


def from_repeats(values: Sequence[float]) -> Rate:
    """Mean of k >= 2 runs with the 95 % Student-t interval of the mean, k - 1 degrees of freedom.

    mean ± t(0.975, k-1) · s / √k, with s the sample standard deviation (k - 1 in the denominator);
    standard error of ln(rate) = s / (√k · mean). Source: NIST/SEMATECH e-Handbook, 1.3.5.2.
    """
    runs = tuple(positive(v) for v in values)
    if len(runs) < 2:
        raise ValueError(say("repeats need at least two runs"))
    # Imported here: most questions have no repeats, and the command line starts faster without it.
    from scipy.special import stdtrit  # noqa: PLC0415

    k = len(runs)
    mean = math.fsum(runs) / k
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in runs) / (k - 1) / k)
    half = float(stdtrit(k - 1, 0.975)) * error
    return Rate(mean, mean - half, mean + half, error / mean, runs=runs)


def total_of(inputs: Rate, outputs: Rate) -> Rate:
    """Total-token rate as the sum of the input and the output rate of one measurement.

    Runs are added one by one. Spreads are added: both rates come from the same run, so that their
    errors go together. If only one has a range, the sum has none.
    """
    if inputs.runs and len(inputs.runs) == len(outputs.runs):
        return from_repeats([a + b for a, b in zip(inputs.runs, outputs.runs, strict=True)])
    if inputs.high is not None and outputs.high is not None:
        half = (inputs.high - inputs.value) + (outputs.high - outputs.value)
        total = inputs.value + outputs.value
        return with_spread(total, half) if half > 0 else Rate(total, total, total, 0.0)
    return Rate(inputs.value + outputs.value)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A throughput that the user supplies, with the hardware that it was measured on.

    Either `accelerator` (canonical name) and `accelerator_count`, or `provider` and
    `instance_type` (`accelerator_count` then picks one size of that type, None for the only one).
    """

    label: str
    accelerator: str | None
    accelerator_count: int | None
    provider: str | None
    instance_type: str | None
    rates: dict[str, Rate]
    success_rate: float = 1.0
    rates_count: str = "attempted"
    evidence: str = "measured"
    source: str | None = None
    stack: str | None = None
    model: str | None = None
    precision: str | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    latency: str | None = None
    measured_on: str | None = None
    concurrency: float | None = None
    curve: str | None = None
    latency_seconds: tuple[tuple[str, float], ...] = ()
    interpolated: bool = False

    @property
    def reference_point(self) -> str | None:
        """At which load and latency the rate holds, in words; None where nothing is known of it."""
        if self.latency:
            return self.latency
        parts = [f"concurrency {self.concurrency:.4g}"] if self.concurrency else []
        parts += [f"{name.replace('_', ' ')} {seconds:.4g} s" for name, seconds in self.latency_seconds]
        return ", ".join(parts) or None

    @property
    def counted_share(self) -> float:
        """Share of the rate that counts: the success rate, unless only successes were counted."""
        return self.success_rate if self.rates_count == "attempted" else 1.0

    def rate_for(self, rate_field: str) -> Rate | None:
        """Return the rate of this kind, or None. No kind stands for another, except total = in + out."""
        rate = self.rates.get(rate_field)
        if rate is None and rate_field == "total_tokens_per_second":
            inputs = self.rates.get("input_tokens_per_second")
            outputs = self.rates.get("output_tokens_per_second")
            if inputs is not None and outputs is not None:
                return total_of(inputs, outputs)
        return rate

    def kinds(self) -> str:
        """Return the kinds of rate it has, for a message."""
        return ", ".join(RATE_FIELDS[field].short_key for field in self.rates)
