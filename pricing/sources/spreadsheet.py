"""Spreadsheets of quotes: CSV, TSV or XLSX with headings of the user's own, mapped by name, asked for where unclear."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from pricing.accelerators import folded
from pricing.errors import PriceFileError, near_matches, shown
from pricing.numbers import read_day, read_number, read_whole_number
from pricing.offers import OFFER_COLUMNS, PURCHASES
from pricing.sources.document import MOST_RATIO, MOST_UNPACKED, Document
from pricing.sources.draft import Draft, Offer

NAME = "spreadsheet"
WHAT = "a spreadsheet with headings for seller, machine, accelerator, count and price"
PER_ACCELERATOR = "price_per_accelerator"
NEEDED = ("accelerator", "price_usd_per_hour")
# Headings as people write them, folded to letters and digits.
HEADINGS = {
    "provider": ("provider", "vendor", "cloud", "seller", "supplier", "company"),
    "instance_type": ("instancetype", "instance", "machine", "machinetype", "server", "sku", "shape", "offer", "name"),
    "region": ("region", "location", "datacenter", "datacentre", "zone", "site"),
    "accelerator": ("accelerator", "gpu", "gputype", "gpumodel", "chip", "acceleratorname", "gpuname", "card"),
    "accelerator_count": ("acceleratorcount", "gpus", "gpucount", "count", "ngpus", "numberofgpus", "qty", "quantity"),
    "price_usd_per_hour": (
        "priceusdperhour", "usdperhour", "usdh", "usdhr", "hr", "perhour", "hourly", "hourlyprice", "priceperhour",
        "price", "pricehr", "hourlyrate", "rate", "pricehour", "usdhour",
    ),
    PER_ACCELERATOR: (
        "pricepergpuhour", "pricepergpu", "usdpergpuhour", "gpuhr", "gpuhour", "pergpuhour", "usdpergpu",
        "priceperaccelerator",
        "usdgpuh", "usdgpuhr", "priceperacceleratorhour", "pergpu", "priceperchip",
    ),
    "purchase": ("purchase", "purchasetype", "billing", "model", "pricingmodel", "type"),
    "term_months": ("termmonths", "term", "commitment", "months", "commitmentmonths"),
    "observed_on": ("observedon", "date", "quotedon", "asof", "quotedate", "validfrom"),
    "vcpus": ("vcpus", "vcpu", "cpus", "cpu"),
    "memory_gib": ("memorygib", "memory", "ram", "ramgb", "memorygb", "ramgib"),
    "notes": ("notes", "note", "comment", "comments", "remarks"),
    "source": ("source", "link", "url", "reference"),
}  # fmt: skip
_BY_HEADING = {heading: column for column, headings in HEADINGS.items() for heading in headings}
_PURCHASES = {
    "ondemand": "on_demand",
    "payg": "on_demand",
    "payasyougo": "on_demand",
    "preemptible": "spot",
    "interruptible": "spot",
}
_MONEY = re.compile(r"^(?:US\$|\$|USD)?\s*(.*?)\s*(?:USD|\$)?\s*(?:/|per\s*)?\s*(?:h|hr|hour)?$", re.IGNORECASE)
_GERMAN = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})*(?:,[0-9]+)?|-?[0-9]+(?:,[0-9]+)?")
_OTHER_MONEY = re.compile(r"[€£¥₹]|EUR|GBP|BRL|INR|JPY|CNY|R\$")


def recognises(document: Document) -> bool:
    """Whether it is an XLSX file, or the first line has headings of which one is a price."""
    if document.head[:4] == b"PK\x03\x04":
        return b"xl/" in document.head or document.name.lower().endswith(".xlsx")
    text = _text(document.head)
    if "<html" in text[:2000].lower() or text.lstrip()[:1] in ("{", "["):
        return False
    first = text.partition("\n")[0]
    cells = [folded(cell) for cell in re.split(r"[,;\t]", first)]
    # A user's own mapping may name any heading, so a line of several headings is enough.
    return len(cells) >= 2 and all(cells) and not any(cell.isdigit() for cell in cells)


def _text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _rows(document: Document) -> Iterator[tuple[int, list[object]]]:
    """Yield each row's number and its cells."""
    data = document.read()
    if data[:4] == b"PK\x03\x04":
        yield from _xlsx(document.name, data)
        return
    text = _text(data)
    sign = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, list(row)
    except csv.Error as error:
        raise PriceFileError.at((document.name,), f"{document.name}: not valid CSV ({error})") from error


def _xlsx(name: str, data: bytes) -> Iterator[tuple[int, list[object]]]:
    # Imported here: most files are CSV, and the package is slow to load.
    from openpyxl import load_workbook  # noqa: PLC0415

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_UNPACKED or size > MOST_RATIO * len(data):
            raise PriceFileError.at((name,), f"{name}: would unpack to {size:,} bytes, which no list of quotes has")
        sheet = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0]
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if any(cell not in (None, "") for cell in row):
                yield number, list(row)
    except PriceFileError:
        raise
    except Exception as error:
        # The package raises whatever its parsers do; a broken file is a broken file.
        raise PriceFileError.at((name,), f"{name}: is not a spreadsheet that can be read ({error})") from error


