"""Decisions: questions that a ranking alone does not answer. Each is loaded when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pricing.decisions.decision import Decision

# Name in addresses and commands: (module, short help).
DECISIONS = {
    "claim": ("claim", "Check a claim such as 70 % more audio per dollar."),
    "break-even": ("break_even", "Throughput, price and utilization that meet a target cost."),
    "sure": ("sure", "How sure an order is, and what would turn it round."),
    "fleet": ("fleet", "Machines and monthly cost for a demand, fixed, scaled or partly reserved."),
    "api-prices": ("api_prices", "Hosted prices against your own machine, and the volume from which it pays."),
    "audio": ("audio", "Cost per audio-hour from RTFx, RTF or concurrent streams; short clips, usable hours."),
    "commit": ("commit", "Weigh a commitment against on demand, with a chance to stop early."),
    "move": ("move", "When moving to another chip has paid back."),
}


@cache
def decision_named(name: str) -> Decision:
    """Load a decision. KeyError for a name that is none."""
    module = import_module(f"pricing.decisions.{DECISIONS[name][0]}")
    return cast("Decision", module.DECISION)
