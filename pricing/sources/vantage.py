"""Vantage's instances.json (ec2instances.info): EC2 instances with prices by region and system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pricing.sources import json_stream
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer

NAME = "vantage"
WHAT = "Vantage's list of EC2 instances"
_PLANS = {"noUpfront": "no_upfront", "allUpfront": "all_upfront"}
# Trainium2 is not sold on demand; the list has a price of another product for it.
_NOT_ON_DEMAND = "trn2"


def recognises(document: Document) -> bool:
    """Whether it is such a list."""
    text = document.head_text
    return text.lstrip()[:1] == "[" and '"instance_type"' in text and ('"pricing"' in text or '"pretty_name"' in text)


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read Linux prices: on demand, the average of spot, and reservations without or with all upfront."""
    with json_stream.opened(document) as file:
        for instance in json_stream.items(file, "item"):
            draft.rows_read += 1
            _add(instance, provider or "aws", draft)


def _add(instance: dict[str, Any], seller: str, draft: Draft) -> None:
    name = str(instance.get("instance_type", ""))
    gpus = float(instance.get("GPU") or 0)
    known = draft.instance("aws", name)
    if known is None and gpus:
        found = draft.accelerator(str(instance.get("GPU_model") or name))
        if found is None:
            return
        known = found[0], int(gpus)
    if gpus != int(gpus):
        draft.leave_out("fractional", name)
        return
    # What the list says of Trainium and Inferentia is wrong, so that their counts come from the name.
    count = (known[1] or int(gpus) or 1) if known else 0
    vcpus, memory = instance.get("vCPU"), instance.get("memory")
    for region, systems in (instance.get("pricing") or {}).items():
        linux = systems.get("linux") if isinstance(systems, dict) else None
        if not linux:
            draft.leave_out("not_linux", f"{name}, {region}")
            continue
        for purchase, term, plan, text, notes in _prices(linux, name, region, draft):
            offer = Offer(
                seller, name, region, known[0] if known else "", count, purchase, term, plan, notes=notes,
                vcpus=float(vcpus) if vcpus else None, memory_gib=float(memory) if memory else None,
            )  # fmt: skip
            try:
                price = float(text)
            except (TypeError, ValueError):
                draft.leave_out("no_price", f"{name}, {region}, {purchase}")
                continue
            draft.add(offer, price)


def _prices(
    linux: dict[str, Any], name: str, region: str, draft: Draft
) -> Iterator[tuple[str, int | None, str, Any, str]]:
    if "ondemand" in linux:
        if name.startswith(_NOT_ON_DEMAND):
            draft.leave_out("placeholder_price", f"{name}, {region}, on demand at {linux['ondemand']}")
        else:
            yield "on_demand", None, "", linux["ondemand"], ""
    if linux.get("spot_avg"):
        lowest, highest = linux.get("spot_min"), linux.get("spot_max")
        bounds = f", {lowest} to {highest}" if isinstance(lowest, str) and isinstance(highest, str) else ""
        yield "spot", None, "", linux["spot_avg"], f"average of the region's zones{bounds}"
    for key, text in (linux.get("reserved") or {}).items():
        term, _, option = str(key).partition(".")
        months = 12 if "Term1" in term else 36 if "Term3" in term else None
        partial = option == "partialUpfront" and _between(linux["reserved"], term)
        if months is None or (option not in _PLANS and not partial):
            # The list has been known to leave the recurring part out of some that are paid in part.
            draft.leave_out("reservation_part", f"{name}, {region}, {key}")
            continue
        kind = "convertible_" if "Convertible" in term else ""
        plan = kind + ("partial_upfront" if partial else _PLANS[option])
        yield "reserved", months, plan, text, "effective price per hour as listed"


def _between(reserved: dict[str, Any], term: str) -> bool:
    """Whether the price paid in part upfront lies between that paid in full and that without: it is then whole."""
    try:
        whole, part, none = (float(reserved[f"{term}.{name}Upfront"]) for name in ("all", "partial", "no"))
    except (KeyError, TypeError, ValueError):
        return False
    return whole <= part <= none
