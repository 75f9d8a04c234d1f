"""What the tests of faults share: a small price table, and waiting for what must come without saying when."""

from __future__ import annotations

import time

HEADING = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n"
# So generous that a slow machine never meets it; a passing test waits only as long as it has to.
MOST_SECONDS = 60


def table(price, provider="acme", instance_type="box"):
    """Return a price table with one offer of an H100."""
    return f"{HEADING}{provider},{instance_type},H100-SXM,1,{price},2026-11-01\n"


def until(met, pause=0.02):
    """Wait until a condition is met, and return what it gave."""
    deadline = time.monotonic() + MOST_SECONDS
    while not (found := met()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(pause)
    return found
