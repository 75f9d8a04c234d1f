"""Should I commit? Reserved, savings plan, capacity block or owned against on demand, with a chance to stop early."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pricing import commitments
from pricing.decisions.decision import PRICE_PARAMETERS, Case, Decision, Figure, Lines, Result, Series, Table, Value
from pricing.decisions.inputs import InputsIn, Machines, NotNegative, Portion, Positive, Text, Whole, given
from pricing.decisions.refusing import at_field
from pricing.decisions.sides import Side, named_prices, old_prices, side, used
from pricing.errors import InvalidInputError, shown
from pricing.question import Warned
from pricing.wording import Sentence, rounded, say

COMMITTED = ("reserved", "savings_plan", "capacity_block", "owned")
UNCOMMITTED = ("on_demand", "spot")
DEFAULT_TERM = 12.0
UPFRONT = {"all_upfront": 1.0, "partial_upfront": 0.5}
_NAME = say("USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]]")

VERDICTS = {
    "commit": "Committing has the lower expected cost over the horizon.",
    "on_demand": "On demand has the lower expected cost over the horizon.",
    "equal": "Both have the same expected cost.",
}


class CommitIn(InputsIn):
    """What is paid on demand and under a commitment, and how long the machine is needed."""

    on_demand: Text | None = given(
        None, "On demand: price or offer", f"What an hour costs without a commitment: {_NAME}.", "10"
    )
    committed: Text | None = given(
        None,
        "Committed: price or offer",
        f"What an hour costs under the commitment, with what is paid upfront spread over its term: {_NAME}; blank "
        "compares every commitment on sale for that instance type.",
        "6.5",
    )
    term: Positive | None = given(
        None,
        "Term",
        "Months of the commitment, or of the use of an owned machine; blank is the offer's, else 12.",
        "12",
    )
    upfront: Portion | None = given(
        None,
        "Paid upfront",
        "Share of the whole commitment that is paid at its start; blank is the offer's, else 0.",
        "50%",
    )
    horizon: Whole | None = given(
        None, "Horizon", "Months for which the machine may be needed, 1 to 600; blank is the longest term.", "24"
    )
    stop_chance: Portion | None = given(
        None, "Chance to stop, a month", "Chance at the end of each month that the machine is needed no more.", "3%"
    )
    stop_month: Whole | None = given(
        None, "Or: last month", "The last month in which the machine is needed, if that is known.", "8"
    )
    stop_chances: tuple[Portion, ...] = given(
        (), "Or: chance of each month to be the last", "From month 1 on; the rest is the chance of the horizon.", "5%"
    )
    yearly_fall: Portion = given(
        0.0, "Yearly fall of list prices", "Share by which on-demand prices fall in a year, month by month.", "20%"
    )
    capex_usd: Positive | None = given(
        None, "Owned: purchase price", "USD for one machine that is bought, in place of a committed price.", "280000"
    )
    running_usd_per_hour: NotNegative = given(0.0, "Owned: power", "USD per hour that the machine is needed.", "1.6")
    yearly_usd: NotNegative = given(
        0.0, "Owned: hosting and staff", "USD a year till the end of the term, needed or not.", "20000"
    )
    resale_usd: NotNegative = given(
        0.0, "Owned: resale value", "USD at the end of the term; an earlier sale is counted at the same value.", "40000"
    )
    machines: Machines = given(1.0, "Machines", "How many of the machines are needed.", "1")


FIGURES = (
    Figure("on_demand_price_usd_per_hour", "On demand: price", "USD per hour", "Of one machine, at month 0.", "usd"),
    Figure("committed_price_usd_per_hour", "Committed: price", "USD per hour",
           "(total - resale) / (730 · T) + running cost, of one machine used over the whole term.", "usd"),
    Figure("term_months", "Term", "months", "T: how long the commitment is owed."),
    Figure("horizon_months", "Horizon", "months", "H: how long the machine may be needed.", "whole"),
    Figure("break_even_month", "Break-even", "months of need",
           "T · P_committed / P_on_demand where prices stand still; with a fall the first month, interpolated, at "
           "which the costs meet. n/a: never."),
    Figure("chance_to_reach_break_even", "Chance that it is needed so long", "", "By the chances to stop.", "share"),
    Figure("expected_on_demand_usd", "On demand: expected cost", "USD", "Σ chance of month k · cost then.", "usd"),
    Figure("expected_committed_usd", "Committed: expected cost", "USD", "Σ chance of month k · cost then.", "usd"),
    Figure("expected_saving_usd", "Committing saves, on average", "USD", "Their difference.", "usd"),
    Figure("monthly_chance_to_tie", "Both cost the same at a chance to stop of", "a month",
           "Monthly chance at which the expected costs agree. n/a: none between 0 and 1.", "share"),
    Figure("worst_regret_committed_usd", "Committed: worst regret", "USD",
           "Most that committing costs more than on demand, over all stopping months to the horizon.", "usd"),
    Figure("worst_regret_committed_month", "when the last month is", "", "Stopping month of that.", "whole"),
    Figure("worst_regret_on_demand_usd", "On demand: worst regret", "USD",
           "Most that on demand costs more than committing, over all stopping months to the horizon.", "usd"),
    Figure("worst_regret_on_demand_month", "when the last month is", "", "Stopping month of that.", "whole"),
    Figure("total_usd", "Committed: owed in all", "USD", "From the first day on: 730 · T · P, or the purchase.", "usd"),
    Figure("upfront_usd", "of it upfront", "USD", "Paid at month 0.", "usd"),
    Figure("expected_owed_usd", "Still owed when the need ends, on average", "USD",
           "Sum over k of chance of k · (total - upfront) · (1 - k / T).", "usd"),
)  # fmt: skip
MONTHS = Table(
    "months",
    "Month by month",
    (
        Figure("month", "Month", "", "Months since the start.", "whole"),
        Figure("chance_to_be_last", "Chance to be the last", "", "That the machine is needed no longer.", "share"),
        Figure("on_demand_usd", "On demand, so far", "USD", "Cost of so many months.", "usd"),
        Figure("committed_paid_usd", "Committed, paid so far", "USD", "Upfront and monthly, while needed.", "usd"),
        Figure("still_owed_usd", "Still owed", "USD", "What is left to pay till the end of the term.", "usd"),
        Figure("committed_if_last_usd", "Committed, if it is the last", "USD", "With all that is still owed.", "usd"),
        Figure("regret_committed_usd", "Regret of committing", "USD", "Cost above the better choice.", "usd"),
        Figure("regret_on_demand_usd", "Regret of on demand", "USD", "Cost above the better choice.", "usd"),
    ),
    "730 hours a month. After the term the machine goes on at the on-demand price of that month: a renewal is a new "
    "decision, made with the prices of that day.",
)  # fmt: skip
PLANS = Table(
    "plans",
    "Commitments compared",
    (
        Figure("offer", "Commitment", "", "Lowest expected cost first.", "text"),
        Figure("plan", "Plan", "", "How it is paid, where the offer says so.", "text"),
        Figure("term_months", "Term", "months", "How long it is owed."),
        Figure("upfront_share", "Upfront", "", "Share of the total paid at month 0.", "share"),
        Figure("price_usd_per_hour", "Price", "USD per hour", "Over the whole term.", "usd"),
        Figure("break_even_month", "Break-even", "months of need", "n/a: never."),
        Figure("expected_usd", "Expected cost", "USD", "Over the horizon.", "usd"),
        Figure("expected_on_demand_usd", "On demand", "USD", "Expected cost over the horizon.", "usd"),
        Figure("worst_regret_usd", "Worst regret", "USD", "Most above on demand.", "usd"),
        Figure("better", "Better", "", "Lower expected cost.", "text"),
        Figure("price_observed_on", "Seen", "", "Date of the price.", "date"),
    ),
)


@dataclass(frozen=True)
class Candidate:
    """A commitment that can be had: its name, its plan for one machine, and its offer if it is one."""

    name: str
    plan: commitments.Plan
    offer: Side | None = None


def solve(case: Case) -> Result:
    """Weigh each commitment against on demand and tell of the one with the lowest expected cost."""
    inputs: CommitIn = case.inputs
    notes: list[Warned] = []
    base = _on_demand(case, inputs)
    found = list(_candidates(case, inputs, base, notes))
    horizon = inputs.horizon if inputs.horizon is not None else math.ceil(max(c.plan.term_months for c in found))
    chances = _chances(inputs, horizon)
    price = base.price * inputs.machines
    with at_field("yearly_fall"):
        weighed = [
            (each, commitments.weigh(commitments.times(each.plan, inputs.machines), price, chances, inputs.yearly_fall))
            for each in found
        ]
    weighed.sort(key=lambda pair: pair[1].expected_committed)
    best, outcome = weighed[0]
    plan = commitments.times(best.plan, inputs.machines)
    values = _values(base, best, plan, outcome, chances)
    rows = list(_months(plan, price, inputs.yearly_fall, chances, outcome))
    old = old_prices(base, *(each.offer for each in found if each.offer is not None))
    return Result(
        outcome.choice,
        tuple(_sentences(inputs, base, best, values, outcome)),
        values,
        {"months": rows, "plans": [_plan_row(*pair) for pair in weighed]},
        (*notes, *old),
        _chart(rows),
        used(base, *([best.offer] if best.offer is not None else [])),
    )


def _on_demand(case: Case, inputs: CommitIn) -> Side:
    if not inputs.on_demand:
        raise InvalidInputError.at(("on_demand",), say("the price on demand is missing: write {name}", name=_NAME))
    # What is bought how, and for how long, filters the commitments; the other filters hold for both.
    filters = case.question.filters.model_copy(update={"purchase": (), "term_months": ()})
    found = _offers(replace(case, question=replace(case.question, filters=filters)), inputs.on_demand, "on_demand")
    for purchase in UNCOMMITTED:
        for each in found:
            if each.row is None or each.value("purchase") == purchase:
                return each
    raise InvalidInputError.at(
        ("on_demand",),
        say(
            "no on-demand price of {on_demand} passes the filters; write USD per hour",
            on_demand=shown(inputs.on_demand),
        ),
    )


def _offers(case: Case, text: str, field: str) -> list[Side]:
    """Return a typed price, or the prices of a named offer that pass the filters, cheapest first."""
    # A name that nothing knows is refused here, with near matches.
    single = side(case, 0, text, field)
    return [single] if single.row is None else named_prices(case, text)


def _candidates(case: Case, inputs: CommitIn, base: Side, notes: list[Warned]) -> Iterator[Candidate]:
    term = DEFAULT_TERM if inputs.term is None else inputs.term
    if inputs.capex_usd is not None:
        if inputs.committed:
            raise InvalidInputError.at(("capex_usd",), say("give a committed price or a purchase price, not both"))
        with at_field("resale_usd"):
            plan = commitments.owned(
                inputs.capex_usd, _checked(term), inputs.running_usd_per_hour, inputs.yearly_usd, inputs.resale_usd
            )
        yield Candidate(say("your own machine"), plan)
        return
    for name in ("running_usd_per_hour", "yearly_usd", "resale_usd"):
        if getattr(inputs, name):
            raise InvalidInputError.at(
                (name,), say("{name} is that of an owned machine; give capex_usd as well", name=name)
            )
    for offer in _committed(case, inputs, base, notes):
        stated = None if offer.row is None else offer.value("term_months")
        plan_name = None if offer.row is None else offer.value("plan")
        if offer.row is not None and stated is None and inputs.term is None:
            notes.append(
                Warned("term_assumed", say("{name} states no term; 12 months are assumed. Give term.", name=offer.name))
            )
        share = UPFRONT.get(str(plan_name), 0.0) if inputs.upfront is None else inputs.upfront
        with at_field("term"):
            months = term if stated is None else float(stated)
            yield Candidate(offer.name, commitments.committed(offer.price, _checked(months), share), offer)


def _checked(term: float) -> float:
    if term > commitments.MOST_MONTHS:
        raise InvalidInputError.at(
            ("term",),
            say(
                "the term is at most {most_months} months, not {term:g}", most_months=commitments.MOST_MONTHS, term=term
            ),
        )
    return term


def _committed(case: Case, inputs: CommitIn, base: Side, notes: list[Warned]) -> list[Side]:
    """Return the committed prices: the typed one, those of the named offer, or all of on demand's instance type."""
    if inputs.committed:
        found = _offers(case, inputs.committed, "committed")
    elif base.row is None:
        raise InvalidInputError.at(
            ("committed",),
            say("the committed price is missing: write {name}, or capex_usd for a machine that is bought", name=_NAME),
        )
    else:
        found = named_prices(case, f"{base.value('provider')}/{base.value('instance_type')}:"
                             f"{base.value('accelerator_count')}")  # fmt: skip
    found = [each for each in found if each.row is None or each.value("purchase") in COMMITTED]
    if inputs.term is not None:
        found = _of_term(found, inputs.term)
    if base.row is not None and not inputs.committed:
        there = [each for each in found if each.value("region") == base.value("region")]
        if found and not there:
            said = say(
                "No commitment is on sale in {region}; these are for other regions.", region=base.value("region")
            )
            notes.append(Warned("region_differs", said))
        found = there or found
    if not found:
        raise InvalidInputError.at(
            ("committed",),
            say(
                "no committed price of {committed} passes the filters; write USD per hour",
                committed=inputs.committed or base.name,
            ),
        )
    return found


