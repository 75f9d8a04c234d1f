"""Answers are compressed for who takes them so, streams chunk by chunk."""

from __future__ import annotations

import gzip
import zlib

import pytest

from tests.app.asking import GOOD, HTML, answered

GZIP = [(b"accept-encoding", b"gzip, deflate, br")]


@pytest.mark.parametrize(
    "address", ["/", "/prices", f"/compare.csv?{GOOD}", "/prices.csv", "/static/perdollar.css", "/openapi.json"]
)
def test_the_same_body_comes_compressed_and_plain(client, address):
    plain = client.get(address, headers=HTML | {"accept-encoding": "identity"})
    packed = client.get(address, headers=HTML | {"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    for answer in (plain, packed):
        assert "Accept-Encoding" in [name.strip() for name in answer.headers["vary"].split(",")]


def test_what_is_small_or_a_part_comes_plain(client):
    for address, more in (("/static/icon.svg", {}), ("/static/vendor/pico.min.css", {"range": "bytes=0-4999"})):
        assert "content-encoding" not in client.get(address, headers={"accept-encoding": "gzip"} | more).headers


def test_a_page_takes_a_quarter_of_its_size_at_most(client):
    start, *bodies = answered(client.app, "GET", "/", headers=GZIP)
    sent = b"".join(message.get("body", b"") for message in bodies)
    assert int(dict(start["headers"])[b"content-length"]) == len(sent)
    assert len(sent) < len(gzip.decompress(sent)) / 4


def test_every_chunk_of_an_export_can_be_read_when_it_is_sent(client):
    plain = [m["body"] for m in answered(client.app, "GET", "/prices.csv")[1:] if m.get("body")]
    packed = [m["body"] for m in answered(client.app, "GET", "/prices.csv", headers=GZIP)[1:] if m.get("body")]
    assert len(plain) > 1
    reading = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert [reading.decompress(chunk) for chunk in packed][: len(plain)] == plain
