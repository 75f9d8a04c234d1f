"""Offerings of EC2 Capacity Blocks, as `aws ec2 describe-capacity-block-offerings` gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from pricing import estimate
from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "aws_capacity_blocks"
WHAT = "EC2 Capacity Block offerings"
_HOUR = 60  # minutes
# A zone's name is its region's, with a letter; local zones have a longer one.
_ZONE = re.compile(r"([a-z]{2}(?:-[a-z]+)+-\d+)(?:[a-z]|-[a-z0-9-]+)?")


def recognises(document: Document) -> bool:
    """Whether it is an answer with offerings."""
    return '"CapacityBlockOfferings"' in document.head_text or '"CapacityBlockOfferingId"' in document.head_text


def _offerings(document: Document) -> Iterator[dict[str, Any]]:
    try:
        pages = orjson.loads(document.read())
    except orjson.JSONDecodeError as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is not JSON ({error})", name=document.name, error=one_line(error))
        ) from error
    for page in pages if isinstance(pages, list) else [pages]:
        yield from page.get("CapacityBlockOfferings", [page])


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the offerings: the fee is paid upfront for all instances and hours, the price is that per instance-hour.

    Blocks of different lengths are different offers; of several at one length the lower median counts.
    """
    for offering in _offerings(document):
        draft.rows_read += 1
        name = str(offering.get("InstanceType", ""))
        example = f"{name}, {offering.get('AvailabilityZone', '')}"
        zone = _ZONE.fullmatch(str(offering.get("AvailabilityZone", "")))
        known = draft.instance("aws", name)
        if offering.get("CurrencyCode", "USD") != "USD":
            draft.leave_out("other_currency", f"{example}, in {offering['CurrencyCode']}")
        elif known is None or known[1] is None:
            draft.leave_out("unknown_accelerator", name)
        elif zone is None or "UpfrontFee" not in offering or not offering.get("InstanceCount"):
            draft.leave_out("unreadable", example)
        else:
            hours, minutes = (int(offering.get(f"CapacityBlockDuration{unit}") or 0) for unit in ("Hours", "Minutes"))
            if not 0 <= minutes < _HOUR or hours + minutes == 0:
                draft.leave_out("unreadable", f"{example}, {hours} h {minutes} min")
                continue
            # A block that begins at once ends at the usual time of the day: minutes come on top of the hours.
            length, plan = f"{hours} h {minutes} min", f"{hours}_hours_{minutes}_minutes"
            if not minutes:
                length, plan = f"{hours} h", f"{hours}_hours"
            count, fee = int(offering["InstanceCount"]), float(offering["UpfrontFee"])
            offer = Offer(
                provider or "aws", name, zone[1], known[0], known[1], "capacity_block", plan=plan,
                notes=f"minimum rental {length}; {fee:g} USD upfront for {count} × {length}", spread_over="offerings",
            )  # fmt: skip
            draft.add(offer, estimate.block_price(fee, count, hours + minutes / _HOUR))
