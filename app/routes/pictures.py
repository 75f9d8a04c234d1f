"""Charts as pictures, SVG and PNG, for other sites' pages, READMEs and slides."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from anyio import CapacityLimiter, to_process
from fastapi import APIRouter, Request
from fastapi.responses import Response

from app import openapi
from app.charts import curve_chart, dot_chart, lines_chart, tornado_chart
from app.charts.canvas import POLICY
from app.charts.drawings import Footer, curves_svg, dots_svg, history_svg, lines_svg, tornado_svg
from app.charts.png import png
from app.exports import page_rows
from app.openapi_decisions import link_parameters
from app.openapi_parts import ATTACHED, BROWSED, file_of, header
from app.problems import of_input
from app.routes.compare import CHART_ROWS
from app.routes.prices import history_of, offers_of
from app.service import Service, linked, query_pairs, service_for
from app.view import read_view
from pricing.browse import PRICE_COLUMNS, browse
from pricing.compare import Answer, compare, curves, parts, prices_of
from pricing.decisions import DECISIONS, decision_named
from pricing.decisions.asking import from_pairs
from pricing.decisions.decision import Decision
from pricing.errors import InvalidInputError
from pricing.question import MOST_LIMIT
from pricing.sensitivity import of_cheapest
from pricing.units import Scale

router = APIRouter(tags=["pictures"])
# A picture that others show is asked for often; prices change by the day.
SECONDS_KEPT = 3600
SVG, PNG = "image/svg+xml", "image/png"
Drawn = Callable[[Service, list[tuple[str, str]]], tuple[str, str]]


# An answer that is known already is not sent again.
_KEPT = {
    "ETag": header("Names what is drawn; it changes with every price, figure and word."),
    "Cache-Control": header("How long it may be kept, and by whom."),
}
_SAME: dict[int | str, dict[str, Any]] = {
    304: {"description": "The picture is the one that is known.", "headers": _KEPT}
}
_ASKED: dict[str, Any] = {
    "name": "If-None-Match", "in": "header", "required": False, "schema": {"type": "string"},
    "description": "ETags of pictures that are known, joined by commas.",
}  # fmt: skip


def _add(address: str, drawn: Drawn, docs: dict[str, Any], shown: str) -> None:
    """Serve a drawing as SVG and as PNG; `drawn` gives it with the name of its file."""
    for ending, kind in (("svg", SVG), ("png", PNG)):
        router.add_api_route(
            f"{address}.{ending}", _handler(drawn, ending), response_class=Response,
            responses={
                **file_of(kind, shown, binary=ending == "png", headers=ATTACHED | _KEPT), **_SAME,
                **openapi.PROBLEMS,
            },
            openapi_extra={"parameters": [*docs["parameters"], _ASKED]},
            summary=f"{shown} As {ending.upper()}",
            description="Made to be shown by other sites: in English, with date and table of the prices at its foot.",
        )  # fmt: skip


def _handler(drawn: Drawn, ending: str) -> Callable[[Request], Any]:
    async def handler(request: Request) -> Response:
        try:
            pairs = query_pairs(request)
            service = service_for(request, pairs)
            svg, name = drawn(service, pairs)
        except InvalidInputError as error:
            raise of_input(error, "query") from error
        tag = f'"{hashlib.sha256(f"{ending} {svg}".encode()).hexdigest()[:32]}"'
        headers = {
            "ETag": tag,
            # An uploaded table is its user's own, even if whoever has the link may see it.
            "Cache-Control": f"{'private' if service.uploaded else 'public'}, max-age={SECONDS_KEPT}",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Content-Security-Policy": POLICY,
        }
        if _known(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        headers["Content-Disposition"] = f'inline; filename="perdollar-{name}.{ending}"'
        body = svg.encode() if ending == "svg" else await to_process.run_sync(png, svg, limiter=_one_at_a_time())
        return Response(body, media_type=SVG if ending == "svg" else PNG, headers=headers)

    return handler


@cache
def _one_at_a_time() -> CapacityLimiter:
    """One process draws, beside the server: the library keeps the interpreter for a tenth of a second."""
    return CapacityLimiter(1)


def _known(asked: str, tag: str) -> bool:
    """Whether If-None-Match names a tag; a weak one says the same here."""
    return tag in [each.strip().removeprefix("W/") for each in asked.split(",")]


def _answered(service: Service, pairs: list[tuple[str, str]]) -> tuple[Answer, list[tuple[str, Answer]], Scale, Footer]:
    """Return an answer, its named parts that can be compared, how its costs are said, and the foot."""
    view, pairs = read_view(pairs)
    view.refuse_problems()
    answer = compare(service.reader().from_pairs(pairs), service.catalogue)
    found = parts(answer, service.catalogue)
    names = [
        f"Group {i}: {', '.join(m.label for m in part.question.measurements)}" if len(found) > 1 else ""
        for i, part in enumerate(found, 1)
    ]
    footer = Footer(str(answer.question.as_of), answer.prices)
    scale = replace(view, unit=answer.unit).drawn
    return answer, list(zip(names, found, strict=True)), scale, footer


def _name(answer: Answer, kind: str = "") -> str:
    return "-".join([answer.unit.id, *([kind] if kind else []), str(answer.question.as_of)])


def _dots(service: Service, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    answer, groups, scale, footer = _answered(service, pairs)
    charts = [(name, dot_chart(part.cheapest(CHART_ROWS), scale.factor)) for name, part in groups]
    svg = dots_svg(charts, answer.total, scale.label, answer.question.utilization, footer)
    return svg, _name(answer)


def _latency(service: Service, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    answer, groups, scale, footer = _answered(service, pairs)
    charts = [(name, curve_chart(curves(part), scale.factor)) for name, part in groups]
    return curves_svg(charts, scale.label, footer), _name(answer, "latency")


def _tornado(service: Service, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    answer, groups, scale, footer = _answered(service, pairs)
    charts = [(name, tornado_chart(of_cheapest(part), scale.factor)) for name, part in groups]
    return tornado_svg(charts, answer.unit.rate_unit, scale.label, footer), _name(answer, "tornado")


def _history(service: Service, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    asked = linked(pairs, history="1", limit=str(MOST_LIMIT), offset=None, sort=None)
    found = browse(asked, service.table, service.catalogue, service.today)
    rows = page_rows(found.page, PRICE_COLUMNS)
    if len(offers_of(rows)) != 1:
        raise InvalidInputError.at(
            (), f"{len(offers_of(rows))} offers match; name provider, instance_type, region and purchase of one"
        )
    first = rows[0]
    name = f"{first.provider} {first.instance_type}, {first.region}, {first.purchase.replace('_', ' ')}"
    footer = Footer(str(found.as_of), prices_of(service.table.market(found.as_of)))
    return history_svg(history_of(rows), name, footer), f"prices-{found.as_of}"


def _decided(asked: Decision) -> Drawn:
    def drawn(service: Service, pairs: list[tuple[str, str]]) -> tuple[str, str]:
        solved = from_pairs(asked, pairs, service.reader())
        chart = lines_chart(solved.result.chart) if solved.result.chart else None
        as_of = str(solved.case.question.as_of)
        return lines_svg(chart, asked.title, Footer(as_of, solved.prices)), f"{asked.name}-{as_of}"

    return drawn


_COMPARED: dict[str, Any] = {"parameters": openapi.compare_parameters()}
_add("/compare", _dots, _COMPARED, "The cheapest estimates with their ranges.")
_add("/compare/latency", _latency, _COMPARED, "Cost against latency.")
_add("/compare/tornado", _tornado, _COMPARED, "What moves the cost of the cheapest estimate.")
_add(
    "/prices",
    _history,
    {"parameters": openapi.parameters(openapi.PRICES_DOCS, own=BROWSED)},
    "The prices of one offer over time.",
)
for _each in (decision_named(name) for name in DECISIONS):
    if _each.chart:
        _add(f"/{_each.name}", _decided(_each), {"parameters": link_parameters(_each)}, _each.chart)
