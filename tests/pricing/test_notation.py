"""The short notation [LABEL@]HARDWARE=RATE, read and written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing import notation
from pricing.measurements import from_repeats, single, with_spread
from pricing.units import RATE_FIELDS, UNITS
from tests.pricing.small import outcome

OUT, AUDIO = UNITS["output_token"], UNITS["audio_hour"]
FIELD = "output_tokens_per_second"


@pytest.mark.parametrize(
    ("text", "label", "hardware"),
    [
        ("H100-SXM:8=5200", "", "H100-SXM:8"),
        ("aws/trn1.32xlarge=5200", "", "aws/trn1.32xlarge"),
        ("runpod/H100 SXM (secure):8=5200", "", "runpod/H100 SXM (secure):8"),
        ("vLLM 0.11@H100-SXM:8=5200", "vLLM 0.11", "H100-SXM:8"),
        (" a b @ H100-SXM:8 = 5200 ", "a b", "H100-SXM:8"),
        # The first @ ends the label, the last = starts the rate.
        ("a=b@H100-SXM:8=5200", "a=b", "H100-SXM:8"),
        ("a@acme/x@y=z=5200", "a", "acme/x@y=z"),
        ("@acme/x@y=5200", "", "acme/x@y"),
        ("<script>alert(1)</script>@L4=5200", "<script>alert(1)</script>", "L4"),
    ],
)
def test_label_hardware_and_rate(text, label, hardware):
    assert notation.parse(text, OUT) == notation.Notation(label, hardware, {FIELD: single(5200)})


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("5200", single(5200)),
        ("5.2k", single(5200)),
        ("5_200", single(5200)),
        ("1.5M", single(1_500_000)),
        ("5200±150", with_spread(5200, 150)),
        ("5200~150", with_spread(5200, 150)),
        ("5200~3%", with_spread(5200, 156)),
        ("5.2k±0.15k", with_spread(5200, 150)),
        ("5200/5150/5300", from_repeats([5200, 5150, 5300])),
        ("5.2k / 5_150", from_repeats([5200, 5150])),
    ],
)
def test_forms_of_a_rate(text, rate):
    assert notation.parse_rate(text) == rate


def test_kinds_of_rate():
    text = "in:21000,out:5200~3%, req:3.5,total:26.2k,trained:1/3,rtfx:120"
    assert notation.parse_rates(text, OUT) == {
        "input_tokens_per_second": single(21000),
        "output_tokens_per_second": with_spread(5200, 156),
        "requests_per_second": single(3.5),
        "total_tokens_per_second": single(26200),
        "trained_tokens_per_second": from_repeats([1, 3]),
        "audio_seconds_per_second": single(120),
    }


def test_a_bare_rate_takes_the_question_s_unit():
    assert notation.parse_rates("120", AUDIO) == {"audio_seconds_per_second": single(120)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no '='"),
        ("H100-SXM:8", "has no '='; write HARDWARE=RATE, for example H100-SXM:8=5200"),
        ("a@H100-SXM:8", "has no '='"),
        ("=5200", "names no hardware"),
        ("a@ =5200", "names no hardware"),
        ("H100-SXM:8=", "the rate after '=' is missing; write it in output tokens/s"),
        ("H100-SXM:8=0", "a rate must be a number above 0, not 0"),
        ("H100-SXM:8=-5200", "a rate must be a number above 0, not -5200"),
        ("H100-SXM:8=nan", "'nan' is not a number"),
        ("H100-SXM:8=inf", "'inf' is not a number"),
        ("H100-SXM:8=1e400", "'1e400' is too large"),
        ("H100-SXM:8=fast", "'fast' is not a number"),
        ("H100-SXM:8=1,234", "1,234 has two readings"),
        ("H100-SXM:8=0,75", "write a dot for decimals"),
        ("H100-SXM:8=1.234,56", "two readings"),
        ("H100-SXM:8=5200/", "a number is missing"),
        ("H100-SXM:8=5200~", "a number is missing"),
        ("H100-SXM:8=5200~0", "a spread must be a number above 0, not 0"),
        ("H100-SXM:8=5200~-3", "a spread must be a number above 0, not -3"),
        ("H100-SXM:8=5200~3~4", "is not a number"),
        ("H100-SXM:8=5200/5100~3", "both repeats and a spread"),
        ("H100-SXM:8=tok:5200", "'tok' is not a kind of rate; the keys are out, in, total, trained, rtfx, req"),
        ("H100-SXM:8=outs:5200", "Did you mean out"),
        ("H100-SXM:8=out:5200,out:5100", "the kind out is given twice"),
        ("H100-SXM:8=out:5200,21000", "'21000' in 'out:5200,21000' has no kind before it"),
        ("H100-SXM:8=out:1,234", "'234' in 'out:1,234' has no kind before it"),
        ("H100-SXM:8=out:", "a number is missing"),
        ("H100-SXM:8=" + "/".join(["1"] * 10_001), "10,001 repeats are more than the 10,000 allowed"),
    ],
)
def test_refused(text, words):
    with pytest.raises(ValueError, match=r"\S") as caught:
        notation.parse(text, OUT)
    assert words in str(caught.value)


def test_a_message_cuts_a_long_text():
    with pytest.raises(ValueError, match="has no '='") as caught:
        notation.parse("x" * 100_000, OUT)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [("H100-SXM:8", "H100-SXM", "8"), ("H100-SXM", "H100-SXM", None), ("a:b:4", "a:b", "4"), ("L4: 2 ", "L4", "2")],
)
def test_the_last_colon_starts_the_count(text, name, count):
    assert notation.split_count(text) == (name, count)


texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=20).map(str.strip)
labels = texts.filter(lambda text: "@" not in text)
numbers = st.floats(1e-6, 1e12)
rates = st.one_of(
    numbers.map(single),
    st.tuples(numbers, st.floats(1e-6, 1e12)).map(lambda pair: with_spread(*pair)),
    st.lists(numbers, min_size=2, max_size=5).map(from_repeats),
)


@settings(deadline=None)
@given(
    labels,
    texts.filter(bool),
    st.dictionaries(st.sampled_from(list(RATE_FIELDS)), rates, min_size=1),
    st.sampled_from(list(UNITS.values())),
)
def test_what_is_written_reads_the_same(label, hardware, by_field, unit):
    written = notation.write(label, hardware, by_field, unit)
    assert notation.parse(written, unit) == notation.Notation(label, hardware, by_field)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    found = outcome(notation.parse, text, OUT, error=ValueError)
    assert str(found).strip() if isinstance(found, ValueError) else found.rates
