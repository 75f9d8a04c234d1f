"""Flags: what to know about an estimate before relying on it. A closed list, in a fixed order."""

from __future__ import annotations

import re
from datetime import date

import numpy as np

from pricing.accelerators import Catalogue
from pricing.estimates import Estimates
from pricing.market import Market
from pricing.offers import UNDATED, Columns, Words

STALE_DAYS_SPOT = 7
STALE_DAYS = 180
LARGE_COMMITMENT = 64

FLAGS = {
    "scaled_up": "Holds more replicas than were measured; that they run at full speed side by side is assumed.",
    "host_differs": "Measured on another instance type than this one.",
    "interconnect_unknown": "The replica spans accelerators, and the seller does not say how these are connected.",
    "spans_hosts": "More accelerators than one host of this kind carries, so the offer spans hosts.",
    "large_commitment": f"Has to be rented whole, with {LARGE_COMMITMENT} accelerators or more.",
    "minimum_rental": "The seller has a minimum; see the notes.",
    "stale": f"The price is old: spot more than {STALE_DAYS_SPOT} days, any other more than {STALE_DAYS} days.",
    "date_estimated": "The date of the price is an estimate.",
    "second_hand": "The price comes from a survey, not from the seller.",
    "serverless": "Billed by use on shared capacity; cold starts and idle time are billed by the seller's own rules.",
    "interpolated": "The rate lies between two measured points of a curve, which are named at the reference point.",
}
_PLACE = {name: i for i, name in enumerate(FLAGS)}
# The text of each combination of flags, at the place that its bits give.
_NAMES = ["|".join(name for name, i in _PLACE.items() if bits >> i & 1) for bits in range(1 << len(FLAGS))]
_MINIMUM = re.compile(r"\bminimum\b", re.IGNORECASE)
_ESTIMATED = re.compile(r"\bdate estimated\b", re.IGNORECASE)


def stale(columns: Columns, as_of: date) -> np.ndarray:
    """Whether each offer's price is old on a date; an undated price is not known to be."""
    age = as_of.toordinal() - columns.observed
    most = np.where(columns.words["purchase"].mask(["spot"]), STALE_DAYS_SPOT, STALE_DAYS)
    result: np.ndarray = (age > most) & (columns.observed != UNDATED)
    return result


def _says(words: Words, pattern: re.Pattern[str]) -> np.ndarray:
    found = np.array([bool(pattern.search(text)) for text in words.vocabulary], bool)
    result: np.ndarray = found[words.codes]
    return result


def of_offers(market: Market, catalogue: Catalogue) -> dict[str, np.ndarray]:
    """Work out the flags that depend on the offer alone, once for each market."""
    if not market.memo:
        columns, words = market.columns, market.columns.words
        names = words["accelerator"]
        chips = [catalogue.accelerators.get(name) for name in names.vocabulary]
        hosts = np.array([(chip and chip.host_accelerators) or np.inf for chip in chips])
        sliced = np.array([bool(chip and chip.slice_prefixes) for chip in chips], bool)
        serverless = [p.provider for p in catalogue.providers.values() if p.kind == "serverless"]
        market.memo.update(
            # A slice has its own interconnect; counts that are sold by the accelerator need not.
            unconnected=columns.sized & ~sliced[names.codes],
            spans_hosts=columns.count > hosts[names.codes],
            large_commitment=columns.count >= LARGE_COMMITMENT,
            minimum_rental=_says(words["notes"], _MINIMUM),
            stale=stale(columns, market.as_of),
            date_estimated=_says(words["notes"], _ESTIMATED) | _says(words["source"], _ESTIMATED),
            second_hand=words["evidence"].mask(["survey"]),
            serverless=words["provider"].mask(serverless),
        )
        market.memo["bits"] = np.zeros(len(columns), np.int64)
        for name in _PLACE.keys() & market.memo.keys():
            market.memo["bits"] |= market.memo[name].astype(np.int64) << _PLACE[name]
    return market.memo


def flags(estimates: Estimates) -> tuple[np.ndarray, list[str]]:
    """Return each row's flags as codes into a vocabulary of pipe-separated names ('' for none)."""
    offers = of_offers(estimates.market, estimates.catalogue)
    pairs = estimates.pairs
    measurements = estimates.question.measurements
    several = np.array([(m.accelerator_count or 1) > 1 and m.accelerator is not None for m in measurements])
    bits = offers["bits"][pairs.offer].copy()
    for name, rows in (
        ("interpolated", np.array([m.interpolated for m in measurements], bool)[pairs.measurement]),
        ("scaled_up", pairs.replicas > 1),
        ("host_differs", _host_differs(estimates)),
        ("interconnect_unknown", several[pairs.measurement] & offers["unconnected"][pairs.offer]),
    ):
        bits |= rows.astype(np.int64) << _PLACE[name]
    return bits, _NAMES


def _host_differs(estimates: Estimates) -> np.ndarray:
    """Whether a measurement says on which PROVIDER/INSTANCE_TYPE it ran, and the offer is another."""
    differs = np.zeros(len(estimates), bool)
    words = estimates.columns.words
    for i, measurement in enumerate(estimates.question.measurements):
        provider, slash, instance_type = (measurement.measured_on or "").partition("/")
        if slash and measurement.accelerator is not None:
            rows = estimates.pairs.measurement == i
            offers = estimates.pairs.offer[rows]
            same = [
                p == provider.lower() and t.casefold() == instance_type.casefold()
                for p, t in zip(words["provider"].texts(offers), words["instance_type"].texts(offers), strict=True)
            ]
            differs[rows] = ~np.array(same, bool)
    return differs
