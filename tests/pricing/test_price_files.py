"""Price tables as CSV files: forms of file, headings, rows and duplicates; all or nothing."""

import pytest

from pricing.errors import PriceFileError
from pricing.sources.own_schema import read_file
from tests.pricing.small import BASIC, TODAY, browsed, catalogue, csv_of, fault_of, faults_of, offer, only, read, table

HEAD = ",".join(BASIC)
ROW = "acme,box,H100-SXM,8,10.5"


def prices(data):
    return [row["price_usd_per_hour"] for row in browsed(read(data))]


@pytest.mark.parametrize(
    "data",
    [
        f"{HEAD}\n{ROW}\n",
        f"{HEAD}\n{ROW}",
        f"{HEAD}\r\n{ROW}\r\n",
        f"\ufeff{HEAD}\n{ROW}\n",
        f"\ufeff{HEAD}\r\n{ROW}\r\n\r\n",
        f"{HEAD}\n\n{ROW}\n\n",
        f'"{HEAD.replace(",", chr(34) + "," + chr(34))}"\n"acme","box","H100-SXM","8","10.5"\n',
        f"{HEAD.replace(',', ' , ')}\n{ROW.replace(',', ' , ')}\n",
        "price_usd_per_hour,accelerator_count,accelerator,instance_type,provider\n10.5,8,H100-SXM,box,acme\n",
        f"{HEAD}\nAcme,box,h100_sxm,8.0,1.05e1\n",
    ],
)
def test_forms_of_one_table(data):
    row = only(read(data))
    assert (row["provider"], row["instance_type"], row["accelerator"]) == ("acme", "box", "H100-SXM")
    assert (row["accelerator_count"], row["price_usd_per_hour"]) == (8, 10.5)


def test_defaults_of_the_other_columns():
    row = only(read(f"{HEAD}\n{ROW}\n"))
    assert (row["region"], row["purchase"], row["term_months"]) == ("global", "on_demand", None)
    assert (row["price_evidence"], row["price_observed_on"], row["price_age_days"]) == ("quote", None, None)
    assert row["accelerator_vendor"] == "nvidia"
    assert (row["price_source"], row["notes"], row["plan"]) == (None, None, None)
    (shelf,) = browsed(read(f"{HEAD}\n{ROW}\n"))
    assert (shelf["availability"], shelf["vcpus"], shelf["sizes"]) == ("available", None, None)


def test_every_column_is_read():
    cells = {
        "region": "eu-1", "accelerator_vendor": "nvidia", "accelerator_memory_gib": 80, "vcpus": 96, "memory_gib": 1900,
        "purchase": "reserved", "term_months": 12, "source": "a, b", "notes": 'x "y"\nz', "availability": "waitlist",
        "plan": "no_upfront", "sizes": "4|8",
    }  # fmt: skip
    (row,) = browsed(table(offer(10, **cells)))
    assert {name: row[name] for name in cells} == cells | {"notes": 'x "y" z'}
    # The row of a price in sizes shows its smallest one: 4 of 8 accelerators for 10 USD/h.
    assert (row["accelerator_count"], row["price_usd_per_hour"]) == (4, 5)


@pytest.mark.parametrize(
    ("data", "loc", "words"),
    [
        (b"", ("prices.csv",), "is empty; the first line must be provider,instance_type,"),
        ("\n" + HEAD, ("prices.csv", 1), "the heading must be the first line"),
        (HEAD, ("prices.csv",), "no rows below the heading"),
        (f"{HEAD}\n\n\n", ("prices.csv",), "no rows below the heading"),
        (f"{HEAD};x\n{ROW}".replace(",", ";"), ("prices.csv", 1), "separated by ';'; save the file with commas"),
        (f"{HEAD}\n{ROW}".replace(",", "\t"), ("prices.csv", 1), "the columns are separated by"),
        (f"{HEAD}\n{ROW}".encode("utf-16"), ("prices.csv",), "is UTF-16; save it as CSV in UTF-8"),
        (b"PK\x03\x04rest", ("prices.csv",), "is a spreadsheet or zip file; save it as CSV"),
        (f"{HEAD}\n{ROW}\nZürich,".encode("latin-1"), ("prices.csv", 3), "byte 0xfc is not UTF-8"),
        (f"{HEAD}\n{ROW},1\n", ("prices.csv", 2), "6 cells, but the heading has 5; a cell with a comma"),
        (f"{HEAD}\n{ROW}\nacme,box\n", ("prices.csv", 3), "2 cells, but the heading has 5"),
        # A decimal comma without quotes makes a cell too many.
        (f"{HEAD}\nacme,box,H100-SXM,8,10,5\n", ("prices.csv", 2), "6 cells"),
        (f"{HEAD},prise\n{ROW},1\n", ("prices.csv", 1, "prise"), "'prise' is not a column of a price table."),
        (f"{HEAD},purchase_\n{ROW},1\n", ("prices.csv", 1, "purchase_"), "Did you mean purchase"),
        (f"{HEAD},region,region\n{ROW},a,b\n", ("prices.csv", 1, "region"), "the column 'region' stands twice"),
        (f"{HEAD},\n{ROW},\n", ("prices.csv", 1, ""), "'' is not a column"),
        (
            "provider,instance_type\na,b\n",
            ("prices.csv", 1),
            "accelerator, accelerator_count, price_usd_per_hour are mi",
        ),
        (f"{HEAD[:-19]}\nacme,box,H100-SXM,8\n", ("prices.csv", 1), "price_usd_per_hour is missing; required are"),
    ],
)
def test_files_refused(data, loc, words):
    found, msg = fault_of(read, data)
    assert found == loc
    assert words in msg
    assert msg.startswith("prices.csv")


