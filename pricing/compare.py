"""Offers × measurements → ranked estimates, with baseline, paging and what was left out.

`matching` pairs each measurement with the offers that carry its hardware and orders the pairs by
cost; `estimates` holds the figures of the rows that are asked for, in columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from pricing import comparability, estimate
from pricing.accelerators import Catalogue
from pricing.columns import COLUMNS, find_column
from pricing.comparability import Difference, differences
from pricing.conditions import read_conditions
from pricing.curves import Chosen, Point, chosen, costs_along, latency_to_show
from pricing.errors import InvalidInputError, near_matches, shown
from pricing.estimates import NO_PAIRS, TIED, Baseline, Estimates, Figures, Pairs
from pricing.flags import of_offers
from pricing.market import Market
from pricing.matching import Counter, Excluded, Masks, Matched, held_by, matches, ranked
from pricing.measurements import Measurement, Rate
from pricing.named import named_offers, offer_name, type_names
from pricing.offers import Ints
from pricing.question import DEFAULT_LIMIT, Question, Warned
from pricing.units import Unit
from pricing.wording import say, word

NO_RATE = Rate(float("nan"))


@dataclass(frozen=True, slots=True)
class Prices:
    """The price rows behind an answer: how many, their dates, and a hash of their content."""

    rows: int
    observed_from: date | None
    observed_to: date | None
    sha256: str


@dataclass(frozen=True)
class Answer:
    """The answer to one question. `page` holds the rows that were asked for, in the order asked for."""

    question: Question
    unit: Unit
    total: int
    limit: int
    offset: int
    page: Estimates
    excluded: tuple[Excluded, ...]
    warnings: tuple[Warned, ...]
    baseline: Baseline | None
    prices: Prices
    found: dict[int, Matched]
    figures: Figures
    by_cost: bool
    comparability: tuple[Difference, ...]
    groups: dict[int, int]

    @property
    def blocked(self) -> bool:
        """Whether the measurements can't all be ranked against each other."""
        return len(set(self.groups.values())) > 1

    def chunks(self, first: int, size: int) -> Iterator[Estimates]:
        """Yield the page's rows, `first` of them and then parts of `size`, each worked out in its turn."""
        start, stop = 0, first
        while start < len(self.page):
            part = np.arange(start, min(stop, len(self.page)))
            yield self.figures(self.page.pairs.take(part), self.page.rank[part])
            start, stop = stop, stop + size

    def cheapest(self, most: int) -> Estimates:
        """Return the cheapest estimates, whatever page and order are asked for."""
        if self.by_cost and self.offset == 0 and len(self.page) >= min(most, self.total):
            return self.figures(self.page.pairs.take(np.arange(min(most, len(self.page)))))
        return self.figures(ranked(self.found, most, self.figures))


