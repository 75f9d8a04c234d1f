"""What the compared measurements differ in, and which of these differences make a ranking meaningless.

An estimate's basis is what its number rests on: model, precision, token lengths, latency point, and
so on. Measurements that differ in a blocking part of it are put in groups that can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pricing.measurements import Measurement
from pricing.wording import say

# Mean lengths of a benchmark scatter from run to run; below this share they are the same traffic.
SAME_LENGTH = 0.02
Known = str | float | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the basis: what it is called, whether a difference in it blocks a ranking, and its value.

    `code` is that of the warning about a difference; only blocking parts have one.
    """

    name: str
    words: str
    of: Callable[[Measurement], Known]
    code: str = ""

    @property
    def blocking(self) -> bool:
        """Whether a difference makes a ranking meaningless until the user says that they know."""
        return bool(self.code)


def _success(measurement: Measurement) -> Known:
    return measurement.success_rate


PARTS = (
    Part("model", "models", lambda m: m.model, "models_differ"),
    Part("precision", "precisions", lambda m: m.precision, "precisions_differ"),
    Part("input_tokens", "input lengths in tokens", lambda m: m.input_tokens, "input_lengths_differ"),
    Part("output_tokens", "output lengths in tokens", lambda m: m.output_tokens, "output_lengths_differ"),
    Part("latency", "loads or latency points", lambda m: m.reference_point),
    Part("stack", "software stacks", lambda m: m.stack),
    Part("success_rate", "success rates", _success),
    Part("measured_on", "dates or places of measurement", lambda m: m.measured_on),
    Part("evidence", "kinds of evidence", lambda m: m.evidence),
    Part("source", "sources", lambda m: m.source),
)
BLOCKING = tuple(part.name for part in PARTS if part.blocking)
# What a user may accept: a part, both lengths at once, or everything.
ACCEPTED = {name: (name,) for name in BLOCKING} | {"lengths": ("input_tokens", "output_tokens"), "all": BLOCKING}


@dataclass(frozen=True, slots=True)
class StatedBy:
    """A value of a part of the basis, and the measurements that state it (null: they do not say)."""

    value: str | float | None
    measurements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One part of the basis in which the compared measurements differ."""

    part: str
    blocking: bool
    accepted: bool
    values: tuple[StatedBy, ...]


def differences(measurements: Sequence[Measurement], accepted: Iterable[str] = ()) -> tuple[Difference, ...]:
    """List the parts in which measurements differ; one that only some of them state is listed, too.

    A blocking part blocks where two known values differ: an unstated one may be the same.
    """
    taken = set(accepted)
    found = []
    for part in PARTS:
        values: list[tuple[Known, list[str]]] = []
        for measurement in measurements:
            value = part.of(measurement)
            labels = next((names for other, names in values if _same(value, other)), None)
            if labels is None:
                values.append((value, [measurement.label]))
            else:
                labels.append(measurement.label)
        if len(values) > 1:
            known = sum(value is not None for value, _ in values)
            stated = tuple(StatedBy(value, tuple(labels)) for value, labels in values)
            found.append(Difference(part.name, part.blocking and known > 1, part.name in taken, stated))
    return tuple(found)


def groups(measurements: Sequence[Measurement], accepted: Iterable[str] = ()) -> tuple[int, ...]:
    """Return each measurement's group, from 1: within a group no blocking, unaccepted part differs.

    A measurement joins the first group that contradicts none of its values.
    """
    parts = [part for part in PARTS if part.blocking and part.name not in set(accepted)]
    members: list[list[Measurement]] = []
    places = []
    for measurement in measurements:
        fitting = next((i for i, group in enumerate(members) if _fits(measurement, group, parts)), None)
        if fitting is None:
            fitting = len(members)
            members.append([])
        members[fitting].append(measurement)
        places.append(fitting + 1)
    return tuple(places)


def differing_parts(measurement: Measurement, other: Measurement) -> list[str]:
    """Return the parts in which two measurements state different values."""
    return [part.name for part in PARTS if not _agrees(part.of(measurement), part.of(other))]


def warnings_of(found: Iterable[Difference]) -> Iterator[tuple[str, str]]:
    """Yield code and sentence of each blocking difference that the user did not accept."""
    parts = {part.name: part for part in PARTS}
    for difference in found:
        if difference.blocking and not difference.accepted:
            part = parts[difference.part]
            shown = ", ".join(_said(each.value) for each in difference.values if each.value is not None)
            yield (
                part.code,
                say(
                    "The measurements have different {words} ({shown}), so that their costs can't be ranked "
                    "against each other; accept={part} ranks them all the same.",
                    words=part.words,
                    shown=shown,
                    part=difference.part,
                ),
            )


def _fits(measurement: Measurement, group: Iterable[Measurement], parts: Iterable[Part]) -> bool:
    return all(_agrees(part.of(measurement), part.of(other)) for other in group for part in parts)


def _agrees(a: Known, b: Known) -> bool:
    return a is None or b is None or _same(a, b)


def _same(a: Known, b: Known) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= SAME_LENGTH * max(a, b)
    return a is None and b is None


def _said(value: Known) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
