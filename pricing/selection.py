"""Chosen rows of an answer, to stand side by side. Their names outlive other prices, which change every rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pricing.compare import Answer
from pricing.estimates import Estimates, Pairs
from pricing.matching import ranked
from pricing.offers import NO_TERM

_SIGN = "|"


@dataclass(frozen=True)
class Selected:
    """One chosen row; `estimate` holds it alone, or is None where the answer has it no longer.

    `ratio` is its cost divided by that of the first one, None where the two can't be compared; `rank` its
    place in the whole answer, None where groups are ranked apart; `memory_gib` that of all its accelerators.
    """

    key: str
    estimate: Estimates | None = None
    ratio: float | None = None
    rank: int | None = None
    memory_gib: float | None = None


def keys(estimates: Estimates, places: Sequence[int]) -> list[str]:
    """Return what names each row: its measurement's place in the question from 1, and the key of its offer.

    `places` are those of the estimates' measurements in the whole question, from 0.
    """
    columns, offers = estimates.columns, estimates.pairs.offer
    words = (columns.words[name].texts(offers) for name in ("provider", "instance_type", "region", "purchase", "plan"))
    terms = ["" if term == NO_TERM else str(term) for term in columns.term[offers].tolist()]
    counts, measured = columns.count[offers].tolist(), estimates.pairs.measurement.tolist()
    return [
        _SIGN.join((str(places[i] + 1), provider, instance_type, str(count), region, purchase, term, plan))
        for i, count, term, provider, instance_type, region, purchase, plan in zip(
            measured, counts, terms, *words, strict=True
        )
    ]


def selected(answer: Answer, chosen: Sequence[str]) -> list[Selected]:
    """Return the rows that these keys name, in their order."""
    if not chosen:
        return []
    every = ranked(answer.found, answer.total, answer.figures)
    rows = [(key, *_found(answer, every, key)) for key in chosen]
    first = next((estimate for _, estimate, _ in rows if estimate is not None), None)
    return [
        Selected(key) if e is None or first is None else _against(answer, key, e, rank, first) for key, e, rank in rows
    ]


def _found(answer: Answer, every: Pairs, key: str) -> tuple[Estimates | None, int]:
    """Return the row that a key names, and its rank."""
    place, provider, instance_type, *_ = [*key.split(_SIGN), "", ""]
    words = answer.page.columns.words
    offers = words["provider"].mask([provider]) & words["instance_type"].mask([instance_type])
    wanted = int(place) - 1 if place.isascii() and place.isdigit() and len(place) < 4 else -1
    ranks = np.flatnonzero(offers[every.offer] & (every.measurement == wanted))
    if not len(ranks):
        return None, 0
    names = keys(answer.figures(every.take(ranks)), range(len(answer.question.measurements)))
    if key not in names:
        return None, 0
    rank = int(ranks[names.index(key)]) + 1
    return answer.figures(every.take(np.array([rank - 1])), np.array([rank])), rank


def _against(answer: Answer, key: str, estimate: Estimates, rank: int, first: Estimates) -> Selected:
    offer = int(estimate.pairs.offer[0])
    chip = estimate.catalogue.accelerators.get(estimate.columns.words["accelerator"].at(offer))
    memory = chip.memory_gib * int(estimate.columns.count[offer]) if chip and chip.memory_gib else None
    ratio = float(estimate.cost[0] / first.cost[0]) if estimate.group[0] == first.group[0] else None
    return Selected(key, estimate, ratio, None if answer.blocked else rank, memory)
