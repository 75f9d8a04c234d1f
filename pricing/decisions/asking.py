"""From what a user gave to a decision's answer: the decision's inputs are split from the question's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from pricing.decisions.decision import Case, Decision, Solved
from pricing.decisions.inputs import InputsIn
from pricing.errors import MOST_OF_QUESTION, Fault, InvalidInputError, given_twice, near_matches, shown
from pricing.parameters import is_detail
from pricing.question import Question, QuestionIn
from pricing.reading import Reader
from pricing.refusals import sentence
from pricing.wording import listed, say, word

# What the parameters of a link are called in JSON, where they are not of the same name.
_IN_JSON = {"m": "measurements", "quote": "quotes", "discount": "discounts"}
_FILTERS = frozenset(
    ("provider", "region", "area", "purchase", "term_months", "accelerator", "vendor", "max_age_days",
     "max_price_usd_per_hour", "max_accelerators")
)  # fmt: skip


def takes_several(info: FieldInfo) -> bool:
    """Whether an input is a list of values."""
    return get_origin(info.annotation) is tuple


def from_pairs(decision: Decision, pairs: Sequence[tuple[str, str]], reader: Reader) -> Solved:
    """Answer a decision asked by a link, a form or a command line. InvalidInputError has every fault."""
    own = decision.inputs.model_fields
    faults: list[Fault] = []
    values: dict[str, list[str]] = {}
    asked: list[tuple[str, str]] = []
    for name, value in pairs:
        if name in own:
            if value.strip():
                values.setdefault(name, []).append(value.strip())
        elif name in decision.takes or name.startswith("utm_") or ("m" in decision.takes and is_detail(name)):
            asked.append((name, value))
        else:
            known = [*own, *decision.takes]
            faults.append(
                Fault((name[:100],), say("{name} is not a parameter.", name=shown(name)) + near_matches(name, known))
            )
    if decision.unit and not any(name == "unit" and value.strip() for name, value in asked):
        asked.append(("unit", decision.unit))
    data: dict[str, Any] = {}
    for name, texts in values.items():
        if takes_several(own[name]):
            data[name] = texts
        elif len(set(texts)) > 1:
            faults.append(given_twice(name, texts))
        else:
            data[name] = texts[-1]
    inputs = _inputs(decision, data, faults)
    question = None
    try:
        question = reader.from_pairs(asked, required=decision.measurements[0] > 0)
        _count(decision, question, ("m",), faults)
    except InvalidInputError as error:
        faults.extend(error.faults)
    return _solved(decision, inputs, question, reader, faults)


def from_json(decision: Decision, body: object, reader: Reader) -> Solved:
    """Answer a decision asked as JSON: its inputs beside the fields of a comparison."""
    if not isinstance(body, dict):
        raise InvalidInputError.at((), say("the body must be a JSON object"))
    own = decision.inputs.model_fields
    faults: list[Fault] = []
    asked = {name: value for name, value in body.items() if name not in own}
    known = json_fields(decision)
    for name in sorted(asked.keys() - set(known))[:MOST_OF_QUESTION]:
        faults.append(
            Fault((name[:100],), say("{name} is not a field.", name=shown(name)) + near_matches(name, [*own, *known]))
        )
    inputs = _inputs(decision, {name: value for name, value in body.items() if name in own}, faults)
    question = None
    try:
        taken = {name: value for name, value in asked.items() if name in known}
        if decision.unit:
            taken.setdefault("unit", decision.unit)
        question = reader.from_json(taken, required=decision.measurements[0] > 0)
        _count(decision, question, ("measurements",), faults)
    except InvalidInputError as error:
        faults.extend(error.faults)
    return _solved(decision, inputs, question, reader, faults)


def json_fields(decision: Decision) -> list[str]:
    """Return the fields of a comparison that a decision takes in JSON."""
    names = ["filters" if name in _FILTERS else _IN_JSON.get(name, name) for name in decision.takes]
    return [name for name in dict.fromkeys([*names, "offers"]) if name in QuestionIn.model_fields]


def _count(decision: Decision, question: Question, loc: tuple[str], faults: list[Fault]) -> None:
    least, most = decision.measurements
    number = len(question.measurements)
    if not least <= number <= most:
        fewest = say("1 measurement") if least == 1 else say("{count} measurements", count=least)
        wanted = fewest if number < least else say("at most {most}", most=most)
        roles = ": " + listed(map(word, decision.roles), "; ") if decision.roles else ""
        faults.append(
            Fault(
                loc,
                say(
                    "{number} measurements are given, and this takes {wanted}{roles}",
                    number=number,
                    wanted=wanted,
                    roles=roles,
                ),
            )
        )


def _inputs(decision: Decision, data: Mapping[str, Any], faults: list[Fault]) -> InputsIn | None:
    try:
        return decision.inputs.model_validate(data)
    except ValidationError as error:
        known: Iterable[str] = decision.inputs.model_fields
        faults.extend(
            Fault(tuple(item["loc"][:2]), sentence(dict(item), known)) for item in error.errors()[:MOST_OF_QUESTION]
        )
        return None


def _solved(
    decision: Decision, inputs: InputsIn | None, question: Question | None, reader: Reader, faults: list[Fault]
) -> Solved:
    if faults or inputs is None or question is None:
        raise InvalidInputError(faults)
    case = Case(inputs, question, reader.catalogue)
    # Without a measurement nothing is counted: a question has a unit all the same.
    taken = [pair for pair in question.pairs if pair[0] in decision.takes or is_detail(pair[0])]
    return Solved(decision, case, decision.solve(case), (*taken, *inputs.pairs()))
