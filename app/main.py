"""The web app. Nothing happens at import: create_app reads the tables and puts the parts together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect

from app.access import Access, refuse_public
from app.guard import Guard
from app.languages import Languages
from app.logs import REQUEST_ID
from app.observed import Observed, route_of
from app.openapi import AnswerOut, FaultOut, ProblemOut
from app.openapi_access import secure
from app.openapi_answers import MODELS
from app.openapi_decisions import schemas as decision_schemas
from app.openapi_links import operation_id
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
    health,
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
from app.shelf import Folder, Memory, Shelf
from app.slow import SlowBodies
from app.tables import refreshed_files
from app.views import Views, open_views
from app.watch import Watch
from pricing.accelerators import catalogue
from pricing.question import QuestionIn

log = logging.getLogger("perdollar")
DESCRIPTION = (
    "What a million tokens or an hour of audio costs on each cloud and instance type, from a table of dated prices and "
    "your own throughput. The page, the JSON, the CSV and the command line give the same answer to the same question."
)


def create_app(
    settings: Settings | None = None,
    private: Sequence[Path] = (),
    *,
    known: Callable[[], Views] | None = None,
    uploads: Path | None = None,
) -> FastAPI:
    """Make the app. `private` tables come besides those of the settings; a bad one is refused here.

    `known` gives the tables with which the app begins where the files can't be read. `uploads`
    is a folder in which several workers share uploaded tables.

    For whom it is (this machine alone, tokens, everybody) is told by `settings.host` and the tokens.
    InvalidInputError refuses settings that would show private tables to everybody.
    """
    settings = settings or Settings()
    tables = (*settings.tables, *(PrivateTable(path) for path in private))
    tokens = settings.known_tokens()
    refuse_public(settings, tables, tokens)
    names = sorted({entry.name for entry in tokens})
    public = settings.public_prices or (settings.local and not tokens)
    shelf, rates = Shelf(Folder(uploads) if uploads else Memory()), Rates(settings)

    def of_views(views: Views) -> Service:
        return Service(settings, views[0], catalogue(), shelf, views[1])

    def load() -> Service:
        return of_views(open_views(tables, refreshed_files(settings.folder), names, public=public))

    private = [table.path for table in tables]
    watch = Watch(load, private, lambda: refreshed_files(settings.folder), settings.watch_seconds)
    app = FastAPI(
        lifespan=watch.lifespan,
        title="PerDollar",
        version="1",
        description=DESCRIPTION,
        generate_unique_id_function=lambda route: operation_id(route.path_format, *sorted(route.methods or ())),
        docs_url=None,
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    app.state.service, app.state.watch = watch.begin((lambda: of_views(known())) if known else None), watch
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
        health,
        signing,
    ):
        app.include_router(resource.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Access, settings=settings, tokens=tokens, rates=rates, refuse=_answer)
    app.add_middleware(Languages)
    # Each chunk of a stream is flushed, so that an export's first rows still come at once.
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(SlowBodies, settings=settings)
    app.add_middleware(Guard, settings=settings, rates=rates)
    app.add_middleware(Observed)
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _gone)
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
            for model in (QuestionIn, AnswerOut, ProblemOut, FaultOut, *MODELS):
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


async def _gone(request: Request, error: Exception) -> Response:
    """Answer nobody: the client went away before its body was there. 499 is nginx' name for it."""
    return Response(status_code=499)


async def _failure(request: Request, error: Exception) -> Response:
    # The path of an address may be long, and hold what breaks a line.
    log.error("request failed: %s %s", request.method, route_of(request.scope), exc_info=error)
    return _answer(request, ProblemError(500, DETAILS[500], headers={"X-Request-ID": REQUEST_ID.get()}))
