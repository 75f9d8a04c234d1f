"""Is the claim true for me? "B gives r times the units per dollar of A" against prices and measurements."""

from __future__ import annotations

from collections.abc import Iterator

from pricing import claims, estimate
from pricing.decisions.decision import Case, Decision, Figure, Result, Table, Value
from pricing.decisions.inputs import InputsIn, More, NotNegative, Portion, Text, given
from pricing.decisions.sides import Side, at, named_prices, of_measurement, old_prices, side, used
from pricing.errors import InvalidInputError
from pricing.question import Warned
from pricing.wording import listed, say, word

UNPROVEN = ("claimed", "assumed")
_RATIO = say("say what is claimed, in one of three ways: ratio=1.7, more_per_dollar=70%, or cheaper=41.2%")


class ClaimIn(InputsIn):
    """What is claimed, and the prices of both sides."""

    ratio: NotNegative | None = given(
        None, "Claimed ratio", "Units per dollar of B as a multiple of A's; 1.7 is 70 % more per dollar.", "1.7"
    )
    more_per_dollar: More | None = given(
        None,
        "Or: so much more per dollar",
        "The same claim as a share more per dollar: 70% is a ratio of 1.7.",
        "70%",
    )
    cheaper: Portion | None = given(
        None, "Or: so much cheaper", "The same claim as a share off the cost: 41.2% is a ratio of 1.7.", "41.2%"
    )
    a: Text | None = given(
        None,
        "A: price or offer",
        "What you use now: USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]; blank is the "
        "cheapest offer of A's measurement.",
        "aws/p5.48xlarge",
    )
    b: Text | None = given(
        None,
        "B: price or offer",
        "What the claim is about, in the same way; blank is the cheapest offer of B's measurement.",
        "aws/trn2.48xlarge",
    )
    claimed_by: Text | None = given(None, "Who claims it", "Who says so, where and when; kept in the report.", "")

    def claimed(self) -> float:
        """Return the claimed ratio of units per dollar; InvalidInputError unless it is given once and above 0."""
        ways = ("ratio", "more_per_dollar", "cheaper")
        said = [name for name in ways if getattr(self, name) is not None]
        if len(said) != 1:
            extra = say("; {said} are both given", said=listed(said, " and ")) if said else ""
            raise InvalidInputError.at((said[-1] if said else "ratio",), _RATIO + extra)
        if self.more_per_dollar is not None:
            return claims.ratio_of_share_more(self.more_per_dollar)
        if self.cheaper is not None:
            try:
                return claims.ratio_of_share_cheaper(self.cheaper)
            except ValueError as error:
                raise InvalidInputError.at(("cheaper",), str(error)) from error
        return self.ratio or 0.0


CLAIM_FIGURES = (
    Figure("claimed_ratio", "Claimed ratio", "times", "Units per dollar of B over A's, as claimed."),
    Figure("claimed_share_cheaper", "That is cheaper by", "", "1 - 1 / claimed ratio.", "share"),
    Figure("a_price_usd_per_hour", "A: price", "USD per hour", "Of the whole instance.", "usd"),
    Figure("b_price_usd_per_hour", "B: price", "USD per hour", "Of the whole instance.", "usd"),
    Figure("factor_needed_for_claim", "B must do, for the claim", "times A's rate", "r · P_B / P_A."),
    Figure("factor_needed_to_break_even", "B must do, to break even", "times A's rate", "P_B / P_A."),
    Figure("a_rate_per_second", "A: rate", "{rate_unit}", "Counted rate on that instance."),
    Figure("rate_needed_for_claim_per_second", "Rate B needs for the claim", "{rate_unit}", "r · R_A · P_B / P_A."),
    Figure("rate_needed_to_break_even_per_second", "Rate B needs to break even", "{rate_unit}", "R_A · P_B / P_A."),
    Figure("b_rate_per_second", "B: rate", "{rate_unit}", "Counted rate on that instance."),
    Figure("a_cost_usd", "A: cost", "{cost_unit}", "Cost on A."),
    Figure("b_cost_usd", "B: cost", "{cost_unit}", "Cost on B."),
    Figure("actual_ratio", "Measured ratio", "times", "Cost on A / cost on B."),
    Figure("actual_ratio_low", "Its 95 % interval from", "", "Delta method on the log scale."),
    Figure("actual_ratio_high", "to", "", "Delta method on the log scale."),
    Figure("b_price_for_claim_usd_per_hour", "The claim holds up to this price of B", "USD per hour",
           "P_B · actual ratio / r.", "usd"),
    Figure("b_price_to_break_even_usd_per_hour", "B breaks even up to this price", "USD per hour",
           "P_B · actual ratio.", "usd"),
)  # fmt: skip
OPTIONS = Table(
    "options",
    "Where it holds",
    (
        Figure("b_offer", "B", "", "Offer of B, cheapest first.", "text"),
        Figure("purchase", "Purchase", "", "Purchase option of both.", "text"),
        Figure("term_months", "Term", "months", "Months of commitment.", "whole"),
        Figure("region", "Region", "", "Region of B's offer.", "text"),
        Figure("b_price_usd_per_hour", "B: price", "USD per hour", "Of B's offer.", "usd"),
        Figure("a_offer", "A, bought the same way", "", "Cheapest offer of A's instance type under the same purchase "
               "option and term, in the same region where there is one.", "text"),
        Figure("a_price_usd_per_hour", "A: price", "USD per hour", "Of that offer.", "usd"),
        Figure("factor_needed_for_claim", "B must do", "times A's rate", "r · P_B / P_A."),
        Figure("actual_ratio", "Measured ratio", "units per dollar", "Cost on A / cost on B at these prices."),
        Figure("verdict", "Holds", "", "Verdict at these prices.", "text"),
        Figure("b_price_observed_on", "B: seen", "", "Date of B's price.", "date"),
        Figure("a_price_observed_on", "A: seen", "", "Date of A's price.", "date"),
    ),
    "Like for like: spot against spot, list against list. A claim may hold for one way to buy and fail for another.",
)  # fmt: skip


