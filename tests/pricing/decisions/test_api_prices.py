"""Or buy the API: what hosted models charge for a machine's work, and from which volume the machine pays."""

from datetime import date

import pytest

from pricing import hosted
from pricing.decisions import hosted_offers
from pricing.hosted import SpeechPrice, Tiered, TokenPrice
from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

PRICES = table(offer(10, region="r1", purchase="on_demand"), offer(6, region="r1", purchase="spot"))
BOTH = "mine@H100-SXM:8=in:20000,out:5000"
SEEN = date(2026, 11, 10)


def token_price(provider, model, into, out, cached=None, **more):
    values = {
        "usd_per_request": 0.0, "cache_writes": False, "by_time_of_day": False, "deprecated": False,
        "observed_on": SEEN, "source": "s",
    } | more  # fmt: skip
    tiered = (each if isinstance(each, Tiered) or each is None else Tiered(each) for each in (into, out, cached))
    return TokenPrice(provider, model, *tiered, **values)


def speech(model, price, increment=None, minimum=None, channels=None):
    return SpeechPrice("ear", model, None, price, SEEN, increment, minimum, channels, "s")


TOKENS = (
    token_price("acme", "big", 1.0, 4.0, 0.1),
    token_price("acme", "small", 0.01, 0.02),
    token_price("bell", "big-cheap", 0.2, 0.4),
)
SPEECH = (speech("steps", 0.04, increment=15), speech("plain", 0.05), speech("each", 0.03, channels="each"))


@pytest.fixture(autouse=True)
def known_prices(monkeypatch):
    """Prices of round numbers, so that each answer can be worked out by hand."""
    monkeypatch.setattr(hosted, "token_prices", lambda day: TOKENS)
    monkeypatch.setattr(hosted, "speech_prices", lambda day: SPEECH if day >= SEEN else ())


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def ask(**values):
    given = {"unit": "output_token", "m": BOTH, "machine": "10"} | values
    return asked("api-prices", PRICES, **given)


def ask_audio(**values):
    return asked("api-prices", PRICES, **{"unit": "audio_hour", "m": "H100-SXM:8=500", "machine": "10"} | values)


def test_what_the_api_charges_for_an_hour_of_the_machine():
    # Per second 20,000 · 1 + 5,000 · 4 USD per 1M = 0.04; · 3600 = 144 USD against 10.
    found = ask(api="acme/big").result.values
    assert found["api_usd_per_machine_hour"] == near(144)
    assert found["ratio_to_machine"] == near(14.4)
    # 0.04 USD / 5,000 output tokens, their input included: 8 USD per 1M output tokens.
    assert found["api_cost_usd"] == near(8)
    assert found["machine_units_per_hour"] == near(18_000_000)


def test_break_even_volume():
    # 7,300 USD a month / 8e-6 USD = 912.5M output tokens, 10 / 144 of what the machine makes.
    solved = ask(api="acme/big")
    found = solved.result.values
    assert solved.result.verdict == "machine"
    assert found["break_even_units_per_month"] == near(912_500_000)
    assert found["break_even_usd_per_month"] == near(7300)
    assert found["break_even_share_of_machine"] == near(10 / 144)
    assert (found["lasting_machines"], found["lasting_units_per_month"]) == (1, near(912_500_000))
    assert any(s.startswith("One machine pays from ") and s.endswith("(7,300 USD at the API).")
               for s in solved.result.sentences)  # fmt: skip


def test_never():
    # 20,000 · 0.01 + 5,000 · 0.02 = 300 USD per 1M s: 1.08 USD an hour against 10.
    solved = ask(api="acme/small")
    found = solved.result.values
    assert solved.result.verdict == "api"
    assert found["api_usd_per_machine_hour"] == near(1.08)
    assert found["break_even_units_per_month"] is found["lasting_machines"] is None
    assert any(s.startswith("Even a full machine costs more than this API") for s in solved.result.sentences)


