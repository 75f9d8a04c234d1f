"""The reader of questions: resolves every name of a question against the catalogue and the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

from pydantic import ValidationError

from pricing import notation
from pricing.accelerators import Catalogue, UnknownNameError
from pricing.columns import COLUMN_NAMES
from pricing.comparability import ACCEPTED
from pricing.currency import exchange_rate
from pricing.curves import read_target
from pricing.errors import MOST_OF_QUESTION, Fault, InvalidInputError, Location, near_matches, shown
from pricing.filters import accelerators_of, unknown_values
from pricing.market import PriceTable
from pricing.measurements import LATENCIES, Measurement
from pricing.numbers import read_whole_number
from pricing.owned import parse_owned
from pricing.parameters import DETAILS, read_pairs, written_pairs
from pricing.question import (
    DEFAULT_LIMITS,
    FiltersIn,
    Limits,
    MeasurementIn,
    PricesIn,
    Question,
    QuestionIn,
    Warned,
    too_many,
)
from pricing.quotes import in_usd, of_quotes, parse_quote
from pricing.refusals import sentence
from pricing.sources.own_schema import read_rows
from pricing.units import unit_named
from pricing.wording import listed, say

_PARAMETER_OF: dict[str | int, str] = {"discounts": "discount", "exchange_rates": "exchange_rate", "quotes": "quote"}


@dataclass(frozen=True)
class Reader:
    """Reads questions against one table and catalogue; `today` is an argument, not a clock."""

    table: PriceTable
    catalogue: Catalogue
    today: date
    limits: Limits = DEFAULT_LIMITS

    def from_pairs(self, pairs: Iterable[tuple[str, str]], *, required: bool = True) -> Question:
        """Read name-value pairs: a query string, a form, or a command line; `required` of a measurement.

        Blank values are absent and `utm_*` is ignored. InvalidInputError has every fault, its `loc`
        beginning with the parameter's name.
        """
        data, places, faults = read_pairs(pairs, self.limits, required=required)
        try:
            question = self._resolved(data, places, required)
        except InvalidInputError as error:
            raise InvalidInputError([*faults, *error.faults]) from error
        if faults:
            raise InvalidInputError(faults)
        return question

    def from_json(self, body: object, *, required: bool = True) -> Question:
        """Read a JSON body; `required` of a measurement.

        InvalidInputError has every fault, its `loc` the path in the body.
        """
        if not isinstance(body, dict):
            raise InvalidInputError.at((), say("the body must be a JSON object"))
        for name, most in (("measurements", self.limits.measurements), ("offers", self.limits.offers)):
            given = body.get(name)
            if isinstance(given, list) and len(given) > most:
                raise InvalidInputError.at((name,), too_many(name, len(given), most))
        return self._resolved(body, {}, required)

    def _resolved(self, data: Mapping[str, Any], places: Mapping[Location, Location], required: bool) -> Question:
        try:
            asked = (QuestionIn if required else PricesIn).model_validate(data)
        except ValidationError as error:
            # A list is called too short where its only item is wrong; that is said at the item.
            found = error.errors(include_url=False)
            items = ([item for item in found if item["type"] != "too_short"] or found)[:MOST_OF_QUESTION]
            faults = [Fault(_placed(tuple(item["loc"]), places), sentence(item)) for item in items]
            raise InvalidInputError([*faults, *self._unknown_names(data, places)]) from error
        unit = unit_named(asked.unit)
        as_of = asked.as_of or self.today
        if as_of > self.today:
            raise InvalidInputError.at(
                ("as_of",),
                say(
                    "{as_of} is after today ({today}, UTC); prices are known up to today", as_of=as_of, today=self.today
                ),
            )
        table = self._with_own_offers(asked, as_of)
        faults = []
        warnings = [Warned("alias_assumed", say("{text}.", text=text)) for text in table.assumptions]
        measurements = []
        for i, given in enumerate(asked.measurements):
            place = _placed(("measurements", i), places)
            try:
                measurement = self._measurement(given, table, warnings)
                # The total of two rates may be out of bounds where each of them is not.
                measurement.rate_for(unit.rate_field)
                measurements.append(measurement)
            except (UnknownNameError, ValueError) as error:
                faults.append(Fault(place, str(error)))
        accelerators = accelerators_of(asked.filters, table, self.catalogue, faults, () if places else ("filters",))
        currency = None
        if asked.currency:
            try:
                currency = exchange_rate(asked.currency, as_of, asked.exchange_rates)
            except ValueError as error:
                faults.append(Fault(("currency",), str(error)))
        for name in asked.discounts:
            for fault in unknown_values("provider", [name], table, self.catalogue):
                faults.append(Fault(("discounts", name) if not places else ("discount",), fault.msg))
        targets = []
        for i, text in enumerate(asked.slo):
            try:
                targets.append(read_target(text))
            except ValueError as error:
                faults.append(Fault(("slo", i), str(error)))
        accept = _accepted(asked.accept, faults)
        columns = _columns(asked.columns, faults)
        if asked.interpolate and not asked.slo:
            faults.append(
                Fault(("interpolate",), say("there is nothing to interpolate to; give a target, slo=ttft_p99<=0.5"))
            )
        if faults:
            raise InvalidInputError(faults)
        measurements = with_unique_labels(measurements, warnings)
        return Question(
            unit,
            tuple(measurements),
            asked.utilization,
            asked.filters,
            accelerators,
            asked.include_unconfirmed,
            asked.all_sizes,
            tuple(sorted(asked.discounts.items())),
            asked.spot_loss,
            currency,
            asked.baseline or None,
            asked.sort,
            asked.limit,
            asked.offset,
            as_of,
            table,
            tuple(targets),
            asked.interpolate,
            frozenset(asked.evidence),
            columns,
            asked.where,
            accept,
            asked.output_price_ratio,
            not asked.offers,
            tuple(warnings),
            partial(written_pairs, asked, unit, measurements),
        )

    def _unknown_names(self, data: Mapping[str, Any], places: Mapping[Location, Location]) -> Iterator[Fault]:
        """Find also the hardware and filter values that nothing knows, where something else is wrong."""
        given = data.get("measurements")
        if not isinstance(given, (list, tuple)) or data.get("offers") or data.get("quotes"):
            return
        for i, item in enumerate(given):
            try:
                self._measurement(MeasurementIn.model_validate(item), self.table, [])
            except ValidationError:
                continue
            except ValueError as error:
                yield Fault(_placed(("measurements", i), places), str(error))
        faults: list[Fault] = []
        with suppress(ValidationError):
            filters = FiltersIn.model_validate(data.get("filters") or {})
            accelerators_of(filters, self.table, self.catalogue, faults, () if places else ("filters",))
        yield from faults

    def _with_own_offers(self, asked: QuestionIn, as_of: date) -> PriceTable:
        rows: list[Mapping[str, object]] = list(asked.offers)
        faults = []
        for i, text in enumerate(asked.quotes):
            try:
                rows.append(in_usd(parse_quote(text), as_of, asked.exchange_rates))
            except ValueError as error:
                faults.append(Fault(("quote", i), str(error)))
        for i, text in enumerate(asked.owned):
            try:
                rows.append(parse_owned(text))
            except ValueError as error:
                faults.append(Fault(("owned", i), str(error)))
        if faults:
            raise InvalidInputError(faults)
        if not rows:
            return self.table
        try:
            own = read_rows(rows, self.catalogue, self.today)
        except InvalidInputError as error:
            raise InvalidInputError(
                of_quotes(fault, len(asked.offers), asked.quotes, asked.owned) for fault in error.faults
            ) from error
        return PriceTable.joined([self.table], own=own)

    def _measurement(self, given: MeasurementIn, table: PriceTable, warnings: list[Warned]) -> Measurement:
        provider, instance_type = given.provider, given.instance_type
        accelerator, count = given.accelerator, given.accelerator_count
        if given.hardware:
            if accelerator or provider or instance_type or count:
                raise ValueError(say("give either hardware, or accelerator, or provider and instance_type"))
            if "/" in given.hardware:
                provider, instance_type = given.hardware.split("/", 1)
                instance_type, count = self._typed_count(provider, instance_type, table)
            else:
                accelerator, text = notation.split_count(given.hardware)
                if text is not None:
                    try:
                        count = read_whole_number(text, least=1, most=100_000)
                    except ValueError as error:
                        raise ValueError(
                            say(
                                "{hardware}: the count after ':' is wrong: {error}",
                                hardware=shown(given.hardware), error=str(error),
                            )
                        ) from error  # fmt: skip
        if bool(provider) != bool(instance_type) or bool(provider) == bool(accelerator):
            raise ValueError(
                say("say which hardware: either accelerator and accelerator_count, or provider and instance_type")
            )
        common = {name: getattr(given, name) for name in (*DETAILS, "rates")}
        common["latency_seconds"] = tuple(
            sorted(given.latency_seconds.items(), key=lambda pair: LATENCIES.index(pair[0]))
        )
        if accelerator is not None:
            return self._on_accelerator(given, accelerator, count, common, table, warnings)
        return self._on_type(given, provider or "", instance_type or "", count, common, table)

    def _on_type(
        self,
        given: MeasurementIn,
        provider: str,
        instance_type: str,
        count: int | None,
        common: dict[str, Any],
        table: PriceTable,
    ) -> Measurement:
        provider, instance_type = self._known_type(provider, instance_type, table)
        sizes = table.sizes_of(provider, instance_type)
        if count is None and len(sizes) > 1:
            raise ValueError(
                say(
                    "{provider}/{instance_type} is offered with {sizes} accelerators; say which, for example "
                    "{provider}/{instance_type}:{sizes_2}",
                    provider=provider, instance_type=instance_type, sizes=", ".join(map(str, sizes)),
                    sizes_2=sizes[-1],
                )
            )  # fmt: skip
        if count is not None and count not in sizes:
            raise ValueError(
                say(
                    "{provider}/{instance_type} is not offered with {count} accelerators, but with {sizes}",
                    provider=provider, instance_type=instance_type, count=count, sizes=", ".join(map(str, sizes)),
                )
            )  # fmt: skip
        name = f"{provider}/{instance_type}" + (f":{count}" if count is not None and len(sizes) > 1 else "")
        return Measurement(
            given.label or name, None, count if count is not None else sizes[0], provider, instance_type, **common
        )

    def _on_accelerator(
        self,
        given: MeasurementIn,
        accelerator: str,
        count: int | None,
        common: dict[str, Any],
        table: PriceTable,
        warnings: list[Warned],
    ) -> Measurement:
        try:
            found = self.catalogue.resolve(accelerator)
        except UnknownNameError as error:
            same = [t for t in table.instance_types() if t.split("/", 1)[1].casefold() == accelerator.casefold()]
            hint = say(" To name an instance type, write {same}.", same=listed(same[:4], " or ")) if same else ""
            raise ValueError(say("{error}{hint}", error=str(error), hint=hint)) from error
        if found.count is not None:
            if count is not None and count != found.count:
                raise ValueError(
                    say(
                        "{accelerator} already means {count} × {accelerator_2}; drop the count of {count_2}",
                        accelerator=shown(accelerator), count=found.count, accelerator_2=found.accelerator,
                        count_2=count,
                    )
                )  # fmt: skip
            count = found.count
        elif count is None:
            count = 1
            warnings.append(
                Warned(
                    "count_assumed",
                    say(
                        "{label}: no count is given, so the rate is taken as that of 1 × {accelerator}.",
                        label=given.label or accelerator, accelerator=found.accelerator,
                    ),
                )
            )  # fmt: skip
        if found.assumed is not None:
            family = self.catalogue.accelerators[found.accelerator].family
            others = sorted(
                a.accelerator
                for a in self.catalogue.accelerators.values()
                if a.family == family and a.accelerator != found.accelerator
            )
            warnings.append(
                Warned(
                    "alias_assumed",
                    say(
                        "{assumed} is taken as {accelerator}",
                        assumed=shown(found.assumed), accelerator=found.accelerator,
                    )
                    + (say("; it could also be {others}.", others=listed(others, " or ")) if others else "."),
                )
            )  # fmt: skip
        label = given.label or f"{found.accelerator}:{count}"
        return Measurement(label, found.accelerator, count, None, None, **common)

    def _typed_count(self, provider: str, instance_type: str, table: PriceTable) -> tuple[str, int | None]:
        """Split TYPE:COUNT; the digits are a count only if that makes a known type and the whole is none."""
        whole = instance_type.strip()
        name, text = notation.split_count(whole)
        seller = provider.strip().lower()
        if text is None or table.types_spelt(seller, whole) or not table.types_spelt(seller, name):
            return whole, None
        return name, read_whole_number(text, least=0, most=100_000)

    def _known_type(self, provider: str, instance_type: str, table: PriceTable) -> tuple[str, str]:
        provider = provider.strip().lower()
        if table.sizes_of(provider, instance_type):
            return provider, instance_type
        spelt = table.types_spelt(provider, instance_type)
        if len(spelt) == 1:
            return provider, spelt[0]
        types = table.instance_types(provider)
        quote = say(
            " To use your own price, add quote={provider}/{instance_type}@ACCELERATOR:COUNT=USD_PER_HOUR.",
            provider=provider, instance_type=instance_type,
        )  # fmt: skip
        if not types:
            known = {*self.catalogue.providers, *table.values("provider")}
            if provider in known:
                raise ValueError(
                    say("no price of {provider} is in the table.{quote}", provider=shown(provider), quote=quote)
                )
            raise ValueError(
                say(
                    "{provider} is not a known provider.{near_matches}{quote}",
                    provider=shown(provider), near_matches=near_matches(provider, sorted(known)), quote=quote,
                )
            )  # fmt: skip
        raise ValueError(
            say(
                "{instance_type} is not an instance type of {provider} in the table.",
                instance_type=shown(instance_type), provider=provider,
            )
            + near_matches(f"{provider}/{instance_type}", types)
            + quote
        )  # fmt: skip


def _accepted(names: Iterable[str], faults: list[Fault]) -> frozenset[str]:
    """Read what a user accepts; several names may be joined by commas."""
    parts: set[str] = set()
    for i, text in enumerate(names):
        for name in (item.strip().lower() for item in text.split(",") if item.strip()):
            if name in ACCEPTED:
                parts.update(ACCEPTED[name])
            else:
                known = say(
                    "{name} is not a difference to accept; they are {accepted}.",
                    name=shown(name), accepted=", ".join(ACCEPTED),
                )  # fmt: skip
                faults.append(Fault(("accept", i), known + near_matches(name, ACCEPTED)))
    return frozenset(parts)


def _columns(names: Iterable[str], faults: list[Fault]) -> tuple[str, ...]:
    """Read names of columns; several may be joined by commas."""
    found: dict[str, None] = {}
    for i, text in enumerate(names):
        for name in (item.strip() for item in text.split(",") if item.strip()):
            found[name] = None
            if name not in COLUMN_NAMES:
                hint = near_matches(name, COLUMN_NAMES)
                faults.append(
                    Fault(
                        ("columns", i), say("{name} is not a column of the answer.{hint}", name=shown(name), hint=hint)
                    )
                )
    return tuple(found)


def with_unique_labels(measurements: Sequence[Measurement], warnings: list[Warned]) -> list[Measurement]:
    """Number labels that stand more than once, so that each names one measurement; warn of each."""
    seen: set[str] = set()
    result = []
    for measurement in measurements:
        label, number = measurement.label, 1
        while label in seen:
            number += 1
            label = f"{measurement.label} ({number})"
        if number > 1:
            warnings.append(
                Warned(
                    "label_repeated",
                    say(
                        "The label {label} stands twice; the later one is called {label_2}.",
                        label=shown(measurement.label), label_2=shown(label),
                    ),
                )
            )  # fmt: skip
        seen.add(label)
        result.append(replace(measurement, label=label) if number > 1 else measurement)
    return result


def _placed(loc: Location, places: Mapping[Location, Location]) -> Location:
    """Move a location in the model to where the user wrote it."""
    for inner, outer in places.items():
        if loc[: len(inner)] == inner:
            rest = loc[len(inner) :]
            if rest and rest[0] in DETAILS:
                return (f"{outer[0]}{int(outer[1]) + 1}.{rest[0]}",)
            return (*outer, *rest)
    if places and loc[:1] == ("filters",):
        return loc[1:]
    if places and loc and loc[0] in _PARAMETER_OF:
        return (_PARAMETER_OF[loc[0]], *(part for part in loc[1:] if isinstance(part, int)))
    return loc
