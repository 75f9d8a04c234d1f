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
    "api-prices": ("api_prices", "Compare a machine with hosted APIs, and find the volume from which it pays."),
}


@cache
def decision_named(name: str) -> Decision:
    """Load a decision. KeyError for a name that is none."""
    module = import_module(f"pricing.decisions.{DECISIONS[name][0]}")
    return cast("Decision", module.DECISION)
