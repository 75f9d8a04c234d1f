"""Or buy the API? What hosted models charge for one machine's work, and the volume from which the machine pays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pricing import hosted
from pricing.decisions.decision import Case, Decision, Figure, Lines, Result, Series, Table, Value
from pricing.decisions.hosted_offers import AUDIO, ApiPricesIn, Offered, flows_of, offered_to
from pricing.decisions.sides import Side, old_prices, side, used
from pricing.errors import InvalidInputError
from pricing.question import Warned
from pricing.units import HOURS_PER_MONTH
from pricing.wording import listed, say, word

MOST_STEPS = 12
VERDICTS = {
    "machine": "A machine that is kept busy is cheaper than every hosted price listed.",
    "api": "Every hosted price listed is below the cost of even a full machine; no volume makes up for that.",
    "depends": "A machine that is kept busy is cheaper than some of the hosted prices listed, and dearer than others.",
}


@dataclass(frozen=True)
class Machine:
    """One machine: USD per hour, and single units that it makes in a paid hour."""

    side: Side
    price: float
    per_hour: float


FIGURES = (
    Figure("machine", "Your machine", "", "The offer whose price counts.", "text"),
    Figure("machine_price_usd_per_hour", "Its price", "USD per hour", "Of the whole instance.", "usd"),
    Figure("machine_cost_usd", "Its cost", "{cost_unit}", "P / (3600 · R · u) · quantity."),
    Figure("machine_units_per_hour", "Its work in a paid hour", "{single}", "3600 · R · u."),
    Figure("machine_input_tokens_per_second", "Its input", "tokens/s", "At full load."),
    Figure("machine_output_tokens_per_second", "Its output", "tokens/s", "At full load."),
    Figure("api", "Cheapest hosted model listed", "", "PROVIDER/MODEL.", "text"),
    Figure("api_cost_usd", "What it charges", "{cost_unit}", "For this traffic, all its tokens or billed seconds."),
    Figure("api_usd_per_machine_hour", "For the machine's work in an hour", "USD", "Charge per unit · units.", "usd"),
    Figure("ratio_to_machine", "That is", "times the machine's price", "Above 1 the machine is cheaper."),
    Figure("break_even_units_per_month", "One machine pays from", "{single} per month", "P · 730 / charge per unit; "
           "n/a: never, since a full machine costs more than the API."),
    Figure("break_even_usd_per_month", "For which the API charges", "USD per month", "P · 730.", "usd"),
    Figure("break_even_share_of_machine", "That is of its work", "", "At the utilization given.", "share"),
    Figure("lasting_units_per_month", "Machines pay for good from", "{single} per month",
           "Below it, the next whole machine can make the API cheaper again."),
    Figure("lasting_machines", "With", "machines", "At that volume.", "whole"),
    Figure("lasting_usd_per_month", "For which the API charges", "USD per month", "n · P · 730.", "usd"),
    Figure("machines_for_volume", "Machines for your volume", "machines", "ceil(V / (units per hour · 730)).", "whole"),
    Figure("machines_usd_per_month", "They cost", "USD per month", "n · P · 730, used or not.", "usd"),
    Figure("api_usd_per_month", "The API charges for your volume", "USD per month", "V · charge per unit.", "usd"),
)  # fmt: skip
PRICES = Table(
    "prices",
    "Hosted prices for this traffic",
    (
        Figure("provider", "Seller", "", "Who hosts it.", "text"),
        Figure("model", "Model", "", "As the seller calls it.", "text"),
        Figure("mode", "Mode", "", "Batch or streaming, where the name tells.", "text"),
        Figure("api_cost_usd", "Charge", "{cost_unit}", "For this traffic."),
        Figure("api_usd_per_machine_hour", "For a machine's hour", "USD", "What the work of one machine in a paid hour "
               "would cost.", "usd"),
        Figure("ratio_to_machine", "Over the machine's price", "times", "Above 1 the machine is cheaper."),
        Figure("cheaper", "Cheaper at full use", "", "machine or api, at the utilization given.", "text"),
        Figure("break_even_units_per_month", "One machine pays from", "{single} per month", "n/a: never."),
        Figure("break_even_usd_per_month", "Charge for that", "USD per month", "P · 730; n/a: never.", "usd"),
        Figure("lasting_units_per_month", "For good from", "{single} per month", "In whole machines; n/a: never."),
        Figure("lasting_machines", "With", "machines", "At that volume.", "whole"),
        Figure("machines_usd_per_month", "Machines for your volume", "USD per month", "Whole machines.", "usd"),
        Figure("api_usd_per_month", "API for your volume", "USD per month", "V · charge per unit.", "usd"),
        Figure("observed_on", "Seen", "", "Date of the price, or of the package that has it.", "date"),
        Figure("notes", "Notes", "", "What is not counted, or not known.", "text"),
        Figure("source", "Source", "", "Where the price comes from.", "text"),
    ),
    "A hosted model and yours are compared by price alone; whether they are as good and as fast is for you to say.",
)  # fmt: skip


Money = dict[str, float | None]
_MONEY = tuple(figure.name for figure in FIGURES if not figure.name.startswith("machine_") and figure.kind != "text")


def solve(case: Case) -> Result:
    """Price the machine's work at every hosted model that is asked for."""
    inputs: ApiPricesIn = case.inputs
    unit = case.question.unit
    if not 1 <= inputs.channels <= 64:
        raise InvalidInputError.at(
            ("channels",), say("{channels} channels can't be; write a number from 1 to 64", channels=inputs.channels)
        )
    own = side(case, 0, inputs.machine, "machine")
    if own.rate is None:
        raise InvalidInputError.at(("m",), say("the measurement has no rate in {rate_unit}", rate_unit=unit.rate_unit))
    machine = Machine(own, own.price, hosted.units_per_hour(own.rate, own.utilization, unit))
    flows = flows_of(case, own)
    offered = offered_to(case, flows, own.rate / unit.single)
    figures = [_figures(case, machine, each) for each in offered]
    values: dict[str, Value] = {figure.name: None for figure in FIGURES} | {
        "machine": own.name,
        "machine_price_usd_per_hour": own.price,
        "machine_cost_usd": own.cost,
        "machine_units_per_hour": machine.per_hour,
        "machine_input_tokens_per_second": None if flows is None else flows.input,
        "machine_output_tokens_per_second": None if flows is None else flows.output,
        "machines_for_volume": _machines(inputs, machine),
    }
    if offered[0].usd_per_unit is not None:
        values |= {"api": offered[0].name} | {name: value for name, value in figures[0].items() if name in values}
    rows = [_row(each, found) for each, found in zip(offered, figures, strict=True)]
    return Result(
        _verdict(figures),
        tuple(_sentences(case, inputs, machine, offered, figures, values)),
        values,
        {"prices": rows},
        (*case.comparison_warnings, *old_prices(own), *_warnings(case, inputs, offered)),
        _chart(case, machine, offered[0], figures[0]),
        used(own),
    )