def _of_term(found: list[Side], term: float) -> list[Side]:
    """Keep the offers of this term, and those that state none."""
    terms = [None if each.row is None else each.value("term_months") for each in found]
    kept = [each for each, months in zip(found, terms, strict=True) if months is None or months == term]
    if found and not kept:
        on_sale = ", ".join(str(months) for months in sorted({int(m) for m in terms if m is not None}))
        raise InvalidInputError.at(
            ("term",),
            say("no commitment of {term:g} months is on sale; the terms are {on_sale}", term=term, on_sale=on_sale),
        )
    return kept


def _chances(inputs: CommitIn, horizon: int) -> tuple[float, ...]:
    with at_field("horizon"):
        commitments.stop_chances(horizon)
    ways = {"stop_chance": inputs.stop_chance, "stop_month": inputs.stop_month, "stop_chances": inputs.stop_chances}
    said = [name for name, value in ways.items() if value is not None and value != ()]
    with at_field(said[-1] if said else "horizon"):
        return commitments.stop_chances(horizon, inputs.stop_chance, inputs.stop_month, inputs.stop_chances or None)


def _values(
    base: Side, best: Candidate, plan: commitments.Plan, outcome: commitments.Weighed, chances: tuple[float, ...]
) -> dict[str, Value]:
    worst_committed, worst_uncommitted = max(outcome.regrets_committed), max(outcome.regrets_on_demand)
    month = outcome.break_even
    return {
        "on_demand_price_usd_per_hour": base.price,
        "committed_price_usd_per_hour": best.plan.price_usd_per_hour,
        "term_months": plan.term_months,
        "horizon_months": len(chances),
        "break_even_month": month,
        "chance_to_reach_break_even": None if month is None else commitments.chance_needed(chances, month),
        "expected_on_demand_usd": outcome.expected_on_demand,
        "expected_committed_usd": outcome.expected_committed,
        "expected_saving_usd": outcome.expected_saving,
        "monthly_chance_to_tie": commitments.chance_to_tie(outcome),
        "worst_regret_committed_usd": worst_committed,
        "worst_regret_committed_month": _when(outcome.regrets_committed),
        "worst_regret_on_demand_usd": worst_uncommitted,
        "worst_regret_on_demand_month": _when(outcome.regrets_on_demand),
        "total_usd": plan.total,
        "upfront_usd": plan.upfront,
        "expected_owed_usd": commitments.expected_owed(plan, chances),
    }


