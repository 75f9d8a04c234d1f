"""Scenarios in the long form in which an engine joins them with offers: what each demands, and at which rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from typing import Any

from pricing.accelerators import Catalogue
from pricing.estimate import counted_rate, utilization_with_loss
from pricing.measurements import Measurement
from pricing.sweeps.expression import UNDATED, Join
from pricing.sweeps.scenarios import Rated, Scenario

# Columns that an offer must equal, where a demand names a value for them.
EQUAL = (
    "accelerator",
    "provider",
    "instance_type",
    "accelerator_count",
    "region",
    "area",
    "purchase",
    "term_months",
    "unconfirmed",
)
# What carries a measurement: a named instance type, or any with the accelerator.
HARDWARE = (("provider", "instance_type"), ("accelerator",))
BOUNDS = ("per_replica", "most_usd", "most_accelerators", "oldest", "spot_weight", "one_size")
WANTED = ("measured", "ask", "demand", "rate", "utilization", "spot_utilization", "quoted")
Value = str | int
Bounds = tuple[int | None, float | None, int | None, date | None, float, bool]
# For each column that an offer must equal, the values that will do.
Allowed = tuple[tuple[str, tuple[Value, ...]], ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """A scenario's group of measurements within which estimates can be ranked; group 0: none has a rate."""

    scenario: Scenario
    group: int


@dataclass
class Asked:
    """Scenarios as two tables: `wanted`, a row per measurement that counts, and `demanded`, distinct demands.

    `wanted` numbers measurements by their place in `measured`, and asks by theirs in `asks`.
    `demanded` has a row per combination of values that the filters of a demand allow; `patterns` are
    the sets of columns for which rows have a value, by the row's `pattern`. `hardware` counts the
    demands by what they are carried by: an accelerator, or a provider's instance type.
    """

    asks: list[Ask] = field(default_factory=list)
    measured: list[Rated] = field(default_factory=list)
    wanted: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in WANTED})
    demanded: dict[str, list[Any]] = field(
        default_factory=lambda: {name: [] for name in ("demand", "pattern", *BOUNDS, *EQUAL)}
    )
    patterns: list[tuple[str, ...]] = field(default_factory=list)
    hardware: dict[tuple[str, str] | str, int] = field(default_factory=dict)
    _numbers: dict[tuple[Allowed, Bounds], int] = field(default_factory=dict)

    @classmethod
    def of(cls, scenarios: Iterable[Scenario], as_of: date, catalogue: Catalogue, *, tell_apart: bool) -> Asked:
        """Lay out scenarios; `tell_apart` where some of them and not others count unconfirmed prices."""
        asked = cls()
        for scenario in scenarios:
            asked._add(scenario, as_of, catalogue, tell_apart)
        return asked

    def _add(self, scenario: Scenario, as_of: date, catalogue: Catalogue, tell_apart: bool) -> None:
        whole = scenario.utilization
        of_spot = utilization_with_loss(whole, scenario.spot_loss)
        rated = scenario.rated()
        first = len(self.asks)
        groups = list(dict.fromkeys(r.group for r in rated)) or [0]
        self.asks += [Ask(scenario, group) for group in groups]
        for each in rated:
            allowed = _allowed(scenario, each.measurement, catalogue)
            if allowed is None:
                continue
            if tell_apart:
                allowed = (*allowed, ("unconfirmed", (int(scenario.include_unconfirmed),)))
            demand = self._demand(allowed, _bounds(scenario, each.measurement, as_of), each.measurement)
            row = (
                len(self.measured), first + groups.index(each.group), demand,
                counted_rate(each.rate.value, each.share), whole, of_spot, scenario.unit.quoted,
            )  # fmt: skip
            self.measured.append(each)
            for name, value in zip(WANTED, row, strict=True):
                self.wanted[name].append(value)

    def joins(self, most: int | None) -> list[Join]:
        """Return at most so many joins that find the offers of all demands, and say in `demanded` which is a row's.

        Each pattern has one that finds exactly its offers. Where they are too many, the commonest have,
        and for the others what the hardware alone finds is compared column by column.
        """
        exact = [Join(names, ()) for names in self.patterns]
        if most is None or len(exact) <= most:
            return exact
        common = [number for number, _ in Counter(self.demanded["pattern"]).most_common(most - len(HARDWARE))]
        place = {number: i for i, number in enumerate(common)}
        joins = [exact[number] for number in common]
        for on in HARDWARE:
            rest = [n for n, names in enumerate(self.patterns) if n not in place and set(on) <= set(names)]
            if rest:
                compared = {name for number in rest for name in self.patterns[number]} - set(on)
                place |= dict.fromkeys(rest, len(joins))
                joins.append(Join(on, tuple(sorted(compared))))
        self.demanded["pattern"] = [place[number] for number in self.demanded["pattern"]]
        return joins

    def _demand(self, allowed: Allowed, bounds: Bounds, measurement: Measurement) -> int:
        number = self._numbers.get((allowed, bounds))
        if number is not None:
            return number
        number = self._numbers[allowed, bounds] = len(self._numbers)
        hardware = measurement.accelerator or (measurement.provider or "", measurement.instance_type or "")
        self.hardware[hardware] = self.hardware.get(hardware, 0) + 1
        names = tuple(name for name, _ in allowed)
        if names not in self.patterns:
            self.patterns.append(names)
        for values in product(*(values for _, values in allowed)):
            row = dict(zip(names, values, strict=True)) | dict(zip(BOUNDS, bounds, strict=True))
            row |= {"demand": number, "pattern": self.patterns.index(names)}
            for name, column in self.demanded.items():
                column.append(row.get(name))
        return number


