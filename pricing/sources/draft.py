"""What an importer makes: offers in our schema, and a report of what was left out and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from operator import itemgetter
from typing import Any

from pricing.accelerators import Catalogue, UnknownNameError
from pricing.currency import ExchangeRate, exchange_rate
from pricing.errors import InvalidInputError, printable, shown
from pricing.sources import cells
from pricing.wording import say

LEFT_OUT = {
    "no_price": "have no price",
    "zero_price": "have a price of 0, which is no price",
    "mixed_units": "have prices of mixed units, per core, per chip and per pod",
    "placeholder_price": "have a placeholder in place of a price",
    "host_only": "price the host without its accelerators, and no price of these goes with it",
    "accelerator_only": "price accelerators without a host, and no host goes with them",
    "fractional": "are a share of an accelerator",
    "unknown_accelerator": "have an accelerator that PerDollar does not know",
    "ambiguous_accelerator": "name an accelerator that could be several",
    "not_linux": "are licensed for Windows or another paid system",
    "not_shared": "are dedicated hosts or have another tenancy",
    "low_priority": "are low priority: an older kind of spot that is not offered to new users",
    "dev_test": "are for holders of a development subscription",
    "reservation_part": "are parts of a reservation's price, not a price per hour",
    "unused_reservation": "repeat a price for reserved capacity that is not used",
    "block_without_fee": "are Capacity Blocks, whose fee is paid at booking and is in their offerings alone",
    "not_hourly": "are not priced by the hour",
    "volume_tier": "are the price beyond a volume, not the first one",
    "other_product": "are other products than instances",
    "other_currency": "are in a currency without a rate",
    "not_in_force": "are not in force on the day of import",
    "not_offered": "are offered in no region",
    "unknown_purchase": "name a purchase option that is not known",
    "no_provider": "do not say whose price it is",
    "repeated": "say the same as a row before",
    "local_zone": "are of a zone that is no part of its region's price",
    "unreadable": "can't be read",
}
Key = tuple[str, str, int, str, str, int | None, str]


ESTIMATED = " [date estimated]"
# No machine has more CPUs, nor GiB; a source that says so is mistaken.
MOST_SIZE = 1e6
# Forms of one chip that sellers name in the instance's name alone.
_FORMS = ("pcie", "nvl", "sxm")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows of a source that gave no offer, for one reason, with an example."""

    reason: str
    count: int
    example: str

    @property
    def sentence(self) -> str:
        """The reason in words, to follow the count."""
        return LEFT_OUT[self.reason]


