"""Tables of speech recognition as faster-whisper's README has them: how long each implementation takes."""

from __future__ import annotations

import re

from pricing.benchmarks.result import AUDIO, Findings, number, text
from pricing.benchmarks.values import text_of
from pricing.sources.document import Document
from pricing.wording import say

NAME = "stt_table"
WHAT = "a Markdown table of speech recognition times"
_HEADING = re.compile(r"^\|\s*Implementation\s*\|.*\bTime\b", re.MULTILINE)
_AUDIO = re.compile(r"\*{0,2}(\d+(?:\.\d+)?)\s*minutes?\*{0,2}.*?of audio", re.IGNORECASE)
_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?")
_GPU = re.compile(r"\bon an? (NVIDIA|AMD)\s+([\w ]+?)(?:\s+\d+\s*GB)?[.*\n]")


def recognises(document: Document) -> bool:
    """Whether it has such a table."""
    return _HEADING.search(document.head_text) is not None


def read(document: Document, findings: Findings) -> None:
    """Read each row: RTFx = length of the audio / time. A table with word error rates is on other audio."""
    content = text_of(document)
    audio, gpu = _AUDIO.search(content), _GPU.search(content)
    title, heading = "", list[str]()
    for line in content.splitlines():
        if line.startswith("#"):
            title, heading = line.strip("# "), []
        if not line.lstrip().startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "Implementation" in cells:
            heading = cells
            continue
        if not heading or set("".join(cells)) <= set("-: "):
            continue
        row = dict(zip(heading, cells, strict=False))
        took = _TIME.fullmatch(row.get("Time", ""))
        if took is None or not any(took.groups()):
            findings.warn(say("a row without a time is left out: {strip}", strip=line.strip()[:80]))
            continue
        name = re.sub(r"\[\^\d+\]", "", row["Implementation"]).replace("`", "").strip()
        run = findings.run(model=text(re.sub(r"\s+model\b.*| on (GPU|CPU)$", "", title)), stack=name)
        run.precision, run.evidence = text(row.get("Precision")), "published"
        run.label = f"{run.model or 'speech'} {name} {run.precision or ''}".strip()
        hours, minutes, seconds = (number(part) or 0.0 for part in took.groups())
        if any("WER" in column for column in heading) or audio is None:
            findings.warn(say("{title}: the length of its audio is not stated, so that there is no RTFx", title=title))
        else:
            length = float(audio[1]) * 60
            run.rate(
                AUDIO,
                length / (hours * 3600 + minutes * 60 + seconds),
                say("{length:g} s of audio / time", length=length),
            )
        if gpu and "GPU" in title:
            findings.hardware(run, f"{gpu[1]} {gpu[2]}", 1)
