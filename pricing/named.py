"""Offers by name: PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM_MONTHS]]]."""

from __future__ import annotations

import numpy as np

from pricing.estimates import NO_PAIRS
from pricing.market import Market, PriceTable
from pricing.matching import Matched
from pricing.offers import NO_TERM, Columns


def offer_name(columns: Columns, i: int, table: PriceTable) -> str:
    """Write an offer's name, with its count where the table has the type in several sizes."""
    words = columns.words
    provider, instance_type = words["provider"].at(i), words["instance_type"].at(i)
    several = len(table.sizes_of(provider, instance_type)) > 1
    count = f":{columns.count[i]}" if several else ""
    term = f"/{columns.term[i]}" if columns.term[i] != NO_TERM else ""
    return f"{provider}/{instance_type}{count}/{words['region'].at(i)}/{words['purchase'].at(i)}{term}"


def type_names(market: Market, found: dict[int, Matched]) -> list[str]:
    """Return PROVIDER/INSTANCE_TYPE of the offers, for near matches."""
    words = market.columns.words
    offers = np.unique(np.concatenate([m.offers for m in found.values()])) if found else NO_PAIRS.offer
    types = zip(words["provider"].texts(offers), words["instance_type"].texts(offers), strict=True)
    return sorted({f"{p}/{t}" for p, t in types})


def named_offers(name: str, market: Market, found: dict[int, Matched]) -> dict[int, Matched]:
    """Keep the offers that PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE[/TERM]]] names.

    Instance types may hold '/' and ':', so that the longest known type that fits is taken.
    """
    provider, _, rest = name.partition("/")
    provider = provider.strip().lower()
    types = [t.split("/", 1)[1] for t in market.table.instance_types(provider)]
    fitting = [t for t in types if rest == t or rest.startswith((f"{t}/", f"{t}:"))]
    if not fitting:
        return {}
    instance_type = max(fitting, key=len)
    tail = rest[len(instance_type) :]
    count, slash, where = tail.partition("/") if tail.startswith(":") else ("", tail[:1], tail[1:])
    region, purchase, term, *more = [*where.split("/"), "", "", ""] if slash else ["", "", ""]
    columns = market.columns
    words = columns.words
    mask = words["provider"].mask([provider]) & words["instance_type"].mask([instance_type])
    for text, array in ((count[1:], columns.count), (term, columns.term)):
        if text:
            mask &= array == (int(text) if text.isascii() and text.isdigit() and len(text) < 10 else NO_TERM - 1)
    for text, column in ((region, "region"), (purchase, "purchase")):
        if text:
            mask &= words[column].mask([text])
    if any(more):
        return {}
    return {i: matched.take(mask[matched.offers]) for i, matched in found.items()}
