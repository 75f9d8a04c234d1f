"""What importers say of files that are broken in ways that generated files brought to light."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest

from pricing.accelerators import catalogue
from pricing.errors import InvalidInputError, PriceFileError
from pricing.sources.document import Document, members
from pricing.sources.importing import import_document
from tests.hostile.nasty import TABLE, zipped
from tests.pricing.sources.test_aws_other_files import plan_file, rate
from tests.pricing.sources.test_vultr import plan
from tests.serving.faults import ROOT

DAY = date(2026, 12, 1)


def imported(name, data):
    return import_document(Document.of_bytes(name, data), catalogue(), DAY)


def refusal(name, data):
    with pytest.raises(InvalidInputError) as refused:
        imported(name, data)
    return [fault.msg for fault in refused.value.faults]


def test_a_table_of_our_own_names_its_file_and_line():
    bad = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour\nacme,b,L4,1,2\n-0.0,b,L4,1,2\n"
    (msg,) = refusal("mine.csv", bad.encode())
    assert msg.startswith("mine.csv line 3, column provider: '-0.0' is not a provider id")


@pytest.mark.parametrize("size", [[64], "64", True, -1, 0, 1e300])
def test_a_size_that_is_none_is_left_blank(size):
    data = json.dumps({"plans_metal": [plan("vbm-64c-1024gb-8-mi300x-gpu", cpu_threads=size)]}).encode()
    (row,) = imported("plans.json", data).rows
    assert row["vcpus"] is None
    assert row["accelerator"] == "MI300X"


def test_a_parser_s_words_are_one_line():
    broken = plan_file(rate("30.5"))
    broken = (broken if isinstance(broken, str) else json.dumps(broken)).replace('"version": ', '"version": "1",{', 1)
    (msg,) = refusal("plan.json", broken.encode())
    assert msg.startswith("plan.json: ")
    assert "\n" not in msg


def test_binary_is_no_spreadsheet():
    (msg,) = refusal("quotes.csv", b"\x7fELF\x00\x01 a,b,c\nd,e,f\n" + bytes(range(256)))
    assert msg.startswith("quotes.csv: is in no format that is known")


def test_a_member_that_begins_before_its_archive():
    # Where the directory is said to begin far behind the end, each member's place comes out below 0.
    data = bytearray(zipped(("a.csv", TABLE)))
    data[-6:-2] = (2**31).to_bytes(4, "little")
    (document,) = members("a.zip", bytes(data))
    with pytest.raises(PriceFileError, match=r"^a\.zip: is not a zip file that can be read \('a.csv': ValueError"):
        document.read()


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({}, 1),
        ({"id": "x" * 201}, 0),
        ({"id": "vbm\x1b[31m"}, 0),
        ({"hourly_cost": 1e-10}, 0),
        ({"hourly_cost": 2e9}, 0),
    ],
)
def test_what_no_table_takes_is_left_out_and_said_in_printable_words(change, taken):
    given = {**plan("vbm-64c-1024gb-8-mi300x-gpu"), **change}
    found = imported("plans.json", json.dumps({"plans_metal": [given]}).encode())
    assert len(found.rows) == taken
    assert sum(left.count for left in found.left_out) == 1 - taken
    assert all(left.example.isprintable() for left in found.left_out)


def test_a_sheet_of_long_texts_and_tiny_prices():
    sheet = "Vendor;GPU;GPU count;$/hr;Notes\nNebius;L4;1;0.7;{}\nNebius;L4;1;1e-320;\nNebius;H100 SXM;1;2;a\n"
    found = imported("quotes.csv", sheet.format("x" * 5000).encode())
    assert [(row["accelerator"], row["price_usd_per_hour"], len(row["notes"])) for row in found.rows] == [
        ("L4", 0.7, 1000), ("H100-SXM", 2.0, 1),
    ]  # fmt: skip
    assert [(left.reason, left.count) for left in found.left_out] == [("unreadable", 1)]


def test_a_day_that_is_to_come_is_refused_at_its_line():
    sheet = "Vendor;GPU;GPU count;$/hr;Date\nNebius;L4;1;0.7;2026-12-01\nNebius;H100 SXM;1;2;3026-11-01\n"
    (msg,) = refusal("quotes.csv", sheet.encode())
    assert msg.startswith("quotes.csv line 3: '3026-11-01' is after today (2026-12-01, UTC)")


# Read whole, a number of more than 4,300 digits once ended the process: Python refuses to make one, and the parser
# in C went on with nothing in its place.
HUGE = '{"zz": ' + "9" * 5000 + ","


@pytest.mark.parametrize(
    "seed",
    ["aws_price_list index.json", "aws_savings_plans plan.json", "aws_savings_plans rates first.json",
     "vantage instances.json", "vultr plans.json", "oci_price_list list.json", "gcp_billing skus.json",
     "azure_retail page.json", "aws_capacity_blocks blocks.json", "aws_price_list pages.json"],
)  # fmt: skip
def test_a_number_of_thousands_of_digits(seed):
    # In each place by itself; in a process of its own, so that its end would be seen.
    code = (
        "import sys\nfrom datetime import date\nfrom pricing.accelerators import catalogue\n"
        "from pricing.errors import InvalidInputError\nfrom pricing.sources.document import Document\n"
        "from pricing.sources.importing import import_document\n"
        "from tests.hostile.seeds import PRICES\nfrom tests.pricing.sources.test_refusals import HUGE\n"
        "text = PRICES[sys.argv[1]].decode()\nplaces = [i for i, sign in enumerate(text) if sign == '{']\n"
        "for i in places[:40]:\n"
        "    data = text[:i] + HUGE + text[i + 1:]\n"
        "    try:\n        file = Document.of_bytes('a.json', data.encode())\n"
        "        import_document(file, catalogue(), date(2026, 12, 1))\n"
        "    except InvalidInputError as error:\n        assert str(error).startswith('a.json: '), str(error)\n"
        "print(len(places))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, seed], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) >= 1
