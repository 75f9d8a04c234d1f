"""What /docs and /openapi.json say of decisions, from their own lists of inputs and figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from app.openapi import (
    COMPARE_DOCS,
    DifferenceOut,
    PricesOut,
    PriceUsedOut,
    WarningOut,
    detail_parameters,
    parameters,
)
from app.openapi_parts import FLAG, TEXT, Schema, one_of
from pricing.decisions import DECISIONS, decision_named
from pricing.decisions.asking import json_fields, takes_several
from pricing.decisions.decision import Decision, Figure
from pricing.notation import parse
from pricing.parameters import LIST_PARAMETERS, is_detail
from pricing.question import QuestionIn
from pricing.units import unit_named

_TYPES: dict[str, Any] = {
    "number": float, "usd": float, "share": float, "whole": int, "text": str, "date": date, "boolean": bool,
}  # fmt: skip


def _title(decision: Decision) -> str:
    return "".join(part.capitalize() for part in decision.name.split("-"))


def answer_schema(decision: Decision) -> dict[str, str]:
    """Return a reference to the schema of its answer; the schema itself is made with the document."""
    return {"$ref": f"#/components/schemas/{_title(decision)}Answer"}


def question_schema(decision: Decision) -> dict[str, str]:
    """Return a reference to the schema of its POST's body."""
    return {"$ref": f"#/components/schemas/{_title(decision)}Question"}


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas of all decisions' questions and answers by name.

    They take a tenth of a second to make, so that they wait until somebody asks for the document.
    """
    found: dict[str, dict[str, Any]] = {}
    for name in DECISIONS:
        decision = decision_named(name)
        schema = answer_model(decision).model_json_schema(ref_template="#/components/schemas/{model}")
        found.update(schema.pop("$defs", {}))
        found[f"{_title(decision)}Answer"] = schema
        found[f"{_title(decision)}Question"] = body_schema(decision)
    return found


def answer_model(decision: Decision) -> type[BaseModel]:
    """Describe the decision's JSON for OpenAPI."""

    def of(name: str, figures: Sequence[Figure]) -> type[BaseModel]:
        fields: dict[str, Any] = {
            each.name: (_TYPES[each.kind] | None, Field(description=f"{each.label}. {each.doc}".strip()))
            for each in figures
        }
        return create_model(name, **fields)

    title = _title(decision)
    tables: dict[str, Any] = {
        table.name: (
            list[of(f"{title}{table.name.capitalize()}", table.columns)],  # type: ignore[misc]
            Field(description=table.title),
        )
        for table in decision.tables
    }
    verdicts = "; ".join(f"{name}: {meaning}" for name, meaning in decision.verdicts.items())
    return create_model(
        f"{title}Answer",
        __doc__=decision.title,
        decision=(str, Field(description="Name of the decision.")),
        as_of=(date, Field(description="The date whose prices are used.")),
        unit=(str, Field(description="What is counted.")),
        cost_unit=(str, Field(description="What the costs are quoted for.")),
        verdict=(str | None, Field(description=verdicts or "None: this decision gives figures alone.")),
        statement=(list[str], Field(description="The answer in sentences.")),
        figures=(of(f"{title}Figures", decision.figures), Field(description="The figures, null where unknown.")),
        tables=(create_model(f"{title}Tables", **tables), Field(description="Tables, one mapping a row.")),
        prices_used=(list[PriceUsedOut], Field(description="The prices that the statement and the figures rest on.")),
        comparability=(list[DifferenceOut], Field(description="In what the measurements differ.")),
        warnings=(list[WarningOut], Field(description="What to know: code, message.")),
        prices=(PricesOut, Field(description="Rows, dates and hash of the price table.")),
        question=(list[list[str]], Field(description="What was asked, as name-value pairs of a link.")),
    )


def body_schema(decision: Decision) -> dict[str, Any]:
    """Describe the body of its POST route: its inputs beside the fields of a comparison that it takes."""
    own, question = (
        model.model_json_schema(ref_template="#/components/schemas/{model}") for model in (decision.inputs, QuestionIn)
    )
    properties = dict(own.get("properties", {}))
    properties |= {name: question["properties"][name] for name in json_fields(decision)}
    least, most = decision.measurements
    if "measurements" in properties:
        properties["measurements"] = properties["measurements"] | {"minItems": least, "maxItems": most}
    required = [*own.get("required", []), *(("measurements",) if least else ())]
    if least and not decision.unit:
        required.append("unit")
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def link_parameters(decision: Decision) -> list[dict[str, Any]]:
    """Describe the parameters of its links: its own as text, and those of a comparison that it takes."""
    required = [name for name, info in decision.inputs.model_fields.items() if info.is_required()]
    if decision.measurements[0]:
        required += ["m"] if decision.unit else ["unit", "m"]
    own = {name: _value(info) for name, info in decision.inputs.model_fields.items()}
    described = parameters(parameter_docs(decision), required, own)
    return [*described, *(detail_parameters() if "m" in decision.takes else [])]


def _value(info: FieldInfo) -> Schema:
    kinds = [info.annotation, *get_args(info.annotation)]
    choices = next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())
    if choices:
        return one_of(choices)
    return FLAG if bool in kinds else TEXT


def example_body(decision: Decision) -> dict[str, Any]:
    """Return its worked example as the body of a POST."""
    body: dict[str, Any] = {}
    own = decision.inputs.model_fields
    unit = unit_named(dict(decision.example).get("unit", "output_token"))
    for name, value in decision.example:
        if name == "m":
            read = parse(value, unit)
            measurement = {"hardware": read.hardware, "rates": {field: r.value for field, r in read.rates.items()}}
            body.setdefault("measurements", []).append(measurement | ({"label": read.label} if read.label else {}))
        elif is_detail(name):
            place, _, detail = name[1:].partition(".")
            body["measurements"][int(place) - 1][detail] = value
        elif name in LIST_PARAMETERS:
            body.setdefault("filters", {}).setdefault(name, []).append(value)
        elif name in own and takes_several(own[name]):
            body.setdefault(name, []).append(value)
        elif name == "quote":
            body.setdefault("quotes", []).append(value)
        else:
            body[name] = value
    return body


def parameter_docs(decision: Decision) -> dict[str, tuple[str, str, bool]]:
    """Describe the parameters of its link: its own, and those of a comparison that it takes."""
    own = {
        name: (f"{info.title}. {info.description}", str((info.examples or [""])[0]), takes_several(info))
        for name, info in decision.inputs.model_fields.items()
    }
    return own | {name: COMPARE_DOCS[name] for name in decision.takes if name in COMPARE_DOCS}
