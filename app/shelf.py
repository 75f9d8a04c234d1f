"""Tables made of uploads, kept for a while so that questions can be asked of them."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from app.tables import laid_over, today
from pricing.accelerators import catalogue
from pricing.market import PriceTable
from pricing.sources.own_schema import read_csv

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Recent(Generic[K, V]):
    """The few values that were used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return value


class Shelf:
    """Uploaded tables by the name of their content; the oldest go when newer ones need the room.

    What is kept of each is its text, packed. Tables made of it are large, those joined with the table
    in use larger than that one, so that only the few that were asked of last are kept.
    """

    MOST_BYTES = 64 * 1024 * 1024
    MOST_TABLES = 4

    def __init__(self) -> None:
        """Start with nothing."""
        self._texts: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._tables: _Recent[str, PriceTable] = _Recent(self.MOST_TABLES)
        self._joined: _Recent[tuple[str, str], PriceTable] = _Recent(self.MOST_TABLES)
        # An upload is put here from the thread that read it.
        self._lock = Lock()

    def put(self, name: str, text: str, table: PriceTable) -> None:
        """Keep a table."""
        packed = zlib.compress(text.encode(), level=1)
        with self._lock:
            self._size += len(packed) - len(self._texts.pop(name, b""))
            self._texts[name] = packed
            self._tables.put(name, table)
            while len(self._texts) > 1 and self._size > self.MOST_BYTES:
                _, oldest = self._texts.popitem(last=False)
                self._size -= len(oldest)

    def text(self, name: str) -> str | None:
        """Return a table as CSV, if it is still here."""
        packed = self._texts.get(name)
        return zlib.decompress(packed).decode() if packed is not None else None

    def table(self, name: str) -> PriceTable | None:
        """Return a table by itself, if it is still here."""
        with self._lock:
            if name not in self._texts:
                return None
            self._texts.move_to_end(name)
            found = self._tables.get(name)
            if found is None:
                data = zlib.decompress(self._texts[name])
                found = self._tables.put(name, read_csv(data, "the import", catalogue(), today()))
            return found

    def over(self, name: str, table: PriceTable) -> PriceTable | None:
        """Return a kept table joined with the table in use; of one offer's prices on one day its own counts."""
        own = self.table(name)
        if own is None:
            return None
        with self._lock:
            key = (name, table.sha256)
            joined = self._joined.get(key)
            return self._joined.put(key, laid_over(table, own)) if joined is None else joined
