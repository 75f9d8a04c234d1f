"""Does it pay to move? What a port costs once against what it saves a month."""

from __future__ import annotations

from collections.abc import Iterator

from pricing import moving
from pricing.decisions.decision import Case, Decision, Figure, Lines, Result, Series, Table, Value
from pricing.decisions.inputs import InputsIn, Machines, NotNegative, Positive, Text, given
from pricing.decisions.refusing import at_field
from pricing.decisions.sides import Side, old_prices, side, used
from pricing.devices import stage_of
from pricing.errors import InvalidInputError
from pricing.moving import Amount
from pricing.question import Warned
from pricing.wording import Sentence, rounded, say, word

VERDICTS = {
    "pays_back": "It saves every month, at the lower end of its range as well where it has one.",
    "may_pay_back": "The range of the saving includes 0: it may never pay back.",
    "never": "It saves nothing.",
    "not_comparable": "The measurements differ in something that makes a comparison meaningless.",
}
_OFFER = "USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]; blank is the cheapest offer."


class MoveIn(InputsIn):
    """What is used now, what one would move to, and what the move costs."""

    a: Text | None = given(None, "Now: price or offer", _OFFER, "aws/p5.48xlarge")
    b: Text | None = given(None, "After: price or offer", _OFFER, "aws/trn2.48xlarge")
    units_per_month: Positive | None = given(
        None, "Work a month", "Tokens, audio-hours or requests; with a measurement of both sides.", "30000M"
    )
    machines_now: Machines | None = given(None, "Or: machines now", "That run all the time.", "10")
    machines_after: Machines | None = given(None, "Machines after", "That run all the time.", "8")
    monthly_now_usd: Positive | None = given(None, "Or: monthly bill now", "USD a month.", "50000")
    monthly_after_usd: NotNegative | None = given(None, "Monthly bill after", "USD a month.", "35000")
    days: NotNegative = given(0.0, "Days of work", "For the port.", "20")
    day_rate_usd: NotNegative = given(0.0, "Cost of a day", "USD.", "900")
    lump_usd: NotNegative = given(0.0, "Or: a sum", "USD, besides the days.", "15000")
    warm_up_hours: NotNegative = given(
        0.0, "Hours of compiling and warm-up", "Paid accelerator time on the machines moved to.", "24"
    )
    warm_up_machines: Machines = given(1.0, "Machines that compile", "At once.", "2")


FIGURES = (
    Figure("one_off_usd", "The move costs once", "USD", "Days · rate + sum + hours · P · machines.", "usd"),
    Figure("warm_up_usd", "of it compiling and warm-up", "USD", "Hours · P · machines: paid accelerator time.", "usd"),
    Figure("monthly_now_usd", "Now", "USD per month", "Cost · units, machines · P · 730, or the bill.", "usd"),
    Figure("monthly_after_usd", "After", "USD per month", "In the same way.", "usd"),
    Figure("monthly_saving_usd", "Saving", "USD per month", "Now - after."),
    Figure("monthly_saving_low_usd", "from", "USD per month", "Lower end of its range; n/a: open, or no range."),
    Figure("monthly_saving_high_usd", "to", "USD per month", "Upper end of its range."),
    Figure("payback_months", "Paid back after", "months", "One-off cost / saving; n/a: never."),
    Figure("payback_shortest_months", "at the earliest", "months", "At the highest saving of the range."),
    Figure("payback_longest_months", "at the latest", "months", "At the lowest saving of the range; n/a: never."),
    Figure("stage", "Stage of the software moved to", "", "As its maker states it.", "text"),
)
NET = Table(
    "net",
    "What it has brought in",
    (
        Figure("months", "After", "months", "", "whole"),
        Figure("net_usd", "Net", "USD", "Saving · months - one-off cost."),
        Figure("net_low_usd", "from", "USD", "At the lowest saving of the range."),
        Figure("net_high_usd", "to", "USD", "At the highest saving of the range."),
    ),
)


