"""The CSV: RFC 4180 to the byte, formulas neutralised, numbers in full, written part by part."""

from __future__ import annotations

import asyncio
import csv
import io
from dataclasses import replace
from datetime import date

import pytest

from app import exports
from app.exports import answer_csv, csv_text, in_turns, table_csv
from app.main import create_app
from pricing.accelerators import catalogue
from pricing.columns import COLUMNS
from pricing.compare import compare
from pricing.reading import Reader
from pricing.sources.own_schema import read_csv
from tests.app.asking import DAY, answered, finished
from tests.app.test_same_answer import CONTRACT

MANY = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n" + "".join(
    f"acme,box-{i:04},L4,1,{1 + i / 1000},2026-11-01\n" for i in range(2300)
)


def test_a_whole_csv(acme):
    query = f"unit=audio_hour&m==cmd@H100-SXM=rtfx:150&provider=acme&as_of={DAY}"
    # 3.6 / 150 = 0.024; the box holds 8 replicas: 20 / 1200 = 0.016666….
    # The group of comparison and the success rate, and no more.
    later = dict.fromkeys([column.name for column in COLUMNS][len(CONTRACT) :], "")
    more = "," + ",".join((later | {"comparable_group": "1", "success_rate": "1.0"}).values())
    assert acme.get(f"/compare.csv?{query}").content.decode() == (
        ",".join(column.name for column in COLUMNS) + "\r\n"
        "1,acme,\"'=box, 8\",eu-1,on_demand,,H100-SXM,nvidia,8,'=cmd,8,0,20.0,1200.0,1.0,0.016666666666666666,,,"
        "USD per audio-hour,60.0,1.0,1200.0,20.0,,list,2026-11-01,14,"
        f'"acme\'s ""page""",measured,,,,scaled_up,2.5,{more}\r\n'
        "2,acme,box-1,eu-1,on_demand,,H100-SXM,nvidia,1,'=cmd,1,0,3.6,150.0,1.0,0.024,,,USD per audio-hour,"
        "41.666666666666664,1.44,216.0,2.5,false,list,2026-11-01,14,'-page,measured,,,,,3.6,first"
        f"{more}\r\n"
    )


