"""Which tests are collected, and what they don't take from the user who runs them."""

from __future__ import annotations

import os
import tempfile

# Tests over real files run only where their folder is named.
collect_ignore = [] if os.environ.get("PERDOLLAR_REAL_FILES") else ["real"]
# Prices that the user has refreshed are no part of what is tested.
os.environ["PERDOLLAR_FOLDER"] = os.path.join(tempfile.gettempdir(), "perdollar-tests-have-no-refreshed-prices")
