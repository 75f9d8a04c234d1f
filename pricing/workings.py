"""The workings of one estimate: each step of its formula with the figures filled in, and where they are from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pricing.measurements import Measurement
from pricing.units import SECONDS_PER_HOUR, Unit
from pricing.wording import listed, say, word


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it gives, the figures that go into it, the result with its unit, and a note."""

    name: str
    figures: str
    result: float | None
    unit: str
    note: str = ""


def workings(row: Mapping[str, Any], measurement: Measurement, unit: Unit) -> list[Step]:
    """Return the steps from price and measurement to an estimate's cost, in order.

    `row` has the columns of the estimate; its cost is P / (3600 · R · u) · quoted, with the price P in
    USD per hour, R units per second and the utilization u (see `estimate.cost_per_quoted_unit`).
    """
    rate = measurement.rate_for(unit.rate_field)
    each = rate.value if rate else None
    replicas, success = row["replicas"], measurement.counted_share
    steps = [_price(row), _replicas(row, measurement)]
    figures = say("{replicas} × {each:,.10g}", replicas=replicas, each=_known(each))
    note = "" if replicas == 1 else say("that the replicas run side by side at full speed is assumed")
    if success != 1:
        figures += say(" × {success:,.10g}", success=_known(success))
        note = listed([*([note] if note else []), say("failed work is paid for, and does not count")], "; ")
    steps.append(Step(say("Rate that counts"), figures, row["rate_per_second"], unit.rate_unit, note))
    share = row["utilization"]
    steps.append(
        Step(
            say("Utilization"),
            say("share of paid time at that rate"),
            share,
            "",
            "" if share != 1 else say("full load"),
        )
    )
    quoted = "" if unit.quoted == unit.single and unit.quoted == 1 else say(" × {quoted:,.0f}", quoted=unit.quoted)
    divided = say(
        "{price:,.10g} ÷ ({seconds:,} × {rate:,.10g} × {share:,.10g})",
        price=_known(row["price_usd_per_hour"]),
        seconds=SECONDS_PER_HOUR,
        rate=_known(row["rate_per_second"]),
        share=_known(share),
    )
    steps.append(Step(say("Cost"), divided + quoted, row["cost_usd"], unit.cost_unit))
    if row["cost_low_usd"] is not None:
        for name, column, bound in (("lower", "cost_low_usd", "upper"), ("upper", "cost_high_usd", "lower")):
            steps.append(
                Step(
                    say("Cost, {name} bound", name=word(name)),
                    say("at the rate's {bound} bound", bound=word(bound)),
                    row[column],
                    unit.cost_unit,
                )
            )
    if row["ratio_to_baseline"]:
        baseline = row["cost_usd"] / row["ratio_to_baseline"]
        figures = say("{cost:,.10g} ÷ {baseline:,.10g}", cost=row["cost_usd"], baseline=baseline)
        steps.append(Step(say("Ratio to the baseline"), figures, row["ratio_to_baseline"], say("times")))
    return steps


def _price(row: Mapping[str, Any]) -> Step:
    age = (
        ""
        if row["price_age_days"] is None
        else say(", {price_age_days} days old", price_age_days=row["price_age_days"])
    )
    seen = say(
        "{price_evidence} price of {price_observed_on}{age}",
        price_evidence=word(row["price_evidence"]),
        price_observed_on=(
            date.fromisoformat(row["price_observed_on"]) if row["price_observed_on"] else say("no stated date")
        ),
        age=age,
    )
    note = say("{seen}; source: {source}", seen=seen, source=row["price_source"] or say("not stated"))
    before = row["list_price_usd_per_hour"]
    figures = (
        say("of the whole instance")
        if before is None
        else say("list price {price:,.10g} less your discount", price=before)
    )
    return Step(say("Price"), figures, row["price_usd_per_hour"], say("USD per hour"), note)


def _replicas(row: Mapping[str, Any], measurement: Measurement) -> Step:
    if measurement.accelerator is None:
        return Step(say("Replicas"), say("measured on this instance type"), 1, "", say("applies to it alone"))
    held, needed = row["accelerator_count"], measurement.accelerator_count or 1
    idle = row["idle_accelerators"]
    note = say("{idle} left over, paid for and idle", idle=idle) if idle else ""
    return Step(
        say("Replicas"),
        say("⌊{held} accelerators ÷ {needed} measured⌋", held=held, needed=needed),
        row["replicas"],
        "",
        note,
    )


def _known(value: float | None) -> float:
    """Take a number that an estimate always has; one without is no number."""
    return math.nan if value is None else value