def test_the_next_whole_machine_can_make_the_api_cheaper_again():
    # bell/big-cheap: 20,000 · 0.2 + 5,000 · 0.4 = 6,000 USD per 1M s, 21.6 USD an hour, x = 17 / 21.6 = 0.787. Four
    # machines pay from 3.148 full ones on, and are needed above 3: a gap. Five pay from 3.935, below 4: none.
    solved = ask(api="bell", machine="17")
    found = solved.result.values
    assert found["lasting_machines"] == 4
    assert found["lasting_usd_per_month"] == near(49_640)
    assert found["lasting_units_per_month"] == near(4 * found["break_even_units_per_month"])
    assert any("for good from" in s and "on, with 4:" in s for s in solved.result.sentences)


def test_a_full_machine_that_costs_exactly_what_the_api_charges():
    found = ask(m="H100-SXM:8=in:0.5,out:1", api="acme/big", machine="0.0162").result
    # 0.5 · 1 + 1 · 4 = 4.5 USD per 1M s · 3600 = 0.0162 USD.
    assert found.values["break_even_share_of_machine"] == near(1)
    assert found.values["lasting_machines"] is None
    assert any(s.endswith("and only if every machine is full.") for s in found.sentences)


def test_your_volume_takes_whole_machines():
    # The machine makes 18M · 730 = 13,140M a month: 20,000M need two, 14,600 USD; the API 160,000.
    found = ask(api="acme/big", units_per_month="20000M").result.values
    assert found["machines_for_volume"] == 2
    assert found["machines_usd_per_month"] == near(14_600)
    assert found["api_usd_per_month"] == near(160_000)
    # 13,140M a month each: 26,280,000M take 2,000.
    many = ask(api="acme/big", units_per_month="26280000M").result
    assert any(" 2,000 machines cost " in sentence for sentence in many.sentences)


def test_utilization_lowers_the_work_and_not_the_machines_price():
    found = ask(api="acme/big", utilization="50%").result.values
    assert found["api_usd_per_machine_hour"] == near(72)
    assert found["break_even_units_per_month"] == near(912_500_000)
    assert found["break_even_share_of_machine"] == near(10 / 72)


def test_cached_input():
    # Half of 20,000 at 0.1 instead of 1: 11,000 + 20,000 = 0.031 USD/s = 111.6 USD an hour.
    assert ask(api="acme/big", cached_share="50%").result.values["api_usd_per_machine_hour"] == near(111.6)
    (row,) = rows(ask(api="acme/small", cached_share="50%"), "prices")
    assert row["notes"] == "no lower price for cached input"


@pytest.mark.parametrize(
    ("unit", "m"),
    [("output_token", "5000"), ("total_token", "25000"), ("input_token", "20000"), ("request", "5")],
)
def test_one_rate_and_the_tokens_of_a_request_give_the_same(unit, m):
    # 4,000 in and 1,000 out per request: 20,000 and 5,000 tokens/s.
    found = ask(
        unit=unit, m=f"H100-SXM:8={m}", api="acme/big", input_tokens=4000, output_tokens=1000
    ).result.values  # fmt: skip
    assert found["machine_input_tokens_per_second"] == near(20_000)
    assert found["machine_output_tokens_per_second"] == near(5000)
    assert found["api_usd_per_machine_hour"] == near(144)


def test_lengths_of_the_measurement_count_where_none_are_given():
    found = ask(m="H100-SXM:8=5000", api="acme/big", **{"m1.input_tokens": 4000, "m1.output_tokens": 1000})
    assert found.result.values["api_usd_per_machine_hour"] == near(144)


def test_replicas_and_failures_are_counted():
    # Measured on 4 of the 8, so two replicas; 90 % of requests succeed: 1.8 times the rates.
    found = ask(
        m="H100-SXM:4=in:20000,out:5000", machine="acme/box/r1/on_demand", api="acme/big",
        **{"m1.success_rate": 0.9},
    ).result.values  # fmt: skip
    assert found["machine_output_tokens_per_second"] == near(9000)
    assert found["api_usd_per_machine_hour"] == near(259.2)


