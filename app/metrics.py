"""Figures of the running server for Prometheus: how much is asked, how long answers take, how old the prices are.

Labels are routes as they are written in the code, never addresses: an address holds what was asked, and
there are endless ones. With several workers each writes its figures into files of the folder that
PROMETHEUS_MULTIPROC_DIR names (set before this module is loaded), and any of them answers for all.
"""

from __future__ import annotations

import os
from datetime import date

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from pricing.market import PriceTable

SHARED = "PROMETHEUS_MULTIPROC_DIR"
MEDIA_TYPE = CONTENT_TYPE_LATEST
# From the fastest fragment to a large upload.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

_own = CollectorRegistry()
ProcessCollector(registry=_own)
PlatformCollector(registry=_own)
REQUESTS = Counter(
    "perdollar_http_requests", "Requests answered.", ("method", "route", "status"), registry=_own
)  # fmt: skip
DURATION = Histogram(
    "perdollar_http_request_duration_seconds", "Seconds until an answer was sent as a whole.", ("method", "route"),
    buckets=SECONDS, registry=_own,
)  # fmt: skip
IN_FLIGHT = Gauge(
    "perdollar_http_requests_in_flight", "Requests being answered.", registry=_own, multiprocess_mode="livesum"
)
ROWS = Gauge(
    "perdollar_price_rows", "Rows of the price table in use, private tables aside.", registry=_own,
    multiprocess_mode="livemostrecent",
)  # fmt: skip
NEWEST = Gauge(
    "perdollar_newest_price_timestamp_seconds", "Date of the newest price in use, private tables aside.",
    registry=_own, multiprocess_mode="livemostrecent",
)  # fmt: skip
DEGRADED = Gauge(
    "perdollar_prices_degraded", "1 where the price files on the disk can't be used, and those of before are.",
    registry=_own, multiprocess_mode="livemax",
)  # fmt: skip
LOAD_FAILURES = Counter(
    "perdollar_price_load_failures", "Times that changed price files could not be used.", registry=_own
)


def table_in_use(table: PriceTable) -> None:
    """Note the table that everybody sees."""
    ROWS.set(table.source_rows)
    newest = int(table.columns.observed.max(initial=0))
    if newest > 0:
        NEWEST.set((newest - date(1970, 1, 1).toordinal()) * 86_400)


def exposition() -> bytes:
    """Return all figures in Prometheus' text format."""
    if SHARED not in os.environ:
        return generate_latest(_own)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
