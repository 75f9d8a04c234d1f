"""SkyPilot catalogs in their dialects: every trap that their files hold, by value."""

from __future__ import annotations

from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import InvalidInputError
from pricing.sources.document import Document
from pricing.sources.importing import import_document

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"


GCP_HEAD = (
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
)


def info(name, count, mib):
    return f"\"{{'Gpus': [{{'Name': '{name}', 'Count': {count}, 'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}\""


def read(text, provider="aws", name="vms.csv", folders=()):
    data = text.encode() if isinstance(text, str) else text
    document = Document(name, folders, Document.of_bytes(name, data).open)
    return import_document(document, catalogue(), date(2026, 12, 1), provider)


def offers(found):
    return {
        (r["instance_type"], r["region"], r["purchase"]): (
            r["accelerator"],
            r["accelerator_count"],
            r["price_usd_per_hour"],
        )
        for r in found.rows
    }


def left(found):
    return {item.reason: item.count for item in found.left_out}


def test_on_demand_and_spot_the_zones_of_a_region_put_together():
    row = "p5.48xlarge,H100,8.0,192.0,2048.0,{gpu},55.04,{spot},us-east-1,use1-az{zone}\n"
    gpu = info("H100", 8, 81920)
    found = read(HEAD + "".join(row.format(gpu=gpu, spot=s, zone=z) for z, s in enumerate((20.5, 30.25, 10.0, 40.0))))
    assert offers(found) == {
        ("p5.48xlarge", "us-east-1", "on_demand"): ("H100-SXM", 8, 55.04),
        # The lower median of 10, 20.5, 30.25, 40.
        ("p5.48xlarge", "us-east-1", "spot"): ("H100-SXM", 8, 20.5),
    }
    spot = next(r for r in found.rows if r["purchase"] == "spot")
    assert spot["notes"] == "lower median of 4 zones, 10 to 40"
    assert (spot["vcpus"], spot["memory_gib"]) == (192.0, 2048.0)


def test_prices_that_are_not_there():
    found = read(
        HEAD
        + f"trn2.48xlarge,Trainium2,16.0,192,2048,{info('Trainium2', 16, 524288)},,23.0631,us-east-2,use2-az3\n"
        + f"trn2.48xlarge,Trainium2,16.0,192,2048,{info('Trainium2', 16, 524288)},,,us-east-2,use2-az1\n"
        + f"trn1.32xlarge,Trainium,16,128,512,{info('Trainium', 16, 32768)},21.5,,us-east-1,use1-az1\n"
        + f"g4dn.xlarge,T4,1,4,16,{info('T4', 1, 16384)},0.0,-1,us-east-1,use1-az1\n"
    )
    assert offers(found) == {
        ("trn2.48xlarge", "us-east-2", "spot"): ("Trainium2", 16, 23.0631),
        ("trn1.32xlarge", "us-east-1", "on_demand"): ("Trainium1", 16, 21.5),
    }
    assert left(found) == {"no_price": 2, "zero_price": 1}


def test_slices_count_chips_and_placeholders_are_no_prices():
    found = read(
        GCP_HEAD
        + ",,,tpu-v5p-12288,1,tpu-v5p-12288,us-east5,us-east5-a,25804.8,10321.92\n"
        + ",,,tpu-v6e-8,1,tpu-v6e-8,us-central1,us-central1-a,21.6,700.0\n"
        + ",,,tpu-v6e-1,1,tpu-v6e-1,asia-east1,asia-east1-c,700.0,700.0\n",
        "gcp",
    )
    assert offers(found) == {
        # The name counts TensorCores, two a chip: 6,144 chips × 4.20.
        ("tpu-v5p-12288", "us-east5", "on_demand"): ("TPU-v5p", 6144, 25804.8),
        ("tpu-v5p-12288", "us-east5", "spot"): ("TPU-v5p", 6144, 10321.92),
        ("tpu-v6e-8", "us-central1", "on_demand"): ("TPU-v6e", 8, 21.6),
    }
    assert left(found) == {"placeholder_price": 3}


