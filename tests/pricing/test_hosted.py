"""Hosted APIs: what they charge, and from which volume an own machine is cheaper."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from genai_prices import Usage
from genai_prices.data import providers
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing import hosted
from pricing.errors import PriceFileError
from pricing.hosted import SpeechPrice, Tiered, TokenPrice
from pricing.units import UNITS

TODAY = date(2026, 12, 1)
properties = settings(deadline=None, max_examples=50)
amounts = st.floats(0.01, 1e6)
HEADER = (
    "provider,model,mode,usd_per_audio_hour,observed_on,billing_increment_seconds,minimum_seconds,channels,source,"
    "pricing_page,billing_source\n"
)


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def token_price(into=3.0, out=15.0, cached=0.3, **more):
    values = {
        "usd_per_request": 0.0, "cache_writes": False, "by_time_of_day": False, "deprecated": False,
        "observed_on": TODAY, "source": "s",
    } | more  # fmt: skip
    cached = None if cached is None else Tiered(cached)
    return TokenPrice("acme", "big", Tiered(into), Tiered(out), cached, **values)


def speech(price=0.36, increment=None, minimum=None, channels=None):
    return SpeechPrice("acme", "ear", None, price, TODAY, increment, minimum, channels, "s")


def test_tokens_by_value():
    # 1,000 in at 3, 200 out at 15 USD per 1M: 0.003 + 0.003.
    assert hosted.usd_for_tokens(token_price(), 1000, 200) == near(0.006)
    # Half of the input from the cache: 500 · 3 + 500 · 0.3 = 1650 and 200 · 15 = 3000, per 1M.
    assert hosted.usd_for_tokens(token_price(), 1000, 200, 0.5) == near(0.00465)
    # Without a price for cached input it costs as other input.
    assert hosted.usd_for_tokens(token_price(cached=None), 1000, 200, 0.5) == near(0.006)


def test_a_tier_holds_for_all_tokens_of_a_request():
    price = Tiered(1.25, ((200_000, 2.5), (1_000_000, 5.0)))
    assert [price.at(n) for n in (None, 0, 200_000, 200_001, 1_000_000, 1_000_001)] == [1.25, 1.25, 1.25, 2.5, 2.5, 5]


def test_fee_per_request():
    # 12 USD per 1,000 requests; 5,000 tokens/s of requests with 1,000 each are 5 requests/s.
    price = token_price(usd_per_request=0.012)
    assert hosted.usd_for_tokens(price, 5000, 0, 0, 1000) == near(5000 * 3 / 1e6 + 5 * 0.012)
    assert hosted.usd_for_tokens(price, 5000, 0) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0), "-1 input tokens can't be; write a number from 0 up"),
        ((math.nan, 0), "nan input tokens can't be; write a number from 0 up"),
        ((0, math.inf), "inf output tokens can't be; write a number from 0 up"),
        ((1, 1, 1.5), "a cached share of 1.5 can't be; write a share from 0 to 1, such as 50%"),
        ((1, 1, math.nan), "a cached share of nan can't be; write a share from 0 to 1, such as 50%"),
    ],
)
def test_traffic_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=r".") as error:
        hosted.usd_for_tokens(token_price(), *arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(("inputs", "outputs", "cached"), [(1000, 200, 0), (300_000, 4000, 100_000), (10, 1, 10)])
def test_our_sums_are_those_of_the_package(inputs, outputs, cached):
    """The package's own calculation is the oracle, for each model it prices."""
    ours = {each.name: each for each in hosted.token_prices(TODAY)}
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    usage = Usage(input_tokens=inputs, output_tokens=outputs, cache_read_tokens=cached)
    compared = 0
    for provider in providers:
        for model in provider.models:
            price = ours.get(f"{provider.id}/{model.id}")
            if price is None:
                continue
            theirs = model.calc_price(usage, provider, genai_request_timestamp=noon).total_price
            got = hosted.usd_for_tokens(price, inputs, outputs, cached / inputs, inputs)
            assert got == pytest.approx(float(theirs), rel=1e-9), price.name
            compared += 1
    assert compared == len(ours) > 1500


def test_prices_from_the_package_have_source_and_date():
    prices = hosted.token_prices(TODAY)
    (gpt,) = [each for each in prices if each.name == "openai/gpt-4o"]
    assert (gpt.input.base, gpt.output.base, gpt.cached.base) == (2.5, 10, 1.25)
    assert gpt.source.startswith("genai-prices ")
    assert all(each.input.base > 0 and each.output.base > 0 for each in prices)
    assert [each.name for each in prices] == sorted({each.name for each in prices})


def test_the_date_of_the_installed_release_is_known():
    assert hosted.token_prices(TODAY)[0].observed_on == date(2026, 11, 10)


