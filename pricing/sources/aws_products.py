"""Products and terms of EC2 in the AWS Price List, and which are offers: one rule for its JSON and CSV forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pricing import estimate
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer

_LENGTHS = {"1yr": 12, "3yr": 36}
# In pages of get-products each entry is JSON inside a string, so that its quotes are escaped; CSV may have none.
_PUBLISHED = re.compile(r'\\?"?publication ?date\\?"?\s*[:,]\s*\\?"?(\d{4}-\d{2}-\d{2})', re.IGNORECASE)
_MEMORY = re.compile(r"([0-9.,]+)\s*GiB")
# EC2 Mac exists only as a Dedicated Host, and is rented for a day at least.
_MAC = "mac"
# The operation of an instance in a Capacity Block is that of others with this ending.
_BLOCK = ":CB"


@dataclass(frozen=True, slots=True)
class Product:
    """What is needed of a product until its terms come."""

    instance_type: str
    region: str
    accelerator: str
    count: int
    vcpus: float | None
    memory_gib: float | None

    @property
    def example(self) -> str:
        """How a report names it."""
        return f"{self.instance_type}, {self.region}"


@dataclass(slots=True)
class Term:
    """One way of buying a product. Its prices come one by one, by the hour and upfront."""

    kind: str
    length: str = ""
    option: str = ""
    offering_class: str = ""
    hourly: float | None = None
    upfront: float | None = None
    fault: str = ""

    def take(self, unit: str, price: str | None) -> None:
        """Take one price in USD, None where it is in another currency; the first fault of a term is kept."""
        if self.fault:
            return
        if price is None:
            self.fault = "other_currency"
        elif unit == "Quantity":
            self.upfront = float(price)
        elif unit.lower() in ("hrs", "hours", "hour"):
            self.hourly = float(price)
        else:
            self.fault = "not_hourly"


def date_by_publication(document: Document, draft: Draft) -> None:
    """Take the date on which a file was published for that of its prices; one that is still to come is not believed."""
    published = _PUBLISHED.search(document.head_text)
    if published and published[1] <= draft.observed_on:
        draft.observed_on, draft.dated = published[1], True


def product_of(family: str, about: Mapping[str, str], draft: Draft) -> Product | None:
    """Return what is needed of a product of a family with these attributes; None where it is left out, and counted."""
    name = str(about.get("instanceType", ""))
    region = str(about.get("regionCode") or about.get("location") or "")
    reason = _reason(family, about, name)
    if reason is not None:
        draft.leave_out(reason, f"{name or about.get('usagetype', '?')}, {region}")
        return None
    known = draft.instance("aws", name)
    stated = str(about.get("gpu") or "")
    if re.fullmatch(r"0?\.\d+", stated):
        draft.leave_out("fractional", f"{name}, {region}")
        return None
    if known is None and stated.isdigit() and int(stated):
        draft.leave_out("unknown_accelerator", name)
        return None
    count = (int(stated) if stated.isdigit() and int(stated) else known[1] or 1) if known else 0
    memory = _MEMORY.match(str(about.get("memory", "")))
    vcpus = str(about.get("vcpu", ""))
    return Product(
        name, region, known[0] if known else "", count, float(vcpus) if vcpus.isdigit() else None,
        float(memory[1].replace(",", "")) if memory else None,
    )  # fmt: skip


def _reason(family: str, about: Mapping[str, str], name: str) -> str | None:
    """Return why a product gives no offer, if so."""
    mac = name.startswith(_MAC)
    operation = about.get("operation", "RunInstances")
    if not name or not family.startswith(("Compute Instance", "Dedicated Host")):
        return "other_product"
    if not mac and (about.get("operatingSystem", "Linux") != "Linux" or about.get("preInstalledSw", "NA") != "NA"):
        return "not_linux"
    if not mac and about.get("tenancy", "Shared") != "Shared":
        return "not_shared"
    if about.get("capacitystatus", "Used") not in ("Used", "AllocatedHost" if mac else "Used"):
        return "unused_reservation"
    if not mac and operation.removesuffix(_BLOCK) != "RunInstances":
        return "not_linux"
    # The list has what running in a block costs on top of the block: 0 for Linux, the system's fee for others.
    if about.get("marketoption", "OnDemand") == "CapacityBlock" or operation.endswith(_BLOCK):
        return "block_without_fee"
    return None


def add(product: Product, term: Term, seller: str, draft: Draft) -> None:
    """Add the offer of a product by a term; what is paid upfront is spread over the term."""
    if term.fault:
        draft.leave_out(term.fault, product.example)
        return
    offer = Offer(
        seller, product.instance_type, product.region, product.accelerator, product.count, vcpus=product.vcpus,
        memory_gib=product.memory_gib, notes="minimum rental 24 h" if product.instance_type.startswith(_MAC) else "",
    )  # fmt: skip
    if term.kind == "OnDemand":
        if term.hourly is None:
            draft.leave_out("no_price", product.example)
        else:
            draft.add(offer, term.hourly)
        return
    months = _LENGTHS.get(term.length.replace(" ", ""))
    if term.kind != "Reserved" or months is None:
        draft.leave_out("unreadable", f"{product.example}, {term.kind}")
        return
    hourly, upfront = term.hourly or 0.0, term.upfront or 0.0
    plan = term.option.lower().replace(" ", "_")
    convertible = term.offering_class.lower() == "convertible"
    offer.purchase, offer.term_months, offer.plan = "reserved", months, f"convertible_{plan}" if convertible else plan
    if upfront:
        offer.notes = f"{hourly:g} USD/h and {upfront:g} USD upfront"
    draft.add(offer, estimate.amortised_price(hourly, upfront, months))
