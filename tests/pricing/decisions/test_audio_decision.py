"""What an hour of audio costs: from RTFx, RTF or streams, with short clips and usable hours."""

import pytest

from pricing.decisions import decision_named
from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

# One L4 for 1.006 USD/h on demand and 0.5 as spot, and eight of them.
L4 = {"accelerator": "L4", "accelerator_count": 1}
PRICES = table(
    offer(1.006, instance_type="one", region="r1", purchase="on_demand", **L4),
    offer(0.5, instance_type="one", region="r1", purchase="spot", **L4),
    offer(12, instance_type="eight", region="r1", purchase="on_demand", accelerator="L4", accelerator_count=8),
)
LIST = {"purchase": "on_demand"}


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def ask(**values):
    return asked("audio", PRICES, **values)


def codes(solved):
    return [warned.code for warned in solved.warnings]


def test_known_answer_from_rtfx():
    # 1.006 / 50 = 0.02012 USD per audio-hour.
    solved = ask(m="L4:1=50", **LIST)
    assert solved.result.values["cost_usd"] == near(0.02012)
    assert solved.result.values["rtf"] == near(0.02)
    assert solved.case.question.unit.id == "audio_hour"


@pytest.mark.parametrize("given", [{"m": "L4:1=50"}, {"rtf": "L4:1=0.02"}, {"streams": "L4:1=50"}])
def test_three_ways_to_say_the_same(given):
    found = ask(**given, **LIST).result.values
    assert (found["cost_usd"], found["rtfx"]) == (near(0.02012), near(50))


def test_rtf_and_rtfx_of_the_issue():
    # RTF 0.038 is RTFx 26.3157…: 1.006 · 0.038.
    found = ask(rtf="L4:1=0.038", **LIST).result.values
    assert found["rtfx"] == near(1 / 0.038)
    assert found["cost_usd"] == near(0.038228)


def test_a_probable_mix_up_is_said_and_nothing_is_converted():
    as_rtf, as_rtfx = ask(rtf="L4:1=26.3", **LIST), ask(m="L4:1=0.038", **LIST)
    assert as_rtf.result.values["rtfx"] == near(1 / 26.3)
    assert as_rtfx.result.values["rtfx"] == near(0.038)
    assert "rtf_or_rtfx" in codes(as_rtf)
    assert "rtf_or_rtfx" in codes(as_rtfx)
    assert "rtf_or_rtfx" not in codes(ask(rtf="L4:1=0.038", **LIST))
    assert "rtf_or_rtfx" not in codes(ask(m="L4:1=26.3", **LIST))


def test_billed_and_usable_hours():
    # 7 s in steps of 15 s: 15/7; 0.02012 · 7/15 per billed hour; 0.02012 / 0.95 per usable hour.
    found = ask(m="L4:1=50", clip_seconds=7, increment_seconds=15, acceptance="95%", **LIST).result.values
    assert found["billed_factor"] == near(15 / 7)
    assert found["cost_per_billed_hour_usd"] == near(0.02012 * 7 / 15)
    assert found["cost_per_usable_hour_usd"] == near(0.02012 / 0.95)


@pytest.mark.parametrize(
    ("billing", "factor"),
    [
        ({"clip_seconds": 61, "increment_seconds": 60}, 120 / 61),
        ({"clip_seconds": "0.3", "increment_seconds": "0.1"}, 1),
        ({"clip_seconds": 3, "minimum_seconds": 10}, 10 / 3),
        ({"clip_seconds": 7, "increment_seconds": 15, "channels": 2}, 30 / 7),
        ({"clip_seconds": 7}, 1),
        ({}, None),
    ],
)
def test_billed_over_actual(billing, factor):
    found = ask(m="L4:1=50", **billing, **LIST).result.values["billed_factor"]
    assert found == (None if factor is None else near(factor))


def test_each_offer_has_its_costs():
    solved = ask(m="L4:1=50", clip_seconds=7, increment_seconds=15, acceptance="50%")
    found = {(row["offer"], row["purchase"]): row for row in rows(solved, "estimates")}
    # Eight replicas: RTFx 400 at 12 USD.
    eight = found["acme/eight", "on_demand"]
    assert (eight["rtfx"], eight["cost_usd"]) == (near(400), near(0.03))
    assert eight["cost_per_usable_hour_usd"] == near(0.06)
    assert eight["cost_per_billed_hour_usd"] == near(0.03 * 7 / 15)
    assert eight["audio_hours_per_usd"] == near(1 / 0.03)
    assert [row["rank"] for row in rows(solved, "estimates")] == [1, 2, 3]
    assert rows(solved, "estimates")[0]["purchase"] == "spot"