def compare(question: Question, catalogue: Catalogue, *, all_rows: bool = False) -> Answer:
    """Answer a question: all estimates found, ranked by cost, one page of them in the order asked for.

    `all_rows` gives every row where no limit is asked for. InvalidInputError names an unknown sort
    column or baseline.
    """
    column, descending = find_column(question.sort, COLUMNS)
    market = question.table.market(
        question.as_of,
        include_unconfirmed=question.include_unconfirmed,
        discounts=question.discounts,
        spot_loss=question.spot_loss,
    )
    counter = Counter(market)
    picked = Chosen(question.measurements, {})
    if question.targets:
        picked = chosen(
            question.measurements,
            question.unit.rate_field,
            question.targets,
            interpolate=question.interpolate,
            accepted=question.accept,
        )
        question = replace(question, measurements=picked.measurements)
    rates = _rates(question, picked, counter)
    all_rates = tuple(rates.get(i, NO_RATE) for i in range(len(question.measurements)))
    shares = tuple(m.counted_share for m in question.measurements)

    def bare(pairs: Pairs, rank: Ints | None = None) -> Estimates:
        return Estimates(question, market, catalogue, pairs, _ranks(pairs, rank), all_rates, shares, None, None)

    masks = Masks.of(question, market, catalogue)
    found = {i: matches(question, market, catalogue, question.measurements[i], masks, counter) for i in rates}
    total = sum(len(matched.offers) for matched in found.values())
    limit = question.limit or (max(total, 1) if all_rows else DEFAULT_LIMIT)
    by_cost = column.name in ("cost_usd", "rank") and not descending
    baseline = _baseline(question, market, found, bare)
    if question.where:
        pairs = _meeting(question, ranked(found, total, bare), bare, baseline, counter)
        found, total = _only(found, pairs), len(pairs)
    else:
        pairs = ranked(found, question.offset + limit if by_cost else total, bare)
    first = bare(pairs.take(np.arange(min(1, len(pairs)))))
    cheapest = (int(first.pairs.measurement[0]), float(first.cost[0])) if len(first) else None

    def figures(pairs: Pairs, rank: Ints | None = None) -> Estimates:
        ranks = _ranks(pairs, rank)
        return Estimates(question, market, catalogue, pairs, ranks, all_rates, shares, cheapest, baseline)

    ranks = np.arange(1, len(pairs) + 1)
    if not by_cost:
        order = column.order(figures(pairs), descending)
        pairs, ranks = pairs.take(order), ranks[order]
    window = np.arange(len(pairs))[question.offset : question.offset + limit]
    rated = [question.measurements[i] for i in rates]
    differing = differences(rated, question.accept)
    places = dict(zip(rates, comparability.groups(rated, question.accept), strict=True))
    return Answer(
        question,
        question.unit,
        total,
        limit,
        question.offset,
        figures(pairs.take(window), ranks[window]),
        counter.result(),
        (*question.warnings, *_warnings(question, catalogue, total, baseline, rated, differing)),
        baseline,
        prices_of(market),
        found,
        figures,
        by_cost,
        differing,
        places,
    )


def _rates(question: Question, picked: Chosen, counter: Counter) -> dict[int, Rate]:
    """Return the rate of each measurement that counts; count the others by reason."""
    rates: dict[int, Rate] = {}
    for i, measurement in enumerate(question.measurements):
        if question.evidence and measurement.evidence not in question.evidence:
            counter.add(
                "evidence_left_out",
                1,
                say("{label} is {evidence}", label=measurement.label, evidence=word(measurement.evidence)),
            )
            continue
        if i in picked.left_out:
            counter.add(picked.left_out[i][0], 1, picked.left_out[i][1])
            continue
        rate = measurement.rate_for(question.unit.rate_field)
        if rate is None:
            example = say(
                "{label} has {kinds}, not {short_key}",
                label=measurement.label,
                kinds=measurement.kinds(),
                short_key=question.unit.short_key,
            )
            counter.add("no_rate_for_unit", 1, example)
        else:
            rates[i] = rate
    return rates


def _meeting(question: Question, pairs: Pairs, bare: Figures, baseline: Baseline | None, counter: Counter) -> Pairs:
    """Keep the pairs that meet the question's conditions; count the others."""
    conditions = read_conditions(question.where, COLUMNS)
    rows = replace(bare(pairs), baseline=baseline)
    if len(pairs):
        rows = replace(rows, cheapest=(int(pairs.measurement[0]), float(rows.cost[0])))
    met = np.logical_and.reduce([condition.mask(rows) for condition in conditions])
    left = pairs.take(np.flatnonzero(~met))
    for i in np.unique(left.measurement).tolist():
        counter.add_offers("unmet", left.offer[left.measurement == i], question.measurements[i])
    return pairs.take(np.flatnonzero(met))


def _only(found: dict[int, Matched], pairs: Pairs) -> dict[int, Matched]:
    """Keep, of each measurement's offers, those among the pairs."""
    kept = {i: pairs.offer[pairs.measurement == i] for i in found}
    return {i: matched.take(np.isin(matched.offers, kept[i])) for i, matched in found.items()}