def _machines(inputs: ApiPricesIn, machine: Machine) -> int | None:
    volume = inputs.units_per_month
    return None if volume is None else hosted.machines_for(volume, machine.per_hour)


def _cheaper(found: Money) -> str | None:
    ratio = found["ratio_to_machine"]
    return None if ratio is None else "machine" if ratio > 1 else "api" if ratio < 1 else "same"


def _figures(case: Case, machine: Machine, offered: Offered) -> Money:
    """Work out what one hosted price comes to against the machine."""
    inputs: ApiPricesIn = case.inputs
    unit, price, per_unit = case.question.unit, machine.price, offered.usd_per_unit
    found: Money = dict.fromkeys(_MONEY)
    needed = _machines(inputs, machine)
    found["machines_for_volume"] = needed
    found["machines_usd_per_month"] = None if needed is None else hosted.month_of_machines(price, needed)
    if per_unit is None:
        return found
    charge = per_unit * machine.per_hour
    found["api_cost_usd"] = per_unit * (unit.quoted / unit.single)
    found["api_usd_per_machine_hour"] = charge
    found["ratio_to_machine"] = charge / price
    volume = inputs.units_per_month
    found["api_usd_per_month"] = None if volume is None else volume * per_unit
    one = hosted.break_even_units(price, per_unit, machine.per_hour)
    if one is not None:
        found["break_even_units_per_month"] = one
        found["break_even_usd_per_month"] = hosted.month_of_machines(price, 1)
        found["break_even_share_of_machine"] = price / charge
    many = hosted.lasting_machines(price, per_unit, machine.per_hour)
    if many is not None:
        found["lasting_units_per_month"] = hosted.break_even_units(price, per_unit, machine.per_hour, many)
        found["lasting_machines"] = many
        found["lasting_usd_per_month"] = hosted.month_of_machines(price, many)
    return found


def _row(offered: Offered, found: Money) -> tuple[Value, ...]:
    price = offered.price
    seen = None if price.observed_on is None else price.observed_on.isoformat()
    said: dict[str, Value] = {
        **found, "cheaper": _cheaper(found), "provider": price.provider, "model": price.model, "mode": offered.mode,
        "observed_on": seen, "notes": offered.note or None, "source": price.source,
    }  # fmt: skip
    return tuple(said[column.name] for column in PRICES.columns)


def _verdict(figures: list[Money]) -> str | None:
    said = {_cheaper(found) for found in figures} - {None}
    if not said:
        return None
    return "machine" if said == {"machine"} else "api" if said == {"api"} else "depends"


