"""Requests and commands that once went wrong; each holds what is right."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from pricing.accelerators import catalogue
from pricing.sources.own_schema import read_csv

PERDOLLAR = str(Path(sys.executable).with_name("perdollar"))
HTML = {"accept": "text/html"}


def test_a_body_in_parts_that_is_too_large_is_answered_when_it_has_ended():
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(Settings(max_compare_body=1000)), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    with socket.create_connection(listener.getsockname()) as client:
        # The limit on reading the rest away is 10 s; an answer within 5 shows that nothing was waited for.
        client.settimeout(5)
        head = b"POST /api/v1/compare HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + b" " * 1001 + b"\r\n0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413")
    server.should_exit = True
    thread.join()


def test_a_control_character_empties_no_form(client):
    page = client.get("/compare?unit=output_token&m=L4=5&m1.stack=a%09b&baseline=mine", headers=HTML)
    assert page.status_code == 422
    assert 'value="L4=5"' in page.text
    assert 'value="mine"' in page.text


@pytest.mark.parametrize(
    ("query", "field", "others"),
    [
        ("region=us-east-1&region=bogus", "region-1", ["region-0"]),
        ("accelerator=H100&accelerator=H10O", "accelerator-1", ["accelerator-0"]),
        ("discount=aws=100%25", "discount-0", []),
        ("exchange_rate=EUR=0", "exchange_rate-0", []),
        ("term_months=12&term_months=x", "term_months-1", ["term_months-0"]),
        ("offset=99999999", None, []),
    ],
)
def test_the_message_stands_at_its_field(client, query, field, others):
    address = f"/compare?unit=output_token&m=L4=5&{query}"
    page = client.get(address, headers=HTML).text
    errors = client.get(address.replace("compare?", "compare.json?")).json()["errors"]
    assert len(errors) == 1
    assert errors[0]["loc"][1] == query.partition("=")[0]
    for name in [field] if field else []:
        assert 'aria-invalid="true"' in re.search(rf'<input id="{name}"[^>]*>', page)[0]
    for name in others:
        assert "aria-invalid" not in re.search(rf'<input id="{name}"[^>]*>', page)[0]


def test_no_accelerators_are_a_heading_without_rows(client):
    answer = client.get("/accelerators.csv?vendor=nvidia&family=Trainium2")
    assert answer.status_code == 200
    assert answer.text.startswith("accelerator,family,vendor")
    assert answer.text.count("\r\n") == 1


def run(words, **more):
    return subprocess.run([PERDOLLAR, *words], check=False, stderr=subprocess.PIPE, **more)


COMPARE = ["compare", "--unit", "output_token", "L4:1=5", "--format"]


def test_a_full_disk_is_one_line():
    with open("/dev/full", "wb") as full:
        done = run([*COMPARE, "csv"], stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith(b"perdollar: the answer can't be written")
    assert b"Traceback" not in done.stderr


def test_a_terminal_that_can_not_show_a_sign():
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    words = ["compare", "--unit", "output_token", "\U0001f600@L4:1=5", "--limit", "1"]
    done = run(words, stdout=subprocess.PIPE, env=environment)
    assert done.returncode == 0
    assert b"\\U0001f600" in done.stdout


@pytest.mark.parametrize("host", ["no.such.host.invalid", "999.1.1.1", "a\tb"])
def test_an_address_that_can_not_be(host):
    done = run(["serve", "--host", host, "--port", "0"], stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"perdollar: can't listen on")
    assert len(done.stderr.splitlines()) == 1


def test_a_price_table_with_neutralised_names_reads_back_as_it_was(tmp_path):
    path = tmp_path / "odd.csv"
    head = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on,notes\n"
    path.write_text(head + 'acme,"=box, 8",H100-SXM,8,20,2026-11-01,-x\nacme,plain,H100-SXM,8,21,2026-11-01,it\'s\n')
    written = TestClient(create_app(private=[path])).get("/prices.csv?provider=acme").content
    assert b"'=box, 8" in written
    again = read_csv(written, "again.csv", catalogue(), date(2026, 12, 1))
    assert again.values("instance_type") == ("=box, 8", "plain")
    assert again.values("notes") == ("-x", "it's")
