"""Names: chips, the other names that tools give them, providers and regions, from data files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

from pricing.errors import near_matches, shown
from pricing.wording import listed, say

DATA = Path(__file__).parent / "data"
_COUNTED = re.compile(r"([0-9]{1,6})\s*[x×]\s*(\S.*)", re.IGNORECASE)
_SLICE = re.compile(r"(.+?)-([0-9]{1,6})")


def folded(name: str) -> str:
    """Return the name as it is looked up: lower case, letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _number(text: str) -> float | None:
    return float(text) if text else None


def _whole(text: str) -> int | None:
    return int(text) if text else None


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A chip or GPU package: one physical accelerator, with its data sheet's figures.

    Units are in the names; None where the source gives no figure. `host_accelerators` is the most
    that one host carries; `slice_prefixes` are names whose `-N` suffix gives a slice's size in
    units of which one chip has `slice_units_per_chip`.
    """

    accelerator: str
    family: str
    vendor: str
    torch_device: str | None
    memory_gib: float | None
    memory_bandwidth_gb_s: float | None
    bf16_dense_tflops: float | None
    fp8_dense_tflops: float | None
    physical_cores: int | None
    logical_cores: int | None
    host_accelerators: int | None
    slice_prefixes: tuple[str, ...]
    slice_units_per_chip: int | None
    tdp_w: float | None
    released: int | None
    source: str
    notes: str


@dataclass(frozen=True, slots=True)
class Provider:
    """A seller: id in lower case, kind, pricing page and what it sells at quoted prices only."""

    provider: str
    name: str
    kind: str
    pricing_page: str
    prices: str
    quote_only_accelerators: tuple[str, ...]
    note: str
    checked_on: str


@dataclass(frozen=True, slots=True)
class Region:
    """Where a provider's region lies: ISO country and area, '' where that is not known."""

    provider: str
    region: str
    country: str
    area: str
    note: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name stands for. `count` if the name carries one; `assumed` where it picks one of several."""

    accelerator: str
    count: int | None = None
    assumed: str | None = None


class UnknownNameError(ValueError):
    """A name that nothing knows, or that has several meanings; the message offers what would be right."""


@dataclass(frozen=True)
class Catalogue:
    """The shipped facts about accelerators, providers and regions."""

    accelerators: dict[str, Accelerator]
    providers: dict[str, Provider]
    regions: dict[tuple[str, str], Region]
    aliases: dict[str, dict[str, str]]
    _canonical: dict[str, str] = field(default_factory=dict)

    def resolve(self, name: str) -> Resolved:
        """Find the accelerator that a name stands for; UnknownNameError with near matches otherwise.

        `8xH100` and slice names such as `tpu-v5p-8` (8 TensorCores, 4 chips) carry a count.
        """
        text = name.strip()
        found = self._plain(text)
        if found is not None:
            return found
        if counted := _COUNTED.fullmatch(text):
            inner = self._plain(counted[2])
            if inner is not None:
                return Resolved(inner.accelerator, self._positive(int(counted[1]), text), inner.assumed)
        if sliced := self._slice(text):
            return sliced
        spellings = [*self.accelerators, *(row["alias"] for row in self.aliases.values())]
        raise UnknownNameError(
            say("{name} is not an accelerator that PerDollar knows.", name=shown(name)) + near_matches(text, spellings)
        )

    def candidates(self, name: str) -> list[str]:
        """Return the accelerators that a name could mean; none if it means nothing."""
        alias = self.aliases.get(folded(name))
        if alias is not None and alias["rule"] == "ask":
            return alias["accelerator"].split("|")
        try:
            return sorted(self.family_of(name))
        except UnknownNameError:
            return []

    def with_memory(self, names: list[str], memory_gib: float | None) -> list[str]:
        """Keep those with about this memory: sellers write GB for GiB and leave out what is reserved."""
        if memory_gib is None:
            return names
        figures = {name: self.accelerators[name].memory_gib for name in names}
        return [name for name, figure in figures.items() if figure and 0.9 <= memory_gib / figure <= 1.1]

    def instance(self, provider: str, instance_type: str) -> tuple[str, int | None] | None:
        """Return the accelerator of a provider's instance type, and how many where the name tells."""
        for rule in self.instance_rules.get(provider, ()):
            if fnmatchcase(instance_type, rule["pattern"]):
                return rule["accelerator"], _whole(rule["count"])
        return None

    @cached_property
    def instance_rules(self) -> dict[str, list[dict[str, str]]]:
        """Rules from names of instance types to accelerators, by provider, the first that fits counts."""
        rules: dict[str, list[dict[str, str]]] = {}
        for row in _rows(DATA / "instance_types.csv"):
            rules.setdefault(row["provider"], []).append(row)
        return rules

    def family_of(self, name: str) -> set[str]:
        """Return the accelerators a filter value means: one, or all variants of a family (H100)."""
        wanted = folded(name)
        family = self._families.get(wanted)
        if family:
            return set(family)
        alias = self.aliases.get(wanted)
        if alias is not None and alias["rule"] == "ask":
            return set(alias["accelerator"].split("|"))
        found = self.resolve(name)
        if found.assumed is not None:
            chip = self.accelerators[found.accelerator]
            return {a.accelerator for a in self.accelerators.values() if a.family == chip.family}
        return {found.accelerator}

    @cached_property
    def _families(self) -> dict[str, set[str]]:
        families: dict[str, set[str]] = {}
        for chip in self.accelerators.values():
            families.setdefault(folded(chip.family), set()).add(chip.accelerator)
        return families

    def provider_named(self, text: str) -> tuple[str, bool]:
        """Return the id of a seller by id or name, and whether it is known; else the text as an id."""
        plain = folded(text)
        found = self._provider_names.get(plain) or next(
            (
                self._provider_names[plain.removesuffix(end)]
                for end in ("cloud", "ai", "labs", "compute", "inc", "gmbh", "com", "ltd")
                if plain.removesuffix(end) in self._provider_names
            ),
            None,
        )
        return (
            (found, True) if found else (re.sub(r"[^a-z0-9._-]+", "-", text.strip().lower()).strip("-._")[:64], False)
        )

    @cached_property
    def _provider_names(self) -> dict[str, str]:
        names = {
            "amazon": "aws", "amazonwebservices": "aws", "ec2": "aws", "amazonec2": "aws", "google": "gcp",
            "googlecloudplatform": "gcp", "gce": "gcp", "microsoft": "azure", "oracle": "oci", "oraclecloud": "oci",
            "lambdalabs": "lambda", "lambdacloud": "lambda", "datacrunch": "verda", "vastai": "vast",
        }  # fmt: skip
        names |= {folded(provider.name): provider.provider for provider in self.providers.values()}
        return names | {folded(name): name for name in self.providers}

    def area_names(self) -> list[str]:
        """Return the areas that regions lie in."""
        return sorted({region.area for region in self.regions.values() if region.area})

    def quote_only(self, accelerator: str) -> list[Provider]:
        """Return the providers that sell this accelerator at a quoted price only."""
        return self._quoted.get(accelerator, [])

    @cached_property
    def _quoted(self) -> dict[str, list[Provider]]:
        sellers: dict[str, list[Provider]] = {}
        for provider in self.providers.values():
            for accelerator in provider.quote_only_accelerators:
                sellers.setdefault(accelerator, []).append(provider)
        return sellers

    def _plain(self, text: str) -> Resolved | None:
        key = folded(text)
        canonical = self._canonical.get(key)
        if canonical is not None:
            return Resolved(canonical)
        row = self.aliases.get(key)
        if row is None:
            return None
        if row["rule"] == "ask":
            names = row["accelerator"].split("|")
            raise UnknownNameError(
                say(
                    "{text} could be {names}; say which.",
                    text=shown(text),
                    names=listed([", ".join(names[:-1]), names[-1]], " or "),
                )
            )
        assumed = text if row["rule"] == "assumed" else None
        return Resolved(row["accelerator"], _whole(row["count"]), assumed)

    def _slice(self, text: str) -> Resolved | None:
        match = _SLICE.fullmatch(text)
        if match is None:
            return None
        prefix, size = folded(match[1]), int(match[2])
        for chip in self.accelerators.values():
            if prefix in {folded(p) for p in chip.slice_prefixes} and chip.slice_units_per_chip:
                per_chip = chip.slice_units_per_chip
                if size % per_chip:
                    raise UnknownNameError(
                        say(
                            "{text}: the number counts TensorCores, {per_chip} a chip, so it must be a multiple of "
                            "{per_chip}.",
                            text=shown(text),
                            per_chip=per_chip,
                        )
                    )
                return Resolved(chip.accelerator, self._positive(size // per_chip, text))
        return None

    @staticmethod
    def _positive(count: int, text: str) -> int:
        if count < 1:
            raise UnknownNameError(say("{text}: the count must be at least 1.", text=shown(text)))
        return count


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@cache
def catalogue() -> Catalogue:
    """Read the shipped data files, once."""
    accelerators = {
        row["accelerator"]: Accelerator(
            accelerator=row["accelerator"],
            family=row["family"],
            vendor=row["vendor"],
            torch_device=row["torch_device"] or None,
            memory_gib=_number(row["memory_gib"]),
            memory_bandwidth_gb_s=_number(row["memory_bandwidth_gb_s"]),
            bf16_dense_tflops=_number(row["bf16_dense_tflops"]),
            fp8_dense_tflops=_number(row["fp8_dense_tflops"]),
            physical_cores=_whole(row["physical_cores"]),
            logical_cores=_whole(row["logical_cores"]),
            host_accelerators=_whole(row["host_accelerators"]),
            slice_prefixes=tuple(filter(None, row["slice_prefixes"].split("|"))),
            slice_units_per_chip=_whole(row["slice_units_per_chip"]),
            tdp_w=_number(row["tdp_w"]),
            released=_whole(row["released"]),
            source=row["source"],
            notes=row["notes"],
        )
        for row in _rows(DATA / "accelerators.csv")
    }
    providers = {
        row["provider"]: Provider(
            provider=row["provider"],
            name=row["name"],
            kind=row["kind"],
            pricing_page=row["pricing_page"],
            prices=row["prices"],
            quote_only_accelerators=tuple(filter(None, row["quote_only_accelerators"].split("|"))),
            note=row["note"],
            checked_on=row["checked_on"],
        )
        for row in _rows(DATA / "providers.csv")
    }
    regions = {(r["provider"], r["region"]): Region(**r) for r in _rows(DATA / "regions.csv")}
    aliases = {folded(row["alias"]): row for row in _rows(DATA / "aliases.csv")}
    return Catalogue(accelerators, providers, regions, aliases, {folded(name): name for name in accelerators})