def _sentences(
    case: Case,
    inputs: ApiPricesIn,
    machine: Machine,
    offered: list[Offered],
    figures: list[Money],
    values: dict[str, Value],
) -> Iterator[str]:
    noun = case.question.unit.single_noun
    first, found, own = offered[0], figures[0], machine.side
    yield say(
        "One machine, {name} at {price:significant} USD per hour ({price_said}), makes "
        "{per_hour:significant} {noun} in a paid hour.",
        name=own.name,
        price=own.price,
        price_said=own.price_said,
        per_hour=machine.per_hour,
        noun=noun,
    )
    if first.usd_per_unit is None:
        yield say("None of the hosted prices listed can be counted for this traffic; the notes say why.")
        return
    seen = say("on an unknown day") if first.price.observed_on is None else first.price.observed_on
    yield say(
        "The cheapest hosted price listed, {name} (seen {seen}), charges "
        "{api_usd_per_machine_hour:significant} USD for that work, {ratio_to_machine:significant} "
        "times the machine's price.",
        name=first.name,
        seen=seen,
        api_usd_per_machine_hour=found["api_usd_per_machine_hour"],
        ratio_to_machine=found["ratio_to_machine"],
    )
    yield _pays_from(found, noun)
    dearer = sum(_cheaper(each) == "machine" for each in figures)
    if len(offered) > 1:
        yield say(
            "A machine kept as busy as said is cheaper than {dearer:,} of the {number:,} hosted prices listed.",
            dearer=dearer,
            number=len(offered),
        )
    if inputs.units_per_month is not None:
        yield say(
            "For {units_per_month:significant} {noun} a month, {machines_for_volume:,} machines cost "
            "{machines_usd_per_month:significant} USD, and the API {api_usd_per_month:significant} USD.",
            units_per_month=inputs.units_per_month,
            noun=noun,
            machines_for_volume=values["machines_for_volume"],
            machines_usd_per_month=found["machines_usd_per_month"],
            api_usd_per_month=found["api_usd_per_month"],
        )


def _pays_from(found: Money, noun: str) -> str:
    first, many = found["break_even_units_per_month"], found["lasting_machines"]
    if first is None:
        return say("Even a full machine costs more than this API: at no volume is it cheaper to host it yourself.")
    said = say(
        "One machine pays from {first:significant} {noun} a month on "
        "({break_even_usd_per_month:significant} USD at the API)",
        first=first,
        noun=noun,
        break_even_usd_per_month=found["break_even_usd_per_month"],
    )
    if many is None:
        return say("{said}, and only if every machine is full.", said=said)
    if many == 1:
        return say("{said}.", said=said)
    return say(
        "{said}, and machines pay for good from {lasting_units_per_month:significant} on, with "
        "{many:,.0f}: between the two, the next whole machine can make the API cheaper again.",
        said=said,
        lasting_units_per_month=found["lasting_units_per_month"],
        many=many,
    )


def _warnings(case: Case, inputs: ApiPricesIn, offered: list[Offered]) -> Iterator[Warned]:
    (measurement,) = case.question.measurements
    unknown = [name for name in ("input_tokens", "output_tokens") if getattr(inputs, name) is not None]
    if unknown and case.question.unit is AUDIO:
        yield Warned("not_counted", say("{unknown} are not counted for audio.", unknown=listed(unknown, " and ")))
    if inputs.clip_seconds is not None and case.question.unit is not AUDIO:
        yield Warned("not_counted", say("clip_seconds is not counted for tokens."))
    if any(each.price.observed_on is None for each in offered):
        yield Warned("date_unknown", say("The date of some hosted prices is not known."))
    if measurement.evidence in ("claimed", "assumed"):
        yield Warned(
            "evidence_is_no_measurement",
            say(
                "{label} is {evidence}, not measured: so is what follows from it.",
                label=measurement.label,
                evidence=word(measurement.evidence),
            ),
        )


def _chart(case: Case, machine: Machine, first: Offered, found: Money) -> Lines | None:
    """Draw the monthly cost of both against volume, up to one machine more than pays for good."""
    if first.usd_per_unit is None:
        return None
    steps = min(int(found["lasting_machines"] or 1) + 1, MOST_STEPS)
    full = machine.per_hour * HOURS_PER_MONTH
    stairs = []
    for n in range(1, steps + 1):
        cost = hosted.month_of_machines(machine.price, n)
        stairs += [((n - 1) * full, cost), (n * full, cost)]
    end = steps * full
    return Lines(
        say("Cost per month against volume"),
        say("{single_noun} per month", single_noun=case.question.unit.single_noun),
        say("USD per month"),
        (
            Series(first.name, ((0.0, 0.0), (end, end * first.usd_per_unit))),
            Series(say("Your machines"), tuple(stairs)),
        ),
    )


DECISION = Decision(
    "api-prices",
    "Or buy the API?",
    "What would a hosted model charge for the work that one machine of yours does, and from which monthly volume is "
    "the machine cheaper?",
    ApiPricesIn,
    solve,
    FIGURES,
    (
        ("unit", "total_token"),
        ("m", "8x H100 SXM@H100-SXM:8=1105.4870424269457"),
        ("m1.evidence", "published"),
        ("m1.model", "Llama-3.1-405B"),
        ("m1.source", "dstackai/benchmarks @06c957ab comparison/h100sxm5_vs_mi300x"),
        ("api", "llama-3.1-405b"),
        ("input_tokens", "2048"),
        ("output_tokens", "2048"),
        ("purchase", "on_demand"),
    ),
    (PRICES,),
    main="prices",
    chart="Cost per month against volume.",
    verdicts=VERDICTS,
    measurements=(1, 1),
    roles=("Your machine, running the model or one like it",),
)
