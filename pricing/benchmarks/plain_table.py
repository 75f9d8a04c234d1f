"""A plain CSV table of our own form: a label, the hardware, and rates whose headings name their kind."""

from __future__ import annotations

from pricing.benchmarks.result import Findings, Measured, number, text
from pricing.benchmarks.values import broken, records, tables
from pricing.errors import near_matches, shown
from pricing.measurements import LATENCIES
from pricing.sources.document import Document
from pricing.units import RATE_FIELDS, SHORT_KEYS, UNITS

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
_TEXTS = ("label", "model", "precision", "stack", "source", "measured_on", "evidence")
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
            findings.warn(f"the column {shown(name)} is not known and is not read." + near_matches(name, _KNOWN))
    for line, row in enumerate(records([heading, *table[1:]]), 2):
        run = findings.run()
        for name in _TEXTS:
            if value := text(row.get(name)):
                setattr(run, name, value)
        if run.evidence not in ("measured", "published", "claimed", "assumed"):
            raise broken(
                document,
                f"line {line}: evidence {shown(run.evidence)} is none of measured, published, claimed, assumed",
            )
        for name in _NUMBERS:
            if (cell := row.get(name)) and number(cell) is not None:
                setattr(run, name, number(cell))
        _hardware(run, row, findings)
        for name, field in _RATES.items():
            run.rate(field, row.get(name))
        if row.get("rate"):
            unit = (row.get("unit") or "").lower()
            if unit not in _RATES:
                raise broken(
                    document, f"line {line}: the rate has no unit; write one of {', '.join(UNITS)} in a column unit"
                )
            run.rate(_RATES[unit], row["rate"])
        for name in LATENCIES:
            run.latency(name, row.get(name))
        if not run.rates:
            raise broken(document, f"line {line}: has no rate that is a number above 0")
        if run.source == f"{NAME}, {document.name}":
            run.source = f"{document.name} line {line}"


def _hardware(run: Measured, row: dict[str, str], findings: Findings) -> None:
    """Read `H100-SXM:8`, `aws/trn1.32xlarge`, or columns of their own."""
    name, count = row.get("hardware") or row.get("accelerator") or "", row.get("accelerator_count")
    if "/" in name and not findings.catalogue.candidates(name):
        run.provider, _, run.instance_type = (part.strip() for part in name.partition("/"))
        return
    if row.get("instance_type"):
        run.provider, run.instance_type = text(row.get("provider")), row["instance_type"]
    if ":" in name:
        name, _, count = name.rpartition(":")
    findings.hardware(run, name, count)
