"""Commit or stay on demand: break-even, what early stopping costs, expected cost and regret.

The model. A machine is needed in months 1 to S and not after; S is at most the horizon H. On demand is
paid for these S months and stops. A commitment is owed till the end of its term of T months, needed
or not. Whoever still needs the machine after the term goes on at the on-demand price of that month:
a renewal is a new decision, made with the prices of that day. A month is 730 hours. All costs are
sums paid; they are not discounted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pricing.estimate import owned_cost_per_hour
from pricing.units import HOURS_PER_MONTH
from pricing.wording import say

_PER_HOUR = say("USD per hour")
MOST_MONTHS = 600
# Chances that were typed as decimals (0.1 ten times) may sum to a little more than 1.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Plan:
    """A commitment in USD: `total` is owed from the first day on, of it `upfront` at month 0, the rest month by month.

    `running` per month is paid only while the machine is needed (the power of an owned machine), within
    the term. `resale` is received when it is needed no more, or at the term's end: the value at the end
    of the term, so that an earlier sale, which would bring more, counts against owning.
    """

    term_months: float
    total: float
    upfront: float = 0.0
    running: float = 0.0
    resale: float = 0.0

    @property
    def upfront_share(self) -> float:
        """Share of the total that is paid at month 0."""
        return self.upfront / self.total

    @property
    def price_usd_per_hour(self) -> float:
        """Cost of an hour when the whole term is used: (total - resale) / (730 · T) + running / 730."""
        return (self.total - self.resale) / (HOURS_PER_MONTH * self.term_months) + self.running / HOURS_PER_MONTH


def committed(price: float, term_months: float, upfront_share: float = 0.0) -> Plan:
    """Plan of a reserved instance, savings plan or capacity block: total = 730 · T · P.

    price: USD per hour with what is paid upfront spread over the term, as in a price table;
    upfront_share: part of the total that is paid at month 0. ValueError says what would be right.
    """
    _price(price, say("the committed price"))
    _term(term_months)
    if not 0 <= upfront_share <= 1:
        raise ValueError(
            say(
                "the share paid upfront must be from 0 to 1 (50% is 0.5), not {upfront_share:g}",
                upfront_share=upfront_share,
            )
        )
    total = HOURS_PER_MONTH * price * term_months
    return Plan(term_months, total, upfront_share * total)


def owned(capex: float, term_months: float, running: float = 0.0, yearly: float = 0.0, resale: float = 0.0) -> Plan:
    """Plan of a machine that is bought: capex in USD at month 0, used for a term of T months.

    running: USD per hour while it is needed (power); yearly: USD a year till the term's end, needed or
    not (hosting, staff); resale: USD, see Plan. ValueError says what would be right.
    """
    _price(capex, say("the purchase price"), "USD")
    _term(term_months)
    for name, value in (
        (say("the running cost"), running),
        (say("the yearly cost"), yearly),
        (say("the resale value"), resale),
    ):
        if not 0 <= value < math.inf:
            raise ValueError(say("{name} must be 0 or more, not {value:g}", name=name, value=value))
    if resale > capex:
        raise ValueError(
            say(
                "the resale value must be at most the purchase price {capex:g}, not {resale:g}",
                capex=capex,
                resale=resale,
            )
        )
    parts = owned_cost_per_hour(capex, term_months / 12, running, 1.0, 1.0, yearly)
    upkeep = HOURS_PER_MONTH * parts["upkeep"] * term_months
    return Plan(term_months, capex + upkeep, capex, HOURS_PER_MONTH * parts["power"], resale)


def on_demand_cost(price: float, months: float, yearly_fall: float = 0.0) -> float:
    """Cost in USD of t months on demand from a list price of P USD per hour that falls by d a year.

    730 · P · (1 + g + g² + … + g^(n-1) + (t - n) · g^n) with g = (1 - d)^(1/12) and n = floor(t): the
    first month costs the list price, each one after that g times the one before; within a month the
    price stands still. Without a fall 730 · P · t. ValueError says what would be right.
    """
    _price(price, say("the on-demand price"))
    _months(months)
    if not 0 <= yearly_fall < 1:
        raise ValueError(
            say(
                "the yearly fall of prices must be at least 0 and below 1 (20% is 0.2), not {yearly_fall:g}",
                yearly_fall=yearly_fall,
            )
        )
    log_g = math.log1p(-yearly_fall) / 12
    if log_g == 0:
        return HOURS_PER_MONTH * price * months
    whole = math.floor(months)
    # expm1 keeps the digits of a small fall, for which 1 - g is a difference of near equals.
    paid = math.expm1(whole * log_g) / math.expm1(log_g) + (months - whole) * math.exp(whole * log_g)
    return HOURS_PER_MONTH * price * paid


def cost_if_stopped(plan: Plan, price: float, month: float, yearly_fall: float = 0.0) -> float:
    """Whole cost in USD of a commitment when the machine is needed for k months.

    total + running · min(k, T) - resale, and from the term's end on the on-demand cost of months T to k.
    """
    _months(month)
    cost = plan.total + plan.running * min(month, plan.term_months) - plan.resale
    if month > plan.term_months:
        cost += on_demand_cost(price, month, yearly_fall) - on_demand_cost(price, plan.term_months, yearly_fall)
    return cost


def paid_by(plan: Plan, price: float, month: float, yearly_fall: float = 0.0) -> float:
    """Cost in USD paid by the end of month k while the machine stays needed: the whole cost less what is still owed.

    The resale value is not counted before the term's end.
    """
    kept = plan.resale if month < plan.term_months else 0.0
    return cost_if_stopped(plan, price, month, yearly_fall) - owed_after(plan, month) + kept


def expected_owed(plan: Plan, chances: Sequence[float]) -> float:
    """Mean of what is still owed in USD when the machine is needed no more: paid for nothing."""
    return expected(chances, [owed_after(plan, k) for k in range(1, len(chances) + 1)])


def owed_after(plan: Plan, month: float) -> float:
    """USD still owed at the end of month k: (total - upfront) · (1 - k / T), and 0 from the term's end on."""
    _months(month)
    return (plan.total - plan.upfront) * max(1 - month / plan.term_months, 0.0)


