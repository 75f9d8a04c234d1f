"""A client of the app with the built-in table, and one with a small table of our own."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.main import create_app

SMALL = """\
provider,instance_type,region,accelerator,accelerator_count,price_usd_per_hour,observed_on,evidence,source,notes
acme,"=box, 8",eu-1,H100-SXM,8,20,2026-11-01,list,"acme's ""page\""",
acme,box-1,eu-1,H100-SXM,1,3.6,2026-11-01,list,-page,first
"""


@pytest.fixture(scope="session")
def client():
    return TestClient(create_app())


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "acme.csv"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def acme(small):
    return TestClient(create_app(private=[small]))
