"""The command line: the same questions, answers and messages as the page. Heavy imports wait until they are needed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from app.cli_benchmarks import measure, read
from app.cli_decisions import WithDecisions
from app.cli_prices import prices
from app.cli_receipts import explain, verify
from app.cli_refresh import refresh
from app.cli_sweep import sweep
from app.cli_token import token
from app.commands import (
    answer_format_option,
    as_of_option,
    fail,
    fail_of,
    format_option,
    pairs_of,
    prices_option,
    settings_of_environment,
    table_and_limits,
    tell,
    unconfirmed_option,
    write,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    if sys.stdout is None:
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a sign gets its code in place of it.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Not by click's own main, which takes a reader that has gone for a failure.
        with commands.make_context("perdollar", list(sys.argv[1:] if arguments is None else arguments)) as context:
            commands.invoke(context)
        sys.stdout.flush()
        sys.exit(0)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.exit(130)
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "perdollar"
        fail(f"{error.format_message()} (see {command} --help)")
    except BrokenPipeError:
        # The reader has seen enough (head, less): no message, and none from the interpreter's exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"the answer can't be written ({error.strerror or error})")


@click.group(cls=WithDecisions, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="perdollar")
def commands() -> None:
    """What a million tokens or an hour of audio costs on each cloud and instance type."""


@commands.command()
@click.option("--host", help="Address to listen on; default 127.0.0.1, this machine alone.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; default 8000, 0 picks a free one.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that answer; default 1.")
@click.option("--grace", type=click.IntRange(1), metavar="SECONDS", help="For requests when stopped; default 30.")
@click.option("--log-format", type=click.Choice(["text", "json"]), help="json has a line for each request.")
@prices_option
def serve(prices: tuple[Path, ...], **options: Any) -> None:
    """Serve the page and the API.

    SIGTERM and Ctrl-C let running requests finish; SIGHUP reads the prices anew.
    """
    from app.serving import listening_socket, prepared
    from pricing.errors import InvalidInputError

    # Whom the server is for is told by where it listens.
    given = {name: value for name, value in options.items() if value is not None}
    settings = settings_of_environment().model_copy(update=given)
    try:
        run = prepared(settings, prices)
    except InvalidInputError as error:
        fail_of(error)
    host, port = settings.host, settings.port
    try:
        listener = listening_socket(host, port)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        fail(f"can't listen on {ascii(host)[1:-1]} port {port} ({reason}); choose another with --host or --port")
    shown_host = f"[{host}]" if ":" in host else host
    tell(f"PerDollar is at http://{shown_host}:{listener.getsockname()[1]} (Ctrl-C stops it)")
    sys.stdout.flush()
    run(listener)


@commands.command(context_settings={"ignore_unknown_options": False})
@click.argument("measurements", nargs=-1, metavar="[LABEL@]HARDWARE=RATE...")
@click.option("--unit", help="What is counted: output_token, input_token, total_token, trained_token, …")
@click.option("--set", "details", multiple=True, metavar="mN.FIELD=VALUE", help="A detail, such as m1.model=Llama-3.1.")
@click.option("--utilization", metavar="SHARE", help="Share of paid time at the measured rate: 0.7 or 70%.")
@click.option("--provider", multiple=True, help="Only these providers.")
@click.option("--region", multiple=True, help="Only these regions, as the provider names them.")
@click.option("--area", multiple=True, help="Only regions in these areas, such as europe.")
@click.option("--purchase", multiple=True, help="Only these purchase options: on_demand, spot, …")
@click.option("--accelerator", multiple=True, help="Only these accelerators; H100 means all H100 variants.")
@click.option("--vendor", multiple=True, help="Only accelerators of these makers.")
@click.option("--term-months", multiple=True, help="Only commitments of this many months.")
@click.option("--quote", multiple=True, metavar="TEXT", help="Own price: PROVIDER/TYPE@ACCELERATOR:COUNT=USD_PER_HOUR.")
@click.option("--max-price-usd-per-hour", metavar="USD", help="Only instances up to this price.")
@click.option("--max-accelerators", metavar="COUNT", help="Only instances up to this many accelerators.")
@click.option("--max-age-days", metavar="DAYS", help="Only prices seen at most so many days ago; own quotes count.")
@click.option("--owned", multiple=True, metavar="TEXT", help="Own machine: NAME@ACCELERATOR:COUNT=capex:USD,years:N,…")
@click.option("--spot-loss", metavar="SHARE", help="Share of work that spot loses to interruptions, such as 5%.")
@click.option("--currency", metavar="CODE", help="Also give costs in this currency, at a dated rate.")
@click.option("--exchange-rate", multiple=True, metavar="CODE=UNITS", help="Your own rate in units per USD.")
@click.option(
    "--discount", multiple=True, metavar="PROVIDER=SHARE", help="Your discount off list prices, such as aws=12%."
)
@click.option("--slo", multiple=True, metavar="TARGET", help="Latency target: ttft_p99<=0.5, tpot_p50<=0.03, …")
@click.option(
    "--interpolate", is_flag=True, help="Between the measured points of a curve, to where a target is reached."
)
@click.option("--evidence", multiple=True, help="Only measurements known in these ways: measured, published, …")
@click.option("--columns", multiple=True, metavar="NAMES", help="Columns of the output, joined by commas.")
@click.option("--where", multiple=True, metavar="CONDITION", help="Only rows that meet it: cost_usd<=0.5, region~eu.")
@click.option("--accept", multiple=True, metavar="PART", help="Rank in spite of a difference: model, precision, …")
@click.option("--output-price-ratio", metavar="W", help="What an output token is worth in input tokens.")
@unconfirmed_option
@click.option("--all-sizes", is_flag=True, help="Every size of a price, not only the smallest of the cheapest.")
@click.option("--baseline", help="What to compare with: a label or PROVIDER/TYPE[:COUNT][/REGION[/PURCHASE]].")
@click.option("--sort", metavar="COLUMN", help="Column to sort by, '-' before it for descending.")
@click.option("--limit", metavar="COUNT", help="At most this many estimates; default all.")
@click.option("--offset", metavar="COUNT", help="Estimates to pass over.")
@as_of_option
@prices_option
@answer_format_option
def compare(
    measurements: tuple[str, ...], details: tuple[str, ...], prices: tuple[Path, ...], form: str, **options: Any
) -> None:
    """Cost per unit of every offer that carries the measured hardware, cheapest first.

    \b
    perdollar compare --unit output_token H100-SXM:8=5200 Trainium2:16=4100 --purchase on_demand
    perdollar compare --unit audio_hour L4=120 --area europe --format csv
    """
    pairs = [*pairs_of(options), *(("m", text) for text in measurements)]
    for detail in details:
        name, equals, value = detail.partition("=")
        if not equals:
            raise click.UsageError(f"--set {detail!r} has no '='; write for example --set m1.model=Llama-3.1")
        pairs.append((name.strip(), value))
    _answer(pairs, prices, form)


def _answer(pairs: list[tuple[str, str]], prices: Sequence[Path], form: str) -> None:
    from app.exports import answer_csv, answer_json
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.compare import compare as ask
    from pricing.compare import parts
    from pricing.errors import InvalidInputError
    from pricing.reading import Reader

    try:
        table, limits = table_and_limits(prices)
        reader = Reader(table, catalogue(), today(), limits)
        if form == "receipt":
            from app.receipts import COMPARE, receipt_of

            write([receipt_of(COMPARE, pairs, reader), b"\n"])
            return
        answer = ask(reader.from_pairs(pairs), catalogue(), all_rows=True)
    except InvalidInputError as error:
        fail_of(error)
    if form == "json":
        write([answer_json(answer), b"\n"])
    elif form == "csv":
        write(answer_csv(answer))
        for warning in answer.warnings:
            tell(f"note: {warning.message}", err=True)
    else:
        from app.terminal import answer_lines

        tell("\n".join(answer_lines(answer, parts(answer, catalogue(), all_rows=True))))


@commands.command()
@click.option("--vendor", multiple=True, help="Only accelerators of these makers.")
@click.option("--family", multiple=True, help="Only these families, such as H100.")
@click.option("--sort", metavar="COLUMN", help="Column to sort by, '-' before it for descending.")
@prices_option
@format_option
def accelerators(prices: tuple[Path, ...], form: str, **options: Any) -> None:
    """List the accelerators with memory, bandwidth, TFLOPS, cores and PyTorch device."""
    from app.exports import dumps, table_csv
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.chips import chip_columns, chips
    from pricing.errors import InvalidInputError

    try:
        found = chips(pairs_of(options), table_and_limits(prices)[0], catalogue(), today())
    except InvalidInputError as error:
        fail_of(error)
    rows = [chip.row() for chip in found]
    if form == "json":
        write([dumps({"total": len(rows), "accelerators": rows}), b"\n"])
    elif form == "csv":
        write(table_csv(chip_columns(catalogue()), (list(row.values()) for row in rows)))
    else:
        from app.terminal import chip_lines

        tell("\n".join(chip_lines(rows)))


prices.add_command(refresh)
commands.add_command(prices)
commands.add_command(read)
commands.add_command(measure)
commands.add_command(verify)
commands.add_command(explain)
commands.add_command(sweep)
commands.add_command(token)

if __name__ == "__main__":
    main()
