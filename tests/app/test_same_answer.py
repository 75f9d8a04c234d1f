"""Page, JSON, CSV, POST and command line give the same answer to the same question."""

from __future__ import annotations

import csv
import io
import json
import shlex

import pytest

from app.cli_words import command_line
from pricing.columns import COLUMNS
from tests.app.asking import DAY, POST, Page, query_of, run

CONTRACT = [
    "rank",
    "provider",
    "instance_type",
    "region",
    "purchase",
    "term_months",
    "accelerator",
    "accelerator_vendor",
    "accelerator_count",
    "measurement",
    "replicas",
    "idle_accelerators",
    "price_usd_per_hour",
    "rate_per_second",
    "utilization",
    "cost_usd",
    "cost_low_usd",
    "cost_high_usd",
    "cost_unit",
    "units_per_usd",
    "ratio_to_baseline",
    "rate_to_tie_per_second",
    "price_to_tie_usd_per_hour",
    "tied",
    "price_evidence",
    "price_observed_on",
    "price_age_days",
    "price_source",
    "measurement_evidence",
    "measurement_source",
    "stack",
    "model",
    "flags",
    "price_usd_per_accelerator_hour",
    "notes",
]
RATE = "output_tokens_per_second"
PLAIN = (
    f"unit=output_token&m=Trainium1:16=10000&m=A@H100-SXM:8=5200/5150/5300&purchase=on_demand&limit=1000&as_of={DAY}",
    {
        "unit": "output_token",
        "measurements": [
            {"accelerator": "Trainium1", "accelerator_count": 16, "rates": {RATE: 10000}},
            {"label": "A", "accelerator": "H100-SXM", "accelerator_count": 8, "rates": {RATE: [5200, 5150, 5300]}},
        ],
        "filters": {"purchase": ["on_demand"]},
        "limit": 1000,
        "as_of": DAY,
    },
)
DETAILED = (
    "unit=total_token&m=mine@MI300X:8=in:20k,out:5.2k~3%25&m1.model=Llama&m1.stack=vLLM 0.11&m1.success_rate=0.97"
    "&m1.evidence=published&m1.source=a %26 b&m=aws/p5.48xlarge=in:1,out:2&utilization=70%25&area=europe"
    "&area=north_america&vendor=amd&vendor=nvidia&include_unconfirmed=1&all_sizes=1&baseline=aws/p5.48xlarge"
    f"&sort=-price_usd_per_hour&limit=7&offset=3&quote=acme/big@MI300X:8=9.5&max_accelerators=8&as_of={DAY}",
    {
        "unit": "total_token",
        "measurements": [
            {
                "label": "mine",
                "hardware": "MI300X:8",
                "rates": {
                    "input_tokens_per_second": 20000,
                    "output_tokens_per_second": {"value": 5200, "plus_minus": 156},
                },
                "model": "Llama",
                "stack": "vLLM 0.11",
                "success_rate": 0.97,
                "evidence": "published",
                "source": "a & b",
            },
            {
                "provider": "aws",
                "instance_type": "p5.48xlarge",
                "rates": {"input_tokens_per_second": 1, "output_tokens_per_second": 2},
            },
        ],
        "utilization": 0.7,
        "filters": {"area": ["europe", "north_america"], "vendor": ["amd", "nvidia"], "max_accelerators": 8},
        "include_unconfirmed": True,
        "all_sizes": True,
        "baseline": "aws/p5.48xlarge",
        "sort": "-price_usd_per_hour",
        "limit": 7,
        "offset": 3,
        "quotes": ["acme/big@MI300X:8=9.5"],
        "as_of": DAY,
    },
)
AUDIO = (
    f"unit=audio_hour&m=L4=120&as_of={DAY}&limit=1000",
    {
        "unit": "audio_hour",
        "measurements": [{"accelerator": "L4", "rates": {"audio_seconds_per_second": 120}}],
        "as_of": DAY,
        "limit": 1000,
    },
)
OWN_PRICES = (
    "unit=output_token&m=H100-SXM:8=5200&m=Trainium2:16=4100&discount=aws=12%25&discount=gcp=0.05&currency=BRL"
    "&exchange_rate=BRL=5.43&owned=rack@H100-SXM:8=capex:280000,years:4,kw:10.2,pue:1.3,kwh:0.12,yearly:20000"
    f"&spot_loss=5%25&max_age_days=400&sort=-cost_usd&limit=1000&as_of={DAY}",
    {
        "unit": "output_token",
        "measurements": [
            {"hardware": "H100-SXM:8", "rates": {RATE: 5200}},
            {"hardware": "Trainium2:16", "rates": {RATE: 4100}},
        ],
        "discounts": {"aws": 0.12, "gcp": 0.05},
        "currency": "BRL",
        "exchange_rates": {"BRL": 5.43},
        "owned": ["rack@H100-SXM:8=capex:280000,years:4,kw:10.2,pue:1.3,kwh:0.12,yearly:20000"],
        "spot_loss": 0.05,
        "filters": {"max_age_days": 400},
        "sort": "-cost_usd",
        "limit": 1000,
        "as_of": DAY,
    },
)
QUESTIONS = pytest.mark.parametrize(
    ("query", "body"), [PLAIN, DETAILED, AUDIO, OWN_PRICES], ids=["plain", "detailed", "audio", "own prices"]
)


