"""Tokens: how one is made, what the settings keep of it, and the check of one that a request brings."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

PREFIX = "perdollar_"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_HEX = re.compile(r"[0-9a-fA-F]{64}")
_BETWEEN = re.compile(r"[\s,]+")
# A token of ours has 53 characters; what is much longer is not even hashed.
MOST_LENGTH = 200


@dataclass(frozen=True)
class Entry:
    """What the settings keep of a token: its name and its SHA-256, never the token.

    A token is 256 random bits, so that a plain hash can't be turned round by guessing; slow hashes
    are for passwords, which people choose.
    """

    name: str
    digest: bytes = field(repr=False)


def made() -> str:
    """Make a token: 256 random bits, after a prefix by which scanners for secrets know it."""
    return PREFIX + secrets.token_urlsafe(32)


def entry_of(name: str, token: str) -> str:
    """Write the entry NAME:sha256:HEX of a token. ValueError if the name can't be one."""
    if not NAME.fullmatch(name):
        raise ValueError(
            "a token's name has 1 to 64 letters, digits, '.', '_' or '-', and begins with a letter or digit"
        )
    return f"{name}:sha256:{_digest(token).hex()}"


def read_entries(text: str) -> tuple[Entry, ...]:
    """Read NAME:sha256:HEX entries with commas or white space between them.

    One name may have several tokens, so that one can be changed while both are valid. ValueError
    tells the place of a bad entry and never shows it: a token put in by mistake must not get into a log.
    """
    found: list[Entry] = []
    for place, entry in enumerate((part for part in _BETWEEN.split(text) if part), 1):
        name, kind, digest = (*entry.split(":"), "", "")[:3]
        if entry.count(":") != 2 or kind != "sha256" or not NAME.fullmatch(name) or not _HEX.fullmatch(digest):
            raise ValueError(
                f"entry {place} is not NAME:sha256:HEX with 64 hexadecimal digits; `perdollar token NAME` makes one"
            )
        found.append(Entry(name, bytes.fromhex(digest)))
    return refuse_shared(found)


def refuse_shared(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries, each once. ValueError if one token has two names: whose it is would be left to chance."""
    kept = dict.fromkeys(entries)
    owners: dict[bytes, str] = {}
    for entry in kept:
        if owners.setdefault(entry.digest, entry.name) != entry.name:
            raise ValueError(f"{owners[entry.digest]} and {entry.name} have the same token; make one for each")
    return tuple(kept)


def owner_of(token: str, entries: Sequence[Entry]) -> str:
    """Return the name of a token, or '' if it is not valid.

    Every entry is compared in constant time, also after a match, so that the time tells nothing.
    """
    if len(token) > MOST_LENGTH:
        return ""
    digest = _digest(token)
    found = ""
    for entry in entries:
        if hmac.compare_digest(digest, entry.digest):
            found = entry.name
    return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