def test_tiers_and_fees_count_with_the_length_of_a_request(monkeypatch):
    dear = Tiered(1.0, ((200_000, 2.0),))
    monkeypatch.setattr(
        hosted, "token_prices", lambda day: (token_price("a", "b", dear, 4.0, usd_per_request=0.01, deprecated=True),)
    )
    (row,) = rows(ask(api="a/b"), "prices")
    assert row["api_usd_per_machine_hour"] is row["cheaper"] is None
    assert row["notes"] == (
        "has a fee per request; give input_tokens to count it; dearer for long inputs; give input_tokens to count "
        "that; deprecated by the seller"
    )
    # 400,000 per request: 20,000 · 2 + 5,000 · 4 = 0.06 USD/s, and 0.05 requests/s · 0.01 = 0.0005: · 3600 = 217.8.
    (row,) = rows(ask(api="a/b", input_tokens=400_000, output_tokens=100_000), "prices")
    assert row["api_usd_per_machine_hour"] == near(217.8)


def test_where_nothing_can_be_counted_it_says_so(monkeypatch):
    monkeypatch.setattr(hosted, "token_prices", lambda day: (token_price("a", "b", 1.0, 4.0, usd_per_request=0.01),))
    solved = ask(api="a/b")
    assert solved.result.verdict is None
    assert solved.result.values["api"] is None
    assert "None of the hosted prices listed can be counted" in solved.result.sentences[-1]
    assert solved.result.chart is None


def test_listed_cheapest_first_and_the_verdict_over_all():
    solved = ask(api=["acme", "bell/big-cheap"])
    assert [(row["provider"], row["model"], row["cheaper"]) for row in rows(solved, "prices")] == [
        ("acme", "small", "api"), ("bell", "big-cheap", "machine"), ("acme", "big", "machine"),
    ]  # fmt: skip
    assert solved.result.verdict == "depends"
    assert solved.result.values["api"] == "acme/small"
    assert rows(solved, "prices")[0]["observed_on"] == "2026-11-10"


def test_a_part_of_a_name_finds_all_that_have_it():
    assert {row["model"] for row in rows(ask(api="big"), "prices")} == {"big", "big-cheap"}


def test_audio_is_billed_by_each_sellers_rules():
    # Clips of 7 s: 0.04 · 15/7 = 0.0857; two channels where each is billed: 0.06; the third states nothing: 0.05.
    found = {row["model"]: row for row in rows(ask_audio(clip_seconds=7, channels=2), "prices")}
    assert found["steps"]["api_cost_usd"] == near(0.04 * 15 / 7)
    assert found["each"]["api_cost_usd"] == near(0.06)
    assert found["plain"]["api_cost_usd"] == near(0.05)
    assert found["plain"]["notes"] == "rounding up not known, not counted; billing of channels not known, counted once"
    # 500 audio-hours an hour: 25 USD; 7,300 / 0.05 = 146,000 audio-hours a month.
    assert found["plain"]["api_usd_per_machine_hour"] == near(25)
    assert found["plain"]["break_even_units_per_month"] == near(146_000)


def test_audio_without_a_clip_length():
    found = {row["model"]: row for row in rows(ask_audio(), "prices")}
    assert found["steps"]["api_cost_usd"] == near(0.04)
    assert found["steps"]["notes"] == "short clips are rounded up; give clip_seconds to count that"
    assert found["plain"]["notes"] is None


def test_at_break_even_the_chart_crosses():
    solved = ask_audio(api="plain")
    api, machines = solved.result.chart.series
    (_, _), (end, most) = api.points
    assert most / end == near(0.05)
    assert machines.points[0] == (0.0, 7300.0)


