"""Scenario files: what a row means, in CSV and Parquet, and what is said of a bad one."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.accelerators import catalogue
from pricing.parameters import PARAMETERS
from pricing.reading import Reader
from pricing.sweeps.scenarios import COLUMNS, REFUSED, Scenarios
from tests.pricing.small import TODAY, faults_of, offer, table

TABLE = table(offer(), offer(instance_type="small", accelerator_count=1, price_usd_per_hour=3, region="eu-1"))
READER = Reader(TABLE, catalogue(), TODAY)


def scenarios(tmp_path, text, name="scenarios.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Scenarios(path, READER)


def read(tmp_path, text, **options):
    return list(scenarios(tmp_path, text).read(**options))


def same_as_asked(scenario, **values):
    pairs = [(name, text) for name, texts in values.items() for text in ([texts] if isinstance(texts, str) else texts)]
    question = READER.from_pairs(pairs)
    for name in ("unit", "measurements", "utilization", "spot_loss", "filters", "accelerators"):
        assert getattr(scenario, name) == getattr(question, name), name
    for name in ("include_unconfirmed", "all_sizes", "evidence", "accept"):
        assert getattr(scenario, name) == getattr(question, name), name


def test_a_row_means_what_the_same_parameters_of_a_link_mean(tmp_path):
    first, second = read(
        tmp_path,
        "scenario,unit,m,utilization,purchase,accelerator,max_price_usd_per_hour,m2.model,all_sizes,spot_loss\r\n"
        'base,output_token,"H100-SXM:8=5.2k|x@acme/small=in:9,out:7~3%",50%,spot|on_demand,H100,"1,234.5",Llama,1,\r\n'
        ",request,H100:8=req:3,,,,20,,,0.1\r\n",
    )
    assert (first.number, first.id, second.number, second.id) == (1, "base", 2, "2")
    same_as_asked(
        first, unit="output_token", m=["H100-SXM:8=5.2k", "x@acme/small=in:9,out:7~3%"], utilization="0.5",
        purchase=["spot", "on_demand"], accelerator="H100", max_price_usd_per_hour="1,234.5", all_sizes="yes",
        **{"m2.model": "Llama"},
    )  # fmt: skip
    same_as_asked(second, unit="request", m="H100:8=req:3", max_price_usd_per_hour="20", spot_loss="0.1")


def test_repeated_parts_are_read_as_if_they_came_for_the_first_time(tmp_path):
    rows = [
        (unit, m, u, p)
        for unit in ("output_token", "input_token")
        for m in ("H100:8=5", "H100:8=5200", "H100:8=6e3", "y@H100:8=5200", "H100:8=5200/5100", "H100:8=in:3,out:4")
        for u in ("", "0.25", "1")
        for p in ("", "1.5", "20")
    ]
    body = "".join(f'{unit},"{m}",{u},{p}\n' for unit, m, u, p in rows)
    found = read(tmp_path, "unit,m,utilization,max_price_usd_per_hour\n" + body)
    for scenario, (unit, m, u, p) in zip(found, rows, strict=True):
        same_as_asked(scenario, unit=unit, m=m, utilization=u, max_price_usd_per_hour=p)


CELLS = {
    "unit": st.sampled_from(["output_token", "total_token", "token", ""]),
    "m": st.sampled_from(["H100:8=5", "a@H100:8=in:3,out:4|H100:8=7", "H100=1|H100=2", "H10=3", "H100:8=0", "", "x"]),
    "utilization": st.sampled_from(["", "0", "1", "0.5", "50%", "50", "1e-10", "0,5", "1.0000001"]),
    "spot_loss": st.sampled_from(["", "0", "0.999", "1", "-1", "5%"]),
    "max_price_usd_per_hour": st.sampled_from(["", "0", "1", "1e13", "1000000000001", "x"]),
    "region": st.sampled_from(["", "eu-1", "eu-1|global", "eu", "|"]),
    "m1.evidence": st.sampled_from(["", "claimed", "sure"]),
    "m2.model": st.sampled_from(["", "M"]),
}


@given(st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=4))
def test_any_row_is_read_or_refused_as_a_link_is(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "scenarios.csv"
    path.write_text("\n".join([",".join(CELLS), *(",".join(f'"{row[name]}"' for name in CELLS) for row in rows)]))
    found, wrong = [], []
    try:
        for scenario in Scenarios(path, READER).read():
            found.append(scenario)
    except ValueError as error:
        wrong = [(fault.loc[1], fault.loc[2], fault.msg) for fault in error.faults]
    said = []
    for line, row in enumerate(rows, 2):
        pairs = [
            (name, part)
            for name, text in row.items()
            for part in (text.split("|") if name in ("m", "region") else [text])
        ]
        try:
            question = READER.from_pairs(pairs)
        except ValueError as error:
            for fault in error.faults:
                column = str(fault.loc[0])
                said.append((line, column, f"scenarios.csv line {line}, column {column}: {fault.msg}"))
        else:
            if not said:
                scenario = found.pop(0)
                assert scenario.measurements == question.measurements
                assert (scenario.filters, scenario.utilization) == (question.filters, question.utilization)
                assert (scenario.unit, scenario.spot_loss) == (question.unit, question.spot_loss)
    assert not found
    assert wrong == said[:20]


def test_parquet_has_typed_columns_and_lists(tmp_path):
    frame = pl.DataFrame(
        {
            "scenario": ["a", None],
            "unit": ["output_token"] * 2,
            "measurements": [["H100-SXM:8=5200", "x|y@H100:1=700"], ["H100-SXM:1=3"]],
            "utilization": [0.5, None],
            "purchase": [["spot", "on_demand"], None],
            "max_accelerators": [8, None],
            "all_sizes": [True, False],
            "max_price_usd_per_hour": [12.25, 30.0],
            "m1.model": ["a|b", None],
        }
    )
    path = tmp_path / "scenarios.data"
    frame.write_parquet(path)
    first, second = Scenarios(path, READER).read()
    assert (first.id, second.id) == ("a", "2")
    same_as_asked(
        first, unit="output_token", m=["H100-SXM:8=5200", "x|y@H100:1=700"], utilization="0.5",
        purchase=["spot", "on_demand"], max_accelerators="8", all_sizes="1", max_price_usd_per_hour="12.25",
        **{"m1.model": "a|b"},
    )  # fmt: skip
    same_as_asked(second, unit="output_token", m="H100-SXM:1=3", max_price_usd_per_hour="30")


def test_parquet_of_more_rows_than_are_held_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("pricing.sweeps.rows.PORTION", 3)
    pl.DataFrame({"unit": ["request"] * 7, "m": [f"H100:8={i}" for i in range(1, 8)]}).write_parquet(tmp_path / "s")
    found = list(Scenarios(tmp_path / "s", READER).read(skip=2))
    assert [(s.number, s.id, s.measurements[0].rates["requests_per_second"].value) for s in found] == [
        (i, str(i), float(i)) for i in range(3, 8)
    ]


def test_bad_rows_are_all_told_with_line_and_column(tmp_path):
    text = (
        "unit,measurements,utilization,provider\n"
        "output_token,H100:8=5,,acme\n"
        'output_token,"H100:8=5\n",50,acmee\n'
        "token,H100:8=5,,acme\n"
    )
    made, faults = [], ()
    try:
        for scenario in scenarios(tmp_path, text).read():
            made.append(scenario.number)
    except ValueError as error:
        faults = error.faults
    assert made == [1]
    assert [fault.loc for fault in faults] == [
        ("scenarios.csv", 3, "utilization"), ("scenarios.csv", 3, "provider"),
        ("scenarios.csv", 5, "unit"),
    ]  # fmt: skip
    assert faults[0].msg == (
        "scenarios.csv line 3, column utilization: utilization: '50' should be less than or equal to 1; "
        "half is written 0.5 or 50%"
    )


def test_no_more_than_twenty_faults_are_listed(tmp_path):
    text = "unit,m\n" + "token,H100:8=5\n" * 50
    assert [loc[1] for loc, _ in faults_of(list, scenarios(tmp_path, text).read())] == list(range(2, 22))


@pytest.mark.parametrize(
    ("heading", "msg"),
    [
        ("unit,m,limit", "limit is not a column of scenarios: " + REFUSED["limit"]),
        ("unit,m,regoin", "'regoin' is not a column of scenarios. Did you mean region?"),
        ("unit,m,unit", "the column 'unit' stands twice"),
        ("unit,m,measurements", "m and measurements are the same; keep one of them"),
        ("unit,utilization", "the column m is missing; unit and m (measurements) are needed"),
    ],
)  # fmt: skip
def test_a_heading_that_can_not_be_right(tmp_path, heading, msg):
    ((loc, said),) = faults_of(scenarios, tmp_path, heading + "\n")
    assert loc[:2] == ("scenarios.csv", 1)
    assert said == f"scenarios.csv, heading: {msg}"


@pytest.mark.parametrize(
    ("data", "msg"),
    [
        (b"", "is empty; the first line is the heading, such as unit,m"),
        (b"unit;m\n", "line 1: the columns are separated by ';'; save the file with commas"),
        ("unit,m".encode("utf-16"), "is UTF-16; save it as CSV in UTF-8"),
        (b"PK\x03\x04", "is a spreadsheet or zip file; save it as CSV or Parquet"),
        (b"unit,m\xff", "line 1: byte 0xff is not UTF-8; save the file as UTF-8"),
        (b"unit,m\nrequest,L4=1\nrequest,\xe9=1\n", "line 3: byte 0xe9 is not UTF-8"),
        (b"PAR1 and no more", "is not a Parquet file that can be read"),
    ],
)
def test_a_file_that_can_not_be_read(tmp_path, data, msg):
    ((_, said),) = faults_of(scenarios, tmp_path, data)
    assert said.startswith("scenarios.csv")
    assert msg in said


@pytest.mark.parametrize(
    ("body", "msg"),
    [
        ("", "scenarios.csv: no scenario below the heading"),
        (
            "request,H100:8=1,2\n",
            "scenarios.csv line 2: 3 cells, but the heading has 2; a cell with a comma in it needs quotes around it",
        ),
        ('request,"H100\n', "scenarios.csv line 2: not valid CSV (unexpected end of data)"),
        ("request," + "x" * 1_000_001, "scenarios.csv line 2: is longer than 1,000,000 characters"),
    ],
)  # fmt: skip
def test_rows_that_can_not_be_read(tmp_path, body, msg):
    assert [said for _, said in faults_of(read, tmp_path, "unit,m\n" + body)] == [msg]


def test_a_name_of_a_scenario_stands_on_one_line(tmp_path):
    ((loc, said),) = faults_of(read, tmp_path, 'scenario,unit,m\n"a\nb",request,H100:8=1\n')
    assert loc == ("scenarios.csv", 2, "scenario")
    assert said.endswith("'a\\nb' is no name of a scenario; write at most 200 characters on one line")


def test_what_is_assumed_is_noted_once(tmp_path):
    found = scenarios(tmp_path, "unit,m\n" + "request,H100=1|H100=2\n" * 3)
    assert [s.measurements[1].label for s in found.read()] == ["H100-SXM:1 (2)"] * 3
    assert sorted(note.split(" ")[0] for note in found.notes) == ["'H100'", "H100:", "The"]


def test_each_parameter_of_a_question_is_a_column_or_refused_with_a_reason():
    assert set(PARAMETERS) | {"scenario"} == set(COLUMNS) | set(REFUSED)
    assert not set(COLUMNS) & set(REFUSED)


def test_a_scenario_is_a_question(tmp_path):
    (scenario,) = read(tmp_path, "unit,m,spot_loss\nrequest,H100:8=1,5%\n")
    question = scenario.question(TABLE, date(2026, 11, 30))
    assert (question.unit, question.measurements) == (scenario.unit, scenario.measurements)
    assert (question.spot_loss, question.as_of, question.table) == (0.05, date(2026, 11, 30), TABLE)