def times(plan: Plan, machines: float) -> Plan:
    """Plan of several machines of the same kind: every amount times their number."""
    if not 0 < machines < math.inf:
        raise ValueError(say("the number of machines must be above 0, not {machines:g}", machines=machines))
    amounts = (plan.total, plan.upfront, plan.running, plan.resale)
    return Plan(plan.term_months, *(amount * machines for amount in amounts))


def break_even_month(plan: Plan, price: float, yearly_fall: float = 0.0) -> float | None:
    """Months of need from which a commitment costs no more than on demand; None where it never costs less.

    Without a fall of prices (total - resale) / (730 · P_on_demand - running), which is
    T · P_commit / P_on_demand where nothing is resold or running: 12 · 6.5 / 10 = 7.8. With a fall there is
    no such form: the first month, interpolated within it, at which on_demand_cost reaches
    cost_if_stopped. After the term both paths cost the same per month, so that it lies in the term or nowhere.
    """
    fixed = plan.total - plan.resale
    if yearly_fall == 0:
        _price(price, say("the on-demand price"))
        saved = HOURS_PER_MONTH * price - plan.running
        return fixed / saved if saved * plan.term_months > fixed else None
    before, lead_before = 0.0, -fixed
    months: list[float] = [*range(1, math.ceil(plan.term_months)), plan.term_months]
    for month in months:
        lead = on_demand_cost(price, month, yearly_fall) - plan.running * month - fixed
        if lead > 0:
            return before + (month - before) * (lead_before / (lead_before - lead))
        before, lead_before = month, lead
    return None


def stop_chances(
    horizon: int, monthly: float | None = None, month: int | None = None, by_month: Sequence[float] | None = None
) -> tuple[float, ...]:
    """Chances that the machine is needed for exactly 1, 2, …, H months; they sum to 1.

    One of: `monthly` p, the chance at the end of each month before the horizon that it is needed no more:
    p · (1 - p)^(k-1) for k < H and (1 - p)^(H-1) for H; `month`, the last month in which it is needed, for
    certain; `by_month`, the chance of each month from 1 on to be the last, the rest being that of H.
    None of them: needed till the horizon. ValueError says what would be right.
    """
    if not (1 <= horizon <= MOST_MONTHS and horizon == int(horizon)):
        raise ValueError(
            say(
                "the horizon must be a whole number of months from 1 to {most_months}, not {horizon:g}",
                most_months=MOST_MONTHS,
                horizon=horizon,
            )
        )
    if sum(way is not None for way in (monthly, month, by_month)) > 1:
        raise ValueError(say("say once when it may stop: a chance per month, a month, or a chance for each month"))
    if by_month is not None:
        return _listed(horizon, by_month)
    if month is not None:
        if not (1 <= month <= horizon and month == int(month)):
            raise ValueError(
                say(
                    "the last month must be a whole number from 1 to the horizon {horizon}, not {month:g}",
                    horizon=horizon,
                    month=month,
                )
            )
        return tuple(float(k == month) for k in range(1, horizon + 1))
    chance = 0.0 if monthly is None else monthly
    if not 0 <= chance <= 1:
        raise ValueError(
            say("the chance to stop must be from 0 to 1 a month (3% is 0.03), not {chance:g}", chance=chance)
        )
    return (*(chance * (1 - chance) ** (k - 1) for k in range(1, horizon)), (1 - chance) ** (horizon - 1))


