"""A price table that an engine reads lazily: what its rows mean, the prices in force, and the names in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import narwhals as nw
import numpy as np

from pricing.accelerators import Catalogue
from pricing.errors import MOST_FAULTS, Fault, PriceFileError
from pricing.market import PriceTable
from pricing.offers import EVIDENCE, NO_TERM, TEXT, Columns, Words
from pricing.sweeps import checks
from pricing.sweeps.expression import UNDATED, Frame, contradictions, in_force, sizes_apart, to_be_had

if TYPE_CHECKING:
    import polars as pl

# What a part of a table is told apart by: parts of a key that few rows differ in.
PLACE = ("provider", "region", "purchase")


class Machine(Protocol):
    """What runs the expression: reads tables, takes small ones from this process, and gives results back.

    `most_rows` of a table are looked at together: their keys must fit into memory. `most_joins` are made
    in one query. None: no bound.
    """

    most_rows: int | None
    most_joins: int | None

    def scan(self, table: str) -> Frame:
        """Open a CSV or Parquet file, or a folder or pattern of them; PriceFileError where it can't be read."""

    def frame(self, table: pl.DataFrame) -> Frame:
        """Take a small table from this process."""

    def collect(self, query: Frame) -> pl.DataFrame:
        """Run a query and return its result."""

    def kept(self, parts: Sequence[Frame]) -> Frame:
        """Run queries, one after the other, and keep their rows for the queries to come."""


@dataclass
class ScannedTable:
    """One price table, looked through once; PriceFileError lists what is wrong with it.

    Dates after `today` are errors. `rows` counts the rows of the file.
    """

    machine: Machine
    name: str
    catalogue: Catalogue
    today: date
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        """Check the heading and every row."""
        raw = self.machine.scan(self.name)
        checks.check_heading(raw.collect_schema().names(), self.name)
        self._plain = checks.plain(raw)
        query, rules = checks.survey(self._plain, self.today)
        found = self.machine.collect(query.head(checks.MOST_COMBINATIONS)).to_dicts()
        if not found:
            raise PriceFileError.at((self.name,), f"{self.name}: no rows")
        if len(found) == checks.MOST_COMBINATIONS:
            columns = ", ".join(checks.CLOSED)
            raise PriceFileError.at(
                (self.name,), f"{self.name}: more than {len(found):,} combinations of {columns}; this is no price table"
            )
        faults: list[Fault] = list(checks.faults_of_rows(found, rules, self.name))
        self._meanings = checks.read_closed(found, self.catalogue, self.name, faults)
        if faults:
            raise PriceFileError(faults[:MOST_FAULTS])
        self.rows = sum(row["rows"] for row in found)
        self.sized = any(row["sizes"] for row in found)
        self._places = self._counted_places(found)

    def _counted_places(self, found: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], int]:
        places: dict[tuple[str, ...], int] = {}
        for row in found:
            place = tuple(self._meanings[name][row[name]] for name in PLACE)
            sizes = row["sizes"].count("|") + 1
            places[place] = places.get(place, 0) + row["rows"] * sizes
        return places

    @cached_property
    def observations(self) -> Frame:
        """The observations in the columns of the expression, sizes apart."""
        import polars as pl  # noqa: PLC0415

        frame = checks.typed(self._plain).drop("accelerator_vendor")
        for name, meanings in self._meanings.items():
            other = {text: meaning for text, meaning in meanings.items() if text != meaning}
            if name == "accelerator_vendor" or not other:
                continue
            if set(other) == {""}:
                text = nw.when(nw.col(name) == "").then(nw.lit(other[""])).otherwise(nw.col(name))
                frame = frame.with_columns(text.alias(name))
                continue
            table = pl.DataFrame({name: list(other), "meaning": list(other.values())})
            frame = frame.join(self.machine.frame(table), on=name, how="left")
            frame = frame.with_columns(nw.coalesce("meaning", name).alias(name)).drop("meaning")
        known = nw.lit(len(EVIDENCE) - 1)
        for i, word in enumerate(EVIDENCE[:-1]):
            known = nw.when(nw.col("evidence") == word).then(nw.lit(i)).otherwise(known)
        frame = frame.with_columns(
            nw.col("accelerator_count").fill_null(0),
            nw.col("term_months").fill_null(NO_TERM),
            nw.col("observed_on").fill_null(UNDATED),
            known=known.cast(nw.Int64),
        ).drop("evidence")
        if not self.sized:
            return frame.drop("sizes").with_columns(row=nw.lit(None).cast(nw.String))
        sizes = nw.when(nw.col("sizes") == "").then(None).otherwise(nw.col("sizes"))
        return sizes_apart(frame.with_columns(sizes=sizes))

    def offers(self, as_of: date, *, include_unconfirmed: bool) -> Frame:
        """Work out the prices in force that can be had, and keep them; with the column `area`.

        PriceFileError where two observations of one offer and date tell different things.
        """
        parts = []
        for places in self._parts():
            found = in_force(self._of(places), as_of, include_unconfirmed=include_unconfirmed)
            parts.append(found)
        kept = self.machine.kept(parts)
        wrong = self.machine.collect(contradictions(kept).head(MOST_FAULTS))
        if len(wrong):
            raise PriceFileError(_contradiction(self.name, row) for row in wrong.sort(wrong.columns).to_dicts())
        return self._with_areas(to_be_had(kept))

    def _parts(self) -> Iterator[list[tuple[str, ...]] | None]:
        """Yield the places to be looked at together, none for all."""
        most = self.machine.most_rows
        if most is None or sum(self._places.values()) <= most:
            yield None
            return
        part: list[tuple[str, ...]] = []
        rows = 0
        for place, count in sorted(self._places.items()):
            if part and rows + count > most:
                yield part
                part, rows = [], 0
            part.append(place)
            rows += count
        yield part

    def _of(self, places: list[tuple[str, ...]] | None) -> Frame:
        if places is None:
            return self.observations
        import polars as pl  # noqa: PLC0415

        wanted = pl.DataFrame(places, schema=list(PLACE), orient="row")
        sellers = sorted({place[0] for place in places})
        return self.observations.filter(nw.col("provider").is_in(sellers)).join(
            self.machine.frame(wanted), on=list(PLACE), how="semi"
        )

    def _with_areas(self, offers: Frame) -> Frame:
        import polars as pl  # noqa: PLC0415

        pairs = sorted({(provider, region) for provider, region, _ in self._places})
        regions = self.catalogue.regions
        known = [(*pair, regions[pair].area) for pair in pairs if pair in regions]
        areas = pl.DataFrame(known, schema=dict.fromkeys(("provider", "region", "area"), pl.String), orient="row")
        return offers.join(self.machine.frame(areas), on=["provider", "region"], how="left").with_columns(
            nw.col("area").fill_null("")
        )

    def sizes_by_type(self, provider: str) -> dict[str, list[int]]:
        """Return the instance types of a provider with the accelerator counts in which each is offered."""
        of_provider = self.observations.filter(nw.col("provider") == provider)
        found = self.machine.collect(of_provider.select("instance_type", "accelerator_count").unique())
        types: dict[str, list[int]] = {}
        for name, count in sorted(found.rows()):
            types.setdefault(name, []).append(count)
        return types

    def values_of(self, column: str) -> tuple[str, ...]:
        """Return the values that a column of a closed set has anywhere in the table."""
        return tuple(sorted(set(self._meanings[column].values())))


