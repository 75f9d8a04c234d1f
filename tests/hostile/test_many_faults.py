"""Bodies with tens of thousands of faults: as many are told as are of use, and in bounded work.

To look for the name that was meant costs some 0.1 ms; 20,000 offers with a wrong chip each once kept a worker busy
for 23 s. What is counted here is therefore how often that search runs, not how long.
"""

from __future__ import annotations

import json

import pytest

from pricing import errors
from pricing.errors import MOST_FAULTS, MOST_OF_QUESTION

MEASUREMENT = {"accelerator": "L4", "accelerator_count": 1, "rates": {"output_tokens_per_second": 1}}
OFFER = {"provider": "a", "instance_type": "b", "accelerator": "L4", "accelerator_count": 1, "price_usd_per_hour": 1}
MANY = 20_000
BODIES = {
    "unknown fields": ({f"unitt{i}": 1 for i in range(MANY)}, MOST_OF_QUESTION),
    "offers, each with an unknown field": ({"offers": [{**OFFER, f"provdr{i}": 1} for i in range(MANY)]}, MOST_FAULTS),
    "offers of unknown chips": ({"offers": [{**OFFER, "accelerator": f"L4x{i}"} for i in range(MANY)]}, MOST_FAULTS),
    "unknown kinds of rate": ({"measurements": [{**MEASUREMENT, "rates": {f"tokens{i}": 1 for i in range(MANY)}}]}, 1),
    "unknown providers": ({"filters": {"provider": [f"awz{i}" for i in range(MANY)]}}, 1),
}


@pytest.mark.parametrize("kind", BODIES)
def test_no_more_faults_are_told_than_are_of_use(client, monkeypatch, kind):
    more, most = BODIES[kind]
    searched = []
    find = errors.get_close_matches
    monkeypatch.setattr(errors, "get_close_matches", lambda *a, **k: searched.append(a) or find(*a, **k))
    body = {"unit": "output_token", "measurements": [MEASUREMENT], **more}
    answer = client.post("/api/v1/compare", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert 1 <= len(answer.json()["errors"]) <= most
    assert len(searched) <= 2 * MOST_OF_QUESTION
    assert len(answer.content) < 50_000


def test_parameters_of_a_link(client):
    names = "".join(f"&provdr{i}=1" for i in range(3_000))
    answer = client.get(f"/compare.json?unit=output_token&m=L4%3D1{names}")
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == MOST_OF_QUESTION
    assert answer.json()["errors"][0]["msg"].startswith("'provdr0' is not a parameter.")
