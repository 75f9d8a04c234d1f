"""Receipts of answers: they verify by themselves, and a changed digit is found."""

import json
import re
from urllib.parse import urlencode

import pytest

from pricing.decisions import DECISIONS, decision_named
from tests.app.asking import HTML, problem, refusal, run

QUESTIONS = {"compare": "unit=output_token&m=H100-SXM:8=5200~3%25&m=Trainium2:16=4100&m1.model=x&limit=20"} | {
    name: urlencode(decision_named(name).example) for name in DECISIONS
}
EACH = pytest.mark.parametrize("name", QUESTIONS)


@pytest.fixture(params=QUESTIONS)
def receipt(request, client, tmp_path):
    path = tmp_path / "receipt.json"
    path.write_bytes(client.get(f"/{request.param}/receipt.json?{QUESTIONS[request.param]}").content)
    return path


def test_a_receipt_verifies_in_another_process(receipt):
    done = run("verify", receipt)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("identical: ")


def test_a_receipt_does_not_need_the_tables(receipt, tmp_path):
    # Another folder of refreshed tables, and a private table with other prices.
    other = tmp_path / "other.csv"
    other.write_text(
        "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\naws,p5.48xlarge,H100-SXM,8,0.01\n",
        encoding="utf-8",
    )
    assert run("verify", receipt, PERDOLLAR_PRICES=json.dumps([str(other)])).returncode == 0


def test_a_changed_digit_is_found(receipt):
    text = receipt.read_text(encoding="utf-8")
    place = re.search(r'"price_usd_per_hour":\d+\.(\d)', text) or re.search(r'"utilization":\d+\.(\d)', text)
    start = place.start(1) if place else text.index('"formulas":1') + len('"formulas":')
    receipt.write_text(text[:start] + str((int(text[start]) + 1) % 10) + text[start + 1 :], encoding="utf-8")
    done = run("verify", receipt)
    assert done.returncode == 1
    assert "sha256: the receipt was changed after it was made" in done.stdout


def test_a_changed_price_under_a_new_hash_is_found_by_working_it_out(client, tmp_path):
    from pricing.receipts import digest  # noqa: PLC0415

    body = client.get(f"/compare/receipt.json?{QUESTIONS['compare']}").json()
    body["answer"]["estimates"][3]["cost_usd"] *= 1.001
    body["sha256"] = digest(body)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    done = run("verify", path)
    assert done.returncode == 1
    assert "estimates[3].cost_usd" in done.stdout


@EACH
def test_the_command_gives_the_receipt_of_the_link(client, name):
    linked = client.get(f"/{name}/receipt.json?{QUESTIONS[name]}").json()
    words = client.get(f"/{name}?{QUESTIONS[name]}", headers=HTML).text
    assert f"/{name}/receipt.json?" in words
    assert linked["asked"]["kind"] == name
    assert linked["answer"]["warnings"] is not None
    assert all(row["price_usd_per_hour"] > 0 for row in linked["prices"] if row.get("availability") != "withdrawn")


def test_every_price_behind_an_estimate_stands_in_it_with_source_and_date(client):
    body = client.get(f"/compare/receipt.json?{QUESTIONS['compare']}").json()
    rows = {(r["provider"], r["instance_type"], r.get("region"), r["purchase"]) for r in body["prices"] if r["source"]}
    for estimate in body["answer"]["estimates"]:
        assert (estimate["provider"], estimate["instance_type"], estimate["region"], estimate["purchase"]) in rows


def test_a_posted_question_with_own_offers_has_a_receipt(client, tmp_path):
    offer = {"provider": "own", "instance_type": "rack", "accelerator": "H100-SXM", "accelerator_count": 8}
    body = {
        "unit": "output_token",
        "measurements": [{"hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 5200}}],
        "offers": [offer | {"price_usd_per_hour": 9.5}], "filters": {"provider": ["own"]},
    }  # fmt: skip
    path = tmp_path / "own.json"
    path.write_bytes(client.post("/api/v1/compare/receipt", json=body).content)
    assert json.loads(path.read_text(encoding="utf-8"))["answer"]["estimates"][0]["price_usd_per_hour"] == 9.5
    assert run("verify", path).stdout.startswith("identical")


def test_a_wrong_question_is_refused_as_everywhere(client):
    problem(client.get("/compare/receipt.json?unit=output_token&m=H100"))
    problem(client.post("/api/v1/compare/receipt", json=[]))


def test_explain_splits_a_change(client, tmp_path):
    paths = []
    for i, query in enumerate(("m=H100-SXM:8=5000", "m=H100-SXM:8=6000&utilization=0.5")):
        paths.append(tmp_path / f"{i}.json")
        link = f"/compare/receipt.json?unit=output_token&provider=aws&purchase=on_demand&{query}"
        paths[-1].write_bytes(client.get(link).content)
    done = run("explain", *paths, "--format", "json")
    body = json.loads(done.stdout)
    # 5000 / 6000 of the cost, and twice that at half the time.
    assert body["parts"]["throughput"]["factor"] == pytest.approx(5 / 6)
    assert body["parts"]["utilization"]["factor"] == pytest.approx(2)
    assert body["parts"]["price"]["ln"] == 0
    assert body["new"] / body["old"] == pytest.approx(5 / 3)
    assert "throughput" in run("explain", *paths).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a receipt"),
        ("{}", "is not a receipt"),
        (json.dumps(dict.fromkeys(("receipt", "formulas", "asked", "prices", "answer", "sha256"))), "of format None"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_receipt_is_said(tmp_path, text, said):
    path = tmp_path / "r.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal("verify", path)


@pytest.mark.parametrize(
    "change",
    [{"prices": None}, {"prices": [{"provider": 5}]},
     {"asked": {"kind": "compare", "question": 5, "as_of": "2026-12-01"}},
     {"asked": {"kind": "compare", "question": [["unit"]], "as_of": "x"}}, {"answer": {"estimates": "x"}}],
)  # fmt: skip
def test_a_damaged_receipt_differs_without_a_traceback(client, tmp_path, change):
    body = client.get(f"/compare/receipt.json?{QUESTIONS['compare']}").json() | change
    path = tmp_path / "r.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    done = run("verify", path)
    assert (done.returncode, done.stderr) == (1, "")
