"""gpuhunt catalogs: one CSV per provider, in a folder or a zip. Prices are of the whole instance."""

from __future__ import annotations

import csv
import io

from pricing.errors import InvalidInputError, PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "gpuhunt"
WHAT = "a gpuhunt catalog"
_NEEDED = {"instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot"}
# gpuhunt's names of providers that are called otherwise here.
_PROVIDERS = {"lambdalabs": "lambda", "datacrunch": "verda", "vastai": "vast", "nebius": "nebius"}
_TPUS = {
    "v5e": "TPU-v5e",
    "v5litepod": "TPU-v5e",
    "v5p": "TPU-v5p",
    "v6e": "TPU-v6e",
    "v7": "TPU-v7",
    "tpu7x": "TPU-v7",
}
# Of these it mixes prices per core, per chip and per pod.
_MIXED = ("v2", "v3", "v4")


def recognises(document: Document) -> bool:
    """Whether the heading is that of a catalog."""
    return set(document.first_line.split(",")) >= _NEEDED


def provider_of(document: Document, provider: str | None, draft: Draft) -> str:
    """Return whose catalog it is: as told, or the file's name without its ending."""
    stem = document.name.rpartition(".")[0].lower()
    told = _PROVIDERS.get(stem, stem)
    if provider and told in draft.catalogue.providers and told != provider:
        draft.note(
            say(
                "{name} holds the prices of {told}, not those of {provider}",
                name=document.name,
                told=told,
                provider=provider,
            )
        )
        provider = None
    name = (provider or told).strip().lower()
    if not provider and name not in draft.catalogue.providers:
        raise InvalidInputError.at(
            (document.name,),
            say(
                "{name}: does not say whose prices it holds; add --provider ID, such as --provider aws",
                name=document.name,
            ),
        )
    return name


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read a catalog; rows without accelerator are kept as such."""
    seller = provider_of(document, provider, draft)
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        reader = csv.DictReader(text)
        try:
            for row in reader:
                draft.rows_read += 1
                if None in row or None in row.values():
                    draft.leave_out(
                        "unreadable",
                        say("line {line_num}: another number of cells than the heading", line_num=reader.line_num),
                    )
                    continue
                _add(row, seller, draft, reader.line_num)
        except csv.Error as error:
            raise PriceFileError.at(
                (document.name,), say("{name}: not valid CSV ({error})", name=document.name, error=one_line(error))
            ) from error


def _add(row: dict[str, str], seller: str, draft: Draft, line: int) -> None:
    name, region = row["instance_name"], row["location"] or "global"
    try:
        price, count = float(row["price"] or "nan"), float(row["gpu_count"] or 0)
        memory = float(row["gpu_memory"]) if row["gpu_memory"] else None
        vcpus, main = float(row.get("cpu") or 0) or None, float(row.get("memory") or 0) or None
    except ValueError:
        draft.leave_out("unreadable", f"line {line}: {name}")
        return
    if count != int(count):
        draft.leave_out("fractional", f"{name}, {region}")
        return
    chip = ""
    if count:
        found = _chip(row["gpu_name"], memory, seller, name, draft)
        if found is None:
            return
        chip = found
    if "edgegpu" in name:
        draft.leave_out("other_product", f"{name}, an appliance on the customer's premises")
        return
    purchase = "spot" if row["spot"].strip().lower() in ("true", "1") else "on_demand"
    notes = ""
    if "dws" in (row.get("flags") or "").lower():
        # GCP's calendar mode is booked for given days, at a discount: it is not to be had on demand.
        purchase, notes = "capacity_block", "booked by calendar (Dynamic Workload Scheduler)"
    offer = Offer(seller, name, region, chip, int(count), purchase, vcpus=vcpus, memory_gib=main, notes=notes)
    draft.add(offer, price)


def _chip(gpu: str, memory: float | None, seller: str, instance_type: str, draft: Draft) -> str | None:
    """Return the chip of a row; None where it is left out, and counted."""
    if gpu.lower() in _MIXED:
        draft.leave_out("mixed_units", f"{instance_type} ({gpu})")
        return None
    known = draft.instance(seller, instance_type)
    if known is not None:
        return known[0]
    found = draft.accelerator(_TPUS.get(gpu.lower(), gpu), memory, instance_type)
    return found[0] if found else None
