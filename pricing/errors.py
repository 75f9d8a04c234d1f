"""Errors in what a user gave: where it stands, and a sentence that says what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pricing.wording import listed, say, word

MANY_NAMES = 2000
# Faults that are told at once, of a table and of a question. What would be right is slow to find: for a body of
# wrong names alone it would keep the server busy for half a minute.
MOST_FAULTS, MOST_OF_QUESTION = 20, 200
Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: `loc` is the path to the field, `msg` a sentence."""

    loc: Location
    msg: str


class InvalidInputError(ValueError):
    """Input that can't be right. Carries every fault that was found, not only the first."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Keep the faults; the message is their sentences, one a line."""
        self.faults = tuple(faults)
        super().__init__("\n".join(fault.msg for fault in self.faults))

    @classmethod
    def at(cls, loc: Location, msg: str) -> InvalidInputError:
        """Make an error of a single fault."""
        return cls([Fault(loc, msg)])


class PriceFileError(InvalidInputError):
    """A price table that was refused as a whole; every fault names file, line and column."""


def shown(value: object, length: int = 60) -> str:
    """Quote a user's value for a message: control characters visible, long text cut."""
    text = repr(str(value))
    return text if len(text) <= length + 2 else f"{text[:length]}…'"


def near_matches(name: str, known: Iterable[str], most: int = 4) -> str:
    """Return ' Did you mean a, b?' for the known names that are like `name`, or ''."""
    folded: dict[str, str] = {}
    for item in known:
        folded.setdefault(item.casefold(), item)
    wanted = name.casefold()[:100]
    if len(folded) > MANY_NAMES:
        # Likeness is slow to tell; among very many names only those with the same beginning are looked at.
        folded = {k: v for k, v in folded.items() if k[:2] == wanted[:2] or (len(wanted) >= 3 and wanted in k)}
    found = [k for k in folded if len(wanted) >= 3 and k.startswith(wanted)][:most]
    found += [k for k in get_close_matches(wanted, folded, n=most, cutoff=0.6) if k not in found][: most - len(found)]
    if len(found) < most and len(wanted) >= 3:
        found += [k for k in sorted(folded) if wanted in k and k not in found][: most - len(found)]
    names = [folded[item] for item in found]
    return (
        say(
            " Did you mean {names}?",
            names=listed([", ".join(names[:-1]), names[-1]] if names[1:] else names, " or "),
        )
        if names
        else ""
    )


def given_twice(name: str, texts: Sequence[str]) -> Fault:
    """Make the fault of a parameter that takes one value and is given several different ones."""
    return Fault(
        (name,), say("{name} is given {number} times with different values; give it once", name=name, number=len(texts))
    )


def cause_of(error: Exception) -> str:
    """Say what a parser found wrong, in one line of bounded length."""
    if isinstance(error, UnicodeDecodeError):
        return say("byte {start:,} is not {encoding}", start=error.start, encoding=error.encoding.upper())
    if "set_int_max_str_digits" in str(error):
        return say("a number has too many digits")
    return f"{type(error).__name__}: {one_line(error)}"


def one_line(error: Exception) -> str:
    """Return a parser's own words in one printable line of bounded length."""
    return printable(" ".join(str(error)[:1000].split())[:200])


def printable(text: str) -> str:
    """Return a text with whatever a terminal would take for a command shown by its code."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def misread(name: str, what: str, error: Exception) -> Fault:
    """Make the fault of a file that looks like a known format and can't be read as such."""
    return Fault(
        (name,),
        say(
            "{name}: looks like {what}, but can't be read as such ({error})",
            name=name, what=word(what), error=cause_of(error),
        ),
    )  # fmt: skip
