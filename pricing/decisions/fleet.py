"""How many machines, and what do they cost? A fleet at the user's demand, fixed or scaled by the hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BeforeValidator, Field

from pricing import fleet
from pricing.billed import Level, billed_hours, worth_reserving
from pricing.decisions.decision import (
    QUESTION_PARAMETERS,
    Case,
    Decision,
    Figure,
    Lines,
    Result,
    Series,
    Table,
    Value,
)
from pricing.decisions.inputs import InputsIn, NotNegative, Portion, Positive, Text, Whole, given
from pricing.decisions.offer_figures import MEASUREMENT, PRICE_SEEN, PURCHASE
from pricing.decisions.refusing import at_field
from pricing.decisions.sides import Side, at, named_prices, of_measurement, old_prices, side, used
from pricing.demand import Demand, of_month, of_peak_and_mean, read_demand, units_per_month, write_demand
from pricing.errors import InvalidInputError
from pricing.fleet import Running
from pricing.question import Warned
from pricing.units import HOURS_PER_YEAR
from pricing.wording import listed, rounded, say

# What is paid for every hour, needed or not: it can't be scaled by the hour.
COMMITTED = ("reserved", "savings_plan", "capacity_block", "owned")
MOST_ROWS = 500
MOST_STEPS = 24


def _hours(value: object) -> object:
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, bool) or not isinstance(item, (int, float)) for item in value):
            raise ValueError(say("hourly demand is a list of numbers, 24 of a typical day or 8,760 of a year"))
        try:
            return write_demand([float(item) for item in value])
        except OverflowError:
            raise ValueError(say("a number is too large")) from None
    return value


Hourly = Annotated[str, BeforeValidator(_hours), Field(max_length=400_000)]


class FleetIn(InputsIn):
    """The demand, in one of three ways, and how the machines are run."""

    units_per_month: Positive | None = given(
        None, "Units a month", "Tokens, audio-hours or requests a month; 2G tokens are 2000M.", "2000M"
    )
    peak_to_mean: Positive | None = given(
        None, "Peak over mean", "With units a month: the busiest hour over the average one; blank is 1.", "3"
    )
    peak: Positive | None = given(None, "Or: peak demand", "Units per second, as the rates.", "52000")
    mean: Positive | None = given(None, "Mean demand", "Units per second.", "18000")
    hourly: Hourly | None = given(
        None,
        "Or: hour by hour",
        "24 numbers of a typical day or 8,760 of a year, in units per second, apart by blanks, commas or lines.",
        "900 700 500 …",
        json_schema_extra={"format": "textarea"},  # A field of several lines in the form.
    )
    headroom: Portion = given(0.0, "Headroom", "Share of each machine's rate that is kept free.", "20%")
    min_replicas: Whole = given(0, "Fewest machines", "That run at any demand.", "2")
    start_up_minutes: NotNegative = given(0.0, "Start-up", "Minutes that are paid before a machine serves.", "10")
    billing_minutes: Positive = given(60.0, "Billed by", "Minutes to which each run of a machine is rounded up.", "1")
    offer: Text | None = given(
        None,
        "Machine: price or offer",
        "USD per hour, or PROVIDER/INSTANCE_TYPE[:COUNT][/REGION[/PURCHASE]]; blank looks at all offers.",
        "aws/p5.48xlarge",
    )
    reserved: Text | None = given(
        None,
        "Reserved price of it",
        "In the same way; blank looks for one of the same instance type and region.",
        "3.9",
    )


FIGURES = (
    Figure("offer", "Machine", "", "Cheapest fleet.", "text"),
    Figure("price_usd_per_hour", "Its price", "USD per hour", "Of one machine.", "usd"),
    Figure("rate_per_second", "Its rate", "{rate_unit}", "R, counted, at full load."),
    Figure("mean_per_second", "Mean demand", "{rate_unit}", "Over all hours."),
    Figure("peak_per_second", "Peak demand", "{rate_unit}", "Of the busiest hour."),
    Figure("peak_to_mean", "Peak over mean", "times", "peak / mean."),
    Figure("units_per_month", "Units a month", "{single}", "mean · 3600 · 730."),
    Figure("machines", "Machines, fixed", "", "max(least, ceil(peak / (R · (1 - headroom)))).", "whole"),
    Figure("available_usd_per_month", "Keeping it available costs", "USD per month", "machines · P · 730.", "usd"),
    Figure("cost_per_served_usd", "Per served unit", "{cost_unit}",
           "Available cost / units: the cost to set beside an API's price."),
    Figure("used_usd_per_month", "What the work itself used", "USD per month", "P · 730 · mean / R.", "usd"),
    Figure("cost_at_full_load_usd", "At full load", "{cost_unit}", "P / (3600 · R); never beside an API's price."),
    Figure("achieved_utilization", "Utilization achieved", "", "mean / (machines · R).", "share"),
    Figure("scaled_usd_per_month", "Scaled by the hour", "USD per month", "Billed machine-hours · P.", "usd"),
    Figure("scaled_cost_per_served_usd", "Scaled, per served unit", "{cost_unit}", "Scaled cost / units."),
    Figure("scaled_machine_hours", "Scaled, machine-hours", "a month", "Runs, start-up and rounding included."),
    Figure("scaled_utilization", "Scaled, utilization achieved", "", "mean · 730 / (machine-hours · R).", "share"),
    Figure("reserved_offer", "Reserved price of", "", "The committed offer that is mixed in.", "text"),
    Figure("reserved_price_usd_per_hour", "Reserved price", "USD per hour", "Paid for every hour.", "usd"),
    Figure("reserved_machines", "Reserved machines, cheapest number", "",
           "Machine k is worth it where it is busy for more than P_reserved / P of the hours.", "whole"),
    Figure("mixed_usd_per_month", "With those", "USD per month", "Reserved always, the others by the hour.", "usd"),
    Figure("cheapest_way", "Cheapest way", "", "fixed, scaled, or mixed.", "text"),
)  # fmt: skip
FLEETS = Table(
    "fleets",
    "Fleets, cheapest first",
    (
        Figure("rank", "Rank", "", "By monthly cost of the cheaper way.", "whole"),
        Figure("offer", "Machine", "", "The offer.", "text"),
        MEASUREMENT,
        Figure("price_usd_per_hour", "Price", "USD per hour", "Of one machine.", "usd"),
        Figure("rate_per_second", "Rate", "{rate_unit}", "Of one machine at full load."),
        Figure("machines", "Machines", "", "At the peak.", "whole"),
        Figure("fixed_usd_per_month", "Fixed fleet", "USD per month", "machines · P · 730.", "usd"),
        Figure("scaled_usd_per_month", "Scaled by the hour", "USD per month",
               "n/a: the hours are not known, or a commitment is paid for every hour.", "usd"),
        Figure("cost_per_served_usd", "Per served unit", "{cost_unit}", "Of the cheaper way."),
        Figure("achieved_utilization", "Utilization", "", "Of the cheaper way.", "share"),
        PURCHASE,
        PRICE_SEEN,
        Figure("price_evidence", "Evidence", "", "How it is known.", "text"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Sized:
    """A fleet of one offer: machines at the peak, fixed cost a month, and what scaling by the hour makes of it."""

    side: Side
    machines: int
    fixed: float
    levels: tuple[Level, ...] | None
    scaled: float | None
    cycle: int

    @property
    def cheaper(self) -> float:
        """USD a month of the cheaper way."""
        return self.fixed if self.scaled is None else min(self.fixed, self.scaled)

    @property
    def rate(self) -> float:
        """Units per second of one machine."""
        if self.side.rate is None:
            raise TypeError("a fleet's machine has a measurement")
        return self.side.rate

    @property
    def machine_hours(self) -> float | None:
        """Billed machine-hours a month when scaled by the hour."""
        return None if self.levels is None else fleet.monthly_hours(billed_hours(self.levels), self.cycle)


def solve(case: Case) -> Result:
    """Size a fleet of each offer for the demand and tell of the cheapest."""
    inputs: FleetIn = case.inputs
    unit = case.question.unit
    demand = _demand(case, inputs)
    running = Running(inputs.headroom, inputs.min_replicas, inputs.start_up_minutes, inputs.billing_minutes)
    _check(running)
    with at_field("headroom" if running.headroom else "units_per_month"):
        known: dict[float, tuple[Level, ...]] = {}
        fleets = [_sized(each, demand, running, known) for each in _sides(case, inputs)]
    fleets.sort(key=lambda each: (each.cheaper, each.side.name))
    best = fleets[0]
    values: dict[str, Value] = {
        "offer": best.side.name,
        "price_usd_per_hour": best.side.price,
        "rate_per_second": best.rate,
        "mean_per_second": demand.mean,
        "peak_per_second": demand.peak,
        "peak_to_mean": demand.peak / demand.mean,
        "units_per_month": units_per_month(demand, unit),
        "machines": best.machines,
        "available_usd_per_month": best.fixed,
        "cost_per_served_usd": fleet.cost_per_served(best.fixed, demand.mean, unit),
        "used_usd_per_month": fleet.used_cost(demand.mean, best.side.price, best.rate),
        "achieved_utilization": _utilization(demand, best, fixed=True),
    }
    values["cost_at_full_load_usd"] = fleet.cost_per_served(_number(values, "used_usd_per_month"), demand.mean, unit)
    if best.scaled is not None:
        values |= {
            "scaled_usd_per_month": best.scaled,
            "scaled_cost_per_served_usd": fleet.cost_per_served(best.scaled, demand.mean, unit),
            "scaled_machine_hours": best.machine_hours,
            "scaled_utilization": _utilization(demand, best, fixed=False),
        }
    values |= _mixed(case, inputs, best)
    ways = {"fixed": best.fixed, "scaled": best.scaled, "mixed": values.get("mixed_usd_per_month")}
    costs = {way: cost for way, cost in ways.items() if isinstance(cost, float)}
    values["cheapest_way"] = min(costs, key=lambda way: costs[way])
    rows = [_row(rank, each, demand, case) for rank, each in enumerate(fleets[:MOST_ROWS], 1)]
    return Result(
        None,
        tuple(_sentences(case, demand, best, values)),
        values,
        {"fleets": rows},
        (*case.comparison_warnings, *old_prices(best.side), *_warnings(demand, inputs)),
        _chart(case, demand, best, running),
        used(best.side),
    )


def _demand(case: Case, inputs: FleetIn) -> Demand:
    ways = {
        "units_per_month": inputs.units_per_month is not None,
        "peak": inputs.peak is not None or inputs.mean is not None,
        "hourly": inputs.hourly is not None,
    }
    said = [name for name, given_ in ways.items() if given_]
    if len(said) != 1:
        raise InvalidInputError.at(
            (said[-1] if said else "units_per_month",),
            say("say the demand in one way: units_per_month (with peak_to_mean), peak and mean, or hourly")
            + (say("; {said} are both given", said=listed(said, " and ")) if said else ""),
        )
    if inputs.peak_to_mean is not None and said[0] != "units_per_month":
        raise InvalidInputError.at(
            ("peak_to_mean",), say("peak_to_mean goes with units_per_month; the rest says it itself")
        )
    if inputs.hourly is not None:
        return read_demand(inputs.hourly, "hourly")
    if inputs.units_per_month is not None:
        return of_month(inputs.units_per_month, inputs.peak_to_mean or 1.0, case.question.unit)
    if inputs.peak is None or inputs.mean is None:
        missing = "peak" if inputs.peak is None else "mean"
        raise InvalidInputError.at(
            (missing,), say("the {missing} is missing: peak and mean go together", missing=missing)
        )
    return of_peak_and_mean(inputs.peak, inputs.mean)


def _check(running: Running) -> None:
    """Refuse what can't be at its field, before any offer is looked at."""
    with at_field("headroom"):
        fleet.machines_for(1.0, 1.0, running.headroom)
    with at_field("min_replicas"):
        fleet.machines_for(1.0, 1.0, 0.0, running.least)
        if running.least > fleet.MOST_MACHINES:
            raise ValueError(
                say(
                    "{least:,} machines are more than {most_machines:,}",
                    least=running.least, most_machines=fleet.MOST_MACHINES,
                )
            )  # fmt: skip
    with at_field("start_up_minutes"):
        fleet.checked(replace(running, billing_minutes=1.0))
    with at_field("billing_minutes"):
        fleet.checked(replace(running, start_up_minutes=0.0))


