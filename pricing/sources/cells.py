"""Cells of price tables: one reader for each kind of column. ValueError says what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import date

from pricing.errors import near_matches, shown
from pricing.numbers import read_day, read_number, read_whole_number
from pricing.offers import NO_TERM, UNDATED
from pricing.wording import say

MOST_ACCELERATORS = 100_000
_NEUTRALISED = re.compile("'[ ]*[=+\\-@＝＋－＠]")
LEAST_PRICE, MOST_PRICE = 1e-9, 1e9
MOST_TEXT = 2000
# Of columns whose texts are shorter than that.
MOST_OF = {"instance_type": 200, "region": 100, "plan": 60}
# Unicode's categories Cc and Cs.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
PROVIDER_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def one_of(values: Sequence[str], default: str) -> Callable[[str], str]:
    """Read one of a closed list; blank is the default."""

    def read(text: str) -> str:
        if text in values:
            return text
        if not text:
            return default
        raise ValueError(
            say("{text} must be one of {values}.", text=shown(text), values=", ".join(values))
            + near_matches(text, values)
        )

    return read


def are_plain(texts: Collection[str], most: int) -> bool:
    """Whether no text is too long, has a control character, or blanks around it."""
    joined = "".join(texts)
    if max(map(len, texts), default=0) > most or _CONTROL.search(joined):
        return False
    if "'" in joined and any(map(_NEUTRALISED.match, texts)):
        return False
    return list(map(str.strip, texts)) == list(texts)


def text_of(what: str, *, most: int = MOST_TEXT, required: bool = False) -> Callable[[str], str]:
    """Read a text of at most `most` characters without control characters."""

    def read(text: str) -> str:
        if _NEUTRALISED.match(text):
            # Our own CSV keeps spreadsheets from running such a text by an apostrophe; it is no part of the text.
            text = text[1:]
        if required and not text:
            raise ValueError(say("is blank; write {what}", what=what))
        if len(text) > most:
            raise ValueError(
                say("has {number:,} characters; at most {most:,} are allowed", number=len(text), most=most)
            )
        if not _CONTROL.search(text):
            return text
        # Line breaks inside a quoted cell are ordinary; other control characters are not text.
        plain = re.sub(r"[\r\n\t]+", " ", text)
        if _CONTROL.search(plain):
            raise ValueError(say("{text} holds a control character; remove it", text=shown(text)))
        return plain

    return read


def provider(text: str) -> str:
    """Read a provider id; it is put in lower case."""
    name = text.lower()
    if not PROVIDER_ID.fullmatch(name):
        raise ValueError(
            say(
                "{text} is not a provider id; write lower-case letters, digits, '-', '_' or '.', such as aws "
                "or coreweave",
                text=shown(text),
            )
        )
    return name


def term(text: str) -> int:
    """Read a term in months; blank is NO_TERM."""
    return read_whole_number(text, least=1, most=1200) if text else NO_TERM


def count(text: str) -> int:
    """Read a number of accelerators; blank is 0."""
    return read_whole_number(text, least=0, most=MOST_ACCELERATORS) if text else 0


def price(text: str) -> float:
    """Read a price in USD per hour, above 0; blank is NaN."""
    if not text:
        return float("nan")
    value = read_number(text, thousands=True)
    if value <= 0:
        raise ValueError(
            say(
                "{text} is not a price; a price is above 0 USD per hour, and an unknown price is no row at all",
                text=shown(text),
            )
        )
    if not LEAST_PRICE <= value <= MOST_PRICE:
        raise ValueError(say("{text} USD per hour is outside 1e-9 to 1e9; check its unit", text=shown(text)))
    return value


def amount(text: str) -> float:
    """Read a quantity above 0; blank is NaN."""
    if not text:
        return float("nan")
    value = read_number(text, thousands=True)
    if value <= 0:
        raise ValueError(say("{text} must be above 0, or blank if it is not known", text=shown(text)))
    return value


def sizes_of(text: str) -> tuple[int, ...]:
    """Read sizes such as 1|2|4|8, ascending."""
    if not text:
        return ()
    sizes = tuple(read_whole_number(part, least=1, most=MOST_ACCELERATORS) for part in text.split("|"))
    if sorted(set(sizes)) != list(sizes):
        raise ValueError(say("{text}: sizes must ascend, each once, such as 1|2|4|8", text=shown(text)))
    return sizes


def day_of(today: date | None) -> Callable[[str], int]:
    """Read a date YYYY-MM-DD, not after `today` (None: not checked), as an ordinal; blank is UNDATED."""

    def read(text: str) -> int:
        if not text:
            return UNDATED
        day = read_day(text)
        if today is not None and day > today:
            raise ValueError(
                say(
                    "{text} is after today ({today}, UTC); a price can't be seen before its day",
                    text=shown(text),
                    today=today,
                )
            )
        return day.toordinal()

    return read
