"""The guard against comparing what can't be compared."""

import pytest

from pricing.accelerators import catalogue
from pricing.columns import COLUMNS
from pricing.comparability import differences, groups
from pricing.compare import headlines, parts
from pricing.errors import InvalidInputError
from tests.pricing.small import ask, codes, mapped, offer, question, rows_of, table

PRICES = table(
    offer(10), offer(20, instance_type="trn", accelerator="Trainium2", accelerator_count=16),
    offer(1, instance_type="small", accelerator="L4", accelerator_count=1),
)  # fmt: skip
THREE = ["a@H100-SXM:8=5000", "b@Trainium2:16=6000", "c@L4:1=100"]


def asked(m=THREE, **values):
    of_one = [name for name in values if name[:2] in ("m1", "m2", "m3")]
    details = {name.replace("_", ".", 1): values[name] for name in of_one}
    rest = {name: value for name, value in values.items() if name not in of_one}
    return ask(PRICES, m, more=list(details.items()), **rest)


def found(answer):
    return {d.part: (d.blocking, d.accepted, {s.value: s.measurements for s in d.values}) for d in answer.comparability}


def test_nothing_stated_differs_in_nothing():
    answer = asked()
    assert answer.comparability == ()
    assert not answer.blocked
    assert {row["comparable_group"] for row in rows_of(answer)} == {1}


@pytest.mark.parametrize(
    ("part", "one", "two", "code"),
    [
        ("model", "Llama-3.1-8B", "Llama-3.1-70B", "models_differ"),
        ("precision", "FP8", "BF16", "precisions_differ"),
        ("input_tokens", "1024", "128", "input_lengths_differ"),
        ("output_tokens", "1024", "128", "output_lengths_differ"),
    ],
)
def test_what_makes_a_ranking_meaningless_blocks(part, one, two, code):
    answer = asked(**{f"m1_{part}": one, f"m2_{part}": two})
    assert answer.blocked
    assert code in codes(answer)
    blocking, accepted, values = found(answer)[part]
    assert (blocking, accepted) == (True, False)
    assert len(values) == 3
    # The third says nothing of it: it may be compared with the first.
    assert answer.groups == {0: 1, 1: 2, 2: 1}
    assert {row["measurement"]: row["comparable_group"] for row in rows_of(answer)} == {"a": 1, "b": 2, "c": 1}
    assert {row["measurement"]: row["differs_in"] for row in rows_of(answer)} == {"a": None, "b": part, "c": None}


@pytest.mark.parametrize("part", ["stack", "measured_on", "latency", "source"])
def test_other_differences_are_listed_and_do_not_block(part):
    answer = asked(**{f"m1_{part}": "one", f"m2_{part}": "two"})
    assert not answer.blocked
    assert found(answer)[part] == (False, False, {"one": ("a",), "two": ("b",), None: ("c",)})


@pytest.mark.parametrize(
    ("accept", "groups_left"), [("model", 2), ("model,precision", 1), ("all", 1), ("precision", 2), ("lengths", 2)]
)
def test_what_is_accepted_does_not_block(accept, groups_left):
    answer = asked(m1_model="x", m2_model="y", m1_precision="FP8", m2_precision="FP4", accept=accept)
    assert len(set(answer.groups.values())) == groups_left
    assert ("models_differ" in codes(answer)) == ("model" not in accept and accept != "all")


def test_case_and_blanks_make_no_difference():
    assert asked(m1_model="Llama-3.1  8B", m2_model="llama-3.1 8b").comparability[0].blocking is False


def test_mean_lengths_may_scatter_by_two_percent():
    assert not asked(m1_input_tokens="1000", m2_input_tokens="1019").blocked
    assert asked(m1_input_tokens="1000", m2_input_tokens="1021").blocked


def test_parts_are_ranked_by_themselves_with_their_own_baseline():
    answer = asked(m1_model="x", m2_model="y", m3_model="x")
    first, second = parts(answer, catalogue())
    assert [row["measurement"] for row in rows_of(first)] == ["a", "c"]
    assert [(row["measurement"], row["rank"], row["ratio_to_baseline"]) for row in rows_of(second)] == [("b", 1, 1.0)]


def test_a_group_agrees_within_itself_and_every_measurement_is_in_one():
    measurements = question(
        PRICES, [f"{i}@L4:1=5" for i in range(6)],
        more=[(f"m{i + 1}.model", name) for i, name in enumerate("xyxzyx")],
    ).measurements  # fmt: skip
    assert groups(measurements) == (1, 2, 1, 3, 2, 1)
    assert [d.part for d in differences(measurements)] == ["model"]


def test_an_unknown_difference_to_accept_has_near_matches():
    with pytest.raises(InvalidInputError, match="Did you mean precision"):
        asked(accept="precison")


def test_no_winner_inside_the_error():
    close = ["a@H100-SXM:8=5000~10%", "b@Trainium2:16=9800~10%"]
    # 10 / 5000 against 20 / 9800: 2 % apart, with errors of 5 % each.
    (headline,) = headlines(asked(close))
    assert [row["measurement"] for row in mapped(COLUMNS, headline.rivals)] == ["b"]
    (clear,) = headlines(asked(["a@H100-SXM:8=5000~1%", "b@Trainium2:16=5000~1%"]))
    assert clear.rivals is None
    (alone,) = headlines(asked(["a@H100-SXM:8=5000"]))
    assert alone.rivals is None
