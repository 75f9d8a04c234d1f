"""The server over HTTP: answers per second beside an empty JSON route of the same server."""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import orjson
import uvicorn

from app.main import create_app
from app.serving import listening_socket
from tests.bench.tables import measurements, price_table
from tests.bench.timing import Result

ROUNDS = 5
SECONDS = 1.5


def _serve(listener: socket.socket, table: str) -> None:
    app = create_app(private=[Path(table)])

    @app.get("/empty.json")
    async def empty() -> dict[str, str]:
        return {}

    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


def _request(method: str, path: str, body: bytes = b"", headers: str = "") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class _Connection:
    """One keep-alive connection that counts its answers."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> _Connection:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, request: bytes) -> None:
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head[:20]:
            raise AssertionError(head.decode())
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await self.reader.readexactly(length)


async def _rate(port: int, request: bytes, connections: int) -> tuple[float, float]:
    """Return answers per second and the median seconds of one answer."""
    times: list[float] = []
    stop = time.perf_counter() + SECONDS

    async def client() -> None:
        async with _Connection(port) as connection:
            while time.perf_counter() < stop:
                start = time.perf_counter()
                await connection.ask(request)
                times.append(time.perf_counter() - start)

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(connections)))
    return len(times) / (time.perf_counter() - begun), statistics.median(times)


async def _measure(port: int) -> dict[tuple[str, int], tuple[float, float]]:
    entries = [m.replace("=", ":").split(":") for m in measurements()]
    body = orjson.dumps(
        {
            "unit": "output_token",
            "measurements": [
                {"accelerator": a, "accelerator_count": int(n), "rates": {"output_tokens_per_second": float(r)}}
                for a, n, r in entries
            ],
        }
    )
    query = "&".join(f"m={quote(m)}" for m in measurements())
    requests = {
        "empty": _request("GET", "/empty.json"),
        "compare": _request("POST", "/api/v1/compare", body, "Content-Type: application/json\r\n"),
        "fragment": _request("GET", f"/compare?unit=output_token&{query}", headers="HX-Request: true\r\n"),
    }
    for name, request in requests.items():
        for _ in range(20):
            async with _Connection(port) as connection:
                await connection.ask(request)
        del name
    figures: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
        for name, request in requests.items():
            for connections in (16, 1):
                figures.setdefault((name, connections), []).append(await _rate(port, request, connections))
    return {
        key: (statistics.median(f[0] for f in values), statistics.median(f[1] for f in values))
        for key, values in figures.items()
    }


def run() -> Iterator[Result]:
    listener = listening_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "bench.csv"
        table.write_bytes(price_table(20_000))
        server = multiprocessing.get_context("fork").Process(target=_serve, args=(listener, str(table)), daemon=True)
        server.start()
        figures = asyncio.run(_measure(port))
        server.terminate()
        server.join()
    reference = "an empty JSON route of the same server"
    rate = {name: figures[name, 16][0] for name in ("empty", "compare", "fragment")}
    for name, what, bound in (
        ("compare", "POST /api/v1/compare, 20,000 offers × 10, answers/s at 16 connections", 0.27),
        ("fragment", "the page's results fragment, answers/s at 16 connections", 0.10),
    ):
        yield Result(what, rate[name] / rate["empty"], reference, bound, at_most=False, note=f"{rate[name]:.0f}/s")
    yield Result(
        "POST /api/v1/compare, p50 at one connection", figures["compare", 1][1] / figures["empty", 1][1], reference, 3,
        note=f"{1e3 * figures['compare', 1][1]:.3g} ms",
    )  # fmt: skip
