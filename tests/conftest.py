"""Which tests are collected: those over real files only where their folder is named."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("PERDOLLAR_REAL_FILES") else ["real"]
