"""What the commands share: options, how a table and settings are opened, and how a mistake ends a command."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from app.settings import Settings
    from pricing.columns import Column, Rows
    from pricing.errors import InvalidInputError
    from pricing.market import PriceTable
    from pricing.question import Limits

# Control characters but for line ends and tabs, and what overrides the direction of writing.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FILE = click.Path(path_type=Path)
FORMAT = click.Choice(("table", "json", "csv"))
ANSWER_FORMAT = click.Choice(("table", "json", "csv", "receipt"))
prices_option = click.option(
    "--prices", multiple=True, type=FILE, metavar="FILE", help="Private price table (CSV), besides the built-in one."
)
format_option = click.option(
    "--format", "form", type=FORMAT, default="table", show_default=True, help="Form of output."
)
answer_format_option = click.option(
    "--format", "form", type=ANSWER_FORMAT, default="table", show_default=True,
    help="Form of output; a receipt holds the question, the prices and the answer, to be verified later.",
)  # fmt: skip
unconfirmed_option = click.option(
    "--include-unconfirmed", is_flag=True, help="Also third-party prices that nobody confirmed."
)
as_of_option = click.option("--as-of", metavar="DATE", help="Prices as seen on this date, YYYY-MM-DD; default today.")


def tell(text: str, *, err: bool = False) -> None:
    """Write a line for people: what a terminal would take for a command, or to turn text round, is shown by its code.

    Names come from files that others wrote. JSON and CSV are for programs: they go out as they are (`write`).
    """
    click.echo(_UNSEEN.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text), err=err)


def fail(message: str) -> NoReturn:
    """End with one line on standard error and exit code 2."""
    tell(f"perdollar: {' '.join(message.split())}", err=True)
    sys.exit(2)


def fail_of(error: InvalidInputError) -> NoReturn:
    """End with all that is wrong with an input, on one line."""
    fail("; ".join(fault.msg for fault in error.faults))


def columns_of(columns: Sequence[Column[Rows]], rows: Rows) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Return the heading and the rows of a table of columns."""
    header = [column.name for column in columns]
    return header, zip(*(column.python(rows) for column in columns), strict=True)


def pairs_of(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the options that were given as name-value pairs, as a link has them."""
    pairs = []
    for name, value in options.items():
        if isinstance(value, tuple):
            pairs += [(name, text) for text in value]
        elif value is True:
            pairs.append((name, "1"))
        elif isinstance(value, str):
            pairs.append((name, value))
    return pairs


def settings_of_environment() -> Settings:
    """Read the settings; a wrong one is named by its variable."""
    from pydantic import ValidationError

    from app.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(("PERDOLLAR", *(str(part).upper() for part in first["loc"])))
        fail(f"the environment variable {name} is wrong: {first['msg'].removeprefix('Value error, ')}")


def any_setting() -> bool:
    """Tell whether the environment has a setting: reading of settings is slow to load, and mostly there are none."""
    return any(name.startswith("PERDOLLAR_") and name != "PERDOLLAR_FOLDER" for name in os.environ)


def table_and_limits(paths: Sequence[Path], offers: Path | None = None) -> tuple[PriceTable, Limits]:
    """Open the built-in table with the private ones of settings and options; return also the limits.

    `offers` is a table in place of the built-in one and of all that would be joined with it unasked.
    """
    from app.tables import open_table, refreshed_files, refreshed_folder
    from pricing.question import DEFAULT_LIMITS

    refreshed = [] if offers else refreshed_files(refreshed_folder())
    if not any_setting():
        return open_table(paths, refreshed, offers), DEFAULT_LIMITS
    settings = settings_of_environment()
    private = [] if offers else [table.path for table in settings.tables]
    return open_table([*private, *paths], refreshed, offers), settings.limits


def write(parts: Iterable[bytes]) -> None:
    """Write bytes as they are: no platform's line ends."""
    out = sys.stdout.buffer
    for part in parts:
        out.write(part)
    out.flush()
