"""The claim check: what B must reach, whether it does, and where the claim holds."""

import pytest

from pricing.columns import estimate_rows
from pricing.errors import InvalidInputError
from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

# A: 8 × H100-SXM, B: 16 × Trainium2, each on demand and as spot.
PRICES = table(
    offer(10, region="r1", purchase="on_demand"),
    offer(6, region="r1", purchase="spot"),
    offer(8, instance_type="trn", accelerator="Trainium2", accelerator_count=16, region="r1", purchase="on_demand"),
    offer(3, instance_type="trn", accelerator="Trainium2", accelerator_count=16, region="r2", purchase="spot"),
)
A, B = "a@H100-SXM:8=5000", "b@Trainium2:16=6800"


def figures(**values):
    return asked("claim", PRICES, **values).result.values


def test_known_answer_with_prices_alone():
    # 1.7 · 8 / 10 = 1.36; to break even 0.8
    solved = asked("claim", PRICES, ratio="1.7", a="10", b="8")
    assert solved.result.values["factor_needed_for_claim"] == pytest.approx(1.36, rel=1e-15)
    assert solved.result.values["factor_needed_to_break_even"] == pytest.approx(0.8, rel=1e-15)
    assert solved.result.values["claimed_share_cheaper"] == pytest.approx(7 / 17, rel=1e-12)
    assert solved.result.verdict == "no_figures"
    assert solved.result.values.get("actual_ratio") is None


@pytest.mark.parametrize("claim", [{"ratio": "1.7"}, {"more_per_dollar": "70%"}, {"cheaper": repr(7 / 17)}])
def test_three_ways_to_say_the_same(claim):
    assert figures(**claim, a="10", b="8")["factor_needed_for_claim"] == pytest.approx(1.36, rel=1e-12)


def test_throughput_b_must_reach():
    # On demand: 1.7 · 5000 · 8 / 10 = 6800, to break even 4000.
    found = figures(unit="output_token", ratio="1.7", m=A, a="acme/box/r1/on_demand", b="acme/trn/r1/on_demand")
    assert found["rate_needed_for_claim_per_second"] == pytest.approx(6800, rel=1e-12)
    assert found["rate_needed_to_break_even_per_second"] == pytest.approx(4000, rel=1e-12)


def test_a_claim_of_one_needs_exactly_the_rate_that_ties():
    solved = asked("claim", PRICES, ratio="1", m=[A, B], unit="output_token")

    found = solved.result.values
    assert found["rate_needed_for_claim_per_second"] == found["rate_needed_to_break_even_per_second"]
    row = next(r for r in estimate_rows(solved.case.answer.page) if r["measurement"] == "b")
    assert found["rate_needed_to_break_even_per_second"] == pytest.approx(row["rate_to_tie_per_second"], rel=1e-12)


# P_A = 10, P_B = 8: ratio of units per dollar = (6800 / 8) / (5000 / 10) = 850 / 500 = 1.7.
@pytest.mark.parametrize(
    ("ratio", "a", "b", "verdict"),
    [
        ("1.5", "5000~50", "6800~68", "supported"),
        ("1.9", "5000~50", "6800~68", "not_supported"),
        ("1.7", "5000~50", "6800~68", "inconclusive"),
        ("1.5", "5000", "6800~68", "inconclusive"),
    ],
)
def test_verdicts(ratio, a, b, verdict):
    solved = asked(
        "claim", PRICES, unit="output_token", ratio=ratio, m=[f"H100-SXM:8={a}", f"Trainium2:16={b}"],
        purchase="on_demand",
    )  # fmt: skip
    assert solved.result.values["actual_ratio"] == pytest.approx(1.7, rel=1e-12)
    assert solved.result.verdict == verdict


def test_price_at_which_it_would_hold():
    # 1.7 times at 8 USD; for a claim of 2.0 B may cost 8 · 1.7 / 2 = 6.8, to break even 13.6.
    found = figures(unit="output_token", ratio="2", m=[A, B], purchase="on_demand")
    assert found["b_price_for_claim_usd_per_hour"] == pytest.approx(6.8, rel=1e-12)
    assert found["b_price_to_break_even_usd_per_hour"] == pytest.approx(13.6, rel=1e-12)


def test_true_on_spot_and_false_on_list():
    # Spot: (6800 / 3) / (5000 / 6) = 2.72; on demand 1.7.
    solved = asked(
        "claim", PRICES, unit="output_token", ratio="2.2", m=["H100-SXM:8=5000~50", "Trainium2:16=6800~68"],
        a="acme/box",
    )  # fmt: skip
    found = {row["purchase"]: row for row in rows(solved, "options")}
    assert found["spot"]["verdict"] == "supported"
    assert found["spot"]["actual_ratio"] == pytest.approx(2.72, rel=1e-12)
    assert found["on_demand"]["verdict"] == "not_supported"
    assert found["on_demand"]["a_offer"] == "acme/box/r1/on_demand"


