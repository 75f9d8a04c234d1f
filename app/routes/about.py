"""Pages about the tool itself: the method and the API's documentation."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from app.format import sentence
from app.languages import COOKIE, LANGUAGES, gettext
from app.problems import ProblemError
from app.service import link, page, service_of, way_back
from pricing.accelerators import UnknownNameError
from pricing.columns import COLUMNS
from pricing.decisions import DECISIONS, decision_named
from pricing.devices import recipes
from pricing.flags import FLAGS
from pricing.matching import REASONS
from pricing.units import HOURS_PER_MONTH, HOURS_PER_YEAR, UNITS
from pricing.wording import say

router = APIRouter(tags=["about"])
EXAMPLES = {
    f"/{name}{ending}": f"/{name}{ending}?{query}"
    for name, query in (
        ("compare", "unit=output_token&m=H100-SXM:8=5200&m=Trainium2:16=4100&purchase=on_demand&purchase=spot"),
        ("prices", "accelerator=H100&area=europe&sort=price_usd_per_accelerator_hour"),
        ("accelerators", "vendor=aws&sort=-memory_gib"),
    )
    for ending in (".json", ".csv", *((".svg", ".png") if name == "compare" else ()))
} | {"/healthz": "/healthz", "/readyz": "/readyz"}
EXAMPLES |= {
    f"/{name}{ending}": link(f"/{name}{ending}", decision_named(name).example)
    for name in DECISIONS
    for ending in (
        *(".json", ".csv", *(f"/{table.name}.csv" for table in decision_named(name).tables)),
        *((".svg", ".png") if decision_named(name).chart else ()),
    )
}


@router.get("/method", include_in_schema=False)
async def method(request: Request) -> Response:
    """Show the formulas in plain words, with a worked example."""
    context = {
        "active": "method",
        "units": UNITS,
        "flags": FLAGS,
        "reasons": REASONS,
        "columns": COLUMNS,
        "hours_per_month": HOURS_PER_MONTH,
        "hours_per_year": HOURS_PER_YEAR,
        "providers": service_of(request).catalogue.providers.values(),
    }
    return page("method.html", context)


@router.post("/language", include_in_schema=False)
async def language(request: Request) -> Response:
    """Keep the language that a reader chose, and go back to the page where the switch was used."""
    form = await request.form(max_files=0, max_fields=5)
    name = form.get("to")
    if not isinstance(name, str) or name not in LANGUAGES:
        raise ProblemError(422, say("There are pages in {languages} only.", languages=", ".join(LANGUAGES)))
    answer = RedirectResponse(way_back(request.headers.get("referer", "")), 303)
    answer.set_cookie(COOKIE, name, max_age=365 * 86400, samesite="lax", httponly=True)
    return answer


@router.get("/measure", include_in_schema=False)
async def measure(request: Request) -> Response:
    """Show what to run on each accelerator to get a measurement."""
    catalogue = service_of(request).catalogue
    found = recipes(catalogue)
    chosen = request.query_params.get("accelerator", "").strip()
    context: dict[str, object] = {
        "active": "measure",
        "options": [("", gettext("all kinds")), *((recipe.accelerator, recipe.accelerator) for recipe in found)],
        "chosen": chosen,
        "recipes": [],
        "problems": {},
    }
    if chosen:
        try:
            names = catalogue.family_of(chosen)
        except UnknownNameError as error:
            return page("measure.html", context | {"problems": {"accelerator": sentence(str(error))}}, status=422)
        context["recipes"] = [recipe for recipe in found if recipe.accelerator in names]
    else:
        # One of each kind of device, in the order of the table.
        context["recipes"] = list({recipe.device.device: recipe for recipe in reversed(found)}.values())[::-1]
    return page("measure.html", context)


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """Show the API's documentation, made from the OpenAPI document."""
    document = request.app.openapi()
    operations = [
        (path, verb.upper(), operation)
        for path, verbs in document["paths"].items()
        for verb, operation in verbs.items()
    ]
    context = {
        "active": "docs",
        "operations": operations,
        "schemas": document["components"]["schemas"],
        "examples": EXAMPLES,
        "base": str(request.base_url).rstrip("/"),
    }
    return page("docs.html", context)
