"""Tables made of uploads, kept for a while so that questions can be asked of them."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections import OrderedDict
from collections.abc import Hashable
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Generic, Protocol, TypeVar

from app.tables import laid_over, today
from pricing.accelerators import catalogue
from pricing.market import PriceTable
from pricing.sources.own_schema import read_csv

MOST_BYTES = 64 * 1024 * 1024
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


class Texts(Protocol):
    """Packed texts by name; the oldest go when newer ones need the room."""

    def put(self, name: str, packed: bytes) -> None:
        """Keep a text."""

    def has(self, name: str) -> bool:
        """Whether a text is still here; it counts as used now."""

    def get(self, name: str) -> bytes | None:
        """Return a text, if it is still here."""


class Memory:
    """Texts of one process."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._texts: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        # An upload is put here from the thread that read it.
        self._lock = Lock()

    def put(self, name: str, packed: bytes) -> None:
        """Keep a text."""
        with self._lock:
            self._size += len(packed) - len(self._texts.pop(name, b""))
            self._texts[name] = packed
            while len(self._texts) > 1 and self._size > MOST_BYTES:
                _, oldest = self._texts.popitem(last=False)
                self._size -= len(oldest)

    def has(self, name: str) -> bool:
        """Whether a text is still here; it counts as used now."""
        with self._lock:
            if name in self._texts:
                self._texts.move_to_end(name)
            return name in self._texts

    def get(self, name: str) -> bytes | None:
        """Return a text, if it is still here."""
        return self._texts.get(name)


class Folder:
    """Texts that several processes share, each a file that nobody else may read. Names are hexadecimal."""

    def __init__(self, path: Path) -> None:
        """Share a folder, which whoever made it removes."""
        self._path = path

    def put(self, name: str, packed: bytes) -> None:
        """Keep a text. OSError if the disk is full."""
        # Whoever tidies temporary folders up may have taken it for forgotten.
        self._path.mkdir(mode=0o700, exist_ok=True)
        with NamedTemporaryFile(dir=self._path, prefix=".", delete=False) as file:
            try:
                file.write(packed)
                file.close()
                os.replace(file.name, self._path / name)
            except BaseException:
                os.unlink(file.name)
                raise
        self.has(name)
        self._make_room(name)

    def has(self, name: str) -> bool:
        """Whether a text is still here; it counts as used now."""
        try:
            # In nanoseconds, where the system's own time of a file goes by its ticks.
            os.utime(self._path / name, ns=(time.time_ns(),) * 2)
        except OSError:
            return False
        return True

    def get(self, name: str) -> bytes | None:
        """Return a text, if it is still here."""
        try:
            return (self._path / name).read_bytes()
        except OSError:
            return None

    def _make_room(self, newest: str) -> None:
        found = []
        for file in self._path.glob("[!.]*"):
            # Another worker may be making room as well.
            with contextlib.suppress(OSError):
                stat = file.stat()
                found.append((file.name == newest, stat.st_mtime_ns, stat.st_size, file))
        left = sum(size for _, _, size, _ in found)
        for is_newest, _, size, file in sorted(found):
            if left <= MOST_BYTES or is_newest:
                return
            file.unlink(missing_ok=True)
            left -= size


class Shelf:
    """Uploaded tables by the name of their content.

    What is kept of each is its text, packed. Tables made of it are large, those joined with the table
    in use larger than that one, so that only the few that were asked of last are kept.
    """

    MOST_TABLES = 4

    def __init__(self, texts: Texts) -> None:
        """Keep tables among these texts."""
        self._texts = texts
        self._tables: _Recent[str, PriceTable] = _Recent(self.MOST_TABLES)
        self._joined: _Recent[tuple[str, str], PriceTable] = _Recent(self.MOST_TABLES)
        self._lock = Lock()

    def put(self, name: str, text: str, table: PriceTable) -> None:
        """Keep a table. OSError if there is no room for it."""
        self._texts.put(name, zlib.compress(text.encode(), level=1))
        with self._lock:
            self._tables.put(name, table)

    def text(self, name: str) -> str | None:
        """Return a table as CSV, if it is still here."""
        packed = self._texts.get(name)
        try:
            return None if packed is None else zlib.decompress(packed).decode()
        except zlib.error:
            # Whatever happened to the file, its table is not here any more.
            return None

    def table(self, name: str) -> PriceTable | None:
        """Return a table by itself, if it is still here."""
        if not self._texts.has(name):
            return None
        with self._lock:
            found = self._tables.get(name)
            text = None if found else self.text(name)
            if text is not None:
                found = self._tables.put(name, read_csv(text.encode(), "the import", catalogue(), today()))
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
