"""Which tests are collected, and what they don't take from the user who runs them."""

from __future__ import annotations

import importlib.util
import os
import tempfile

from hypothesis import settings

# Tests over real files, and of real models, run only where these are named.
_NEEDED = {"real": "PERDOLLAR_REAL_FILES", "measured": "PERDOLLAR_MEASURED_PYTHON"}
collect_ignore = [folder for folder, name in _NEEDED.items() if not os.environ.get(name)]
# Spark is not among what every test needs.
if importlib.util.find_spec("pyspark") is None:
    collect_ignore.append("spark")
# Open descriptors are counted where Linux lists them.
if not os.path.isdir("/proc/self/fd"):
    collect_ignore.append("serving/test_faults_descriptors.py")
# Prices that the user has refreshed are no part of what is tested.
os.environ["PERDOLLAR_FOLDER"] = os.path.join(tempfile.gettempdir(), "perdollar-tests-have-no-refreshed-prices")
# A busy machine is no fault of the code: no test is held to a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