def _sides(case: Case, inputs: FleetIn) -> Iterator[Side]:
    if inputs.offer:
        for i in range(len(case.question.measurements)):
            yield side(case, i, inputs.offer, "offer")
        return
    found = False
    for i in range(len(case.question.measurements)):
        rows = of_measurement(case, i, MOST_ROWS)
        for place in range(len(rows)):
            found = True
            yield at(case, rows, place)
    if not found:
        raise InvalidInputError.at(("m",), say("no offer that passes the filters carries the measured hardware"))


def _sized(each: Side, demand: Demand, running: Running, known: dict[float, tuple[Level, ...]]) -> Sized:
    """Size a fleet; what is billed is worked out once for each rate, since it does not depend on the price."""
    if each.rate is None:
        raise TypeError("a fleet's machine has a measurement")
    # A fleet that serves anything has a machine.
    machines = max(1, fleet.machines_for(demand.peak, each.rate, running.headroom, running.least))
    fixed = fleet.cost_of_hours(each.price, fleet.monthly_hours(machines, 1))
    needed = fleet.machines_by_hour(demand, each.rate, running)
    if needed is None or (each.row is not None and each.value("purchase") in COMMITTED):
        return Sized(each, machines, fixed, None, None, 0)
    if each.rate not in known:
        known[each.rate] = fleet.levels_of(needed, running)
    found = known[each.rate]
    scaled = fleet.cost_of_hours(each.price, fleet.monthly_hours(billed_hours(found), len(needed)))
    return Sized(each, machines, fixed, found, scaled, len(needed))


