"""Page, JSON, CSV, POST and command line give the same answer to the same question."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pricing.columns import COLUMNS

PERDOLLAR = str(Path(sys.executable).with_name("perdollar"))
QUERY = "unit=output_token&m=Trainium1:16=10000&m=A@H100-SXM:8=5200/5150/5300&purchase=on_demand&limit=1000"
BODY = {
    "unit": "output_token",
    "measurements": [
        {"accelerator": "Trainium1", "accelerator_count": 16, "rates": {"output_tokens_per_second": 10000}},
        {
            "label": "A",
            "accelerator": "H100-SXM",
            "accelerator_count": 8,
            "rates": {"output_tokens_per_second": [5200, 5150, 5300]},
        },
    ],
    "filters": {"purchase": ["on_demand"]},
    "limit": 1000,
}
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


def test_get_post_csv_and_command_line_agree(client):
    answer = client.get(f"/compare.json?{QUERY}").json()
    posted = client.post("/api/v1/compare", json=BODY).json()
    assert posted["estimates"] == answer["estimates"]
    assert answer["total"] == len(answer["estimates"]) > 30

    rows = list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{QUERY}").text, newline="")))
    assert [float(row["cost_usd"]) for row in rows] == [e["cost_usd"] for e in answer["estimates"]]
    assert [row["instance_type"] for row in rows] == [e["instance_type"] for e in answer["estimates"]]

    words = ["compare", "--unit", "output_token", "Trainium1:16=10000", "A@H100-SXM:8=5200/5150/5300"]
    done = subprocess.run(
        [PERDOLLAR, *words, "--purchase", "on_demand", "--format", "json"], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout)["estimates"] == answer["estimates"]
    done = subprocess.run(
        [PERDOLLAR, *words, "--purchase", "on_demand", "--format", "csv"], check=True, capture_output=True
    )
    assert done.stdout == client.get(f"/compare.csv?{QUERY}").content


def test_estimates_have_the_contracts_fields_in_its_order(client):
    estimate = client.get(f"/compare.json?{QUERY}").json()["estimates"][0]
    assert list(estimate)[: len(CONTRACT)] == CONTRACT
    assert client.get(f"/compare.csv?{QUERY}").text.split("\r\n")[0] == ",".join(c.name for c in COLUMNS)
    assert [c.name for c in COLUMNS][: len(CONTRACT)] == CONTRACT


def test_the_known_answer(client):
    answer = client.get(
        "/compare.json?unit=output_token&m=Trainium1:16=10000&m=Trainium1:5=3000&region=us-east-1"
    ).json()
    on_demand = [
        e for e in answer["estimates"] if e["instance_type"] == "trn1.32xlarge" and e["purchase"] == "on_demand"
    ]
    # 21.50 USD for 3600 s × 10,000 tokens; and for 3 replicas of 3,000 tokens/s with one chip idle.
    assert {e["measurement"]: e["cost_usd"] for e in on_demand} == pytest.approx(
        {"Trainium1:16": 21.5 / 36, "Trainium1:5": 21.5 / (3600 * 9000) * 1e6}, rel=1e-12
    )
    assert {e["measurement"]: e["idle_accelerators"] for e in on_demand} == {"Trainium1:16": 0, "Trainium1:5": 1}


def test_the_page_shows_the_numbers_of_the_json(client):
    query = "unit=output_token&m=Trainium1:16=10000&purchase=on_demand&region=us-east-1"
    page = client.get(f"/compare?{query}").text
    estimates = client.get(f"/compare.json?{query}").json()["estimates"]
    (estimate,) = [e for e in estimates if e["instance_type"] == "trn1.32xlarge"]
    assert f'title="{estimate["cost_usd"]!r}"><strong>0.597</strong>' in page
    assert "2026-07-20" in page
    assert estimate["price_source"].split()[0] in page


def test_a_whole_csv(acme):
    text = acme.get("/compare.csv?unit=audio_hour&m==cmd@H100-SXM=rtfx:150&provider=acme&as_of=2026-11-11").content
    # 3.6 / 150 = 0.024; the box holds 8 replicas: 20 / 1200 = 0.016666….
    assert text.decode() == (
        ",".join(column.name for column in COLUMNS) + "\r\n"
        "1,acme,\"'=box, 8\",eu-1,on_demand,,H100-SXM,nvidia,8,'=cmd,8,0,20.0,1200.0,1.0,0.016666666666666666,,,"
        'USD per audio-hour,60.0,1.0,1200.0,20.0,,list,2026-11-01,10,"acme\'s ""page""",'
        "measured,,,,scaled_up,2.5,,,,,,,,\r\n"
        "2,acme,box-1,eu-1,on_demand,,H100-SXM,nvidia,1,'=cmd,1,0,3.6,150.0,1.0,0.024,,,USD per audio-hour,"
        "41.666666666666664,1.44,216.0,2.5,false,list,2026-11-01,10,'-page,measured,,,,,3.6,first,,,,,,,\r\n"
    )


