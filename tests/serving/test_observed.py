"""What a running server tells of itself: request ids, lines of the log, figures for Prometheus; nothing of who asks."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from app.main import create_app
from tests.serving.faults import MOST_SECONDS, serving, table, until

CANARY = "canary-7f3a"
QUESTION = f"/compare.json?unit=output_token&m={CANARY}@H100-SXM:8=5200"


def figures(text):
    """Return the samples of Prometheus' text by name and labels, those of buckets left out."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith(("_bucket", "_created"))
    }


def requests_of(found, method, route, status):
    return found.get(("perdollar_http_requests_total", ("method", method), ("route", route), ("status", status)), 0)


@pytest.mark.parametrize("number", [1, 2])
def test_requests_are_counted_by_route_over_all_workers(number, tmp_path):
    path = tmp_path / "acme.csv"
    path.write_text(table(4))
    options = ("--workers", number, "--prices", path, "--log-format", "json")
    with serving(*options, PERDOLLAR_WATCH_SECONDS="0.05") as server:
        for _ in range(12):
            # Each on a connection of its own, which any worker takes.
            assert server.get(QUESTION, headers={"Cookie": CANARY, "User-Agent": CANARY}).status_code == 200
        assert server.get(f"/{CANARY}").status_code == 404
        assert httpx.head(server.address + "/compare", timeout=MOST_SECONDS).status_code == 200
        assert server.get("/static/perdollar.css").status_code == 200
        assert httpx.request("BREW" + CANARY, server.address + "/prices", timeout=MOST_SECONDS).status_code == 405
        text = server.get("/metrics").text
        found = figures(text)
        assert requests_of(found, "GET", "/compare.json", "2xx") == 12
        assert (
            found["perdollar_http_request_duration_seconds_count", ("method", "GET"), ("route", "/compare.json")] == 12
        )
        assert requests_of(found, "GET", "none", "4xx") == 1
        assert requests_of(found, "HEAD", "/compare", "2xx") == 1
        assert requests_of(found, "GET", "/static", "2xx") == 1
        assert sum(v for k, v in found.items() if ("method", "other") in k and k[0].endswith("requests_total")) == 1
        # The one that asks.
        assert found[("perdollar_http_requests_in_flight",)] == 1
        assert found[("perdollar_price_rows",)] == 768
        assert found[("perdollar_prices_degraded",)] == 0
        path.write_text("provider\nbroken")
        degraded = ("perdollar_prices_degraded",), ("perdollar_price_load_failures_total",)
        until(lambda: [figures(server.get("/metrics").text)[name] for name in degraded] == [1, number])
        lines = [json.loads(line) for line in server.log.splitlines()]
        asked = [line for line in lines if line.get("route") == "/compare.json"]
        assert len(asked) == 12
        assert len({line["request_id"] for line in asked}) == 12
        assert {(line["method"], line["status"], line["level"]) for line in asked} == {("GET", 200, "INFO")}
        assert all(line["bytes"] > 1000 and 0 < line["seconds"] < 60 for line in asked)
        assert any("can't be read" in line["message"] for line in lines)
        for told in (text, server.log):
            assert CANARY not in told
            assert "127.0.0.1" not in told


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-1.X_9", True), ("a" * 64, True), ("a" * 65, False), ("a b", False), ("é".encode().decode("latin-1"), False),
     ("", False), ('"}{', False)],
)  # fmt: skip
def test_the_id_of_a_request_comes_back(given, kept):
    client = TestClient(create_app())
    answer = client.get("/healthz", headers={"X-Request-ID": given.encode("latin-1")})
    name = answer.headers["x-request-id"]
    assert (name == given) is kept
    assert kept or len(name) == 16
    assert client.get("/healthz").headers["x-request-id"] != name
    refused = client.get("/nope", headers={"X-Request-ID": "abc"})
    assert refused.headers["x-request-id"] == "abc"


def test_a_failure_tells_its_id_in_the_answer_and_in_the_log(caplog):
    app = create_app()

    @app.get("/failing/{name}")
    def failing(name: str) -> None:
        raise RuntimeError("no reason")

    client = TestClient(app, raise_server_exceptions=False)
    answer = client.get(f"/failing/{CANARY}.json", headers={"X-Request-ID": "abc"})
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == "abc"
    assert "/failing/{name}" in caplog.text
    assert CANARY not in caplog.messages[0]
    found = figures(client.get("/metrics").text)
    assert requests_of(found, "GET", "/failing/{name}", "5xx") == 1
