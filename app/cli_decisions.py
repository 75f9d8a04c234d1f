"""A command for each decision, made from what the decision says of itself; loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli_words import FLAGS
from app.commands import answer_format_option, fail_of, pairs_of, prices_option, table_and_limits, tell, write
from pricing.decisions import DECISIONS

if TYPE_CHECKING:
    from pricing.decisions.decision import Decision, Solved


class WithDecisions(click.Group):
    """A group that also has a command for each decision, which it makes when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *DECISIONS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, made now if it is a decision's."""
        return _command(cmd_name) if cmd_name in DECISIONS else super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their help, without loading the decisions."""
        own = {name: self.commands[name].get_short_help_str(90) for name in self.commands}
        rows = sorted((own | {name: said for name, (_, said) in DECISIONS.items()}).items())
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _command(name: str) -> click.Command:
    from app.openapi_decisions import parameter_docs
    from pricing.decisions import decision_named

    asked = decision_named(name)

    def run(
        measurements: tuple[str, ...], details: tuple[str, ...], prices: tuple[Path, ...], form: str, **options: Any
    ) -> None:
        pairs = [*((n, _of_file(v)) for n, v in pairs_of(options)), *(("m", text) for text in measurements)]
        for detail in details:
            parameter, equals, value = detail.partition("=")
            if not equals:
                raise click.UsageError(f"--set {detail!r} has no '='; write for example --set m1.model=Llama-3.1")
            pairs.append((parameter.strip(), value))
        _answer(asked, pairs, prices, form)

    own = asked.inputs.model_fields
    options: list[click.Parameter] = [click.Argument(["measurements"], nargs=-1, metavar="[LABEL@]HARDWARE=RATE...")]
    for parameter, (doc, example, several) in parameter_docs(asked).items():
        if parameter in ("m", "table"):
            continue
        option = f"--{parameter.replace('_', '-')}"
        if parameter in FLAGS or (parameter in own and own[parameter].annotation is bool):
            options.append(click.Option([option, parameter], is_flag=True, help=doc))
        else:
            metavar = example if example and " " not in example else "TEXT"
            options.append(click.Option([option, parameter], multiple=several, metavar=metavar, help=doc))
    options.append(
        click.Option(["--set", "details"], multiple=True, metavar="mN.FIELD=VALUE", help="A detail of a measurement.")
    )
    command = click.Command(name, params=options, callback=run, help=f"{asked.title}\n\n{asked.intro}")
    return answer_format_option(prices_option(command))


def _of_file(value: str) -> str:
    """Read the value of an option from a file where it is @FILE, such as the demand of 8,760 hours."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{value[1:]} can't be read ({getattr(error, 'strerror', None) or error})") from error


def _answer(asked: Decision, pairs: Sequence[tuple[str, str]], prices: Sequence[Path], form: str) -> None:
    from app.decided import main_table, solved_csv, solved_json
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.decisions.asking import from_pairs
    from pricing.errors import InvalidInputError
    from pricing.reading import Reader

    try:
        table, limits = table_and_limits(prices)
        reader = Reader(table, catalogue(), today(), limits)
        if form == "receipt":
            from app.receipts import receipt_of

            write([receipt_of(asked.name, pairs, reader), b"\n"])
            return
        solved = from_pairs(asked, pairs, reader)
    except InvalidInputError as error:
        fail_of(error)
    if form == "json":
        write([solved_json(solved), b"\n"])
    elif form == "csv":
        write(solved_csv(solved, main_table(asked)))
        for warning in solved.warnings:
            tell(f"note: {warning.message}", err=True)
    else:
        tell("\n".join(solved_lines(solved)))


def solved_lines(solved: Solved) -> Iterator[str]:
    """Write a decision's answer for a terminal: sentences, figures, tables, notes."""
    from app.decided import shown_value
    from app.format import price
    from app.terminal import aligned

    asked, result, unit = solved.decision, solved.result, solved.case.question.unit
    if result.verdict:
        yield f"{result.verdict.replace('_', ' ')}: {asked.verdicts[result.verdict]}"
    yield from result.sentences
    shown = [
        (each.label, shown_value(each, result.values[each.name]), each.shown_unit(unit))
        for each in asked.figures
        if result.values.get(each.name) is not None
    ]
    if shown:
        yield ""
        yield from aligned(("figure", "value", "unit"), shown, (1,))
    for table in asked.tables:
        rows = result.rows.get(table.name, ())
        if rows:
            yield ""
            yield f"{table.title}:"
            cells = [[shown_value(c, v) for c, v in zip(table.columns, row, strict=True)] for row in rows]
            right = [i for i, c in enumerate(table.columns) if c.kind not in ("text", "date", "boolean")]
            yield from aligned([c.label for c in table.columns], cells, right)
    yield ""
    for each in result.prices:
        seen = f", seen {each.observed_on}" if each.observed_on else ""
        amount = f"{price(each.price_usd_per_hour)} USD per hour"
        yield f"Price: {each.name}, {amount}, {each.evidence}{seen}; source: {each.source or 'not stated'}."
    yield f"Prices as of {solved.case.question.as_of}."
    for warning in solved.warnings:
        yield f"Note: {warning.message}"