def as_csv(estimate):
    """Write an estimate of the JSON as cells of the CSV."""
    return {
        name: ""
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else json.dumps(value)
        if isinstance(value, float)
        else str(value)
        for name, value in estimate.items()
    }


@QUESTIONS
def test_a_post_is_the_same_question(client, query, body):
    answer = client.get(f"/compare.json?{query}").json()
    assert answer["estimates"]
    assert client.post(POST, json=body).json() == answer


@QUESTIONS
def test_the_csv_has_the_cells_of_the_json(client, query, body):
    estimates = client.get(f"/compare.json?{query}").json()["estimates"]
    assert len(estimates) > 1
    rows = list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").text, newline="")))
    assert len(rows) == len(estimates)
    for row, estimate in zip(rows, estimates, strict=True):
        numbers = {name for name, value in estimate.items() if isinstance(value, float)}
        assert {name: float(row[name]) for name in numbers} == {name: estimate[name] for name in numbers}
        rest = as_csv({name: value for name, value in estimate.items() if name not in numbers})
        assert {name: row[name].removeprefix("'") for name in rest} == rest


@QUESTIONS
def test_the_command_line_gives_the_bytes_of_the_web(client, query, body):
    words = shlex.split(command_line(query_of(f"?{query}")))[1:]
    answer = client.get(f"/compare.json?{query}")
    assert json.loads(run(*words, "--format", "json").stdout) == answer.json()
    done = run(*words, "--format", "csv")
    assert done.returncode == 0
    assert done.stdout.splitlines() == client.get(f"/compare.csv?{query}").text.splitlines()


@QUESTIONS
def test_the_page_holds_the_numbers_of_the_json(client, query, body):
    estimates = client.get(f"/compare.json?{query}").json()["estimates"]
    rows = Page(client.get(f"/compare?{query}").text).rows()
    assert len(rows) == len(estimates) > 1
    numbers = ("cost_usd", "price_usd_per_hour", "rate_per_second", "ratio_to_baseline", "units_per_usd")
    for row, estimate in zip(rows, estimates, strict=True):
        assert row["rank"].text == str(estimate["rank"])
        for name in (*numbers, "rate_to_tie_per_second", "price_to_tie_usd_per_hour"):
            assert row[name].attributes["title"] == repr(estimate[name])
        assert estimate["instance_type"] in row["provider"].text
        assert estimate["region"] in row["provider"].text
        assert (estimate["price_observed_on"] or "n/a") in row["price_observed_on"].text
        assert estimate["measurement"] in row["measurement"].text


@QUESTIONS
def test_the_command_on_the_page_gives_the_same_answer(client, query, body):
    page = Page(client.get(f"/compare?{query}").text)
    (command,) = [code.text for code in page.all("code") if code.text.startswith("perdollar compare ")]
    shown = json.loads(run(*shlex.split(command)[1:], "--format", "json").stdout)
    pairs = [(name, value) for name, value in query_of(f"?{query}") if name not in ("limit", "offset")]
    whole = client.get("/compare.json", params=[*pairs, ("limit", "1000")]).json()
    assert shown["estimates"] == whole["estimates"]
    assert shown["baseline"] == whole["baseline"]