def test_prices_of_a_day():
    """Each price is the one that held on the day."""
    model = next(m for p in providers if p.id == "openai" for m in p.models if m.id == "o3")
    assert isinstance(model.prices, list)
    first = model.prices[0].prices.input_mtok
    assert isinstance(first, Decimal)
    (then,) = [each for each in hosted.token_prices(date(2025, 5, 1)) if each.name == "openai/o3"]
    (now,) = [each for each in hosted.token_prices(TODAY) if each.name == "openai/o3"]
    assert then.input.base == float(first) > now.input.base


def test_work_of_a_machine_in_an_hour():
    # 21,000 in and 5,200 out tokens/s at 50 %: (21,000 · 3 + 5,200 · 15) / 1e6 = 0.141 USD/s · 1,800 s.
    per_second = hosted.usd_for_tokens(token_price(), 21_000, 5200)
    assert hosted.usd_for_machine_hour(per_second, 0.5) == near(253.8)
    assert hosted.units_per_hour(5200, 0.5, UNITS["output_token"]) == near(9_360_000)
    # RTFx 50 at full load: 50 audio-hours in an hour.
    assert hosted.units_per_hour(50, 1, UNITS["audio_hour"]) == near(50)


def test_break_even_by_value():
    # 1 USD/h, 0.04 USD per audio-hour at the API, 50 audio-hours an hour: 730 / 0.04 = 18,250 of at most 36,500.
    assert hosted.break_even_units(1, 0.04, 50) == near(18_250)
    assert hosted.break_even_units(1, 0.04, 50, 3) == near(54_750)
    # A full machine costs exactly what the API charges: at 730 · 25 audio-hours, not before.
    assert hosted.break_even_units(1, 0.04, 25) == near(18_250)
    assert hosted.break_even_units(1, 0.04, 24.9) is None
    assert hosted.break_even_units(1, 0, 50) is None


def test_from_which_volume_for_good():
    # x = 1 / (0.04 · 50) = 0.5: the second machine is needed above 36,500 and pays from 36,500 on: no gap.
    assert hosted.lasting_machines(1, 0.04, 50) == 1
    # x = 0.79: two pay from 1.58 of one's work, three from 2.37, four from 3.16 (three full ones make 3), five from
    # 3.95, before four are full.
    assert hosted.lasting_machines(0.79, 1, 1) == 4
    assert hosted.lasting_machines(1, 1, 1) is None
    assert hosted.lasting_machines(1.1, 1, 1) is None
    assert hosted.lasting_machines(1e-9, 1, 1) == 1


@properties
@given(amounts, st.floats(1e-6, 1e3), st.floats(1e-3, 1e9), st.integers(1, 50))
def test_at_break_even_both_cost_the_same(price, usd_per_unit, per_hour, machines):
    units = hosted.break_even_units(price, usd_per_unit, per_hour, machines)
    full = usd_per_unit * per_hour
    assert (units is None) == (price > full)
    if units is not None:
        assert units * usd_per_unit == near(hosted.month_of_machines(price, machines))
        assert units <= machines * per_hour * 730 * (1 + 1e-12)


@properties
@given(st.floats(0.05, 0.95), st.floats(1.0001, 40))
def test_beyond_the_lasting_volume_self_hosting_is_never_dearer(share, times):
    """API: 1 USD per unit; a machine makes 1 unit an hour and costs `share` of it."""
    machines = hosted.lasting_machines(share, 1, 1)
    volume = hosted.break_even_units(share, 1, 1, machines) * times
    own = hosted.month_of_machines(share, hosted.machines_for(volume, 1))
    assert own <= volume * (1 + 1e-9)


@properties
@given(st.floats(0.55, 0.95))
def test_just_below_the_lasting_volume_the_api_is_cheaper(share):
    machines = hosted.lasting_machines(share, 1, 1)
    volume = hosted.break_even_units(share, 1, 1, machines) * (1 - 1e-6)
    assert hosted.month_of_machines(share, machines) > volume


def test_whole_machines():
    assert hosted.machines_for(1, 50) == 1
    assert hosted.machines_for(36_500, 50) == 1
    assert hosted.machines_for(36_501, 50) == 2
    # 0.1 · 730 · 3 is 219.00000000000003 in binary: three full machines.
    assert hosted.machines_for(0.1 * 730 * 3, 0.1) == 3
    assert hosted.month_of_machines(6.88, 8) == near(40_179.2)
    with pytest.raises(ValueError, match="a volume of 0 a month can't be; write a number above 0"):
        hosted.machines_for(0, 50)
    with pytest.raises(ValueError, match="a volume of nan a month can't be"):
        hosted.machines_for(math.nan, 50)


