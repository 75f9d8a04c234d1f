"""What headings and cells of a price sheet mean: currency, period, per machine or accelerator, purchase, term."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pricing.units import HOURS_PER_MONTH, HOURS_PER_YEAR

# Signs and codes of currencies, in the order in which they are looked for.
_CURRENCIES = (
    (r"US\$|USD|U\.S\. dollars?", "USD"), (r"R\$|\bBRL\b", "BRL"), (r"C\$|\bCAD\b", "CAD"), (r"A\$|\bAUD\b", "AUD"),
    (r"S\$|\bSGD\b", "SGD"), (r"€|\bEUR\b|\beuros?\b", "EUR"), (r"£|\bGBP\b", "GBP"), (r"₹|\bINR\b|\bRs\.?\b", "INR"),
    (r"\bJPY\b", "JPY"), (r"\bCNY\b|\bRMB\b", "CNY"), (r"\bCHF\b", "CHF"), (r"\bSEK\b", "SEK"), (r"\bNOK\b", "NOK"),
    (r"\bDKK\b", "DKK"), (r"\bPLN\b|zł", "PLN"), (r"₩|\bKRW\b", "KRW"), (r"\$|\bdollars?\b", "USD"),
)  # fmt: skip
_PERIODS = (
    (r"\bmonth|\bmo\b|\bmonatl|/\s*mo\b", float(HOURS_PER_MONTH)), (r"\bday\b|\bdaily\b|/\s*d\b", 24.0),
    (r"\byear\b|\bannual|\byearly\b|/\s*yr?\b|\bp\.?a\.?\b", float(HOURS_PER_YEAR)), (r"\bweek", 168.0),
    (r"\bminute|/\s*min\b", 1 / 60), (r"\bsecond|/\s*s(?:ec)?\b", 1 / 3600),
)  # fmt: skip
_HOUR = re.compile(r"\bhour|\bhr\b|/\s*h\b|\bhourly\b|\bstunde|per\s*h\b|[ /]h\b|hr\)", re.IGNORECASE)
_EACH = re.compile(
    r"(?:per|/|each|pro|\bje\b)\s*-?\s*(?:gpu|accelerator|chip|card|tpu)|\bgpu\b.*(?:/|per)\s*h", re.IGNORECASE
)
_PRICE = re.compile(r"price|cost|\brate\b|\bhourly\b|\bpreis\b|\bfee\b|tarif", re.IGNORECASE)
_NO_PRICE = re.compile(r"unit|source|date|note|link|evidence|upfront|setup|currency|memory|vcpu|ram\b", re.IGNORECASE)
_TERM = re.compile(r"(\d+)\s*-?\s*(years?|yrs?|y\b|months?|mos?\b|m\b)", re.IGNORECASE)
_PURCHASES = (
    (r"savings", "savings_plan"), (r"capacity\s*block|\bblock\b", "capacity_block"), (r"\bowned\b|\bown\b", "owned"),
    (r"spot|preempt|interrupt", "spot"),
    (r"reserv|commit|\bRI\b|\bcud\b|contract|\d\s*-?\s*(?:yr|year)", "reserved"),
    (r"on[ -_]?demand|pay[ -_]?as|payg|\blist\b|\bstandard\b|demand", "on_demand"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PriceHeading:
    """A column of prices: `hours` that one price pays for, per accelerator or machine, and for which purchase."""

    each: bool
    hours: float
    currency: str | None
    purchase: str | None
    term_months: int | None


def currency_of(text: str) -> str | None:
    """Return the currency that a text names by sign or code; None if none."""
    return next((code for pattern, code in _CURRENCIES if re.search(pattern, text, re.IGNORECASE)), None)


def hours_of(text: str) -> float | None:
    """Return how many hours a price pays for, by words such as `per month`; None where no period is named."""
    without_term = _TERM.sub(" ", text)
    if _HOUR.search(without_term):
        return 1.0
    return next((hours for pattern, hours in _PERIODS if re.search(pattern, without_term, re.IGNORECASE)), None)


def is_per_accelerator(text: str) -> bool:
    """Whether a text says that a price is for one accelerator."""
    return _EACH.search(text) is not None


def purchase_of(text: str) -> tuple[str | None, int | None]:
    """Return the purchase option and the term in months that words name, such as `Reserved 1yr`."""
    purchase = next((name for pattern, name in _PURCHASES if re.search(pattern, text, re.IGNORECASE)), None)
    match = _TERM.search(text)
    if match is None:
        return purchase, None
    return purchase, int(match[1]) * (12 if match[2].lower().startswith("y") else 1)


def price_heading(text: str) -> PriceHeading | None:
    """Read a heading of prices; None for one that is of something else."""
    plain = text.replace("_", " ").strip()
    purchase, term = purchase_of(plain)
    named = _PRICE.search(plain) or currency_of(plain) or re.search(r"/\s*(?:h|hr|hour)\b", plain, re.IGNORECASE)
    bare = purchase in ("spot", "on_demand") and len(plain.split()) <= 2
    committed = purchase == "reserved" and term is not None
    if _NO_PRICE.search(plain) or not (named or bare or committed):
        return None
    return PriceHeading(is_per_accelerator(plain), hours_of(plain) or 1.0, currency_of(plain), purchase, term)
