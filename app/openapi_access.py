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


def secure(document: dict[str, Any], *, guarded: bool) -> None:
    """Add to each operation that stores something how it is refused and, where there are tokens, that it needs one.

    The others take a token as well: with it the answer knows the private prices that are its own.
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
            if stores:
                operation["responses"] |= {
                    status: {**PROBLEMS[422], "description": said} for status, said in _REFUSED.items()
                }
            if guarded:
                operation["security"] = [{SCHEME: []}] if stores else [{}, {SCHEME: []}]
