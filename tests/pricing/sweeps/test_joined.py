"""The expression on Polars gives what comparisons give, and says what is wrong with a table."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pricing.accelerators import catalogue
from pricing.errors import PriceFileError
from pricing.sweeps.polars_machine import PolarsMachine
from pricing.sweeps.scanned import ScannedTable
from tests.pricing.small import TODAY, offer
from tests.pricing.sweeps.joined import built_in_rows, check, made_up, written
from tests.pricing.sweeps.test_engine import BUILT_IN, OFFER, SCENARIO, UNITS, right, unlike

MANY = [
    {"unit": "output_token", "m": "H100-SXM:3=5200|MI300X:2=4100~5%|L4:1=300", "utilization": f"{share}%"} | filters
    for share in (10, 70)
    for filters in (
        {},
        {"purchase": "spot|on_demand", "spot_loss": "7%"},
        {"provider": "seller3|seller4|seller5", "max_accelerators": "8"},
        {"region": "region-1|region-2|region-3", "include_unconfirmed": "1", "max_price_usd_per_hour": "9.5"},
        {"term_months": "12", "max_age_days": "200"},
    )
]


def test_built_in_prices_give_what_comparisons_give(tmp_path):
    rows = [{"unit": "output_token"} | row for row in BUILT_IN]
    rows += [row | {"unit": unit} for row in BUILT_IN[:3] for unit in UNITS]
    path = written(tmp_path / "offers.csv", built_in_rows())
    check(PolarsMachine(), path, rows, tmp_path, tops=(1, 7, 10_000))


@pytest.mark.parametrize(("most_rows", "most_pairs", "most_joins"), [(10**9, None, None), (500, 900, 3)])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_in_parts_gives_what_comparisons_give(tmp_path, form, most_rows, most_pairs, most_joins):
    frame, path = made_up(5000), tmp_path / f"offers.{form}"
    frame.write_csv(path) if form == "csv" else frame.write_parquet(path)
    named = frame.row(0, named=True)
    type_of = {
        "unit": "request",
        "m": f"{named['provider']}/{named['instance_type']}=7",
        "vendor": "nvidia|amd|aws|google",
    }
    with PolarsMachine(most_rows) as machine:
        machine.most_joins = most_joins
        check(machine, path, [*MANY, type_of], tmp_path, tops=(1, 5), most_pairs=most_pairs)


ROWS = st.lists(OFFER.map(right), min_size=1, max_size=25, unique_by=unlike)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=ROWS,
    asked=st.lists(SCENARIO, min_size=1, max_size=5),
    top=st.integers(1, 6),
    most_joins=st.sampled_from([None, 2]),
)
def test_any_scenarios_on_any_table(tmp_path_factory, rows, asked, top, most_joins):
    folder = tmp_path_factory.mktemp("joined")
    # A size that another row states, too, would be the same offer at another price.
    rows = [offer(**row) | ({"instance_type": f"sized {i}"} if row["sizes"] else {}) for i, row in enumerate(rows)]
    asked = [row | ({"m2.model": ""} if "|" not in row["m"] else {}) for row in asked]
    machine = PolarsMachine()
    machine.most_joins = most_joins
    check(machine, written(folder / "offers.csv", rows), asked, folder, tops=(top,))


def scanned(tmp_path, *rows):
    return ScannedTable(PolarsMachine(), str(written(tmp_path / "offers.csv", rows)), catalogue(), TODAY)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"price_usd_per_hour": "1,234.5"}, "column price_usd_per_hour, 2 rows: '1,234.5': write digits with a dot"),
        ({"price_usd_per_hour": 0}, "'0': a price is above 0, from 1e-9 to 1e9 USD per hour"),
        ({"price_usd_per_hour": "1e-11"}, "'1e-11': a price is above 0"),
        ({"price_usd_per_hour": ""}, "'': an unknown price is no row at all"),
        ({"accelerator_count": "8.5"}, "'8.5': write a whole number"),
        ({"accelerator_count": 0}, "'0': an instance with accelerators has a count of at least 1"),
        ({"accelerator": ""}, "'8': an instance with accelerators has a count of at least 1"),
        ({"accelerator": "H100-SMX"}, "column accelerator, 2 rows: 'H100-SMX' is not an accelerator"),
        ({"accelerator_vendor": "amd"}, "'amd' does not make H100-SXM; write nvidia"),
        ({"instance_type": " box"}, "' box': write it without blanks around it or line breaks"),
        ({"instance_type": ""}, "'': write the seller's name of the instance"),
        ({"instance_type": "x" * 201}, "at most 200 characters are allowed"),
        ({"observed_on": "2026-12-02"}, "'2026-12-02': a price can't be seen after today (2026-12-01, UTC)"),
        ({"observed_on": "01/12/2026"}, "'01/12/2026': write YYYY-MM-DD"),
        ({"observed_on": "1899-01-01"}, "a price was not seen before 1900"),
        ({"term_months": 1201}, "'1201': a term is 1 to 1200 months"),
        ({"purchase": "demand"}, "'demand' must be one of on_demand, spot"),
        ({"sizes": "8|4"}, "'8|4': sizes must ascend"),
        ({"provider": "AWS Europe"}, "'AWS Europe' is not a provider id"),
        ({"evidence": "rumour"}, "'rumour' must be one of list, survey, quote, third_party"),
    ],
)  # fmt: skip
def test_a_bad_row_refuses_the_table(tmp_path, wrong, said):
    with pytest.raises(PriceFileError) as error:
        scanned(tmp_path, offer(instance_type="right"), offer() | wrong, offer(region="eu-1") | wrong)
    assert len(error.value.faults) == 1
    assert said in error.value.faults[0].msg


def test_unknown_and_missing_columns_are_named(tmp_path):
    with pytest.raises(PriceFileError) as error:
        scanned(tmp_path, {"provider": "acme", "price": 3})
    assert [fault.msg.partition(": ")[2] for fault in error.value.faults] == [
        "'price' is not a column of a price table. Did you mean price_usd_per_hour, purchase or provider?",
        "instance_type, accelerator, accelerator_count, price_usd_per_hour missing; required are provider, "
        "instance_type, accelerator, accelerator_count, price_usd_per_hour",
    ]


def test_prices_of_one_day_that_contradict_each_other_are_refused(tmp_path):
    table = scanned(
        tmp_path, offer(10), offer(11), offer(10, region="eu-1"), offer(10, region="eu-1", evidence="quote")
    )
    with pytest.raises(PriceFileError) as error:
        table.offers(TODAY, include_unconfirmed=False)
    (fault,) = error.value.faults
    assert "acme/box × 8, global, on_demand stands twice with one date (2026-11-30) and 10 and 11 USD/h" in fault.msg


def test_a_file_that_is_no_table_is_refused(tmp_path):
    path = tmp_path / "offers.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(PriceFileError, match="Polars can't read it"):
        ScannedTable(PolarsMachine(), str(path), catalogue(), TODAY)
    with pytest.raises(PriceFileError, match="there is no file of that name"):
        ScannedTable(PolarsMachine(), str(tmp_path / "absent.csv"), catalogue(), TODAY)


@pytest.mark.parametrize("name", ["none*.parquet", "none.parquet", "empty"])
def test_a_table_that_is_not_there_is_told_in_our_words(tmp_path, name):
    (tmp_path / "empty").mkdir()
    table = str(tmp_path / name)
    with PolarsMachine() as machine, pytest.raises(PriceFileError) as refused:
        machine.scan(table)
    assert str(refused.value) == f"{table}: there is no file of that name, in that folder, or like that"
