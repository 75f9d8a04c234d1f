"""Parquet columns as texts, such as a CSV file of the same table would have."""

from __future__ import annotations

import io
from typing import Any

from pricing.errors import PriceFileError, one_line
from pricing.notation import write_number
from pricing.sources.own_text import Parsed
from pricing.wording import say

PARQUET = b"PAR1"


def parquet_text(value: Any) -> str:
    """Write a value as a CSV cell: blank for none, 1 or 0 for yes or no, a list with | between its items."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return write_number(value)
    if isinstance(value, list):
        return "|".join(map(parquet_text, value))
    return str(value)


def parquet_texts(data: bytes, name: str) -> Parsed:
    """Return heading, columns and number of rows of a Parquet file; PriceFileError where it is none."""
    import polars as pl  # noqa: PLC0415 (slow to load, and needed for Parquet alone)

    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise PriceFileError.at(
            (name,),
            say("{name}: is not a Parquet file that can be read ({error})", name=name, error=one_line(error)),
        ) from error
    return frame.columns, [list(map(parquet_text, column.to_list())) for column in frame.get_columns()], frame.height
