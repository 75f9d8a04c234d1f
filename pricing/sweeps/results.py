"""The columns of a sweep's result, with the names that the same figures have in a comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pricing.columns import COLUMNS, Coded, Kind

Values = np.ndarray | Coded


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of the result: name, kind and one line of documentation."""

    name: str
    kind: Kind
    doc: str


# A figure that a comparison has as well is what the registry of its columns says.
_REGISTERED = {column.name: ResultColumn(column.name, column.kind, column.doc) for column in COLUMNS}
_OF_ESTIMATE = (
    "provider", "instance_type", "region", "purchase", "term_months", "accelerator", "accelerator_vendor",
    "accelerator_count", "measurement", "replicas", "idle_accelerators", "price_usd_per_hour",
    "rate_per_second", "utilization", "cost_usd", "cost_low_usd", "cost_high_usd", "cost_unit",
    "price_evidence", "price_observed_on", "plan",
)  # fmt: skip
SCENARIO = ResultColumn("scenario", "text", "The scenario's name: its column `scenario`, else the number of its row.")
REASON = ResultColumn(
    "left_out",
    "text",
    "Why there is no estimate: what was left out, as reason:count, separated by |; no_offer where the table has none.",
)
_COMMON = (_REGISTERED["comparable_group"], REASON)
TOP = (
    SCENARIO,
    ResultColumn("rank", "whole", "Place by cost from 1, in each group by itself; blank where there is no estimate."),
    *(_REGISTERED[name] for name in _OF_ESTIMATE),
    *_COMMON,
)
SUMMARY = (
    SCENARIO,
    ResultColumn("estimates", "whole", "Estimates of the group; 0 where there is none."),
    ResultColumn("cost_min_usd", "number", "Lowest cost in USD per quoted unit: that of rank 1."),
    ResultColumn("cost_mean_usd", "number", "Mean cost of all estimates of the group, in USD per quoted unit."),
    _REGISTERED["cost_unit"],
    *_COMMON,
)
