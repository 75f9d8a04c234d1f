"""What a model refused, as sentences with field, value and what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pricing.errors import near_matches, shown
from pricing.question import FiltersIn, MeasurementIn, QuestionIn
from pricing.wording import Sentence, say

# What pydantic says, for pages in other languages; its own text is the English one.
PYDANTIC: Mapping[str, str] = {
    "greater_than": "{name}: {value} should be greater than {limit}",
    "greater_than_equal": "{name}: {value} should be greater than or equal to {limit}",
    "less_than": "{name}: {value} should be less than {limit}",
    "less_than_equal": "{name}: {value} should be less than or equal to {limit}",
    "literal_error": "{name}: {value} should be one of {limit}",
    "string_too_long": "{name}: {value} is longer than {limit} characters",
    "string_type": "{name}: {value} should be text",
    "int_type": "{name}: {value} should be a whole number",
    "int_from_float": "{name}: {value} should be a whole number",
    "float_type": "{name}: {value} should be a number",
    "float_parsing": "{name}: {value} should be a number",
    "finite_number": "{name}: {value} should be a finite number",
    "bool_type": "{name}: {value} should be true or false",
}


def sentence(item: Mapping[str, Any], known: Iterable[str] = QuestionIn.model_fields) -> str:
    """Turn one of pydantic's errors into a sentence with field, value and what would be right."""
    loc, kind, value = item["loc"], item["type"], item.get("input")
    name = ".".join(str(part) for part in loc)
    if kind == "missing":
        return say("{name}: is missing", name=name)
    if kind == "extra_forbidden":
        fields = known
        if loc[0] == "measurements":
            fields = MeasurementIn.model_fields
        elif loc[0] == "filters":
            fields = FiltersIn.model_fields
        return say("{name}: is not a field.", name=name) + near_matches(str(loc[-1]), fields)
    if kind == "value_error":
        return say("{name}: {error}", name=name, error=str(item["ctx"]["error"]))
    if kind == "string_pattern_mismatch":
        what = say("an '@', which ends a label,") if "@" in str(value) else say("a control character")
        return say("{name}: {value} holds {what}; remove it", name=name, value=shown(value), what=what)
    text = str(item["msg"]).removeprefix("Input ")
    stated = isinstance(value, (str, int, float, bool, type(None)))
    text = f"{name}: {shown(value)} {text}" if stated else f"{name}: {text}"
    limit = next((limit for limit in item.get("ctx", {}).values() if isinstance(limit, (str, int, float))), "")
    template = PYDANTIC.get(kind) if stated else None
    return Sentence(text, template or text, {"name": name, "value": shown(value), "limit": limit})
