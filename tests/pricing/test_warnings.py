"""Warnings of an answer: each code, when it comes and what it says."""

import pytest

from pricing.compare import headlines
from tests.pricing.small import ask, ask_json, codes, offer, table

PRICES = table(offer(10), offer(5, accelerator="L4", accelerator_count=1, instance_type="small"))
L4 = {"accelerator": "L4", "accelerator_count": 1, "rates": {"output_tokens_per_second": 50}}


def message(answer, code):
    (found,) = [warned.message for warned in answer.warnings if warned.code == code]
    return found


def test_none():
    assert codes(ask(PRICES, "L4:1=50")) == []


def test_alias_assumed():
    answer = ask(PRICES, "H100:8=100")
    assert codes(answer) == ["alias_assumed", "quote_only"]
    text = message(answer, "alias_assumed")
    assert "'H100' is taken as H100-SXM; it could also be H100-NVL or H100-PCIe." in text


def test_alias_assumed_in_an_inline_offer():
    answer = ask_json(PRICES, [L4], offers=[offer(9, accelerator="H100", instance_type="mine")])
    assert "'H100' in the price table is taken as H100-SXM." in message(answer, "alias_assumed")


def test_count_assumed():
    answer = ask(PRICES, "L4=50")
    assert codes(answer) == ["count_assumed"]
    assert "no count is given, so the rate is taken as that of 1 × L4" in message(answer, "count_assumed")


def test_label_repeated():
    answer = ask(PRICES, ["L4:1=50", "L4:1=60", "a@L4:1=70", "a@L4:1=80"])
    assert codes(answer) == ["label_repeated", "label_repeated"]
    labels = [m.label for m in answer.question.measurements]
    assert labels == ["L4:1", "L4:1 (2)", "a", "a (2)"]


def test_a_label_made_for_a_repeated_one_is_unique_too():
    answer = ask(PRICES, ["a@L4:1=50", "a (2)@L4:1=60", "a@L4:1=70"])
    labels = [m.label for m in answer.question.measurements]
    assert len(set(labels)) == 3
    assert labels[:2] == ["a", "a (2)"]


def test_no_estimates_and_no_baseline():
    answer = ask(PRICES, "B300:8=100", provider="acme")
    assert codes(answer)[:2] == ["no_estimates", "no_baseline"]
    assert "the reasons are listed under what was left out" in message(answer, "no_estimates")


def test_offset_beyond_end():
    assert codes(ask(PRICES, "L4:1=50", offset=1)) == ["offset_beyond_end"]


def test_quote_only_names_the_sellers_and_the_way():
    answer = ask(PRICES, "Trainium3:16=100")
    text = message(answer, "quote_only")
    assert "Trainium3 is sold at a quoted price only by Amazon Web Services" in text
    assert "quote=PROVIDER/INSTANCE_TYPE@Trainium3:COUNT=USD_PER_HOUR" in text


@pytest.mark.parametrize(
    ("name", "values", "code", "words"),
    [
        ("model", ("Llama-3-70B", "Llama-3-8B"), "models_differ", "different models (Llama-3-70B, Llama-3-8B)"),
        ("precision", ("FP8", "BF16"), "precisions_differ", "different precisions (FP8, BF16)"),
        ("input_tokens", (1024, 2048), "input_lengths_differ", "different input lengths in tokens (1024, 2048)"),
        ("output_tokens", (128, 256.5), "output_lengths_differ", "different output lengths in tokens (128, 256.5)"),
    ],
)
def test_what_is_not_comparable(name, values, code, words):
    answer = ask_json(PRICES, [L4 | {name: value, "label": str(value)} for value in values])
    assert codes(answer) == [code]
    assert words in message(answer, code)
    same = ask_json(PRICES, [L4 | {name: values[0], "label": label} for label in "ab"])
    assert codes(same) == []
    one_unknown = ask_json(PRICES, [L4 | {name: values[0], "label": "a"}, L4 | {"label": "b"}])
    assert codes(one_unknown) == []


def test_a_measurement_of_another_kind_is_not_compared():
    other = L4 | {"model": "y", "label": "b", "rates": {"input_tokens_per_second": 5}}
    assert codes(ask_json(PRICES, [L4 | {"model": "x"}, other])) == []


def test_case_alone_is_no_difference():
    assert (
        codes(ask_json(PRICES, [L4 | {"precision": "FP8", "label": "a"}, L4 | {"precision": "fp8", "label": "b"}]))
        == []
    )


class TestHeadlines:
    def test_the_cheapest(self):
        (first,) = headlines(ask(table(offer(10), offer(12, region="eu-1"))))
        assert first.cost_usd == pytest.approx(10 / (3600 * 5200) * 1e6, rel=1e-12)
        assert (first.cost_low_usd, first.cost_high_usd, first.stale) == (None, None, False)
        assert first.share_saved == 0

    def test_a_stale_one_has_the_cheapest_fresh_one_beside_it(self):
        prices = table(offer(5, observed_on="2025-01-01"), offer(10, region="eu-1"), offer(12, region="us-1"))
        first, second = headlines(ask(prices, baseline="acme/box/us-1"))
        assert (first.stale, second.stale) == (True, False)
        assert first.share_saved == pytest.approx(1 - 5 / 12, rel=1e-12)
        assert second.share_saved == pytest.approx(1 - 10 / 12, rel=1e-12)

    def test_only_stale_ones(self):
        (first,) = headlines(ask(table(offer(5, observed_on="2025-01-01"))))
        assert first.stale

    def test_none(self):
        assert headlines(ask(PRICES, "H200:8=1")) == ()

    def test_page_and_order_do_not_matter(self):
        prices = table(offer(10), offer(12, region="eu-1"))
        (first,) = headlines(ask(prices, sort="-cost_usd", offset=1, limit=1))
        assert first.cost_usd == pytest.approx(10 / (3600 * 5200) * 1e6, rel=1e-12)
