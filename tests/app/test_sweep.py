"""The command `sweep`: what it writes, how it goes on after a kill, and what it says of mistakes."""

import csv
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from app.cli import main
from pricing.sources.own_schema import read_file
from tests.app.asking import ACME, DAY
from tests.pricing.small import TODAY, catalogue

ROOT = Path(__file__).parents[2]
OFFERS = """\
provider,instance_type,region,accelerator,accelerator_count,price_usd_per_hour,observed_on,purchase,term_months
acme,box-8,eu-1,H100-SXM,8,20,2026-11-01,on_demand,
acme,box-1,eu-1,H100-SXM,1,3.6,2026-11-01,spot,
best,"=8, big",us-1,H100-SXM,8,18,2026-11-01,reserved,12
"""
SCENARIOS = """\
scenario,unit,m,purchase
all,output_token,H100-SXM:8=5200,
=spot,request,H100-SXM:1=700,spot
none,request,L4:1=7,
"""
HEADING = (
    "scenario,rank,provider,instance_type,region,purchase,term_months,accelerator,accelerator_vendor,"
    "accelerator_count,measurement,replicas,idle_accelerators,price_usd_per_hour,rate_per_second,utilization,"
    "cost_usd,cost_low_usd,cost_high_usd,cost_unit,price_evidence,price_observed_on,plan,comparable_group,left_out"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and scenarios, as the place where commands run."""
    (tmp_path / "offers.csv").write_text(OFFERS)
    (tmp_path / "scenarios.csv").write_text(SCENARIOS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep(*words):
    """Run the command in this process and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["sweep", *map(str, words)])
    return ended.value.code


def swept(*words):
    assert sweep("scenarios.csv", "--offers", "offers.csv", "--as-of", DAY, *words) == 0


def written(name):
    return list(csv.DictReader(io.StringIO(Path(name).read_bytes().decode(), newline="")))


def cost(price, rate):
    return price / (3600 * float(rate)) * 1e6


def test_the_cheapest_of_each_scenario_as_csv(folder, capfd):
    swept("--top", 2, "--out", "out.csv")
    data = Path("out.csv").read_bytes()
    assert data.decode().split("\r\n")[:4] == [
        HEADING,
        f'all,1,best,"\'=8, big",us-1,reserved,12,H100-SXM,nvidia,8,H100-SXM:8,1,0,18.0,5200.0,1.0,{cost(18, 5200)},,,'
        "USD per 1M output tokens,quote,2026-11-01,,1,",
        f"all,2,acme,box-8,eu-1,on_demand,,H100-SXM,nvidia,8,H100-SXM:8,1,0,20.0,5200.0,1.0,{cost(20, 5200)},,,"
        "USD per 1M output tokens,quote,2026-11-01,,1,",
        f"'=spot,1,acme,box-1,eu-1,spot,,H100-SXM,nvidia,1,H100-SXM:1,1,0,3.6,700.0,1.0,{cost(3.6, 700)},,,"
        "USD per 1M requests,quote,2026-11-01,,1,",
    ]
    assert data.endswith(b"none,,,,,,,,,,,,,,,,,,,USD per 1M requests,,,,1,no_offer\r\n")
    assert not Path("out.csv.parts").exists()
    assert capfd.readouterr() == ("", "out.csv: 3 scenarios answered\n")


def test_without_a_number_the_one_cheapest(folder):
    swept("--out", "out.csv")
    rows = written("out.csv")
    assert [(row["scenario"], row["rank"]) for row in rows] == [("all", "1"), ("'=spot", "1"), ("none", "")]


def test_parquet_has_types_and_the_texts_as_they_are(folder):
    swept("--top", 2, "--out", "out.parquet")
    frame = pl.read_parquet("out.parquet")
    assert ",".join(frame.columns) == HEADING
    assert frame["scenario"].to_list() == ["all", "all", "=spot", "none"]
    assert frame["instance_type"].to_list() == ["=8, big", "box-8", "box-1", None]
    assert frame["cost_usd"].to_list() == [cost(18, 5200), cost(20, 5200), cost(3.6, 700), None]
    types = {name: str(frame.schema[name]) for name in ("rank", "term_months", "price_observed_on", "cost_high_usd")}
    assert types == {"rank": "Int64", "term_months": "Int64", "price_observed_on": "Date", "cost_high_usd": "Float64"}


