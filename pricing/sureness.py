"""How sure and how stable an order of two costs is.

Symbols: L = ln(C_B / C_A), positive where A is cheaper; s the standard deviation of ln(rate) from run
to run, for small errors the coefficient of variation; k the number of runs behind a mean.
"""

from __future__ import annotations

import math

from pricing.measurements import NORMAL_95


def probability_cheaper(log_ratio: float, standard_error: float) -> float:
    """Probability that A is cheaper: Φ(L / se), with se the standard error of L.

    Costs are taken as log-normal around their means, with a flat prior on ln(cost): a normal posterior
    on the log scale (Gelman et al., Bayesian Data Analysis, section 2.5). Without an error it is 1,
    1/2 or 0.
    """
    if standard_error == 0:
        return 0.5 if log_ratio == 0 else float(log_ratio > 0)
    return 0.5 * math.erfc(-log_ratio / (standard_error * math.sqrt(2)))


def runs_to_settle(log_ratio: float, s_a: float, s_b: float) -> int | None:
    """Runs of each side after which |L| reaches 1.96 standard errors: n = (1.96 / L)² · (s_A² + s_B²).

    From se² = s_A² / n + s_B² / n. At least 1; None where L is 0, or so near that no number of runs
    that anybody would make (10⁶) settles it.
    """
    if log_ratio == 0:
        return None
    wanted = (NORMAL_95 / log_ratio) ** 2 * (s_a**2 + s_b**2)
    if not wanted <= 1e6:
        return None
    return max(1, math.ceil(wanted * (1 - 1e-12)))


def standard_error(s: float, runs: int) -> float:
    """Standard error of the log of a mean of k runs: s / √k."""
    return s / math.sqrt(runs)


def spread_of_runs(log_se: float, runs: int) -> float:
    """Standard deviation of ln(rate) from run to run, from the standard error of the mean: s = se · √k."""
    return log_se * math.sqrt(runs)


def rise_to_swap(cost: float, other: float) -> float:
    """Relative rise of the cheaper side's price at which the costs are equal: other / cost - 1."""
    return other / cost - 1


def fall_to_swap(cost: float, other: float) -> float:
    """Relative fall at which the costs are equal: 1 - cost / other.

    Of the dearer side's price, of the cheaper side's rate, or of the cheaper side's utilization.
    """
    return 1 - cost / other
