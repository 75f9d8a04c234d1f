"""The calculation of a sweep as one expression over tables, for every engine that Narwhals speaks to.

Observations → prices in force → the cheapest offers of each distinct demand for hardware → costs of
scenarios. A scenario's order of offers does not depend on its rates and utilization, so scenarios
that differ only in these share one demand, and only a demand's cheapest offers meet them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import narwhals as nw

from pricing.offers import EVIDENCE, KEY, NOT_AVAILABLE, SAME_COST
from pricing.units import SECONDS_PER_HOUR

Frame = nw.LazyFrame[Any]
# Costs that rounding may have put in another order than prices per replica lie this close.
NEAR = 1e-9
# Stands for no date; before any date of a price, and one that every engine can write.
UNDATED = date(1900, 1, 1)
THIRD_PARTY, QUOTE = EVIDENCE.index("third_party"), EVIDENCE.index("quote")
# What of an offer is carried to the result besides its key.
SHOWN = ("accelerator", "price_usd_per_hour", "known", "observed_on")
# In what two observations of one key and date may not differ, and the other end of their values.
AGREEING = {"price_usd_per_hour": "highest", "accelerator": "other_accelerator", "availability": "other_availability"}


@dataclass(frozen=True)
class Join:
    """A join of demands with offers: the columns joined on, and those compared where the demand has a value."""

    on: tuple[str, ...]
    compared: tuple[str, ...]


@dataclass(frozen=True)
class Demands:
    """Distinct demands for hardware, as a frame with one row per combination of values that a filter allows.

    Columns: `demand`; those that an offer must equal; `per_replica` (accelerators, null: one replica
    whatever the size); `most_usd`, `most_accelerators`, `oldest` (null: no bound); `spot_weight`
    (1 / (1 - l)); `one_size` (whether of a row's sizes only one counts); `pattern`, the place in `joins`
    of that which finds the row's offers. `sizes` tells whether the offers have any.
    """

    frame: Frame
    joins: Sequence[Join]
    sizes: bool


def sizes_apart(observations: Frame) -> Frame:
    """Make one row per size of a row that has sizes: price × size / accelerator_count.

    `row` then names the row that sizes come from; null for a row that stands as it is.
    """
    count = nw.col("accelerator_count")
    identity = nw.concat_str(
        *(nw.col(name).cast(nw.String) for name in (*KEY, "observed_on", "price_usd_per_hour", "sizes")),
        separator="\x1f",
    )
    # The sign between sizes is an operator in Spark's patterns.
    parts = nw.col("sizes").str.replace_all("|", ",", literal=True).str.split(",")
    each = observations.with_columns(row=identity, size=parts).explode("size")
    size = nw.col("size").cast(nw.Int64)
    price = nw.col("price_usd_per_hour")
    return each.with_columns(
        price_usd_per_hour=nw.when(size.is_null()).then(price).otherwise(price * size / count),
        accelerator_count=nw.when(size.is_null()).then(count).otherwise(size),
    ).drop("size")


def in_force(observations: Frame, as_of: date, *, include_unconfirmed: bool) -> Frame:
    """Return the newest observation of each key not after a date; an undated one is older than any other.

    Columns: KEY, SHOWN, `row`, and those in which observations of one key and date must agree, each
    with its other end: where the two differ, the table contradicts itself.
    """
    possible = observations.filter(nw.col("observed_on") <= as_of)
    if not include_unconfirmed:
        possible = possible.filter(nw.col("known") != THIRD_PARTY)
    newest = possible.filter(nw.col("observed_on") == nw.col("observed_on").max().over(*KEY))
    return newest.group_by(*KEY).agg(
        *(nw.col(name).min() for name in (*AGREEING, "known", "observed_on", "row")),
        *(nw.col(name).max().alias(other) for name, other in AGREEING.items()),
    )


def contradictions(offers: Frame) -> Frame:
    """Return the offers whose observations of one date tell different things."""
    differ = [nw.col(name) != nw.col(other) for name, other in AGREEING.items()]
    return offers.filter(nw.any_horizontal(*differ, ignore_nulls=True))


def to_be_had(offers: Frame) -> Frame:
    """Return the offers that have a price and can be rented."""
    away = nw.col("availability").is_in(NOT_AVAILABLE)
    return offers.filter(~away, ~nw.col("price_usd_per_hour").is_null()).select(*KEY, *SHOWN, "row")


def meeting(demands: Demands, offers: Frame) -> Frame:
    """Pair each demand with the offers that meet it: `demand`, `replicas`, `each`, and the offer's columns.

    `each` is the price per replica, P / replicas, dearer for spot by what its interruptions lose. An
    offer meets at most one row of a demand, since values of a filter are distinct.
    """
    bounds = ("per_replica", "most_usd", "most_accelerators", "oldest", "spot_weight", "one_size")
    parts = []
    for number, join in enumerate(demands.joins):
        wanted = {f"wanted_{name}": nw.col(name) for name in join.compared}
        asked = demands.frame.filter(nw.col("pattern") == number).select("demand", *bounds, *join.on, **wanted)
        joined = asked.join(offers, on=list(join.on), how="inner")
        for name in join.compared:
            joined = joined.filter(nw.col(f"wanted_{name}").is_null() | (nw.col(f"wanted_{name}") == nw.col(name)))
        parts.append(joined.select("demand", *bounds, *KEY, *SHOWN, "row"))
    pairs = nw.concat(parts, how="vertical")
    count, price = nw.col("accelerator_count"), nw.col("price_usd_per_hour")
    dated, old = nw.col("observed_on") != UNDATED, nw.col("observed_on") < nw.col("oldest")
    pairs = pairs.filter(
        nw.col("per_replica").is_null() | (count >= nw.col("per_replica")),
        nw.col("most_usd").is_null() | (price <= nw.col("most_usd")),
        nw.col("most_accelerators").is_null() | (count <= nw.col("most_accelerators")),
        nw.col("oldest").is_null() | (dated & ~old) | (~dated & (nw.col("known") == QUOTE)),
    )
    replicas = nw.when(nw.col("per_replica").is_null()).then(1).otherwise(count // nw.col("per_replica"))
    weight = nw.when(nw.col("purchase") == "spot").then(nw.col("spot_weight")).otherwise(1.0)
    pairs = pairs.with_columns(replicas=replicas.cast(nw.Int64)).with_columns(each=price / nw.col("replicas") * weight)
    return (_one_size(pairs) if demands.sizes else pairs).select("demand", "replicas", "each", *KEY, *SHOWN)


def _one_size(pairs: Frame) -> Frame:
    """Keep, of the sizes of one row that meet a demand, the smallest of those with the lowest cost."""
    sized = nw.col("one_size") & ~nw.col("row").is_null()
    several = pairs.filter(sized)
    lowest = nw.col("each").min().over("demand", "row")
    several = several.filter(nw.col("each") <= lowest * (1 + SAME_COST))
    several = several.filter(nw.col("accelerator_count") == nw.col("accelerator_count").min().over("demand", "row"))
    return nw.concat([pairs.filter(~sized), several], how="vertical")


def cheapest(wanted: Frame, demands: Demands, offers: Frame, most: int) -> Frame:
    """Return the `most` cheapest estimates of each ask, with their `rank` from 1.

    `wanted` has a row per measurement that counts: `measured`, its number; `ask`, the number of the
    scenario's group of measurements within which estimates can be ranked; `demand`; `rate` (units
    per second of one replica that count), `utilization`, `spot_utilization` and `quoted`. Costs in USD
    are P / (3600 · R · u) · quoted, R = rate × replicas, in the order of `pricing.estimate`, so that they
    are the same doubles. Ties are ordered by the offer's key, then by the measurement.
    """
    pairs = meeting(demands, offers)
    # Only prices are needed to know where a demand's cheapest end; the rest of an offer waits.
    worst = (
        pairs.select("demand", "each")
        .filter(nw.col("each").rank("min").over("demand") <= most)
        .group_by("demand")
        .agg(worst=nw.col("each").max())
    )
    near = pairs.join(worst, on="demand", how="inner").filter(nw.col("each") <= nw.col("worst") * (1 + NEAR))
    rate = nw.col("rate") * nw.col("replicas")
    spot = nw.col("purchase") == "spot"
    share = nw.when(spot).then(nw.col("spot_utilization")).otherwise(nw.col("utilization"))
    cost = nw.col("price_usd_per_hour") / (SECONDS_PER_HOUR * rate * share) * nw.col("quoted")
    estimates = wanted.join(near.drop("worst"), on="demand", how="inner").with_columns(cost_usd=cost)
    # Few are left for the slower order by all columns.
    few = estimates.filter(nw.col("cost_usd").rank("min").over("ask") <= most)
    rank = nw.col("cost_usd").cum_count().over("ask", order_by=["cost_usd", *KEY, "measured"])
    ranked = few.with_columns(rank=rank.cast(nw.Int64)).filter(nw.col("rank") <= most)
    return ranked.select("ask", "rank", "measured", "replicas", "cost_usd", *KEY, *SHOWN)


def summary(wanted: Frame, demands: Demands, offers: Frame) -> Frame:
    """Return of each ask the number of `estimates`, and their lowest and mean cost in USD.

    An estimate costs `each` · quoted / (3600 · rate · u), so that sum and minimum of `each` over a demand do.
    """
    sums = (
        meeting(demands, offers)
        .group_by("demand")
        .agg(estimates=nw.len(), lowest=nw.col("each").min(), total=nw.col("each").sum())
    )
    factor = nw.col("quoted") / (SECONDS_PER_HOUR * nw.col("rate") * nw.col("utilization"))
    return (
        wanted.join(sums, on="demand", how="inner")
        .with_columns(lowest=nw.col("lowest") * factor, total=nw.col("total") * factor)
        .group_by("ask")
        .agg(nw.col("estimates").sum(), nw.col("lowest").min(), nw.col("total").sum())
        .with_columns(mean=nw.col("total") / nw.col("estimates"))
        .select("ask", nw.col("estimates").cast(nw.Int64), "lowest", "mean")
    )
