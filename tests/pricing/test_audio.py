"""Speech: RTF and RTFx, what short clips are billed, usable hours."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing import audio, estimate
from pricing.units import UNITS

properties = settings(deadline=None)
lengths = st.floats(0.01, 1e5)
increments = st.floats(0.01, 600)


def near(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def test_rtf_and_rtfx_are_told_apart():
    # 0.038 s of work per second of audio: 1 / 0.038 = 26.3157… seconds of audio per second of work.
    assert audio.rtfx_of_rtf(0.038) == near(26.315789473684212)
    assert round(audio.rtfx_of_rtf(0.038), 1) == 26.3
    assert audio.rtf_of_rtfx(50) == near(0.02)
    assert audio.rtfx_of_streams(200) == 200


@properties
@given(st.floats(1e-6, 1e6))
def test_each_is_the_inverse_of_the_other(value):
    assert audio.rtfx_of_rtf(audio.rtf_of_rtfx(value)) == near(value)


@pytest.mark.parametrize("function", [audio.rtfx_of_rtf, audio.rtf_of_rtfx, audio.rtfx_of_streams])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, -math.inf, 1e300])
def test_speeds_that_cannot_be(function, value):
    with pytest.raises(ValueError, match=r"can't be; write .*, such as"):
        function(value)


def test_a_probable_mix_up_is_said_and_nothing_is_converted():
    assert "write rtfx=26.3" in audio.rtf_doubt(26.3)
    assert "write rtf=0.038" in audio.rtfx_doubt(0.038)
    assert audio.rtf_doubt(1) is None
    assert audio.rtfx_doubt(1) is None
    assert audio.rtf_doubt(0.038) is None
    assert audio.rtfx_doubt(26.3) is None


def test_price_of_an_audio_hour():
    # 1.006 USD/h at RTFx 50: 50 audio-hours in the hour.
    assert estimate.cost_per_quoted_unit(1.006, 50.0, 1.0, UNITS["audio_hour"]) == near(0.02012)


@pytest.mark.parametrize(
    ("length", "increment", "minimum", "channels", "factor"),
    [
        (7, 15, None, 1, Fraction(15, 7)),
        (61, 60, None, 1, Fraction(120, 61)),
        (60, 60, None, 1, Fraction(1)),
        (15.000001, 15, None, 1, Fraction("30") / Fraction("15.000001")),
        (3, None, 10, 1, Fraction(10, 3)),
        (12, None, 10, 1, Fraction(1)),
        (7.2, 1, 15, 1, Fraction("15") / Fraction("7.2")),
        (16.2, 1, 15, 1, Fraction("17") / Fraction("16.2")),
        (30, None, None, 2, Fraction(2)),
        (7, 15, None, 2, Fraction(30, 7)),
        # Whole numbers of increments, though the quotient of the doubles is not whole.
        (0.3, 0.1, None, 1, Fraction(1)),
        (2.1, 0.3, None, 1, Fraction(1)),
        (0.1 + 0.2, 0.1, None, 1, Fraction(1)),
    ],
)
def test_billed_over_actual(length, increment, minimum, channels, factor):
    assert audio.billed_factor(length, increment, minimum, channels) == near(float(factor))


def test_clips_shorter_than_one_increment_are_billed_one():
    assert audio.billed_seconds(0.001, 15) == 15
    assert audio.billed_seconds(1e-9, 600) == 600


@properties
@given(lengths, increments)
def test_billed_is_the_least_multiple_that_holds_the_clip(length, increment):
    billed = audio.billed_seconds(length, increment)
    assert billed >= length * (1 - 1e-8)
    assert billed - increment < length
    assert billed / increment == near(round(billed / increment))


@properties
@given(lengths, increments, st.floats(0, 600), st.integers(1, 8))
def test_factor_grows_with_every_term(length, increment, minimum, channels):
    factor = audio.billed_factor(length, increment, minimum, channels)
    assert factor >= channels * (1 - 1e-8)
    assert factor == near(channels * audio.billed_factor(length, increment, minimum))
    assert audio.billed_seconds(length, increment, minimum) >= minimum
    assert factor >= audio.billed_factor(length, None, minimum, channels) * (1 - 1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "a clip's length of 0 can't be; write seconds, such as 7"),
        ((-7, 15), "a clip's length of -7 can't be; write seconds, such as 7"),
        ((math.nan, 15), "a clip's length of nan can't be; write seconds, such as 7"),
        ((7, 0), "a billing increment of 0 can't be; write seconds, such as 15, or leave it out"),
        ((7, -15), "a billing increment of -15 can't be; write seconds, such as 15, or leave it out"),
        ((7, math.inf), "a billing increment of inf can't be; write seconds, such as 15, or leave it out"),
        ((7, 15, -1), "a minimum of -1 s can't be; write seconds, such as 10, or leave it out"),
        ((7, 15, math.nan), "a minimum of nan s can't be; write seconds, such as 10, or leave it out"),
        ((7, 15, 0, 0), "0 channels can't be; write a whole number from 1 to 64, 2 for stereo"),
        ((7, 15, 0, 1.5), "1.5 channels can't be; write a whole number from 1 to 64, 2 for stereo"),
        ((7, 15, 0, math.inf), "inf channels can't be; write a whole number from 1 to 64, 2 for stereo"),
        ((7, 15, 0, True), "1 channels can't be; write a whole number from 1 to 64, 2 for stereo"),
    ],
)
def test_billing_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=r".") as error:
        audio.billed_factor(*arguments)
    assert str(error.value) == message


def test_what_a_billed_and_a_usable_hour_cost():
    # Clips of 7 s billed as 15 s: 0.02012 per actual hour is 0.02012 · 7/15 per billed hour.
    assert audio.cost_per_billed_hour(0.02012, 15 / 7) == near(0.009389333333333333)
    # 95 of 100 hours are accepted: 0.02012 / 0.95.
    assert audio.cost_per_usable_hour(0.02012, 0.95) == near(0.02117894736842105)
    assert audio.cost_per_usable_hour(0.02012, 1) == 0.02012


@pytest.mark.parametrize("share", [0, -0.1, 1.01, 95, math.nan, math.inf])
def test_acceptance_that_cannot_be(share):
    with pytest.raises(ValueError, match=r"acceptance share of .* can't be; write a share above 0, at most 1"):
        audio.cost_per_usable_hour(1.0, share)
