"""The shipped data files: complete, consistent with each other, and right at some known points."""

import csv
from collections import Counter, defaultdict
from datetime import date
from decimal import Decimal

import orjson
import pytest

from pricing.accelerators import DATA, UnknownNameError, catalogue, folded
from pricing.compare import compare
from pricing.market import PriceTable
from pricing.offers import OFFER_COLUMNS
from pricing.reading import Reader
from pricing.sources.own_schema import read_file

TODAY = date(2026, 12, 1)
FILES = sorted((DATA / "offers").glob("*.csv"))
AREAS = {"north_america", "south_america", "europe", "asia", "middle_east", "africa", "oceania"}


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


OFFERS = [row for path in FILES for row in rows(f"offers/{path.name}")]


@pytest.fixture(scope="module")
def table():
    return PriceTable.joined([read_file(path, catalogue(), None) for path in FILES])


def price(provider, instance_type, region, purchase="on_demand"):
    """Return the newest price of an offer without term, as written; None if there is none."""
    key = (provider, instance_type, region, purchase, "")
    found = [
        row
        for row in OFFERS
        if (row["provider"], row["instance_type"], row["region"], row["purchase"], row["term_months"]) == key
    ]
    return max(found, key=lambda row: row["observed_on"])["price_usd_per_hour"] if found else None


def test_no_observation_is_lost(table):
    assert len(OFFERS) == table.source_rows == 767
    assert sum(Decimal(row["price_usd_per_hour"]) for row in OFFERS) == Decimal("48462.149936")
    assert Counter(row["purchase"] for row in OFFERS) == {
        "on_demand": 462, "spot": 149, "reserved": 114, "savings_plan": 24, "capacity_block": 18,
    }  # fmt: skip


def test_the_table_needs_no_assumption(table):
    assert table.assumptions == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_provider_per_file_in_order(path):
    found = rows(f"offers/{path.name}")

    def place(row):
        return (
            row["instance_type"], int(row["accelerator_count"]), row["region"], row["purchase"],
            int(row["term_months"] or -1), row["plan"], row["observed_on"],
        )  # fmt: skip

    assert {row["provider"] for row in found} == {path.stem}
    assert tuple(found[0]) == OFFER_COLUMNS
    assert found == sorted(found, key=place)


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.csv")), ids=lambda path: path.name)
def test_files_are_plain_text(path):
    data = path.read_bytes()
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_every_name_in_the_offers_is_known():
    known = catalogue()
    assert {row["accelerator"] for row in OFFERS} <= set(known.accelerators)
    assert {row["provider"] for row in OFFERS} <= set(known.providers)
    assert {(row["provider"], row["region"]) for row in OFFERS} <= set(known.regions)


def test_every_row_names_source_and_date():
    for row in OFFERS:
        assert row["source"], row
        assert "2024-12-01" <= row["observed_on"] <= "2026-12-01", row
        assert row["price_usd_per_hour"].replace(".", "").isdigit(), row


def test_estimated_dates_are_103_and_say_so():
    assert sum("date estimated" in row["notes"] for row in OFFERS) == 103


def test_figures_agree_with_the_data_sheet():
    # Apple's memory is the machine's, so the sheet has none.
    for row in OFFERS:
        chip = catalogue().accelerators[row["accelerator"]]
        assert row["accelerator_vendor"] == chip.vendor
        if chip.memory_gib is not None:
            assert float(row["accelerator_memory_gib"]) == chip.memory_gib, row


def test_names_are_unambiguous():
    canonical = [folded(row["accelerator"]) for row in rows("accelerators.csv")]
    aliases = [folded(row["alias"]) for row in rows("aliases.csv")]
    repeated = {name: n for name, n in Counter(canonical + aliases).items() if n > 1}
    assert repeated == {}


def test_aliases_lead_to_known_accelerators():
    for row in rows("aliases.csv"):
        targets = row["accelerator"].split("|")
        assert set(targets) <= set(catalogue().accelerators), row
        assert row["rule"] in ("same", "assumed", "ask"), row
        assert (len(targets) > 1) == (row["rule"] == "ask"), row
        assert row["source"], row
        assert row["count"] == "" or int(row["count"]) > 0, row


def test_slice_prefixes_belong_to_one_chip():
    owners = defaultdict(set)
    for chip in catalogue().accelerators.values():
        assert bool(chip.slice_prefixes) == bool(chip.slice_units_per_chip)
        for prefix in chip.slice_prefixes:
            owners[folded(prefix)].add(chip.accelerator)
    assert {name: chips for name, chips in owners.items() if len(chips) > 1} == {}


def test_accelerators_have_vendor_device_and_source():
    devices = {
        "nvidia": {"cuda"},
        "amd": {"cuda"},
        "apple": {"mps"},
        "google": {"xla"},
        "aws": {"xla", "neuron"},
        "intel": {"hpu", "xpu"},
    }
    for chip in catalogue().accelerators.values():
        assert chip.torch_device in devices[chip.vendor], chip
        assert chip.source, chip
        assert chip.family in catalogue().accelerators or chip.family in ("A100", "H100"), chip


def test_quote_only_does_not_contradict_the_offers():
    offered = {(row["provider"], row["accelerator"]) for row in OFFERS if row["evidence"] != "third_party"}
    for provider in catalogue().providers.values():
        assert provider.kind in ("hyperscaler", "neocloud", "marketplace", "serverless", "own"), provider
        assert provider.prices in ("public", "partly", "quote_only"), provider
        assert provider.pricing_page == "" or provider.pricing_page.startswith("https://"), provider
        date.fromisoformat(provider.checked_on)
        for name in provider.quote_only_accelerators:
            assert name in catalogue().accelerators, (provider, name)
            assert (provider.provider, name) not in offered


