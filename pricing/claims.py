"""Claims of the kind "B gives r times the units per dollar of A": what B must reach, and whether it does.

Symbols: r claimed ratio of units per dollar; P price in USD per instance-hour; R counted rate in
units per second; u share of paid time whose work counts.
"""

from __future__ import annotations

import math

from pricing.measurements import NORMAL_95
from pricing.wording import say

VERDICTS = {
    "supported": "The whole interval of the measured ratio lies at or above the claim.",
    "not_supported": "The whole interval of the measured ratio lies below the claim.",
    "inconclusive": "The claim lies inside the interval, or there is none, or the measurements can't be compared.",
    "no_figures": "There is no independent measurement of both sides; only what would have to be true can be said.",
}

SAID = {
    "supported": say("they support the claim"),
    "not_supported": say("they do not support the claim"),
    "inconclusive": say("they can't settle it"),
    "no_figures": say("but these are not independent measurements, so that they settle nothing"),
}


def ratio_of_share_more(share: float) -> float:
    """Claimed ratio of "x more per dollar": r = 1 + x, so that 70 % more is 1.7 and 1/(1 + x) of the cost."""
    return 1 + share


def ratio_of_share_cheaper(share: float) -> float:
    """Claimed ratio of "x cheaper": r = 1 / (1 - x), so that 41.2 % cheaper is 1.7. ValueError from 100 % on."""
    if not share < 1:
        raise ValueError(say("nothing is 100 % cheaper or more; write a share below 1, such as 41.2%"))
    return 1 / (1 - share)


def factor_needed(ratio: float, price_a: float, price_b: float, share_a: float = 1.0, share_b: float = 1.0) -> float:
    """Rate that B must reach as a multiple of A's: R_B / R_A = r · P_B / P_A · u_A / u_B.

    From R_B · u_B / P_B = r · R_A · u_A / P_A; r = 1 is break-even.
    """
    return ratio * (price_b / price_a) * (share_a / share_b)


def price_needed(ratio: float, price_b: float, actual: float) -> float:
    """Price in USD per hour at which B gives r times A's units per dollar: P_B · actual / r."""
    return price_b * (actual / ratio)


def ratio_interval(ratio: float, log_se_a: float | None, log_se_b: float | None) -> tuple[float, float] | None:
    """95 % interval of a ratio of two independent means: ratio · exp(± 1.96 · √(se_A² + se_B²)).

    `log_se` are the standard errors of ln(mean); None where either is not known. The delta method on
    the log scale (Casella & Berger, Statistical Inference, section 5.5.4; for ratios of means see
    V. H. Franz, Ratios: a short guide to confidence limits and proper use, arXiv:0710.2024): always
    positive, and the interval of the inverse ratio is the inverse of the interval.
    """
    if log_se_a is None or log_se_b is None:
        return None
    half = NORMAL_95 * math.hypot(log_se_a, log_se_b)
    if half > 700:
        return None
    return ratio * math.exp(-half), ratio * math.exp(half)


def verdict(claimed: float, interval: tuple[float, float] | None) -> str:
    """Where the claimed ratio lies against the interval of the measured one."""
    if interval is None:
        return "inconclusive"
    low, high = interval
    if claimed <= low:
        return "supported"
    return "not_supported" if claimed > high else "inconclusive"
