"""How sure is it that A is cheaper than B, and what would turn it round?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pricing import sureness
from pricing.decisions.decision import Case, Decision, Figure, Result, Table, Value
from pricing.decisions.inputs import InputsIn, Portion, Text, given
from pricing.decisions.sides import Side, old_prices, side, used
from pricing.estimate import is_tied_across_measurements
from pricing.measurements import Rate
from pricing.offers import SAME_COST
from pricing.question import Warned
from pricing.wording import Sentence, say, word

VERDICTS = {
    "a_cheaper": "A is cheaper, and the difference is beyond the error of both measurements (95 %).",
    "b_cheaper": "B is cheaper, and the difference is beyond the error of both measurements (95 %).",
    "too_close_to_call": "The difference is within the error of the measurements: there is no winner.",
    "error_unknown": "A measurement has no spread, so nobody can say how sure the order is.",
    "not_comparable": "The measurements differ in something that makes a comparison meaningless.",
}
_OFFER = "USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]; blank is the cheapest offer."


class SureIn(InputsIn):
    """The prices of both sides, and the scatter from run to run where a measurement has none of its own."""

    a: Text | None = given(None, "A: price or offer", _OFFER, "aws/p5.48xlarge")
    b: Text | None = given(None, "B: price or offer", _OFFER, "aws/trn2.48xlarge")
    cv_a: Portion | None = given(
        None, "A: scatter from run to run", "Coefficient of variation of A's rate, where it is a single run.", "4%"
    )
    cv_b: Portion | None = given(
        None, "B: scatter from run to run", "Coefficient of variation of B's rate, where it is a single run.", "6%"
    )


FIGURES = (
    Figure("a_cost_usd", "A: cost", "{cost_unit}", "Cost on A."),
    Figure("b_cost_usd", "B: cost", "{cost_unit}", "Cost on B."),
    Figure("cost_ratio", "Cost of B over A", "times", "C_B / C_A."),
    Figure("standard_error", "Standard error of its logarithm", "", "√(se_A² + se_B²) of ln(rate)."),
    Figure("probability_a_cheaper", "Probability that A is cheaper", "", "Φ(ln(C_B / C_A) / se).", "share"),
    Figure("a_runs", "A: runs", "", "Runs behind A's rate.", "whole"),
    Figure("b_runs", "B: runs", "", "Runs behind B's rate.", "whole"),
    Figure("runs_to_settle", "Runs of each that would settle it", "", "(1.96 / ln ratio)² · (s_A² + s_B²).", "whole"),
    Figure("more_runs_a", "A: more runs", "", "Beyond those there are.", "whole"),
    Figure("more_runs_b", "B: more runs", "", "Beyond those there are.", "whole"),
)
FLIPS = Table(
    "flips",
    "What turns the order round",
    (
        Figure("side", "Side", "", "a or b.", "text"),
        Figure("what", "What", "", "price, throughput or utilization.", "text"),
        Figure("direction", "Change", "", "rises or falls.", "text"),
        Figure("by", "By", "", "Relative change at which both cost the same.", "share"),
        Figure("now", "Now", "", "Value now."),
        Figure("then", "Then", "", "Value at which both cost the same."),
        Figure("known", "How it is known", "", "Evidence and age of that value.", "text"),
    ),
    "Each alone, the smallest change first.",
)


# Side, what changes, how, by which share, value now and then, how it is known.
Flip = tuple[str, str, str, float, float, float, str]


def solve(case: Case) -> Result:
    """Work out how sure the order is and what would swap it."""
    inputs: SureIn = case.inputs
    a, b = side(case, 0, inputs.a, "a"), side(case, 1, inputs.b, "b")
    if a.cost is None or b.cost is None:
        raise TypeError("both sides have a measurement, so both have a cost")
    log_ratio = math.log(b.cost / a.cost)
    errors = [_error(case, i, each, cv) for i, (each, cv) in enumerate(((a, inputs.cv_a), (b, inputs.cv_b)))]
    values: dict[str, Value] = {"a_cost_usd": a.cost, "b_cost_usd": b.cost, "cost_ratio": b.cost / a.cost}
    verdict = "error_unknown"
    (s_a, runs_a), (s_b, runs_b) = errors
    if s_a is not None and s_b is not None:
        error = math.hypot(sureness.standard_error(s_a, runs_a), sureness.standard_error(s_b, runs_b))
        wanted = sureness.runs_to_settle(log_ratio, s_a, s_b)
        values |= {
            "standard_error": error,
            "probability_a_cheaper": sureness.probability_cheaper(log_ratio, error),
            "a_runs": runs_a,
            "b_runs": runs_b,
            "runs_to_settle": wanted,
            "more_runs_a": None if wanted is None else max(0, wanted - runs_a),
            "more_runs_b": None if wanted is None else max(0, wanted - runs_b),
        }
        close = abs(log_ratio) <= SAME_COST or bool(is_tied_across_measurements(log_ratio, error))
        verdict = "too_close_to_call" if close else "a_cheaper" if log_ratio > 0 else "b_cheaper"
    if case.blocked:
        verdict = "not_comparable"
    flips = sorted(_flips(case, a, b), key=lambda flip: flip[3])
    return Result(
        verdict,
        tuple(_sentences(case, a, b, verdict, values, flips)),
        values,
        {"flips": flips},
        (*case.comparison_warnings, *old_prices(a, b), *_without_error(case, errors)),
        prices=used(a, b),
    )


def _error(case: Case, i: int, chosen: Side, cv: float | None) -> tuple[float | None, int]:
    """Return the scatter from run to run and the number of runs; a measurement's own comes before `cv`."""
    rate = case.question.measurements[i].rate_for(case.question.unit.rate_field) or Rate(1.0)
    runs = len(rate.runs) or 1
    if chosen.log_se is not None:
        return sureness.spread_of_runs(chosen.log_se, runs), runs
    return cv, runs


