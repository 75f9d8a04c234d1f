"""SKUs of GCP's Cloud Billing Catalog: core, memory and accelerator are priced apart and put together here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from pricing.errors import PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "gcp_billing"
WHAT = "SKUs of GCP's billing catalog"
_USAGE = {
    "OnDemand": ("on_demand", None),
    "Preemptible": ("spot", None),
    "Commit1Yr": ("reserved", 12),
    "Commit3Yr": ("reserved", 36),
}
# vCPUs and memory in GiB of types that hold accelerators; the accelerators are those of instance_types.csv.
_TYPES = {
    **{f"a2-highgpu-{n}g": (12 * n, 85 * n) for n in (1, 2, 4, 8)},
    "a2-megagpu-16g": (96, 1360),
    **{f"a2-ultragpu-{n}g": (12 * n, 170 * n) for n in (1, 2, 4, 8)},
    **{f"a3-highgpu-{n}g": (26 * n, 234 * n) for n in (1, 2, 4, 8)},
    "a3-megagpu-8g": (208, 1872),
    "a3-ultragpu-8g": (224, 2952),
    "g2-standard-4": (4, 16),
    "g2-standard-8": (8, 32),
    "g2-standard-12": (12, 48),
    "g2-standard-16": (16, 64),
    "g2-standard-24": (24, 96),
    "g2-standard-32": (32, 128),
    "g2-standard-48": (48, 192),
    "g2-standard-96": (96, 384),
}  # fmt: skip
# Chips as descriptions name them; the first that fits counts.
_CHIPS = (
    ("a100 80gb", "A100-80GB"),
    ("a100", "A100-40GB"),
    ("h100 80gb mega", "H100-SXM mega"),
    ("h100 80gb plus", "H100-SXM mega"),
    ("h100", "H100-SXM"),
    ("h200", "H200"),
    ("l4", "L4"), ("t4", "T4"), ("v100", "V100"), ("p100", "P100"), ("b200", "B200"),
)  # fmt: skip
_TPU = re.compile(r"tpu[- ]?(v5e|v5p|v6e|v7|7x)")
_HOST = re.compile(r"\b(a2|a3|a3plus|a3ultra|g2)\b.*?\b(core|ram)\b")
_DISKS = "composed of core, memory and accelerators; disks that the seller bundles are not in it"
Key = tuple[str, str]


def recognises(document: Document) -> bool:
    """Whether SKUs with Google's fields are in it."""
    return '"skus"' in document.head_text and '"pricingInfo"' in document.head_text


def _price(sku: dict[str, Any]) -> tuple[float, str] | None:
    """Return the first paid tier's price and the currency of the newest pricing; units and nanos make one number."""
    expression = sku["pricingInfo"][-1]["pricingExpression"]
    for tier in expression["tieredRates"]:
        unit = tier["unitPrice"]
        amount = int(unit.get("units") or 0) + int(unit.get("nanos") or 0) / 1e9
        if amount > 0:
            return amount, str(unit.get("currencyCode", "USD"))
    return None


def _skus(document: Document) -> Iterator[dict[str, Any]]:
    try:
        pages = orjson.loads(document.read())
    except orjson.JSONDecodeError as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: is not JSON ({error})", name=document.name, error=one_line(error))
        ) from error
    for page in pages if isinstance(pages, list) else [pages]:
        yield from page["skus"]


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the SKUs and compose what is rented as one machine; TPU chips as they are."""
    seller = provider or "gcp"
    # Prices by region and usage, of each part.
    parts: dict[str, dict[Key, float]] = {}
    for sku in _skus(document):
        draft.rows_read += 1
        text = str(sku.get("description", ""))
        part = _part(text.lower(), str((sku.get("category") or {}).get("resourceGroup", "")))
        usage = str((sku.get("category") or {}).get("usageType", ""))
        if part is None or usage not in _USAGE:
            draft.leave_out("other_product", text)
            continue
        unit = str(sku["pricingInfo"][-1]["pricingExpression"].get("usageUnit")) if sku.get("pricingInfo") else ""
        found = _price(sku) if sku.get("pricingInfo") else None
        if found is None:
            draft.leave_out("no_price", text)
        elif unit not in ("h", "GiBy.h"):
            draft.leave_out("not_hourly", f"{text}, per {unit}")
        elif found[1] != "USD":
            draft.leave_out("other_currency", f"{text}, in {found[1]}")
        else:
            for region in sku.get("serviceRegions") or ["global"]:
                parts.setdefault(part, {})[region, usage] = found[0]
    _compose(parts, seller, draft)


def _part(text: str, group: str) -> str | None:
    """Return which part a SKU prices: `a2 core`, `a2 ram`, or a chip's name."""
    if tpu := _TPU.search(text):
        return f"TPU-{tpu[1].replace('7x', 'v7')}"
    if group == "GPU" or "gpu" in text:
        return next((chip for words, chip in _CHIPS if words in text), None)
    host = _HOST.search(text)
    return f"{host[1]} {host[2]}" if host else None


def _compose(parts: dict[str, dict[Key, float]], seller: str, draft: Draft) -> None:
    used: set[tuple[str, Key]] = set()
    for name, (vcpus, memory) in _TYPES.items():
        chip, count = draft.instance("gcp", name) or ("", None)
        family = {"a3-megagpu": "a3plus", "a3-ultragpu": "a3ultra"}.get(name.rpartition("-")[0], name.partition("-")[0])
        part = "H100-SXM mega" if "mega" in name and chip == "H100-SXM" else chip
        cores = parts.get(f"{family} core") or parts.get(f"{name.partition('-')[0]} core", {})
        rams = parts.get(f"{family} ram") or parts.get(f"{name.partition('-')[0]} ram", {})
        for key, each in parts.get(part, {}).items():
            core, ram = cores.get(key), rams.get(key)
            if core is None or ram is None or not count:
                continue
            used.add((part, key))
            purchase, term = _USAGE[key[1]]
            offer = Offer(
                seller,
                name,
                key[0],
                chip,
                count,
                purchase,
                term,
                vcpus=float(vcpus),
                memory_gib=float(memory),
                notes=_DISKS,
            )
            draft.add(offer, vcpus * core + memory * ram + count * each)
    for part, prices in parts.items():
        if part.startswith("TPU-"):
            for key, price in prices.items():
                purchase, term = _USAGE[key[1]]
                draft.add(Offer(seller, f"{part.lower()} (1 chip)", key[0], part, 1, purchase, term), price)
            continue
        host = part.endswith((" core", " ram"))
        left = [key for key in prices if (part, key) not in used]
        if left and not host:
            draft.leave_out("accelerator_only", f"{part}, {left[0][0]}, {left[0][1]}", len(left))
        elif host:
            partners = {key for _, key in used}
            alone = [key for key in prices if key not in partners]
            if alone:
                draft.leave_out("host_only", f"{part}, {alone[0][0]}, {alone[0][1]}", len(alone))
