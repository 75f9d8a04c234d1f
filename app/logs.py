"""What the server says on standard error: plain lines for a person, JSON lines where a machine collects them."""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar

# The request that is being answered; '' outside of one.
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
FIELDS = ("levelname", "name", "message", "request_id")
access = logging.getLogger("perdollar.access")


class _OfRequest(logging.Filter):
    """Adds the id of the request to whatever is said while it is answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = REQUEST_ID.get()
        return True


def configure(form: str) -> None:
    """Set the log of this process up: `text` leaves it as it is, without a line for each request; `json` has one.

    A line for a request holds its id, method, route (not the address, which holds what was asked),
    status, seconds and bytes, and nothing of who asked.
    """
    if form != "json":
        return
    # Slow to load, and most servers need none.
    from pythonjsonlogger.orjson import OrjsonFormatter  # noqa: PLC0415

    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_OfRequest())
    handler.setFormatter(
        OrjsonFormatter(
            list(FIELDS), rename_fields={"levelname": "level", "name": "logger"}, timestamp="time", json_indent=False
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    access.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.captureWarnings(True)