def test_a_summary(folder):
    swept("--summary", "--out", "out.csv")
    mean = (cost(18, 5200) + cost(20, 5200)) / 2
    lines = Path("out.csv").read_text().splitlines()
    assert lines[0] == "scenario,estimates,cost_min_usd,cost_mean_usd,cost_unit,comparable_group,left_out"
    name, count, least, middle, *_ = lines[1].split(",")
    assert (name, count, float(least), float(middle)) == ("all", "2", cost(18, 5200), pytest.approx(mean, rel=1e-12))
    assert lines[3] == "none,0,,,USD per 1M requests,1,no_offer"


def test_tables_and_scenarios_in_parquet_give_the_same(folder):
    swept("--top", 3, "--out", "out.csv")
    pl.read_csv("offers.csv", try_parse_dates=True).write_parquet("offers.parquet")
    pl.read_csv("scenarios.csv").write_parquet("scenarios.parquet")
    assert sweep("scenarios.parquet", "--offers", "offers.parquet", "--as-of", DAY, "--top", 3, "--out", "b.csv") == 0
    assert Path("b.csv").read_bytes() == Path("out.csv").read_bytes()


def test_a_table_in_parquet_is_the_table_in_csv(folder):
    frame = pl.read_csv("offers.csv", try_parse_dates=True)
    frame.with_columns(sizes=pl.Series([[1, 2, 8], None, None])).write_parquet("offers.parquet")
    text = OFFERS.replace("term_months\n", "term_months,sizes\n").replace("on_demand,\n", "on_demand,,1|2|8\n")
    Path("sized.csv").write_text(text.replace("spot,\n", "spot,,\n").replace("d,12\n", "d,12,\n"))
    first, second = (read_file(Path(name), catalogue(), TODAY) for name in ("offers.parquet", "sized.csv"))
    assert first.sha256 == second.sha256
    assert len(first.columns) == 5
    frame.with_columns(price_usd_per_hour=pl.Series([1.0, -2.0, 3.0])).write_parquet("offers.parquet")
    with pytest.raises(ValueError, match=r"offers.parquet row 2, column price_usd_per_hour: '-2'"):
        read_file(Path("offers.parquet"), catalogue(), TODAY)


def test_offers_take_the_place_of_the_built_in_table_and_prices_join_it(folder):
    Path("acme.csv").write_text(ACME)
    swept("--top", 100, "--out", "out.csv", "--prices", "acme.csv")
    rows = [row for row in written("out.csv") if row["scenario"] == "all"]
    assert [(row["provider"], row["price_usd_per_hour"]) for row in rows] == [
        ("best", "18.0"), ("acme", "20.0"), ("acme", "20.0"),
    ]  # fmt: skip
    Path("scenarios.csv").write_text("unit,m\noutput_token,H100-SXM:8=5200\n")
    assert sweep("scenarios.csv", "--as-of", DAY, "--top", 100, "--out", "out.csv") == 0
    providers = {row["provider"] for row in written("out.csv")}
    assert {"aws", "azure", "lambda"} < providers


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "out.txt"), "--out out.txt: the ending says the form; write a name that ends in .csv or .parquet"),
        (("--out", "no/out.csv"), "--out no/out.csv: the folder no does not exist"),
        (("--out", "offers.csv"), "--out offers.csv is an input as well; name another file"),
        (("--out", "out.csv", "--top", "0"), "0 is not in the range"),
        (("--out", "out.csv", "--top", "1", "--summary"), "give one of them"),
        (("--out", "out.csv", "--engine", "abacus"), "'abacus' is not"),
        (("--out", "out.csv", "--as-of", "tomorrow"), "'tomorrow' is not a date; write YYYY-MM-DD"),
        ((), "Missing option '--out'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(folder, capfd, words, said):
    before = sorted(os.listdir())
    assert sweep("scenarios.csv", "--offers", "offers.csv", *words) == 2
    out, err = capfd.readouterr()
    (line,) = err.splitlines()
    assert out == ""
    assert line.startswith("perdollar: ")
    assert said in line
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no.csv",), "no.csv: can't be read (No such file or directory)"),
        (("offers.csv",), "offers.csv, heading: 'instance_type' is not a column of scenarios."),
        (("scenarios.csv", "--offers", "scenarios.csv"), "scenarios.csv line 1: 'scenario' is not a column of a price"),
        (("scenarios.csv", "--prices", "no.csv"), "no.csv: can't be read (No such file or directory)"),
    ],
)
def test_inputs_that_are_none_are_told_and_nothing_is_written(folder, capfd, words, said):
    before = sorted(os.listdir())
    assert sweep(*words, "--out", "out.csv") == 2
    assert f"perdollar: {said}" in capfd.readouterr().err
    assert sorted(os.listdir()) == before