def _listed(horizon: int, chances: Sequence[float]) -> tuple[float, ...]:
    if len(chances) > horizon:
        raise ValueError(
            say(
                "{number} chances are given, and the horizon is {horizon} months; give one a month",
                number=len(chances),
                horizon=horizon,
            )
        )
    for k, chance in enumerate(chances, 1):
        if not 0 <= chance <= 1:
            raise ValueError(
                say("the chance of month {k} must be from 0 to 1 (3% is 0.03), not {chance:g}", k=k, chance=chance)
            )
    total = math.fsum(chances)
    if total > 1 + _ROUNDING:
        raise ValueError(say("the chances of the months sum to {total:g}, and must sum to at most 1", total=total))
    filled = [*chances, *[0.0] * (horizon - len(chances))]
    filled[-1] += max(1 - total, 0.0)
    return tuple(filled)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A commitment against on demand. Costs in USD by stopping month: index 0 is month 1, the last one the horizon.

    `regrets` are what a choice costs more than the better one in hindsight, for each stopping month.
    """

    on_demand: tuple[float, ...]
    committed: tuple[float, ...]
    expected_on_demand: float
    expected_committed: float
    break_even: float | None

    @property
    def regrets_on_demand(self) -> tuple[float, ...]:
        """Cost on demand less that of the commitment, 0 where on demand is the better choice."""
        return tuple(max(o - c, 0.0) for o, c in zip(self.on_demand, self.committed, strict=True))

    @property
    def regrets_committed(self) -> tuple[float, ...]:
        """Cost of the commitment less that on demand, 0 where the commitment is the better choice."""
        return tuple(max(c - o, 0.0) for o, c in zip(self.on_demand, self.committed, strict=True))

    @property
    def expected_saving(self) -> float:
        """What committing saves on average in USD; below 0 where on demand is cheaper."""
        return self.expected_on_demand - self.expected_committed

    @property
    def choice(self) -> str:
        """Return `commit`, `on_demand` or `equal` (to 1e-12), by expected cost."""
        if math.isclose(self.expected_committed, self.expected_on_demand, rel_tol=1e-12):
            return "equal"
        return "commit" if self.expected_committed < self.expected_on_demand else "on_demand"


def weigh(plan: Plan, price: float, chances: Sequence[float], yearly_fall: float = 0.0) -> Weighed:
    """Weigh a commitment against on demand at P USD per hour, with the chances of `stop_chances`.

    The expected cost of a choice is the sum over k of (chance that k months are needed) · (its cost then).
    """
    months = range(1, len(chances) + 1)
    uncommitted = tuple(on_demand_cost(price, k, yearly_fall) for k in months)
    bound = tuple(cost_if_stopped(plan, price, k, yearly_fall) for k in months)
    return Weighed(
        uncommitted,
        bound,
        expected(chances, uncommitted),
        expected(chances, bound),
        break_even_month(plan, price, yearly_fall),
    )


def chance_needed(chances: Sequence[float], months: float) -> float:
    """Chance that the machine is needed for at least so many months: the sum of the chances of k >= months."""
    return min(math.fsum(chance for k, chance in enumerate(chances, 1) if k >= months), 1.0)


def chance_to_tie(weighed: Weighed) -> float | None:
    """Monthly chance to stop at which both choices have the same expected cost, found by bisection.

    A greater chance to stop only shortens the need, so that there is at most one, as long as each month
    of need speaks for the commitment; None where no chance between 0 and 1 ties them.
    """
    leads = [o - c for o, c in zip(weighed.on_demand, weighed.committed, strict=True)]
    slack = 1e-9 * max(map(abs, leads))
    if leads[-1] <= 0 or leads[0] >= 0 or any(b < a - slack for a, b in pairwise(leads)):
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        ahead = expected(stop_chances(len(leads), monthly=middle), leads) > 0
        low, high = (middle, high) if ahead else (low, middle)
    return (low + high) / 2


def expected(chances: Sequence[float], amounts: Sequence[float]) -> float:
    """Mean of an amount over the stopping months: the sum over k of (chance of k) · (amount at k)."""
    return math.fsum(chance * amount for chance, amount in zip(chances, amounts, strict=True))


def _price(value: float, name: str, unit: str = _PER_HOUR) -> None:
    if not 0 < value < math.inf:
        raise ValueError(say("{name} must be above 0 {unit}, not {value:g}", name=name, unit=unit, value=value))


def _months(value: float) -> None:
    if not 0 <= value < math.inf:
        raise ValueError(say("a number of months must be 0 or more, not {value:g}", value=value))


def _term(months: float) -> None:
    if not 0 < months <= MOST_MONTHS:
        raise ValueError(
            say(
                "the term must be above 0 and at most {most_months} months, not {months:g}",
                most_months=MOST_MONTHS,
                months=months,
            )
        )
