"""Answers as text for a terminal: aligned columns, rounded for reading; JSON and CSV have every digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.exports import rows_of
from app.format import figure, price, range_text
from pricing.browse import PRICE_COLUMNS, Browsed
from pricing.changes import Change, Summary
from pricing.columns import COLUMNS
from pricing.compare import Answer, headlines
from pricing.matching import REASONS
from pricing.wording import UNKNOWN, percent, significant

Cells = Sequence[str]


def aligned(header: Cells, rows: Sequence[Cells], right: Sequence[int]) -> Iterator[str]:
    """Line up cells in columns; those at the positions `right` are right-aligned."""
    widths = [max(len(cells[i]) for cells in (header, *rows)) for i in range(len(header))]
    for cells in (header, *rows):
        padded = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        yield "  ".join(padded).rstrip()


def answer_lines(answer: Answer, groups: Sequence[Answer]) -> Iterator[str]:
    """Write an answer: its summary, the estimates, what was left out, and the notes.

    `groups` are its parts that can be compared; where there are several, each is ranked by itself.
    """
    for number, part in enumerate(groups, 1):
        if len(groups) > 1:
            labels = ", ".join(m.label for m in part.question.measurements)
            yield f"Group {number} of {len(groups)} that can't be compared with each other: {labels}."
        yield from _part_lines(part)
        if len(groups) > 1:
            yield ""
    if answer.excluded:
        yield ""
        yield "Left out (pairs of offer and measurement):"
        for excluded in answer.excluded:
            yield f"  {excluded.count:,} {REASONS[excluded.reason]}, for example {excluded.example}"
    for warning in answer.warnings:
        yield f"Note: {warning.message}"


def _part_lines(answer: Answer) -> Iterator[str]:
    for place, headline in enumerate(headlines(answer)):
        row = rows_of(headline.estimates, COLUMNS)[0]
        which = "Cheapest with a price that is not old" if place else "Cheapest"
        if headline.rivals is not None:
            names = [f"{r['provider']} {r['instance_type']}" for r in rows_of(headline.rivals, COLUMNS)]
            which = f"Too close to call, within the error of the measurements, with {', '.join(names)}; first"
        bounds = range_text(headline.cost_low_usd, headline.cost_high_usd)
        saved = _saved(headline.share_saved)
        yield (
            f"{which}: {row['provider']} {row['instance_type']} ({row['region']}, {row['purchase']}) with "
            f"{row['measurement']}: {significant(headline.cost_usd)} {answer.unit.cost_unit}"
            + (f" ({bounds})" if bounds else "")
            + saved
            + (", but its price is old" if headline.stale else "")
            + "."
        )
    if answer.baseline:
        yield f"Compared with {answer.baseline.measurement} on {answer.baseline.name}."
    yield f"{answer.total:,} estimates, prices as of {answer.question.as_of}."
    if len(answer.page):
        yield ""
        rows = [_estimate_cells(row) for row in rows_of(answer.page, COLUMNS)]
        yield from aligned(
            (
                "rank", "provider", "instance type", "region", "purchase", "accelerators", "measurement", "USD/h",
                answer.unit.cost_unit, "range", "ratio", "seen on", "evidence", "flags",
            ),
            rows,
            (0, 7, 8, 9, 10),
        )  # fmt: skip


def _saved(share: float | None) -> str:
    if not share:
        return ""
    return f", {percent(share)} cheaper than the baseline" if share > 0 else f", {percent(-share)} dearer"


def _estimate_cells(row: Mapping[str, Any]) -> Cells:
    term = f" {row['term_months']} months" if row["term_months"] else ""
    count = f"{row['accelerator_count']} × {row['accelerator']}" if row["accelerator"] else "none"
    return (
        str(row["rank"]),
        row["provider"],
        row["instance_type"],
        row["region"],
        row["purchase"] + term,
        count,
        row["measurement"],
        price(row["price_usd_per_hour"]),
        significant(row["cost_usd"]),
        range_text(row["cost_low_usd"], row["cost_high_usd"]),
        significant(row["ratio_to_baseline"]),
        row["price_observed_on"] or UNKNOWN,
        f"{row['price_evidence']}/{row['measurement_evidence']}",
        row["flags"],
    )


def price_lines(found: Browsed) -> Iterator[str]:
    """Write a list of prices."""
    rows = [
        (
            row["provider"],
            row["instance_type"],
            row["region"],
            f"{row['accelerator_count']} × {row['accelerator']}" if row["accelerator"] else "none",
            row["sizes"] or "",
            row["purchase"] + (f" {row['term_months']} months" if row["term_months"] else ""),
            price(row["price_usd_per_hour"]),
            price(row["price_usd_per_accelerator_hour"]),
            row["observed_on"] or UNKNOWN,
            row["evidence"],
        )
        for row in _mappings(found)
    ]
    header = (
        "provider", "instance type", "region", "accelerators", "sizes", "purchase", "USD/h", "per accelerator",
        "seen on", "evidence",
    )  # fmt: skip
    yield from aligned(header, rows, (6, 7))
    yield f"{found.total:,} prices as of {found.as_of}."


def _mappings(found: Browsed) -> list[dict[str, Any]]:
    return rows_of(found.page, PRICE_COLUMNS)


def chip_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Write a list of accelerators."""
    cells = [
        (
            row["accelerator"],
            row["vendor"],
            row["torch_device"] or UNKNOWN,
            figure(row["memory_gib"]),
            figure(row["memory_bandwidth_gb_s"]),
            figure(row["bf16_dense_tflops"]),
            figure(row["fp8_dense_tflops"]),
            str(row["offers"]),
        )
        for row in rows
    ]
    header = ("accelerator", "vendor", "PyTorch", "GiB", "GB/s", "BF16 TFLOPS", "FP8 TFLOPS", "offers")
    yield from aligned(header, cells, (3, 4, 5, 6, 7))


def change_lines(counted: Sequence[Summary], found: Sequence[Change]) -> Iterator[str]:
    """Write what changed between two tables: counts by provider, then each change."""
    header = ("provider", "old", "new", "new offers", "gone", "dearer", "cheaper")
    rows = [(s.provider, *(str(n) for n in (s.old, s.new, s.added, s.gone, s.dearer, s.cheaper))) for s in counted]
    yield from aligned(header, rows, (1, 2, 3, 4, 5, 6))
    if not found:
        yield "Nothing changed."
        return
    yield ""
    cells = [
        (
            change.kind,
            change.provider,
            change.instance_type,
            change.region,
            change.purchase + (f" {change.term_months} months" if change.term_months else ""),
            f"{change.accelerator_count} × {change.accelerator}" if change.accelerator else "none",
            price(change.old_usd_per_hour),
            price(change.new_usd_per_hour),
            significant(change.ratio),
        )
        for change in found
    ]
    heading = (
        "change",
        "provider",
        "instance type",
        "region",
        "purchase",
        "accelerators",
        "old USD/h",
        "new USD/h",
        "ratio",
    )
    yield from aligned(heading, cells, (6, 7, 8))
