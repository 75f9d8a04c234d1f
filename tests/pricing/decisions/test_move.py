"""Moving as a decision: bills, machines or measured work, and the range of the months to pay back."""

import pytest

from tests.pricing.decisions.asked import asked, asked_in_json, faults, rows
from tests.pricing.small import offer, table

PRICES = table(
    offer(10),
    offer(8, instance_type="trn", accelerator="Trainium2", accelerator_count=16),
)
BILLS = {"monthly_now_usd": "40000", "monthly_after_usd": "30000"}
WORK = {"unit": "output_token", "units_per_month": "30000M"}


def near(value, rel=1e-12):
    return pytest.approx(value, rel=rel, abs=0)


def solved(**values):
    return asked("move", PRICES, **values).result


def test_bills():
    # 20 days at 900 and a sum of 2,000: 20,000 USD against 10,000 a month.
    result = solved(**BILLS, days="20", day_rate_usd="900", lump_usd="2000")
    assert result.values["one_off_usd"] == 20_000
    assert result.values["payback_months"] == 2
    assert result.verdict == "pays_back"
    (table,) = result.rows.values()
    assert [row[:2] for row in table] == [(12, 100_000), (24, 220_000), (36, 340_000)]


def test_machines_and_warm_up():
    result = solved(a="acme/box", b="acme/trn", machines_now="10", machines_after="8", days="10", day_rate_usd="1000",
                    warm_up_hours="24", warm_up_machines="2")  # fmt: skip
    # 10 · 10 · 730 and 8 · 8 · 730 a month; 24 hours on 2 machines at 8 USD.
    assert (result.values["monthly_now_usd"], result.values["monthly_after_usd"]) == (near(73_000), near(46_720))
    assert result.values["warm_up_usd"] == near(384)
    assert result.values["payback_months"] == near(10_384 / 26_280)


def test_the_stage_of_the_stack_stands_beside_it():
    result = solved(a="acme/box", b="acme/trn", machines_now="10", machines_after="8", lump_usd="1")
    assert result.values["stage"].startswith("public beta")
    assert "stage_of_stack" in [warned.code for warned in result.warnings]
    assert "public beta" in result.sentences[-1]
    # What nobody states is not known.
    back = solved(a="acme/trn", b="acme/box", machines_now="10", machines_after="2", lump_usd="1")
    assert back.values["stage"] is None


def test_work_at_measured_costs():
    # 10 / (3600 · 5000) · 10⁶ = 0.5556 USD per 1M, 8 / (3600 · 8000) · 10⁶ = 0.2778; 30,000 times that.
    result = solved(**WORK, m=["H100-SXM:8=5000", "Trainium2:16=8000"], lump_usd="25000")
    assert result.values["monthly_now_usd"] == near(30_000 * 10 / 18)
    assert result.values["monthly_after_usd"] == near(30_000 * 8 / 28.8)
    assert result.values["payback_months"] == near(3)
    # No spread is known, so that no range is.
    assert result.values["monthly_saving_low_usd"] is None
    assert result.values["payback_shortest_months"] is None
    assert result.verdict == "pays_back"


def test_the_range_of_the_measurements_gives_a_range_of_months():
    result = solved(**WORK, m=["H100-SXM:8=5000~100", "Trainium2:16=8000~200"], lump_usd="25000")
    found = result.values
    assert found["monthly_saving_low_usd"] < found["monthly_saving_usd"] < found["monthly_saving_high_usd"]
    assert found["payback_shortest_months"] < found["payback_months"] < found["payback_longest_months"]
    assert result.verdict == "pays_back"


def test_a_range_that_includes_nothing_saved_may_never_pay_back():
    # 5000 and 4100 at 10 and 8 USD: costs of 0.556 and 0.542, and both ± 10 %.
    result = solved(**WORK, m=["H100-SXM:8=5000~500", "Trainium2:16=4100~410"], lump_usd="1000")
    assert result.verdict == "may_pay_back"
    assert result.values["payback_longest_months"] is None
    assert any("to never" in sentence for sentence in result.sentences)


