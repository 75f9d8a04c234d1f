"""Faults that generated questions brought to light."""

from __future__ import annotations

import pytest


def test_a_baseline_that_the_latency_target_leaves_out_is_refused(client):
    asked = {"unit": "output_token", "m": "H100-SXM:8=5200", "slo": "ttft_p99<=0.5", "baseline": "H100-SXM:8"}
    answer = client.get("/compare.json", params=asked)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["query", "baseline"]
    assert "has no estimate, so it can't be the baseline" in answer.json()["detail"]


@pytest.mark.parametrize(
    "address", ["/api-prices.json", "/api-prices.csv", "/api-prices.svg", "/api-prices/receipt.json"]
)
def test_token_lengths_that_give_no_number_are_refused(client, address):
    # 5,200 output tokens a second and 1e18 input tokens for each 5e-324 output tokens: beyond any double.
    asked = {"api": "llama-3.3-70b", "unit": "output_token", "m": "H100-SXM:8=5200", "input_tokens": "1e18"}
    answer = client.get(address, params=asked | {"output_tokens": "5e-324"})
    assert answer.status_code == 422
    assert "check both lengths" in answer.json()["detail"]
