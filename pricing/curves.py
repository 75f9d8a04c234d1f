"""Curves: points of one configuration at several loads, and the one that meets a latency target.

More load gives more throughput and longer latencies. A target picks the point of a curve with the
highest throughput that meets it; between measured points a monotone curve may be drawn through
those that no other point beats (the Pareto front), never beyond them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pricing.errors import near_matches, shown
from pricing.measurements import LATENCIES, Measurement, Rate
from pricing.numbers import read_number
from pricing.wording import listed, say

USER_RATE = "tokens_per_second_per_user"
TARGETS = (*LATENCIES, USER_RATE)
_TARGET = re.compile(r"\s*([a-z0-9_]+)\s*(<=|>=)\s*(\S+)\s*")
EXAMPLE = "ttft_p99<=0.5"
# Mean lengths of random or recorded texts scatter by this share from run to run of one benchmark.
SAME_WORKLOAD = 0.05


@dataclass(frozen=True, slots=True)
class Target:
    """A latency in seconds that must not be exceeded, or a rate per user that must be reached."""

    name: str
    bound: float

    def met(self, value: float) -> bool:
        """Whether a value meets it."""
        return value >= self.bound if self.name == USER_RATE else value <= self.bound

    def __str__(self) -> str:
        """Return the target as it is written."""
        return f"{self.name}{'>=' if self.name == USER_RATE else '<='}{self.bound:g}"


def read_target(text: str) -> Target:
    """Read `ttft_p99<=0.5` (seconds) or `tokens_per_second_per_user>=40`. ValueError says what would be right."""
    match = _TARGET.fullmatch(text)
    if match is None:
        raise ValueError(
            say(
                "{text} is not a target; write for example {example} or {user_rate}>=40",
                text=shown(text),
                example=EXAMPLE,
                user_rate=USER_RATE,
            )
        )
    name, sign, number = match.groups()
    if name not in TARGETS:
        raise ValueError(say("{name} is not a latency that is known.", name=shown(name)) + near_matches(name, TARGETS))
    if (sign == ">=") != (name == USER_RATE):
        raise ValueError(
            say("{text}: a latency has an upper bound (<=), a rate per user a lower one (>=)", text=shown(text))
        )
    return Target(name, read_number(number))


def value_of(measurement: Measurement, name: str) -> float | None:
    """Return a latency in seconds; the rate per user is 1 / TPOT (or 1 / ITL), the median before the mean."""
    known = dict(measurement.latency_seconds)
    if name != USER_RATE:
        return known.get(name)
    for each in ("tpot_p50", "itl_p50", "tpot_mean", "itl_mean"):
        if each in known:
            return 1 / known[each]
    return None


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a target leaves of the measurements: `left_out` says why, by place; others may be interpolated."""

    measurements: tuple[Measurement, ...]
    left_out: Mapping[int, tuple[str, str]]


def chosen(
    measurements: Sequence[Measurement],
    rate_field: str,
    targets: Sequence[Target],
    *,
    interpolate: bool,
    accepted: Collection[str] = (),
) -> Chosen:
    """Pick of each curve the point with the highest rate of a kind that meets all targets.

    A measurement that belongs to no curve is one by itself. `interpolate` moves the point that was
    picked along the front, towards the next one, to where the first target is reached. `accepted`
    names differences that the user knows of (`input_tokens`, `output_tokens`).
    """
    result = list(measurements)
    left_out: dict[int, tuple[str, str]] = {}
    curves: dict[int, list[int]] = {}
    numbers = curve_numbers(measurements, accepted)
    for i, measurement in enumerate(measurements):
        if measurement.rate_for(rate_field) is not None:
            curves.setdefault(numbers[i], []).append(i)
    for places in curves.values():
        within: list[int] = []
        for i in places:
            values = {target: value_of(measurements[i], target.name) for target in targets}
            unknown = [target.name for target, value in values.items() if value is None]
            missed = [
                (target, value) for target, value in values.items() if value is not None and not target.met(value)
            ]
            if unknown:
                left_out[i] = (
                    "slo_unknown",
                    say("{label} has no {unknown}", label=measurements[i].label, unknown=", ".join(unknown)),
                )
            elif missed:
                target, value = missed[0]
                left_out[i] = (
                    "misses_slo",
                    say(
                        "{label} has {name} {value:.4g}, not {target}",
                        label=measurements[i].label,
                        name=target.name,
                        value=value,
                        target=target,
                    ),
                )
            else:
                within.append(i)
        if not within:
            continue
        best = max(within, key=lambda i: (_rate(measurements[i], rate_field), -i))
        for i in within:
            if i != best:
                left_out[i] = ("other_point", f"{measurements[i].label}, beside {measurements[best].label}")
        if interpolate and len(places) > 1:
            known = [i for i in places if left_out.get(i, ("",))[0] != "slo_unknown"]
            result[best] = _moved([measurements[i] for i in known], measurements[best], rate_field, targets)
    return Chosen(tuple(result), left_out)


def curve_numbers(measurements: Sequence[Measurement], accepted: Collection[str] = ()) -> list[int]:
    """Return for each measurement the number of its curve; equal numbers are points of one curve.

    Such points share the curve's name, hardware, stack, model and precision, and were measured with
    texts of the same mean lengths to within SAME_WORKLOAD: shorter prompts would look like less load.
    A length that only one of two states may be the same.
    """
    lengths = [name for name in ("input_tokens", "output_tokens") if name not in accepted]
    # Of each configuration its curves so far: the number, and the lengths that are known of it.
    found: dict[tuple[object, ...], list[tuple[int, dict[str, float | None]]]] = {}
    numbers: list[int] = []
    for place, m in enumerate(measurements):
        number, stated = place, {name: getattr(m, name) for name in lengths}
        curves = found.setdefault(_curve(m), []) if m.curve else []
        for other, known in curves:
            if all(same_length(known[name], stated[name]) for name in lengths):
                number = other
                known.update({name: stated[name] for name in lengths if known[name] is None})
                break
        else:
            curves.append((number, stated))
        numbers.append(number)
    return numbers


