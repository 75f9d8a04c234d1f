"""A page that refuses: status 422, the message at its field, and everything as it was typed."""

from __future__ import annotations

import pytest

from tests.app.asking import GOOD, HTML, Page

BOXES = ("purchase", "provider", "area", "vendor", "evidence", "availability")
FLAGS = ("include_unconfirmed", "all_sizes", "history")


def refused(client, address, headers=HTML):
    answer = client.get(address, headers=headers)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Page(answer.text)


def invalid(page):
    """Return the ids of the fields that are marked as wrong."""
    return [e.attributes["id"] for e in page.elements if e.attributes.get("aria-invalid") == "true"]


@pytest.mark.parametrize(
    ("more", "field", "words", "kept"),
    [
        ("&m=H100-SXM:8=5,2", "m-1", "two readings", "H100-SXM:8=5,2"),
        ("&m=H1000:8=5", "m-1", "Did you mean", "H1000:8=5"),
        ("&m=L4", "m-1", "has no '='", "L4"),
        ("&utilization=2", "utilization", "less than or equal to 1", "2"),
        ("&utilization=0,5", "utilization", "two readings", "0,5"),
        ("&baseline=nobody", "baseline", "neither a measurement's label", "nobody"),
        ("&as_of=1.2.2026", "as_of", "YYYY-MM-DD", "1.2.2026"),
        ("&max_price_usd_per_hour=1,5", "max_price_usd_per_hour", "two readings", "1,5"),
        ("&max_accelerators=0", "max_accelerators", "whole number from 1", "0"),
        ("&limit=5000", "limit", "from 1 to 1,000", "5000"),
        ("&quote=bad", "quote-0", "is not a quote", "bad"),
        ("&quote=a/b@L4:1=1&quote=bad", "quote-1", "is not a quote", "bad"),
        ("&quote=a/b@L4:1=0", "quote-0", "is not a price", "a/b@L4:1=0"),
        ("&region=nowhere", "region-0", "is not a known region", "nowhere"),
        ("&accelerator=H1000", "accelerator-0", "Did you mean", "H1000"),
        ("&term_months=x", "term_months-0", "not a number", "x"),
        ("&owned=x", "owned-0", "is not an owned machine", "x"),
        ("&discount=10%25", "discount-0", "PROVIDER=SHARE", "10%"),
        ("&currency=XXX", "currency", "not a currency with a reference rate", "XXX"),
        ("&exchange_rate=x", "exchange_rate-0", "CURRENCY=UNITS_PER_USD", "x"),
        ("&spot_loss=1", "spot_loss", "less than 1", "1"),
        ("&max_age_days=0", "max_age_days", "whole number from 1", "0"),
        ("&m1.success_rate=2", "m1.success_rate", "less than or equal to 1", "2"),
        ("&m1.input_tokens=-1", "m1.input_tokens", "greater than 0", "-1"),
        ("&m1.evidence=guess", "m1.evidence", "'measured'", "guess"),
        ("&m1.rates_count=some", "m1.rates_count", "'attempted'", "some"),
        (f"&m1.model={'x' * 201}", "m1.model", "at most 200", "x" * 201),
    ],
)
def test_a_message_stands_at_its_field_and_the_value_stays(client, more, field, words, kept):
    page = refused(client, f"/compare?{GOOD}{more}")
    assert invalid(page) == [field]
    shown = page.by_id(f"{field}-problem")
    assert words in shown.text
    assert "hidden" not in shown.attributes
    control = page.by_id(field)
    assert f"{field}-problem" in control.attributes["aria-describedby"].split()
    if control.tag == "select":
        (value,) = [e for e in page.all("option") if "selected" in e.attributes and e.around[-1] is control]
    else:
        value = control
    assert value.attributes["value"] == kept
    assert page.by_id("m-0").attributes["value"] == "H100-SXM:8=5200"
    others = [e for e in page.elements if "data-problem-of" in e.attributes and e is not shown]
    assert all("hidden" in e.attributes and not e.text for e in others)
    (summary,) = [e for e in page.elements if e.attributes.get("role") == "alert"]
    assert words in summary.text