def _contradiction(table: str, row: Mapping[str, Any]) -> Fault:
    offer = f"{row['provider']}/{row['instance_type']} × {row['accelerator_count']}, {row['region']}, {row['purchase']}"
    low, high = row["price_usd_per_hour"], row["highest"]
    said = f"{low:g} and {high:g} USD/h" if low != high and low is not None else "different values"
    when = row["observed_on"].isoformat() if row["observed_on"] != UNDATED else "no date"
    msg = f"{table}: {offer} stands twice with one date ({when}) and {said}; keep one of the rows or correct the date"
    return Fault((table, "price_usd_per_hour"), msg)


@dataclass(frozen=True)
class ScannedNames(PriceTable):
    """The names of a table that is not in memory, for the reader of questions; it has no prices."""

    scanned: ScannedTable | None = None
    _known: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, scanned: ScannedTable, sha256: str = "") -> ScannedNames:
        """Take the names of a table; `sha256` is over its files."""
        nothing = Words(np.empty(0, np.int32), ())
        numbers = [np.empty(0, np.int64) for _ in range(9)]
        return cls(Columns(dict.fromkeys(TEXT, nothing), *numbers), scanned.rows, sha256, scanned=scanned)

    def _types_of(self, provider: str) -> dict[str, list[int]]:
        assert self.scanned is not None  # noqa: S101
        if provider not in self._known:
            known = provider in self.scanned.values_of("provider")
            self._known[provider] = self.scanned.sizes_by_type(provider) if known else {}
        return self._known[provider]

    def sizes_of(self, provider: str, instance_type: str) -> list[int]:
        """Return the accelerator counts in which a type is offered, ascending; empty if unknown."""
        return self._types_of(provider).get(instance_type, [])

    def types_spelt(self, provider: str, instance_type: str) -> list[str]:
        """Return a provider's instance types of this name, upper and lower case taken as the same."""
        wanted = instance_type.casefold()
        return [name for name in self._types_of(provider) if name.casefold() == wanted]

    def instance_types(self, provider: str | None = None) -> list[str]:
        """Return a provider's instance types, as PROVIDER/TYPE; without one, none: they are only for hints."""
        return [] if provider is None else [f"{provider}/{name}" for name in self._types_of(provider)]

    def values(self, column: str) -> tuple[str, ...]:
        """Return the values that a text column has anywhere in the table."""
        assert self.scanned is not None  # noqa: S101
        return self.scanned.values_of(column)