def parts(answer: Answer, catalogue: Catalogue, *, all_rows: bool = False) -> list[Answer]:
    """Return an answer in parts that can be compared, one for each group of measurements.

    Each part is ranked by itself, with a baseline of its own: the named one where it is among the
    part's, else its first measurement's cheapest estimate.
    """
    if not answer.blocked:
        return [answer]
    found = []
    for group in sorted(set(answer.groups.values())):
        members = tuple(m for i, m in enumerate(answer.question.measurements) if answer.groups.get(i) == group)
        question = replace(answer.question, measurements=members, offset=0, warnings=())
        try:
            found.append(compare(question, catalogue, all_rows=all_rows))
        except InvalidInputError:
            found.append(compare(replace(question, baseline=None), catalogue, all_rows=all_rows))
    return found


def _ranks(pairs: Pairs, rank: Ints | None) -> Ints:
    return np.arange(1, len(pairs) + 1) if rank is None else rank


def _baseline(question: Question, market: Market, found: dict[int, Matched], figures: Figures) -> Baseline | None:
    """Find the baseline: as named, before filters; else the first measurement's cheapest estimate."""
    name = question.baseline
    if name is None:
        # Its offers come cheapest first, ties in their order.
        cheapest = Pairs(np.zeros(1, np.int64), found[0].offers[:1], found[0].replicas[:1]) if 0 in found else NO_PAIRS
        return _as_baseline(question, cheapest, figures)
    # A measurement that a latency target or the evidence asked for leaves out has no figures to compare with.
    unfiltered = {i: Matched.shown(held_by(market, question.measurements[i])) for i in found}
    labels = [m.label for m in question.measurements]
    if name in labels:
        i = labels.index(name)
        pairs = ranked({i: unfiltered[i]} if i in unfiltered else {}, 1, figures)
        missing = say("{name} has no estimate, so it can't be the baseline; name another one", name=shown(name))
    else:
        # Every size counts here: the name may pick one.
        every = {i: Matched.of(held_by(market, question.measurements[i])) for i in unfiltered}
        pairs = ranked(named_offers(name, market, every), 1, figures)
        missing = say(
            "{name} is neither a measurement's label nor an offer with an estimate; write a label or "
            "PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]].",
            name=shown(name),
        )
        if not len(pairs):
            missing += near_matches(name, [*labels, *type_names(market, every)])
    if not len(pairs):
        raise InvalidInputError.at(("baseline",), missing)
    return _as_baseline(question, pairs, figures)


def _as_baseline(question: Question, pairs: Pairs, figures: Figures) -> Baseline | None:
    if not len(pairs):
        return None
    row = figures(pairs)
    name = offer_name(row.columns, int(pairs.offer[0]), question.table)
    return Baseline(
        name,
        question.measurements[int(pairs.measurement[0])].label,
        float(row.price[0]),
        float(row.rate[0]),
        float(row.cost[0]),
    )


def _warnings(
    question: Question,
    catalogue: Catalogue,
    total: int,
    baseline: Baseline | None,
    rated: list[Measurement],
    differing: tuple[Difference, ...],
) -> Iterator[Warned]:
    if total == 0:
        first = question.table.first_seen
        if first is not None and question.as_of < first:
            yield Warned(
                "no_estimates",
                say(
                    "No price was seen by {as_of}; the first is of {first}.",
                    as_of=question.as_of.isoformat(), first=first.isoformat(),
                ),
            )  # fmt: skip
        else:
            yield Warned(
                "no_estimates", say("No offer gives an estimate; the reasons are listed under what was left out.")
            )
    elif question.offset >= total:
        yield Warned(
            "offset_beyond_end",
            say(
                "The offset {offset:,} is beyond the last of {total:,} estimates.", offset=question.offset, total=total
            ),
        )
    if baseline is None:
        yield Warned(
            "no_baseline",
            say(
                "{label} has no estimate, so there is no baseline to compare with.",
                label=question.measurements[0].label,
            ),
        )
    for name in dict.fromkeys(m.accelerator for m in rated if m.accelerator):
        sellers = [p.name for p in catalogue.quote_only(name)]
        if sellers:
            yield Warned(
                "quote_only",
                say(
                    "{name} is sold at a quoted price only by {sellers}; add yours with "
                    "quote=PROVIDER/INSTANCE_TYPE@{name}:COUNT=USD_PER_HOUR.",
                    name=name,
                    sellers=", ".join(sellers),
                ),
            )
    for code, message in comparability.warnings_of(differing):
        yield Warned(code, message, blocking=True)


