"""Parts of the OpenAPI document: what a parameter may hold, and what answers other than JSON are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pricing.changes import KINDS, MOST_CHANGES
from pricing.comparability import ACCEPTED
from pricing.measurements import LATENCIES
from pricing.offers import AVAILABILITY, EVIDENCE, PURCHASES
from pricing.question import MOST_LIMIT, MOST_OFFSET
from pricing.units import UNITS

Schema = dict[str, Any]
# No control character stands in a query.
TEXT: Schema = {"type": "string", "pattern": r"^[^\x00-\x1f\x7f]*$"}
DAY: Schema = {"type": "string", "format": "date"}
FLAG: Schema = {"type": "string", "enum": ["1", "0", "true", "false"]}
NUMBER: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e12}
# The name of an uploaded table says nothing but what its content is.
TABLE_NAME: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
HOW_KNOWN = ("measured", "published", "claimed", "assumed")


def one_of(names: Iterable[str]) -> Schema:
    """Describe a value of a closed list."""
    return {"type": "string", "enum": list(names)}


def whole(least: int, most: int) -> Schema:
    """Describe a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most}


# What single parameters may hold, whichever address they stand in; any other is text.
_VALUES: Mapping[str, Schema] = {
    "unit": one_of(UNITS),
    "purchase": one_of(PURCHASES),
    "availability": one_of(AVAILABILITY),
    "kind": one_of(KINDS),
    "accept": one_of(ACCEPTED),
    "evidence": one_of(HOW_KNOWN),
    "term_months": whole(1, 1200),
    "max_accelerators": whole(1, 100_000),
    "max_age_days": whole(1, 100_000),
    "max_price_usd_per_hour": NUMBER,
    "limit": whole(1, MOST_LIMIT),
    "offset": whole(0, MOST_OFFSET),
    "as_of": DAY,
    "since": DAY,
    # As in all forms, a blank field is one that is not there.
    "table": {"type": "string", "pattern": "^([0-9a-f]{32})?$"},
    **dict.fromkeys(("include_unconfirmed", "all_sizes", "interpolate", "history"), FLAG),
    "rates_count": one_of(("attempted", "successful")),
    **dict.fromkeys(("concurrency", "input_tokens", "output_tokens", *LATENCIES), NUMBER),
}
BROWSED: Mapping[str, Schema] = {"evidence": one_of(EVIDENCE)}
CHANGED: Mapping[str, Schema] = {"limit": whole(1, MOST_CHANGES)}


def value_of(name: str, own: Mapping[str, Schema]) -> Schema:
    """Return the schema of one value of a parameter; `own` are those of its address."""
    return own.get(name) or _VALUES.get(name) or TEXT


def header(description: str, value: Schema | None = None) -> dict[str, Any]:
    """Describe a header that every such answer has."""
    return {"description": description, "required": True, "schema": value or {"type": "string"}}


ATTACHED = {"Content-Disposition": header("The name of the file, in ASCII.")}


def file_of(
    kind: str, description: str, *, binary: bool = False, headers: Mapping[str, Any] | None = None
) -> dict[int | str, dict[str, Any]]:
    """Describe an answer that is a file: text, or bytes where `binary`."""
    schema = {"type": "string", "format": "binary"} if binary else {"type": "string"}
    answer: dict[str, Any] = {"description": description, "content": {kind: {"schema": schema}}}
    return {200: answer | ({"headers": dict(headers)} if headers else {})}


def json_of(model: str, description: str, **more: Any) -> dict[int | str, dict[str, Any]]:
    """Describe an answer in JSON by the name of its schema; `more` are its headers and links."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}
    return {200: {"description": description, "content": content, **more}}
