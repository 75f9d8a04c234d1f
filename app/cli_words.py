"""The command line that asks the same question as a link."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable

FLAGS = ("include_unconfirmed", "all_sizes", "interpolate")


def command_line(pairs: Iterable[tuple[str, str]], command: str = "compare", flags: Container[str] = FLAGS) -> str:
    """Write `perdollar compare …` for name-value pairs, quoted for a shell; `flags` are options without a value."""
    words, measurements = ["perdollar", command], []
    for name, value in pairs:
        if name == "m":
            measurements.append(value)
        elif name == "table":
            # The command line takes the uploaded table as the file that can be downloaded.
            words += ["--prices", "prices.csv"]
        elif "." in name:
            words += ["--set", f"{name}={value}"]
        elif name in flags:
            words.append(f"--{name.replace('_', '-')}")
        else:
            words += [f"--{name.replace('_', '-')}", value]
    if any(m.startswith("-") for m in measurements):
        words.append("--")
    return shlex.join([*words, *measurements])