def test_the_csv_holds_all_pages_unless_told(client):
    query = "unit=output_token&m=H100-SXM:1=100"
    total = client.get(f"/compare.json?{query}").json()["total"]
    assert total > 50
    assert client.get(f"/compare.csv?{query}").text.count("\r\n") == total + 1
    assert client.get(f"/compare.csv?{query}&limit=7").text.count("\r\n") == 8


def test_pages_of_json_neither_overlap_nor_skip(client):
    query = "unit=output_token&m=H100-SXM:1=100&m=L4=20"
    whole = client.get(f"/compare.json?{query}&limit=1000").json()["estimates"]
    parts = [
        client.get(f"/compare.json?{query}&limit=17&offset={i}").json()["estimates"] for i in range(0, len(whole), 17)
    ]
    assert [e for part in parts for e in part] == whole


def test_links_of_the_page_ask_the_same_question(client):
    page = client.get(
        "/compare?unit=output_token&m=A@H100-SXM:8=5200~3%25&m1.model=Llama&utilization=0.5&sort=-cost_usd"
    ).text
    links = re.findall(r'href="(/compare[^"]*)"', page)
    assert len(links) >= 3
    shown = None
    for link in (link.replace("&amp;", "&") for link in links if link.startswith("/compare.json")):
        shown = client.get(link).json()
    assert shown is not None
    assert shown["estimates"][0]["model"] == "Llama"
    assert shown["estimates"][0]["utilization"] == 0.5
    costs = [e["cost_usd"] for e in shown["estimates"]]
    assert costs == sorted(costs, reverse=True)


def test_the_first_visit_is_a_worked_example_from_published_figures(client):
    page = client.get("/").text
    assert "worked example from published figures" in page
    assert "dstackai/benchmarks" in page
    # runpod MI300X (secure), 2.39 USD per GPU: 4 × 2.39 / (3600 × 1184.52…) × 10⁶
    assert f"{4 * 2.39 / (3600 * 1184.5204578457153) * 1e6:.2f} USD per 1M tokens" in page


def test_the_command_on_the_page_gives_the_same_answer(client):
    query = "unit=output_token&m=a b@H100-SXM:8=5200&m1.model=x&purchase=on_demand&quote=acme/big@H100-SXM:8=1"
    page = client.get(f"/compare?{query}").text
    command = re.search(r"<code>(perdollar compare .*?)</code>", page)[1]
    command = command.replace("&#39;", "'").replace("&#34;", '"').replace("&amp;", "&")
    done = subprocess.run(
        ["sh", "-c", command.replace("perdollar", f'"{PERDOLLAR}"', 1) + " --format json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["estimates"] == client.get(f"/compare.json?{query}&limit=1000").json()["estimates"]
    assert answer["estimates"][0]["provider"] == "acme"


def test_yesterdays_answer_again(client):
    query = "unit=output_token&m=Trainium2:16=4100&purchase=spot&region=us-east-2"
    prices = {
        day: [e["price_usd_per_hour"] for e in client.get(f"/compare.json?{query}&as_of={day}").json()["estimates"]]
        for day in ("2026-03-01", "2026-11-01")
    }
    assert prices == {"2026-03-01": [23.0631], "2026-11-01": [14.5593]}


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
    body = {**BODY, "offers": [offer], "quotes": ["acme/x@H100-SXM:8=2"]}
    first, second = client.post("/api/v1/compare", json=body).json()["estimates"][:2]
    assert (first["provider"], first["price_evidence"], first["price_age_days"]) == ("own", "quote", None)
    assert (second["provider"], second["price_usd_per_hour"]) == ("acme", 2.0)
