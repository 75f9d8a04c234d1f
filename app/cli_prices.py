"""Commands that look at price tables and make them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from app.commands import (
    FILE,
    as_of_option,
    columns_of,
    fail,
    fail_of,
    format_option,
    pairs_of,
    prices_option,
    table_and_limits,
    tell,
    unconfirmed_option,
    write,
)


@click.group()
def prices() -> None:
    """Look at price tables."""


@prices.command("check")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
def prices_check(files: tuple[Path, ...]) -> None:
    """Check price tables: every fault with line, column and what would be right; exit code 2 if any."""
    from app.tables import built_in, today
    from pricing.accelerators import catalogue
    from pricing.doubts import doubts
    from pricing.errors import InvalidInputError
    from pricing.sources.own_schema import read_file

    failed = False
    for path in files:
        try:
            table = read_file(path, catalogue(), today())
        except InvalidInputError as error:
            failed = True
            for fault in error.faults:
                tell(fault.msg, err=True)
            continue
        providers = ", ".join(table.values("provider"))
        tell(f"{path.name}: {table.source_rows:,} rows, no fault; providers {providers}")
        for text in [
            *table.assumptions,
            *(doubt.message for doubt in doubts(table.market(today()), built_in().market(today()))),
        ]:
            tell(f"note: {text}", err=True)
    if failed:
        sys.exit(2)


@prices.command("list")
@click.option("--provider", multiple=True, help="Only these providers.")
@click.option("--instance-type", multiple=True, help="Only these instance types.")
@click.option("--region", multiple=True, help="Only these regions.")
@click.option("--area", multiple=True, help="Only regions in these areas.")
@click.option("--accelerator", multiple=True, help="Only these accelerators or families.")
@click.option("--vendor", multiple=True, help="Only accelerators of these makers.")
@click.option("--purchase", multiple=True, help="Only these purchase options.")
@click.option("--evidence", multiple=True, help="Only prices known in this way: list, survey, quote, third_party.")
@click.option("--availability", multiple=True, help="Only offers of this availability.")
@unconfirmed_option
@click.option("--history", is_flag=True, help="Every observation, newest first, not only those in force.")
@click.option("--sort", metavar="COLUMN", help="Column to sort by, '-' before it for descending.")
@click.option("--limit", metavar="COUNT", help="At most this many rows; default all.")
@click.option("--offset", metavar="COUNT", help="Rows to pass over.")
@as_of_option
@prices_option
@format_option
def prices_list(prices: tuple[Path, ...], form: str, **options: Any) -> None:
    """List the prices in force, or with --history every observation."""
    from app.exports import dumps, rows_of, table_csv
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.browse import PRICE_COLUMNS, SCHEMA_COLUMNS, browse
    from pricing.errors import InvalidInputError

    try:
        found = browse(pairs_of(options), table_and_limits(prices)[0], catalogue(), today(), all_rows=True)
    except InvalidInputError as error:
        fail_of(error)
    if form == "csv":
        write(table_csv(*columns_of(SCHEMA_COLUMNS, found.page)))
    elif form == "json":
        body = {"as_of": found.as_of, "total": found.total, "prices": rows_of(found.page, PRICE_COLUMNS)}
        write([dumps(body), b"\n"])
    else:
        from app.terminal import price_lines

        tell("\n".join(price_lines(found)))


@prices.command("import")
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="PATH...")
@click.option("--out", required=True, type=FILE, metavar="FILE", help="Price table to write; - for standard output.")
@click.option("--provider", metavar="ID", help="Whose prices these are, where the files do not say.")
@click.option("--map", "mapping", multiple=True, metavar="COLUMN=HEADING", help="Which heading is which column.")
@click.option("--decimal", type=click.Choice((".", ",")), help="The decimal sign of a spreadsheet.")
@click.option("--confirm", is_flag=True, help="Write the table though prices moved far or many offers are gone.")
def prices_import(
    paths: tuple[Path, ...],
    out: Path,
    provider: str | None,
    mapping: tuple[str, ...],
    decimal: str | None,
    confirm: bool,
) -> None:
    """Read price files of other tools and write them as one price table.

    The formats are recognised by what is in the files; a folder or a zip is gone through. What was
    left out, and why, is told on standard error.

    \b
    perdollar prices import catalogs/v8/aws --out aws.csv
    perdollar prices import quotes.xlsx --out quotes.csv --map accelerator=GPU
    """
    from app.files import write_atomically
    from app.tables import built_in, today
    from pricing.accelerators import catalogue
    from pricing.changes import held_back
    from pricing.doubts import doubts
    from pricing.errors import InvalidInputError
    from pricing.sources.document import documents
    from pricing.sources.importing import import_document, options_of, table_text
    from pricing.sources.own_schema import read_csv, read_file

    rows: list[dict[str, object]] = []
    read = 0
    try:
        options = options_of(mapping, decimal)
        for document in documents(paths):
            try:
                found = import_document(document, catalogue(), today(), provider, options)
            except InvalidInputError as error:
                for fault in error.faults:
                    tell(f"perdollar: {fault.msg}", err=True)
                continue
            read += 1
            rows += found.rows
            tell(f"{found.name}: {found.format}, {found.rows_read:,} rows read, {len(found.rows):,} offers", err=True)
            for note in found.notes:
                tell(f"  note: {note}", err=True)
            for left in found.left_out:
                tell(f"  left out: {left.count:,} {left.sentence}, for example {left.example}", err=True)
        if not read or not rows:
            fail("nothing could be read" if not read else "no offer is left; the reasons are above")
        data = table_text(rows).encode()
        table = read_csv(data, "the import", catalogue(), today())
        if out.exists() and not out.is_file():
            fail(f"{out} is no regular file, so no table can be put in its place")
        if out.exists() and str(out) != "-" and not confirm:
            old = read_file(out, catalogue(), today())
            reasons = held_back(old.market(today()).columns, table.market(today()).columns)
            if reasons:
                for reason in reasons[:20]:
                    tell(f"  {reason}", err=True)
                fail(f"{out} is left as it was: {len(reasons)} changes are too large; look at them and add --confirm")
    except InvalidInputError as error:
        fail_of(error)
    for doubt in doubts(table.market(today()), built_in().market(today())):
        tell(f"note: {doubt.message}", err=True)
    if str(out) == "-":
        write([data])
        return
    try:
        write_atomically(out, data)
    except OSError as error:
        fail(f"{out} can't be written ({error.strerror or error}); it is as it was")
    tell(f"{out}: {table.source_rows:,} offers written", err=True)


@prices.command("diff")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@format_option
def prices_diff(old: Path, new: Path, form: str) -> None:
    """Say what changed between two price tables: dearer, cheaper, new, gone; the biggest moves first."""
    from app.exports import dumps, table_csv
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.changes import Change, changes, summaries
    from pricing.errors import InvalidInputError
    from pricing.sources.own_schema import read_file

    try:
        before, after = (read_file(path, catalogue(), today()).market(today()).columns for path in (old, new))
    except InvalidInputError as error:
        fail_of(error)
    found = changes(before, after)
    if form == "json":
        write([dumps({"providers": summaries(before, after, found), "changes": found}), b"\n"])
    elif form == "csv":
        names = list(Change.__slots__)
        write(table_csv(names, ([getattr(change, name) for name in names] for change in found)))
    else:
        from app.terminal import change_lines

        tell("\n".join(change_lines(summaries(before, after, found), found)))
