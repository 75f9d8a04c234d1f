"""Making receipts of answers, and working them out again from nothing but themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import orjson

from app.decided import solved_dict
from app.exports import answer_dict, dumps
from pricing import receipts
from pricing.accelerators import Catalogue, catalogue
from pricing.compare import compare
from pricing.decisions import DECISIONS, decision_named
from pricing.decisions.asking import from_json, from_pairs
from pricing.errors import InvalidInputError, shown
from pricing.question import Question
from pricing.reading import Reader
from pricing.sources.own_schema import read_rows

COMPARE = "compare"
Pairs = Sequence[tuple[str, str]]
_FIELDS = ("receipt", "formulas", "asked", "prices", "answer", "sha256")


def receipt_of(kind: str, asked: Pairs | Mapping[str, Any], reader: Reader) -> bytes:
    """Make the receipt of a question as JSON; `asked` are name-value pairs or a JSON body."""
    question, answer, pairs = _asked(kind, asked, reader)
    if not isinstance(asked, Mapping):
        # Written out in full: a receipt has to mean the same tomorrow.
        asked = [*((n, v) for n, v in pairs if n != "as_of"), ("as_of", str(question.as_of))]
    else:
        asked = {**asked, "as_of": str(question.as_of)}
    texts = [value for _, value in asked] if not isinstance(asked, Mapping) else _texts(asked)
    names = receipts.names_in(question, texts, reader.catalogue.accelerators)
    for some in (names, None):
        made = _made(kind, asked, question, answer, receipts.rows_behind(question, reader.table, some))
        if not differences_now(made):
            return orjson.dumps(made)
    raise RuntimeError("the answer does not come out again from the prices behind it")


def _texts(body: object) -> list[str]:
    if isinstance(body, Mapping):
        return [text for value in body.values() for text in _texts(value)]
    if isinstance(body, list):
        return [text for value in body for text in _texts(value)]
    return [body] if isinstance(body, str) else []


def _asked(
    kind: str, asked: Pairs | Mapping[str, Any], reader: Reader
) -> tuple[Question, dict[str, object], Sequence[tuple[str, str]]]:
    if kind == COMPARE:
        question = reader.from_json(asked) if isinstance(asked, Mapping) else reader.from_pairs(asked)
        return question, answer_dict(compare(question, reader.catalogue)), question.pairs
    decision = decision_named(kind)
    solved = from_json(decision, asked, reader) if isinstance(asked, Mapping) else from_pairs(decision, asked, reader)
    return solved.case.question, solved_dict(solved), solved.pairs


def _made(
    kind: str, asked: object, question: Question, answer: dict[str, object], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "receipt": receipts.FORMAT,
        "formulas": receipts.FORMULAS,
        "asked": {"kind": kind, "question": asked, "as_of": question.as_of},
        "prices": rows,
        "answer": answer,
    }
    # Hashed as it will be read: dates as text, unknown as null.
    made = orjson.loads(dumps(made))
    return made | {"sha256": receipts.digest(made)}


def read_receipt(data: bytes, name: str) -> dict[str, Any]:
    """Read a receipt. InvalidInputError says what is wrong with the file."""
    try:
        receipt = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError.at((), f"{shown(name)} is not JSON: {error}") from error
    if not isinstance(receipt, dict) or any(field not in receipt for field in _FIELDS):
        raise InvalidInputError.at((), f"{shown(name)} is not a receipt; it needs {', '.join(_FIELDS)}")
    if receipt["receipt"] != receipts.FORMAT:
        said = f"{shown(name)} is a receipt of format {receipt['receipt']!r}; this version reads {receipts.FORMAT}"
        raise InvalidInputError.at((), said)
    asked = receipt["asked"]
    kinds = (COMPARE, *DECISIONS)
    if not isinstance(asked, dict) or asked.get("kind") not in kinds or not isinstance(receipt["answer"], dict):
        raise InvalidInputError.at((), f"{shown(name)}: `asked.kind` must be one of {', '.join(kinds)}")
    return receipt


def verified(receipt: dict[str, Any]) -> list[str]:
    """Return what is wrong with a receipt: its hash, and what comes out differently; nothing if all agrees."""
    found = []
    try:
        changed = receipts.digest(receipt) != receipt["sha256"]
    except ValueError:
        changed = True
    if changed:
        found.append("sha256: the receipt was changed after it was made")
    if receipt["formulas"] != receipts.FORMULAS:
        found.append(f"formulas: version {receipt['formulas']!r}, now {receipts.FORMULAS}")
    return found + differences_now(receipt)


def differences_now(receipt: Mapping[str, Any], names: Catalogue | None = None) -> list[str]:
    """Work a receipt's answer out again from its own prices; return where it differs."""
    known = names or catalogue()
    try:
        as_of = date.fromisoformat(str(receipt["asked"].get("as_of")))
        rows = receipt["prices"]
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("prices: must be a list of rows")
        asked = receipt["asked"].get("question")
        if isinstance(asked, list):
            asked = [(str(name), str(value)) for name, value in asked]
        elif not isinstance(asked, dict):
            raise ValueError("asked.question: must be pairs or a body")
        reader = Reader(read_rows(rows, known, as_of), known, as_of)
        _, answer, _ = _asked(str(receipt["asked"]["kind"]), asked, reader)
    except (ValueError, TypeError) as error:
        return [f"it can't be worked out again: {line}" for line in str(error).splitlines()]
    again = orjson.loads(dumps(answer))
    old = receipt["answer"]
    return [
        line
        for name in receipts.COMPARED
        if name in old or name in again
        for line in receipts.differences(old.get(name), again.get(name), name)
    ]