def test_bad_rows_stop_the_sweep_and_an_older_output_stays(folder, capfd):
    Path("out.csv").write_text("older")
    Path("scenarios.csv").write_text(SCENARIOS + "a,request,L5:1=7,\nb,requests,L4=1,spott\n")
    assert sweep("scenarios.csv", "--offers", "offers.csv", "--out", "out.csv") == 2
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "scenarios.csv line 5, column m", "scenarios.csv line 6, column unit",
        "scenarios.csv line 6, column purchase",
    ]  # fmt: skip
    assert Path("out.csv").read_text() == "older"
    assert not Path("out.csv.parts").exists()


# A process that kills itself with a signal that nothing can catch, at the n-th time that it puts a file in place.
DYING = """
import os, signal, sys
from app.cli import main
from pricing.sweeps import engine

engine.MOST_SCENARIOS = 40
replace, left = os.replace, int(sys.argv.pop(1))

def dying(source, target):
    global left
    left -= 1
    if left:
        return replace(source, target)
    os.kill(os.getpid(), signal.SIGKILL)

os.replace = dying
main()
"""


@pytest.fixture
def many(folder):
    """The folder, with scenarios enough for several parts."""
    rows = [f"s{i},output_token,H100-SXM:{1 + i % 8}={1000 + 7.3 * i:.1f},{('', 'spot')[i % 2]}\n" for i in range(205)]
    Path("scenarios.csv").write_text("scenario,unit,m,purchase\n" + "".join(rows))
    return folder


def process(*words, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *map(str, words)], check=False, capture_output=True, text=True, env=environment, **options
    )


def sweeping(out, *more):
    return ("sweep", "scenarios.csv", "--offers", "offers.csv", "--as-of", DAY, "--top", 2, "--out", out, *more)


# The first file put in place is the manifest; the last one, after six parts, is the output.
@pytest.mark.parametrize(("form", "at"), [("csv", 1), ("csv", 4), ("csv", 8), ("parquet", 5), ("parquet", 8)])
def test_a_killed_sweep_goes_on_and_ends_with_the_same_bytes(many, capfd, form, at):
    swept("--top", 2, "--out", f"whole.{form}")
    done = process("-c", DYING, at, *sweeping(f"out.{form}"))
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, "", "")
    assert not Path(f"out.{form}").exists()
    finished = min(max(at - 2, 0) * 40, 205)
    capfd.readouterr()
    swept("--top", 2, "--out", f"out.{form}")
    going_on = f"going on after {finished} scenarios, which out.{form}.parts holds\n" if finished else ""
    assert capfd.readouterr().err == f"{going_on}out.{form}: 205 scenarios answered\n"
    assert Path(f"out.{form}").read_bytes() == Path(f"whole.{form}").read_bytes()
    assert sorted(os.listdir()) == sorted(["offers.csv", "scenarios.csv", f"out.{form}", f"whole.{form}"])


@pytest.mark.parametrize(
    ("change", "words", "changed"),
    [
        (lambda: Path("scenarios.csv").write_text(SCENARIOS), (), "the scenarios"),
        (lambda: Path("offers.csv").write_text(OFFERS.replace("3.6", "3.5")), (), "the prices"),
        (lambda: None, ("--top", "3"), "--top or --summary"),
        (lambda: None, ("--as-of", "2026-11-14"), "the date of the prices (--as-of)"),
    ],
)
def test_parts_of_other_inputs_are_not_used(many, capfd, change, words, changed):
    assert process("-c", DYING, 3, *sweeping("out.csv")).returncode == -signal.SIGKILL
    change()
    swept("--top", 2, "--out", "out.csv", *words)
    said = capfd.readouterr().err.splitlines()[0]
    assert said == f"note: out.csv.parts is of another sweep ({changed} changed), so this one begins anew"
    swept("--top", 2, "--out", "again.csv", *words)
    assert Path("out.csv").read_bytes() == Path("again.csv").read_bytes()


