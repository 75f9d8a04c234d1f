"""The language of a page: chosen by the reader's switch or the browser; JSON, CSV and the command line know none.

The texts in the code are the English ones and the keys of the catalogs (gettext). Of each request the
language is kept beside it, so that a filter of a template can ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from datetime import date
from functools import cache
from gettext import NullTranslations
from http.cookies import CookieError, SimpleCookie
from io import BytesIO
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from pricing.wording import Sentence, filled, written

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "pt-BR": "Português (Brasil)"}
COOKIE = "perdollar_language"
CATALOGS = Path(__file__).parent / "locale"
_MOST_HEADER = 1000
_THOUSANDS = re.compile(r"(?<![\w.,-])[1-9]\d{0,2}\.\d{3}(?![\w.])")
# Where large numbers are typed; versions and prices have dots of their own.
_TYPED = ("m", "units_per_month", "mean_units_per_second", "peak_units_per_second", "hourly", "streams")
_PLACES = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z]{2}")
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language of the request at hand, a key of LANGUAGES."""
    return _current.get()


@cache
def catalog(name: str) -> NullTranslations:
    """Read the catalog of a language. English has none: its texts are the keys."""
    if name == ENGLISH:
        return NullTranslations()
    # Only a page in another language needs these.
    from babel.messages.mofile import write_mo  # noqa: PLC0415
    from babel.messages.pofile import read_po  # noqa: PLC0415
    from babel.support import Translations  # noqa: PLC0415

    locale = name.replace("-", "_")
    with (CATALOGS / locale / "LC_MESSAGES" / "perdollar.po").open("rb") as file:
        messages = read_po(file, locale=locale)
    compiled = BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return Translations(compiled, domain="perdollar")


def known(text: str) -> bool:
    """Whether the catalog of the request's language has a text."""
    found: dict[str, str] = getattr(catalog(_current.get()), "_catalog", {})
    return text in found


def gettext(text: str) -> str:
    """Return a text in the request's language."""
    return catalog(language()).gettext(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text that a count asks for, in the request's language."""
    return catalog(language()).ngettext(one, many, count)


def translated(text: str) -> str:
    """Return a text of the code in the request's language, its numbers and dates as its readers write them.

    A text that the catalog does not have stays English.
    """
    if not text or _current.get() == ENGLISH:
        return text
    if not isinstance(text, Sentence):
        return gettext(text)
    return filled(gettext(text.template), text.values, _written)


def has_translation(text: str) -> bool:
    """Whether a text, with every sentence in it, can be said in the request's language."""
    name = _current.get()
    if name == ENGLISH:
        return True
    template = text.template if isinstance(text, Sentence) else text
    if _WORD.search(_PLACES.sub("", template)) and not known(template):
        return False
    values = text.values.values() if isinstance(text, Sentence) else ()
    return all(has_translation(value) for value in values if isinstance(value, Sentence))


def _written(value: object, spec: str) -> str:
    if isinstance(value, Sentence):
        return format(translated(value), spec)
    text = written(value, spec)
    if isinstance(value, date):
        return day(value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return localized(text) if number else text


def day(value: date) -> str:
    """Write a date as its readers do; English readers of both sides of an ocean agree on 2026-12-01 alone."""
    if _current.get() == ENGLISH:
        return value.isoformat()
    from babel.dates import format_date  # noqa: PLC0415 - only for other languages

    return format_date(value, "short", locale=_current.get().replace("-", "_"))


@cache
def _separators(name: str) -> dict[int, str]:
    """How the signs of an English number are written in a language."""
    if name == ENGLISH:
        return {}
    from babel.numbers import get_decimal_symbol, get_group_symbol  # noqa: PLC0415

    locale = name.replace("-", "_")
    return str.maketrans({".": get_decimal_symbol(locale), ",": get_group_symbol(locale)})


def localized(number: str) -> str:
    """Write a number, given in English, with the signs of the request's language: 1,234.5 is 1.234,5 in Portuguese."""
    name = _current.get()
    return number if name == ENGLISH else number.translate(_separators(name))


def dotted(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, float]]:
    """Return the numbers of a question that readers of this language may have meant as thousands, such as 5.200."""
    if _separators(language()).get(ord(".")) != ",":
        return []
    found = (match[0] for name, value in pairs if name in _TYPED for match in _THOUSANDS.finditer(value))
    return [(text, float(text)) for text in dict.fromkeys(found)]


def chosen(cookie: str, accepted: str) -> str:
    """Return the language that a cookie names, else the first known one that Accept-Language asks for.

    Of equal weights the first counts; a language without its region matches too (`pt` is pt-BR); a
    header that can't be read asks for nothing.
    """
    try:
        kept = SimpleCookie(cookie[:_MOST_HEADER]).get(COOKIE)
    except CookieError:
        kept = None
    if kept is not None and kept.value in LANGUAGES:
        return kept.value
    best, most = ENGLISH, 0.0
    for asked in accepted[:_MOST_HEADER].split(","):
        tag, _, weight = asked.partition(";")
        name = _known(tag.strip().casefold())
        value = _weight(weight)
        if name and value > most:
            best, most = name, value
    return best


def _known(tag: str) -> str:
    for name in LANGUAGES:
        if tag == name.casefold() or tag.partition("-")[0] == name.partition("-")[0]:
            return name
    return ENGLISH if tag == "*" else ""


def _weight(text: str) -> float:
    name, _, value = text.partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return min(float(value), 1.0)
    except ValueError:
        return 0.0


class Languages:
    """ASGI middleware that keeps the language of each request."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Choose the language and pass the request on."""
        if scope["type"] == "http":
            headers = _headers(scope["headers"])
            _current.set(chosen(headers.get(b"cookie", ""), headers.get(b"accept-language", "")))
        await self.app(scope, receive, send)


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> Mapping[bytes, str]:
    return {name: value.decode("latin-1") for name, value in pairs}