def test_hosts_and_accelerators_are_joined():
    found = read(
        GCP_HEAD
        + "a2-highgpu-2g,24.0,170.0,,,,us-central1,us-central1-a,1.47895,0.7395\n"
        + "a3-megagpu-8g,208,1872,,,,us-central1,us-central1-a,9.46006,\n"
        + "a4-highgpu-8g,224,3968,,,,us-central1,us-central1-a,0.0,0.0\n"
        + "n2-standard-4,4,16,,,,us-central1,us-central1-a,0.194236,0.05\n"
        + ",,,A100,1,A100,us-central1,us-central1-a,2.9339,1.5\n"
        + ",,,A100,2,A100,us-central1,us-central1-a,5.8678,3.0\n"
        + ",,,P100,1,P100,us-central1,us-central1-a,1.46,0.43\n",
        "gcp",
    )
    assert offers(found) == {
        ("a2-highgpu-2g", "us-central1", "on_demand"): ("A100-40GB", 2, pytest.approx(1.47895 + 2 * 2.9339)),
        ("a2-highgpu-2g", "us-central1", "spot"): ("A100-40GB", 2, pytest.approx(0.7395 + 2 * 1.5)),
        ("n2-standard-4", "us-central1", "on_demand"): ("", 0, 0.194236),
        ("n2-standard-4", "us-central1", "spot"): ("", 0, 0.05),
    }
    assert "composed" in next(r["notes"] for r in found.rows if r["accelerator"])
    assert left(found) == {"host_only": 1, "zero_price": 1, "accelerator_only": 1}


@pytest.mark.parametrize(
    ("name", "memory", "chip"),
    [("A100", 40960, "A100-40GB"), ("A100-80GB", 81920, "A100-80GB"), ("A100-80GB", 80, "A100-80GB"),
     ("H100", 81920, "H100-SXM"),
     ("RTX-PRO-6000", 98304, "RTX-PRO-6000"), ("RTXPRO6000", 98304, "RTX-PRO-6000"), ("MI300X", 196608, "MI300X")],
)  # fmt: skip
def test_names_of_chips(name, memory, chip):
    found = read(HEAD + f"new-type,{name},8,1,1,{info(name, 8, memory)},10,,r,z\n", "someone")
    assert [r["accelerator"] for r in found.rows] == [chip]


def test_other_dialects():
    crlf = (
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice,Arch\r\n"
        'gpu-h200_8gpu,H200,8,128,1600,28.00,eu-north1,"{""MemoryInfo"": {""SizeInMiB"": 144384}}",11.60,x86\r\n'
        "cpu-4,,0,4,16,0.0992,eu-north1,,,x86\r\n"
    )
    assert offers(read(b"\xef\xbb\xbf" + crlf.encode(), "nebius")) == {
        ("gpu-h200_8gpu", "eu-north1", "on_demand"): ("H200", 8, 28.0),
        ("gpu-h200_8gpu", "eu-north1", "spot"): ("H200", 8, 11.6),
        ("cpu-4", "eu-north1", "on_demand"): ("", 0, 0.0992),
    }


def test_shares_and_unknown_chips_are_left_out():
    found = read(
        HEAD + "Standard_NV6ads_A10_v5,A10,0.167,6,55,,0.454,,eastus,\nx,ZX81,1,1,1,,1,,r,\nx,A100,1\n,,,1,1,,1,,r,\n",
        "azure",
    )
    assert found.rows == ()
    assert left(found) == {"fractional": 1, "unknown_accelerator": 1, "unreadable": 2}


def test_whose_prices_it_holds():
    text = HEAD + "x,L4,1,1,1,,1,,r,\n"
    assert read(text, None, folders=("lambda", "v8")).rows[0]["provider"] == "lambda"
    assert read(text, "Me").rows[0]["provider"] == "me"
    with pytest.raises(InvalidInputError, match="add --provider"):
        read(text, None, name="catalog.csv", folders=("downloads",))
