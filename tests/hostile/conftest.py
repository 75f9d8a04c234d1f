"""Counts of the generated requests, told at the end."""

from __future__ import annotations

from collections import Counter

import pytest
from starlette.testclient import TestClient

from app.main import create_app


@pytest.fixture(scope="session")
def client():
    return TestClient(create_app(), raise_server_exceptions=False)


CASES: Counter[str] = Counter()


@pytest.fixture(scope="session")
def counted():
    """Count one request of an operation."""

    def count(label):
        CASES[label] += 1

    return count


def pytest_terminal_summary(terminalreporter):
    if CASES:
        terminalreporter.section("generated requests")
        for label, number in sorted(CASES.items()):
            terminalreporter.line(f"{number:6,}  {label}")
        terminalreporter.line(f"{sum(CASES.values()):6,}  in all")