def test_estimates_have_the_contracts_fields_in_its_order(client):
    query = PLAIN[0]
    names = [column.name for column in COLUMNS]
    assert names[: len(CONTRACT)] == CONTRACT
    assert client.get(f"/compare.csv?{query}").text.partition("\r\n")[0] == ",".join(names)
    for estimate in client.get(f"/compare.json?{query}").json()["estimates"]:
        assert list(estimate) == names


def test_an_answer_has_the_contracts_parts(client):
    answer = client.get(f"/compare.json?{PLAIN[0]}").json()
    parts = ("unit", "total", "limit", "offset", "estimates", "excluded", "warnings", "baseline", "prices")
    assert set(parts) <= set(answer)
    assert (answer["unit"], answer["limit"], answer["offset"]) == ("output_token", 1000, 0)
    assert answer["total"] == len(answer["estimates"])
    assert list(answer["prices"]) == ["rows", "observed_from", "observed_to", "sha256"]
    assert all(list(excluded) == ["reason", "count", "example"] for excluded in answer["excluded"])
    assert all(list(warning) == ["code", "message"] for warning in answer["warnings"])
    assert {excluded["reason"] for excluded in answer["excluded"]} >= {"filtered"}


def test_the_known_answer(client):
    query = f"unit=output_token&m=Trainium1:16=10000&m=Trainium1:5=3000&region=us-east-1&as_of={DAY}"
    on_demand = [
        e
        for e in client.get(f"/compare.json?{query}").json()["estimates"]
        if e["instance_type"] == "trn1.32xlarge" and e["purchase"] == "on_demand"
    ]
    found = {e["measurement"]: (e["cost_usd"], e["replicas"], e["idle_accelerators"]) for e in on_demand}
    # 21.50 USD for 3600 s of 10,000 tokens; and of 3 replicas of 3,000 tokens each, with one chip idle.
    assert found["Trainium1:16"] == (pytest.approx(21.5 / (3600 * 10000) * 1e6, rel=1e-14), 1, 0)
    assert found["Trainium1:5"] == (pytest.approx(21.5 / (3600 * 9000) * 1e6, rel=1e-14), 3, 1)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # P / (3600 R) × 10⁶ with P = 3.6: a thousandth of a dollar a second.
        ("unit=output_token&m=H100-SXM=1000", {"cost_usd": 1.0, "units_per_usd": 1e6, "rate_per_second": 1000.0}),
        ("unit=output_token&m=H100-SXM=1000&utilization=0.5", {"cost_usd": 2.0, "utilization": 0.5}),
        ("unit=output_token&m=H100-SXM=1000&m1.success_rate=0.5", {"cost_usd": 2.0, "rate_per_second": 500.0}),
        ("unit=audio_hour&m=H100-SXM=150", {"cost_usd": 0.024, "cost_unit": "USD per audio-hour"}),
        ("unit=request&m=H100-SXM=10", {"cost_usd": 100.0, "cost_unit": "USD per 1M requests"}),
        ("unit=total_token&m=H100-SXM=in:600,out:400", {"cost_usd": 1.0}),
        ("unit=output_token&m=H100-SXM=1000~200", {"cost_low_usd": 1 / 1.2, "cost_high_usd": 1.25}),
        ("unit=output_token&m=H100-SXM=1000&discount=acme=25%25",
         {"cost_usd": 0.75, "price_usd_per_hour": 2.7, "list_price_usd_per_hour": 3.6}),
        ("unit=output_token&m=H100-SXM=1000&currency=EUR&exchange_rate=EUR=0.9",
         {"cost_usd": 1.0, "price_usd_per_hour": 3.6, "cost_in_currency": 0.9, "price_in_currency_per_hour": 3.24,
          "currency": "EUR"}),
        ("unit=output_token&m=H100-SXM=1000&spot_loss=0.2&max_age_days=30", {"cost_usd": 1.0}),
        ("unit=output_token&m=H100-SXM=1000~1000", {"cost_low_usd": 0.5, "cost_high_usd": None}),
        ("unit=output_token&m=H100-SXM=1000&quote=acme/other@H100-SXM:1=1.8&baseline=acme/other",
         {"ratio_to_baseline": 2.0, "rate_to_tie_per_second": 2000.0, "price_to_tie_usd_per_hour": 1.8}),
    ],
)  # fmt: skip
def test_formulas_on_a_small_table(acme, query, expected):
    estimates = acme.get(f"/compare.json?{query}&provider=acme&as_of={DAY}").json()["estimates"]
    (estimate,) = [e for e in estimates if e["instance_type"] == "box-1"]
    for name, value in expected.items():
        assert estimate[name] == (value if value is None or isinstance(value, str) else pytest.approx(value, rel=1e-14))


