"""gpuhunt catalogs: prices of the whole instance, the provider in the file's name, in a folder or a zip."""

from __future__ import annotations

import io
import zipfile
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import InvalidInputError, PriceFileError
from pricing.sources.document import Document, documents, members
from pricing.sources.importing import import_document

HEAD = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,"
    "provider_data\n"
)
ROWS = (
    "Standard_NC48ads_A100_v4,eastus,7.346,48,440.0,2,A100,80.0,False,,nvidia,,x86,{}\n"
    "Standard_NC48ads_A100_v4,eastus,1.5,48,440.0,2,A100,80.0,True,,nvidia,,x86,{}\n"
    "Standard_D4,eastus,0.192,4,16,0,,,False,,,,x86,{}\n"
)
TODAY = date(2026, 12, 1)


def read(text, name="azure.csv", provider=None):
    return import_document(Document.of_bytes(name, text.encode()), catalogue(), TODAY, provider)


def test_rows_by_value():
    found = read(HEAD + ROWS)
    assert [
        (
            r["provider"],
            r["instance_type"],
            r["accelerator"],
            r["accelerator_count"],
            r["purchase"],
            r["price_usd_per_hour"],
        )
        for r in found.rows
    ] == [
        ("azure", "Standard_D4", "", 0, "on_demand", 0.192),
        ("azure", "Standard_NC48ads_A100_v4", "A100-PCIe-80GB", 2, "on_demand", 7.346),
        ("azure", "Standard_NC48ads_A100_v4", "A100-PCIe-80GB", 2, "spot", 1.5),
    ]


@pytest.mark.parametrize(
    ("gpu", "memory", "chip"),
    [("A100", "40.0", "A100-40GB"), ("A100", "80.0", "A100-80GB"), ("H100", "80", "H100-SXM"), ("v6e", "32", "TPU-v6e"),
     ("v5p", "95", "TPU-v5p"), ("MI300X", "192", "MI300X"), ("L4", "", "L4")],
)  # fmt: skip
def test_name_and_memory_tell_the_chip(gpu, memory, chip):
    found = read(HEAD + f"new,r,10,0,0,8,{gpu},{memory},False,,x,,x86,{{}}\n", "runpod.csv")
    assert [(r["accelerator"], r["vcpus"]) for r in found.rows] == [(chip, None)]


def test_what_is_left_out():
    found = read(
        HEAD + "a,r,0,1,1,1,L4,24,False,,,,,\nb,r,1,1,1,0.5,L4,24,False,,,,,\nc,r,1,1,1,1,ZX81,1,False,,,,,\n"
        "d,r,1,1,1,8,v3,16,True,,,,,\ne,r,x,1,1,1,L4,24,False,,,,,\nf,r\n"
    )
    assert found.rows == ()
    assert {item.reason: item.count for item in found.left_out} == {
        "zero_price": 1, "fractional": 1, "unknown_accelerator": 1, "mixed_units": 1, "unreadable": 2,
    }  # fmt: skip


def test_the_provider_is_asked_for_where_the_name_does_not_tell():
    with pytest.raises(InvalidInputError, match="add --provider"):
        read(HEAD + ROWS, "catalog-3.csv")
    assert read(HEAD + ROWS, "catalog-3.csv", "azure").rows[0]["provider"] == "azure"
    assert read(HEAD + ROWS, "lambdalabs.csv").rows[0]["provider"] == "lambda"


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_a_zip_and_a_folder_are_gone_through(tmp_path):
    data = zipped(**{"v2/azure.csv": HEAD + ROWS, "../../aws.csv": HEAD + ROWS, "readme.txt": "x"})
    (tmp_path / "catalog.zip").write_bytes(data)
    assert [d.name for d in documents([tmp_path / "catalog.zip"])] == ["aws.csv", "azure.csv"]
    assert [d.name for d in documents([tmp_path])] == ["aws.csv", "azure.csv"]
    found = [import_document(d, catalogue(), TODAY) for d in documents([tmp_path])]
    assert [len(f.rows) for f in found] == [3, 3]
    assert list(tmp_path.iterdir()) == [tmp_path / "catalog.zip"]


@pytest.mark.parametrize("data", [b"PK\x03\x04broken", zipped(**{"a.csv": "0" * 10_000_000})])
def test_broken_zips_and_bombs_are_refused(data):
    with pytest.raises(PriceFileError, match=r"catalog\.zip"):
        list(members("catalog.zip", data))


def test_prices_of_a_calendar_are_not_on_demand():
    line = "a3-highgpu-8g,us-east4,{},208,1872,8,H100,80,False,,nvidia,{},x86,{{}}\n"
    found = read(HEAD + line.format(88.5, "") + line.format(43.79, "gcp-dws-calendar-mode"), "gcp.csv")
    assert {r["purchase"]: r["price_usd_per_hour"] for r in found.rows} == {"on_demand": 88.5, "capacity_block": 43.79}
    edge = read(HEAD + line.format(9.5, "").replace("a3-highgpu", "a3-edgegpu"), "gcp.csv")
    assert (edge.rows, [left.reason for left in edge.left_out]) == ((), ["other_product"])