def test_providers_without_a_price_say_so():
    sellers = {row["provider"] for row in OFFERS}
    for provider in catalogue().providers.values():
        if provider.provider not in sellers:
            assert "enter" in provider.note or "quote" in provider.note, provider


def test_regions_have_a_country_and_an_area_or_none():
    area_of = {}
    for region in catalogue().regions.values():
        assert region.provider in catalogue().providers, region
        assert region.area in AREAS | {""}, region
        if region.country:
            assert len(region.country) == 2
            assert region.country.isupper()
            assert area_of.setdefault(region.country, region.area) == region.area, region
        if region.region == "global":
            assert (region.country, region.area) == ("", "")


@pytest.mark.parametrize(
    ("provider", "instance_type", "region", "expected"),
    [
        ("aws", "trn1.32xlarge", "us-east-1", "21.5"),
        ("aws", "trn1.2xlarge", "us-east-1", "1.34375"),
        ("aws", "mac2.metal", "us-east-1", "0.65"),
        ("aws", "mac2-m2.metal", "us-east-1", "0.878"),
        ("aws", "mac2-m2pro.metal", "us-east-1", "1.56"),
        ("aws", "mac2-m1ultra.metal", "us-east-1", "5"),
        ("azure", "Standard_ND96isr_H100_v5", "eastus", "98.32"),
        ("azure", "Standard_ND96isr_MI300X_v5", "eastus2", "48"),
        ("oci", "BM.GPU.MI300X.8", "global", "48"),
        ("oci", "BM.GPU.MI355X.8", "global", "68.8"),
        ("coreweave", "GB200 NVL72 slice", "north-america", "42"),
        ("gcp", "tpu-v5p-12288", "us-east5", "25804.8"),
        ("aws", "trn2.48xlarge", "us-east-2", None),
    ],
)
def test_known_prices(provider, instance_type, region, expected):
    assert price(provider, instance_type, region) == expected


def test_trainium2_is_sold_as_spot_and_capacity_block_only():
    sold = {row["purchase"] for row in OFFERS if row["accelerator"] == "Trainium2"}
    assert sold == {"spot", "capacity_block"}


def test_tpu_slice_name_counts_tensorcores():
    found = catalogue().resolve("tpu-v5p-12288")
    assert (found.accelerator, found.count) == ("TPU-v5p", 6144)
    assert Decimal(price("gcp", "tpu-v5p (1 chip)", "us-east5")) * 6144 == Decimal("25804.8")


def test_runpod_price_per_gpu_becomes_that_of_eight(table):
    columns = table.market(TODAY).columns
    types = columns.words["instance_type"].texts(range(len(columns)))
    (found,) = [i for i, name in enumerate(types) if name == "H100 SXM (secure)" and columns.count[i] == 8]
    assert columns.price[found] == pytest.approx(31.92, rel=1e-12)


def test_vultr_plans_without_a_region_are_not_deployable(table):
    market = table.market(TODAY)
    words = market.columns.words
    away = words["provider"].mask(["vultr"]) & words["accelerator"].mask(["MI300X", "MI325X"])
    assert away.sum() == 4
    assert market.not_available[away].all()


@pytest.mark.parametrize(
    ("name", "accelerator", "count", "assumed"),
    [
        ("H100", "H100-SXM", None, True),
        ("h100_sxm", "H100-SXM", None, False),
        ("NVIDIA H100 80GB HBM3", "H100-SXM", None, False),
        ("A100-80GB-SXM", "A100-80GB", None, False),
        ("trn2", "Trainium2", None, False),
        ("tpu-v6e-8", "TPU-v6e", 8, False),
        ("tpu-v5p-8", "TPU-v5p", 4, False),
        ("v5litepod-16", "TPU-v5e", 16, False),
        ("tpu7x-128", "TPU-v7", 64, False),
        ("8xH100", "H100-SXM", 8, True),
        ("GB200 NVL72", "GB200", 72, False),
        ("AMD Instinct MI300X", "MI300X", None, False),
        ("Apple M2", "Apple-M2", None, False),
        ("RTXPRO6000", "RTX-PRO-6000", None, False),
    ],
)
def test_names_of_other_tools(name, accelerator, count, assumed):
    found = catalogue().resolve(name)
    assert (found.accelerator, found.count, found.assumed is not None) == (accelerator, count, assumed)


def test_a100_alone_has_two_meanings():
    with pytest.raises(UnknownNameError, match="'A100' could be A100-40GB or A100-80GB; say which"):
        catalogue().resolve("A100")
    assert catalogue().family_of("A100") == {"A100-40GB", "A100-80GB", "A100-PCIe-80GB"}
    assert catalogue().family_of("H100") == {"H100-SXM", "H100-PCIe", "H100-NVL"}


@pytest.mark.parametrize("name", ["example.json", "example_audio.json"])
def test_the_examples_are_published_and_answered(table, name):
    body = orjson.loads((DATA / name).read_bytes())
    assert all(m["evidence"] == "published" and "@" in m["source"] for m in body["measurements"])
    question = Reader(table, catalogue(), TODAY).from_json(body)
    assert question.warnings == ()
    answer = compare(question, catalogue())
    assert answer.total > 20
    assert {warning.code for warning in answer.warnings} <= {"quote_only"}