@pytest.mark.parametrize("name", BOXES[:4])
def test_a_message_stands_below_boxes(client, name):
    page = refused(client, f"/compare?{GOOD}&{name}=nothing")
    shown = page.by_id(f"{name}-problem")
    assert "is not a known" in shown.text
    assert "hidden" not in shown.attributes
    assert f"{name}-problem" in page.by_id(name).attributes["aria-describedby"]
    (box,) = [e for e in page.all("input") if e.attributes.get("value") == "nothing"]
    assert (box.attributes["name"], "checked" in box.attributes) == (name, True)


@pytest.mark.parametrize("name", FLAGS[:2])
def test_a_message_stands_at_a_flag(client, name):
    page = refused(client, f"/compare?{GOOD}&{name}=maybe")
    assert page.by_id(f"{name}-problem").text == "'maybe' must be 1 or 0"


def test_all_faults_are_told_at_once_each_at_its_field(client):
    query = "unit=tokens&m=good@L4=5&m=H100-SXM:8=5,2&m2.model=Llama&m3.model=lost&utilization=2&provider=asw&x=1"
    page = refused(client, f"/compare?{query}")
    assert invalid(page) == ["unit", "m-1", "utilization"]
    (selected,) = [
        e for e in page.all("option") if "selected" in e.attributes and e.around[-1].attributes["id"] == "unit"
    ]
    assert selected.attributes["value"] == "tokens"
    assert page.by_id("m2.model").attributes["value"] == "Llama"
    listed = [e.attributes["data-field"] for e in page.elements if "data-field" in e.attributes]
    assert {"unit", "m-1", "m3", "x"} <= set(listed)


def test_without_a_measurement_the_message_is_at_the_measurements(client):
    page = refused(client, "/compare?unit=audio_hour")
    assert "a measurement is missing" in page.by_id("m-problem").text
    (selected,) = [
        e for e in page.all("option") if "selected" in e.attributes and e.around[-1].attributes["id"] == "unit"
    ]
    assert selected.attributes["value"] == "audio_hour"


def test_a_blank_measurement_with_details_says_so_in_its_place(client):
    page = refused(client, "/compare?unit=output_token&m=L4=1&m=&m2.model=x&m=L4=2")
    assert invalid(page) == ["m-1"]
    assert "has details but is blank" in page.by_id("m-1-problem").text
    assert [page.by_id(f"m-{i}").attributes["value"] for i in range(3)] == ["L4=1", "", "L4=2"]


def test_a_fragment_tells_the_fields_and_keeps_the_sort_order(client):
    answer = client.get(f"/compare?{GOOD}&m=L4=0&sort=-rank", headers=HTML | {"hx-request": "true"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.all("form") == []
    assert [e.attributes["data-field"] for e in page.elements if "data-field" in e.attributes] == ["m-1"]
    assert [(e.attributes["name"], e.attributes["value"]) for e in page.all("input")] == [("sort", "-rank")]
    assert answer.headers["hx-push-url"] == f"/compare?{GOOD}&m=L4=0&sort=-rank"


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ("as_of=x", "as_of", "YYYY-MM-DD"), ("region=x", "region-0", "is not a known region"),
        ("instance_type=x", "instance_type-0", "is not a known instance_type"),
        ("accelerator=H1000", "accelerator-0", "Did you mean"), ("history=x", "history", "must be 1 or 0"),
        *((f"{name}=x", name, "is not a known") for name in BOXES),
    ],
)  # fmt: skip
def test_the_price_list_says_it_at_the_field_too(client, more, field, words):
    page = refused(client, f"/prices?{more}")
    shown = page.by_id(f"{field}-problem")
    assert words in shown.text
    assert "hidden" not in shown.attributes
    if field.partition("-")[0] not in BOXES + FLAGS:
        assert invalid(page) == [field]
        assert page.by_id(field).attributes["value"] == more.partition("=")[2]


@pytest.mark.parametrize("address", ["/prices?sort=x", "/prices?limit=0", "/prices?histroy=1", "/accelerators?sort=x",
                                     "/accelerators?family=x", "/accelerators?limit=1"])  # fmt: skip
def test_what_has_no_field_is_told_in_the_summary(client, address):
    page = refused(client, address)
    (summary,) = [e for e in page.elements if e.attributes.get("role") == "alert"]
    assert "Not yet an answer" in summary.text
    assert page.rows() == []
