"""The parameters of a link: their names, how a query, form or command line is read, how links are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from pricing import notation
from pricing.errors import MOST_OF_QUESTION, Fault, InvalidInputError, Location, given_twice, near_matches, shown
from pricing.measurements import LATENCIES, Measurement
from pricing.numbers import read_flag, read_number, read_utilization, read_whole_number
from pricing.question import MOST_LIMIT, MOST_OFFSET, Limits, MeasurementIn, QuestionIn, too_many
from pricing.units import UNITS, Unit, unit_named
from pricing.wording import say

T = TypeVar("T")
DETAILS = (
    "success_rate",
    "rates_count",
    "stack",
    "model",
    "precision",
    "input_tokens",
    "output_tokens",
    "latency",
    "concurrency",
    "curve",
    "measured_on",
    "evidence",
    "source",
)
LIST_PARAMETERS = ("provider", "region", "area", "purchase", "accelerator", "vendor", "term_months")
# Lists beside the filters.
MORE_LISTS = ("slo", "evidence", "columns", "where", "accept")
SCALAR_PARAMETERS = (
    "unit",
    "utilization",
    "max_price_usd_per_hour",
    "max_accelerators",
    "max_age_days",
    "spot_loss",
    "currency",
    "include_unconfirmed",
    "all_sizes",
    "interpolate",
    "output_price_ratio",
    "baseline",
    "sort",
    "limit",
    "offset",
    "as_of",
    "table",
)
PARAMETERS = (
    "unit",
    "m",
    *LIST_PARAMETERS,
    "quote",
    "owned",
    "discount",
    "exchange_rate",
    *MORE_LISTS,
    *SCALAR_PARAMETERS[1:],
)
# The page's table puts a button's value after the form's own; the last one is meant.
_LAST_COUNTS = ("sort", "offset")
_WHOLE = {
    "limit": (1, MOST_LIMIT),
    "offset": (0, MOST_OFFSET),
    "max_accelerators": (1, 100_000),
    "max_age_days": (1, 100_000),
}
_DETAIL = re.compile(r"m([1-9][0-9]{0,3})\.([a-z0-9_]+)")


def is_detail(name: str) -> bool:
    """Whether a parameter says more about a measurement, as m1.model does."""
    detail = _DETAIL.fullmatch(name)
    return detail is not None and detail[2] in (*DETAILS, *LATENCIES)


def of_measurements(pairs: Iterable[tuple[str, str]], places: Sequence[int]) -> list[tuple[str, str]]:
    """Keep only the measurements at these places (from 0), with their details numbered anew."""
    numbers = {place + 1: n for n, place in enumerate(places, 1)}
    kept, place = [], 0
    for name, value in pairs:
        detail = _DETAIL.fullmatch(name)
        if name == "m":
            place += 1
            if place in numbers:
                kept.append((name, value))
        elif detail is None:
            kept.append((name, value))
        elif int(detail[1]) in numbers:
            kept.append((f"m{numbers[int(detail[1])]}.{detail[2]}", value))
    return kept


def read_pairs(
    pairs: Iterable[tuple[str, str]], limits: Limits, *, required: bool = True
) -> tuple[dict[str, Any], Mapping[Location, Location], list[Fault]]:
    """Read name-value pairs into the data of a QuestionIn, and where each measurement was written.

    Blank values are absent and `utm_*` is ignored. The last of the three are the faults found so
    far, each `loc` beginning with the parameter's name: where there are some the data serve only to find
    others. With too many measurements, InvalidInputError.
    """
    faults: list[Fault] = []
    values: dict[str, list[str]] = {}
    details: dict[int, dict[str, str]] = {}
    for name, value in pairs:
        if name.startswith("utm_"):
            continue
        detail = _DETAIL.fullmatch(name)
        if detail is not None and detail[2] in (*DETAILS, *LATENCIES):
            if value.strip():
                details.setdefault(int(detail[1]), {})[detail[2]] = value
        elif name in PARAMETERS:
            values.setdefault(name, []).append(value)
        else:
            if len(faults) >= MOST_OF_QUESTION:
                continue
            known = [*PARAMETERS, *(f"m1.{d}" for d in (*DETAILS, *LATENCIES))]
            faults.append(
                Fault((name[:100],), say("{name} is not a parameter.", name=shown(name)) + near_matches(name, known))
            )
    data: dict[str, Any] = {"filters": {}}
    measurements = values.get("m", [])
    written = sum(1 for text in measurements if text.strip())
    if not (required or written or any(text.strip() for text in values.get("unit", []))):
        # Nothing is counted: prices are asked for alone.
        values["unit"] = ["output_token"]
    unit = _unit_of(values, faults)
    if written > limits.measurements:
        raise InvalidInputError.at(("m",), too_many("measurements", written, limits.measurements))
    data["unit"] = unit.id if unit else "output_token"
    places: list[int] = []
    data["measurements"] = []
    for i, text in enumerate(measurements):
        if not text.strip():
            if details.get(i + 1):
                faults.append(
                    Fault(
                        ("m", i),
                        say(
                            "m{i} has details but is blank; write for example {example}",
                            i=i + 1,
                            example=notation.EXAMPLE,
                        ),
                    )
                )
            continue
        entry = _attempt(faults, ("m", i), partial(notation.parse, text, unit or UNITS["output_token"]))
        if entry is None or unit is None:
            continue
        places.append(i)
        data["measurements"].append(
            {"label": entry.label or None, "hardware": entry.hardware, "rates": entry.rates}
            | _details(details.pop(i + 1, {}), i + 1, faults)
        )
    if not written and required:
        faults.append(
            Fault(
                ("m",),
                say("a measurement is missing; write HARDWARE=RATE, for example {example}", example=notation.EXAMPLE),
            )
        )
    for number in sorted(set(details) - {i + 1 for i in range(len(measurements))}):
        faults.append(
            Fault((f"m{number}",), say("m{number}.… is given, but there is no measurement {number}", number=number))
        )
    _filters(values, data, faults)
    data["discounts"] = _named("discount", "PROVIDER=SHARE", "aws=12%", values, read_utilization, faults)
    data["exchange_rates"] = _named("exchange_rate", "CURRENCY=UNITS_PER_USD", "BRL=5.43", values, read_number, faults)
    data["owned"] = [text for text in values.get("owned", []) if text.strip()]
    data["quotes"] = [text for text in values.get("quote", []) if text.strip()]
    for name in MORE_LISTS:
        data[name] = [text.strip() for text in values.get(name, []) if text.strip()]
    for name in SCALAR_PARAMETERS[1:]:
        _scalar(name, values.get(name, []), data, faults)
    if faults and not data["measurements"]:
        # It stands for those that can't be read, so that what else is wrong is told as well.
        rate_field = (unit or UNITS["output_token"]).rate_field
        data["measurements"].append({"hardware": "H100-SXM", "rates": {rate_field: 1.0}})
    # The unit's place says that these are pairs, also where there is no measurement.
    return data, {("unit",): ("unit",)} | {("measurements", n): ("m", i) for n, i in enumerate(places)}, faults


def _filters(values: Mapping[str, list[str]], data: dict[str, Any], faults: list[Fault]) -> None:
    for name in LIST_PARAMETERS:
        texts = [text.strip() for text in values.get(name, []) if text.strip()]
        if name == "term_months":
            numbers = [
                _attempt(faults, (name, i), partial(read_whole_number, t, least=1, most=1200))
                for i, t in enumerate(texts)
            ]
            data["filters"][name] = [n for n in numbers if n is not None]
        elif texts:
            data["filters"][name] = texts


def _unit_of(values: Mapping[str, list[str]], faults: list[Fault]) -> Unit | None:
    texts = [text for text in values.get("unit", []) if text.strip()]
    if len(texts) != 1:
        problem = say("is given twice") if texts else say("is missing: say what is counted")
        faults.append(
            Fault(("unit",), say("unit {problem}; the units are {units}", problem=problem, units=", ".join(UNITS)))
        )
        return None
    try:
        return unit_named(texts[0])
    except InvalidInputError as error:
        faults.extend(error.faults)
        return None


def _details(details: Mapping[str, str], number: int, faults: list[Fault]) -> dict[str, Any]:
    read: dict[str, Any] = {name: value for name, value in details.items() if name not in LATENCIES}
    for name in LATENCIES:
        if name in details:
            seconds = _attempt(faults, (f"m{number}.{name}",), partial(read_number, details[name]))
            if seconds is not None:
                read.setdefault("latency_seconds", {})[name] = seconds
    for name in ("success_rate", "input_tokens", "output_tokens", "concurrency"):
        if name in read:
            reader = read_utilization if name == "success_rate" else read_number
            value = _attempt(faults, (f"m{number}.{name}",), partial(reader, read.pop(name)))
            if value is not None:
                read[name] = value
    return read


def _named(
    parameter: str,
    form: str,
    example: str,
    values: Mapping[str, list[str]],
    read: Callable[[str], float],
    faults: list[Fault],
) -> dict[str, float]:
    """Read NAME=NUMBER, each name once."""
    numbers: dict[str, float] = {}
    for i, text in enumerate(text for text in values.get(parameter, []) if text.strip()):
        name, equals, number = (part.strip() for part in text.partition("="))
        if not equals or not name:
            faults.append(
                Fault(
                    (parameter, i),
                    say(
                        "{text} is not {form}; write for example {example}",
                        text=shown(text),
                        form=form,
                        example=example,
                    ),
                )
            )
        elif name in numbers:
            faults.append(Fault((parameter, i), say("{text}: {name} is already given", text=shown(text), name=name)))
        else:
            value = _attempt(faults, (parameter, i), partial(read, number))
            if value is not None:
                numbers[name] = value
    return numbers


def _scalar(name: str, texts: list[str], data: dict[str, Any], faults: list[Fault]) -> None:
    texts = [text.strip() for text in texts if text.strip()]
    if not texts:
        return
    if len(texts) > 1 and name not in _LAST_COUNTS and len(set(texts)) > 1:
        faults.append(given_twice(name, texts))
        return
    text = texts[-1]
    target = data["filters"] if name.startswith("max_") else data
    if name in ("include_unconfirmed", "all_sizes", "interpolate"):
        target[name] = bool(_attempt(faults, (name,), partial(read_flag, text)))
    elif name in _WHOLE:
        least, most = _WHOLE[name]
        number = _attempt(faults, (name,), partial(read_whole_number, text, least=least, most=most))
        target |= {} if number is None else {name: number}
    elif name in ("max_price_usd_per_hour", "output_price_ratio"):
        price = _attempt(faults, (name,), partial(read_number, text, thousands=name.startswith("max_")))
        target |= {} if price is None else {name: price}
    else:
        target[name] = text


def _attempt(faults: list[Fault], loc: Location, read: Callable[[], T]) -> T | None:
    try:
        return read()
    except ValueError as error:
        faults.append(Fault(loc, str(error)))
        return None


def written_pairs(asked: QuestionIn, unit: Unit, measurements: Sequence[Measurement]) -> list[tuple[str, str]]:
    """Write a question as name-value pairs; reading them gives the same question again.

    Defaults are left out. Offers given inline have no place in a link.
    """
    pairs = [("unit", unit.id)]
    for i, (given, measured) in enumerate(zip(asked.measurements, measurements, strict=True), 1):
        accelerator = given.accelerator or ""
        if "/" in accelerator or ":" in accelerator:
            # Some tools write such names; in the notation these signs mean something else.
            accelerator = measured.accelerator or ""
        hardware = given.hardware or (f"{given.provider}/{given.instance_type}" if given.provider else accelerator)
        if not given.hardware and given.accelerator_count is not None:
            hardware += f":{given.accelerator_count}"
        pairs.append(("m", notation.write(given.label or "", hardware, measured.rates, unit)))
        for name in DETAILS:
            value = getattr(given, name)
            if value is not None and value != MeasurementIn.model_fields[name].default:
                pairs.append((f"m{i}.{name}", notation.write_number(value) if isinstance(value, float) else str(value)))
        pairs += [(f"m{i}.{name}", notation.write_number(s)) for name, s in given.latency_seconds.items()]
    for name in LIST_PARAMETERS:
        pairs += [(name, str(value)) for value in getattr(asked.filters, name)]
    pairs += [("quote", text) for text in asked.quotes]
    pairs += [("owned", text) for text in asked.owned]
    pairs += [("exchange_rate", f"{name}={notation.write_number(rate)}") for name, rate in asked.exchange_rates.items()]
    pairs += [("discount", f"{name}={notation.write_number(share)}") for name, share in asked.discounts.items()]
    for name in MORE_LISTS:
        pairs += [(name, value) for value in getattr(asked, name)]
    for name in SCALAR_PARAMETERS[1:]:
        holder = asked.filters if name.startswith("max_") else asked
        value = getattr(holder, name)
        if value in (None, "") or value == type(holder).model_fields[name].default:
            continue
        if isinstance(value, bool):
            value = int(value)
        pairs.append((name, notation.write_number(value) if isinstance(value, float) else str(value)))
    return pairs
