"""Oracle's public price list: prices per GPU and hour, times the GPUs of each shape that has them."""

from __future__ import annotations

import re
from typing import Any

import orjson

from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "oci_price_list"
WHAT = "Oracle's price list"
# Which shapes a display name prices; their chips and counts are those of instance_types.csv.
_SHAPES = (
    (r"bare metal gpu standard - x7", ("BM.GPU2.2",)),
    (r"virtual machine gpu standard - x7", ("VM.GPU2.1",)),
    (r"gpu standard - v2", ("VM.GPU3.1", "VM.GPU3.2", "VM.GPU3.4", "BM.GPU3.8")),
    (r"gpu - e3", ("BM.GPU4.8",)),
    (r"a100 - v2", ("BM.GPU.A100-v2.8",)),
    (r"a10\b", ("VM.GPU.A10.1", "VM.GPU.A10.2", "BM.GPU.A10.4")),
    (r"l40s", ("BM.GPU.L40S.4",)),
    (r"gb200", ("BM.GPU.GB200.4",)),
    (r"gb300", ("BM.GPU.GB300.4",)),
    (r"h100", ("BM.GPU.H100.8",)),
    (r"h200", ("BM.GPU.H200.8",)),
    (r"\bb200", ("BM.GPU.B200.8",)),
    (r"\bb300", ("BM.GPU.B300.8",)),
    (r"mi300x", ("BM.GPU.MI300X.8",)),
    (r"mi355x", ("BM.GPU.MI355X.8",)),
)


def recognises(document: Document) -> bool:
    """Whether it lists parts with metrics, as Oracle's list does."""
    return '"partNumber"' in document.head_text and '"metricName"' in document.head_text


def _price(item: dict[str, Any]) -> float | None:
    """Return the pay-as-you-go price in USD, from either form of the list."""
    localized = item.get("currencyCodeLocalizations")
    if isinstance(localized, list):
        prices = [p for each in localized if each.get("currencyCode") == "USD" for p in each.get("prices", [])]
    else:
        prices = [p for p in item.get("prices", []) if p.get("currencyCode", "USD") == "USD"]
    for price in prices:
        if price.get("model") == "PAY_AS_YOU_GO" and isinstance(price.get("value"), (int, float)):
            return float(price["value"])
    return None


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the items that are priced by the GPU-hour."""
    try:
        listed = orjson.loads(document.read())
    except orjson.JSONDecodeError as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is not JSON ({error})", name=document.name, error=one_line(error))
        ) from error

    def handle(item: dict[str, Any]) -> None:
        draft.rows_read += 1
        name = str(item.get("displayName", ""))
        if "gpu per hour" not in str(item.get("metricName", "")).lower():
            draft.leave_out("other_product", name)
            return
        price = _price(item)
        shapes = next((shapes for pattern, shapes in _SHAPES if re.search(pattern, name.lower())), None)
        if price is None:
            draft.leave_out("no_price", name)
        elif shapes is None:
            draft.leave_out("unknown_accelerator", name)
        else:
            for shape in shapes:
                chip, count = draft.instance("oci", shape) or ("", None)
                notes = f"{price:g} USD per GPU × {count}"
                offer = Offer(provider or "oci", shape, "global", chip, count or 1, notes=notes)
                draft.add(offer, price * (count or 1))

    draft.each(listed["items"] if isinstance(listed, dict) else listed, handle)
