"""What /docs and /openapi.json say of tokens."""

from __future__ import annotations

from typing import Any

from app.access import needs_token
from app.openapi import PROBLEMS

SCHEME = "token"
_REFUSED = {
    "401": "Where the server has tokens: none was sent, or it is not valid.",
    "403": "The server is read-only, or another site set the request off.",
}


_ANY = {
    "414": "The address is longer than the server takes.",
    "429": "Too many requests of one client; Retry-After says when to try again.",
    "431": "The header fields are more or longer than the server takes.",
}


def secure(document: dict[str, Any], *, guarded: bool) -> None:
    """Add to each operation how it is refused and, where the server has tokens, whether it needs one.

    Those that don't take one as well: with it the answer knows the private prices that are its own.
    """
    if guarded:
        document["components"]["securitySchemes"] = {
            SCHEME: {"type": "http", "scheme": "bearer", "description": "A token that `perdollar token NAME` made."}
        }
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            stores = needs_token(
                verb.upper(), path, next(iter(operation.get("requestBody", {}).get("content", ())), "")
            )
            said = {**_ANY, **(_REFUSED if stores else {"401": _REFUSED["401"]} if guarded else {})}
            operation["responses"] |= {code: {**PROBLEMS[422], "description": text} for code, text in said.items()}
            if guarded:
                operation["security"] = [{SCHEME: []}] if stores else [{}, {SCHEME: []}]
