"""Which client a request is counted for: its peer, or what a trusted proxy wrote, and nothing that a client made up."""

from __future__ import annotations

import ipaddress

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app.clients import Clients
from app.main import create_app
from app.settings import Settings
from tests.app.asking import GOOD, problem

INSIDE = Settings(trusted_proxies="10.0.0.0/8, fd00::/8 192.0.2.7")


def told(peer, *forwarded, proto=(), scheme="http", trusted=INSIDE.trusted_proxies):
    """Return client and scheme of a request from a peer, with header fields X-Forwarded-For and -Proto."""
    headers = [(b"x-forwarded-for", text.encode()) for text in forwarded]
    headers += [(b"x-forwarded-proto", text.encode()) for text in proto]
    client = (peer, 1234) if peer else None
    return Clients(trusted).told({"type": "http", "client": client, "scheme": scheme, "headers": headers})


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        # Nobody is believed but a trusted proxy.
        ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),
        ("127.0.0.1", ["203.0.113.9"], "127.0.0.1"),
        ("10.1.2.3", ["203.0.113.9"], "203.0.113.9"),
        ("192.0.2.7", ["203.0.113.9"], "203.0.113.9"),
        ("192.0.2.8", ["203.0.113.9"], "192.0.2.8"),
        ("::ffff:10.1.2.3", ["203.0.113.9"], "203.0.113.9"),
        # What the client itself put before is passed over.
        ("10.1.2.3", ["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
        ("10.1.2.3", ["1.1.1.1, 203.0.113.9, 10.9.9.9"], "203.0.113.9"),
        ("10.1.2.3", ["1.1.1.1", "203.0.113.9 ,fd00::1"], "203.0.113.9"),
        ("10.1.2.3", ["10.0.0.1"], "10.0.0.1"),
        ("10.1.2.3", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        # What can't be read is no address; the last one that can be counts.
        ("10.1.2.3", [], "10.1.2.3"),
        ("10.1.2.3", [""], "10.1.2.3"),
        ("10.1.2.3", ["unknown"], "10.1.2.3"),
        ("10.1.2.3", ["203.0.113.9, unknown"], "10.1.2.3"),
        ("10.1.2.3", ["203.0.113.9, 10.0.0.5, _hidden, 10.0.0.6"], "10.0.0.6"),
        ("10.1.2.3", ["999.1.1.1"], "10.1.2.3"),
        # Some proxies add a port.
        ("10.1.2.3", ["203.0.113.9:4711"], "203.0.113.9"),
        ("10.1.2.3", ["[2001:db8:1:2:3::4]:4711"], "2001:db8:1:2::/64"),
        # An IPv6 network of 64 bits is one client, an IPv4 address in it is itself.
        ("2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", [], "2001:db8:1:3::/64"),
        ("::ffff:198.51.100.1", [], "198.51.100.1"),
        ("fd00::9", ["2001:db8:1:2::7"], "2001:db8:1:2::/64"),
        # No network lies between.
        ("testclient", ["203.0.113.9"], "testclient"),
        (None, ["203.0.113.9"], "here"),
    ],
)  # fmt: skip
def test_the_client(peer, forwarded, client):
    assert told(peer, *forwarded) == (client, "http")


def test_a_long_list_is_read_from_its_end():
    assert told("10.0.0.1", ", ".join(["1.1.1.1"] * 100_000 + ["203.0.113.9"]))[0] == "203.0.113.9"
    assert told("10.0.0.1", ", ".join(["203.0.113.9"] + ["10.0.0.2"] * 31))[0] == "203.0.113.9"
    assert told("10.0.0.1", ", ".join(["203.0.113.9"] + ["10.0.0.2"] * 32))[0] == "10.0.0.2"


def test_nobody_is_trusted_unless_it_is_said():
    assert Settings().trusted_proxies == ()
    assert told("127.0.0.1", "203.0.113.9", proto=["https"], trusted=()) == ("127.0.0.1", "http")


@pytest.mark.parametrize(
    ("peer", "proto", "scheme"),
    [
        ("10.0.0.1", ["https"], "https"),
        ("10.0.0.1", ["http, HTTPS "], "https"),
        ("10.0.0.1", ["https", "http"], "http"),
        ("10.0.0.1", ["javascript"], "http"),
        ("10.0.0.1", [], "http"),
        ("198.51.100.1", ["https"], "http"),
    ],
)
def test_the_scheme(peer, proto, scheme):
    assert told(peer, "203.0.113.9", proto=proto)[1] == scheme


def test_networks_are_read_from_the_setting():
    assert INSIDE.trusted_proxies == tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "fd00::/8", "192.0.2.7/32")))
    for wrong in ("10.0.0.1/8", "proxy", "10.0.0.0/33", "1"):
        with pytest.raises(ValidationError, match=r"does not appear to be|has host bits set"):
            Settings(trusted_proxies=wrong)


def test_a_server_behind_a_proxy_is_not_this_machines_alone():
    settings = Settings(trusted_proxies="127.0.0.1")
    assert not settings.local
    client = TestClient(create_app(settings), client=("127.0.0.1", 1))
    detail = problem(client.post("/api/v1/prices/refresh"), 403)["detail"]
    assert "read-only" in detail


def test_links_have_the_scheme_of_the_reader():
    app = create_app(Settings(trusted_proxies="10.0.0.1"))
    for peer, scheme in (("10.0.0.1", "https"), ("198.51.100.1", "http")):
        client = TestClient(app, client=(peer, 1))
        note = client.get(f"/compare.md?{GOOD}", headers={"x-forwarded-proto": "https"}).text.splitlines()[-1]
        assert f"<{scheme}://testserver/compare?" in note
