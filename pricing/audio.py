"""Speech: how fast audio is processed, what is billed for short clips, and what a usable hour costs.

RTF is processing time per audio time, RTFx its inverse: audio time per processing time. The two are
confused often, so each is a named input, and a value is never converted without being asked.
The cost of an audio-hour, P / (RTFx · u), is `estimate.cost_per_quoted_unit` for audio.
"""

from __future__ import annotations

import math

from pricing.wording import say

# Two lengths that differ by less than this share are the same: 2.1 s is 7 increments of 0.3 s,
# though 2.1 / 0.3 is 7.000000000000001 in binary.
_SAME_LENGTH = 1e-9
# A day of audio per clip is far above any clip; it bounds what a typing mistake can do.
MOST_SECONDS = 1e7


def rtfx_of_rtf(rtf: float) -> float:
    """RTFx of a real-time factor: RTFx = 1 / RTF, so that an RTF of 0.038 is an RTFx of 26.3.

    RTF: seconds of processing per second of audio, > 0. ValueError otherwise. Source: Open ASR
    Leaderboard, which defines RTFx as the inverse real-time factor.
    """
    return 1 / _above_zero(rtf, say("an RTF"), say("seconds of processing per second of audio, such as 0.038"))


def rtf_of_rtfx(rtfx: float) -> float:
    """Real-time factor of an RTFx: RTF = 1 / RTFx. RTFx: seconds of audio per second, > 0; else ValueError."""
    return 1 / _above_zero(rtfx, say("an RTFx"), say("seconds of audio per second of processing, such as 26.3"))


def rtfx_of_streams(streams: float) -> float:
    """RTFx of N concurrent real-time streams: N, since each stream brings one second of audio per second.

    N is what the machine holds at the latency that is wanted, > 0; ValueError otherwise.
    """
    return _above_zero(
        streams, say("the number of concurrent streams"), say("how many run in real time at once, such as 200")
    )


def rtf_doubt(rtf: float) -> str | None:
    """Say why a value that is given as RTF is probably an RTFx; None if it is plausible.

    An RTF above 1 is slower than real time: possible, but no one rents an accelerator for it.
    """
    if rtf <= 1:
        return None
    return say(
        "An RTF of {rtf:g} is slower than real time: {rtf:g} s of work for 1 s of audio. If the "
        "audio is processed {rtf:g} times as fast as it plays, that is an RTFx: write rtfx={rtf:g}. "
        "It is counted as the RTF that it is said to be.",
        rtf=rtf,
    )


def rtfx_doubt(rtfx: float) -> str | None:
    """Say why a value that is given as RTFx is probably an RTF; None if it is plausible."""
    if rtfx >= 1:
        return None
    return say(
        "An RTFx of {rtfx:g} is slower than real time: {rtfx:g} s of audio in 1 s of work. If 1 s of "
        "audio takes {rtfx:g} s of work, that is an RTF: write rtf={rtfx:g}. It is counted as the "
        "RTFx that it is said to be.",
        rtfx=rtfx,
    )


def billed_seconds(length: float, increment: float | None = None, minimum: float | None = None) -> float:
    """Seconds that are billed for a clip: max(minimum, ceil(length / increment) · increment).

    All in seconds. Without an increment the length itself is billed, without a minimum any length.
    A length that is a whole number of increments but for binary rounding counts as that number.
    ValueError for lengths that can't be. The billed seconds of a mean length are not the mean of the
    billed seconds: clips of different lengths are reckoned one by one.
    """
    _above_zero(length, say("a clip's length"), say("seconds, such as 7"))
    billed = length
    if increment is not None:
        _above_zero(increment, say("a billing increment"), say("seconds, such as 15, or leave it out"))
        billed = _whole_increments(length, increment) * increment
    if minimum is not None:
        if not 0 <= minimum <= MOST_SECONDS:
            raise ValueError(
                say("a minimum of {minimum:g} s can't be; write seconds, such as 10, or leave it out", minimum=minimum)
            )
        billed = max(billed, minimum)
    return billed


def billed_factor(
    length: float, increment: float | None = None, minimum: float | None = None, channels: int = 1
) -> float:
    """Billed over actual audio: max(minimum, ceil(length / increment) · increment) · channels / length.

    Lengths in seconds; `channels` are those that are billed each. Clips of 7 s in increments of 15 s
    give 15/7. ValueError for what can't be.
    """
    if isinstance(channels, bool) or not 1 <= channels <= 64 or channels != math.floor(channels):
        raise ValueError(
            say("{channels:g} channels can't be; write a whole number from 1 to 64, 2 for stereo", channels=channels)
        )
    return billed_seconds(length, increment, minimum) * channels / length


def cost_per_billed_hour(cost: float, factor: float) -> float:
    """USD per hour that is billed: cost / factor. What an hour must bring in where you bill as sellers do.

    cost: USD per hour of actual audio; factor: billed over actual audio, > 0.
    """
    return cost / _above_zero(factor, say("a billed factor"), say("billed over actual audio, such as 1.5"))


def cost_per_usable_hour(cost: float, acceptance: float) -> float:
    """USD per hour whose transcript is accepted: cost / acceptance share. Rejected hours are paid for, too.

    cost: USD per hour of actual audio; acceptance: 0 < share <= 1. ValueError otherwise.
    """
    if not 0 < acceptance <= 1:
        raise ValueError(
            say(
                "an acceptance share of {acceptance:g} can't be; write a share above 0, at most 1, such as 95%",
                acceptance=acceptance,
            )
        )
    return cost / acceptance


def _whole_increments(length: float, increment: float) -> int:
    number = length / increment
    if not math.isfinite(number):
        raise ValueError(
            say(
                "an increment of {increment:g} s is too short for a clip of {length:g} s",
                increment=increment,
                length=length,
            )
        )
    nearest = round(number)
    if nearest >= 1 and abs(number - nearest) <= _SAME_LENGTH * nearest:
        return nearest
    return math.ceil(number)


def _above_zero(value: float, name: str, right: str) -> float:
    if not 1e-9 <= value <= MOST_SECONDS:
        raise ValueError(say("{name} of {value:g} can't be; write {right}", name=name, value=value, right=right))
    return value