@pytest.mark.parametrize(
    ("rates", "into", "out", "expected"),
    [
        ({"input_tokens_per_second": 21_000, "output_tokens_per_second": 5200}, None, None, (21_000, 5200)),
        ({"output_tokens_per_second": 5200}, 1000, 250, (20_800, 5200)),
        ({"output_tokens_per_second": 5200}, 0, 250, (0, 5200)),
        ({"input_tokens_per_second": 8000}, 1000, 250, (8000, 2000)),
        ({"total_tokens_per_second": 10_000}, 1000, 250, (8000, 2000)),
        ({"requests_per_second": 8}, 1000, 250, (8000, 2000)),
        ({"output_tokens_per_second": 5200}, None, None, None),
        ({"output_tokens_per_second": 5200}, 1000, 0, None),
        ({"output_tokens_per_second": 5200}, 1000, None, None),
        ({"total_tokens_per_second": 5200}, 0, 0, None),
        ({"audio_seconds_per_second": 50}, 1000, 250, None),
    ],
)
def test_both_token_rates_from_what_is_known(rates, into, out, expected):
    found = hosted.token_rates(rates, into, out)
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-12))


def test_speech_is_billed_by_the_sellers_rules():
    # 7 s in steps of 15 s: 0.36 · 15/7; at least 10 s: · 10/7; each of two channels: · 2.
    assert speech(increment=15).usd_per_actual_hour(7) == near(0.36 * 15 / 7)
    assert speech(minimum=10).usd_per_actual_hour(7) == near(0.36 * 10 / 7)
    assert speech(channels="each").usd_per_actual_hour(7, 2) == near(0.72)
    assert speech(channels="once").usd_per_actual_hour(7, 2) == near(0.36)
    # What the seller does not state counts as no rule; without a length only channels count.
    assert speech().usd_per_actual_hour(7, 2) == near(0.36)
    assert speech(increment=15, channels="each").usd_per_actual_hour(None, 2) == near(0.72)


def test_shipped_speech_prices():
    prices = hosted.speech_prices(TODAY)
    assert len(prices) == 43
    by_name = {(each.name, each.mode): each for each in prices}
    aws = by_name["aws/transcribe", "streaming"]
    assert (aws.usd_per_audio_hour, aws.billing_increment_seconds, aws.minimum_seconds) == (0.6001, 1, 15)
    groq = by_name["groq/whisper-large-v3-turbo", None]
    assert (groq.usd_per_audio_hour, groq.minimum_seconds, groq.billing_increment_seconds) == (0.04, 10, None)
    assert by_name["gladia/solaria-1", None].channels == "each"
    assert by_name["openai/whisper-1", None].minimum_seconds is None
    assert all("voice-prices 0.11.0" in each.source for each in prices)
    assert hosted.speech_prices(date(2026, 8, 31)) == ()


def test_the_newest_price_seen_by_a_day_counts(tmp_path):
    path = tmp_path / "speech_api_prices.csv"
    path.write_text(
        HEADER + "a,m,,0.5,2026-05-01,,,,s,,\na,m,,0.4,2026-09-01,,,,s,,\na,m,batch,0.3,2026-09-01,,,,s,,\n"
    )
    assert [each.usd_per_audio_hour for each in hosted.speech_prices(date(2026, 8, 1), path)] == [0.5]
    assert [each.usd_per_audio_hour for each in hosted.speech_prices(TODAY, path)] == [0.4, 0.3]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,m,,0,2026-09-01,,,,s,,", "line 2: provider, model and a price above 0 are needed"),
        ("a,,,0.5,2026-09-01,,,,s,,", "line 2: provider, model and a price above 0 are needed"),
        ("a,m,,x,2026-09-01,,,,s,,", "line 2: 'x' is not a number"),
        ("a,m,,0.5,2026-09,,,,s,,", "line 2: '2026-09' is not a date; write YYYY-MM-DD"),
        ("a,m,,0.5,2026-09-01,-1,,,s,,", "line 2: a billing increment of -1 can't be"),
        ("a,m,,0.5,2026-09-01,,,two,s,,", "line 2: channels 'two' should be each, once or blank"),
        ("a,m,,0.5,2026-09-01", "line 2: the row has fewer cells than the header"),
    ],
)
def test_a_wrong_row_names_its_line(tmp_path, row, message):
    path = tmp_path / "speech_api_prices.csv"
    path.write_text(HEADER + row + "\n")
    with pytest.raises(PriceFileError, match=message):
        hosted.speech_prices(TODAY, path)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(PriceFileError, match="is no list of speech prices"):
        hosted.speech_prices(TODAY, tmp_path / "none.csv")


def test_models_by_name():
    prices = hosted.speech_prices(TODAY)
    assert [each.name for each in hosted.named(prices, "Groq/whisper-large-v3")] == ["groq/whisper-large-v3"]
    assert [each.name for each in hosted.named(prices, "whisper-1")] == ["openai/whisper-1"]
    assert {each.provider for each in hosted.named(prices, "deepgram")} == {"deepgram"}
    assert {each.name for each in hosted.named(prices, "whisper")} >= {"openai/whisper-1", "deepgram/whisper-large"}
    with pytest.raises(ValueError, match=r"'deepgrm' is no hosted model that is known; .* Did you mean deepgram"):
        hosted.named(prices, "deepgrm")
    with pytest.raises(ValueError, match="'' is no hosted model"):
        hosted.named(prices, "")
