"""What must it reach? Throughput, price and utilization at which an offer meets a target cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pricing import estimate
from pricing.columns import estimate_rows
from pricing.decisions.decision import Case, Decision, Figure, Lines, Result, Series, Table, Value
from pricing.decisions.inputs import InputsIn, Positive, Text, given
from pricing.decisions.offer_figures import (
    MEASUREMENT,
    OFFER,
    PRICE,
    PRICE_EVIDENCE,
    PRICE_SEEN,
    PURCHASE,
    RANK,
    REGION,
)
from pricing.decisions.sides import cheapest_of, offer_sides, old_prices, used
from pricing.errors import InvalidInputError
from pricing.question import Warned
from pricing.wording import say, word

CANNOT = say("cannot break even")
MOST_LINES = 4


class BreakEvenIn(InputsIn):
    """The target, and hardware that is yet to be measured."""

    target_usd: Positive | None = given(
        None,
        "Target cost",
        "USD per quoted unit (1M tokens, audio-hour, 1M requests), such as an API's price; blank, without a budget, is "
        "the cheapest estimate of the first measurement.",
        "0.60",
    )
    budget_usd_per_month: Positive | None = given(
        None, "Or a budget a month", "USD a month, for units_per_month; together they make the target.", "20000"
    )
    units_per_month: Positive | None = given(
        None, "Units a month", "Single units (tokens, audio-hours, requests) a month that the budget is for.", "30000M"
    )
    shop: tuple[Text, ...] = given(
        (),
        "Hardware still to be measured",
        "ACCELERATOR:COUNT; the list says what each must reach on a benchmark day.",
        "Trainium2:16",
        max_length=50,
    )


FIGURES = (
    Figure("target_usd", "Target", "{cost_unit}", "As given, or budget / units, or the cost now."),
    Figure("estimates", "Offers looked at", "", "Estimates that pass the filters.", "whole"),
    Figure("that_break_even", "Of these break even", "", "At full use, or the utilization of the question.", "whole"),
)
ESTIMATES = Table(
    "estimates",
    "What each offer must reach",
    (
        RANK,
        OFFER,
        REGION,
        PURCHASE,
        MEASUREMENT,
        PRICE,
        Figure("rate_per_second", "Rate", "{rate_unit}", "Counted rate at full load."),
        Figure("cost_usd", "Cost", "{cost_unit}", "At the utilization of the question."),
        Figure("rate_needed_per_second", "Rate needed", "{rate_unit}", "R · cost / target."),
        Figure("price_needed_usd_per_hour", "Price needed", "USD per hour", "P · target / cost.", "usd"),
        Figure("utilization_needed", "Utilization needed", "", "u · cost / target.", "share"),
        Figure("says", "In words", "", "Whether it breaks even.", "text"),
        PRICE_SEEN,
        PRICE_EVIDENCE,
    ),
)
SHOPPING = Table(
    "shopping_list",
    "Shopping list for a benchmark day",
    (
        Figure("hardware", "Hardware", "", "What to measure.", "text"),
        PURCHASE,
        Figure("offer", "Cheapest offer", "", "Of that hardware, bought in that way.", "text"),
        PRICE,
        Figure("replicas", "Replicas", "", "Copies of that hardware that the instance holds.", "whole"),
        Figure(
            "rate_needed_per_second",
            "Each replica must do",
            "{rate_unit}",
            "P · quoted / (3600 · u · target · n).",
        ),
        PRICE_SEEN,
    ),
    "The throughput at which each would meet the target, the cheapest offer of each way to buy. Measured: ________",
)


def solve(case: Case) -> Result:
    """Work out throughput, price and utilization that meet the target."""
    inputs: BreakEvenIn = case.inputs
    rows: list[dict[str, Any]] = estimate_rows(case.answer.page)
    target, said = _target(case, inputs, rows)
    lines = [_line(row, target) for row in rows]
    values: dict[str, Value] = {
        "target_usd": target,
        "estimates": len(rows),
        "that_break_even": sum(row["cost_usd"] <= target for row in rows),
    }
    cheapest = cheapest_of(case)
    noted: list[Warned] = []
    shopping = list(_shopping(case, inputs, target, noted))
    return Result(
        None,
        tuple(_sentences(case, target, said, rows, values)),
        values,
        {"estimates": lines, "shopping_list": shopping},
        (*case.comparison_warnings, *noted, *old_prices(*cheapest)),
        _chart(case, target, rows),
        used(*cheapest),
    )


def _target(case: Case, inputs: BreakEvenIn, rows: list[dict[str, Any]]) -> tuple[float, str]:
    both = (inputs.budget_usd_per_month, inputs.units_per_month)
    if inputs.target_usd is not None:
        if any(value is not None for value in both):
            raise InvalidInputError.at(("target_usd",), say("give either target_usd, or a budget with units_per_month"))
        return inputs.target_usd, say("your target")
    if both[0] is not None and both[1] is not None:
        return estimate.cost_of_budget(both[0], both[1], case.question.unit), say("your budget over the units")
    if any(value is not None for value in both):
        missing = "units_per_month" if both[1] is None else "budget_usd_per_month"
        raise InvalidInputError.at(
            (missing,), say("{missing} is missing: a budget and the units it is for go together", missing=missing)
        )
    if case.answer.baseline is None:
        raise InvalidInputError.at(
            ("target_usd",), say("a target is missing, and the first measurement has no estimate")
        )
    return case.answer.baseline.cost_usd, say("the cost on {name}", name=case.answer.baseline.name)


def _line(row: dict[str, Any], target: float) -> tuple[Value, ...]:
    price, rate, cost, share = (
        row[name] for name in ("price_usd_per_hour", "rate_per_second", "cost_usd", "utilization")
    )
    needed = estimate.utilization_to_tie(share, cost, target)
    says = CANNOT if needed > 1 else say("breaks even from {needed:percent} utilization", needed=needed)
    return (
        row["rank"], f"{row['provider']}/{row['instance_type']}", row["region"], row["purchase"], row["measurement"],
        price, rate, cost, estimate.rate_to_tie(rate, cost, target), estimate.price_to_tie(price, cost, target), needed,
        says, row["price_observed_on"], row["price_evidence"],
    )  # fmt: skip


def _shopping(case: Case, inputs: BreakEvenIn, target: float, noted: list[Warned]) -> Iterator[tuple[Value, ...]]:
    """Yield, for each hardware and way to buy, its cheapest offer and the rate that meets the target.

    Hardware that is not sold as the filters ask is shown as it is sold, and `noted`.
    """
    for i, hardware in enumerate(inputs.shop):
        cheapest: dict[object, tuple[float, tuple[Value, ...]]] = {}
        found, left_out = offer_sides(case, hardware, ("shop", i))
        if left_out:
            noted.append(
                Warned(
                    "sold_otherwise",
                    say("{hardware} is not sold as your filters ask; the list has how it is sold.", hardware=hardware),
                )
            )
        elif not found:
            noted.append(
                Warned(
                    "not_sold",
                    say("No offer in the table carries {hardware}; add a quote of yours.", hardware=hardware),
                )
            )
        for each, replicas in found:
            rate = estimate.rate_for_cost(each.price, target, each.utilization, case.question.unit)
            per_replica = rate / replicas
            line = (
                hardware, each.value("purchase"), each.name, each.price, replicas, per_replica,
                each.value("price_observed_on"),
            )  # fmt: skip
            kept = cheapest.get(each.value("purchase"))
            if kept is None or per_replica < kept[0]:
                cheapest[each.value("purchase")] = (per_replica, line)
        yield from (line for _, line in sorted(cheapest.values(), key=lambda pair: pair[0]))


def _sentences(
    case: Case, target: float, said: str, rows: list[dict[str, Any]], values: dict[str, Value]
) -> Iterator[str]:
    unit = case.question.unit
    yield (
        say(
            "To cost {target:significant} {cost_unit} ({said}): {that_break_even:,} of {number:,} offers do "
            "at {utilization:percent} utilization.",
            target=target,
            cost_unit=unit.cost_unit,
            said=said,
            that_break_even=values["that_break_even"],
            number=len(rows),
            utilization=case.question.utilization,
        )
    )
    if rows:
        first = rows[0]
        needed = estimate.utilization_to_tie(first["utilization"], first["cost_usd"], target)
        offer = f"{first['provider']}/{first['instance_type']}"
        name = say(
            "{offer} ({region}, {purchase})",
            offer=offer,
            region=first["region"],
            purchase=word(first["purchase"]),
        )
        if needed > 1:
            yield say(
                "None can: the cheapest, {name}, {cannot}; it would need {needed:percent} utilization.",
                name=name,
                cannot=CANNOT,
                needed=needed,
            )
        else:
            yield say("The cheapest, {name}, breaks even from {needed:percent} utilization.", name=name, needed=needed)


def _chart(case: Case, target: float, rows: list[dict[str, Any]]) -> Lines | None:
    """Draw cost against utilization for the cheapest offer of each measurement, and the target."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(row["measurement"], row)
    series = []
    top = 4 * max([target, *(r["cost_usd"] * r["utilization"] for r in first.values())])
    for row in list(first.values())[:MOST_LINES]:
        full = row["cost_usd"] * row["utilization"]
        shares = np.linspace(full / top, 1, 40)
        points = tuple((float(u), estimate.cost_at_utilization(full, float(u))) for u in shares)
        offer = f"{row['provider']}/{row['instance_type']}"
        name = say("{measurement} on {offer}", measurement=row["measurement"], offer=offer)
        series.append(Series(name, points))
    if not series:
        return None
    series.append(Series(say("target"), ((0.0, target), (1.0, target))))
    return Lines(say("Break-even"), say("utilization"), case.question.unit.cost_unit, tuple(series))


DECISION = Decision(
    "break-even",
    "What must it reach?",
    "For an API's price, a budget, or your present cost as the target: the throughput, the price and the utilization "
    "at which each offer meets it, and a shopping list for a benchmark day.",
    BreakEvenIn,
    solve,
    FIGURES,
    (
        ("unit", "output_token"),
        ("m", "H100-SXM:8=5200"),
        ("purchase", "on_demand"),
        ("target_usd", "2.5"),
        ("shop", "MI300X:8"),
        ("shop", "H200:8"),
    ),
    (ESTIMATES, SHOPPING),
    main="estimates",
    chart="Cost against utilization, and the target.",
)