@dataclass(slots=True)
class Offer:
    """One offer of a source, in our schema; `prices` are those of its zones, per instance-hour in USD."""

    provider: str
    instance_type: str
    region: str
    accelerator: str
    accelerator_count: int
    purchase: str = "on_demand"
    term_months: int | None = None
    plan: str = ""
    prices: list[float] = field(default_factory=list)
    vcpus: float | None = None
    memory_gib: float | None = None
    accelerator_memory_gib: float | None = None
    observed_on: str = ""
    source: str = ""
    notes: str = ""
    availability: str = ""
    evidence: str = "list"
    spread_over: str = "zones"

    def row(self) -> dict[str, object]:
        """Return the offer as a row of the schema: of several zones the lower median, with the range in the notes."""
        prices, price, notes = self.prices, self.prices[0], self.notes
        if len(prices) > 1 and min(prices) != max(prices):
            prices = sorted(prices)
            price = prices[(len(prices) - 1) // 2]
            zones = f"lower median of {len(prices)} {self.spread_over}, {prices[0]:g} to {prices[-1]:g}"
            notes = f"{notes}; {zones}" if notes else zones
        return {
            "provider": self.provider,
            "instance_type": self.instance_type,
            "region": self.region,
            "accelerator": self.accelerator,
            "accelerator_count": self.accelerator_count,
            "accelerator_memory_gib": self.accelerator_memory_gib,
            "vcpus": self.vcpus,
            "memory_gib": self.memory_gib,
            "purchase": self.purchase,
            "term_months": self.term_months,
            "price_usd_per_hour": price,
            "observed_on": self.observed_on,
            "evidence": self.evidence,
            "source": self.source,
            "notes": notes,
            "availability": self.availability,
            "plan": self.plan,
        }


def fits(offer: Offer, price: float) -> bool:
    """Whether a table takes the texts and the price of an offer; what is only said about it is made to fit."""
    offer.notes, offer.source = (printable(text)[: cells.MOST_TEXT // 2] for text in (offer.notes, offer.source))
    texts = [(getattr(offer, name), most) for name, most in cells.MOST_OF.items()]
    plain = offer.instance_type != "" and all(len(text) <= most and text.isprintable() for text, most in texts)
    return plain and cells.LEAST_PRICE <= price <= cells.MOST_PRICE


def _size(value: object) -> float | None:
    """Return a size that a source states; what is no number above 0 is as good as not stated."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_SIZE:
        return None
    return float(value)


@dataclass
class Draft:
    """Collects the offers of one file. Rows of one key are put together: their zones are one region."""

    catalogue: Catalogue
    format: str
    source: str
    observed_on: str
    rows_read: int = 0
    options: dict[str, str] = field(default_factory=dict)
    dated: bool = False
    notes: list[str] = field(default_factory=list)
    _offers: dict[Key, Offer] = field(default_factory=dict)
    _left_out: dict[str, LeftOut] = field(default_factory=dict)
    _rows: list[dict[str, object]] = field(default_factory=list)
    _types: dict[tuple[str, str], tuple[str, int | None] | None] = field(default_factory=dict)
    _names: dict[tuple[str, float | None, str], tuple[str, int | None] | None] = field(default_factory=dict)
    _rates: dict[str, ExchangeRate | None] = field(default_factory=dict)

    def add(self, offer: Offer, price: float, key: Key | None = None) -> None:
        """Add a price of an offer, in USD per instance-hour; 0 and less are left out. `key` spares making it."""
        if not price > 0:
            self.leave_out("zero_price" if price == 0 else "no_price", f"{offer.instance_type}, {offer.region}")
            return
        if not fits(offer, price):
            self.leave_out("unreadable", f"{offer.instance_type[:100]}, {offer.region[:100]}, {price:g} USD per hour")
            return
        key = key or (
            offer.provider, offer.instance_type, offer.accelerator_count, offer.region, offer.purchase,
            offer.term_months, offer.plan,
        )  # fmt: skip
        kept = self._offers.setdefault(key, offer)
        kept.prices.append(price)
        if kept is offer:
            for name in ("vcpus", "memory_gib", "accelerator_memory_gib"):
                setattr(kept, name, _size(getattr(kept, name)))
            kept.source = kept.source or self.source
            if not kept.observed_on:
                # A file that does not say of when its prices are is as old as it is at least.
                kept.observed_on = self.observed_on
                kept.source += "" if self.dated else ESTIMATED

    def note(self, text: str) -> None:
        """Say something of the file, once."""
        text = printable(text)
        if text not in self.notes:
            self.notes.append(text)

    def usd(self, amount: float, currency: str) -> tuple[float, str] | None:
        """Return an amount in USD, and how it was converted ('' for USD); None without a rate of the currency."""
        code = currency.strip().upper()
        if code not in self._rates:
            try:
                self._rates[code] = exchange_rate(code, date.fromisoformat(self.observed_on), {})
            except ValueError:
                self._rates[code] = None
        rate = self._rates[code]
        if rate is None:
            return None
        how = (
            ""
            if code == "USD"
            else f"{amount:.10g} {code} at {rate.per_usd:.6g} {code} per USD ({rate.source}, {rate.on})"
        )
        return amount / rate.per_usd, how

    def each(self, items: Iterable[Any], handle: Callable[[Any], None], what: str = "item") -> None:
        """Handle the items of a file one by one: one that is broken is left out, and the others count."""
        for number, item in enumerate(items, 1):
            try:
                handle(item)
            except InvalidInputError:
                raise
            except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
                self.leave_out("unreadable", f"{what} {number} ({type(error).__name__}: {error})"[:200])

    def take(self, row: dict[str, object]) -> None:
        """Take a row that is in our schema already."""
        self._rows.append(row)

    def another(self, key: Key, price: float) -> bool:
        """Add a price to the offer of a key, if there is one already; this spares making the offer again."""
        kept = self._offers.get(key)
        if kept is None or not cells.LEAST_PRICE <= price <= cells.MOST_PRICE:
            return False
        kept.prices.append(price)
        return True

    def leave_out(self, reason: str, example: str, count: int = 1) -> None:
        """Count rows that give no offer; the first example of a reason is kept."""
        before = self._left_out.get(reason)
        first = before.example if before else printable(example)
        self._left_out[reason] = LeftOut(reason, count + (before.count if before else 0), first)

    def instance(self, provider: str, instance_type: str) -> tuple[str, int | None] | None:
        """Return the accelerator of an instance type, as the catalogue knows it; looked up once."""
        key = (provider, instance_type)
        if key not in self._types:
            self._types[key] = self.catalogue.instance(provider, instance_type)
        return self._types[key]

    def meaning(self, name: str, memory_gib: float | None = None, hint: str = "") -> tuple[str, int | None] | None:
        """Find the chip that a name means, as `accelerator` does, without counting a failure."""
        form = next((form for form in _FORMS if form in hint.lower()), "")
        key = (name, memory_gib, form)
        if key not in self._names:
            self._names[key] = self._found(name, memory_gib, form)
        return self._names[key]

    def accelerator(self, name: str, memory_gib: float | None = None, hint: str = "") -> tuple[str, int | None] | None:
        """Find the chip that a source's name means, with the count that the name carries.

        Memory tells 40 GB from 80 GB where the name alone does not, and `hint`, the name of the instance, PCIe
        from SXM. None where nothing or several things are meant; the row is then counted as left out.
        """
        found = self.meaning(name, memory_gib, hint)
        if found is None:
            known = self.catalogue.candidates(name)
            self.leave_out("ambiguous_accelerator" if known else "unknown_accelerator", shown(name))
        return found

    def _found(self, name: str, memory_gib: float | None, form: str) -> tuple[str, int | None] | None:
        fitting = self.catalogue.with_memory(self.catalogue.candidates(name), memory_gib)
        try:
            found = self.catalogue.resolve(name)
        except UnknownNameError:
            return (fitting[0], None) if len(fitting) == 1 else None
        if found.assumed is not None and form:
            # The name stands for one of several forms, and the instance's name says which.
            family = self.catalogue.family_of(name)
            formed = [chip for chip in sorted(family) if form in chip.lower()]
            if len(formed) > 1:
                formed = self.catalogue.with_memory(formed, memory_gib)
            if len(formed) == 1:
                return formed[0], found.count
        if found.assumed is not None:
            self.note(say("{name} is taken for {accelerator}", name=shown(name), accelerator=found.accelerator))
        if found.assumed is not None and fitting and found.accelerator not in fitting:
            return (fitting[0], None)
        return found.accelerator, found.count

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was left out, in the order of the reasons."""
        return tuple(self._left_out[reason] for reason in LEFT_OUT if reason in self._left_out)

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield the offers as rows of the schema, in the order of their keys."""
        yield from self._rows
        # Offers on demand have no term; only where there are terms does None need a place among them.
        terms = any(key[5] is not None for key in self._offers)
        for key in sorted(
            self._offers, key=(lambda k: (*k[:5], k[5] or 0, k[6])) if terms else itemgetter(slice(0, 5))
        ):
            yield self._offers[key].row()
