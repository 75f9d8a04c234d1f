"""SkyPilot catalogs (`vms.csv`), in every provider's dialect.

Column order, number format and the form of GpuInfo differ by provider. GCP prices hosts and
accelerators apart; TPU slices have no instance type and are named by their size.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from pricing.errors import InvalidInputError, PriceFileError, one_line
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer
from pricing.wording import say

NAME = "skypilot"
WHAT = "a SkyPilot catalog"
_NEEDED = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Region", "Price"}
_MEMORY = re.compile(r"""['"]SizeInMiB['"]\s*:\s*([0-9.]+)""")
# AWS' local zones, such as usw2-lax1-az1 or us-west-2-lax-1a.
_LOCAL_ZONE = re.compile(r"[a-z]{2,4}\d-[a-z]{3}\d-az\d|[a-z]{2}-[a-z]+-\d-[a-z]{3}-\d[a-z]")
# What SkyPilot writes for a TPU without a price.
_PLACEHOLDER = 700.0
# Its plain A100 is the one with 40 GB.
_OWN_NAMES = {"A100": "A100-40GB"}
Chip = tuple[str, int]


class _Row(NamedTuple):
    """The cells of a row that count, in this order; "" for a column that the file does not have."""

    InstanceType: str
    AcceleratorName: str
    AcceleratorCount: str
    GpuInfo: str
    Region: str
    AvailabilityZone: str
    Price: str
    SpotPrice: str
    vCPUs: str  # noqa: N815 - the heading has it so
    MemoryGiB: str

    @property
    def zone(self) -> str:
        """The zone, or the region where no zones are told apart."""
        return self.AvailabilityZone or self.Region


def recognises(document: Document) -> bool:
    """Whether the heading is that of a catalog."""
    return set(document.first_line.replace('"', "").split(",")) >= _NEEDED


def provider_of(document: Document, provider: str | None, draft: Draft) -> str:
    """Return whose catalog it is: as told, or the folder of SkyPilot's own layout (v8/aws/vms.csv)."""
    folder = document.folders[0].lower() if document.folders else ""
    if provider and document.name == "vms.csv" and folder in draft.catalogue.providers and folder != provider:
        draft.note(
            say(
                "{name} lies in the folder {folder}, so that its prices are not those of {provider}",
                name=document.name,
                folder=folder,
                provider=provider,
            )
        )
        return folder
    if provider:
        return provider.strip().lower()
    if document.name == "vms.csv" or folder in draft.catalogue.providers:
        return folder
    raise InvalidInputError.at(
        (document.name,),
        say(
            "{name}: does not say whose prices it holds; add --provider ID, such as --provider aws", name=document.name
        ),
    )


