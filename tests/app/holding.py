"""A server with tokens for the tests of access: two teams with a private table each, and one table for both."""

from __future__ import annotations

import hashlib

from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.tokens import Entry

A, B = "perdollar_" + "a" * 43, "perdollar_" + "b" * 43
AS_A, AS_B = {"authorization": f"Bearer {A}"}, {"authorization": f"Bearer {B}"}
ENTRIES = tuple(Entry(name, hashlib.sha256(token.encode()).digest()) for name, token in (("a", A), ("b", B)))
HEAD = (
    "provider,instance_type,region,accelerator,accelerator_count,price_usd_per_hour,observed_on,evidence,source,notes\n"
)
# Names that stand nowhere but in these tables, and are short ways of each other.
ROWS = {
    "a": "canaryalpha,canarybox-a,canaryland-a,H100-SXM,8,1.0625,2026-11-01,list,canarysource-a,canarynote-a\n",
    "b": "canarybeta,canarybox-b,canaryland-b,H100-SXM,8,1.1875,2026-11-01,list,canarysource-b,canarynote-b\n",
    "": "canaryshared,canarybox-s,canaryland-s,H100-SXM,8,1.3125,2026-11-01,list,canarysource-s,canarynote-s\n",
}
# Tests ask more often than people do.
UNLIMITED = dict.fromkeys(("rate_limit", "upload_rate_limit", "failure_rate_limit"), "none")
UPLOAD = HEAD + "uploaded,upbox,upland,H100-SXM,8,0.5,2026-11-01,quote,,\n"


def tables(folder):
    """Write the tables and return the setting that names them: of each token, and of all tokens."""
    found = []
    for name, rows in ROWS.items():
        path = folder / f"{name or 'shared'}.csv"
        path.write_text(HEAD + rows, encoding="utf-8")
        found.append(f"{name}={path}" if name else str(path))
    return ":".join(found)


def server(folder, **settings):
    """Return a client of a server with tokens and private tables, open to all the world."""
    given = {"host": "0.0.0.0", "tokens": ENTRIES, "prices": tables(folder), **UNLIMITED, **settings}  # noqa: S104
    return TestClient(create_app(Settings(**given)))


def providers(client, headers=None):
    """Return the names of the private tables' providers that an answer holds."""
    body = client.get("/prices.json?instance_type=" + "&limit=1000", headers=headers or {}).json()
    return sorted({price["provider"] for price in body["prices"] if price["provider"].startswith("canary")})
