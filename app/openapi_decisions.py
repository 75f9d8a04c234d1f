"""What /docs and /openapi.json say of decisions, from their own lists of inputs and figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from pydantic import BaseModel, Field, create_model

from app.openapi import COMPARE_DOCS, DifferenceOut, PricesOut, WarningOut
from pricing.decisions.asking import json_fields, takes_several
from pricing.decisions.decision import Decision, Figure

_TYPES: dict[str, Any] = {
    "number": float, "usd": float, "share": float, "whole": int, "text": str, "date": date, "boolean": bool,
}  # fmt: skip


def answer_model(decision: Decision) -> type[BaseModel]:
    """Describe the decision's JSON for OpenAPI."""

    def of(name: str, figures: Sequence[Figure]) -> type[BaseModel]:
        fields: dict[str, Any] = {
            each.name: (_TYPES[each.kind] | None, Field(description=f"{each.label}. {each.doc}".strip()))
            for each in figures
        }
        return create_model(name, **fields)

    title = "".join(part.capitalize() for part in decision.name.split("-"))
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
        comparability=(list[DifferenceOut], Field(description="In what the measurements differ.")),
        warnings=(list[WarningOut], Field(description="What to know: code, message.")),
        prices=(PricesOut, Field(description="Rows, dates and hash of the price table.")),
        question=(list[list[str]], Field(description="What was asked, as name-value pairs of a link.")),
    )


def body_schema(decision: Decision) -> dict[str, Any]:
    """Describe the body of its POST route: its inputs beside the fields of a comparison that it takes."""
    schema = decision.inputs.model_json_schema()
    properties = dict(schema.get("properties", {}))
    for name in json_fields(decision):
        properties[name] = {"$ref": f"#/components/schemas/QuestionIn/properties/{name}"}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def parameter_docs(decision: Decision) -> dict[str, tuple[str, str, bool]]:
    """Describe the parameters of its link: its own, and those of a comparison that it takes."""
    own = {
        name: (f"{info.title}. {info.description}", str((info.examples or [""])[0]), takes_several(info))
        for name, info in decision.inputs.model_fields.items()
    }
    return own | {name: COMPARE_DOCS[name] for name in decision.takes if name in COMPARE_DOCS}