def solve(case: Case) -> Result:
    """Work out what the claim needs and, where both sides are measured, whether it holds."""
    inputs: ClaimIn = case.inputs
    ratio = inputs.claimed()
    if not 0 < ratio <= 1e6:
        raise InvalidInputError.at(
            ("ratio",), say("a ratio of {ratio:g} can't be; write a number above 0, such as 1.7", ratio=ratio)
        )
    a, b = side(case, 0, inputs.a, "a"), side(case, 1, inputs.b, "b")
    factor = claims.factor_needed(ratio, a.price, b.price, a.utilization, b.utilization)
    even = claims.factor_needed(1.0, a.price, b.price, a.utilization, b.utilization)
    values: dict[str, Value] = {
        "claimed_ratio": ratio,
        "claimed_share_cheaper": estimate.share_saved(1.0, ratio),
        "a_price_usd_per_hour": a.price,
        "b_price_usd_per_hour": b.price,
        "factor_needed_for_claim": factor,
        "factor_needed_to_break_even": even,
        "a_rate_per_second": a.rate,
        "rate_needed_for_claim_per_second": None if a.rate is None else factor * a.rate,
        "rate_needed_to_break_even_per_second": None if a.rate is None else even * a.rate,
        "b_rate_per_second": b.rate,
        "a_cost_usd": a.cost,
        "b_cost_usd": b.cost,
    }
    measured = _measured(case, ratio, a, b, values)
    rows = list(_options(case, ratio, a, b))
    return Result(
        measured,
        tuple(_sentences(case, inputs, ratio, a, b, values, measured)),
        values,
        {"options": rows},
        (*case.comparison_warnings, *old_prices(a, b), *_of_evidence(case)),
        prices=used(a, b),
    )


def _measured(case: Case, ratio: float, a: Side, b: Side, values: dict[str, Value]) -> str:
    """Fill in the measured ratio and return the verdict."""
    if a.cost is None or b.cost is None:
        return "no_figures"
    actual = a.cost / b.cost
    interval = claims.ratio_interval(actual, a.log_se, b.log_se)
    values["actual_ratio"] = actual
    values["actual_ratio_low"], values["actual_ratio_high"] = interval or (None, None)
    values["b_price_for_claim_usd_per_hour"] = claims.price_needed(ratio, b.price, actual)
    values["b_price_to_break_even_usd_per_hour"] = claims.price_needed(1.0, b.price, actual)
    if any(m.evidence in UNPROVEN for m in case.question.measurements):
        return "no_figures"
    return "inconclusive" if case.blocked else claims.verdict(ratio, interval)


def _of_evidence(case: Case) -> Iterator[Warned]:
    for measurement in case.question.measurements:
        if measurement.evidence in UNPROVEN:
            yield Warned(
                "evidence_is_no_measurement",
                say(
                    "{label} is {evidence}, not measured: it can't support a claim.",
                    label=measurement.label,
                    evidence=word(measurement.evidence),
                ),
            )


