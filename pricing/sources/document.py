"""Files to import from: a file, a member of a zip, or all files of a folder."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from pricing.errors import PriceFileError, cause_of, one_line, shown
from pricing.wording import say

HEAD = 64 * 1024
# A zip may claim to be small and unpack to anything; prices of all clouds fit in this.
MOST_UNPACKED = 2 * 1024**3
MOST_RATIO = 200
# The largest archive of a known tool holds some hundreds.
MOST_MEMBERS = 5_000
ENDINGS = (".csv", ".json", ".jsonl", ".zip", ".xlsx", ".tsv")


@dataclass(frozen=True)
class Document:
    """One file: its name, the names of the folders above it (nearest first), and how to open it."""

    name: str
    folders: tuple[str, ...]
    open: Callable[[], BinaryIO]

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, by which a format is recognised."""
        with self.open() as file:
            return file.read(HEAD)

    @cached_property
    def head_text(self) -> str:
        """The head as text, without a byte order mark; what is not UTF-8 is replaced."""
        return self.head.decode("utf-8-sig", "replace")

    @cached_property
    def first_line(self) -> str:
        """The first line, without its end."""
        return self.head_text.partition("\n")[0].rstrip("\r")

    def read(self) -> bytes:
        """Return the whole file."""
        with self.open() as file:
            return file.read()

    @classmethod
    def at(cls, path: Path) -> Document:
        """Make a document of a file on disk, with the folders that it lies in."""
        folders = tuple(parent.name for parent in path.absolute().parents if parent.name)
        return cls(path.name, folders, lambda: path.open("rb"))

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Document:
        """Make a document of an upload."""
        return cls(name, (), lambda: io.BytesIO(data))


def documents(paths: Iterable[Path], endings: Sequence[str] = ENDINGS) -> Iterator[Document]:
    """Yield the files at these paths; a folder's files and a zip's members one by one, in the order of names.

    PriceFileError if a path can't be read or a zip unpacks to far more than it should.
    """
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in endings)
            if not inside:
                raise PriceFileError.at(
                    (path.name,),
                    say("{path}: holds no file with the ending {endings}", path=path, endings=", ".join(endings)),
                )
            yield from (document for file in inside for document in _of_file(file, endings))
        else:
            yield from _of_file(path, endings)


def _of_file(path: Path, endings: Sequence[str]) -> Iterator[Document]:
    document = Document.at(path)
    try:
        head = document.head
    except OSError as error:
        raise PriceFileError.at(
            (path.name,), say("{path}: can't be read ({strerror})", path=path, strerror=error.strerror or error)
        ) from error
    if head[:4] == b"PK\x03\x04" and path.suffix.lower() != ".xlsx":
        yield from members(path.name, path.read_bytes(), document.folders, endings)
    else:
        yield document


def members(
    name: str, data: bytes, folders: tuple[str, ...] = (), endings: Sequence[str] = ENDINGS
) -> Iterator[Document]:
    """Yield the files of a zip. Nothing is written to disk; names of folders inside serve as words only."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        # A ValueError where a broken directory says that it begins before the file.
        raise PriceFileError.at(
            (name,), say("{name}: is not a zip file that can be read ({error})", name=name, error=one_line(error))
        ) from error
    size = sum(entry.file_size for entry in entries)
    if size > MOST_UNPACKED or size > MOST_RATIO * max(len(data), 1):
        raise PriceFileError.at(
            (name,), say("{name}: would unpack to {size:,} bytes, which no such file has", name=name, size=size)
        )
    if len(entries) > MOST_MEMBERS:
        raise PriceFileError.at(
            (name,),
            say("{name}: holds {count:,} files, more than {most:,}", name=name, count=len(entries), most=MOST_MEMBERS),
        )
    for entry in sorted(entries, key=lambda entry: entry.filename):
        *above, member = entry.filename.split("/")
        if member.lower().endswith(tuple(endings)) and entry.flag_bits & 1 == 0:
            inside = tuple(part for part in reversed(above) if part)
            yield Document(member, (*inside, *folders), _opener(name, archive, entry))


def _opener(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
    def opened() -> BinaryIO:
        # Read at most what the entry claims, whatever the stream holds.
        try:
            with archive.open(entry) as file:
                return io.BytesIO(file.read(entry.file_size))
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            EOFError,
            NotImplementedError,
            ValueError,
            OSError,
        ) as error:
            # Which is found out only now: a directory may say anything of what is packed.
            raise PriceFileError.at(
                (name,),
                say(
                    "{name}: is not a zip file that can be read ({member}: {error})",
                    name=name, member=shown(entry.filename), error=cause_of(error),
                ),
            ) from error  # fmt: skip

    return opened