def _allowed(scenario: Scenario, measurement: Measurement, catalogue: Catalogue) -> Allowed | None:
    """Return the values that an offer may have, in the columns where not all will do; None where none will."""
    filters = scenario.filters
    accelerators = _accelerators(scenario, catalogue)
    allowed: dict[str, Sequence[Value]] = {
        "provider": filters.provider,
        "region": filters.region,
        "area": filters.area,
        "purchase": filters.purchase,
        "term_months": filters.term_months,
    }
    if measurement.accelerator is not None:
        if accelerators is not None and measurement.accelerator not in accelerators:
            return None
        allowed["accelerator"] = (measurement.accelerator,)
    else:
        provider = measurement.provider or ""
        if filters.provider and provider not in filters.provider:
            return None
        allowed |= {"provider": (provider,), "instance_type": (measurement.instance_type or "",)}
        if measurement.accelerator_count is not None:
            allowed["accelerator_count"] = (measurement.accelerator_count,)
        if accelerators is not None:
            if not accelerators:
                return None
            allowed["accelerator"] = sorted(accelerators)
    return tuple((name, tuple(dict.fromkeys(allowed[name]))) for name in EQUAL if allowed.get(name))


def _accelerators(scenario: Scenario, catalogue: Catalogue) -> frozenset[str] | None:
    """Return the accelerators that the filters by name and by maker leave; None where they leave all."""
    vendors = scenario.filters.vendor
    if not vendors:
        return scenario.accelerators
    made = frozenset(name for name, chip in catalogue.accelerators.items() if chip.vendor in vendors)
    return made if scenario.accelerators is None else made & scenario.accelerators


def _bounds(scenario: Scenario, measurement: Measurement, as_of: date) -> Bounds:
    filters = scenario.filters
    on_type = measurement.accelerator is None
    return (
        None if on_type else measurement.accelerator_count or 1,
        filters.max_price_usd_per_hour,
        filters.max_accelerators,
        _oldest(as_of, filters.max_age_days),
        1 / (1 - scenario.spot_loss),
        not scenario.all_sizes and not on_type,
    )


def _oldest(as_of: date, days: int | None) -> date | None:
    """Return the first day that is at most so many days before a date."""
    if days is None:
        return None
    return as_of - timedelta(days) if days < (as_of - UNDATED).days else UNDATED
