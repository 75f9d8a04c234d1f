"""The finished parts of a long calculation, kept beside its output until this is complete.

`FILE.parts/` holds a manifest of what the parts were made from and one file for each run of scenarios, named by
the first, the last and a hash of its content. A run that was killed is gone on with; the output is the same to the
byte. Only files that a sweep wrote are ever removed: a folder of that name with anything else in it is somebody's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from app.files import write_atomically

MANIFEST = "manifest.json"
_NAME = re.compile(r"([0-9]{12})-([0-9]{12})-([0-9a-f]{16})\.part")
# Where the output is put together.
WHOLE = "whole"
# All that a sweep writes there, and wrote before names had a hash; also what `write_atomically` had begun.
_PART = r"[0-9]{12}-[0-9]{12}(-[0-9a-f]{16})?\.part"
_OWN = re.compile(rf"lock|{WHOLE}|manifest\.json|{_PART}|\.(manifest\.json|{_PART})\.\w+\.part")


class ForeignError(Exception):
    """The folder of parts is not that of a sweep; the text says why."""


class BusyError(Exception):
    """Another process writes the same output."""


class Parts:
    """The parts of one output. OSError where the folder can't be made or written."""

    def __init__(self, out: Path, made_from: Mapping[str, object]) -> None:
        """Open the folder of parts, or make it; parts made from anything else are thrown away.

        `differs` names what they were made from and what is another now, `damaged` the first part whose content is
        not what was written: it and those after it are made anew. BusyError where a living process works on the
        same output, ForeignError where the folder holds what no sweep wrote: nothing is touched then.
        """
        self.folder = out.with_name(f"{out.name}.parts")
        self.differs: list[str] = []
        self.damaged = ""
        with suppress(FileExistsError):
            self.folder.mkdir()
        manifest = self.folder / MANIFEST
        before = self._looked_at(manifest)
        self._lock = _locked(self.folder / "lock")
        if before != made_from:
            if before is not None:
                self.differs = [name for name in made_from if before.get(name) != made_from[name]]
            for path in self._own():
                path.unlink()
            write_atomically(manifest, json.dumps(made_from, indent=1).encode())
        self.paths = self._finished()

    def _looked_at(self, manifest: Path) -> dict[str, Any] | None:
        """Return what the parts were made from. ForeignError where the folder is not a sweep's."""
        if self.folder.is_symlink():
            raise ForeignError("is a link")
        if not self.folder.is_dir():
            raise ForeignError("is no folder")
        for path in sorted(self.folder.iterdir()):
            if not _OWN.fullmatch(path.name) or path.is_symlink() or not path.is_file():
                raise ForeignError(f"holds {path.name}, which no sweep wrote")
        before = _read(manifest)
        if before is not None and "perdollar" not in before:
            raise ForeignError(f"holds a {MANIFEST} that no sweep wrote")
        return before

    def _own(self) -> Iterator[Path]:
        """Yield all files of the folder but for the lock."""
        for path in sorted(self.folder.iterdir()):
            if path.name != "lock" and _OWN.fullmatch(path.name):
                yield path

    def _finished(self) -> list[Path]:
        """Return the parts that follow on each other from the first scenario and are whole; remove all else."""
        found = []
        done = 0
        for path in self._own():
            name = _NAME.fullmatch(path.name)
            if name is not None and int(name[1]) == done + 1 and not self.damaged:
                if _digest(path.read_bytes()) == name[3]:
                    found.append(path)
                    done = int(name[2])
                    continue
                self.damaged = path.name
            if path.name != MANIFEST:
                path.unlink()
        return found

    @property
    def done(self) -> int:
        """How many scenarios the parts hold."""
        name = _NAME.fullmatch(self.paths[-1].name) if self.paths else None
        return int(name[2]) if name else 0

    def add(self, scenarios: int, data: bytes) -> None:
        """Keep the part of the next so many scenarios."""
        path = self.folder / f"{self.done + 1:012}-{self.done + scenarios:012}-{_digest(data)}.part"
        write_atomically(path, data)
        self.paths.append(path)

    def remove(self) -> None:
        """Remove the folder: the output is complete, or can't be. What somebody put there meanwhile stays."""
        for path in self._own():
            path.unlink()
        self.close()
        with suppress(OSError):
            (self.folder / "lock").unlink()
            self.folder.rmdir()

    def close(self) -> None:
        """Let another process work on the same output."""
        with suppress(OSError):
            self._lock.close()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _read(manifest: Path) -> dict[str, Any] | None:
    """Return what the parts were made from; None where there is no manifest, or a torn one."""
    try:
        read = json.loads(manifest.read_bytes())
    except (OSError, ValueError):
        return None
    return read if isinstance(read, dict) else None


def _locked(path: Path) -> IO[bytes]:
    """Open a file that no other process may open in this way; the system lets go of it when a process ends."""
    file = path.open("wb")
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415 (not on every system)

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise BusyError from error
    return file


def replace_with(out: Path, partial: Path) -> None:
    """Put a complete file in the place of the output, once all of it is on the disk."""
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(partial, out)
