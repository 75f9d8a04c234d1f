"""Pages of the Azure Retail Prices API: one page, a list of pages or of items, or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from pricing import estimate
from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "azure_retail"
WHAT = "pages of the Azure Retail Prices API"
_TERMS = {"1 Year": 12, "2 Years": 24, "3 Years": 36, "5 Years": 60}
# Sizes with a share of a GPU: the first three of the A10 family, and those of the Radeon families.
_SHARES = ("Standard_NV6ads_A10_v5", "Standard_NV12ads_A10_v5", "Standard_NV18ads_A10_v5")


def recognises(document: Document) -> bool:
    """Whether items with Azure's names of fields are in it."""
    return '"armSkuName"' in document.head_text and '"retailPrice"' in document.head_text


def _items(document: Document) -> Iterator[dict[str, Any]]:
    data = document.read()
    try:
        parts: Any = [orjson.loads(data)]
    except orjson.JSONDecodeError as error:
        try:
            parts = [orjson.loads(line) for line in data.splitlines() if line.strip()]
        except orjson.JSONDecodeError:
            raise PriceFileError.at(
                (document.name,), say("{name}: is not JSON ({error})", name=document.name, error=one_line(error))
            ) from error
    for part in parts:
        for page in part if isinstance(part, list) else [part]:
            items = page.get("Items", [page]) if isinstance(page, dict) else []
            yield from (item for item in items if isinstance(item, dict))


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the items: on demand, spot, reservations and savings plans of Linux machines.

    Of several prices of one offer those that came into force last count.
    """
    seller = provider or "azure"
    newest: dict[tuple[str, str, str, int | None], tuple[str, list[tuple[Offer, float]]]] = {}

    def take(offer: Offer, price: float, starts: str) -> None:
        key = (offer.instance_type, offer.region, offer.purchase, offer.term_months)
        before = newest.get(key)
        if before is None or starts > before[0]:
            newest[key] = (starts, [(offer, price)])
        elif starts == before[0]:
            before[1].append((offer, price))

    def handle(item: dict[str, Any]) -> None:
        draft.rows_read += 1
        made = _offer(item, seller, draft)
        if made is not None:
            starts = str(item.get("effectiveStartDate", ""))[:10]
            take(*made, starts)
            if made[0].purchase == "on_demand":
                for plan, plan_price in _savings_plans(item, made[0]):
                    take(plan, plan_price, starts)

    draft.each(_items(document), handle)
    on_demand = {key[:2]: prices for key, (_, prices) in newest.items() if key[2] == "on_demand"}
    for key, (_, prices) in newest.items():
        for offer, price in prices:
            # Azure puts the price on demand where it has no price for spot.
            if offer.purchase == "spot" and any(price == listed for _, listed in on_demand.get(key[:2], ())):
                draft.leave_out("placeholder_price", f"{offer.instance_type}, {offer.region}, spot")
            else:
                draft.add(offer, price)


def _reason(item: dict[str, Any]) -> str | None:
    """Return why an item gives no offer, if so."""
    names = f"{item.get('skuName', '')} {item.get('meterName', '')}"
    if item.get("serviceName", "Virtual Machines") != "Virtual Machines" or not item.get("armSkuName"):
        return "other_product"
    if item.get("type") == "DevTestConsumption":
        return "dev_test"
    if "Windows" in str(item.get("productName", "")):
        return "not_linux"
    if "Low Priority" in names:
        return "low_priority"
    if item.get("currencyCode", "USD") != "USD":
        return "other_currency"
    if not str(item.get("unitOfMeasure", "1 Hour")).startswith("1 Hour"):
        return "not_hourly"
    if (
        "CloudServices" in str(item.get("productName", "")).replace(" ", "")
        or item.get("isPrimaryMeterRegion") is False
    ):
        return "other_product"
    if float(item.get("tierMinimumUnits") or 0) > 0:
        return "volume_tier"
    if not str(item.get("armRegionName") or ""):
        return "not_offered"
    if item["armSkuName"] in _SHARES:
        return "fractional"
    return None


def _offer(item: dict[str, Any], seller: str, draft: Draft) -> tuple[Offer, float] | None:
    name, region = str(item.get("armSkuName", "")), str(item.get("armRegionName") or "global")
    example = f"{name or item.get('productName', '?')}, {region}"
    reason = _reason(item)
    if reason is not None:
        draft.leave_out(reason, example)
        return None
    price = item.get("retailPrice")
    if isinstance(price, bool) or not isinstance(price, (int, float)):
        draft.leave_out("no_price", example)
        return None
    starts = str(item.get("effectiveStartDate", ""))[:10]
    if starts and starts > draft.observed_on:
        draft.leave_out("not_in_force", f"{example}, from {starts}")
        return None
    ends = str(item.get("effectiveEndDate") or "")[:10]
    if ends and ends <= draft.observed_on:
        draft.leave_out("not_in_force", f"{example}, until {ends}")
        return None
    known = draft.instance("azure", name)
    offer = Offer(seller, name, region, known[0] if known else "", (known[1] or 1) if known else 0)
    if item.get("type") == "Reservation":
        term = _TERMS.get(str(item.get("reservationTerm")))
        if term is None:
            draft.leave_out("unreadable", f"{example}, term {item.get('reservationTerm')}")
            return None
        # The price is the total of the term, whatever unitOfMeasure says.
        offer.purchase, offer.term_months, offer.notes = "reserved", term, f"{price:g} USD for {term} months"
        return offer, estimate.amortised_price(0.0, float(price), term)
    if "Spot" in f"{item.get('skuName', '')} {item.get('meterName', '')}":
        offer.purchase = "spot"
    return offer, float(price)


def _savings_plans(item: dict[str, Any], offer: Offer) -> Iterator[tuple[Offer, float]]:
    plans = item.get("savingsPlan")
    for plan in plans if isinstance(plans, list) else []:
        term, price = _TERMS.get(str(plan.get("term"))), plan.get("retailPrice")
        if term is not None and isinstance(price, (int, float)):
            yield Offer(
                offer.provider, offer.instance_type, offer.region, offer.accelerator, offer.accelerator_count,
                "savings_plan", term,
            ), float(price)  # fmt: skip
