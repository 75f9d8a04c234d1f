"""One tool with the table in its memory: `python tool.py NAME FOLDER`, then a line on standard input for each round.

It runs in that tool's own environment, so that it imports nothing else of this project. A round asks the question
several times and prints the seconds of one answer, and of one whose every offer is read out as a Python tuple.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

# Provider as this tool calls it, instance type, region, accelerators, USD per hour; cheapest first.
Offers = list[tuple[str, str, str, int, float]]
ROUND_SECONDS = 0.3


class Asked(NamedTuple):
    """How a tool is asked, and how the offers are read out of its answer."""

    ask: Callable[[], Any]
    read: Callable[[Any], Offers]


def gpuhunt(folder: Path) -> Asked:
    """Ask Catalog.query of a catalog that its own Catalog.load read; it sorts each seller's offers, not all."""
    os.environ["GPUHUNT_CATALOG_URL"] = (folder / "gpuhunt").as_uri()
    sellers = sorted(path.name for path in (folder / "gpuhunt").iterdir())
    catalog = import_module("gpuhunt").Catalog(auto_reload=False)
    # It complains of each seller that the table does not have.
    logging.disable(logging.CRITICAL)
    catalog.load()
    return Asked(
        lambda: sorted(catalog.query(provider=sellers, gpu_name="H100"), key=lambda item: item.price),
        lambda found: [(i.provider, i.instance_name, i.location, i.gpu_count, i.price) for i in found],
    )


def skypilot(folder: Path) -> Asked:
    """Ask sky.catalog.list_accelerators, as `sky show-gpus H100 --all-regions` does, of catalogs it has in memory."""
    home = folder / "home"
    os.environ |= {"HOME": str(home), "SKY_RUNTIME_DIR": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    constants = import_module("sky.skylet.constants")
    place = home / ".sky" / "catalogs" / constants.CATALOG_SCHEMA_VERSION
    place.parent.mkdir(parents=True)
    place.symlink_to(folder / "skypilot")
    sellers = sorted(path.name for path in (folder / "skypilot").iterdir())
    catalog = import_module("sky.catalog")

    def ask() -> Any:
        found = catalog.list_accelerators(name_filter="^H100$", clouds=sellers, all_regions=True)["H100"]
        return sorted(found, key=lambda info: info.price)

    return Asked(
        ask,
        lambda found: [(i.cloud.lower(), i.instance_type, i.region, int(i.accelerator_count), i.price) for i in found],
    )


def _table(folder: Path):
    from pricing.accelerators import catalogue
    from pricing.sources.own_schema import read_csv

    today = date(2026, 12, 1)
    return read_csv((folder / "perdollar.csv").read_bytes(), "perdollar.csv", catalogue(), today), catalogue(), today


def _read_out(columns: Any) -> Callable[[Any], Offers]:
    wanted = ("provider", "instance_type", "region", "accelerator_count", "price_usd_per_hour")
    chosen = [column for name in wanted for column in columns if column.name == name]
    return lambda rows: list(zip(*(column.python(rows) for column in chosen), strict=True))


def prices(folder: Path) -> Asked:
    """Ask the price list, as /prices?accelerator=H100&sort=price_usd_per_hour does."""
    from pricing.browse import PRICE_COLUMNS, browse

    table, names, today = _table(folder)
    pairs = [("accelerator", "H100"), ("sort", "price_usd_per_hour")]
    return Asked(lambda: browse(pairs, table, names, today, all_rows=True).page, _read_out(PRICE_COLUMNS))


def ranking(folder: Path) -> Asked:
    """Ask for the cost of each offer's work by one measurement, as /compare?m=H100-SXM:1=1000 does."""
    from pricing.columns import COLUMNS
    from pricing.compare import compare
    from pricing.reading import Reader

    table, names, today = _table(folder)
    reader = Reader(table, names, today)
    pairs = [("unit", "output_token"), ("m", "H100-SXM:1=1000")]

    def ask() -> Any:
        page = compare(reader.from_pairs(pairs), names, all_rows=True).page
        # An answer works out its columns when they are read; the costs are what was asked for.
        _ = page.cost
        return page

    return Asked(ask, _read_out(COLUMNS))


TOOLS = {"gpuhunt": gpuhunt, "skypilot": skypilot, "prices": prices, "ranking": ranking}


def _seconds(work: Callable[[], Any], times: int) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - begun) / times


def main(name: str, folder: Path) -> None:
    """Load the table, then answer once for each line of standard input."""
    said = os.fdopen(os.dup(1), "w")
    # What a tool prints by itself must not stand among the answers.
    os.dup2(2, 1)
    tool = TOOLS[name](folder)
    answer = tool.read(tool.ask())
    times = max(1, int(ROUND_SECONDS / _seconds(tool.ask, 1)))
    package = name if name in ("gpuhunt", "skypilot") else "perdollar"
    print(json.dumps({"version": metadata.version(package), "answer": answer}), file=said, flush=True)
    for _ in sys.stdin:
        asked, read_out = _seconds(tool.ask, times), _seconds(lambda: tool.read(tool.ask()), times)
        print(json.dumps([asked, read_out]), file=said, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
