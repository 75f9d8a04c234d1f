"""Numbers inside sentences, rounded for reading; the figures themselves are never rounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from string import Formatter
from typing import cast

UNKNOWN = "n/a"


def significant(value: float | None, digits: int = 3) -> str:
    """Round to significant digits: 0.0000023 stays 0.0000023, 1234.5 becomes 1,230."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    if 1e-4 <= value < 100:
        # The usual case, in one step.
        return f"{value:#.{digits}g}".rstrip(".")
    text = f"{value:.{digits - 1}e}"
    exponent = int(text.partition("e")[2])
    if not -9 <= exponent <= 14:
        return text
    return f"{float(text):,.{max(digits - 1 - exponent, 0)}f}"


def percent(value: float | None) -> str:
    """Write a share as a percentage with three significant digits at most."""
    return UNKNOWN if value is None else f"{significant(100 * value)} %"


class Sentence(str):
    """A text in English that remembers its template and values, so that a page can say it in another language.

    It is a str like any other to JSON, CSV, terminals and tests.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, text: str, template: str = "", values: Mapping[str, object] | None = None) -> Sentence:
        """Keep the text with what it was made of."""
        made = super().__new__(cls, text)
        made.template, made.values = template or text, values or {}
        return made

    def __str__(self) -> Sentence:
        """Return itself: an exception's text stays a sentence."""
        return self

    def __add__(self, other: str) -> Sentence:
        """Put another text behind; each part is translated by itself."""
        return _joined(self, other)

    def __radd__(self, other: str) -> Sentence:
        """Put another text before."""
        return _joined(other, self)


def say(template: str, /, **values: object) -> Sentence:
    """Write a sentence: {name} and {name:spec} stand for values; {{ and }} for braces.

    Specs are those of `format`, and `significant` (with its digits: significant4) and `percent`. Texts
    among the values are data and stay as they are in every language; a word that is to be translated
    is a Sentence itself. The template is the key of the catalogs.
    """
    return Sentence(filled(template, values, written), template, values)


def filled(template: str, values: Mapping[str, object], write: Callable[[object, str], str]) -> str:
    """Fill a template's places in with `write`."""
    return "".join(part if name is None else write(values[name], part) for name, part in _places(template))


def written(value: object, spec: str) -> str:
    """Write one value of a sentence in English."""
    if spec.startswith("significant"):
        return significant(cast(float, value), int(spec[len("significant") :] or 3))
    return percent(cast(float, value)) if spec == "percent" else format(value, spec)


@lru_cache(1024)
def _places(template: str) -> tuple[tuple[str | None, str], ...]:
    """Split a template into (None, text) and (name of a value, spec)."""
    found: list[tuple[str | None, str]] = []
    for text, name, spec, _ in Formatter().parse(template):
        found.append((None, text))
        if name is not None:
            found.append((name, spec or ""))
    return tuple(found)


def _joined(first: str, second: str) -> Sentence:
    return Sentence(str.__add__(first, second), "{first}{second}", {"first": first, "second": second})


def listed(items: Iterable[object], between: str = ", ") -> Sentence:
    """Join texts, each translated by itself; `between` may be a word in English with spaces around it."""
    texts = tuple(items)
    values: dict[str, object] = {str(i): text for i, text in enumerate(texts)}
    word = between.strip()
    if word.isalpha():
        values["between"] = Sentence(between, between)
    else:
        values["between"] = between
    places = "{between}".join(f"{{{i}}}" for i in range(len(texts)))
    return Sentence(between.join(str(text) for text in texts), places, values)


def word(name: str) -> Sentence:
    """Make a name of a closed list, such as on_demand, a word that pages say in their language."""
    return Sentence(name, name.replace("_", " "))


def rounded(value: float | None, digits: int = 3) -> Sentence:
    """Write a number as part of a sentence, with `digits` significant digits."""
    template = f"{{value:significant{digits}}}"
    return say(template, value=value)
