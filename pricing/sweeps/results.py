"""The columns of a sweep's result, with the names that the same figures have in a comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pricing.columns import Coded, Kind

Values = np.ndarray | Coded


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of the result: name, kind and one line of documentation."""

    name: str
    kind: Kind
    doc: str


SCENARIO = ResultColumn("scenario", "text", "The scenario's name: its column `scenario`, else the number of its row.")
GROUP = ResultColumn(
    "comparable_group", "whole", "Group of measurements within which costs are ranked, as in a comparison."
)
REASON = ResultColumn(
    "left_out",
    "text",
    "Why there is no estimate: what was left out, as reason:count, separated by |; no_offer where the table has none.",
)
TOP = (
    SCENARIO,
    ResultColumn("rank", "whole", "Place by cost from 1, in each group by itself; blank where there is no estimate."),
    ResultColumn("provider", "text", "Seller, in lower case."),
    ResultColumn("instance_type", "text", "The seller's name of the instance."),
    ResultColumn("region", "text", "Region as the seller names it."),
    ResultColumn("purchase", "text", "on_demand, spot, reserved, savings_plan, capacity_block or owned."),
    ResultColumn("term_months", "whole", "Months of commitment."),
    ResultColumn("accelerator", "text", "Canonical name of the chip or GPU."),
    ResultColumn("accelerator_vendor", "text", "Maker of the accelerator."),
    ResultColumn("accelerator_count", "whole", "Accelerators in the instance."),
    ResultColumn("measurement", "text", "Label of the measurement."),
    ResultColumn("replicas", "whole", "Copies of the measured set-up that the instance holds."),
    ResultColumn("idle_accelerators", "whole", "Accelerators left over: paid for and idle."),
    ResultColumn("price_usd_per_hour", "number", "USD per hour of the whole instance."),
    ResultColumn("rate_per_second", "number", "Units per second that count, before utilization."),
    ResultColumn("utilization", "number", "Share of paid time whose work counts, at that rate."),
    ResultColumn("cost_usd", "number", "USD per quoted unit; see cost_unit."),
    ResultColumn("cost_low_usd", "number", "Cost at the upper bound of the rate."),
    ResultColumn("cost_high_usd", "number", "Cost at the lower bound of the rate."),
    ResultColumn("cost_unit", "text", "What the cost is quoted for."),
    ResultColumn("price_evidence", "text", "list, survey, quote or third_party."),
    ResultColumn("price_observed_on", "date", "Date on which the price was seen."),
    ResultColumn("plan", "text", "Plan of a commitment, such as no_upfront."),
    GROUP,
    REASON,
)
SUMMARY = (
    SCENARIO,
    ResultColumn("estimates", "whole", "Estimates of the group; 0 where there is none."),
    ResultColumn("cost_min_usd", "number", "Lowest cost in USD per quoted unit: that of rank 1."),
    ResultColumn("cost_mean_usd", "number", "Mean cost of all estimates of the group."),
    ResultColumn("cost_unit", "text", "What the cost is quoted for."),
    GROUP,
    REASON,
)