def test_json_gives_the_same_as_the_link():
    body = {
        "unit": "output_token", "machine": "10", "api": ["acme/big"], "cached_share": 0.5,
        "measurements": [
            {
                "label": "mine", "accelerator": "H100-SXM", "accelerator_count": 8,
                "rates": {"input_tokens_per_second": 20_000, "output_tokens_per_second": 5000},
            }
        ],
    }  # fmt: skip
    assert asked_in_json("api-prices", PRICES, body).result == ask(api="acme/big", cached_share="50%").result


@pytest.mark.parametrize(
    ("values", "field", "part"),
    [
        ({}, "api", "say which of the 3 hosted models to compare with"),
        ({"api": "acmee/bog"}, "api.0", "'acmee/bog' is no hosted model that is known"),
        ({"api": "acme", "m": "H100-SXM:8=5000"}, "input_tokens", "has out alone, and an API charges input and output"),
        ({"api": "acme", "unit": "trained_token", "m": "H100-SXM:8=trained:5"}, "unit", "sell inference, not training"),
        ({"api": "acme", "channels": 0}, "channels", "0 channels can't be; write a number from 1 to 64"),
        ({"api": "acme", "channels": "1.5"}, "channels", "'1.5' must be a whole number"),
        ({"api": "acme", "cached_share": "150%"}, "cached_share", "1.5 should be at most 1"),
        ({"api": "acme", "units_per_month": 0}, "units_per_month", "greater than 0"),
        ({"api": "acme", "clip_seconds": -7}, "clip_seconds", "greater than 0"),
        ({"api": "acme", "input_tokens": "many"}, "input_tokens", "'many' is not a number"),
        ({"api": "acme", "machine": "-10"}, "machine", "USD per hour are above 0"),
        ({"api": "acme", "m": [BOTH, BOTH]}, "m", "2 measurements are given, and this takes at most 1"),
    ],
)  # fmt: skip
def test_wrong_input_has_a_message_at_its_field(values, field, part):
    given = {"unit": "output_token", "m": BOTH, "machine": "10"} | values
    found = faults("api-prices", PRICES, **given)
    assert any(where == field and part in said for where, said in found), found


def test_a_clip_length_that_cannot_be():
    (fault,) = faults("api-prices", PRICES, unit="audio_hour", m="H100-SXM:8=500", machine="10", clip_seconds="1e9")
    assert fault == ("clip_seconds", "a clip's length of 1e+09 can't be; write seconds, such as 7")


def test_a_day_before_the_first_price():
    (fault,) = faults(
        "api-prices", PRICES, unit="audio_hour", m="H100-SXM:8=500", machine="10", as_of="2026-11-01"
    )  # fmt: skip
    assert fault == ("as_of", "no hosted price was seen by 2026-11-01; choose a later day")


def test_too_many_at_once(monkeypatch):
    monkeypatch.setattr(hosted_offers, "MOST_PRICES", 1)
    (fault,) = faults("api-prices", PRICES, unit="output_token", m=BOTH, machine="10", api="acme")
    assert fault == ("api", "that names 2 hosted models, more than 1; write a longer part of a name")


def test_what_is_not_counted_or_not_measured_is_said():
    def codes(solved):
        return [(warned.code, warned.message) for warned in solved.warnings]

    assert ("not_counted", "input_tokens are not counted for audio.") in codes(ask_audio(input_tokens=5))
    assert ("not_counted", "clip_seconds is not counted for tokens.") in codes(ask(api="acme", clip_seconds=7))
    assumed = codes(ask(api="acme", **{"m1.evidence": "assumed"}))
    assert ("evidence_is_no_measurement", "mine is assumed, not measured: so is what follows from it.") in assumed


def test_prices_without_a_date_are_said(monkeypatch):
    monkeypatch.setattr(hosted, "token_prices", lambda day: (token_price("a", "b", 1.0, 4.0, observed_on=None),))
    solved = ask(api="a/b")
    assert [warned.code for warned in solved.warnings] == ["date_unknown"]
    assert rows(solved, "prices")[0]["observed_on"] is None
    assert any("seen on an unknown day" in sentence for sentence in solved.result.sentences)
