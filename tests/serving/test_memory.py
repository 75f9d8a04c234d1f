"""What a server takes for lasting in its memory, and that a table out of use is still let go."""

from __future__ import annotations

import gc
import weakref
from datetime import date

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.memory import settle, stir
from app.settings import Settings
from tests.serving.faults import table, until

PRICES = "/prices.json?provider=acme"


class Knot:
    """Something that refers to itself, which only the collector can let go."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def settled():
    settle()
    yield
    gc.unfreeze()


def test_what_lasts_is_left_out_until_it_is_stirred(settled):
    assert gc.get_freeze_count() > 10_000
    knot = Knot()
    settle()
    seen = weakref.ref(knot)
    del knot
    gc.collect()
    assert seen() is not None
    assert stir() is True
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert seen() is None
    assert stir() is False


def test_a_table_of_before_a_refresh_is_let_go(tmp_path, settled):
    file = tmp_path / "prices.csv"
    file.write_text(table(4))
    app = create_app(Settings(prices=(file,), watch_seconds=0.02))
    with TestClient(app) as client:
        assert client.get(PRICES).json()["prices"][0]["price_usd_per_hour"] == 4
        old = weakref.ref(app.state.service.table.market(date(2026, 11, 30)))
        settle()
        file.write_text(table(5))
        until(lambda: client.get(PRICES).json()["prices"][0]["price_usd_per_hour"] == 5)
        until(lambda: old() is None)
        until(lambda: gc.get_freeze_count() > 10_000)
