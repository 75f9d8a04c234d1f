"""Every error in one shape: RFC 9457 problem details, or a page that says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

import orjson
from starlette.requests import Request
from starlette.responses import Response

from pricing.errors import Fault, InvalidInputError
from pricing.wording import say

# Endings of addresses that are for machines.
_FILES = (".json", ".csv", ".xlsx", ".tsv", ".md", ".svg", ".png")
MEDIA_TYPE = "application/problem+json"
DETAILS = {
    404: say("There is nothing at this address. /docs lists every address; the comparison is at /."),
    405: say("This address does not take that method."),
    429: say("Too many requests; try again later."),
    500: say("The server failed on this request; it is logged."),
}


class ProblemError(Exception):
    """An answer that is an error, with its status and the faults in the input, if any."""

    def __init__(
        self, status: int, detail: str, faults: Iterable[Fault] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        """Keep status, sentence and faults."""
        super().__init__(detail)
        self.status, self.detail, self.faults = status, detail, tuple(faults)
        self.headers = dict(headers or {})

    @property
    def title(self) -> str:
        """The standard phrase of the status."""
        return HTTPStatus(self.status).phrase


def of_input(error: InvalidInputError, where: str) -> ProblemError:
    """Make a 422 of faults in the input; `where` (query or body) begins each location."""
    faults = [Fault((where, *fault.loc), fault.msg) for fault in error.faults]
    count = len(faults)
    first = faults[0].msg
    detail = first if count == 1 else say("{count} things are wrong; the first: {first}", count=count, first=first)
    return ProblemError(422, detail, faults)


def problem_bytes(status: int, title: str, detail: str, faults: Iterable[Fault] = ()) -> bytes:
    """Write problem details."""
    return orjson.dumps(
        {
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": detail,
            "errors": [{"loc": fault.loc, "msg": fault.msg} for fault in faults],
        }
    )


def json_response(problem: ProblemError) -> Response:
    """Answer with problem details."""
    body = problem_bytes(problem.status, problem.title, problem.detail, problem.faults)
    return Response(body, problem.status, problem.headers, MEDIA_TYPE)


def wants_page(request: Request) -> bool:
    """Whether the address is that of a page: no file ending, not the API, and HTML is accepted."""
    path = request.url.path
    machine = path.startswith(("/api/", "/static/", "/healthz", "/readyz", "/metrics", "/openapi")) or path.endswith(
        (".json", ".csv", ".xlsx", ".tsv", ".md", ".svg", ".png")
    )
    return not machine and "text/html" in request.headers.get("accept", "text/html,*/*")
