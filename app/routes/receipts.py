"""Receipts of every answer: as a link, and for a question given as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app import openapi
from app.bodies import json_body
from app.openapi_decisions import example_body, link_parameters, question_schema
from app.openapi_links import of_receipt
from app.openapi_parts import ATTACHED, json_of
from app.problems import of_input
from app.receipts import COMPARE, receipt_of
from app.service import query_pairs, service_for
from pricing.decisions import DECISIONS, decision_named
from pricing.errors import InvalidInputError

router = APIRouter(tags=["receipts"])
_DESCRIPTION = (
    "Give the question, the price rows behind the answer with source and date, the answer, the version of the formulas "
    "and a SHA-256 over all of it; `perdollar verify` works it out again."
)


def _answer(receipt: bytes, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="perdollar-{kind}.receipt.json"'}
    return Response(receipt, media_type="application/json", headers=headers)


def _add(kind: str) -> None:
    async def linked(request: Request) -> Response:
        try:
            pairs = query_pairs(request)
            return _answer(receipt_of(kind, pairs, service_for(request, pairs).reader()), kind)
        except InvalidInputError as error:
            raise of_input(error, "query") from error

    async def posted(request: Request) -> Response:
        body = await json_body(request)
        try:
            if not isinstance(body, dict):
                raise InvalidInputError.at((), "the body must be a JSON object")
            name = body.get("table")
            service = service_for(request, [("table", name)] if isinstance(name, str) else [])
            return _answer(receipt_of(kind, body, service.reader()), kind)
        except InvalidInputError as error:
            raise of_input(error, "body") from error

    if kind == COMPARE:
        described = openapi.compare_parameters()
        content: dict[str, Any] = {"schema": {"$ref": "#/components/schemas/QuestionIn"}}
        example = openapi.EXAMPLE_BODY
    else:
        asked = decision_named(kind)
        described = link_parameters(asked)
        content, example = {"schema": question_schema(asked)}, example_body(asked)
    content["examples"] = {"the worked example": {"value": example}}
    parameters: dict[str, Any] = {"parameters": described}
    answer = json_of("ReceiptOut", "The receipt.", headers=ATTACHED)
    asked_again: dict[int | str, Any] = {200: answer[200] | {"links": of_receipt(kind)}}
    body: dict[str, Any] = {"requestBody": {"required": True, "content": {"application/json": content}}}
    router.add_api_route(
        f"/{kind}/receipt.json", linked, responses={**answer, **openapi.PROBLEMS}, openapi_extra=parameters,
        summary=f"Receipt of {kind}", description=_DESCRIPTION,
    )  # fmt: skip
    router.add_api_route(
        f"/api/v1/{kind}/receipt", posted, methods=["POST"],
        responses={**asked_again, **openapi.PROBLEMS, **openapi.UNSUPPORTED}, openapi_extra=body,
        summary=f"Receipt of {kind}, question as JSON", description=_DESCRIPTION,
    )  # fmt: skip


for _kind in (COMPARE, *DECISIONS):
    _add(_kind)
