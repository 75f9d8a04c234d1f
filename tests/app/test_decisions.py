"""Every decision as page, JSON, CSV, POST and command: one answer, and one way to refuse."""

import csv
import io
import json
from urllib.parse import urlencode

import pytest

from app.decided import FIGURE_HEADER, main_table
from app.openapi_decisions import example_body
from pricing.decisions import DECISIONS, decision_named
from tests.app.asking import HTML, Page, problem, refusal, run

EACH = pytest.mark.parametrize("name", DECISIONS)


def example(name, ending=""):
    return f"/{name}{ending}?{urlencode(decision_named(name).example)}"


@EACH
def test_the_first_visit_shows_a_worked_example(client, name):
    answer = client.get(f"/{name}", headers=HTML)
    assert answer.status_code == 200
    assert "A worked example" in answer.text
    assert decision_named(name).title in answer.text


@EACH
def test_page_and_json_give_the_same_statement(client, name):
    body = client.get(example(name, ".json")).json()
    assert body["decision"] == name
    assert list(body["figures"]) == [figure.name for figure in decision_named(name).figures]
    page = client.get(example(name), headers=HTML).text.replace("&#39;", "'").replace("&amp;", "&")
    for sentence in body["statement"]:
        assert sentence in page


@EACH
def test_the_link_in_the_answer_asks_the_same_again(client, name):
    body = client.get(example(name, ".json")).json()
    again = client.get(f"/{name}.json?{urlencode([tuple(pair) for pair in body['question']])}").json()
    assert again == body


@EACH
def test_csv_has_the_figures_or_the_main_table(client, name):
    asked = decision_named(name)
    answer = client.get(example(name, ".csv"))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    header, *rows = csv.reader(io.StringIO(answer.text, newline=""))
    table = main_table(asked)
    if table is None:
        assert tuple(header) == FIGURE_HEADER
        assert [row[0] for row in rows if row[0] != "verdict"] == [figure.name for figure in asked.figures]
    else:
        assert header == [column.name for column in table.columns]
        assert rows


@EACH
def test_each_table_as_csv_has_the_rows_of_the_json(client, name):
    body = client.get(example(name, ".json")).json()
    for table in decision_named(name).tables:
        _, *rows = csv.reader(io.StringIO(client.get(example(name, f"/{table.name}.csv")).text, newline=""))
        assert len(rows) == len(body["tables"][table.name])


@EACH
def test_post_gives_the_same_answer_as_the_link(client, name):
    posted = client.post(f"/api/v1/{name}", json=example_body(decision_named(name)))
    assert posted.status_code == 200, posted.text
    linked = client.get(example(name, ".json")).json()
    assert posted.json()["figures"] == linked["figures"]
    assert posted.json()["tables"] == linked["tables"]


@EACH
def test_the_command_gives_the_json_of_the_link(client, name):
    words = []
    own = decision_named(name).inputs.model_fields
    measurements = []
    for parameter, value in decision_named(name).example:
        if parameter == "m":
            measurements.append(value)
        elif "." in parameter:
            words += ["--set", f"{parameter}={value}"]
        elif parameter in own and own[parameter].annotation is bool:
            words.append(f"--{parameter.replace('_', '-')}")
        else:
            words += [f"--{parameter.replace('_', '-')}", value]
    done = run(name, *words, *measurements, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == client.get(example(name, ".json")).text


@EACH
def test_an_unknown_parameter_is_refused_with_near_matches(client, name):
    body = problem(client.get(f"{example(name, '.json')}&providr=aws"))
    assert any("Did you mean provider" in error["msg"] for error in body["errors"])


@EACH
def test_a_mistake_stands_at_its_field_and_what_was_typed_stays(client, name):
    field = next(iter(decision_named(name).inputs.model_fields))
    answer = client.get(f"{example(name)}&{field}=%26x%3D-1e99&purchase=on_demnd", headers=HTML)
    assert answer.status_code == 422
    assert 'data-problem-of="purchase"' in answer.text
    assert "on_demnd" in answer.text


@EACH
def test_a_body_that_is_no_object_is_refused(client, name):
    assert problem(client.post(f"/api/v1/{name}", json=[1]))["errors"][0]["loc"] == ["body"]


@EACH
def test_help_lists_every_parameter(name):
    done = run(name, "--help")
    assert done.returncode == 0
    for parameter in decision_named(name).inputs.model_fields:
        assert f"--{parameter.replace('_', '-')}" in done.stdout


def test_a_year_of_demand_comes_from_a_file(tmp_path):
    path = tmp_path / "demand.csv"
    path.write_text("hour,demand\n" + "\n".join(f"{h},{9000 if h % 24 < 12 else 1000}" for h in range(8760)), "utf-8")
    asked = ("fleet", "--unit", "output_token", "--offer", "10", "H100-SXM:8=9000", "--format", "json", "--hourly")
    body = json.loads(run(*asked, f"@{path}").stdout)
    # One machine all the time: 10 · 730.
    assert body["figures"]["available_usd_per_month"] == 7300
    assert body["figures"]["mean_per_second"] == 5000
    assert "can't be read" in refusal(*asked, f"@{tmp_path}/nothing.csv")


@EACH
def test_the_prices_it_rests_on_stand_with_date_and_source(client, name):
    body = client.get(example(name, ".json")).json()
    page = Page(client.get(example(name), headers=HTML).text)
    shown = [li.text for li in page.all("li") if li.around[-1].attributes.get("class") == "sources"]
    assert body["prices_used"]
    assert len(shown) == len(body["prices_used"])
    for each, text in zip(body["prices_used"], shown, strict=True):
        assert each["name"] in text
        assert (each["observed_on"] or "typed in") in text
        assert each["source"] in text