def test_a_quote_that_is_not_closed_is_refused():
    loc, msg = fault_of(read, f'{HEAD}\nacme,"box,H100-SXM,8,10\n')
    assert loc[0] == "prices.csv"
    assert "not valid CSV" in msg


def test_a_bad_row_refuses_the_whole_file():
    rows = [offer(i + 1, instance_type=f"box-{i}") for i in range(50)]
    rows[30]["price_usd_per_hour"] = "free"
    loc, msg = fault_of(read, csv_of(*rows))
    assert loc == ("prices.csv", 32, "price_usd_per_hour")
    assert msg.startswith("prices.csv line 32, column price_usd_per_hour: 'free' is not a number")


def test_every_bad_cell_is_named_up_to_twenty():
    three = faults_of(read, csv_of(offer(0, vcpus=1), offer(5, vcpus="many"), offer(-1, vcpus=2)))
    assert sorted(loc for loc, _ in three) == [
        ("prices.csv", 2, "price_usd_per_hour"),
        ("prices.csv", 3, "vcpus"),
        ("prices.csv", 4, "price_usd_per_hour"),
    ]
    assert len(faults_of(read, csv_of(*[offer(0)] * 500))) == 20


def test_lines_are_counted_across_quoted_line_breaks():
    data = f'{HEAD},notes\n{ROW},"one\ntwo\nthree"\nacme,small,H100-SXM,8,free,x\n'
    loc, msg = fault_of(read, data)
    assert loc == ("prices.csv", 5, "price_usd_per_hour")
    assert "line 5" in msg


def test_lines_are_counted_across_blank_lines():
    assert fault_of(read, f"{HEAD}\n\n{ROW}\n\n\nacme,small,H100-SXM,8,free\n")[0][1] == 6


@pytest.mark.parametrize("same", [{}, {"price": "10.00"}, {"accelerator": "h100_sxm"}, {"accelerator_count": "8.0"}])
def test_identical_observations_are_one_row(same):
    prices_read = table(offer(10), offer(**({"price": 10} | same)), offer(12, instance_type="other"))
    assert [row["price_usd_per_hour"] for row in browsed(prices_read)] == [10, 12]


def test_conflicting_observations_name_both_lines():
    loc, msg = fault_of(read, csv_of(offer(9, instance_type="a"), offer(10), offer(9, instance_type="b"), offer(11)))
    assert loc == ("prices.csv", 5, "price_usd_per_hour")
    for words in ("prices.csv line 5", "prices.csv line 3", "acme/box × 8, global, on_demand", "10 and 11 USD/h"):
        assert words in msg


def test_conflicting_chips_of_one_offer_are_refused():
    loc, _ = fault_of(read, csv_of(offer(10), offer(10, accelerator="H200")))
    assert loc[:2] == ("prices.csv", 3)


@pytest.mark.parametrize(
    "other",
    [
        {"provider": "bolt"},
        {"instance_type": "bax"},
        {"accelerator_count": 4},
        {"region": "eu-1"},
        {"purchase": "spot"},
        {"purchase": "reserved", "term_months": 12},
        {"purchase": "reserved", "plan": "no_upfront"},
        {"observed_on": "2026-11-29"},
    ],
)
def test_what_differs_in_its_key_or_date_is_no_duplicate(other):
    both = table(offer(10), offer(11, **other))
    assert sorted(row["price_usd_per_hour"] for row in browsed(both, history=1)) == [10, 11]


def test_sizes_may_not_contradict_a_row_of_their_own():
    loc, msg = fault_of(read, csv_of(offer(1, accelerator_count=1, sizes="1|2"), offer(3, accelerator_count=2)))
    assert loc[:2] == ("prices.csv", 3)
    assert "2 and 3 USD/h" in msg
    assert len(browsed(table(offer(1, accelerator_count=1, sizes="1|2"), offer(2, accelerator_count=2)))) == 1


def test_a_file_on_disk_is_read_or_refused_by_name(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(csv_of(offer(10)))
    assert only(read_file(path, catalogue(), TODAY))["price_usd_per_hour"] == 10
    with pytest.raises(PriceFileError, match=r"gone\.csv: can't be read"):
        read_file(tmp_path / "gone.csv", catalogue(), TODAY)


def test_a_table_knows_its_rows_and_content():
    one, other = table(offer(10), offer(12, region="eu-1")), table(offer(10), offer(12.5, region="eu-1"))
    assert one.source_rows == 2
    assert one.sha256 == table(offer(10), offer(12, region="eu-1")).sha256
    assert one.sha256 != other.sha256
    assert len(one.sha256) == 64
