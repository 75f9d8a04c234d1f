"""The AWS Price List of EC2: the bulk offer file, streamed since real ones are gigabytes, and get-products pages."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ijson
import orjson

from pricing import estimate
from pricing.errors import PriceFileError
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer

NAME = "aws_price_list"
WHAT = "an AWS price list"
_TERMS = {"1yr": 12, "3yr": 36}
_PUBLISHED = re.compile(r'\\?"publication ?date\\?"\s*[:,]\s*\\?"(\d{4}-\d{2}-\d{2})', re.IGNORECASE)
_MEMORY = re.compile(r"([0-9.,]+)\s*GiB")
# EC2 Mac exists only as a Dedicated Host, and is rented for a day at least.
_MAC = "mac"


@dataclass(frozen=True, slots=True)
class _Product:
    """What is needed of a product until its terms come."""

    instance_type: str
    region: str
    accelerator: str
    count: int
    vcpus: float | None
    memory_gib: float | None


def recognises(document: Document) -> bool:
    """Whether it is an offer file of EC2, as JSON or CSV, or a page of get-products."""
    text = document.head_text
    if document.first_line.startswith('"FormatVersion"'):
        return '"OfferTermCode"' in text
    return ('"PriceList"' in text and "serviceCode" in text) or ('"offerCode"' in text and '"products"' in text)


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read Linux prices of shared machines: on demand and reserved, with upfront payments spread over the term."""
    seller = provider or "aws"
    published = _PUBLISHED.search(document.head_text)
    if published and published[1] <= draft.observed_on:
        draft.observed_on, draft.dated = published[1], True
    if '"PriceList"' in document.head_text:
        for listed in _listed(document):
            draft.rows_read += 1
            product = _product(listed.get("product") or {}, draft)
            for kind, terms in (listed.get("terms") or {}).items():
                for term in terms.values() if product else ():
                    _add(product, kind, term, seller, draft)
        return
    if document.first_line.startswith('"FormatVersion"'):
        _table(document, seller, draft)
    else:
        _stream(document, seller, draft)


def _listed(document: Document) -> Iterator[dict[str, Any]]:
    """Yield the products of pages; AWS writes each as JSON inside a string."""
    try:
        data = orjson.loads(document.read())
    except orjson.JSONDecodeError as error:
        raise PriceFileError.at((document.name,), f"{document.name}: is not JSON ({error})") from error
    for page in data if isinstance(data, list) else [data]:
        for entry in page["PriceList"]:
            yield orjson.loads(entry) if isinstance(entry, str) else entry


def _stream(document: Document, seller: str, draft: Draft) -> None:
    """Read an offer file in two passes, so that neither the order of its parts nor its size matters."""
    products: dict[str, _Product] = {}
    try:
        with document.open() as file:
            for sku, product in ijson.kvitems(file, "products"):
                draft.rows_read += 1
                made = _product(product, draft)
                if made is not None:
                    products[sku] = made
        for kind in ("OnDemand", "Reserved"):
            with document.open() as file:
                for sku, terms in ijson.kvitems(file, f"terms.{kind}"):
                    if sku in products:
                        for term in terms.values():
                            _add(products[sku], kind, term, seller, draft)
    except ijson.JSONError as error:
        raise PriceFileError.at((document.name,), f"{document.name}: is not whole JSON ({error})") from error


# Names of attributes in the JSON form by the headings of the CSV form, of which only letters and digits count.
_HEADINGS = {
    "instancetype": "instanceType", "regioncode": "regionCode", "location": "location", "vcpu": "vcpu",
    "operatingsystem": "operatingSystem", "preinstalledsw": "preInstalledSw", "tenancy": "tenancy",
    "capacitystatus": "capacitystatus", "operation": "operation", "marketoption": "marketoption", "memory": "memory",
    "gpu": "gpu", "usagetype": "usagetype",
}  # fmt: skip