def _utilization(demand: Demand, each: Sized, *, fixed: bool) -> float:
    hours = fleet.monthly_hours(each.machines, 1) if fixed else each.machine_hours
    return fleet.achieved_utilization(demand.mean, hours or 1.0, each.rate)


def _mixed(case: Case, inputs: FleetIn, best: Sized) -> dict[str, Value]:
    """Work out the cheapest number of reserved machines, where there is a reserved price."""
    found = _reserved(case, inputs, best.side)
    if found is None or best.levels is None:
        if inputs.reserved and best.levels is None:
            raise InvalidInputError.at(
                ("reserved",), say("a mix needs the demand hour by hour and a machine that can be had by the hour")
            )
        return {}
    reserved = worth_reserving(best.levels, best.cycle, best.side.price, found.price)
    return {
        "reserved_offer": found.name,
        "reserved_price_usd_per_hour": found.price,
        "reserved_machines": reserved,
        "mixed_usd_per_month": fleet.mixed_cost(best.levels, best.cycle, best.side.price, found.price, reserved),
    }


def _reserved(case: Case, inputs: FleetIn, best: Side) -> Side | None:
    if inputs.reserved:
        # The filter by purchase is about the machines by the hour; here a commitment is meant.
        filters = case.question.filters.model_copy(update={"purchase": COMMITTED, "term_months": ()})
        bare = replace(case, question=replace(case.question, measurements=(), filters=filters))
        found = side(bare, 0, inputs.reserved, "reserved")
        same_hardware = ("accelerator", "accelerator_count")
        if found.row and best.row and any(found.value(n) != best.value(n) for n in same_hardware):
            raise InvalidInputError.at(
                ("reserved",), say("{name} is another machine than {name_2}", name=found.name, name_2=best.name)
            )
        return found
    if best.row is None:
        return None
    filters = case.question.filters.model_copy(update={"purchase": (), "term_months": ()})
    open_case = replace(case, question=replace(case.question, filters=filters))
    name = f"{best.value('provider')}/{best.value('instance_type')}:{best.value('accelerator_count')}"
    same = [
        each
        for each in named_prices(open_case, name)
        if each.value("purchase") in ("reserved", "savings_plan") and each.value("region") == best.value("region")
    ]
    return same[0] if same else None


