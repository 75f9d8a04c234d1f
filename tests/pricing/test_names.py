"""Names of accelerators: canonical ones, those that other tools use, and those that nothing knows."""

import pytest

from pricing.accelerators import UnknownNameError, catalogue, folded
from pricing.errors import near_matches, shown


@pytest.mark.parametrize(
    ("name", "accelerator"),
    [
        ("H100-SXM", "H100-SXM"),
        ("h100-sxm", "H100-SXM"),
        ("h100_sxm", "H100-SXM"),
        (" H100 SXM ", "H100-SXM"),
        ("NVIDIA H100 80GB HBM3", "H100-SXM"),
        ("H100-PCIe", "H100-PCIe"),
        ("A100-80GB", "A100-80GB"),
        ("A100-80G", "A100-80GB"),
        ("A100-80GB-SXM", "A100-80GB"),
        ("NVIDIA A100-SXM4-80GB", "A100-80GB"),
        ("trn2", "Trainium2"),
        ("trn1", "Trainium1"),
        ("inf2", "Inferentia2"),
        ("AMD Instinct MI300X", "MI300X"),
        ("RTXPRO6000", "RTX-PRO-6000"),
        ("RTX-PRO-6000", "RTX-PRO-6000"),
        ("v5litepod", "TPU-v5e"),
        ("Apple M2", "Apple-M2"),
    ],
)
def test_one_canonical_name(name, accelerator):
    found = catalogue().resolve(name)
    assert (found.accelerator, found.count, found.assumed) == (accelerator, None, None)


@pytest.mark.parametrize(
    ("name", "accelerator", "count"),
    [
        # v5p counts TensorCores, two a chip; v5e and v6e count chips.
        ("tpu-v5p-8", "TPU-v5p", 4),
        ("tpu-v5p-12288", "TPU-v5p", 6144),
        ("v5p-8", "TPU-v5p", 4),
        ("tpu-v6e-8", "TPU-v6e", 8),
        ("v6e-256", "TPU-v6e", 256),
        ("v5litepod-16", "TPU-v5e", 16),
        ("8xH100-SXM", "H100-SXM", 8),
        ("4 x MI300X", "MI300X", 4),
        ("2×L4", "L4", 2),
        ("DGX H100", "H100-SXM", 8),
    ],
)
def test_names_that_carry_a_count(name, accelerator, count):
    found = catalogue().resolve(name)
    assert (found.accelerator, found.count, found.assumed) == (accelerator, count, None)


def test_a_name_that_picks_one_of_several_says_so():
    found = catalogue().resolve("H100")
    assert (found.accelerator, found.assumed) == ("H100-SXM", "H100")
    counted = catalogue().resolve("8xH100")
    assert (counted.accelerator, counted.count, counted.assumed) == ("H100-SXM", 8, "H100")


@pytest.mark.parametrize("name", ["A100", "8xA100", "NVIDIA A100"])
def test_a_name_with_two_memories_asks_which(name):
    with pytest.raises(UnknownNameError, match="could be A100-40GB or A100-80GB; say which"):
        catalogue().resolve(name)


@pytest.mark.parametrize(
    ("name", "near"),
    [("H10O", "H100"), ("Trainum2", "Trainium2"), ("MI30X", "MI300X"), ("H100-SMX", "H100-SXM"), ("L4OS", "L40S")],
)
def test_an_unknown_name_gets_near_matches(name, near):
    with pytest.raises(UnknownNameError, match=r"is not an accelerator that PerDollar knows\. Did you mean") as caught:
        catalogue().resolve(name)
    assert near in str(caught.value)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "<script>",
        "=HYPERLINK(1)",
        "'",
        "😀",
        "\u202e",
        "\x00",
        "H100\x00-SXM\x00X",
        "x" * 10_000,
        "0",
        "-",
        "💡H",
    ],
)
def test_hostile_names_are_refused(name):
    with pytest.raises(UnknownNameError) as caught:
        catalogue().resolve(name)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 250


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tpu-v5p-7", "counts TensorCores, 2 a chip, so it must be a multiple of 2"),
        ("tpu-v6e-0", "the count must be at least 1"),
        ("0xH100-SXM", "the count must be at least 1"),
    ],
)
def test_counts_that_can_not_be(name, words):
    with pytest.raises(UnknownNameError) as caught:
        catalogue().resolve(name)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "members"),
    [
        ("H100", {"H100-SXM", "H100-PCIe", "H100-NVL"}),
        ("h100", {"H100-SXM", "H100-PCIe", "H100-NVL"}),
        ("H100-SXM", {"H100-SXM"}),
        ("A100", {"A100-40GB", "A100-80GB", "A100-PCIe-80GB"}),
        ("H200", {"H200", "H200-NVL"}),
        ("trn2", {"Trainium2"}),
        ("tpu-v5p-8", {"TPU-v5p"}),
    ],
)
def test_a_filter_s_name_means_all_variants(value, members):
    assert catalogue().family_of(value) == members


def test_a_filter_s_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean Trainium2"):
        catalogue().family_of("Trainum2")


def test_who_sells_at_quoted_prices_only():
    assert [p.provider for p in catalogue().quote_only("Trainium3")] == ["aws"]
    assert [p.provider for p in catalogue().quote_only("H100-SXM")] == ["firmus"]
    assert catalogue().quote_only("L4") == []


def test_every_alias_means_a_known_accelerator():
    facts = catalogue()
    for row in facts.aliases.values():
        assert set(row["accelerator"].split("|")) <= set(facts.accelerators)
        if row["rule"] != "ask":
            assert facts.resolve(row["alias"]).accelerator == row["accelerator"]


def test_folding_ignores_case_and_signs():
    assert folded("NVIDIA H100 80GB-HBM3") == folded("nvidia_h100_80gb_hbm3") == "nvidiah10080gbhbm3"


def test_near_matches_are_a_sentence_or_nothing():
    known = ["spot", "on_demand", "reserved"]
    assert near_matches("sopt", known) == " Did you mean spot?"
    assert near_matches("demand", known) == " Did you mean on_demand?"
    assert near_matches("zzzz", known) == ""
    assert near_matches("RESERVE", ["reserved", "reserves"]) in (
        " Did you mean reserved or reserves?",
        " Did you mean reserves or reserved?",
    )


def test_shown_values_are_quoted_visible_and_cut():
    assert shown("a\x00b\u202e") == r"'a\x00b\u202e'"
    assert shown("x" * 500) == "'" + "x" * 59 + "…'"
