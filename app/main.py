"""The web app. Nothing happens at import: create_app reads the tables and puts the parts together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from app.access import Access, refuse_public
from app.guard import Guard
from app.languages import Languages
from app.openapi import AnswerOut, FaultOut, ProblemOut
from app.openapi_access import secure
from app.openapi_decisions import schemas as decision_schemas
from app.problems import DETAILS, ProblemError, json_response, wants_page
from app.rates import Rates
from app.routes import (
    about,
    accelerators,
    benchmarks,
    changes,
    compare,
    compare_data,
    decisions,
    imports,
    pick,
    pictures,
    prices,
    receipts,
    refresh,
    signing,
)
from app.service import STATIC, Service, page
from app.settings import PrivateTable, Settings
from app.shelf import Shelf
from app.tables import refreshed_files
from app.views import open_views
from app.watch import watching
from pricing.accelerators import catalogue
from pricing.question import QuestionIn

log = logging.getLogger("perdollar")
DESCRIPTION = (
    "What a million tokens or an hour of audio costs on each cloud and instance type, from a table of dated prices and "
    "your own throughput. The page, the JSON, the CSV and the command line give the same answer to the same question."
)


def create_app(settings: Settings | None = None, private: Sequence[Path] = ()) -> FastAPI:
    """Make the app. `private` tables come besides those of the settings; a bad one is refused here.

    For whom it is (this machine alone, tokens, everybody) is told by `settings.host` and the tokens.
    InvalidInputError refuses settings that would show private tables to everybody.
    """
    settings = settings or Settings()
    tables = (*settings.tables, *(PrivateTable(path) for path in private))
    tokens = settings.known_tokens()
    refuse_public(settings, tables, tokens)
    names = sorted({entry.name for entry in tokens})
    public = settings.public_prices or (settings.local and not tokens)
    shelf, rates = Shelf(), Rates(settings)

    def load() -> Service:
        table, views = open_views(tables, refreshed_files(settings.folder), names, public=public)
        return Service(settings, table, catalogue(), shelf, views)

    def files() -> list[Path]:
        return [*(table.path for table in tables), *refreshed_files(settings.folder)]

    app = FastAPI(
        lifespan=watching(load, files),
        title="PerDollar",
        version="1",
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    app.state.service, app.state.load, app.state.reading = load(), load, asyncio.Lock()
    app.state.tables, app.state.tokens, app.state.rates = tables, tokens, rates
    for resource in (
        compare,
        compare_data,
        pick,
        decisions,
        pictures,
        receipts,
        benchmarks,
        imports,
        refresh,
        changes,
        prices,
        accelerators,
        about,
        signing,
    ):
        app.include_router(resource.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Access, settings=settings, tokens=tokens, rates=rates, refuse=_answer)
    app.add_middleware(Languages)
    # Each chunk of a stream is flushed, so that an export's first rows still come at once.
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, settings=settings, rates=rates)
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _failure)
    _document(app, guarded=bool(tokens))
    return app


def _document(app: FastAPI, *, guarded: bool) -> None:
    """Add the schemas of bodies that are read and written without FastAPI's own models, and what needs a token."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = made()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            for model in (QuestionIn, AnswerOut, ProblemOut, FaultOut):
                schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas.update(schema.pop("$defs", {}))
                schemas[model.__name__] = schema
            schemas.update(decision_schemas())
            secure(document, guarded=guarded)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _answer(request: Request, problem: ProblemError) -> Response:
    if not wants_page(request):
        return json_response(problem)
    if problem.status == 401:
        return signing.form_page(request, problem.detail, problem.headers)
    context = {"active": "", "problem": problem}
    return page("problem.html", context, status=problem.status, headers=problem.headers)


async def _problem(request: Request, error: Exception) -> Response:
    return _answer(request, cast(ProblemError, error))


async def _http_error(request: Request, error: Exception) -> Response:
    refused = cast(HTTPException, error)
    detail = DETAILS.get(refused.status_code, str(refused.detail))
    return _answer(request, ProblemError(refused.status_code, detail, headers=refused.headers))


async def _failure(request: Request, error: Exception) -> Response:
    log.error("request failed: %s %s", request.method, request.url.path, exc_info=error)
    return _answer(request, ProblemError(500, DETAILS[500]))
