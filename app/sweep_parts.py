"""The finished parts of a long calculation, kept beside its output until this is complete.

`FILE.parts/` holds a manifest of what the parts were made from and one file for each run of scenarios,
named by the first and the last. A run that was killed is gone on with; the output is the same to the byte.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from app.files import write_atomically

MANIFEST = "manifest.json"
_NAME = re.compile(r"([0-9]{12})-([0-9]{12})\.part")


class BusyError(Exception):
    """Another process writes the same output."""


class Parts:
    """The parts of one output. OSError where the folder can't be made or written."""

    def __init__(self, out: Path, made_from: Mapping[str, object]) -> None:
        """Open the folder of parts, or make it; parts made from anything else are thrown away.

        `differs` names what they were made from and what is another now. BusyError where a living
        process works on the same output.
        """
        self.folder = out.with_name(f"{out.name}.parts")
        self.differs: list[str] = []
        self.folder.mkdir(exist_ok=True)
        self._lock = _locked(self.folder / "lock")
        manifest = self.folder / MANIFEST
        before = _read(manifest)
        if before != made_from:
            if before is not None:
                self.differs = [name for name in made_from if before.get(name) != made_from[name]]
            for path in self.folder.iterdir():
                if path.name != "lock":
                    path.unlink()
            write_atomically(manifest, json.dumps(made_from, indent=1).encode())
        self.paths = self._finished()

    def _finished(self) -> list[Path]:
        """Return the parts that follow on each other from the first scenario; remove all else."""
        found = []
        done = 0
        for path in sorted(self.folder.iterdir()):
            name = _NAME.fullmatch(path.name)
            if name is not None and int(name[1]) == done + 1:
                found.append(path)
                done = int(name[2])
            elif path.name not in (MANIFEST, "lock"):
                path.unlink()
        return found

    @property
    def done(self) -> int:
        """How many scenarios the parts hold."""
        name = _NAME.fullmatch(self.paths[-1].name) if self.paths else None
        return int(name[2]) if name else 0

    def add(self, scenarios: int, data: bytes) -> None:
        """Keep the part of the next so many scenarios."""
        path = self.folder / f"{self.done + 1:012}-{self.done + scenarios:012}.part"
        write_atomically(path, data)
        self.paths.append(path)

    def remove(self) -> None:
        """Remove the folder: the output is complete, or can't be."""
        self.close()
        shutil.rmtree(self.folder)

    def close(self) -> None:
        """Let another process work on the same output."""
        with suppress(OSError):
            self._lock.close()


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
