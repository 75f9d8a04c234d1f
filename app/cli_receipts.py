"""Commands for receipts: work one out again, and split the change between two."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands import FILE, FORMAT, fail, fail_of, tell, write

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_SHOWN = 20


def _read(path: Path) -> dict[str, Any]:
    from app.receipts import read_receipt
    from pricing.errors import InvalidInputError

    try:
        return read_receipt(path.read_bytes(), path.name)
    except OSError as error:
        fail(f"{path} can't be read ({error.strerror or error})")
    except InvalidInputError as error:
        fail_of(error)


@click.command()
@click.argument("receipt", type=FILE)
def verify(receipt: Path) -> None:
    """Work a receipt out again, offline, from its own prices: identical, or what differs.

    Exit code 0 if it is identical, 1 if something differs, 2 if it is no receipt.
    """
    from app.receipts import verified

    read = _read(receipt)
    found = verified(read)
    if not found:
        tell(f"identical: {read['asked']['kind']} of {read['asked']['as_of']}, {len(read['prices']):,} price rows")
        return
    tell(f"differs in {len(found):,} place{'s' if len(found) > 1 else ''}:")
    for line in found[:MOST_SHOWN]:
        tell(f"  {line}")
    if len(found) > MOST_SHOWN:
        tell(f"  and {len(found) - MOST_SHOWN:,} more")
    sys.exit(1)


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--offer", metavar="PROVIDER/TYPE", help="Estimate to explain, the cheapest of each receipt if absent.")
@click.option("--format", "form", type=FORMAT, default="table", show_default=True, help="Form of output.")
def explain(old: Path, new: Path, offer: str | None, form: str) -> None:
    """Split the change of a cost between two receipts into price, throughput, utilization, whole machines, currency."""
    from app.exports import dumps, table_csv
    from pricing.receipts import explained
    from pricing.wording import significant

    before, after = (_estimate(_read(path), path, offer) for path in (old, new))
    try:
        found = explained(before, after)
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        fail(f"{error if isinstance(error, ValueError) else 'a figure is missing in a receipt'}")
    rows = found.rows()
    if form == "json":
        parts = {name: {"ln": part, "factor": factor} for name, part, factor in rows}
        body = {"old": found.old, "new": found.new, "cost_unit": before["cost_unit"], "parts": parts}
        write([dumps(body), b"\n"])
    elif form == "csv":
        write(table_csv(("part", "ln", "factor"), rows))
    else:
        from app.terminal import aligned

        unit = before["cost_unit"]
        name = f"{after['provider']} {after['instance_type']}, {after['region']}, {after['purchase']}"
        tell(f"{name}: from {significant(found.old)} to {significant(found.new)} {unit}.")
        cells = [(part, f"{ln:+.6f}", _alone(factor)) for part, ln, factor in rows]
        tell("\n".join(aligned(("part", "ln", "alone"), cells, (1, 2))))


def _alone(factor: float) -> str:
    from pricing.wording import percent

    return f"{'+' if factor >= 1 else '-'}{percent(abs(factor - 1))}"


def _estimate(receipt: Mapping[str, Any], path: Path, offer: str | None) -> dict[str, Any]:
    rows = receipt["answer"].get("estimates")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        fail(f"{path.name} is a receipt of {receipt['asked']['kind']}, which has no estimates; take one of compare")
    names = [f"{row.get('provider')}/{row.get('instance_type')}" for row in rows]
    found = [row for row, name in zip(rows, names, strict=True) if offer in (None, name)]
    if not found:
        known = ", ".join(dict.fromkeys(names)) if names else "none"
        fail(f"{path.name} has no estimate of {offer or 'any offer'}; it has {known[:300]}")
    best: dict[str, Any] = min(found, key=lambda row: row.get("rank") or math.inf)
    return best
