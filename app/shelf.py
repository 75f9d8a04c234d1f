"""Tables made of uploads, kept for a while so that questions can be asked of them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from app.tables import laid_over
from pricing.market import PriceTable


@dataclass
class _Kept:
    text: str
    table: PriceTable
    joined: dict[str, PriceTable] = field(default_factory=dict)


class Shelf:
    """Uploaded tables by the name of their content; the oldest go when newer ones need the room."""

    MOST_BYTES = 64 * 1024 * 1024

    def __init__(self) -> None:
        """Start with nothing."""
        self._tables: OrderedDict[str, _Kept] = OrderedDict()

    def put(self, name: str, text: str, table: PriceTable) -> None:
        """Keep a table."""
        self._tables[name] = _Kept(text, table)
        self._tables.move_to_end(name)
        while len(self._tables) > 1 and sum(len(kept.text) for kept in self._tables.values()) > self.MOST_BYTES:
            self._tables.popitem(last=False)

    def text(self, name: str) -> str | None:
        """Return a table as CSV, if it is still here."""
        kept = self._tables.get(name)
        return kept.text if kept else None

    def table(self, name: str) -> PriceTable | None:
        """Return a table by itself, if it is still here."""
        kept = self._tables.get(name)
        return kept.table if kept else None

    def over(self, name: str, table: PriceTable) -> PriceTable | None:
        """Return a kept table joined with the table in use; of one offer's prices on one day its own counts."""
        kept = self._tables.get(name)
        if kept is None:
            return None
        self._tables.move_to_end(name)
        if table.sha256 not in kept.joined:
            # A refresh of the table in use makes the joined one of before useless.
            kept.joined = {table.sha256: laid_over(table, kept.table)}
        return kept.joined[table.sha256]
