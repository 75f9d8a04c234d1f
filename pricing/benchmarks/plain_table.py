"""A plain CSV table of our own form: a label, the hardware, and rates whose headings name their kind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pricing.accelerators import UnknownNameError
from pricing.benchmarks.result import FLAGS, MOST, Findings, Measured, stated, text
from pricing.benchmarks.values import broken, records, tables
from pricing.durations import read_seconds
from pricing.errors import near_matches, shown
from pricing.measurements import EVIDENCE, LATENCIES, RATES_COUNT, positive
from pricing.notation import split_count
from pricing.numbers import read_number, read_utilization, read_whole_number
from pricing.question import LEAST_SHARE
from pricing.sources.document import Document
from pricing.units import RATE_FIELDS, SHORT_KEYS, UNITS
from pricing.wording import say

NAME = "plain_table"
WHAT = (
    "a plain CSV table with the headings label, hardware and a rate such as output_tokens_per_second or rtfx, or rate "
    "and unit"
)
_RATES = {
    **{name: name for name in RATE_FIELDS},
    **{key: unit.rate_field for key, unit in SHORT_KEYS.items()},
    **{unit.id: unit.rate_field for unit in UNITS.values()},
}
_TEXTS = (
    "label", "model", "precision", "stack", "parallelism", "source", "measured_on", "evidence", "rates_count",
)  # fmt: skip
_NUMBERS = ("success_rate", "concurrency", "request_rate", "input_tokens", "output_tokens")
_KNOWN = (
    *_TEXTS,
    *_NUMBERS,
    "hardware",
    "accelerator",
    "accelerator_count",
    "instance_type",
    "provider",
    "unit",
    "rate",
    "flags",
    # What `read --format csv` writes besides.
    "file",
    "format",
)


def recognises(document: Document) -> bool:
    """Whether there is hardware and a rate among the headings."""
    names = {_plain(cell) for cell in document.first_line.split(",")}
    hardware = {"hardware", "accelerator", "instance_type"} & names
    return bool(hardware) and bool(({"rate"} | set(_RATES)) & names) and "price_usd_per_hour" not in names


def _plain(cell: str) -> str:
    return cell.strip().strip('"').strip().lower().replace(" ", "_")


def read(document: Document, findings: Findings) -> None:
    """Read each row; a heading that is not known is told."""
    table = tables(document)[0]
    heading = [_plain(cell) for cell in table[0]]
    for name in heading:
        if name and name not in (*_KNOWN, *_RATES, *LATENCIES):
            findings.warn(
                say("the column {name} is not known and is not read.", name=shown(name)) + near_matches(name, _KNOWN)
            )
    for line, row in enumerate(records([heading, *table[1:]]), 2):
        try:
            _read(row, findings, f"{document.name} line {line}")
        except ValueError as error:
            raise broken(document, f"line {line}: {error}") from error


def _read(row: dict[str, str], findings: Findings, place: str) -> None:
    """Read one row. ValueError for a cell of a known column that can't be read: nothing is passed over."""
    # What a user types counts attempted work until it says otherwise, as in a question.
    run = findings.run(rates_count="attempted")
    run.source = place
    for name in _TEXTS:
        if value := text(row.get(name)):
            setattr(run, name, value)
    for name, known in (("evidence", EVIDENCE), ("rates_count", RATES_COUNT)):
        if getattr(run, name) not in known:
            raise ValueError(
                say(
                    "{name} {getattr} is none of {known}",
                    name=name,
                    getattr=shown(getattr(run, name)),
                    known=", ".join(known),
                )
            )
    for name in _NUMBERS:
        setattr(run, name, _cell(row, name, _share if name == "success_rate" else _amount))
    _hardware(run, row, findings)
    for name, field in _RATES.items():
        if (rate := _cell(row, name, _rate)) is not None:
            run.rate(field, rate)
    if (rate := _cell(row, "rate", _rate)) is not None:
        unit = (row.get("unit") or "").lower()
        if unit not in _RATES:
            raise ValueError(say("the rate has no unit; write one of {units} in a column unit", units=", ".join(UNITS)))
        run.rate(_RATES[unit], rate)
    for name in LATENCIES:
        run.latency(name, _cell(row, name, _seconds))
    for flag in (row.get("flags") or "").split("|"):
        if flag.strip() in FLAGS:
            run.flag(flag.strip())
        elif flag.strip():
            raise ValueError(say("{flag} is not a flag; they are {flags}", flag=shown(flag), flags=", ".join(FLAGS)))
    if not run.rates and not any(run.latency_seconds.values()):
        raise ValueError(say("has neither a rate nor a latency that is a number above 0"))


def _cell(row: dict[str, str], name: str, reader: Callable[[str], float]) -> float | None:
    """Read a cell, None for a blank one. ValueError names the column."""
    cell = row.get(name)
    if not stated(cell):
        return None
    try:
        return reader(str(cell))
    except ValueError as error:
        raise ValueError(say("{name}: {error}", name=name, error=str(error))) from error


def _rate(cell: str) -> float:
    return positive(read_number(cell, thousands=True))


def _amount(cell: str) -> float:
    value = read_number(cell, thousands=True)
    if not 0 < value <= MOST:
        raise ValueError(say("{cell} must be above 0 and at most {most:g}", cell=shown(cell), most=MOST))
    return value


def _share(cell: str) -> float:
    value = read_utilization(cell)
    if not LEAST_SHARE <= value <= 1:
        raise ValueError(say("{cell} must be a share above 0 and at most 1, such as 0.95 or 95%", cell=shown(cell)))
    return value


def _seconds(cell: str) -> float:
    value = read_seconds(cell)
    if not 0 < value <= MOST:
        raise ValueError(say("{cell} must be a time above 0, such as 0.35 (seconds) or 350ms", cell=shown(cell)))
    return value


def _hardware(run: Measured, row: dict[str, str], findings: Findings) -> None:
    """Read `H100-SXM:8`, `aws/trn1.32xlarge`, or columns of their own. ValueError for counts that differ."""
    name, count = row.get("hardware") or row.get("accelerator") or "", row.get("accelerator_count")
    columns = _count(count) if count and stated(count) else None
    if "/" in name and not findings.catalogue.candidates(name):
        run.provider, _, run.instance_type = (part.strip() for part in name.partition("/"))
        run.accelerator_count = columns
        return
    if row.get("instance_type"):
        run.provider, run.instance_type = text(row.get("provider")), text(row["instance_type"])
    name, typed = split_count(name)
    counts = {number for number in (None if typed is None else _count(typed), columns) if number}
    # A name that is not known is told by findings.hardware.
    with suppress(UnknownNameError):
        counts |= {number for number in (findings.catalogue.resolve(name).count,) if number}
    if len(counts) > 1:
        raise ValueError(
            say(
                "the hardware's count is given in two ways that differ: {sorted}",
                sorted=", ".join(map(str, sorted(counts))),
            )
        )
    findings.hardware(run, name, counts.pop() if counts else None)


def _count(cell: str) -> int:
    try:
        return read_whole_number(cell, least=1, most=100_000)
    except ValueError as error:
        raise ValueError(say("accelerator_count: {error}", error=str(error))) from error