def test_seventy_percent_more_per_dollar_is_41_percent_cheaper(acme):
    query = f"unit=audio_hour&m=a@acme/box-1=100&m=b@acme/box-1=170&as_of={DAY}"
    answer = acme.get(f"/compare.json?{query}").json()
    assert {e["measurement"]: e["ratio_to_baseline"] for e in answer["estimates"]} == {
        "a": 1.0,
        "b": pytest.approx(1 / 1.7, rel=1e-14),
    }
    assert "41.2 % less than the baseline" in Page(acme.get(f"/compare?{query}").text).by_id("results").text


def test_yesterdays_answer_again(client):
    query = "unit=output_token&m=Trainium2:16=4100&purchase=spot&region=us-east-2"
    prices = {
        day: [e["price_usd_per_hour"] for e in client.get(f"/compare.json?{query}&as_of={day}").json()["estimates"]]
        for day in ("2026-03-01", "2026-11-01")
    }
    assert prices == {"2026-03-01": [23.0631], "2026-11-01": [14.5593]}


def test_sizes_of_runpod_are_priced_by_the_accelerator(client):
    query = f"unit=output_token&m=H100-SXM:8=1000&provider=runpod&purchase=on_demand&as_of={DAY}"
    estimates = client.get(f"/compare.json?{query}").json()["estimates"]
    prices = {e["instance_type"]: (e["accelerator_count"], e["price_usd_per_hour"]) for e in estimates}
    assert prices["H100 SXM (secure)"] == (8, pytest.approx(31.92, rel=1e-12))


def test_trainium2_is_never_free_on_demand(client):
    answer = client.get("/compare.json?unit=output_token&m=Trainium2:16=4100&limit=1000").json()
    assert answer["total"] > 0
    assert {e["purchase"] for e in answer["estimates"]} <= {"spot", "capacity_block"}
    assert all(e["price_usd_per_hour"] > 10 for e in answer["estimates"])


def test_unconfirmed_prices_are_shown_only_when_asked_for(client):
    query = "unit=output_token&m=MI300X:8=5000&provider=tensorwave"
    hidden = client.get(f"/compare.json?{query}").json()
    shown = client.get(f"/compare.json?{query}&include_unconfirmed=1").json()
    assert hidden["total"] == 0
    assert "unconfirmed" in {e["reason"] for e in hidden["excluded"]}
    assert shown["total"] > 0
    assert {e["price_evidence"] for e in shown["estimates"]} == {"third_party"}


def test_inline_offers_and_quotes_count(client):
    offer = {
        "provider": "own",
        "instance_type": "rack",
        "accelerator": "H100",
        "accelerator_count": 8,
        "price_usd_per_hour": 1,
    }
    body = PLAIN[1] | {"offers": [offer], "quotes": ["acme/x@H100-SXM:8=2"]}
    answer = client.post(POST, json=body).json()
    first, second = answer["estimates"][:2]
    assert (first["provider"], first["price_evidence"], first["price_age_days"]) == ("own", "quote", None)
    assert (second["provider"], second["price_usd_per_hour"]) == ("acme", 2.0)
    assert "alias_assumed" in {warning["code"] for warning in answer["warnings"]}


def test_pages_of_json_neither_overlap_nor_skip(client):
    query = f"unit=output_token&m=H100-SXM:1=100&m=L4=20&as_of={DAY}"
    whole = client.get(f"/compare.json?{query}&limit=1000").json()["estimates"]
    parts = [
        client.get(f"/compare.json?{query}&limit=17&offset={i}").json()["estimates"] for i in range(0, len(whole), 17)
    ]
    assert len(whole) > 51
    assert [e for part in parts for e in part] == whole
    assert client.get(f"/compare.json?{query}").json()["estimates"] == whole[:50]
