"""Clients of the app: with the built-in table alone, and with a small table of our own beside it."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from tests.app.asking import ACME


@pytest.fixture(scope="session")
def client():
    return TestClient(create_app())


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "acme.csv"
    path.write_text(ACME, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def acme(small):
    return TestClient(create_app(private=[small]))
