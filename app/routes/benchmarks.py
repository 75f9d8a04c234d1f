"""Result files of benchmark tools: what is read in them, and the way from there to a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from app import openapi
from app.exports import dumps
from app.format import sentence
from app.languages import translated
from app.openapi_links import OF_RUNS
from app.openapi_parts import json_of
from app.problems import of_input
from app.service import link, page, service_of
from app.uploads import Part, documents_of, uploaded, worked_on
from pricing.accelerators import Catalogue
from pricing.benchmarks.reading import ENDINGS, FORMATS, read_benchmark, read_benchmarks
from pricing.benchmarks.result import FLAGS
from pricing.benchmarks.usage import curves_of, hardware_of, pairs_of, point_of, unit_of
from pricing.errors import Fault, InvalidInputError
from pricing.sources.document import Document
from pricing.units import UNITS, unit_named
from pricing.wording import say

router = APIRouter(tags=["benchmarks"])
MOST_RUNS = 200
_DOCS = openapi.upload("One or more result files, or a zip of them.")
Read = tuple[list[dict[str, Any]], list[Fault]]


def _read(parts: Sequence[Part], catalogue: Catalogue) -> Read:
    """Read the files of an upload; InvalidInputError if none of them can be read."""
    documents: list[Document] = []
    faults: list[Fault] = []
    for part in parts:
        try:
            documents += documents_of(part, ENDINGS)
        except InvalidInputError as error:
            faults += error.faults
    files, errors = read_benchmarks(documents, catalogue)
    faults += [fault for error in errors for fault in error.faults]
    if not files:
        raise InvalidInputError(
            faults or [Fault(("file",), say("there is no file that could be a benchmark's result"))]
        )
    return files, faults


async def _uploaded(request: Request) -> Read:
    parts, _ = await uploaded(request, ())
    return await worked_on(parts, _read, parts, service_of(request).catalogue)


@router.post(
    "/api/v1/benchmarks/read",
    responses={
        **json_of("BenchmarksOut", "The runs.", links=OF_RUNS),
        **openapi.PROBLEMS,
        **openapi.UNSUPPORTED,
    },
    openapi_extra=_DOCS,
    summary="Read result files of benchmark tools",
)
async def read_json(request: Request) -> Response:
    """Return the runs of each file: rates of the whole system per second, latencies in seconds, null for unknown."""
    try:
        files, faults = await _uploaded(request)
    except InvalidInputError as error:
        raise of_input(error, "body") from error
    return Response(dumps({"files": files, "failed": faults}), media_type="application/json")


@router.get("/benchmarks", include_in_schema=False)
async def form(request: Request) -> Response:
    """Show the form."""
    return _page([], [])


@router.post("/benchmarks", include_in_schema=False)
async def preview(request: Request) -> Response:
    """Show what was read, to be corrected and used."""
    try:
        files, faults = await _uploaded(request)
    except InvalidInputError as error:
        return _page([], error.faults, status=422)
    return _page(files, faults)


def _page(files: list[dict[str, Any]], faults: Sequence[Fault], status: int = 200) -> Response:
    runs = [run for each in files for run in each["measurements"]]
    context = {
        "active": "benchmarks",
        "formats": [module.WHAT for module in FORMATS],
        "files": files,
        "faults": faults,
        "problems": {"": Markup(" ").join(sentence(fault.msg) for fault in faults)} if faults and not files else {},
        "runs": [
            {"run": run, "hardware": hardware_of(run), "point": point_of(run), "text": dumps(run).decode()}
            for run in runs[:MOST_RUNS]
        ],
        "beyond": max(len(runs) - MOST_RUNS, 0),
        "unit": unit_of(runs).id if runs else "output_token",
        "unit_options": [(unit.id, translated(unit.cost_unit)) for unit in UNITS.values()],
        "flags": FLAGS,
    }
    return page("benchmarks.html", context, status=status)


@router.post("/benchmarks/use", include_in_schema=False)
async def use(request: Request) -> Response:
    """Lead to the comparison of the runs that were chosen; what is missing in them is asked for there."""
    async with request.form(max_fields=MOST_RUNS * 3 + 10, max_files=0) as form:
        chosen = [place for place in range(MOST_RUNS) if form.get(f"use-{place}")]
        runs = [(str(form.get(f"run-{place}", "")), str(form.get(f"hardware-{place}", "")).strip()) for place in chosen]
        common = str(form.get("hardware") or "").strip()
        unit_id = str(form.get("unit") or "output_token")
    try:
        unit = unit_named(unit_id)
        read: list[tuple[dict[str, Any], str]] = []
        for text, hardware in runs:
            document = Document.of_bytes("run.json", b'{"measurements":[' + text.encode() + b"]}")
            findings = read_benchmark(document, service_of(request).catalogue)
            read += [(run.as_dict(), hardware or common) for run in findings.measurements[:1]]
        if not read:
            raise InvalidInputError.at((), say("no run is chosen"))
        pairs = [("unit", unit.id)]
        curves = curves_of([run for run, _ in read], [hardware for _, hardware in read])
        for place, ((run, hardware), curve) in enumerate(zip(read, curves, strict=True), 1):
            # A run by itself is no curve.
            pairs += pairs_of(run, place, hardware, unit, curve if curves.count(curve) > 1 else "")
        pairs.append(("purchase", "on_demand"))
        return RedirectResponse(link("/compare", pairs), status_code=303)
    except ValueError as error:
        # A form that was written by hand may hold anything.
        faults = error.faults if isinstance(error, InvalidInputError) else [Fault((), str(error))]
        return _page([], faults, status=422)
