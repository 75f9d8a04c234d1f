"""Offers that a decision names: filters hold for them too."""

from __future__ import annotations

import pytest

from pricing.accelerators import catalogue
from tests.app.asking import HTML, Page, problem

FLEET = "unit=output_token&units_per_month=2000M&m=H100-SXM:8=5200&offer=aws/p5.48xlarge&region=us-east-1"


def figures(client, address: str) -> dict[str, object]:
    return client.get(address).json()["figures"]


def test_a_fleet_of_a_named_offer_costs_what_the_filters_ask_for(client):
    # On demand 55.04 USD an hour, one machine: 55.04 × 730 = 40,179.20.
    found = figures(client, f"/fleet.json?{FLEET}&purchase=on_demand")
    assert found["price_usd_per_hour"] == 55.04
    assert found["available_usd_per_month"] == pytest.approx(55.04 * 730, rel=1e-12)


@pytest.mark.parametrize(
    ("address", "field"),
    [
        (f"/fleet.json?{FLEET}&purchase=on_demand&provider=gcp", "offer"),
        ("/claim.json?more_per_dollar=0.7&a=aws/p5.48xlarge&b=aws/trn2.48xlarge&purchase=on_demand", "b"),
        ("/sure.json?unit=output_token&m=H100-SXM:8=5200&m=MI300X:8=5600&a=aws/p5.48xlarge&provider=gcp", "a"),
        ("/move.json?a=aws/p5.48xlarge&b=14&machines_now=1&machines_after=1&provider=oci", "a"),
        ("/commit.json?on_demand=aws/p5.48xlarge&committed=6&term=12&provider=gcp", "on_demand"),
    ],
)
def test_an_offer_that_the_filters_leave_out_is_refused_and_told_how_it_is_sold(client, address, field):
    body = problem(client.get(address))
    assert body["errors"][0]["loc"] == ["query", field]
    assert "is sold as " in body["detail"]
    assert "but your filters leave that out" in body["detail"]


def test_a_name_that_contradicts_the_filter_is_refused(client):
    named = "aws/p5.48xlarge/us-east-1/on_demand"
    address = FLEET.replace("aws/p5.48xlarge", named)
    assert client.get(f"/fleet.json?{address}&purchase=on_demand").status_code == 200
    body = problem(client.get(f"/fleet.json?{address}&purchase=spot"))
    assert "is sold as on demand in us-east-1" in body["detail"]


def test_hardware_to_shop_for_is_shown_as_it_is_sold(client):
    question = "unit=output_token&m=H100-SXM:8=5200&purchase=on_demand&shop=Trainium2:16&shop=Trainium3:16&shop=L4"
    answer = client.get(f"/break-even.json?{question}&provider=aws&region=us-east-1").json()
    said = {w["code"]: w["message"] for w in answer["warnings"]}
    assert said["sold_otherwise"].startswith("Trainium2:16 is not sold as your filters ask")
    assert said["not_sold"].startswith("No offer in the table carries Trainium3:16")
    lines = answer["tables"]["shopping_list"]
    assert {line["purchase"] for line in lines if line["hardware"] == "Trainium2:16"} >= {"spot", "capacity_block"}
    assert {line["purchase"] for line in lines if line["hardware"] == "L4"} <= {"on_demand"}
    # 55.04 USD an hour at 5,200 tokens a second; at 9.44 an hour the same cost needs 5,200 × 9.44 ÷ 55.04 = 891.86.
    spot = min(line["price_usd_per_hour"] for line in lines if line["purchase"] == "spot")
    (needed,) = [line["rate_needed_per_second"] for line in lines if line["price_usd_per_hour"] == spot]
    assert needed == pytest.approx(5200 * spot / 55.04, rel=1e-9)


def test_a_percent_sign_that_was_forgotten_is_asked_for(client):
    body = problem(client.get("/claim.json?more_per_dollar=70&a=20&b=14"))
    assert body["errors"][0]["loc"] == ["query", "more_per_dollar"]
    assert "70 more is 71 times as much; 70 % more is written 70%" in body["detail"]
    assert figures(client, "/claim.json?more_per_dollar=70%25&a=20&b=14")["claimed_ratio"] == pytest.approx(1.7)


@pytest.mark.parametrize("area", ["Europe", "EUROPE", " europe "])
def test_names_of_areas_are_read_as_people_write_them(client, area):
    asked = {"unit": "audio_hour", "m": "L4=120", "area": area}
    assert (
        client.get("/compare.json", params=asked).json()
        == client.get("/compare.json", params=asked | {"area": "europe"}).json()
    )
    assert client.get("/compare.json", params=asked | {"area": "North America"}).status_code == 200


def test_a_form_gains_no_row_with_each_submission(client):
    page = client.get("/fleet", params=[("unit", "output_token"), ("m", "H100-SXM:8=5200"), *[("m", "")] * 3,
                                        ("units_per_month", "2000M"), ("peak_to_mean", "3")]).text  # fmt: skip
    assert page.count('name="m"') == 2


@pytest.mark.parametrize("path", ["/fleet", "/compare", "/prices"])
def test_the_boxes_of_areas_are_ticked_however_they_are_written(client, path):
    query = {"area": ["Europe", "North America"], "purchase": "On-Demand"}
    if path != "/prices":
        query |= {"unit": "output_token", "m": "H100-SXM:8=5200"}
    if path == "/fleet":
        query |= {"units_per_month": "2000M"}
    answer = client.get(path, params=query, headers=HTML)
    assert answer.status_code == 200
    boxes = [each.attributes for each in Page(answer.text).all("input") if each.attributes.get("name") == "area"]
    assert {box["value"] for box in boxes} == set(catalogue().area_names())
    assert {box["value"] for box in boxes if "checked" in box} == {"europe", "north_america"}


def test_lines_and_sentences_of_break_even_are_in_the_language_of_the_page(client):
    query = {"unit": "output_token", "m": "H100-SXM:8=5200", "provider": "aws", "purchase": "on_demand"}
    english = client.get("/break-even.json", params=query).json()["statement"]
    assert any(s.startswith("The cheapest, aws/p5") and ", on_demand), breaks even from " in s for s in english)
    page = client.get("/break-even", params=query, headers=HTML | {"accept-language": "pt-BR"}).text
    assert "H100-SXM:8 em aws/p5" in page
    assert ", sob demanda)" in page
    assert "H100-SXM:8 on aws" not in page
    assert ", on_demand)" not in page
