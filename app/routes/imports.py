"""Reading of price files that a user uploads: what was read, what was left out and why, and the table to take away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from app import openapi
from app.exports import dumps
from app.format import sentence
from app.openapi_links import OF_TABLE
from app.openapi_parts import ATTACHED, TABLE_NAME, file_of, json_of
from app.problems import ProblemError, of_input
from app.service import page, service_of
from app.tables import built_in
from app.uploads import Part, documents_of, no_room, uploaded, worked_on
from pricing.accelerators import Catalogue
from pricing.doubts import Doubt, doubts
from pricing.errors import Fault, InvalidInputError
from pricing.market import PriceTable
from pricing.sources.document import ENDINGS
from pricing.sources.importing import FORMATS, Imported, import_document, options_of, table_text
from pricing.sources.own_schema import read_csv
from pricing.wording import listed, say, word

router = APIRouter(tags=["prices"])
T = TypeVar("T")
PREVIEW_ROWS = 20
MOST_OFFERS = 100_000
_DOCS = openapi.upload(
    "One or more files, or a zip of them.",
    provider={"type": "string", "description": "Whose prices these are, where the files do not say."},
    map={"type": "array", "items": {"type": "string"}, "description": "COLUMN=HEADING."},
    decimal={"type": "string", "enum": [".", ","], "description": "Of a spreadsheet."},
)
_NAME: dict[str, Any] = {
    "name": "name", "in": "path", "required": True, "schema": TABLE_NAME,
    "description": "The `table` of the answer to an upload.",
}  # fmt: skip


@dataclass(frozen=True)
class Uploaded:
    """What the uploaded files gave: each file's report, the table in our schema, and what looks wrong in it."""

    files: tuple[Imported, ...]
    failed: tuple[Fault, ...]
    text: str
    table: PriceTable
    doubts: tuple[Doubt, ...]

    @cached_property
    def id(self) -> str:
        """A name that says nothing but what the table's content is."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @cached_property
    def rows(self) -> list[dict[str, object]]:
        """All offers, in the order of the files."""
        return [row for each in self.files for row in each.rows]


def read_uploads(
    parts: list[Part], provider: str | None, options: dict[str, str], catalogue: Catalogue, today: date
) -> Uploaded:
    """Import files; InvalidInputError if none of them could be read, or what they say contradicts itself."""
    files: list[Imported] = []
    failed: list[Fault] = []
    for part in parts:
        try:
            documents = documents_of(part, ENDINGS)
        except InvalidInputError as error:
            failed += error.faults
            continue
        for document in documents:
            try:
                files.append(import_document(document, catalogue, today, provider, options))
            except InvalidInputError as error:
                failed += error.faults
    rows = [row for each in files for row in each.rows]
    if not files:
        raise InvalidInputError(failed)
    if len(rows) > MOST_OFFERS:
        raise InvalidInputError.at(
            ("file",),
            say(
                "{number:,} offers are more than the {most:,} that an upload may hold; use perdollar prices import",
                number=len(rows),
                most=MOST_OFFERS,
            ),
        )
    if not rows:
        reasons = [
            say("{count:,} {why}", count=left.count, why=word(left.sentence))
            for each in files
            for left in each.left_out
        ]
        why = listed(reasons, "; ") if reasons else say("the files have no rows")
        raise InvalidInputError.at(("file",), say("no offer is left: {why}", why=why))
    text = table_text(rows)
    table = read_csv(text.encode(), "the import", catalogue, today)
    return Uploaded(
        tuple(files), tuple(failed), text, table, tuple(doubts(table.market(today), built_in().market(today)))
    )


async def _uploaded(request: Request, then: Callable[[Uploaded], T]) -> T:
    """Read an upload, keep its table, and do what comes `then`, all of it where large ones hold up nobody."""
    service = service_of(request)
    parts, fields = await uploaded(request, ("provider", "map", "decimal"))
    provider = "".join(fields["provider"][:1]).strip().lower() or None
    mapping = [text for text in fields["map"] if text.strip()]
    decimal = "".join(fields["decimal"][:1]) or None
    if decimal not in (None, ".", ","):
        raise InvalidInputError.at(("decimal",), say("{sign} is not a decimal sign; it is . or ,", sign=repr(decimal)))
    options = options_of(mapping, decimal)

    def work() -> T:
        found = read_uploads(parts, provider, options, service.catalogue, service.today)
        try:
            service.keep(found.id, found.text, found.table)
        except OSError as error:
            raise no_room(error) from error
        return then(found)

    return await worked_on(parts, work)


@router.post(
    "/api/v1/prices/import",
    responses={
        **json_of("ImportOut", "What was read, and the name of the table that it makes.", links=OF_TABLE),
        **openapi.PROBLEMS,
        **openapi.UNSUPPORTED,
    },
    openapi_extra=_DOCS,
    summary="Read price files of other tools",
)
async def import_json(request: Request) -> Response:
    """Return the offers in the price schema, with what was left out of each file and why.

    `table` names them for other questions, as long as the server keeps them.
    """
    try:
        return Response(await _uploaded(request, _as_json), media_type="application/json")
    except InvalidInputError as error:
        raise of_input(error, "body") from error


def _as_json(found: Uploaded) -> bytes:
    files = [
        {"file": each.name, "format": each.format, "rows_read": each.rows_read, "offers": len(each.rows),
         "left_out": [{"reason": x.reason, "count": x.count, "example": x.example} for x in each.left_out],
         "notes": each.notes}
        for each in found.files
    ]  # fmt: skip
    failed = [{"loc": fault.loc, "msg": fault.msg} for fault in found.failed]
    return dumps({"files": files, "failed": failed, "doubts": found.doubts, "table": found.id, "offers": found.rows})


@router.get("/prices/import", include_in_schema=False)
async def import_form(request: Request) -> Response:
    """Show the form."""
    return _page(None, {})


@router.post("/prices/import", include_in_schema=False)
async def import_page(request: Request) -> Response:
    """Show what was read, before anything is done with it."""
    try:
        return await _uploaded(request, lambda found: _page(found, {}))
    except InvalidInputError as error:
        return _page(None, {"": Markup(" ").join(sentence(fault.msg) for fault in error.faults)}, status=422)


def _page(found: Uploaded | None, problems: dict[str, Markup], status: int = 200) -> Response:
    context = {
        "active": "prices", "uploaded": found, "problems": problems, "formats": [module.WHAT for module in FORMATS],
        "preview": found.rows[:PREVIEW_ROWS] if found else [],
    }  # fmt: skip
    return page("import.html", context, status=status)


@router.get(
    "/prices/import/{name}.csv",
    response_class=Response,
    responses={
        **file_of("text/csv", "The table, in PerDollar's schema.", headers=ATTACHED),
        404: {**openapi.PROBLEMS[422], "description": "The server does not keep that table any more."},
        **openapi.TOO_LARGE,
    },
    openapi_extra={"parameters": [_NAME]},
    summary="An uploaded table, as CSV",
)
async def import_csv(request: Request) -> Response:
    """Give the table that was made of an upload, as long as the server keeps it."""
    text, _ = service_of(request).kept(request.path_params["name"])
    if text is None:
        raise ProblemError(404, say("That table is not here any more; upload the files again."))
    headers = {"Content-Disposition": 'attachment; filename="prices.csv"'}
    return Response(text.encode(), media_type="text/csv; charset=utf-8", headers=headers)