def _row(rank: int, each: Sized, demand: Demand, case: Case) -> tuple[Value, ...]:
    fixed = each.scaled is None or each.fixed <= each.scaled
    row = each.side.row
    return (
        rank, each.side.name, each.side.label, each.side.price, each.rate, each.machines, each.fixed, each.scaled,
        fleet.cost_per_served(each.cheaper, demand.mean, case.question.unit), _utilization(demand, each, fixed=fixed),
        row["purchase"] if row else None, row["price_observed_on"] if row else None,
        row["price_evidence"] if row else "quote",
    )  # fmt: skip


def _number(values: dict[str, Value], name: str) -> float:
    value = values[name]
    if not isinstance(value, float):
        raise TypeError(f"{name} is {value!r}")
    return value


def _sentences(case: Case, demand: Demand, best: Sized, values: dict[str, Value]) -> Iterator[str]:
    unit = case.question.unit
    yield say(
        "{machines} of {name} at {price:significant4} USD per hour ({price_said}) "
        "for a peak of {peak:significant} {rate_unit}: {fixed:significant4} USD a month.",
        machines=say("1 machine") if best.machines == 1 else say("{count:,} machines", count=best.machines),
        name=best.side.name, price=best.side.price, price_said=best.side.price_said, peak=demand.peak,
        rate_unit=unit.rate_unit, fixed=best.fixed,
    )  # fmt: skip
    yield say(
        "That is {cost_per_served_usd:significant} {cost_unit} served, against "
        "{cost_at_full_load_usd:significant} at full load: the fleet is used to "
        "{achieved_utilization:percent}. Only the first stands beside an API's price.",
        cost_per_served_usd=_number(values, "cost_per_served_usd"), cost_unit=unit.cost_unit,
        cost_at_full_load_usd=_number(values, "cost_at_full_load_usd"),
        achieved_utilization=_number(values, "achieved_utilization"),
    )  # fmt: skip
    if best.scaled is not None:
        yield say("Scaled by the hour it costs {scaled:significant4} USD a month.", scaled=best.scaled)
    mixed = values.get("mixed_usd_per_month")
    if isinstance(mixed, float):
        price = rounded(_number(values, "reserved_price_usd_per_hour"), 4)
        yield say(
            "With {reserved_machines:,} reserved at {price} USD per hour ({reserved_offer}) and the others "
            "by the hour: {mixed:significant4} USD a month.",
            reserved_machines=values["reserved_machines"], price=price, reserved_offer=values["reserved_offer"],
            mixed=mixed,
        )  # fmt: skip


