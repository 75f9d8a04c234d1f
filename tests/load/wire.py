"""HTTP/1.1 as the generator of load speaks it: one keep-alive connection, whole answers, little work of its own."""

from __future__ import annotations

import asyncio
import contextlib
import zlib
from typing import NamedTuple


class Answer(NamedTuple):
    """Status and body, unpacked."""

    status: int
    body: bytes


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """Write a request; underscores in a heading's name stand for hyphens."""
    lines = [f"{method} {path} HTTP/1.1", "Host: load", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def multipart(name: str, data: bytes) -> tuple[bytes, str]:
    """Return a form with one file, and its content type."""
    line = "a-line-between-the-parts"
    head = f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return head.encode() + data + f"\r\n--{line}--\r\n".encode(), f"multipart/form-data; boundary={line}"


class Connection:
    """One keep-alive connection; `asked` counts its requests."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer, self.asked = reader, writer, 0

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 22))

    @property
    def usable(self) -> bool:
        """Whether the server has left it open."""
        return not self._reader.at_eof()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def ask(self, sent: bytes) -> Answer:
        """Send a request and return the answer; whatever is no whole HTTP answer is some exception."""
        self.asked += 1
        self._writer.write(sent)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        headers = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        if headers.get(b"transfer-encoding") == b"chunked":
            body = await self._chunks()
        else:
            body = await self._reader.readexactly(int(headers.get(b"content-length", b"0")))
        if headers.get(b"content-encoding") == b"gzip":
            body = zlib.decompress(body, wbits=31)
        return Answer(status, body)

    async def _chunks(self) -> bytes:
        parts = []
        while size := int((await self._reader.readuntil(b"\r\n"))[:-2], 16):
            parts.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(parts)