def _table(document: Document, seller: str, draft: Draft) -> None:
    """Read the CSV form: lines about the file, a heading, then one line for each dimension of each term."""
    products: dict[str, _Product | None] = {}
    terms: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        lines = csv.reader(text)
        heading = next((line for line in lines if line[:1] == ["SKU"]), None)
        if heading is None:
            raise PriceFileError.at((document.name,), f"{document.name}: has no line of headings that begins with SKU")
        places = {"".join(filter(str.isalnum, name)).lower(): i for i, name in enumerate(heading)}
        wanted = {name: places[key] for key, name in _HEADINGS.items() if key in places}
        family, code, kind, unit, price, currency = (
            places[name] for name in ("productfamily", "offertermcode", "termtype", "unit", "priceperunit", "currency")
        )
        about = {
            name: places[name.lower()]
            for name in ("LeaseContractLength", "PurchaseOption", "OfferingClass")
            if name.lower() in places
        }
        for line in lines:
            draft.rows_read += 1
            if len(line) != len(heading):
                draft.leave_out("unreadable", f"line {lines.line_num}: another number of cells than the heading")
                continue
            sku = line[0]
            if sku not in products:
                attributes = {name: line[i] for name, i in wanted.items() if line[i]}
                products[sku] = _product({"productFamily": line[family], "attributes": attributes}, draft)
            if products[sku] is None:
                continue
            # A term's dimensions may stand apart: its price by the hour and what is paid upfront.
            _, term = terms.setdefault((sku, line[code]), (line[kind], {"priceDimensions": {}}))
            term["termAttributes"] = {name: line[i] for name, i in about.items()}
            dimension = {"unit": line[unit], "pricePerUnit": {line[currency]: line[price]}}
            term["priceDimensions"][len(term["priceDimensions"])] = dimension
    for (sku, _), (name, term) in terms.items():
        _add(products[sku], name, term, seller, draft)


def _product(product: dict[str, Any], draft: Draft) -> _Product | None:
    """Return what is needed of a product; None where it is left out, and counted."""
    about = product.get("attributes") or {}
    name = str(about.get("instanceType", ""))
    region = str(about.get("regionCode") or about.get("location") or "")
    reason = _reason(product, about, name)
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
    return _Product(
        name, region, known[0] if known else "", count, float(vcpus) if vcpus.isdigit() else None,
        float(memory[1].replace(",", "")) if memory else None,
    )  # fmt: skip


def _reason(product: dict[str, Any], about: dict[str, Any], name: str) -> str | None:
    """Return why a product gives no offer, if so."""
    mac = name.startswith(_MAC)
    if not name or not str(product.get("productFamily", "")).startswith(("Compute Instance", "Dedicated Host")):
        return "other_product"
    if about.get("marketoption", "OnDemand") == "CapacityBlock":
        return "no_price"
    if not mac and (about.get("operatingSystem", "Linux") != "Linux" or about.get("preInstalledSw", "NA") != "NA"):
        return "not_linux"
    if not mac and about.get("tenancy", "Shared") != "Shared":
        return "not_shared"
    if about.get("capacitystatus", "Used") not in ("Used", "AllocatedHost" if mac else "Used"):
        return "unused_reservation"
    if not mac and about.get("operation", "RunInstances") != "RunInstances":
        return "not_linux"
    return None


def _add(product: _Product | None, kind: str, term: dict[str, Any], seller: str, draft: Draft) -> None:
    if product is None:
        return
    example = f"{product.instance_type}, {product.region}"
    hourly = upfront = None
    for dimension in (term.get("priceDimensions") or {}).values():
        text = (dimension.get("pricePerUnit") or {}).get("USD")
        if text is None:
            draft.leave_out("other_currency", example)
            return
        if dimension.get("unit") == "Quantity":
            upfront = float(text)
        elif str(dimension.get("unit", "")).lower() in ("hrs", "hours", "hour"):
            hourly = float(text)
        else:
            draft.leave_out("not_hourly", example)
            return
    offer = Offer(
        seller, product.instance_type, product.region, product.accelerator, product.count, vcpus=product.vcpus,
        memory_gib=product.memory_gib, notes="minimum rental 24 h" if product.instance_type.startswith(_MAC) else "",
    )  # fmt: skip
    if kind == "OnDemand":
        if hourly is None:
            draft.leave_out("no_price", example)
        else:
            draft.add(offer, hourly)
        return
    about = term.get("termAttributes") or {}
    months = _TERMS.get(str(about.get("LeaseContractLength", "")).replace(" ", ""))
    if kind != "Reserved" or months is None:
        draft.leave_out("unreadable", f"{example}, {kind}")
        return
    plan = str(about.get("PurchaseOption", "")).lower().replace(" ", "_")
    convertible = str(about.get("OfferingClass", "standard")).lower() == "convertible"
    offer.purchase, offer.term_months, offer.plan = "reserved", months, f"convertible_{plan}" if convertible else plan
    if upfront:
        offer.notes = f"{hourly or 0:g} USD/h and {upfront:g} USD upfront"
    draft.add(offer, estimate.amortised_price(hourly or 0.0, upfront or 0.0, months))
