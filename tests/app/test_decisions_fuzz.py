"""No input, however hostile, breaks a decision: 200 or 422, and no number that is none."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.decisions import DECISIONS, decision_named
from tests.app.test_fuzz import REPEATABLE, checked, values

NUMBERS = ("0", "1", "-1", "1e-9", "1e18", "1e308", "0.5", "50%", "100%", "150%", "24", "8760", "730", "1e12", "5e-324")


def own(name):
    """Names of a decision's own inputs."""
    return list(decision_named(name).inputs.model_fields)


@pytest.mark.parametrize("name", DECISIONS)
@REPEATABLE
@given(data=st.data())
def test_links(client, name, data):
    changes = data.draw(
        st.dictionaries(
            st.sampled_from([*own(name), "m", "unit", "utilization", "spot_loss", "quote"]),
            st.sampled_from(NUMBERS) | values, min_size=1, max_size=3,
        )
    )  # fmt: skip
    pairs = [(parameter, value) for parameter, value in decision_named(name).example if parameter not in changes]
    query = urlencode([*pairs, *changes.items()], errors="replace")
    ending = data.draw(st.sampled_from([".json", "", ".csv", "/receipt.json"]))
    checked(client.get(f"/{name}{ending}?{query}"), (200, 422))


bodies = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers(-(10**20), 10**20) | values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", DECISIONS)
@REPEATABLE
@given(data=st.data())
def test_bodies(client, name, data):
    known = st.sampled_from([*own(name), "measurements", "unit", "filters", "utilization", "quotes", "offers"])
    body = data.draw(st.dictionaries(known, bodies, max_size=4) | bodies)
    try:
        sent = json.dumps(body)
    except ValueError:
        return
    headers = {"content-type": "application/json"}
    checked(client.post(f"/api/v1/{name}", content=sent, headers=headers), (200, 413, 422))
