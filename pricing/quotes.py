"""Quotes: the user's own prices in a link, PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from pricing import notation
from pricing.currency import exchange_rate
from pricing.errors import Fault, shown
from pricing.numbers import read_number
from pricing.wording import say

_WITH_CURRENCY = re.compile(r"(.*[0-9])\s*([A-Z]{3})")


def parse_quote(text: str) -> dict[str, object]:
    """Read `PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR`, or `PROVIDER/TYPE=PRICE` without accelerator."""
    form = say(
        "write PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR, for example aws/trn2.48xlarge@Trainium2:16=20"
    )
    left, equals, price = text.strip().rpartition("=")
    name, at, hardware = left.rpartition("@")
    if not at:
        name, hardware = left, ""
    provider, slash, instance_type = name.partition("/")
    if not equals or not slash or not instance_type.strip() or not price.strip() or (at and not hardware.strip()):
        raise ValueError(say("{text} is not a quote; {form}", text=shown(text), form=form))
    row: dict[str, object] = {
        "provider": provider.strip(),
        "instance_type": instance_type.strip(),
        "evidence": "quote",
        "price_usd_per_hour": price.strip(),
        "source": "your quote",
    }
    if at:
        accelerator, count = notation.split_count(hardware.strip())
        if not count:
            raise ValueError(say("{text} has no count after the accelerator; {form}", text=shown(text), form=form))
        row |= {"accelerator": accelerator, "accelerator_count": count}
    return row


def in_usd(row: dict[str, object], as_of: date, own: Mapping[str, float]) -> dict[str, object]:
    """Convert a quote with a currency's code after its price, such as 12.5EUR, at a dated rate."""
    match = _WITH_CURRENCY.fullmatch(str(row["price_usd_per_hour"]))
    if match is None:
        return row
    rate = exchange_rate(match[2], as_of, own)
    amount = read_number(match[1], thousands=True)
    said = f"{match[1].strip()} {rate.currency} at {rate.per_usd:.6g} {rate.currency} per USD, {rate.source}"
    return row | {
        "price_usd_per_hour": repr(amount / rate.per_usd),
        "notes": said + (f", {rate.on}" if rate.on else ""),
    }


def of_quotes(fault: Fault, first: int, quotes: Sequence[str], owned: Sequence[str]) -> Fault:
    """Name quotes and owned machines by their text: they follow the inline offers, of which there are `first`."""
    texts = [*quotes, *owned]

    def named(match: re.Match[str]) -> str:
        row = int(match[1]) - first
        return f"the {'quote' if row < len(quotes) else 'machine'} {shown(texts[row])}" if row >= 0 else match[0]

    loc = fault.loc
    if len(loc) > 1 and isinstance(loc[1], int) and loc[1] >= first:
        row = loc[1] - first
        loc = ("quote", row) if row < len(quotes) else ("owned", row - len(quotes))
    return Fault(loc, re.sub(r"offers\[([0-9]+)\]", named, fault.msg))
