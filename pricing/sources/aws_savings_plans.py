"""Offer files of AWS' Savings Plans (Compute and EC2 Instance): a discounted price per hour for each instance type."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pricing.errors import PriceFileError
from pricing.sources import aws_products, json_stream
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "aws_savings_plans"
WHAT = "AWS Savings Plans' prices"
# The CSV form and some JSON name the offer; the JSON form as AWS documents it has only its parts to be known by.
_OFFER_CODE = re.compile(r'"?offer_?code"?\s*[:,]\s*"?\w*SavingsPlan', re.IGNORECASE)
_PARTS = re.compile(r'"productFamily"\s*:\s*"\w+SavingsPlans"|"terms"\s*:\s*\{\s*"savingsPlan"\s*:\s*\[')
# `USE1-BoxUsage:p5.48xlarge` is a shared machine in use; other usages are hosts, dedicated tenancy, reservations.
_USAGE = re.compile(r"(?:[A-Z0-9]+-)*BoxUsage:(.+)")
# Families with accelerators; one of these that the catalogue does not know is no plain machine.
_ACCELERATED = re.compile(r"(?:p|g|gr|trn|inf|dl|vt|f)\d")
_FAMILIES = {"ComputeSavingsPlans": "compute", "EC2InstanceSavingsPlans": "ec2_instance"}


def recognises(document: Document) -> bool:
    """Whether the file names a Savings Plan as its offer, as JSON or CSV, or has plans for its products or terms."""
    if _OFFER_CODE.search(document.head_text[:4096]):
        return True
    return document.head_text.lstrip().startswith("{") and _PARTS.search(document.head_text) is not None


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read Linux prices of shared machines; the price is that per hour under the commitment, all in."""
    seller = provider or "aws"
    aws_products.date_by_publication(document, draft)
    rates = _from_json(document) if document.head_text.lstrip().startswith("{") else _from_csv(document)
    for rate in rates:
        draft.rows_read += 1
        _add(rate, seller, draft)


def _from_json(document: Document) -> Iterator[Mapping[str, str]]:
    """Yield the rates with what their term and plan say, in two passes: plans may stand after terms."""
    plans: dict[str, dict[str, str]] = {}
    with json_stream.opened(document) as file:
        for product in json_stream.items(file, "products.item"):
            about = product.get("attributes") or {}
            plans[str(product.get("sku"))] = {
                "family": str(product.get("productFamily", "")),
                "option": str(about.get("purchaseOption", "")),
            }
    with json_stream.opened(document) as file:
        term: dict[str, Any] = {}
        builder: Any = None
        for prefix, event, value in json_stream.events(file):
            if (prefix, event) == ("terms.savingsPlan.item", "start_map"):
                term, pending = {}, list[dict[str, Any]]()
            elif prefix == "terms.savingsPlan.item.sku":
                term["sku"] = value
            elif prefix.startswith("terms.savingsPlan.item.leaseContractLength."):
                term[prefix.rpartition(".")[2]] = value
            elif (prefix, event) == ("terms.savingsPlan.item.rates.item", "start_map"):
                builder = json_stream.Builder()
                builder.event(event, value)
            elif (prefix, event) == ("terms.savingsPlan.item.rates.item", "end_map"):
                builder.event(event, value)
                pending.append(builder.value)
                builder = None
                if "sku" in term and "duration" in term and "unit" in term:
                    # A term has very many rates; they are given on as soon as it is known whose they are.
                    yield from (_rate(one, term, plans) for one in pending)
                    pending.clear()
            elif builder is not None:
                builder.event(event, value)
            elif (prefix, event) == ("terms.savingsPlan.item", "end_map"):
                yield from (_rate(one, term, plans) for one in pending)


def _rate(rate: dict[str, Any], term: dict[str, Any], plans: Mapping[str, dict[str, str]]) -> dict[str, str]:
    plan = plans.get(str(term.get("sku")), {})
    price = rate.get("discountedRate") or {}
    return {
        "usage": str(rate.get("discountedUsageType", "")), "operation": str(rate.get("discountedOperation", "")),
        "service": str(rate.get("discountedServiceCode", "")), "unit": str(rate.get("unit", "")),
        "price": str(price.get("price", "")), "currency": str(price.get("currency", "")),
        "region": str(rate.get("discountedRegionCode", "")), "type": str(rate.get("discountedInstanceType", "")),
        "length": str(term.get("duration", "")), "length_unit": str(term.get("unit", "")), **plan,
    }  # fmt: skip


_HEADINGS = {
    "DiscountedUsageType": "usage", "DiscountedOperation": "operation", "DiscountedServiceCode": "service",
    "Unit": "unit", "DiscountedRate": "price", "Currency": "currency", "DiscountedRegionCode": "region",
    "DiscountedInstanceType": "type", "LeaseContractLength": "length", "LeaseContractLengthUnit": "length_unit",
    "Product Family": "family", "PurchaseOption": "option",
}  # fmt: skip


def _from_csv(document: Document) -> Iterator[Mapping[str, str]]:
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        lines: Iterable[list[str]] = csv.reader(text)
        heading = next((line for line in lines if line[:1] == ["SKU"]), None)
        if heading is None:
            raise PriceFileError.at(
                (document.name,), say("{name}: has no line of headings that begins with SKU", name=document.name)
            )
        places = {name: heading.index(title) for title, name in _HEADINGS.items()}
        for line in lines:
            yield {name: line[i] if i < len(line) else "" for name, i in places.items()}


def _add(rate: Mapping[str, str], seller: str, draft: Draft) -> None:
    usage = _USAGE.fullmatch(rate["usage"])
    name = rate["type"] or (usage[1] if usage else "")
    example = f"{name or rate['usage'] or '?'}, {rate['region']}"
    if rate["service"] != "AmazonEC2" or rate.get("family") not in _FAMILIES:
        draft.leave_out("other_product", example)
    elif usage is None:
        other = "unused_reservation" if "Unused" in rate["usage"] or "Reserv" in rate["usage"] else "not_shared"
        draft.leave_out(other, f"{example}, {rate['usage']}")
    elif rate["operation"] != "RunInstances":
        draft.leave_out("not_linux", example)
    elif rate["currency"] != "USD":
        draft.leave_out("other_currency", f"{example}, in {rate['currency']}")
    elif rate["unit"].lower() not in ("hrs", "hours", "hour"):
        draft.leave_out("not_hourly", example)
    elif rate["length_unit"].lower().rstrip("s") != "year" or not rate["length"].isdigit() or not rate["region"]:
        draft.leave_out("unreadable", example)
    else:
        known = draft.instance("aws", name)
        if known is None and _ACCELERATED.match(name):
            draft.leave_out("unknown_accelerator", name)
            return
        chip, count = (known[0], known[1]) if known else ("", 0)
        if count is None:
            draft.leave_out("unknown_accelerator", f"{name}: how many it has")
            return
        option = rate.get("option", "").lower().replace(" ", "_")
        offer = Offer(
            seller, name, rate["region"], chip, count, "savings_plan", int(rate["length"]) * 12,
            f"{_FAMILIES[rate['family']]}_{option}", notes="price per hour under the commitment",
        )  # fmt: skip
        draft.add(offer, float(rate["price"]))
