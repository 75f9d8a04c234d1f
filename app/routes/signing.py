"""Signing in and out, for people whose browser can't send a token by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from app.access import NOT_VALID, SIGN_IN, SIGN_OUT, asks, challenge, cookie, too_many_failures
from app.problems import ProblemError
from app.service import page, way_back
from app.tokens import owner_of
from pricing.wording import say

router = APIRouter(include_in_schema=False)
# What a cookie can hold as it stands; tokens of ours are such.
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")
_NONE = say("This server has no tokens, so that there is nothing to sign in to.")


def form_page(request: Request, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """Show the form, with what is wrong; 401 if something is."""
    here = request.method == "GET" and request.url.path != SIGN_IN
    back = way_back(str(request.url) if here else request.headers.get("referer", ""))
    return _page("/" if back.startswith(SIGN_IN) else back, detail, headers)


def _page(back: str, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    context = {"active": "", "back": back, "problem": detail}
    return page("sign_in.html", context, status=401 if detail else 200, headers=headers)


@router.get(SIGN_IN)
async def sign_in_form(request: Request) -> Response:
    """Show the form."""
    if not asks(request).tokens:
        raise ProblemError(404, _NONE)
    return form_page(request)


@router.post(SIGN_IN)
async def sign_in(request: Request) -> Response:
    """Keep a token in a cookie until the browser is closed, and go back to where it was asked for."""
    if not asks(request).tokens:
        raise ProblemError(404, _NONE)
    form = await request.form(max_files=0, max_fields=5, max_part_size=4096)
    token, back = (str(form.get(name) or "").strip() for name in ("token", "back"))
    if not (_PLAIN.fullmatch(token) and owner_of(token, request.app.state.tokens)):
        many = too_many_failures(request.app.state.rates, request.scope)
        if many is not None:
            raise many
        return _page(way_back(back), NOT_VALID, challenge())
    return RedirectResponse(
        way_back(back), 303, {"Cache-Control": "no-store", "Set-Cookie": cookie(request.url.scheme, token)}
    )


@router.post(SIGN_OUT)
async def sign_out(request: Request) -> Response:
    """Take the cookie away."""
    return RedirectResponse("/", 303, {"Cache-Control": "no-store", "Set-Cookie": cookie(request.url.scheme, "")})