def solve(case: Case) -> Result:
    """Weigh the one-off cost of a move against its monthly saving."""
    inputs: MoveIn = case.inputs
    now, after, sides = _months(case, inputs)
    warm_up = _warm_up(inputs, sides)
    one_off = moving.porting_cost(inputs.days, inputs.day_rate_usd, inputs.lump_usd) + warm_up
    if bool(inputs.days) != bool(inputs.day_rate_usd):
        missing = "day_rate_usd" if inputs.days else "days"
        raise InvalidInputError.at(
            (missing,), say("{missing} is missing: days of work and the cost of a day go together", missing=missing)
        )
    saved = moving.saving(now, after)
    shortest, longest = moving.payback_range(one_off, saved) if saved.known_range else (None, None)
    target = sides.get("After")
    stage = stage_of(str(target.value("accelerator")) if target and target.row else None, case.catalogue)
    verdict = "not_comparable" if case.blocked and inputs.units_per_month else moving.verdict(saved)
    values: dict[str, Value] = {
        "one_off_usd": one_off,
        "warm_up_usd": warm_up,
        "monthly_now_usd": now.value,
        "monthly_after_usd": after.value,
        "monthly_saving_usd": saved.value,
        "monthly_saving_low_usd": saved.low,
        "monthly_saving_high_usd": saved.high,
        "payback_months": moving.payback_months(one_off, saved.value),
        "payback_shortest_months": shortest,
        "payback_longest_months": longest,
        "stage": stage[0] if stage else None,
    }
    rows = [(months, *(_net(one_off, each, months) for each in (saved.value, saved.low, saved.high)))
            for months in moving.NET_MONTHS]  # fmt: skip
    warned = [*case.comparison_warnings, *old_prices(*sides.values())]
    if stage:
        warned.append(
            Warned(
                "stage_of_stack",
                say("The software moved to is in {stage}; source: {stage_2}.", stage=stage[0], stage_2=stage[1]),
            )
        )
    return Result(
        verdict,
        tuple(_sentences(values, verdict, saved, sides, exact=now.low == now.high and after.low == after.high)),
        values,
        {"net": rows},
        tuple(warned),
        _chart(one_off, saved),
        used(*sides.values()),
    )


def _net(one_off: float, monthly: float | None, months: int) -> float | None:
    return None if monthly is None else moving.net_after(one_off, monthly, months)


def _months(case: Case, inputs: MoveIn) -> tuple[Amount, Amount, dict[str, Side]]:
    """Work out the monthly cost now and after, in the one way that is given, and the sides whose price is known."""
    ways = {
        "units_per_month": (inputs.units_per_month,),
        "machines_now": (inputs.machines_now, inputs.machines_after),
        "monthly_now_usd": (inputs.monthly_now_usd, inputs.monthly_after_usd),
    }
    said = [name for name, values in ways.items() if any(value is not None for value in values)]
    if len(said) != 1:
        raise InvalidInputError.at(
            (said[-1] if said else "units_per_month",),
            say(
                "say in one way what is paid: units_per_month with a measurement of both sides, machines_now "
                "and machines_after, or monthly_now_usd and monthly_after_usd"
            ),
        )
    for name, other in (("machines_now", "machines_after"), ("monthly_now_usd", "monthly_after_usd")):
        one, two = getattr(inputs, name), getattr(inputs, other)
        if (one is None) != (two is None):
            missing = name if one is None else other
            raise InvalidInputError.at(
                (missing,),
                say("{missing} is missing: {name} and {other} go together", missing=missing, name=name, other=other),
            )
    if said[0] == "monthly_now_usd":
        bills = (Amount.exact(inputs.monthly_now_usd or 0.0), Amount.exact(inputs.monthly_after_usd or 0.0))
        # Of bills, only the machine moved to needs a price: its warm-up is paid time.
        return *bills, {"After": side(case, 1, inputs.b, "b")} if inputs.b else {}
    sides = {"Now": side(case, 0, inputs.a, "a"), "After": side(case, 1, inputs.b, "b")}
    if said[0] == "machines_now":
        counts = (inputs.machines_now or 0.0, inputs.machines_after or 0.0)
        costs = [
            Amount.exact(moving.cost_of_machines(each.price, n)) for each, n in zip(sides.values(), counts, strict=True)
        ]
        return costs[0], costs[1], sides
    amounts = []
    for number, each in enumerate(sides.values(), 1):
        if each.cost is None:
            raise InvalidInputError.at(
                ("m", number - 1), say("measurement {number} is missing: the cost of the work needs it", number=number)
            )
        ranged = each.log_se is not None
        cost = Amount(each.cost, each.cost_low, each.cost_high, ranged)
        with at_field("units_per_month"):
            amounts.append(moving.cost_of_work(cost, inputs.units_per_month or 0.0, case.question.unit))
    return amounts[0], amounts[1], sides


