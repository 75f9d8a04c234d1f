"""Spreadsheets of quotes: CSV, TSV or XLSX with headings of the user's own, mapped by name, asked for where unclear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from pricing import estimate
from pricing.accelerators import folded
from pricing.errors import InvalidInputError, PriceFileError, near_matches, shown
from pricing.offers import OFFER_COLUMNS
from pricing.sources.document import Document
from pricing.sources.draft import Draft, Offer, fits
from pricing.sources.headings import (
    PriceHeading,
    currency_of,
    hours_of,
    is_per_accelerator,
    price_heading,
    purchase_of,
)
from pricing.sources.sheet_cells import read_amount, read_months, read_seen
from pricing.sources.sheet_rows import MOST_ABOVE, rows_of, some_of, text_of, texts_of
from pricing.wording import listed, say

NAME = "spreadsheet"
WHAT = "a spreadsheet with headings for seller, machine, accelerator, count and price"
PER_ACCELERATOR = "price_per_accelerator"
PRICE = "price_usd_per_hour"
COUNT = "accelerator_count"
MAPPED = (*OFFER_COLUMNS, PER_ACCELERATOR, "currency", "upfront", "price_unit")
# Headings as people write them, folded to letters and digits.
HEADINGS = {
    "provider": ("provider", "vendor", "cloud", "seller", "supplier", "company", "anbieter", "cloudprovider"),
    "instance_type": (
        "instancetype", "instance", "machine", "machinetype", "server", "sku", "shape", "offer", "name", "node",
        "instancename", "vmsize", "flavor", "flavour",
    ),
    "region": ("region", "location", "datacenter", "datacentre", "zone", "site", "standort"),
    "accelerator": (
        "accelerator", "gpu", "gputype", "gpumodel", "chip", "acceleratorname", "gpuname", "card", "acceleratortype",
    ),
    COUNT: (
        "acceleratorcount", "gpus", "gpucount", "count", "ngpus", "numberofgpus", "qty", "quantity", "noofgpus",
        "gpuspernode", "gpusperinstance", "gpusperserver", "gpupernode", "gpuqty", "gpuquantity", "numgpus", "anzahl",
        "anzahlgpus", "gpunumber", "chips", "accelerators", "cards",
    ),
    "purchase": ("purchase", "purchasetype", "billing", "model", "pricingmodel", "type", "purchaseoption", "plantype"),
    "term_months": ("termmonths", "term", "commitment", "months", "commitmentmonths", "contract", "contractlength"),
    "observed_on": ("observedon", "date", "quotedon", "asof", "quotedate", "validfrom"),
    "vcpus": ("vcpus", "vcpu", "cpus", "cpu", "cores"),
    "memory_gib": ("memorygib", "memory", "ram", "ramgb", "memorygb", "ramgib"),
    "notes": ("notes", "note", "comment", "comments", "remarks"),
    "source": ("source", "link", "url", "reference"),
    "currency": ("currency", "curr", "ccy", "currencycode", "wahrung"),
    "upfront": ("upfront", "upfrontfee", "upfrontpayment", "upfrontcost", "setup", "setupfee"),
    "price_unit": ("priceunit", "unit", "billingunit", "per", "unitofmeasure", "period"),
}  # fmt: skip
_BY_HEADING = {heading: column for column, headings in HEADINGS.items() for heading in headings}
_TIMES = re.compile(r"(.+?)\s*[x×*]\s*(\d{1,4})|(\d{1,4})\s*[x×*]\s*(.+)", re.IGNORECASE)
# What stands where there is no price, and where there is no accelerator.
_NOTHING = {"", "na", "none", "null", "tbd", "tba", "onrequest", "contactsales", "contactus", "quote", "callus", "nil",
            "aufanfrage", "unavailable", "soldout", "poa"}  # fmt: skip
_NO_CHIP = {"", "na", "none", "cpu", "cpuonly", "no", "nogpu"}


def recognises(document: Document) -> bool:
    """Whether it is an XLSX file, or one of the first lines has headings."""
    if document.head[:4] == b"PK\x03\x04":
        return b"xl/" in document.head or document.name.lower().endswith(".xlsx")
    text = text_of(document.head)
    if "\x00" in text:
        # Binary; by chance it may have commas and lines.
        return False
    if "<html" in text[:2000].lower() or text.lstrip()[:1] in ("{", "["):
        return False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:MOST_ABOVE]:
        cells = [folded(cell) for cell in re.split(r"[,;\t|]", line)]
        # A user's own mapping may name any heading, so a line of several headings is enough.
        if len(cells) >= 2 and all(cells) and not any(cell.isdigit() for cell in cells):
            return True
        if sum(cell in _BY_HEADING for cell in cells) >= 2:
            return True
    return False


@dataclass
class _Columns:
    """Where each column of a sheet stands; several may be prices."""

    places: dict[str, int] = field(default_factory=dict)
    prices: dict[int, PriceHeading] = field(default_factory=dict)
    clashes: dict[str, list[int]] = field(default_factory=dict)

    @property
    def has_price(self) -> bool:
        """Whether there is a price, and an accelerator or a machine."""
        return bool(self.prices) and ("accelerator" in self.places or "instance_type" in self.places)


def _columns(texts: Sequence[str]) -> _Columns:
    found = _Columns()
    for i, text in enumerate(texts):
        known = text if text in OFFER_COLUMNS else _BY_HEADING.get(folded(text))
        if known == PRICE:
            known = None
        if known is not None:
            if known in found.places:
                found.clashes.setdefault(known, [found.places[known]]).append(i)
            else:
                found.places[known] = i
        elif text and (heading := price_heading(text)) is not None:
            found.prices[i] = heading
    return found


def _headings(
    rows: Iterator[tuple[int, list[object]]], name: str, options: dict[str, str]
) -> tuple[list[str], _Columns]:
    """Find the line of headings: the first that has a price and a thing, or what the user maps."""
    first: list[str] | None = None
    mapped = [heading for column, heading in options.items() if column != "decimal"]
    for place, (_, cells) in enumerate(rows):
        texts = texts_of(cells, name, place + 1)
        first = first or texts
        columns = _columns(texts)
        if columns.has_price or (mapped and any(heading in texts for heading in mapped)):
            return texts, columns
        if place >= MOST_ABOVE:
            break
    if first is None:
        raise PriceFileError.at((name,), say("{name}: is empty", name=name))
    return first, _columns(first)


def _mapped(texts: list[str], columns: _Columns, options: dict[str, str], name: str) -> dict[str, str]:
    """Take the user's mapping into the columns; return what it states for all rows (a count, a currency)."""
    constants: dict[str, str] = {}
    for column, heading in options.items():
        if column == "decimal":
            continue
        if heading not in texts:
            if column == COUNT and heading.isdecimal():
                constants[column] = heading
                continue
            if column == "currency" and re.fullmatch(r"[A-Za-z]{3}", heading):
                constants[column] = heading.upper()
                continue
            hint = near_matches(heading, texts)
            raise PriceFileError.at(
                (name, 1),
                say(
                    "{name} line 1: there is no heading {heading} for {column}.{hint}",
                    name=name, heading=shown(heading), column=column, hint=hint,
                ),
            )  # fmt: skip
        i = texts.index(heading)
        for other in [known for known, at in columns.places.items() if at == i]:
            del columns.places[other]
        columns.prices.pop(i, None)
        if column in (PRICE, PER_ACCELERATOR):
            said = price_heading(heading) or price_heading(f"price {heading}")
            each = column == PER_ACCELERATOR
            if said is not None and said.each and not each:
                raise PriceFileError.at(
                    (name, 1),
                    say(
                        "{name} line 1: {heading} is a price per accelerator; map it as {per_accelerator}={heading_2}",
                        name=name, heading=shown(heading), per_accelerator=PER_ACCELERATOR, heading_2=heading,
                    ),
                )  # fmt: skip
            said = said or PriceHeading(each, 1.0, None, None, None)
            columns.prices = {i: replace(said, each=each)}
        else:
            columns.places[column] = i
            columns.clashes.pop(column, None)
    return constants


