"""The formulas, each once. Arguments may be floats or NumPy arrays; nothing is rounded.

Symbols: P price in USD per instance-hour; R the instance's counted rate in units per second at
full load (replicas × measured rate × success); u utilization, the share of paid time at that rate.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from pricing.units import HOURS_PER_YEAR, SECONDS_PER_HOUR, Unit

Number = TypeVar("Number", float, np.ndarray)


def cost_per_quoted_unit(price: Number, rate: Number, utilization: Number | float, unit: Unit) -> Number:
    """Cost in USD of the quantity that the unit is quoted for: P · quoted / (3600 · R · u).

    price: USD per instance-hour; rate: units per second, > 0; utilization: 0 < u <= 1. For tokens
    `quoted` is 10⁶; for audio it is 3,600 audio-seconds, so that the cost is P / (RTFx · u).
    Source: PerDollar's contract, section 3.
    """
    cost: Number = price / (SECONDS_PER_HOUR * rate * utilization) * unit.quoted
    return cost


def units_per_usd(price: Number, rate: Number, utilization: Number | float, unit: Unit) -> Number:
    """Single units (tokens, audio-hours, requests) for one USD: 3600 · R · u / (P · single)."""
    units: Number = SECONDS_PER_HOUR * rate * utilization / (price * unit.single)
    return units


def counted_rate(rate: float, success_rate: float) -> float:
    """Rate of work that succeeded, in units per second: R · s. Failed work is paid for."""
    return rate * success_rate


def rate_to_tie(rate: Number, cost: Number, baseline_cost: Number | float) -> Number:
    """Rate in units per second at which the offer costs what the baseline does: R · cost / C_b."""
    return rate * (cost / baseline_cost)


def price_to_tie(price: Number, cost: Number, baseline_cost: Number | float) -> Number:
    """Price in USD per hour at which the offer costs what the baseline does: P · C_b / cost."""
    return price * (baseline_cost / cost)


def utilization_to_tie(utilization: float, cost: float, baseline_cost: float) -> float:
    """Share of paid time at which the offer costs what the baseline does: u · cost / C_b.

    Above 1 it can't: even a machine that never idles costs more.
    """
    return utilization * (cost / baseline_cost)


def cost_at_utilization(full_load_cost: float, utilization: float) -> float:
    """Cost per unit at a utilization, from that at full load: C / u."""
    return full_load_cost / utilization


def rate_for_cost(price: float, cost: float, utilization: float, unit: Unit) -> float:
    """Rate in units per second at which an instance costs so much per quoted unit: P · quoted / (3600 · u · C)."""
    return price * unit.quoted / (SECONDS_PER_HOUR * utilization * cost)


def cost_of_budget(budget: float, units: float, unit: Unit) -> float:
    """Cost per quoted unit that a budget allows: budget / (units · single) · quoted, both for the same time."""
    return budget / (units * unit.single) * unit.quoted


def replicas_held(accelerators: np.ndarray, per_replica: int) -> np.ndarray:
    """Whole replicas that an instance holds: floor(m / n), both counted in accelerators."""
    return accelerators // per_replica


def share_saved(cost: float, baseline_cost: float) -> float:
    """Share by which a cost is below the baseline's: 1 - cost / C_b; 70 % more per dollar is 0.412."""
    return 1.0 - cost / baseline_cost


def is_tied_across_measurements(log_ratio: Number, standard_error: Number) -> Number:
    """Whether |ln(cost ratio)| < 1.96 · standard error of that log ratio (95 %, two-sided).

    The errors of two independent measurements add in squares on the log scale; for small errors the
    standard error of ln(mean) is s / (√k · mean), by the delta method (Casella & Berger,
    Statistical Inference, section 5.5.4).
    """
    result: Number = np.abs(log_ratio) < 1.96 * standard_error
    return result


def owned_cost_per_hour(
    capex: float, years: float, kw: float, pue: float, kwh: float, yearly: float
) -> dict[str, float]:
    """Parts of an owned machine's cost in USD per hour: purchase, power, upkeep.

    capex / (years · 8760) + kw · pue · kwh + yearly / 8760, with capex and yearly in USD, kw the
    machine's power, pue total power over that of the machines, kwh the price of a kilowatt-hour.
    The machine is paid for in every hour of the year, used or not.
    """
    return {
        "purchase": capex / (years * HOURS_PER_YEAR),
        "power": kw * pue * kwh,
        "upkeep": yearly / HOURS_PER_YEAR,
    }


def amortised_price(recurring: float, upfront: float, term_months: int) -> float:
    """Price in USD per hour of a commitment: recurring + upfront / (term in years · 8760)."""
    return recurring + upfront / (term_months / 12 * HOURS_PER_YEAR)


def token_cost_split(
    price: Number, input_rate: Number, output_rate: Number, utilization: Number | float, ratio: float
) -> tuple[Number, Number]:
    """Cost in USD of 1M input and of 1M output tokens, where one output token is worth w input tokens.

    cost_in = P · 10⁶ / (3600 · u · (R_in + w · R_out)), cost_out = w · cost_in, so that
    (cost_in · R_in + cost_out · R_out) · 3600 · u = P · 10⁶: together they pay the machine once.
    Rates in tokens per second. Source: PerDollar's contract, section 7.
    """
    cost_in: Number = price * 1e6 / (SECONDS_PER_HOUR * utilization * (input_rate + ratio * output_rate))
    return cost_in, ratio * cost_in


def block_price(fee: float, instances: int, hours: float) -> float:
    """Price in USD per instance-hour of a block paid upfront: fee / (instances · hours)."""
    return fee / (instances * hours)


def utilization_with_loss(utilization: Number, share_lost: Number | float) -> Number:
    """Share of paid time whose work counts: u · (1 - l), where spot loses the share l of its work."""
    return utilization * (1 - share_lost)