class _Rows:
    """The rows of one file on their way into the draft."""

    def __init__(self, draft: Draft, provider: str) -> None:
        self.draft, self.provider = draft, provider
        self.chips: dict[tuple[str, str, str, str], Chip | str | None] = {}
        # GCP: hosts that need accelerators, and prices per accelerator by (name, zone).
        self.hosts: list[tuple[_Row, Chip]] = []
        self.accelerators: dict[tuple[str, str], dict[str, float]] = {}

    def chip(self, row: _Row) -> Chip | str | None:
        """Return chip and count of a row; None without accelerator, or the reason for leaving the row out."""
        key = row[:4]
        if key not in self.chips:
            self.chips[key] = self._chip(*key)
        return self.chips[key]

    def _chip(self, instance_type: str, name: str, count: str, info: str) -> Chip | str | None:
        if not name:
            return None
        number = _number(count)
        if number is not None and number != int(number):
            return "fractional"
        known = self.draft.instance(self.provider, instance_type)
        memory = None
        if (match := _MEMORY.search(info)) is not None:
            size = float(match[1])
            # Shadeform writes gigabytes here.
            memory = size / 1024 if size >= 1024 else size
        if known is not None:
            return known[0], int(number or known[1] or 1)
        found = self.draft.meaning(_OWN_NAMES.get(name, name), memory, instance_type)
        if found is None and name in _OWN_NAMES:
            found = self.draft.meaning(name, memory)
        if found is None:
            return "ambiguous_accelerator" if self.draft.catalogue.candidates(name) else "unknown_accelerator"
        # A TPU slice carries its count in its name, and 1 in the column.
        return found[0], found[1] or int(number or 1)

    def add(self, row: _Row) -> None:
        """Take one row."""
        instance_type, name = row.InstanceType, row.AcceleratorName
        if _LOCAL_ZONE.fullmatch(row.AvailabilityZone):
            # It shares the name of its region, and has prices of its own.
            self.draft.leave_out("local_zone", f"{instance_type or name}, {row.AvailabilityZone}")
            return
        chip = self.chip(row)
        if isinstance(chip, str):
            self.draft.leave_out(chip, f"{instance_type or name}, {row.Region}" if chip == "fractional" else name)
        elif not instance_type and not name:
            self.draft.leave_out("unreadable", f"a row without instance type and accelerator in {row.Region}")
        elif not instance_type and chip is not None and not name.lower().startswith("tpu"):
            self._accelerator(row, chip)
        elif chip is None and (known := self.draft.instance(self.provider, instance_type)) is not None:
            self.hosts.append((row, (known[0], known[1] or 1)))
        else:
            self._offers(row, instance_type or name, chip, _number(row.Price), _number(row.SpotPrice))

    def _accelerator(self, row: _Row, chip: Chip) -> None:
        """Keep the prices of accelerators without a host, per accelerator."""
        prices = self.accelerators.setdefault((row.AcceleratorName, row.zone), {"chip": 0.0})
        for field in ("Price", "SpotPrice"):
            price = _number(getattr(row, field))
            if price:
                prices[field] = price / chip[1]

    def _offers(
        self,
        row: _Row,
        instance_type: str,
        chip: Chip | None,
        price: float | None,
        spot: float | None,
        notes: str = "",
    ) -> None:
        if price is None and spot is None:
            self.draft.leave_out("no_price", f"{instance_type}, {row.Region}")
        for purchase, amount in (("on_demand", price), ("spot", spot)):
            if amount is None:
                continue
            if amount == _PLACEHOLDER and instance_type.lower().startswith("tpu"):
                self.draft.leave_out("placeholder_price", f"{instance_type}, {row.Region}")
                continue
            name, count = chip or ("", 0)
            key = (self.provider, instance_type, count, row.Region, purchase, None, "")
            if self.draft.another(key, amount):
                continue
            offer = Offer(
                self.provider, instance_type, row.Region, name, count, purchase, None, "", [],
                _number(row.vCPUs) or None, _number(row.MemoryGiB) or None, notes=notes,
            )  # fmt: skip
            self.draft.add(offer, amount, key)

    def join(self) -> None:
        """Put GCP's hosts and accelerators together: host + count × accelerator."""
        used = set()
        for row, (chip, count) in self.hosts:
            host, spot_host = _number(row.Price), _number(row.SpotPrice)
            if not host and not spot_host:
                self.draft.leave_out("zero_price" if host == 0 else "no_price", f"{row.InstanceType}, {row.Region}")
                continue
            key = self._accelerator_for(row, chip)
            if key is None:
                self.draft.leave_out("host_only", f"{row.InstanceType}, {row.Region}")
                continue
            used.add(key)
            each = self.accelerators[key]
            total = host + count * each["Price"] if host and "Price" in each else None
            spot = spot_host + count * each["SpotPrice"] if spot_host and "SpotPrice" in each else None
            notes = say("composed of host and accelerators; disks that the seller bundles are not in it")
            self._offers(row, row.InstanceType, (chip, count), total, spot, notes)
        for name, zone in self.accelerators.keys() - used:
            self.draft.leave_out("accelerator_only", f"{name}, {zone}")

    def _accelerator_for(self, row: _Row, chip: str) -> tuple[str, str] | None:
        mega = "mega" in row.InstanceType
        fitting = [
            key
            for key in self.accelerators
            if key[1] == row.zone
            and ("mega" in key[0].lower()) == (mega and chip.startswith("H100"))
            and (self.draft.meaning(_OWN_NAMES.get(key[0], key[0])) or ("",))[0] == chip
        ]
        return fitting[0] if fitting else None


# A catalog has few different numbers for its rows.
@lru_cache(65_536)
def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) < 1e12 else None  # noqa: PLR0124 - NaN is no number


def _rows_of(document: Document) -> Iterator[_Row | str]:
    """Yield the rows, or what is wrong with one."""
    with document.open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        reader = csv.reader(text)
        header = [cell.strip() for cell in next(reader)]
        # A column that is not there is read from a blank cell put at the end of each row.
        cells_of = itemgetter(*(header.index(name) if name in header else -1 for name in _Row._fields))
        width = len(header)
        for cells in reader:
            if len(cells) == width:
                cells.append("")
                yield _Row._make(cells_of(cells))
            elif cells:
                yield say(
                    "line {line_num}: {number} cells, but the heading has {width}",
                    line_num=reader.line_num,
                    number=len(cells),
                    width=width,
                )


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read a catalog; zones of a region are put together."""
    rows = _Rows(draft, provider_of(document, provider, draft))
    try:
        for row in _rows_of(document):
            draft.rows_read += 1
            if isinstance(row, str):
                draft.leave_out("unreadable", row)
            else:
                rows.add(row)
    except csv.Error as error:
        raise PriceFileError.at(
            (document.name,), say("{name}: not valid CSV ({error})", name=document.name, error=one_line(error))
        ) from error
    rows.join()