def _checked(texts: list[str], columns: _Columns, constants: dict[str, str], name: str, draft: Draft) -> None:
    """Ask for what is missing or could be two things, and say which columns are not read."""
    for column, places in columns.clashes.items():
        one, other = (texts[i] for i in places[:2])
        raise PriceFileError.at(
            (name, 1),
            say(
                "{name} line 1: both {one} and {other} could be {column}; say which with --map {column}={one_2}",
                name=name, one=shown(one), other=shown(other), column=column, one_2=one,
            ),
        )  # fmt: skip
    alike: dict[tuple[str | None, int | None, bool], int] = {}
    for i, heading in columns.prices.items():
        key = (heading.purchase, heading.term_months, heading.each)
        if key in alike:
            column = PER_ACCELERATOR if heading.each else PRICE
            one, other = texts[alike[key]], texts[i]
            raise PriceFileError.at(
                (name, 1),
                say(
                    "{name} line 1: both {one} and {other} could be {column}; say which with --map {column}={one_2}",
                    name=name,
                    one=shown(one),
                    other=shown(other),
                    column=column,
                    one_2=one,
                ),
            )
        alike[key] = i
    missing = []
    if "accelerator" not in columns.places and "instance_type" not in columns.places:
        missing.append("accelerator")
    if not columns.prices:
        missing.append(PRICE)
    if missing:
        column = missing[0]
        raise PriceFileError.at(
            (name, 1),
            say(
                "{name} line 1: no heading is known to be {missing}; the headings are {texts}. Say which "
                "with --map {column}=HEADING",
                name=name, missing=listed(missing, " or "), texts=some_of(texts), column=column,
            ),
        )  # fmt: skip
    used = {*columns.places.values(), *columns.prices}
    unused = [text for i, text in enumerate(texts) if text and i not in used]
    if unused:
        draft.note(say("{name}: these columns are not read: {unused}", name=name, unused=some_of(unused)))


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the quotes. A cell that has two readings refuses the file; a row without a price is left out."""
    rows = rows_of(document, draft, lambda texts: _columns(texts).has_price)
    texts, columns = _headings(rows, document.name, draft.options)
    constants = _mapped(texts, columns, draft.options, document.name)
    _checked(texts, columns, constants, document.name, draft)
    if "provider" not in columns.places and not provider:
        raise PriceFileError.at(
            (document.name, 1),
            say(
                "{name}: does not say whose prices it holds; add --provider ID, such as --provider firmus, "
                "or --map provider=HEADING",
                name=document.name,
            ),
        )
    sheet = _Sheet(document.name, draft, columns, constants, provider)
    for number, cells in rows:
        draft.rows_read += 1
        sheet.row(number, cells)


@dataclass
class _Sheet:
    file: str
    draft: Draft
    columns: _Columns
    constants: dict[str, str]
    provider: str | None
    seen: dict[tuple[object, ...], tuple[int, float]] = field(default_factory=dict)
    cells: list[object] = field(default_factory=list)
    number: int = 0

    def _value(self, column: str) -> object:
        place = self.columns.places.get(column)
        return self.cells[place] if place is not None and place < len(self.cells) else None

    def _text(self, column: str) -> str:
        value = self._value(column)
        if isinstance(value, datetime):
            value = value.date()
        return "" if value is None else str(value).strip()

    def _amount(self, value: object, column: str) -> float | None:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        text = "" if value is None else str(value).strip()
        if folded(text) in _NOTHING:
            return None
        try:
            return read_amount(text, self.draft.options.get("decimal", "."))
        except ValueError as error:
            raise self._fault(column, str(error)) from error

    def _fault(self, column: str, message: str) -> InvalidInputError:
        place = (self.file, self.number, column)
        return PriceFileError.at(
            place,
            say(
                "{file} line {number}, column {column}: {message}",
                file=self.file, number=self.number, column=column, message=message,
            ),
        )  # fmt: skip

    def row(self, number: int, cells: list[object]) -> None:
        """Read one row, which may hold several prices."""
        self.number, self.cells = number, cells
        machine = self._machine()
        if machine is None:
            return
        seller, name, chip, count = machine
        wanted = self._purchase()
        if wanted is None:
            return
        priced = False
        for place, heading in self.columns.prices.items():
            cell = cells[place] if place < len(cells) else None
            amount = self._amount(cell, PER_ACCELERATOR if heading.each else PRICE)
            if amount is None:
                continue
            priced = True
            self._price(seller, name, chip, count, wanted, heading, amount, str(cell))
        if not priced:
            self.draft.leave_out("no_price", f"line {number}")

    def _machine(self) -> tuple[str, str, str, int] | None:
        """Return seller, instance type, chip and count of the row; None where it is left out."""
        told = self._text("provider") or self.provider or ""
        if not told:
            self.draft.leave_out("no_provider", f"line {self.number}")
            return None
        seller, known = self.draft.catalogue.provider_named(told)
        if not known:
            self.draft.note(
                say(
                    "{told} is not a seller that is known; its prices are those of {seller}",
                    told=shown(told), seller=repr(seller),
                )
            )  # fmt: skip
        name, instance = self._text("accelerator"), self._text("instance_type")
        stated = self._amount(self._value(COUNT), COUNT)
        if stated is None and COUNT in self.constants:
            stated = float(self.constants[COUNT])
        if stated is not None and stated != int(stated):
            self.draft.leave_out("fractional", f"line {self.number}: {stated:g}")
            return None
        if folded(name) in _NO_CHIP and "accelerator" in self.columns.places:
            return seller, instance or "machine", "", 0
        of_type = self.draft.instance(seller, instance) if instance else None
        if not name and of_type is None:
            self.draft.leave_out("unknown_accelerator", f"line {self.number}: {instance}")
            return None
        found = (of_type if not name else None) or self._chip(name, instance)
        if found is None:
            return None
        count = int(stated or 0) or found[1] or (of_type[1] if of_type else None)
        if not count and all(heading.each for heading in self.columns.prices.values()):
            count = 1
        if not count:
            raise self._fault(
                COUNT,
                say(
                    "how many {name} the price is for is not said; name the column with --map {count}=HEADING, "
                    "or the number for all rows with --map {count}=8",
                    name=name or instance, count=COUNT,
                ),
            )  # fmt: skip
        return seller, instance or f"{count}x {name}", found[0], count

    def _chip(self, name: str, instance: str) -> tuple[str, int | None] | None:
        found = self.draft.meaning(name, hint=instance)
        if found is None and (match := _TIMES.fullmatch(name)) is not None:
            base, times = (match[1], match[2]) if match[1] else (match[4], match[3])
            inner = self.draft.meaning(base, hint=instance)
            found = (inner[0], int(times)) if inner else None
        return found or self.draft.accelerator(name)

    def _purchase(self) -> tuple[str | None, int | None] | None:
        """Return purchase and term that the row states; None where its words are not known."""
        text, term_text = self._text("purchase"), self._text("term_months")
        purchase, term = purchase_of(text.replace("_", " "))
        if text and purchase is None:
            self.draft.leave_out("unknown_purchase", f"line {self.number}: {text}")
            return None
        if folded(term_text) not in ("", "none", "na", "0"):
            term = read_months(term_text, self.file, self.number)
        if term is not None and purchase is None:
            purchase = "reserved"
        return purchase, term

    def _price(
        self, seller: str, name: str, chip: str, count: int, wanted: tuple[str | None, int | None],
        heading: PriceHeading, amount: float, cell: str,
    ) -> None:  # fmt: skip
        unit = self._text("price_unit")
        hours = hours_of(unit) or (hours_of(cell) if currency_of(cell) else None) or heading.hours
        each = heading.each or is_per_accelerator(unit)
        code = currency_of(cell) or heading.currency or self._text("currency").upper() or self.constants.get("currency")
        today = date.fromisoformat(self.draft.observed_on)
        day = read_seen(self._value("observed_on"), self.file, self.number, today)
        purchase, term = heading.purchase or wanted[0], heading.term_months or wanted[1]
        upfront = self._amount(self._value("upfront"), "upfront") or 0.0
        price = amount * (max(count, 1) if each else 1) / hours
        notes = [self._text("notes")] if self._text("notes") else []
        if hours != 1:
            notes.append(f"{amount:.10g} per {hours:g} h")
        if upfront:
            if term is None:
                raise self._fault("upfront", "an upfront payment needs a term, over which it is spread")
            price = estimate.amortised_price(price, upfront, term)
            notes.append(f"{upfront:.10g} upfront over {term} months")
            purchase = purchase if purchase not in (None, "on_demand") else "reserved"
        converted = self.draft.usd(price, code or "USD")
        if converted is None:
            self.draft.leave_out("other_currency", f"line {self.number}: {code}")
            return
        price, rate = converted
        if rate:
            notes.append(rate)
        offer = Offer(
            seller, name, self._text("region") or "global", chip, count, purchase or "on_demand", term,
            vcpus=self._amount(self._value("vcpus"), "vcpus"),
            memory_gib=self._amount(self._value("memory_gib"), "memory_gib"), observed_on=day or self.draft.observed_on,
            source=self._text("source") or self.draft.source, notes="; ".join(notes), evidence="quote", prices=[price],
        )  # fmt: skip
        if not price > 0:
            self.draft.leave_out("zero_price" if price == 0 else "no_price", f"line {self.number}")
            return
        if not fits(offer, price):
            self.draft.leave_out("unreadable", f"line {self.number}: {name[:100]}, {price:g} USD per hour")
            return
        key = (seller, name, count, offer.region, offer.purchase, term, offer.observed_on)
        before = self.seen.get(key)
        if before is None:
            self.seen[key] = (self.number, price)
            self.draft.take(offer.row())
        elif before[1] != price:
            raise PriceFileError.at(
                (self.file, self.number, PRICE),
                say(
                    "{file}: line {before} and line {number} are the same offer ({seller}/{name} × {count}, "
                    "{region}, {purchase}) with different prices ({before_2:g} and {price:g} USD/h); keep one of "
                    "them, or tell them apart by region or date",
                    file=self.file, before=before[0], number=self.number, seller=seller, name=name, count=count,
                    region=offer.region, purchase=offer.purchase, before_2=before[1], price=price,
                ),
            )  # fmt: skip
        else:
            self.draft.leave_out(
                "repeated", say("line {number}, as line {before}", number=self.number, before=before[0])
            )