def _without_error(case: Case, errors: list[tuple[float | None, int]]) -> Iterator[Warned]:
    for i, (measurement, (spread, _)) in enumerate(zip(case.question.measurements, errors, strict=True)):
        if spread is None:
            yield Warned(
                "no_spread",
                say(
                    "{label} is a single number: give repeats (5200/5150/5300), a spread (5200~150), or "
                    "cv_{value}, the coefficient of variation from run to run.",
                    label=measurement.label,
                    value="ab"[i],
                ),
            )


def _flips(case: Case, a: Side, b: Side) -> Iterator[Flip]:
    """Yield the single changes at which both cost the same."""
    (first, low), (second, high) = (("a", a), ("b", b)) if _cost(a) <= _cost(b) else (("b", b), ("a", a))
    rise, fall = sureness.rise_to_swap(_cost(low), _cost(high)), sureness.fall_to_swap(_cost(low), _cost(high))
    evidence = {"a": case.question.measurements[0].evidence, "b": case.question.measurements[1].evidence}
    yield first, "price", "rises", rise, low.price, low.price * (1 + rise), low.price_said
    yield second, "price", "falls", fall, high.price, high.price * (1 - fall), high.price_said
    rates = (low.rate or 0.0, high.rate or 0.0)
    yield first, "throughput", "falls", fall, rates[0], rates[0] * (1 - fall), evidence[first]
    yield second, "throughput", "rises", rise, rates[1], rates[1] * (1 + rise), evidence[second]
    yield first, "utilization", "falls", fall, low.utilization, low.utilization * (1 - fall), "your figure"
    if high.utilization * (1 + rise) <= 1:
        yield second, "utilization", "rises", rise, high.utilization, high.utilization * (1 + rise), "your figure"


def _cost(each: Side) -> float:
    return each.cost or 0.0


def _sentences(
    case: Case,
    a: Side,
    b: Side,
    verdict: str,
    values: dict[str, Value],
    flips: list[Flip],
) -> Iterator[str]:
    unit = case.question.unit
    costs = say(
        "A ({label} on {name}) {cost:significant}, B ({label_2} on {name_2}) {cost_2:significant} {cost_unit}",
        label=a.label,
        name=a.name,
        cost=a.cost,
        label_2=b.label,
        name_2=b.name,
        cost_2=b.cost,
        cost_unit=unit.cost_unit,
    )
    probability = values.get("probability_a_cheaper")
    said = (
        say(" A is cheaper with a probability of {probability:percent}.", probability=probability)
        if isinstance(probability, float)
        else ""
    )
    if verdict in ("a_cheaper", "b_cheaper"):
        name = "A" if verdict == "a_cheaper" else "B"
        saved = sureness.fall_to_swap(min(_cost(a), _cost(b)), max(_cost(a), _cost(b)))
        yield say("{name} is {saved:percent} cheaper: {costs}.{said}", name=name, saved=saved, costs=costs, said=said)
    elif verdict == "too_close_to_call":
        yield say("Too close to call: {costs}.{said}", costs=costs, said=said)
    elif verdict == "not_comparable":
        yield say("These can't be compared: {costs}.", costs=costs)
    else:
        yield say("How sure this is, nobody can say: {costs}.", costs=costs)
    wanted = values.get("runs_to_settle")
    if verdict == "too_close_to_call":
        yield (
            say("{wanted:,} runs of each would settle it, if the means stay where they are.", wanted=wanted)
            if isinstance(wanted, int)
            else say("No number of runs would settle it: the costs are as good as equal.")
        )
    if flips and verdict != "not_comparable":
        prices = [flip for flip in flips if flip[1] == "price"]
        for side_name, what, direction, by, *_, known in [flips[0], *(flip for flip in prices if flip is not flips[0])]:
            yield say(
                "It flips if the {what} of {upper} {direction} {by:percent} ({known}).",
                what=word(what),
                upper=side_name.upper(),
                direction=word(direction),
                by=by,
                known=known if isinstance(known, Sentence) else word(known),
            )


DECISION = Decision(
    "sure",
    "How sure is it?",
    "A looks cheaper than B. How sure is that, given the scatter of both measurements; how many more runs would settle "
    "it; and which single change would turn it round?",
    SureIn,
    solve,
    FIGURES,
    (
        ("unit", "output_token"),
        ("m", "A@H100-SXM:8=5400"),
        ("m", "B@H100-SXM:8=5000"),
        ("a", "10"),
        ("b", "10"),
        ("cv_a", "4%"),
        ("cv_b", "6%"),
    ),
    (FLIPS,),
    verdicts=VERDICTS,
    measurements=(2, 2),
    roles=("A", "B"),
)