def same_length(a: float | None, b: float | None) -> bool:
    """Whether two mean lengths can be those of one workload; one that is not known can."""
    return a is None or b is None or abs(a - b) <= SAME_WORKLOAD * max(a, b)


def _curve(m: Measurement) -> tuple[object, ...]:
    """Return what points of one curve share exactly."""
    return (
        m.curve, m.accelerator, m.accelerator_count, m.provider, m.instance_type, m.stack, m.model, m.precision,
    )  # fmt: skip


def _rate(measurement: Measurement, rate_field: str) -> float:
    rate = measurement.rate_for(rate_field)
    return rate.value * measurement.counted_share if rate else float("nan")


def _badness(measurement: Measurement, target: Target) -> float:
    """Return the value that a target bounds from above."""
    value = value_of(measurement, target.name)
    if value is None:
        return float("inf")
    return 1 / value if target.name == USER_RATE else value


def front(points: Sequence[Measurement], rate_field: str, targets: Sequence[Target]) -> list[Measurement]:
    """Return the points that no other one beats in rate and all latencies, by rate ascending (Pareto front)."""
    figures = [(_rate(p, rate_field), *(-_badness(p, t) for t in targets)) for p in points]
    kept: list[tuple[tuple[float, ...], Measurement]] = []
    for figure, point in zip(figures, points, strict=True):
        beaten = any(all(a >= b for a, b in zip(other, figure, strict=True)) and other != figure for other in figures)
        if not beaten and all(figure[0] != other[0][0] for other in kept):
            kept.append((figure, point))
    return [point for _, point in sorted(kept, key=lambda pair: pair[0][0])]


def _moved(points: Sequence[Measurement], best: Measurement, rate_field: str, targets: Sequence[Target]) -> Measurement:
    """Return the best point, moved along the front to where the first of the targets is reached."""
    # Imported here: most questions have no curve, and the command line starts faster without it.
    from scipy.interpolate import PchipInterpolator  # noqa: PLC0415
    from scipy.optimize import brentq  # noqa: PLC0415

    on_front = front(points, rate_field, targets)
    if best not in on_front or on_front[-1] is best:
        return best
    at = on_front.index(best)
    following = on_front[at + 1]
    rates = np.array([_rate(point, rate_field) for point in on_front])
    reached = rates[at + 1]
    for target in targets:
        bound = 1 / target.bound if target.name == USER_RATE else target.bound
        values = np.array([_badness(point, target) for point in on_front])
        if values[at + 1] > bound:
            curve = PchipInterpolator(rates, values)

            def beyond(rate: float, curve: object = curve, bound: float = bound) -> float:
                return float(curve(rate)) - bound  # type: ignore[operator]

            reached = min(reached, brentq(beyond, rates[at], rates[at + 1], xtol=1e-12 * rates[at + 1]))
    if not reached > rates[at]:
        return best
    rate = float(reached) / best.counted_share
    latencies = {
        target.name: float(PchipInterpolator(rates, [_badness(p, target) for p in on_front])(reached))
        for target in targets
        if target.name != USER_RATE
    }
    met = listed(map(str, targets), " and ")
    return replace(
        best,
        label=f"{best.label} (interpolated)",
        rates={rate_field: Rate(rate)},
        latency=say(
            "interpolated at {met} between {label} ({rates:.5g}/s) and {label_2} ({rates_2:.5g}/s)",
            met=met,
            label=best.label,
            rates=rates[at],
            label_2=following.label,
            rates_2=rates[at + 1],
        ),
        latency_seconds=tuple(latencies.items()),
        concurrency=None,
        interpolated=True,
    )


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve for a chart: a latency in seconds, and what a unit costs at its rate."""

    label: str
    latency: float
    cost: float
    on_front: bool


def costs_along(
    measurements: Sequence[Measurement],
    one: Measurement,
    cost: float,
    rate_field: str,
    latency: str,
    accepted: Collection[str] = (),
) -> list[Point]:
    """Return the points of a measurement's curve, with their costs on one offer, by latency.

    cost_i = cost · R / R_i: price, replicas and utilization are those of the offer, the counted rates R
    those of the points.
    """
    numbers = curve_numbers(measurements, accepted)
    number = next((n for n, m in zip(numbers, measurements, strict=True) if m is one), None)
    same = [m for n, m in zip(numbers, measurements, strict=True) if n == number and m.curve]
    same = [m for m in same if m.rate_for(rate_field) is not None and value_of(m, latency) is not None]
    rate = _rate(one, rate_field)
    best = front(same, rate_field, [Target(latency, 1.0)])
    points = [
        Point(m.label, value_of(m, latency) or 0.0, cost * rate / _rate(m, rate_field), any(m is b for b in best))
        for m in same
    ]
    return sorted(points, key=lambda point: point.latency)


def latency_to_show(
    measurements: Sequence[Measurement], targets: Sequence[Target], accepted: Collection[str] = ()
) -> str | None:
    """Return the latency of a chart's axis: that of a target, else the first that two points of a curve have."""
    numbers = curve_numbers(measurements, accepted)
    for name in (*(t.name for t in targets), "ttft_p99", "ttft_p50", "tpot_p50", "itl_p50", "e2e_p50", *LATENCIES):
        known = [n for n, m in zip(numbers, measurements, strict=True) if m.curve and name in dict(m.latency_seconds)]
        if any(known.count(number) > 1 for number in known):
            return name
    return None