def test_a_csv_without_rows_is_its_heading(acme):
    text = acme.get(f"/compare.csv?unit=output_token&m=H100-SXM:8=1&provider=aws&purchase=owned&as_of={DAY}").text
    assert text == ",".join(column.name for column in COLUMNS) + "\r\n"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"), ("a,b", '"a,b"'), ('say "x"', '"say ""x"""'), ("line\nbreak", '"line\nbreak"'),
        ("line\r\nbreak", '"line\r\nbreak"'), ("", ""), ("é±😀", "é±😀"), ("1.5", "1.5"), ("a=b", "a=b"),
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@sum", "'@sum"), (" =1", "' =1"), ("\ttab", "'\ttab"),
        ("\rx", '"\'\rx"'), ("＝1", "'＝1"), ('=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'),
    ],
)  # fmt: skip
def test_text_cells(text, cell):
    assert csv_text(text) == cell


def test_cells_of_every_kind():
    rows = [[None, True, False, 1, 0.1 + 0.2, 1e-300, "a,b", date(2026, 1, 2), "=x", -1.5]]
    assert b"".join(table_csv(["a", "b"], rows)) == (
        b'a,b\r\n,true,false,1,0.30000000000000004,1e-300,"a,b",2026-01-02,\'=x,-1.5\r\n'
    )


@pytest.mark.parametrize(
    ("label", "cell"),
    [("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1", "'+1"), ("-1", "'-1"), ("＝1", "'＝1"), ("a,b", "a,b"),
     ('say "x"', 'say "x"'), ("é😀", "é😀")],
)  # fmt: skip
def test_a_label_comes_back_as_text(acme, label, cell):
    params = {"unit": "output_token", "provider": "acme", "as_of": DAY, "m": f"{label}@H100-SXM:8=1"}
    (row,) = csv.DictReader(io.StringIO(acme.get("/compare.csv", params=params).text, newline=""))
    assert row["measurement"] == cell


def test_numbers_are_in_full_and_exact(acme):
    query = f"unit=output_token&m=H100-SXM:8=7&provider=acme&as_of={DAY}&utilization=0.3"
    (row,) = csv.DictReader(io.StringIO(acme.get(f"/compare.csv?{query}").text, newline=""))
    assert row["cost_usd"] == repr(20 / (3600 * 7 * 0.3) * 1e6)
    assert (row["cost_low_usd"], row["cost_high_usd"], row["tied"], row["term_months"]) == ("", "", "", "")
    assert row["price_usd_per_hour"] == "20.0"
    assert row["accelerator_count"] == "8"


def test_lines_end_in_crlf_and_nothing_else(client):
    text = client.get(f"/compare.csv?unit=output_token&m=H100-SXM:1=100&as_of={DAY}").content
    assert text.endswith(b"\r\n")
    assert text.count(b"\n") == text.count(b"\r\n")
    assert not text.startswith(b"\xef\xbb\xbf")
    widths = {len(row) for row in csv.reader(io.StringIO(text.decode(), newline=""), strict=True)}
    assert widths == {len(COLUMNS)}


def test_the_csv_holds_all_pages_unless_told(client):
    query = f"unit=output_token&m=H100-SXM:1=100&as_of={DAY}"
    total = client.get(f"/compare.json?{query}").json()["total"]
    assert total > 50
    whole = client.get(f"/compare.csv?{query}").text.split("\r\n")
    assert len(whole) == total + 2
    assert client.get(f"/compare.csv?{query}&limit=7").text.split("\r\n") == [*whole[:8], ""]
    assert client.get(f"/compare.csv?{query}&limit=7&offset=7").text.split("\r\n") == [whole[0], *whole[8:15], ""]
    assert client.get(f"/compare.csv?{query}&offset=60").text.split("\r\n") == [whole[0], *whole[61:]]


def test_rows_are_worked_out_when_their_turn_comes():
    table = read_csv(MANY.encode(), "many.csv", catalogue(), date(2026, 11, 15))
    reader = Reader(table, catalogue(), date(2026, 11, 15))
    answer = compare(reader.from_pairs([("unit", "output_token"), ("m", "L4=1")]), catalogue(), all_rows=True)
    asked = []

    def figures(pairs, rank=None):
        asked.append(len(pairs))
        return answer.figures(pairs, rank)

    lines = answer_csv(replace(answer, figures=figures))
    assert next(lines).decode() == ",".join(column.name for column in COLUMNS) + "\r\n"
    assert asked == []
    first = next(lines)
    assert asked == [50]
    assert first.count(b"\r\n") == 50
    assert b"box-0049" in first
    rest = list(lines)
    assert asked == [50, 1000, 1000, 250]
    assert sum(part.count(b"\r\n") for part in rest) == 2250


@pytest.mark.parametrize("address", ["/compare.csv?unit=output_token&m=L4=1", "/prices.csv", "/accelerators.csv"])
def test_answers_are_sent_in_parts(address, tmp_path):
    private = tmp_path / "many.csv"
    private.write_text(MANY)
    sent = answered(create_app(private=[private]), "GET", address)
    start, *bodies = sent
    assert start["status"] == 200
    assert b"content-length" not in dict(start["headers"])
    assert bodies[0]["body"].count(b"\r\n") == 1
    assert len(bodies) > 3
    assert bodies[-1]["more_body"] is False


def test_a_long_answer_leaves_others_their_turns_and_gives_its_first_part_at_once(monkeypatch):
    monkeypatch.setattr(exports, "FIRST_TURN", 3)
    monkeypatch.setattr(exports, "TURN", 4)
    made, turns = [], []

    def parts():
        for part in (b"head", b"a", b"b", b"longer-than-that", b"cc", b"dd", b"e"):
            made.append(part)
            yield part

    async def other():
        while True:
            turns.append(len(made))
            await asyncio.sleep(0)

    async def run():
        beside = asyncio.create_task(other())
        given = []
        async for part in in_turns(parts()):
            given.append((part, len(made)))
        beside.cancel()
        return given

    assert finished(run()) == [(b"head", 1), (b"ablonger-than-that", 4), (b"ccdd", 6), (b"e", 7)]
    # The other task came between the parts that were sent.
    assert {1, 4, 6} <= set(turns)