def _sentences(
    case: Case, inputs: ClaimIn, ratio: float, a: Side, b: Side, values: dict[str, Value], measured: str
) -> Iterator[str]:
    unit = case.question.unit
    who = f" ({inputs.claimed_by})" if inputs.claimed_by else ""
    saved = estimate.share_saved(1.0, ratio)
    direction = (
        say("{share:percent} cheaper", share=saved) if ratio >= 1 else say("{share:percent} dearer", share=-saved)
    )
    yield say(
        "The claim{who}: B gives {ratio:significant} times the units per dollar of A, which is {direction}.",
        who=who,
        ratio=ratio,
        direction=direction,
    )
    actual = values.get("actual_ratio")
    if isinstance(actual, float):
        low, high = values["actual_ratio_low"], values["actual_ratio_high"]
        bounds = (
            say(" (95 % interval {low:significant} to {high:significant})", low=low, high=high)
            if isinstance(low, float) and isinstance(high, float)
            else say(" (no interval: give repeats or a spread of both measurements)")
        )
        yield say(
            "Your figures give {actual:significant} times{bounds}: {said}.",
            actual=actual,
            bounds=bounds,
            said=claims.SAID[measured],
        )
        price = values["b_price_for_claim_usd_per_hour"]
        if isinstance(price, float):
            yield say("At these rates it holds up to a price of B of {price:significant4} USD per hour.", price=price)
    else:
        yield say(
            "For that to be true for you, B must do {values_number:significant} times A's rate; to break "
            "even, {values_number_2:significant} times.",
            values_number=values_number(values, "factor_needed_for_claim"),
            values_number_2=values_number(values, "factor_needed_to_break_even"),
        )
    needed = values["rate_needed_for_claim_per_second"]
    if isinstance(needed, float):
        even = values_number(values, "rate_needed_to_break_even_per_second")
        yield say(
            "B needs {needed:significant} {rate_unit} for the claim and {even:significant} to break even.",
            needed=needed,
            rate_unit=unit.rate_unit,
            even=even,
        )
    yield say(
        "A: {name} at {price:significant4} USD per hour ({price_said}).",
        name=a.name,
        price=a.price,
        price_said=a.price_said,
    )
    yield say(
        "B: {name} at {price:significant4} USD per hour ({price_said}).",
        name=b.name,
        price=b.price,
        price_said=b.price_said,
    )


def values_number(values: dict[str, Value], name: str) -> float:
    """Return a figure that is a number."""
    value = values[name]
    if not isinstance(value, float):
        raise TypeError(f"{name} is {value!r}")
    return value


def _options(case: Case, ratio: float, a: Side, b: Side) -> Iterator[tuple[Value, ...]]:
    """Go over B's offers, each against A bought in the same way."""
    if a.row is None or b.row is None:
        return
    mine = [each for each in _sides(case, 0, a) if each.value("instance_type") == a.value("instance_type")]
    for each in _sides(case, 1, b):
        same = [m for m in mine if all(m.value(n) == each.value(n) for n in ("purchase", "term_months"))]
        there = [m for m in same if m.value("region") == each.value("region")]
        like = next(iter(there or same), None)
        factor = actual = None
        said = "no like price of A"
        if like is not None:
            factor = claims.factor_needed(ratio, like.price, each.price, like.utilization, each.utilization)
            said = "no_figures"
            if like.cost is not None and each.cost is not None:
                actual = like.cost / each.cost
                said = claims.verdict(ratio, claims.ratio_interval(actual, like.log_se, each.log_se))
        yield (
            each.name, each.value("purchase"), each.value("term_months"), each.value("region"), each.price,
            like.name if like else None, like.price if like else None, factor, actual, said,
            each.value("price_observed_on"), like.value("price_observed_on") if like else None,
        )  # fmt: skip


def _sides(case: Case, i: int, chosen: Side) -> list[Side]:
    if i < len(case.question.measurements):
        rows = of_measurement(case, i)
        return [at(case, rows, place) for place in range(len(rows))]
    return named_prices(case, f"{chosen.value('provider')}/{chosen.value('instance_type')}")


DECISION = Decision(
    "claim",
    "Is the claim true for me?",
    "A seller says that B gives more units per dollar than A. What must B reach for that to be true at your prices, "
    "and does it, by your measurements?",
    ClaimIn,
    solve,
    CLAIM_FIGURES,
    (
        ("unit", "audio_hour"),
        ("more_per_dollar", "70%"),
        ("a", "aws/p5.48xlarge"),
        ("b", "aws/trn2.48xlarge"),
        ("claimed_by", "a seller, October 2026, of Trainium: one speech company processes 70 % more audio per dollar"),
    ),
    (OPTIONS,),
    verdicts=claims.VERDICTS,
    measurements=(0, 2),
    roles=("A: what you use now", "B: what the claim is about"),
)
