"""A local server in the place of those that publish prices: it answers as told, also wrongly."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Publisher:
    """Answers of one server by path: a list is gone through, its last one stays."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.answers = {}
        self.asked = []

    def put(self, path, *answers):
        self.answers[path] = list(answers)

    def paths(self):
        return [path for path, _ in self.asked]


def answer(body=b"", status=200, content_type="application/json", length=None, sent=None, pause=0.0, **headers):
    """Describe an answer; `length` is what it claims, `sent` how much of it comes, `pause` follows each 1,000 bytes."""
    data = body.encode() if isinstance(body, str) else body
    return {
        "data": data, "status": status, "pause": pause, "sent": len(data) if sent is None else sent,
        "headers": {
            "Content-Type": content_type, "Content-Length": str(len(data) if length is None else length),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    }  # fmt: skip


@contextmanager
def publishing():
    """Run a publisher; it is gone at the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            publisher.asked.append((self.path, dict(self.headers)))
            planned = publisher.answers.get(self.path) or publisher.answers.get(self.path.partition("?")[0])
            told = (planned.pop(0) if len(planned) > 1 else planned[0]) if planned else answer(status=404)
            start = 0
            wanted = self.headers.get("Range")
            if wanted and told["status"] == 200 and self.headers.get("If-Range") == told["headers"].get("ETag"):
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                whole = len(told["data"])
                told["headers"] |= {
                    "Content-Range": f"bytes {start}-{whole - 1}/{whole}", "Content-Length": str(whole - start)
                }  # fmt: skip
                told = told | {"status": 206}
            self.send_response(told["status"])
            for name, value in told["headers"].items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for at in range(start, told["sent"], 1000):
                    self.wfile.write(told["data"][at : min(at + 1000, told["sent"])])
                    self.wfile.flush()
                    time.sleep(told["pause"])
            except OSError:
                pass
            if told["sent"] < len(told["data"]) or told["headers"]["Content-Length"] != str(len(told["data"]) - start):
                self.close_connection = True

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    publisher = Publisher(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield publisher
    finally:
        server.shutdown()
        server.server_close()
