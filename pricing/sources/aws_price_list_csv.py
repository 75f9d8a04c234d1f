"""The CSV form of AWS' bulk offer file: lines about the file, a heading, then one line for each price of each term."""

from __future__ import annotations

import csv
import io
import re
import sys

from pricing.errors import PriceFileError
from pricing.sources import aws_products
from pricing.sources.aws_products import Product, Term
from pricing.sources.document import Document
from pricing.sources.draft import Draft
from pricing.wording import say

# The lines about the file may have been cut off, since most readers of CSV want the heading first.
_ABOUT = re.compile(r'"?FormatVersion"?,')
_HEADING = re.compile(r'"?SKU"?,"?OfferTermCode"?,')
# Names of attributes in the JSON form by the headings of the CSV form, of which only letters and digits count.
_ATTRIBUTES = {
    "instancetype": "instanceType", "regioncode": "regionCode", "location": "location", "vcpu": "vcpu",
    "operatingsystem": "operatingSystem", "preinstalledsw": "preInstalledSw", "tenancy": "tenancy",
    "capacitystatus": "capacitystatus", "operation": "operation", "marketoption": "marketoption", "memory": "memory",
    "gpu": "gpu", "usagetype": "usagetype",
}  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether the heading is that of an offer file, first or after the lines about the file."""
    first = document.first_line
    return bool(_HEADING.match(first) or (_ABOUT.match(first) and "OfferTermCode" in document.head_text))


def read(document: Document, draft: Draft, seller: str) -> None:
    """Read line by line. Kept are the terms of products that are offers, never lines: these may stand in any order."""
    offered: dict[str, tuple[Product, dict[str, Term]]] = {}
    passed: set[str] = set()
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        lines = csv.reader(text)
        heading = next((line for line in lines if line[:1] == ["SKU"]), None)
        if heading is None:
            raise PriceFileError.at(
                (document.name,), say("{name}: has no line of headings that begins with SKU", name=document.name)
            )
        places = {"".join(filter(str.isalnum, name)).lower(): i for i, name in enumerate(heading)}
        wanted = {name: places[key] for key, name in _ATTRIBUTES.items() if key in places}
        family, code, kind, unit, price, currency = (
            places[name] for name in ("productfamily", "offertermcode", "termtype", "unit", "priceperunit", "currency")
        )
        # A file of a service without reservations has no such columns.
        about = [places.get(name) for name in ("leasecontractlength", "purchaseoption", "offeringclass")]
        for line in lines:
            draft.rows_read += 1
            if len(line) != len(heading):
                draft.leave_out(
                    "unreadable",
                    say("line {line_num}: another number of cells than the heading", line_num=lines.line_num),
                )
                continue
            sku = line[0]
            if sku in passed:
                continue
            if sku not in offered:
                attributes = {name: line[i] for name, i in wanted.items() if line[i]}
                product = aws_products.product_of(line[family], attributes, draft)
                if product is None:
                    passed.add(sku)
                    continue
                offered[sku] = product, {}
            terms = offered[sku][1]
            if line[code] not in terms:
                # Very many terms have the same few texts; each is kept once.
                length, option, offering_class = ("" if i is None else sys.intern(line[i]) for i in about)
                terms[sys.intern(line[code])] = Term(sys.intern(line[kind]), length, option, offering_class)
            terms[line[code]].take(line[unit], line[price] if line[currency] == "USD" else None)
    for product, terms in offered.values():
        for term in terms.values():
            aws_products.add(product, term, seller, draft)
