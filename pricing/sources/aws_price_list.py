"""The AWS Price List of EC2: the bulk offer file, streamed since real ones are gigabytes, and get-products pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from pricing.errors import PriceFileError, one_line
from pricing.sources import aws_price_list_csv, aws_products, json_stream
from pricing.sources.aws_products import Product, Term
from pricing.sources.document import Document
from pricing.sources.draft import Draft
from pricing.wording import say

NAME = "aws_price_list"
WHAT = "an AWS price list"


def recognises(document: Document) -> bool:
    """Whether it is an offer file of EC2, as JSON or CSV, or a page of get-products."""
    text = document.head_text
    if aws_price_list_csv.recognises(document):
        return True
    return ('"PriceList"' in text and "serviceCode" in text) or ('"offerCode"' in text and '"products"' in text)


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read Linux prices of shared machines: on demand and reserved, with upfront payments spread over the term."""
    seller = provider or "aws"
    aws_products.date_by_publication(document, draft)
    if aws_price_list_csv.recognises(document):
        aws_price_list_csv.read(document, draft, seller)
    elif '"PriceList"' in document.head_text:
        for listed in _listed(document):
            draft.rows_read += 1
            product = _product(listed.get("product") or {}, draft)
            for kind, terms in (listed.get("terms") or {}).items():
                for term in terms.values() if product else ():
                    _add(product, kind, term, seller, draft)
    else:
        _stream(document, seller, draft)


def _listed(document: Document) -> Iterator[dict[str, Any]]:
    """Yield the products of pages; AWS writes each as JSON inside a string."""
    try:
        data = orjson.loads(document.read())
    except orjson.JSONDecodeError as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is not JSON ({error})", name=document.name, error=one_line(error))
        ) from error
    for page in data if isinstance(data, list) else [data]:
        for entry in page["PriceList"]:
            yield orjson.loads(entry) if isinstance(entry, str) else entry


def _stream(document: Document, seller: str, draft: Draft) -> None:
    """Read an offer file in two passes, so that neither the order of its parts nor its size matters."""
    products: dict[str, Product] = {}
    with json_stream.opened(document) as file:
        for sku, product in json_stream.members(file, "products"):
            draft.rows_read += 1
            made = _product(product, draft)
            if made is not None:
                products[sku] = made
    for kind in ("OnDemand", "Reserved"):
        with json_stream.opened(document) as file:
            for sku, terms in json_stream.members(file, f"terms.{kind}"):
                if sku in products:
                    for term in terms.values():
                        _add(products[sku], kind, term, seller, draft)


def _product(product: dict[str, Any], draft: Draft) -> Product | None:
    return aws_products.product_of(str(product.get("productFamily", "")), product.get("attributes") or {}, draft)


def _add(product: Product | None, kind: str, term: dict[str, Any], seller: str, draft: Draft) -> None:
    if product is None:
        return
    about = term.get("termAttributes") or {}
    made = Term(
        kind, str(about.get("LeaseContractLength", "")), str(about.get("PurchaseOption", "")),
        str(about.get("OfferingClass", "")),
    )  # fmt: skip
    for dimension in (term.get("priceDimensions") or {}).values():
        made.take(str(dimension.get("unit", "")), (dimension.get("pricePerUnit") or {}).get("USD"))
    aws_products.add(product, made, seller, draft)
