"""Examples from published figures: what a first visit shows, and the links that fill in the form."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson

from app.service import Pairs, link
from pricing.accelerators import DATA
from pricing.decisions import decision_named
from pricing.reading import Reader

_FILES = {"tokens": "example.json", "audio": "example_audio.json"}
# A preset's parameters do not depend on the prices, so that they are written once.
_pairs: dict[str, Pairs] = {}


@cache
def preset_body(name: str = "tokens") -> dict[str, Any]:
    """Read a worked example: a question with published figures and their source, as the API takes it."""
    body: dict[str, Any] = orjson.loads((DATA / _FILES[name]).read_bytes())
    return body


def preset_pairs(reader: Reader) -> dict[str, Pairs]:
    """Return the parameters of each example, by name."""
    for name in _FILES:
        if name not in _pairs:
            _pairs[name] = reader.from_json(preset_body(name)).pairs
    return _pairs


def preset_links(reader: Reader) -> dict[str, str]:
    """Return the address of each example, the claim's as well."""
    links = {name: link("/compare", pairs) for name, pairs in preset_pairs(reader).items()}
    return {**links, "claim": link("/claim", decision_named("claim").example)}


def published_rows(pairs: Pairs, reader: Reader) -> set[int]:
    """Return the places, from 1, of measurements that stand in the form as an example has them, source included."""
    given = [value for name, value in pairs if name == "m"]
    details = set(pairs)
    return {
        place
        for example in preset_pairs(reader).values()
        for place, text in enumerate((value for name, value in example if name == "m"), 1)
        if given[place - 1 : place] == [text]
        and all(pair in details for pair in example if pair[0] == f"m{place}.source")
    }
