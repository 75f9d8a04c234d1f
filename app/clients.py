"""Which client a request comes from: its own address, or what a trusted proxy says of it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from app.settings import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Where the client of a request stands in its scope.
CLIENT = "perdollar.client"
# One household or machine has a whole network of this length, and can take a new address for each request.
IPV6_PREFIX = 64
# A chain of proxies is short; what a client itself puts before it may be long.
MOST_HOPS = 32


def address_of(text: str) -> Address | None:
    """Read an address, with a port or without; None for anything else. IPv4 written as IPv6 is IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def grouped(address: Address) -> str:
    """Return what is counted as one client: an IPv4 address, or an IPv6 network of 64 bits."""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((int(address) >> IPV6_PREFIX << IPV6_PREFIX, IPV6_PREFIX)))


class Clients:
    """Tells the clients of requests apart."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        """Remember whose word on other addresses counts."""
        self._trusted = tuple(trusted)

    def told(self, scope: Scope) -> tuple[str, str]:
        """Return the client and the scheme of a request.

        X-Forwarded-For counts only from a trusted proxy, and of it only what trusted proxies wrote: read
        from the right, the first address that is not trusted is the client. What stands further left
        the client may have made up. X-Forwarded-Proto counts as the nearest proxy wrote it.
        """
        peer = scope.get("client")
        address = address_of(peer[0]) if peer else None
        scheme: str = scope["scheme"]
        if address is None:
            # No network lies between: a socket of this machine, or a test.
            return (peer[0] if peer else "here"), scheme
        if not self._trusts(address):
            return grouped(address), scheme
        headers = Headers(scope=scope)
        said = headers.getlist("x-forwarded-proto")
        if said and (last := said[-1].rpartition(",")[2].strip().lower()) in ("http", "https"):
            scheme = last
        for hop in reversed(",".join(headers.getlist("x-forwarded-for")).rsplit(",", MOST_HOPS)[-MOST_HOPS:]):
            found = address_of(hop)
            if found is None:
                # Nobody can tell what it means; the proxy that passed it on answers for it.
                break
            address = found
            if not self._trusts(found):
                break
        return grouped(address), scheme

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)