def _when(regrets: tuple[float, ...]) -> int | None:
    """Return the first month of the largest regret; None where there is none."""
    worst = max(regrets)
    return regrets.index(worst) + 1 if worst > 0 else None


def _months(
    plan: commitments.Plan, price: float, fall: float, chances: tuple[float, ...], outcome: commitments.Weighed
) -> Iterator[tuple[Value, ...]]:
    # At the start nothing can be stopped yet.
    yield 0, None, 0.0, plan.upfront, commitments.owed_after(plan, 0), None, None, None
    for i, chance in enumerate(chances):
        month = i + 1
        yield (
            month, chance, outcome.on_demand[i], commitments.paid_by(plan, price, month, fall),
            commitments.owed_after(plan, month), outcome.committed[i], outcome.regrets_committed[i],
            outcome.regrets_on_demand[i],
        )  # fmt: skip


def _plan_row(each: Candidate, outcome: commitments.Weighed) -> tuple[Value, ...]:
    row = each.offer.row if each.offer is not None else None
    return (
        each.name, row["plan"] if row else None, each.plan.term_months, each.plan.upfront_share,
        each.plan.price_usd_per_hour, outcome.break_even, outcome.expected_committed, outcome.expected_on_demand,
        max(outcome.regrets_committed), outcome.choice, row["price_observed_on"] if row else None,
    )  # fmt: skip


