"""Decisions as page, JSON, CSV and POST: the same routes for each, made from what the decision says of itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, get_args, get_origin

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from pydantic.fields import FieldInfo

from app import openapi
from app.bodies import json_body
from app.charts import lines_chart
from app.cli_words import FLAGS, command_line
from app.decided import main_table, shown_on_page, solved_csv, solved_json
from app.exports import in_turns
from app.format import words
from app.languages import translated
from app.openapi_decisions import answer_schema, example_body, link_parameters, question_schema
from app.openapi_parts import ATTACHED, file_of
from app.problems import of_input
from app.service import (
    SEVERAL,
    Pairs,
    Service,
    by_field,
    grouped,
    link,
    linked,
    page,
    query_pairs,
    service_for,
    typed_pairs,
)
from pricing.decisions import DECISIONS, decision_named
from pricing.decisions.asking import from_json, from_pairs, takes_several
from pricing.decisions.decision import Decision, Solved, Table
from pricing.errors import InvalidInputError
from pricing.offers import PURCHASES
from pricing.units import UNITS

router = APIRouter(tags=["decisions"])
Handler = Callable[[Request], Awaitable[Response]]


def _solved(request: Request, asked: Decision) -> Solved:
    try:
        pairs = query_pairs(request)
        return from_pairs(asked, pairs, service_for(request, pairs).reader())
    except InvalidInputError as error:
        raise of_input(error, "query") from error


def _json(asked: Decision) -> Handler:
    async def handler(request: Request) -> Response:
        return Response(solved_json(_solved(request, asked)), media_type="application/json")

    return handler


def _csv(asked: Decision, table: Table | None) -> Handler:
    async def handler(request: Request) -> Response:
        solved = _solved(request, asked)
        name = "-".join(["perdollar", asked.name, *([table.name] if table else []), str(solved.case.question.as_of)])
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return StreamingResponse(
            in_turns(solved_csv(solved, table)), media_type="text/csv; charset=utf-8", headers=headers
        )

    return handler


def _post(asked: Decision) -> Handler:
    async def handler(request: Request) -> Response:
        body = await json_body(request)
        name = body.get("table") if isinstance(body, dict) else None
        try:
            service = service_for(request, [("table", name)] if isinstance(name, str) else [])
            return Response(solved_json(from_json(asked, body, service.reader())), media_type="application/json")
        except InvalidInputError as error:
            raise of_input(error, "body") from error

    return handler


def _page(asked: Decision) -> Handler:
    several = [*SEVERAL, *(name for name, info in asked.inputs.model_fields.items() if takes_several(info))]

    async def handler(request: Request) -> Response:
        pairs: Pairs = typed_pairs(request)
        service = service_for(request, [])
        try:
            pairs = query_pairs(request)
            service = service_for(request, pairs)
            example = not any(v.strip() and n != "table" and not n.startswith("utm_") for n, v in pairs)
            solved = from_pairs(asked, asked.example if example else pairs, service.reader())
        except InvalidInputError as error:
            context = _form(asked, service, pairs) | {"problems": by_field(error.faults, several), "solved": None}
            return page("decision.html", context, status=422)
        context = _form(asked, service, solved.pairs if example else pairs) | _results(solved)
        return page("decision.html", context | {"example": example})

    return handler


def _form(asked: Decision, service: Service, pairs: Pairs) -> dict[str, object]:
    values = grouped(pairs)
    while values.get("m") and not values["m"][-1].strip():
        # The form has a blank row of its own.
        values["m"].pop()
    return {
        "active": "decisions",
        "decision": asked,
        "fields": [_field(name, info) for name, info in asked.inputs.model_fields.items()],
        "details": [(name, openapi.COMPARE_DOCS[name]) for name in asked.takes if name in SHOWN_AS_TEXT],
        "values": values,
        "problems": {},
        "unit_options": [(unit.id, translated(unit.cost_unit)) for unit in UNITS.values()],
        "purchases": PURCHASES,
        "areas": service.catalogue.area_names(),
        "providers": service.table.values("provider"),
        "accelerators": list(service.catalogue.accelerators),
        "example": False,
        "others": [(name, said) for name, (_, said) in DECISIONS.items() if name != asked.name],
    }


# Parameters of a comparison that the form takes as text, one field each.
SHOWN_AS_TEXT = ("region", "quote", "discount", "spot_loss", "accept", "as_of")


def _field(name: str, info: FieldInfo) -> dict[str, object]:
    """Describe an input for the form."""
    kinds = [info.annotation, *get_args(info.annotation)]
    choices = next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())
    blank = [] if info.default in choices else [("", "")]
    return {
        "name": name,
        "label": info.title or name,
        "doc": info.description or "",
        "example": str((info.examples or [""])[0]),
        "options": [*blank, *((choice, words(str(choice))) for choice in choices)] if choices else [],
        "default": "" if info.default is None or info.default == () else str(info.default),
        "several": takes_several(info),
        "flag": bool in kinds,
        "long": bool(info.json_schema_extra),
    }


def _results(solved: Solved) -> dict[str, object]:
    asked, pairs, unit = solved.decision, solved.pairs, solved.case.question.unit
    values = solved.result.values
    flags = [*FLAGS, *(name for name, info in asked.inputs.model_fields.items() if info.annotation is bool)]
    return {
        "solved": solved,
        "unit": unit,
        "figures": [
            (each, each.shown_unit(unit), values[each.name])
            for each in asked.figures
            if values.get(each.name) is not None
        ],
        "tables": [
            (
                table,
                [(column, column.shown_unit(unit)) for column in table.columns],
                rows,
                _csv_link(asked, table, pairs),
            )
            for table in asked.tables
            if (rows := solved.result.rows.get(table.name, ()))
        ],
        "shown_on_page": shown_on_page,
        "chart": lines_chart(solved.result.chart) if solved.result.chart else None,
        "address": link(f"/{asked.name}", pairs),
        "json_link": link(f"/{asked.name}.json", pairs),
        "csv_link": link(f"/{asked.name}.csv", pairs),
        "receipt_link": link(f"/{asked.name}/receipt.json", pairs),
        "command": command_line(pairs, asked.name, flags),
        "compare_link": _compare_link(solved),
    }


def _csv_link(asked: Decision, table: Table, pairs: Pairs) -> str:
    return link(f"/{asked.name}.csv" if table.name == asked.main else f"/{asked.name}/{table.name}.csv", pairs)


def _compare_link(solved: Solved) -> str | None:
    if not solved.case.question.measurements:
        return None
    return link("/compare", linked(solved.case.question.pairs))


def _add(asked: Decision) -> None:
    documented: dict[str, Any] = {"parameters": link_parameters(asked)}
    name = asked.name
    content = {"application/json": {"schema": answer_schema(asked)}}
    answer: dict[int | str, dict[str, Any]] = {200: {"content": content, "description": asked.title}}
    add = router.add_api_route
    add(f"/{name}", _page(asked), include_in_schema=False)
    add(
        f"/{name}.json", _json(asked), responses={**answer, **openapi.PROBLEMS}, openapi_extra=documented,
        summary=f"{asked.title} As JSON", description=asked.intro,
    )  # fmt: skip
    for table in (None, *asked.tables):
        main = main_table(asked)
        path = f"/{name}/{table.name}.csv" if table else f"/{name}.csv"
        shown = table or main
        add(
            path, _csv(asked, shown), response_class=StreamingResponse,
            responses={
                **file_of("text/csv", shown.title if shown else "The figures.", headers=ATTACHED),
                **openapi.PROBLEMS,
            },
            openapi_extra=documented, summary=f"{shown.title if shown else asked.title} As CSV",
            description=(shown.note or shown.title) if shown else asked.intro,
        )  # fmt: skip
    add(
        f"/api/v1/{name}", _post(asked), methods=["POST"],
        responses={**answer, **openapi.PROBLEMS, **openapi.UNSUPPORTED}, summary=f"{asked.title} Question as JSON",
        description=asked.intro,
        openapi_extra={"requestBody": {"required": True, "content": {"application/json": {
            "schema": question_schema(asked), "examples": {"the worked example": {"value": example_body(asked)}}}}}},
    )  # fmt: skip


@router.get("/decisions", include_in_schema=False)
async def decisions_page(request: Request) -> Response:
    """List the decisions."""
    return page("decisions.html", {"active": "decisions", "decisions": [decision_named(name) for name in DECISIONS]})


for _name in DECISIONS:
    _add(decision_named(_name))
