"""Answers of decisions as JSON, CSV and text, all from the decision's own lists of figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.exports import dumps, table_csv, warning_dicts
from app.format import day, percent, price, sentence, significant, whole, words
from app.languages import gettext, translated
from pricing.decisions.decision import Decision, Figure, Solved, Table, Value
from pricing.wording import UNKNOWN, Sentence

FIGURE_HEADER = ("figure", "value", "unit", "meaning")
# Figures whose texts are of closed lists; others are data and stay as they are.
CLOSED = frozenset(
    ("purchase", "verdict", "cheaper", "side", "what", "direction", "known",
     "mode", "stage", "choice", "price_evidence", "better", "cheapest_way")
)  # fmt: skip


def solved_dict(solved: Solved) -> dict[str, object]:
    """Return a decision's answer in the shape of its JSON."""
    decision, result, question = solved.decision, solved.result, solved.case.question
    return {
        "decision": decision.name,
        "as_of": question.as_of,
        "unit": question.unit.id,
        "cost_unit": question.unit.cost_unit,
        "verdict": result.verdict,
        "statement": result.sentences,
        "figures": {figure.name: result.values.get(figure.name) for figure in decision.figures},
        "tables": {table.name: table_rows(solved, table) for table in decision.tables},
        "prices_used": result.prices,
        "comparability": solved.case.answer.comparability if question.measurements else (),
        "warnings": warning_dicts(solved.warnings),
        "prices": solved.prices,
        "question": [list(pair) for pair in solved.pairs],
    }


def solved_json(solved: Solved) -> bytes:
    """Write a decision's answer as JSON."""
    return dumps(solved_dict(solved))


def table_rows(solved: Solved, table: Table) -> list[dict[str, Value]]:
    """Return the rows of one of its tables, one mapping each."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in solved.result.rows.get(table.name, ())]


def solved_csv(solved: Solved, table: Table | None) -> Iterator[bytes]:
    """Write one of its tables as CSV, or, without one, its figures, one a line."""
    if table is not None:
        return table_csv([column.name for column in table.columns], solved.result.rows.get(table.name, ()))
    unit = solved.case.question.unit
    rows: list[Sequence[object]] = [("verdict", solved.result.verdict, "", "")] if solved.decision.verdicts else []
    rows += [
        (figure.name, solved.result.values.get(figure.name), figure.shown_unit(unit), figure.doc)
        for figure in solved.decision.figures
    ]
    return table_csv(FIGURE_HEADER, rows)


def main_table(decision: Decision) -> Table | None:
    """Return the table that is the decision's CSV; None where its figures are."""
    return next((table for table in decision.tables if table.name == decision.main), None)


def shown_value(figure: Figure, value: Value) -> str:
    """Write a figure for people: rounded, shares as percentages, unknown as n/a."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if figure.kind == "usd":
        return price(value)
    if figure.kind == "share":
        return percent(value)
    return whole(int(value)) if figure.kind == "whole" else significant(value)


def shown_on_page(figure: Figure, value: Value) -> str:
    """Write a figure for a page: as `shown_value`, with dates and words of closed lists in its language."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if not isinstance(value, str):
        return shown_value(figure, value)
    if figure.kind == "date":
        return day(value)
    if isinstance(value, Sentence):
        return translated(value)
    if figure.name == "notes":
        return sentence(value)
    return words(value) if figure.name in CLOSED else value