def test_a_torn_manifest_and_what_lies_among_the_parts_are_thrown_away(many, capfd):
    parts = Path("out.csv.parts")
    parts.mkdir()
    (parts / "manifest.json").write_text('{"perdol')
    (parts / f"{1:012}-{205:012}.part").write_text("not ours")
    swept("--out", "out.csv")
    assert capfd.readouterr().err == "out.csv: 205 scenarios answered\n"
    assert len(Path("out.csv").read_text().splitlines()) == 206


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_part_that_is_damaged_is_made_anew(many, capfd, form):
    out = f"out.{form}"
    swept("--top", 2, "--out", f"whole.{form}")
    assert process("-c", DYING, 5, *sweeping(out)).returncode == -signal.SIGKILL
    first, second, *_ = parts = sorted(Path(f"{out}.parts").glob("0*.part"))
    assert len(parts) >= 3
    second.write_bytes(second.read_bytes()[:-50])
    capfd.readouterr()
    swept("--top", 2, "--out", out)
    said = capfd.readouterr().err.splitlines()
    assert said[0] == f"note: {out}.parts/{second.name} is damaged; it and what followed are made anew"
    assert said[1] == f"going on after {int(first.name[13:25])} scenarios, which {out}.parts holds"
    assert Path(out).read_bytes() == Path(f"whole.{form}").read_bytes()


def test_a_folder_that_is_not_a_sweep_s_is_left_alone(many, capfd):
    parts = Path("out.csv.parts")
    words = ("scenarios.csv", "--offers", "offers.csv", "--out", "out.csv")

    def refused(why):
        assert sweep(*words) == 2
        rest = "finished parts are kept there: move it away, or name another file"
        assert capfd.readouterr().err == f"perdollar: out.csv.parts {why}; {rest}\n"
        assert not Path("out.csv").exists()

    parts.mkdir()
    (parts / "mine.txt").write_text("precious")
    refused("holds mine.txt, which no sweep wrote")
    assert [path.name for path in parts.iterdir()] == ["mine.txt"]
    (parts / "mine.txt").rename(parts / "manifest.json")
    (parts / "manifest.json").write_text('{"name": "an app of somebody"}')
    refused("holds a manifest.json that no sweep wrote")
    (parts / "manifest.json").unlink()
    (parts / "000000000001-000000000009.part").mkdir()
    refused("holds 000000000001-000000000009.part, which no sweep wrote")
    parts.rename("elsewhere")
    parts.symlink_to("elsewhere")
    refused("is a link")
    assert len(list(Path("elsewhere").iterdir())) == 1
    parts.unlink()
    parts.write_text("a file")
    refused("is no folder")
    assert parts.read_text() == "a file"
    parts.unlink()
    parts.mkdir()
    assert sweep(*words) == 0
    assert not parts.exists()


def test_a_full_disk_is_one_line_and_the_finished_parts_are_kept(many):
    swept("--top", 2, "--out", "whole.csv")

    def no_large_files():
        # Each part is smaller; the whole is not.
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))

    child = DYING.replace("os.replace = dying", "")
    done = process("-c", child, 1, *sweeping("out.csv"), preexec_fn=no_large_files)
    assert done.returncode == 2
    assert done.stderr == (
        "perdollar: out.csv can't be written (File too large); finished parts are kept in out.csv.parts: the same "
        "command goes on from there\n"
    )
    assert not Path("out.csv").exists()
    assert json.loads(Path("out.csv.parts/manifest.json").read_text())["top"] == 2
    swept("--top", 2, "--out", "out.csv")
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_two_sweeps_do_not_write_one_file(folder, capfd):
    from app.sweep_parts import Parts  # noqa: PLC0415

    held = Parts(Path("out.csv"), {"perdollar": "1"})
    assert sweep("scenarios.csv", "--offers", "offers.csv", "--out", "out.csv") == 2
    said = "perdollar: another sweep is writing out.csv; wait for it, or name another file\n"
    assert capfd.readouterr().err == said
    held.close()
    swept("--out", "out.csv")


def test_a_bar_on_a_terminal_alone(folder, monkeypatch, capfd):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    swept("--out", "out.csv")
    assert "3.00/3.00" in screen.getvalue()
    assert "scenarios/s" in screen.getvalue()