def _sentences(
    inputs: CommitIn, base: Side, best: Candidate, values: dict[str, Value], outcome: commitments.Weighed
) -> Iterator[str]:
    def usd(name: str) -> Sentence:
        value = values[name]
        return rounded(value if isinstance(value, float) else None, 4) + " USD"

    month, term = outcome.break_even, best.plan.term_months
    prices = say(
        "{price_usd_per_hour:significant} USD per hour for {term:significant} months, against "
        "{price:significant} on demand",
        price_usd_per_hour=best.plan.price_usd_per_hour, term=term, price=base.price,
    )  # fmt: skip
    if month is None:
        yield say("Committing never pays: {prices}.", prices=prices)
    else:
        yield say(
            "Committing pays if the machine is needed for {month:significant} months or longer: {prices}.",
            month=month, prices=prices,
        )  # fmt: skip
    horizon = values["horizon_months"]
    lead = {
        "commit": say(
            "committing is {expected_saving:significant4} USD cheaper", expected_saving=outcome.expected_saving
        ),
        "on_demand": say(
            "on demand is {expected_saving:significant4} USD cheaper", expected_saving=-outcome.expected_saving
        ),
        "equal": say("they cost the same"),
    }[outcome.choice]
    yield say(
        "Expected over {horizon} months: {expected_committed_usd} committed, "
        "{expected_on_demand_usd} on demand; {lead}.",
        horizon=horizon, expected_committed_usd=usd("expected_committed_usd"),
        expected_on_demand_usd=usd("expected_on_demand_usd"), lead=lead,
    )  # fmt: skip
    worst, late = values["worst_regret_committed_month"], values["worst_regret_on_demand_month"]
    if worst is not None:
        yield say(
            "At worst committing costs {worst_regret_committed_usd} too much, if month {worst} is the last.",
            worst_regret_committed_usd=usd("worst_regret_committed_usd"), worst=worst,
        )  # fmt: skip
    if late is not None:
        yield say(
            "At worst on demand costs {worst_regret_on_demand_usd} too much, if month {late} is the last.",
            worst_regret_on_demand_usd=usd("worst_regret_on_demand_usd"), late=late,
        )  # fmt: skip
    chance = values["monthly_chance_to_tie"]
    if isinstance(chance, float):
        yield say(
            "Both cost the same at a chance of {chance:percent} a month to stop; below that, commit.", chance=chance
        )
    if best.offer is not None and best.offer.row is not None:
        yield say(
            "Committed: {name}, {price_said}. On demand: {name_2}, {price_said_2}.",
            name=best.name, price_said=best.offer.price_said, name_2=base.name, price_said_2=base.price_said,
        )  # fmt: skip


def _chart(rows: list[tuple[Value, ...]]) -> Lines:
    def series(name: str, column: int) -> Series:
        points = [(row[0], row[column]) for row in rows]
        return Series(name, tuple((float(x), float(y)) for x, y in points if x is not None and y is not None))

    lines = (
        series(say("on demand"), 2),
        series(say("committed, if that month is the last"), 5),
        series(say("committed, paid"), 3),
    )
    return Lines(say("Cost so far"), say("months"), say("USD"), lines)


DECISION = Decision(
    "commit",
    "Should I commit?",
    "A commitment costs less per hour and is owed till the end of its term, needed or not. How long must the machine "
    "be needed, what is to be expected with a chance to stop early, and what does it cost to be wrong?",
    CommitIn,
    solve,
    FIGURES,
    (("on_demand", "10"), ("committed", "6.5"), ("term", "12"), ("horizon", "24"), ("stop_chance", "3%")),
    (PLANS, MONTHS),
    main="months",
    chart="Cost so far, month by month.",
    verdicts=VERDICTS,
    measurements=(0, 0),
    takes=tuple(name for name in PRICE_PARAMETERS if name not in ("owned", "spot_loss")),
)