def test_utilization_counts():
    assert ask(m="L4:1=50", utilization="50%", **LIST).result.values["cost_usd"] == near(0.04024)


def test_spread_and_runs_of_an_rtf():
    # RTF 0.02 ± 5 %: about RTFx 50 ± 5 %; costs at 52.5 and 47.5.
    (row, *_) = rows(ask(rtf="L4:1=0.02~5%", **LIST), "estimates")
    assert (row["cost_low_usd"], row["cost_high_usd"]) == (near(1.006 / 52.5), near(1.006 / 47.5))
    # Runs are inverted one by one: the mean of 50 and 40.
    assert ask(rtf="L4:1=0.02/0.025", **LIST).result.values["rtfx"] == near(45)


def test_rtfx_rtf_and_streams_stand_side_by_side():
    solved = ask(m="batch@L4:1=60", rtf="slow@L4:1=0.05", streams="live@L4:1=40", stream_latency="p95 0.8 s", **LIST)
    measured = {row["measurement"]: row["rtfx"] for row in rows(solved, "estimates") if row["offer"] == "acme/one"}
    assert measured == {"batch": near(60), "slow": near(20), "live": near(40)}


def test_the_link_asks_the_same_again():
    solved = ask(rtf="L4:1=0.02", clip_seconds=7, increment_seconds=15, acceptance="95%", **LIST)
    again = asked("audio", PRICES, **dict(solved.pairs))
    assert again.result == solved.result


def test_json_gives_the_same_as_the_link():
    body = {"rtf": ["L4:1=0.02"], "clip_seconds": 7, "increment_seconds": 15, "filters": {"purchase": ["on_demand"]}}
    linked = ask(rtf="L4:1=0.02", clip_seconds=7, increment_seconds=15, **LIST)
    assert asked_in_json("audio", PRICES, body).result == linked.result


def test_quotes_count_for_all_three_ways():
    quoted = {"quote": "mine/box@L4:1=0.1", "provider": "mine"}
    for given in ({"m": "L4:1=50"}, {"rtf": "L4:1=0.02"}, {"streams": "L4:1=50"}):
        assert ask(**given, **quoted).result.values["cost_usd"] == near(0.002)


def test_hardware_that_nobody_sells():
    solved = ask(rtf="H100-SXM:8=0.001")
    assert solved.result.sentences == ("No offer that passes the filters carries this hardware.",)
    assert solved.result.values["cost_usd"] is None


@pytest.mark.parametrize(
    ("values", "field", "part"),
    [
        ({}, "m", "a measurement is missing"),
        ({"rtf": "L4:1=0"}, "rtf.0", "above 0"),
        ({"rtf": "L4:1=-1"}, "rtf.0", "above 0"),
        ({"rtf": "0.038"}, "rtf.0", "has no '='"),
        ({"streams": "L4:1=nan"}, "streams.0", "is not a number"),
        ({"streams": "L4:1=1e12"}, "streams.0", "the number of concurrent streams of 1e+12 can't be"),
        ({"rtf": "L4:1=out:5"}, "rtf.0", "write [LABEL@]HARDWARE=NUMBER"),
        ({"rtf": "L99:1=0.038"}, "rtf", "L99"),
        ({"m": "L4:1=50", "unit": "output_token"}, "unit", "audio is counted in audio_hour"),
        ({"m": "L4:1=50", "acceptance": "0"}, "acceptance", "write a share above 0"),
        ({"m": "L4:1=50", "acceptance": "95"}, "acceptance", "at most 1"),
        ({"m": "L4:1=50", "increment_seconds": "15"}, "clip_seconds", "the length of a clip is missing"),
        ({"m": "L4:1=50", "clip_seconds": "0"}, "clip_seconds", "greater than 0"),
        ({"m": "L4:1=50", "clip_seconds": "1e9"}, "clip_seconds", "a clip's length of 1e+09 can't be"),
        ({"m": "L4:1=50", "clip_seconds": "7", "channels": "0"}, "channels", "0 channels can't be"),
        ({"m": "L4:1=50", "clip_seconds": "7", "increment_seconds": "1e9"}, "increment_seconds", "can't be"),
        ({"m": "L4:1=50", "clip_seconds": "7", "minimum_seconds": "1e9"}, "minimum_seconds", "can't be"),
    ],
)
def test_wrong_input_has_a_message_at_its_field(values, field, part):
    found = faults("audio", PRICES, **values)
    assert any(where == field and part in said for where, said in found), found


def test_the_example_is_one_measurement_as_rtfx():
    example = dict(decision_named("audio").example)
    assert example["m"] == "L4:1=120"
    assert not {"rtf", "streams", "clip_seconds", "increment_seconds", "acceptance"} & set(example)
