"""Completion: what a field's half-typed text may become, as the options of a listbox."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.problems import of_input
from app.service import page, query_pairs, service_for
from pricing.completion import FORMS, choices
from pricing.errors import InvalidInputError, near_matches, shown
from pricing.wording import say

router = APIRouter()


@router.get("/pick", include_in_schema=False)
async def pick(request: Request) -> Response:
    """Offer completions of `q` for a field that takes `form`; none for a text that is no beginning of a name."""
    try:
        pairs = query_pairs(request)
        asked = dict(pairs)
        form = asked.get("form", "m")
        if form not in FORMS:
            raise InvalidInputError.at(
                ("form",),
                say("{form} is not a form; they are {forms}.", form=shown(form), forms=", ".join(FORMS))
                + near_matches(form, FORMS),
            )
        service = service_for(request, pairs)
    except InvalidInputError as error:
        raise of_input(error, "query") from error
    found = choices(asked.get("q", ""), form, service.table, service.catalogue)
    return page("_picks.html", {"choices": found})
