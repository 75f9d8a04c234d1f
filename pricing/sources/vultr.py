"""Vultr's list of plans (`GET /v2/plans-metal`, `/v2/plans`), as its API answers without a key."""

from __future__ import annotations

import re

import orjson

from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "vultr"
WHAT = "Vultr's list of plans"
# The plan's name ends with count and chip: vbm-256c-2048gb-8-mi300x-gpu.
_METAL = re.compile(r"vbm-.*-(\d+)-(.+)-gpu")


def recognises(document: Document) -> bool:
    """Whether a document is such a list."""
    return '"plans_metal"' in document.head_text and '"hourly_cost"' in document.head_text


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the plans: on demand and, where there is a price, preemptible as spot; one offer per location."""
    try:
        pages = orjson.loads(document.read())
        plans = [plan for page in (pages if isinstance(pages, list) else [pages]) for plan in page["plans_metal"]]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is no list of plans ({error})", name=document.name, error=one_line(error))
        ) from error
    for plan in plans:
        draft.rows_read += 1
        name = str(plan.get("id", ""))
        match = _METAL.fullmatch(name)
        if match is None:
            draft.leave_out("other_product", name)
            continue
        chip = draft.accelerator(match[2])
        if chip is None:
            continue
        locations = plan.get("locations") or []
        if not locations:
            draft.leave_out("not_offered", name)
        for region in locations:
            for purchase, field in (("on_demand", "hourly_cost"), ("spot", "hourly_cost_preemptible")):
                price = plan.get(field)
                if isinstance(price, (int, float)):
                    offer = Offer(
                        provider or "vultr", name, region, chip[0], int(match[1]), purchase,
                        vcpus=plan.get("cpu_threads"), memory_gib=plan["ram"] / 1024 if plan.get("ram") else None,
                    )  # fmt: skip
                    draft.add(offer, float(price))
