"""Prices that look wrong: each is a warning, not an error, since the market is sometimes strange."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pricing.flags import stale
from pricing.market import Market
from pricing.offers import Columns
from pricing.wording import say

# Per-accelerator prices of one kind and purchase lie within these factors of their median.
LEAST, MOST = 0.2, 5.0
# What Azure adds per vCPU-hour for Windows.
WINDOWS_PER_VCPU = 0.046
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Doubt:
    """One suspicion: a fixed code and a sentence."""

    code: str
    message: str


def doubts(market: Market, reference: Market | None = None) -> list[Doubt]:
    """Look through the prices in force; the most telling suspicions first.

    `reference` has the prices of others, whose medians say what is usual for a kind.
    """
    columns = market.columns
    priced = np.flatnonzero((columns.count > 0) & ~np.isnan(columns.price))
    per_accelerator = columns.price[priced] / columns.count[priced]
    return [
        *_far_from_median(columns, priced, per_accelerator, reference),
        *_price_of_one(columns, priced),
        *_spot_above_on_demand(columns),
        *_windows(columns),
        *_stale(market),
    ]


def _medians(columns: Columns) -> dict[tuple[str, str], float]:
    """Return the median price per accelerator of each chip and purchase that has enough offers."""
    priced = np.flatnonzero((columns.count > 0) & ~np.isnan(columns.price))
    each = columns.price[priced] / columns.count[priced]
    chips, purchases = columns.words["accelerator"], columns.words["purchase"]
    group = chips.codes[priced].astype(np.int64) * len(purchases.vocabulary) + purchases.codes[priced]
    found = {}
    for code in np.unique(group).tolist():
        members = group == code
        if np.count_nonzero(members) >= FEWEST:
            chip, purchase = divmod(code, len(purchases.vocabulary))
            found[chips.vocabulary[chip], purchases.vocabulary[purchase]] = float(np.median(each[members]))
    return found


def _far_from_median(columns: Columns, priced: np.ndarray, each: np.ndarray, reference: Market | None) -> list[Doubt]:
    """Compare with the median of the same accelerator and purchase, over all sellers."""
    medians = _medians(columns) | (_medians(reference.columns) if reference else {})
    chips, purchases = (columns.words[name].texts(priced) for name in ("accelerator", "purchase"))
    found = []
    for place, (key, price) in enumerate(zip(zip(chips, purchases, strict=True), each.tolist(), strict=True)):
        median = medians.get(key)
        if median is not None and not LEAST * median <= price <= MOST * median:
            found.append(
                Doubt(
                    "far_from_median",
                    say(
                        "{describe}: {price:g} USD per accelerator-hour, where the median of its kind is {median:g}",
                        describe=columns.describe(int(priced[place])),
                        price=price,
                        median=median,
                    ),
                )
            )
    return found


def _price_of_one(columns: Columns, priced: np.ndarray) -> list[Doubt]:
    """Find instances with several accelerators at the price of the same seller's instance with one."""
    words = columns.words
    singles: dict[tuple[int, ...], float] = {}
    for i in priced[columns.count[priced] == 1].tolist():
        key = tuple(int(words[name].codes[i]) for name in ("provider", "accelerator", "region", "purchase"))
        singles[key] = min(singles.get(key, np.inf), float(columns.price[i]))
    found = []
    for i in priced[columns.count[priced] > 1].tolist():
        key = tuple(int(words[name].codes[i]) for name in ("provider", "accelerator", "region", "purchase"))
        if columns.price[i] <= singles.get(key, -1.0) * 1.001:
            found.append(
                Doubt(
                    "price_of_one",
                    say(
                        "{describe}: {price:g} USD/h is what the same seller asks for one accelerator; the price "
                        "must be that of the whole instance",
                        describe=columns.describe(i),
                        price=columns.price[i],
                    ),
                )
            )
    return found


def _pairs(columns: Columns, purchase: str) -> dict[tuple[int, ...], int]:
    words = columns.words
    chosen = np.flatnonzero(words["purchase"].mask([purchase]) & ~np.isnan(columns.price))
    names = ("provider", "instance_type", "region")
    return {(*(int(words[n].codes[i]) for n in names), int(columns.count[i])): i for i in chosen.tolist()}


def _spot_above_on_demand(columns: Columns) -> list[Doubt]:
    on_demand = _pairs(columns, "on_demand")
    found = []
    for key, i in _pairs(columns, "spot").items():
        j = on_demand.get(key)
        if j is not None and columns.price[i] >= columns.price[j]:
            found.append(
                Doubt(
                    "spot_above_on_demand",
                    say(
                        "{describe}: {price:g} USD/h is not below the on-demand price {price_2:g}; it may be a "
                        "placeholder",
                        describe=columns.describe(i),
                        price=columns.price[i],
                        price_2=columns.price[j],
                    ),
                )
            )
    return found


def _windows(columns: Columns) -> list[Doubt]:
    """Find Azure prices that are dearer than another region's by exactly the Windows surcharge."""
    words = columns.words
    azure = np.flatnonzero(
        words["provider"].mask(["azure"]) & words["purchase"].mask(["on_demand"]) & ~np.isnan(columns.vcpus)
    )
    found = []
    for i in azure.tolist():
        same = azure[words["instance_type"].codes[azure] == words["instance_type"].codes[i]]
        extra = columns.price[i] - columns.price[same] - columns.vcpus[i] * WINDOWS_PER_VCPU
        if (np.abs(extra) < 1e-6).any():
            found.append(
                Doubt(
                    "windows_price",
                    say(
                        "{describe}: {price:g} USD/h is another region's price plus {vcpus:g} vCPU × "
                        "{windows_per_vcpu}: the price with Windows",
                        describe=columns.describe(i),
                        price=columns.price[i],
                        vcpus=columns.vcpus[i],
                        windows_per_vcpu=WINDOWS_PER_VCPU,
                    ),
                )
            )
    return found


def _stale(market: Market) -> list[Doubt]:
    old = stale(market.columns, market.as_of)
    if not old.any():
        return []
    first = market.columns.describe(int(np.flatnonzero(old)[0]))
    return [
        Doubt(
            "stale",
            say(
                "{sum:,} of {number:,} prices are old, for example {first}",
                sum=int(old.sum()),
                number=len(old),
                first=first,
            ),
        )
    ]
