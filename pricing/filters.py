"""What a filter may hold: a value that nothing knows is an error, so that a typo is no empty market."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pricing.accelerators import Catalogue, UnknownNameError
from pricing.errors import Fault, Location, near_matches, shown
from pricing.market import PriceTable
from pricing.offers import AVAILABILITY, EVIDENCE, PURCHASES
from pricing.wording import say

if TYPE_CHECKING:
    from pricing.question import FiltersIn

FEW = 12
# Filters whose values are written in any case, with blanks or hyphens for underscores.
CLOSED = ("area", "purchase")


def identifier(text: str) -> str:
    """Read a name of a closed list as people write it: `North America` and `north-america` are north_america."""
    return text.strip().lower().replace(" ", "_").replace("-", "_")


def known_values(name: str, table: PriceTable, catalogue: Catalogue) -> set[str]:
    """Return what a filter may ask for: what the catalogue or the table knows, or a closed list."""
    known: Iterable[str]
    if name == "provider":
        known = [*catalogue.providers, *table.values("provider")]
    elif name == "region":
        known = [*(region for _, region in catalogue.regions), *table.values("region")]
    elif name == "area":
        known = catalogue.area_names()
    elif name == "vendor":
        known = [chip.vendor for chip in catalogue.accelerators.values()]
    else:
        closed = {"purchase": PURCHASES, "evidence": EVIDENCE, "availability": AVAILABILITY}
        known = closed.get(name) or table.values(name)
    return set(known) - {""}


def unknown_values(name: str, wanted: Sequence[str], table: PriceTable, catalogue: Catalogue) -> Iterator[Fault]:
    """Yield a fault for each value that nothing knows."""
    known = known_values(name, table, catalogue) if wanted else set()
    for i, value in enumerate(wanted):
        if value not in known:
            listed = say("; they are {sorted}.", sorted=", ".join(sorted(known))) if len(known) < FEW else "."
            yield Fault(
                (name, i),
                say("{value} is not a known {name}{listed}", value=shown(value), name=name, listed=listed)
                + near_matches(value, sorted(known)),
            )


def chosen_accelerators(wanted: Sequence[str], catalogue: Catalogue, faults: list[Fault]) -> frozenset[str] | None:
    """Return the accelerators that names or families mean; None where nothing is asked for."""
    chosen: set[str] = set()
    for i, value in enumerate(wanted):
        try:
            chosen |= catalogue.family_of(value)
        except UnknownNameError as error:
            faults.append(Fault(("accelerator", i), str(error)))
    return frozenset(chosen) if wanted else None


def accelerators_of(
    filters: FiltersIn, table: PriceTable, catalogue: Catalogue, faults: list[Fault], at: Location
) -> frozenset[str] | None:
    """Return the accelerators that filters ask for, as `chosen_accelerators`; `at` is where the filters stand."""
    found: list[Fault] = []
    for name in ("provider", "region", "area", "purchase", "vendor"):
        found.extend(unknown_values(name, getattr(filters, name), table, catalogue))
    chosen = chosen_accelerators(filters.accelerator, catalogue, found)
    faults.extend(Fault((*at, *fault.loc), fault.msg) for fault in found)
    return chosen