def _mapping(header: Sequence[object], options: dict[str, str], name: str) -> dict[str, int]:
    """Return the place of each column: as mapped by the user, else by the heading's name."""
    texts = [str(cell or "").strip() for cell in header]
    places: dict[str, int] = {}
    for column, heading in options.items():
        if column != "decimal":
            if heading not in texts:
                hint = near_matches(heading, texts)
                raise PriceFileError.at(
                    (name, 1), f"{name} line 1: there is no heading {shown(heading)} for {column}.{hint}"
                )
            places[column] = texts.index(heading)
    for i, text in enumerate(texts):
        known = text if text in OFFER_COLUMNS else _BY_HEADING.get(folded(text))
        if known is None or i in places.values():
            continue
        if known in places and known not in options:
            other = texts[places[known]]
            raise PriceFileError.at(
                (name, 1),
                f"{name} line 1: both {shown(other)} and {shown(text)} could be {known}; say which with "
                f"--map {known}={other}",
            )
        places.setdefault(known, i)
    missing = [c for c in NEEDED if c not in places and not (c == "price_usd_per_hour" and PER_ACCELERATOR in places)]
    if missing:
        column = missing[0]
        raise PriceFileError.at(
            (name, 1),
            f"{name} line 1: no heading is known to be {' or '.join(missing)}; the headings are "
            f"{', '.join(filter(None, texts))}. Say which with --map {column}=HEADING",
        )
    return places


def read(document: Document, draft: Draft, provider: str | None) -> None:
    """Read the quotes. A cell that has two readings refuses the file; a row without a price is left out."""
    rows = _rows(document)
    first = next(rows, None)
    if first is None:
        raise PriceFileError.at((document.name,), f"{document.name}: is empty")
    places = _mapping(first[1], draft.options, document.name)
    for number, cells in rows:
        draft.rows_read += 1
        values = {column: cells[i] if i < len(cells) else None for column, i in places.items()}
        _add(values, number, document.name, draft, provider)


def _add(values: dict[str, object], number: int, file: str, draft: Draft, provider: str | None) -> None:
    def text(column: str) -> str:
        value = values.get(column)
        if isinstance(value, datetime):
            value = value.date()
        return "" if value is None else str(value).strip()

    def amount(column: str) -> float | None:
        value = values.get(column)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        given = text(column)
        if not given:
            return None
        try:
            return _number(given, draft.options.get("decimal", "."))
        except ValueError as error:
            raise PriceFileError.at(
                (file, number, column), f"{file} line {number}, column {column}: {error}"
            ) from error

    name = text("accelerator")
    price, each = amount("price_usd_per_hour"), amount(PER_ACCELERATOR)
    if price is None and each is None:
        draft.leave_out("no_price", f"line {number}")
        return
    stated = amount("accelerator_count")
    if stated is not None and stated != int(stated):
        draft.leave_out("fractional", f"line {number}: {stated:g}")
        return
    found = draft.accelerator(name) if name else None
    if name and found is None:
        return
    count = int(stated or (found[1] if found else None) or (1 if found else 0))
    purchase = folded(text("purchase"))
    purchase = next((p for p in PURCHASES if folded(p) == purchase), _PURCHASES.get(purchase, "on_demand"))
    term = text("term_months")
    offer = Offer(
        (text("provider") or provider or "quote").lower().replace(" ", "-"),
        text("instance_type") or f"{count}x {name}",
        text("region") or "global", found[0] if found else "", count, purchase,
        _months(term, file, number) if term else None, vcpus=amount("vcpus"), memory_gib=amount("memory_gib"),
        observed_on=_day(values.get("observed_on"), file, number), source=text("source"), notes=text("notes"),
        evidence="quote",
    )  # fmt: skip
    draft.add(offer, price if price is not None else (each or 0.0) * max(count, 1))


def _number(text: str, decimal: str) -> float:
    """Read an amount of money or a quantity; what has two readings is refused."""
    if _OTHER_MONEY.search(text):
        raise ValueError(f"{shown(text)} is in another currency; convert it, or give it as a quote with its code")
    match = _MONEY.match(text)
    plain = (match[1] if match else text).replace("\u00a0", "").replace(" ", "")
    if decimal == ",":
        if not _GERMAN.fullmatch(plain):
            raise ValueError(f"{shown(text)} is not a number with a decimal comma, such as 1.234,50")
        return read_number(plain.replace(".", "").replace(",", "."))
    try:
        return read_number(plain, thousands=True)
    except ValueError as error:
        raise ValueError(f"{error}; if commas are decimal signs in this file, add --decimal ,") from error


def _months(text: str, file: str, number: int) -> int:
    """Read a term: 12, 12 months, 1 year, 3y."""
    match = re.fullmatch(r"([0-9]+)\s*(y|yr|yrs|year|years|m|mo|month|months)?(?:\.0)?", text.lower())
    if match is None:
        raise PriceFileError.at(
            (file, number, "term_months"),
            f"{file} line {number}: {shown(text)} is not a term; write 12 months or 1 year",
        )
    years = (match[2] or "m").startswith("y")
    return read_whole_number(match[1], least=1, most=1200) * (12 if years else 1)


def _day(value: object, file: str, number: int) -> str:
    if value in (None, ""):
        return ""
    if isinstance(value, (date, datetime)):
        return value.strftime("%Y-%m-%d")
    try:
        return read_day(str(value)).isoformat()
    except ValueError as error:
        raise PriceFileError.at((file, number, "observed_on"), f"{file} line {number}: {error}") from error