def prices_of(market: Market) -> Prices:
    """Return the rows, dates and hash of the prices in force."""
    first, last = market.observed_range or (None, None)
    return Prices(market.table.source_rows, first, last, market.table.sha256)


@dataclass(frozen=True, slots=True)
class Headline:
    """What the answer says first: an estimate, its cost in USD per quoted unit and its share saved.

    `rivals` are the cheapest estimates of other measurements that can't be told from it: no winner.
    """

    estimates: Estimates
    cost_usd: float
    cost_low_usd: float | None
    cost_high_usd: float | None
    share_saved: float | None
    stale: bool
    rivals: Estimates | None = None


def headlines(answer: Answer) -> tuple[Headline, ...]:
    """Return the cheapest estimate and, where its price is stale, also the cheapest that is not."""
    market = answer.page.market
    old = of_offers(market, answer.page.catalogue)["stale"]
    cheapest = answer.cheapest(1)
    if not len(cheapest):
        return ()
    first = replace(
        _headline(answer, cheapest, stale=bool(old[cheapest.pairs.offer[0]])), rivals=_rivals(answer, cheapest)
    )
    if not first.stale:
        return (first,)
    fresh = {i: matched.take(_first(~old, matched.offers)) for i, matched in answer.found.items()}
    row = answer.figures(ranked(fresh, 1, answer.figures))
    return (first, _headline(answer, row, stale=False)) if len(row) else (first,)


def _rivals(answer: Answer, cheapest: Estimates) -> Estimates | None:
    """Return the cheapest estimate of each other measurement that is tied with the cheapest of all."""
    first = int(cheapest.pairs.measurement[0])
    others = [i for i, matched in answer.found.items() if i != first and len(matched.offers)]
    if not others:
        return None
    offers, replicas = (
        np.array([getattr(answer.found[i], name)[0] for i in others]) for name in ("offers", "replicas")
    )
    pairs = Pairs(np.array(others), offers, replicas)
    tied = np.flatnonzero(answer.figures(pairs, np.full(len(others), 2)).tied == TIED)
    return answer.figures(pairs.take(tied)) if len(tied) else None


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of an answer: its points with their costs on the offer on which it is cheapest."""

    name: str
    offer: str
    latency: str
    points: tuple[Point, ...]


def curves(answer: Answer) -> list[Curve]:
    """Return the curves that have at least two points, each on the cheapest offer that carries it."""
    question, field = answer.question, answer.unit.rate_field
    latency = latency_to_show(question.measurements, question.targets, question.accept)
    if latency is None:
        return []
    found: dict[tuple[tuple[str, float], ...], Curve] = {}
    for i, matched in answer.found.items():
        measurement = question.measurements[i]
        if not measurement.curve or not len(matched.offers):
            continue
        first = np.arange(1)
        row = answer.figures(Pairs(np.full(1, i), matched.offers[first], matched.replicas[first]))
        points = costs_along(question.measurements, measurement, float(row.cost[0]), field, latency, question.accept)
        key = tuple((p.label, p.latency) for p in points)
        if len(points) > 1 and key not in found:
            words, offer = row.columns.words, int(row.pairs.offer[0])
            name = f"{words['provider'].at(offer)} {words['instance_type'].at(offer)}"
            found[key] = Curve(measurement.curve, name, latency, tuple(points))
    return list(found.values())


def _first(keep: np.ndarray, offers: Ints) -> Ints:
    """Return the place of the first of these offers that is kept, as an index of one or none."""
    for start in range(0, len(offers), 256):
        places = np.flatnonzero(keep[offers[start : start + 256]])
        if len(places):
            return start + places[:1]
    return np.empty(0, np.int64)


def _headline(answer: Answer, row: Estimates, *, stale: bool) -> Headline:
    cost = float(row.cost[0])
    low, high = float(row.cost_low[0]), float(row.cost_high[0])
    return Headline(
        row,
        cost,
        None if np.isnan(low) else low,
        None if np.isnan(high) else high,
        estimate.share_saved(cost, answer.baseline.cost_usd) if answer.baseline else None,
        stale,
    )
