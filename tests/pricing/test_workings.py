"""The workings of an estimate: each step by value, from the price to the cost."""

import pytest

from pricing.units import UNITS
from pricing.workings import workings
from tests.pricing.small import ask, offer, rows_of, table

PRICES = table(offer(36, accelerator_count=20, source="their page"))


def steps(m, unit="output_token", **values):
    answer = ask(PRICES, m, unit=unit, **values)
    (row,) = rows_of(answer)
    return {step.name: step for step in workings(row, answer.question.measurements[0], UNITS[unit])}


def test_every_step_by_hand():
    found = steps("H100-SXM:8=100~10", utilization="0.5", more=[("m1.success_rate", "0.9")])
    assert found["Price"].result == 36
    assert found["Price"].note == "list price of 2026-11-30, 1 days old; source: their page"
    # ⌊20 / 8⌋ = 2, 4 left over; 2 · 100 · 0.9 = 180.
    assert (found["Replicas"].figures, found["Replicas"].result) == ("⌊20 accelerators ÷ 8 measured⌋", 2)
    assert found["Replicas"].note == "4 left over, paid for and idle"
    assert (found["Rate that counts"].figures, found["Rate that counts"].result) == (
        "2 × 100 × 0.9",
        pytest.approx(180),
    )
    assert found["Utilization"].result == 0.5
    # 36 / (3600 · 180 · 0.5) · 1e6 = 111.11…
    assert found["Cost"].figures == "36 ÷ (3,600 × 180 × 0.5) × 1,000,000"
    assert found["Cost"].result == pytest.approx(36 / (3600 * 180 * 0.5) * 1e6)
    assert found["Cost, lower bound"].result == pytest.approx(found["Cost"].result / 1.1)
    assert found["Ratio to the baseline"].result == 1


@pytest.mark.parametrize(("m", "unit", "quoted"), [("H100-SXM:20=rtfx:50", "audio_hour", " × 3,600")])
def test_audio_is_quoted_by_the_hour(m, unit, quoted):
    found = steps(m, unit)
    # 36 / 50 = 0.72 USD per audio-hour.
    assert found["Cost"].figures.endswith(quoted)
    assert found["Cost"].result == pytest.approx(0.72)


def test_the_figures_of_the_cost_give_the_cost():
    found = steps("H100-SXM:8=123.456", utilization="0.37")["Cost"]
    text = found.figures.replace("÷", "/").replace("×", "*").replace(",", "")
    left, _, right = text.partition("/")
    divisor, _, quoted = right.strip().removeprefix("(").partition(")")
    product = 1.0
    for factor in divisor.split("*"):
        product *= float(factor)
    assert float(left) / product * float(quoted.replace("*", "")) == pytest.approx(found.result, rel=1e-9)
