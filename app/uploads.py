"""Files that come with a form: read within limits; no path of a name that a client gives is used."""

from __future__ import annotations

import errno
import io
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, ParamSpec, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from app.problems import ProblemError
from pricing.errors import InvalidInputError
from pricing.sources.document import Document, members
from pricing.wording import say

log = logging.getLogger("perdollar")
MOST_FILES = 20
MOST_FIELDS = 50
# Bytes of plain files that are read before a thread would have taken its turn.
FEW_BYTES = 32 * 1024
_PACKED = (b"PK\x03\x04", b"\x1f\x8b")
P = ParamSpec("P")
R = TypeVar("R")


class Part(NamedTuple):
    """One file of a form: its last name, its bytes, and the folders above it, nearest first: words, never a path."""

    name: str
    data: bytes
    folders: tuple[str, ...]


async def uploaded(request: Request, names: Sequence[str]) -> tuple[list[Part], dict[str, list[str]]]:
    """Return the files of a multipart form by their last names, and the values of the fields `names`."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data"):
        raise ProblemError(
            415, say("The body must be multipart/form-data, not {kind}.", kind=kind[:60] or "of no stated type")
        )
    try:
        async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as form:
            parts = [
                Part(_last_name(item.filename), await item.read(), _folders(item.filename))
                for item in form.getlist("file")
                if isinstance(item, UploadFile) and item.size
            ]
            fields = {name: [str(text) for text in form.getlist(name)] for name in names}
    except (MultiPartException, HTTPException) as error:
        raise InvalidInputError.at(
            ("file",), say("the form can't be read: {getattr}", getattr=getattr(error, "detail", error))
        ) from error
    except OSError as error:
        raise no_room(error) from error
    if not parts:
        raise InvalidInputError.at(("file",), say("choose a file that is not empty"))
    return parts, fields


def no_room(error: OSError) -> ProblemError:
    """Say that the server could not keep a large file while it arrived; the log has the reason."""
    log.error("an upload could not be kept: %s", error.strerror or error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return ProblemError(
            503, say("The server has too many files open at the moment; try again soon."), headers={"Retry-After": "5"}
        )
    return ProblemError(507, say("The server has no room for this upload at the moment; smaller files may pass."))


def _last_name(name: str | None) -> str:
    return str(name or "upload").replace("\\", "/").rpartition("/")[2][:100] or "upload"


def _folders(name: str | None) -> tuple[str, ...]:
    *above, _ = str(name or "").replace("\\", "/").split("/")
    return tuple(part[:100] for part in reversed(above) if part not in ("", ".", ".."))[:20]


def documents_of(part: Part, endings: Sequence[str]) -> list[Document]:
    """Return the documents of an upload: itself, or the members of a zip with these endings."""
    name, data, folders = part
    zipped = data[:4] == b"PK\x03\x04" and not name.lower().endswith(".xlsx")
    return (
        list(members(name, data, folders, endings)) if zipped else [Document(name, folders, lambda: io.BytesIO(data))]
    )


async def worked_on(parts: Sequence[Part], work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Do the work on an upload: beside the event loop, unless its files are small and hold no more than they weigh."""
    packed = any(part.data.startswith(_PACKED) for part in parts)
    if packed or sum(len(part.data) for part in parts) > FEW_BYTES:
        return await run_in_threadpool(work, *args, **kwargs)
    return work(*args, **kwargs)
