"""Estimates for elsewhere: XLSX, tab-separated text and Markdown, with the columns asked for."""

import io

import openpyxl
import pytest

from app.exports import neutralised
from app.spreadsheets import markdown, tsv, xlsx
from pricing.columns import COLUMNS
from tests.app.asking import DAY, problem

QUERY = f"unit=audio_hour&m==cmd@H100-SXM=rtfx:150&provider=acme&as_of={DAY}"


def book(client, query):
    answer = client.get(f"/compare.xlsx?{query}")
    assert answer.headers["content-disposition"].endswith('.xlsx"')
    return openpyxl.load_workbook(io.BytesIO(answer.content))


def test_a_workbook_has_the_rows_of_the_csv_and_the_question(acme):
    sheet = book(acme, QUERY)["estimates"]
    header, first, second = sheet.iter_rows(values_only=True)
    assert list(header) == [column.name for column in COLUMNS]
    row = dict(zip(header, first, strict=True))
    # 20 USD/h over 8 · 150 = 1200 times real time: 0.016666….
    assert (row["instance_type"], row["cost_usd"]) == ("=box, 8", pytest.approx(20 / 1200))
    assert dict(zip(header, second, strict=True))["cost_usd"] == pytest.approx(3.6 / 150)
    assert ("unit", "audio_hour") in list(book(acme, QUERY)["about"].iter_rows(values_only=True))


def test_no_cell_of_a_workbook_is_a_formula(acme):
    kinds = {cell.data_type for sheet in book(acme, QUERY) for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds


def test_control_characters_are_left_out():
    made = openpyxl.load_workbook(io.BytesIO(xlsx("t", ["a"], [["x\x00\x0by\ud800"[:4]]], [])))
    assert [c.value for c in made["t"]["A"]] == ["a", "xy"]


def test_columns_are_those_asked_for_in_their_order(acme):
    query = f"{QUERY}&columns=cost_usd,provider"
    body = acme.get(f"/compare.json?{query}").json()
    assert [list(row) for row in body["estimates"]] == [["cost_usd", "provider"]] * 2
    assert acme.get(f"/compare.csv?{query}").text.splitlines()[:2] == ["cost_usd,provider", "0.016666666666666666,acme"]
    assert [c.value for c in book(acme, query)["estimates"][1]] == ["cost_usd", "provider"]
    assert acme.get(f"/compare.tsv?{query}").text.splitlines()[0] == "cost_usd\tprovider"
    assert acme.get(f"/compare.md?{query}").text.splitlines()[2] == "| 0.01667 | acme |"
    (error,) = problem(acme.get(f"/compare.json?{QUERY}&columns=cost"))["errors"]
    assert "Did you mean cost_" in error["msg"]


def test_markdown_links_to_the_answer_and_can_t_be_broken_out_of(acme):
    text = acme.get(f"/compare.md?{QUERY}").text
    assert "<http://testserver/compare?unit=audio_hour&m=" in text
    (line,) = list(markdown(["a|b"], [], [0]))[:1]
    assert line == b"| a\\|b |\n"
    cells = b"".join(markdown(["a"], [["x|y\n<b>`*_[z]"]], []))
    assert cells.splitlines()[-1] == b"| x\\|y \\<b\\>\\`\\*\\_\\[z\\] |"


def test_tabs_and_line_ends_stay_out_of_cells_and_formulas_are_neutralised():
    assert b"".join(tsv(["a", "b"], [["x\ty\nz", None], ["=1+1", 2.5]])) == b"a\tb\nx y z\t\n'=1+1\t2.5\n"


def test_signs_that_no_workbook_can_hold_are_left_out():
    # U+FFFE, U+FFFF and halves of a pair are no characters of XML: a workbook with one can't be opened.
    data = xlsx("t", ["a"], [["x\ufffe\uffff\ud800\x0by\r\nz"]], [])
    assert [cell.value for cell in openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]["A"]] == ["a", "xy\nz"]


def test_lines_and_quotation_marks_do_not_leave_their_cell():
    lines = b"".join(tsv(["a", "b"], [['"x', "\n=1+1"], ["\u00a0-1", -1.5]])).decode().splitlines()
    assert lines[1:] == ["'\"x\t'=1+1", "'-1\t-1.5"]
    assert neutralised("\n=1") == "'\n=1"