def test_a_claimed_measurement_supports_nothing():
    solved = asked(
        "claim", PRICES, unit="output_token", ratio="1.5",
        m=["H100-SXM:8=5000~50", "Trainium2:16=6800~68"], **{"m2.evidence": "claimed"},
    )  # fmt: skip
    assert solved.result.verdict == "no_figures"
    assert "evidence_is_no_measurement" in [w.code for w in solved.warnings]


def test_measurements_of_different_models_settle_nothing():
    both = {"unit": "output_token", "ratio": "1.5", "m": ["H100-SXM:8=5000~50", "Trainium2:16=6800~68"]}
    both |= {"m1.model": "Llama-3.1-8B", "m2.model": "Llama-3.1-70B"}
    solved = asked("claim", PRICES, **both, purchase="on_demand")
    assert solved.result.verdict == "inconclusive"
    assert [w.code for w in solved.warnings if w.blocking] == ["models_differ"]
    assert asked("claim", PRICES, **both, purchase="on_demand", accept="model").result.verdict == "supported"


def test_scaling_all_prices_leaves_the_verdict_and_the_ratio():
    def at(scale):
        prices = table(
            offer(10 * scale), offer(8 * scale, instance_type="trn", accelerator="Trainium2", accelerator_count=16)
        )
        return asked(
            "claim", prices, unit="output_token", ratio="1.5", m=["H100-SXM:8=5000~50", "Trainium2:16=6800~68"]
        ).result

    assert at(1).verdict == at(7.3).verdict == "supported"
    assert at(7.3).values["actual_ratio"] == pytest.approx(at(1).values["actual_ratio"], rel=1e-12)


def test_in_json_as_in_a_link():
    body = {
        "ratio": 1.7, "unit": "output_token",
        "measurements": [
            {"label": "a", "hardware": "H100-SXM:8", "rates": {"output_tokens_per_second": 5000}},
            {"label": "b", "hardware": "Trainium2:16", "rates": {"output_tokens_per_second": 6800}},
        ],
        "filters": {"purchase": ["on_demand"]},
    }  # fmt: skip
    linked = asked("claim", PRICES, ratio="1.7", unit="output_token", m=[A, B], purchase="on_demand")
    assert asked_in_json("claim", PRICES, body).result == linked.result


def test_reading_the_link_again_gives_the_same():
    solved = asked("claim", PRICES, more_per_dollar="70%", unit="output_token", m=[A, B], purchase="on_demand")
    values = {}
    for name, value in solved.pairs:
        values.setdefault(name, []).append(value)
    again = asked("claim", PRICES, **values)
    assert again.pairs == solved.pairs
    assert again.result == solved.result


def test_a_share_of_many_times_is_written_in_percent_and_read_again():
    solved = asked("claim", PRICES, more_per_dollar="7000%", a="1", b="1")
    assert solved.result.values["claimed_ratio"] == 71
    assert dict(solved.pairs)["more_per_dollar"] == "7000%"
    assert asked("claim", PRICES, **dict(solved.pairs)).result == solved.result
    assert asked("claim", PRICES, more_per_dollar="9", a="1", b="1").result.values["claimed_ratio"] == 10
    # In JSON as in a link.
    with pytest.raises(InvalidInputError, match="70 % more is written 70%"):
        asked_in_json("claim", PRICES, {"more_per_dollar": 70, "a": "1", "b": "1"})


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        (
            {"more_per_dollar": "70", "a": "1", "b": "1"},
            "more_per_dollar",
            "70 more is 71 times as much; 70 % more is written 70%",
        ),
        ({}, "ratio", "say what is claimed"),
        ({"ratio": "1.7", "cheaper": "40%"}, "cheaper", "both given"),
        ({"ratio": "0", "a": "1", "b": "1"}, "ratio", "a ratio of 0 can't be"),
        ({"ratio": "-1", "a": "1", "b": "1"}, "ratio", "greater than or equal to 0"),
        ({"ratio": "1.7", "a": "10"}, "b", "a price is missing"),
        ({"ratio": "1.7", "a": "0", "b": "1"}, "a", "is not a price"),
        ({"ratio": "1.7", "a": "ten", "b": "1"}, "a", "is not a number"),
        ({"ratio": "1.7", "a": "acme/bux", "b": "1"}, "a", "Did you mean acme/box"),
        ({"ratio": "nan", "a": "1", "b": "1"}, "ratio", "is not a number"),
        ({"cheaper": "100%", "a": "1", "b": "1"}, "cheaper", "below 1"),
        ({"rato": "1.7", "a": "1", "b": "1"}, "rato", "Did you mean ratio"),
        ({"ratio": "1.7", "a": "1", "b": "1", "provider": "acne"}, "provider.0", "Did you mean acme"),
        ({"ratio": "1.7", "m": A, "unit": "audio_hour"}, "m.0", "no rate of one kind is used for another"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values, field, message):
    if "m" in values:
        values = values | {"m": "a@H100-SXM:8=out:5000", "b": "8"}
    found = faults("claim", PRICES, **values)
    assert [(name, msg) for name, msg in found if name == field and message in msg], found
