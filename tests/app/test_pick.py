"""Completion of hardware as one types: what /pick offers, in which order, and what it refuses."""

import pytest

from tests.app.asking import Page, problem


def picked(client, **query):
    """Return the offered texts, each with what is said of it."""
    response = client.get("/pick", params=query)
    assert response.status_code == 200
    options = Page(response.text).all("li")
    assert [option.attributes["id"] for option in options] == [f"pick-{i}" for i in range(len(options))]
    return {option.attributes["data-value"]: option.text for option in options}


def values(client, **query):
    return list(picked(client, **query))


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("h100", ["H100-SXM:8=", "H100-SXM:1=", "H100-SXM:4=", "H100-SXM:2="]),
        ("v5e", ["TPU-v5e:8=", "TPU-v5e:4=", "TPU-v5e:1="]),
        ("a3-high", ["gcp/a3-highgpu-1g=", "gcp/a3-highgpu-8g="]),
        ("A3 HIGH", ["gcp/a3-highgpu-1g=", "gcp/a3-highgpu-8g="]),
        ("trn2", ["Trainium2:16=", "Trainium2:1=", "aws/trn2.3xlarge=", "aws/trn2.48xlarge="]),
        ("aws/p5.48", ["aws/p5.48xlarge="]),
        ("H100:4", ["H100-SXM:4=", "H100-NVL:4=", "H100-PCIe:4="]),
        ("8xH100", ["H100-SXM:8="]),
        ("tpu-v5p-8", ["TPU-v5p:4=", "gcp/tpu-v5p (1 chip):4="]),
        ("mine@trn2", ["mine@Trainium2:16=", "mine@Trainium2:1="]),
        ("NVIDIA H100 80GB HBM3", ["H100-SXM:8="]),
    ],
)
def test_names_and_nicknames_become_the_notation(client, typed, first):
    assert values(client, q=typed)[: len(first)] == first


def test_names_that_begin_so_come_before_those_that_hold_it(client):
    assert values(client, q="p5")[1:] == [
        "aws/p5.48xlarge=",
        "aws/p5.4xlarge=",
        "aws/p5e.48xlarge=",
        "aws/p5en.48xlarge=",
        "aws-sagemaker/ml.p5.48xlarge=",
        "aws-sagemaker/ml.p5en.48xlarge=",
    ]


def test_it_is_said_what_an_option_stands_for_and_how_it_was_found(client):
    offered = picked(client, q="trn2")
    assert offered["Trainium2:16="] == "Trainium2:16=trn2: aws, 16 × Trainium2"
    assert offered["aws/trn2.48xlarge="] == "aws/trn2.48xlarge=Amazon Web Services, 16 × Trainium2"


def test_a_type_in_several_sizes_is_offered_in_each(client):
    offered = values(client, q="runpod/H100 SXM (secure)")
    assert offered
    assert all(text.startswith("runpod/H100 SXM (secure):") for text in offered)
    assert "runpod/H100 SXM (secure):8=" in offered


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("hardware", "Trainium2:16"),
        ("offer", "aws/trn2.3xlarge"),
        ("accelerator", "Trainium2"),
        ("quote", "aws/trn2.3xlarge@Trainium2:1="),
    ],
)
def test_each_field_gets_its_own_notation(client, form, first):
    assert values(client, q="trn2", form=form)[0] == first


def test_what_is_offered_is_read(client):
    """Each option, with a rate, is a question that has no fault."""
    for typed in ("h100", "aws/", "runpod", "tpu", "m2", "azure/"):
        offered = values(client, q=typed)
        assert 0 < len(offered) <= 20
        for text in offered:
            assert client.get("/compare.json", params={"unit": "request", "m": f"{text}5"}).status_code == 200, text


def test_own_prices_are_offered_too(acme):
    assert values(acme, q="acme/box-1") == ["acme/box-1="]


@pytest.mark.parametrize("typed", ["", " ", "=", "H100-SXM:8=52", "nonsense", "h" * 101, "💾", "<>", "@", "x@"])
def test_nothing_is_offered_for_what_begins_no_name(client, typed):
    assert picked(client, q=typed) == {}


def test_what_is_typed_is_text_in_the_answer(client):
    text = client.get("/pick", params={"q": '"><script>alert(1)</script>@h100'}).text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_a_control_character_and_an_unknown_form_are_refused(client):
    assert problem(client.get("/pick", params={"q": "h1\x00"}))["errors"][0]["loc"] == ["query", "q"]
    (error,) = problem(client.get("/pick", params={"q": "h1", "form": "offers"}))["errors"]
    assert error["loc"] == ["query", "form"]
    assert error["msg"].startswith("'offers' is not a form; they are m, hardware, offer, accelerator, quote.")
