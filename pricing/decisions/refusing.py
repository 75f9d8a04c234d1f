"""A formula's refusal, said at the field that it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pricing.errors import InvalidInputError


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Turn a ValueError into an InvalidInputError at a field; one that has its place keeps it."""
    try:
        yield
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError.at((name,), str(error)) from error
