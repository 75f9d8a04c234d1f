"""Machines that the user owns: what an hour costs, from purchase, power and upkeep, with its parts."""

from __future__ import annotations

from pricing import estimate, notation
from pricing.errors import near_matches, shown
from pricing.numbers import read_number
from pricing.wording import say

FORM = (
    "write NAME@ACCELERATOR:COUNT=capex:USD,years:N,kw:N,pue:N,kwh:USD,yearly:USD, for example "
    "rack@H100-SXM:8=capex:280000,years:4,kw:10.2,pue:1.3,kwh:0.12,yearly:20000"
)
REQUIRED = ("capex", "years")
KEYS = {"capex": 0.0, "years": 0.0, "kw": 0.0, "pue": 1.0, "kwh": 0.0, "yearly": 0.0}


def parse_owned(text: str) -> dict[str, object]:
    """Read an owned machine into an offer of provider `own`; ValueError says what would be right.

    capex in USD, years of use, kw drawn by the machine, pue of the building, kwh in USD, yearly in
    USD for hosting and staff. The notes name the parts of the price.
    """
    left, equals, figures = text.strip().rpartition("=")
    name, at, hardware = left.partition("@")
    if not equals or not at or not name.strip():
        raise ValueError(say("{text} is not an owned machine; {form}", text=shown(text), form=FORM))
    accelerator, count = notation.split_count(hardware.strip())
    if not count:
        raise ValueError(say("{text} has no count after the accelerator; {form}", text=shown(text), form=FORM))
    values = dict(KEYS)
    given = set()
    for part in figures.split(","):
        key, colon, number = part.strip().partition(":")
        if not colon or key not in KEYS:
            raise ValueError(
                say("{part} in {text} is not key:number.", part=shown(part), text=shown(text))
                + near_matches(key, KEYS)
                + f" {FORM}"
            )
        if key in given:
            raise ValueError(say("{key} is given twice in {text}", key=key, text=shown(text)))
        given.add(key)
        values[key] = read_number(number)
        if values[key] < 0:
            raise ValueError(say("{key} must not be negative, not {number}", key=key, number=shown(number)))
    for key in REQUIRED:
        if values[key] <= 0:
            raise ValueError(say("{key} must be given and above 0 in {text}", key=key, text=shown(text)))
    if ("kw" in given) != ("kwh" in given):
        missing = "kwh" if "kw" in given else "kw"
        raise ValueError(
            say(
                "power costs kw × pue × kwh, and {missing} is missing in {text}; {form}",
                missing=missing,
                text=shown(text),
                form=FORM,
            )
        )
    if values["pue"] < 1:
        raise ValueError(
            say("pue is total power over the machine's power, so at least 1, not {pue:g}", pue=values["pue"])
        )
    parts = estimate.owned_cost_per_hour(**values)
    notes = ", ".join(f"{part} {value:.6g}" for part, value in parts.items())
    return {
        "provider": "own", "instance_type": name.strip(), "accelerator": accelerator, "accelerator_count": count,
        "purchase": "owned", "price_usd_per_hour": repr(sum(parts.values())), "evidence": "quote",
        "source": "your figures",
        "notes": say("USD per hour: {notes}", notes=notes),
    }  # fmt: skip
