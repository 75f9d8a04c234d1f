"""The files of a sweep: what the inputs are, and results as CSV or Parquet, part by part and whole."""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from app.exports import neutralised
from app.sweep_parts import WHOLE, Parts, replace_with
from pricing.accelerators import DATA
from pricing.columns import Coded
from pricing.sources.own_parquet import PARQUET
from pricing.sweeps.results import SUMMARY, TOP, ResultColumn, Values

# Rows of a group of the Parquet file; the same wherever the parts end.
ROW_GROUP = 250_000
_BLOCK = 1 << 20


def digest_and_rows(path: Path) -> tuple[str, int]:
    """Return a file's SHA-256 and about how many rows it has below the heading."""
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with path.open("rb") as file:
        first = file.read(len(PARQUET))
        file.seek(0)
        while block := file.read(_BLOCK):
            digest.update(block)
            lines += block.count(b"\n")
            last = block
    if first == PARQUET:
        return digest.hexdigest(), int(pl.scan_parquet(path).select(pl.len()).collect().item())
    return digest.hexdigest(), lines - 1 + (not last.endswith(b"\n"))


def catalogue_digest() -> str:
    """Return a SHA-256 over the names and regions that questions are read with."""
    digest = hashlib.sha256()
    for path in sorted(DATA.glob("*.csv")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def frame_of(result: Mapping[str, Values], *, as_csv: bool) -> pl.DataFrame:
    """Return a result as a frame with null for unknown; text cells of a CSV file can't run as formulas."""
    columns = {column.name: column for column in (*TOP, *SUMMARY)}
    return pl.DataFrame([_series(columns[name], values, as_csv) for name, values in result.items()])


def _series(column: ResultColumn, values: Values, as_csv: bool) -> pl.Series:
    if isinstance(values, Coded):
        used, codes = np.unique(values.codes, return_inverse=True)
        texts: list[str | None] = [values.vocabulary[code] or None if code >= 0 else None for code in used.tolist()]
        if as_csv:
            texts = [text and neutralised(text) for text in texts]
        series = pl.Series(column.name, texts, pl.String).gather(codes)
        return series.str.to_date("%Y-%m-%d") if column.kind == "date" and not as_csv else series
    if values.dtype.kind == "f":
        series = pl.Series(column.name, values, nan_to_null=True)
        return series.cast(pl.Int64) if column.kind == "whole" else series
    return pl.Series(column.name, values, pl.Int64)


def part_of(result: Mapping[str, Values], form: str) -> bytes:
    """Write a part of the output: CSV rows without the heading, or a Parquet file."""
    buffer = io.BytesIO()
    frame = frame_of(result, as_csv=form == "csv")
    if form == "csv":
        frame.write_csv(buffer, include_header=False, line_terminator="\r\n")
    else:
        frame.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def assemble(parts: Parts, out: Path, form: str, columns: Sequence[str]) -> None:
    """Put the parts together as the output, which appears when all of it is there, and remove them."""
    partial = parts.folder / WHOLE
    if form == "csv":
        with partial.open("wb") as file:
            file.write((",".join(columns) + "\r\n").encode())
            for path in parts.paths:
                with path.open("rb") as part:
                    shutil.copyfileobj(part, file, _BLOCK)
    else:
        pl.scan_parquet(parts.paths).sink_parquet(partial, row_group_size=ROW_GROUP, maintain_order=True)
    replace_with(out, partial)
    parts.remove()