def _warm_up(inputs: MoveIn, sides: dict[str, Side]) -> float:
    if not inputs.warm_up_hours:
        return 0.0
    if "After" not in sides:
        raise InvalidInputError.at(
            ("b",), say("the price of the machine moved to is missing: its warm-up is paid time")
        )
    return moving.warm_up_cost(inputs.warm_up_hours, sides["After"].price, inputs.warm_up_machines)


def _sentences(
    values: dict[str, Value], verdict: str, saved: Amount, sides: dict[str, Side], *, exact: bool
) -> Iterator[str]:
    def said(name: str) -> Sentence:
        value = values[name]
        return say("never") if value is None else rounded(value if isinstance(value, float) else None)

    once = rounded(values["one_off_usd"] if isinstance(values["one_off_usd"], float) else None)
    if verdict == "never":
        monthly = rounded(saved.value)
        yield say(
            "It never pays back: the move costs {once} USD and saves nothing ({monthly} USD a month).",
            once=once,
            monthly=monthly,
        )
    elif verdict == "not_comparable":
        yield say("The two can't be compared, so that nobody can say what a move saves.")
    else:
        # The range may hold a saving where the measured means show none.
        yield (
            say(
                "By the measured means it does not pay back: {once} USD once, and nothing saved "
                "({value:significant} USD a month).",
                once=once,
                value=saved.value,
            )
            if saved.value <= 0
            else say(
                "It has paid back after {payback_months} months: {once} USD once, against "
                "{value:significant} USD saved a month.",
                payback_months=said("payback_months"),
                once=once,
                value=saved.value,
            )
        )
        if saved.known_range and not exact:
            ends = said("payback_shortest_months") + say(" to ") + said("payback_longest_months")
            yield say("With the range of the measurements: {ends}.", ends=ends)
    for name, each in sides.items():
        yield say(
            "{name}: {name_2} at {price:significant4} USD per hour ({price_said}).",
            name=word(name),
            name_2=each.name,
            price=each.price,
            price_said=each.price_said,
        )
    if values["stage"]:
        yield say("The software moved to is in {stage}.", stage=word(str(values["stage"])))


def _chart(one_off: float, saved: Amount) -> Lines | None:
    if saved.value <= 0 or not one_off:
        return None
    end = max(moving.NET_MONTHS[0], 2 * one_off / saved.value)
    return Lines(
        say("Payback"),
        say("months"),
        say("USD"),
        (Series(say("cost of the move"), ((0.0, one_off), (end, one_off))),
         Series(say("saved so far"), ((0.0, 0.0), (end, end * saved.value)))),
    )  # fmt: skip


DECISION = Decision(
    "move",
    "Does it pay to move?",
    "A port to another chip costs days of work, and its compiling is paid accelerator time. After how many months has "
    "the saving paid for that?",
    MoveIn,
    solve,
    FIGURES,
    (
        ("a", "20"),
        ("b", "14"),
        ("machines_now", "10"),
        ("machines_after", "12"),
        ("days", "30"),
        ("day_rate_usd", "900"),
        ("warm_up_hours", "40"),
    ),
    (NET,),
    chart="Cost of the move, and what it has saved so far.",
    verdicts=VERDICTS,
    measurements=(0, 2),
    roles=("Now", "After"),
)
