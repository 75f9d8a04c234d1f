"""Moving to another machine: what the move costs once, what it saves a month, and when it has paid back.

Amounts are sums paid in USD, not discounted. A month is 730 hours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pricing.units import HOURS_PER_MONTH, Unit
from pricing.wording import say

NET_MONTHS = (12, 24, 36)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in USD, a month or per quoted unit, with its range.

    `known_range` says whether there is one; then a bound that is None is open (no cost is too high for a
    throughput whose lower bound is not positive). Without a range both bounds are None.
    """

    value: float
    low: float | None = None
    high: float | None = None
    known_range: bool = False

    @classmethod
    def exact(cls, value: float) -> Amount:
        """Return an amount without error, such as a bill."""
        return cls(value, value, value, True)


def porting_cost(days: float = 0.0, day_rate: float = 0.0, lump: float = 0.0) -> float:
    """Cost in USD of the port: days · USD per day + a sum."""
    return _counted(days, say("the days of work")) * _counted(day_rate, say("the rate of a day")) + _counted(
        lump, say("the sum")
    )


def warm_up_cost(hours: float, price: float, machines: float = 1.0) -> float:
    """Cost in USD of compiling and warming up: hours · P · machines. The accelerators are paid while they compile.

    price: USD per hour of one of the machines moved to.
    """
    hours = _counted(hours, say("the hours of compiling and warm-up"))
    return hours * _positive(price, say("the price per hour")) * _positive(machines, say("the number of machines"))


def cost_of_machines(price: float, machines: float) -> float:
    """Cost in USD a month of machines that run all the time: machines · P · 730."""
    return (
        _positive(machines, say("the number of machines"))
        * _positive(price, say("the price per hour"))
        * HOURS_PER_MONTH
    )


def cost_of_work(cost: Amount, units: float, unit: Unit) -> Amount:
    """Cost in USD a month of work at a cost per quoted unit: cost · units · single / quoted, and its bounds.

    units: single units a month (tokens, audio-hours, requests); 1M of them are quoted for tokens, so that
    the factor is 10⁻⁶, and 1 for audio-hours.
    """
    quantity = _positive(units, say("the work a month")) * (unit.single / unit.quoted)
    low, high = (None if bound is None else bound * quantity for bound in (cost.low, cost.high))
    return Amount(_positive(cost.value, say("the cost")) * quantity, low, high, cost.known_range)


def saving(now: Amount, after: Amount) -> Amount:
    """Monthly saving now - after, with the range that the ranges of the two give.

    The bounds add in squares, since the errors of the two are independent: low = d - √((n - n_low)² + (a_high - a)²),
    high = d + √((n_high - n)² + (a - a_low)²) with d = n - a (MOVER: Zou & Donner, Construction of confidence limits
    about effect measures, Statistics in Medicine 27, 2008). An open bound of a cost leaves that end open.
    """
    value = now.value - after.value
    if not (now.known_range and after.known_range):
        return Amount(value)
    low = _reach(value, -1, now.value, now.low, after.value, after.high)
    return Amount(value, low, _reach(value, 1, now.value, now.high, after.value, after.low), True)


def _reach(
    value: float, sign: int, now: float, now_bound: float | None, after: float, after_bound: float | None
) -> float | None:
    if now_bound is None or after_bound is None:
        return None
    return value + sign * math.hypot(now_bound - now, after_bound - after)


def payback_months(one_off: float, monthly: float) -> float | None:
    """Months until a saving has paid for the move: one-off cost / monthly saving; None (never) if nothing is saved."""
    _counted(one_off, say("the one-off cost"))
    if not math.isfinite(monthly):
        raise ValueError(say("the monthly saving must be a number, not {monthly:g}", monthly=monthly))
    return one_off / monthly if monthly > 0 else None


def payback_range(one_off: float, monthly: Amount) -> tuple[float | None, float | None]:
    """Shortest and longest months to pay back: at the highest and at the lowest saving.

    None is never, where that end of the range saves nothing or is open. A range is needed (known_range).
    """
    if not monthly.known_range:
        raise ValueError(say("this saving has no range"))
    # An open upper end of the saving pays back at once; an open lower end never does.
    shortest = 0.0 if monthly.high is None else payback_months(one_off, monthly.high)
    return shortest, None if monthly.low is None else payback_months(one_off, monthly.low)


def net_after(one_off: float, monthly: float, months: float) -> float:
    """What the move has brought in USD after so many months: monthly saving · months - one-off cost."""
    return monthly * _counted(months, say("the months")) - _counted(one_off, say("the one-off cost"))


def verdict(monthly: Amount) -> str:
    """Whether the move pays back: `pays_back`, `may_pay_back` where the range of the saving includes 0, or `never`."""
    if not monthly.known_range:
        return "pays_back" if monthly.value > 0 else "never"
    if monthly.low is not None and monthly.low > 0:
        return "pays_back"
    return "may_pay_back" if monthly.high is None or monthly.high > 0 else "never"


def _counted(value: float, name: str) -> float:
    if not 0 <= value < math.inf:
        raise ValueError(say("{name} must be 0 or more, not {value:g}", name=name, value=value))
    return value


def _positive(value: float, name: str) -> float:
    if not 0 < value < math.inf:
        raise ValueError(say("{name} must be above 0, not {value:g}", name=name, value=value))
    return value