def _warnings(demand: Demand, inputs: FleetIn) -> Iterator[Warned]:
    if demand.hours is None:
        said = say("Scaling by the hour needs the demand hour by hour; only a fixed fleet can be worked out.")
        yield Warned("hours_unknown", said)
    elif len(demand.hours) == HOURS_PER_YEAR:
        yield Warned("year_as_month", say("A month is the twelfth part of the year that is given."))
    if inputs.units_per_month is not None and inputs.peak_to_mean is None:
        yield Warned("peak_assumed", say("No peak is given: the demand is taken to be the same in all hours."))
    if inputs.headroom == 0:
        said = say("Without headroom a machine is planned at full load, where latency has no bound.")
        yield Warned("no_headroom", said)


def _chart(case: Case, demand: Demand, best: Sized, running: Running) -> Lines | None:
    ratio = demand.peak / demand.mean
    most = min(max(best.machines + 3, 6), MOST_STEPS)
    points = fleet.steps(best.side.price, best.rate, running, ratio, most, case.question.unit)
    if not points:
        return None
    end = points[-1][0]
    full = fleet.cost_per_served(
        fleet.used_cost(demand.mean, best.side.price, best.rate), demand.mean, case.question.unit
    )
    series = [Series(best.side.name, tuple(points)), Series(say("at full load"), ((0.0, full), (end, full)))]
    if demand.mean <= end:
        here = fleet.cost_per_served(best.fixed, demand.mean, case.question.unit)
        series.append(Series(say("your demand"), ((demand.mean, 0.0), (demand.mean, here))))
    return Lines(
        say("Cost per served unit of a fixed fleet"),
        say("mean demand, {rate_unit}", rate_unit=case.question.unit.rate_unit),
        case.question.unit.cost_unit,
        tuple(series),
    )


DECISION = Decision(
    "fleet",
    "How many machines?",
    "From units a month, a peak and a mean, or the demand hour by hour: whole machines with headroom, their monthly "
    "cost fixed or scaled by the hour, the cheapest number of reserved ones, and the cost of a served unit.",
    FleetIn,
    solve,
    FIGURES,
    (
        ("unit", "output_token"),
        ("m", "H100-SXM:8=5200"),
        ("units_per_month", "2000M"),
        ("peak_to_mean", "3"),
        ("headroom", "20%"),
        ("purchase", "on_demand"),
    ),
    (FLEETS,),
    main="fleets",
    chart="Cost against demand.",
    takes=tuple(name for name in QUESTION_PARAMETERS if name not in ("utilization", "spot_loss")),
)
