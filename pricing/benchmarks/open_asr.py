"""The Open ASR Leaderboard's tables: RTFx, seconds of audio per second of work, of speech recognition models."""

from __future__ import annotations

from pricing.benchmarks.result import AUDIO, Findings, number, text
from pricing.benchmarks.values import records, tables
from pricing.sources.document import Document
from pricing.wording import say

NAME = "open_asr_leaderboard"
WHAT = "a table of the Open ASR Leaderboard (CSV with RTFx)"


def recognises(document: Document) -> bool:
    """Whether it has RTFx by model."""
    names = [cell.strip().strip('"').lower() for cell in document.first_line.split(",")]
    # With hardware beside it, it is a table of somebody's own.
    return "rtfx" in names and "hardware" not in names and any(name in ("model", "model_id") for name in names)


def read(document: Document, findings: Findings) -> None:
    """Read each model whose speed was measured; -1 means that it was not."""
    without = 0
    for row in records(tables(document)[0]):
        fields = {name.lower(): cell for name, cell in row.items()}
        speed = number(fields.get("rtfx"))
        if speed is None or speed <= 0:
            without += 1
            continue
        model = text(fields.get("model") or fields.get("model_id"))
        run = findings.run(label=model or "", model=model, evidence="published")
        run.rate(AUDIO, speed)
    if without:
        findings.warn(say("{without} models have no RTFx (-1 or blank) and are left out", without=without))
    findings.warn("on what hardware a table was measured is not in it; short and long audio differ by up to 3 ×")