def test_dearer_on_the_whole_but_perhaps_cheaper_is_said_in_words():
    # 3900 at 8 USD: 0.570 against 0.556, and both ± 10 %.
    result = solved(**WORK, m=["H100-SXM:8=5000~500", "Trainium2:16=3900~390"], lump_usd="1000")
    assert result.verdict == "may_pay_back"
    assert result.values["payback_months"] is None
    assert not any("never months" in sentence for sentence in result.sentences)
    assert "does not pay back" in result.sentences[0]


@pytest.mark.parametrize("after", ["40000", "50000"])
def test_nothing_saved_never_pays_back(after):
    result = solved(monthly_now_usd="40000", monthly_after_usd=after, lump_usd="1000")
    assert result.verdict == "never"
    assert result.values["payback_months"] is None
    assert result.sentences[0].startswith("It never pays back")


def test_different_models_are_not_compared():
    both = {**WORK, "m": ["H100-SXM:8=5000", "Trainium2:16=8000"], "lump_usd": "1"}
    both |= {"m1.model": "Llama-3.1-8B", "m2.model": "Llama-3.1-70B"}
    assert solved(**both).verdict == "not_comparable"
    assert solved(**both, accept="model").verdict == "pays_back"


def test_scaling_all_amounts_leaves_the_months():
    one = solved(**BILLS, lump_usd="15000")
    other = solved(monthly_now_usd="292000", monthly_after_usd="219000", lump_usd="109500")
    assert other.values["payback_months"] == near(one.values["payback_months"])
    assert other.verdict == one.verdict


def test_in_json_as_in_a_link_and_the_link_again():
    linked = asked("move", PRICES, **BILLS, days="20", day_rate_usd="900", b="acme/trn", warm_up_hours="3")
    body = {"monthly_now_usd": 40000, "monthly_after_usd": 30000, "days": 20, "day_rate_usd": 900, "b": "acme/trn",
            "warm_up_hours": 3}  # fmt: skip
    assert asked_in_json("move", PRICES, body).result == linked.result
    assert asked("move", PRICES, **dict(linked.pairs)).result == linked.result
    assert [row["months"] for row in rows(linked, "net")] == [12, 24, 36]
    assert linked.result.values["warm_up_usd"] == 24
    # The price of what one moves to is named once, as that, and never as what is used now.
    assert [s for s in linked.result.sentences if s.startswith("Now: acme/trn")] == []
    assert len([s for s in linked.result.sentences if s.startswith("After: acme/trn")]) == 1


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({}, "units_per_month", "say in one way what is paid"),
        (BILLS | {"machines_now": "3"}, "monthly_now_usd", "say in one way"),
        ({"monthly_now_usd": "3"}, "monthly_after_usd", "go together"),
        ({"machines_after": "3"}, "machines_now", "go together"),
        ({"monthly_now_usd": "0", "monthly_after_usd": "3"}, "monthly_now_usd", "greater than 0"),
        ({"machines_now": "1.5", "machines_after": "1"}, "machines_now", "1.5 is not a whole number of machines"),
        ({"machines_now": "1", "machines_after": "0"}, "machines_after", "greater than 0"),
        (BILLS | {"warm_up_machines": "0.5"}, "warm_up_machines", "0.5 is not a whole number of machines"),
        (BILLS | {"days": "-3", "day_rate_usd": "900"}, "days", "greater than or equal to 0"),
        (BILLS | {"days": "3"}, "day_rate_usd", "days of work and the cost of a day go together"),
        (BILLS | {"warm_up_hours": "3"}, "b", "the price of the machine moved to is missing"),
        ({"units_per_month": "5", "a": "10", "b": "8"}, "m.0", "measurement 1 is missing"),
        ({"machines_now": "1", "machines_after": "1", "a": "10", "b": "acme/trm"}, "b", "Did you mean acme/trn"),
        (BILLS | {"dayz": "3"}, "dayz", "Did you mean days"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(values, field, message):
    found = faults("move", PRICES, **values)
    assert [(name, msg) for name, msg in found if name == field and message in msg], found
