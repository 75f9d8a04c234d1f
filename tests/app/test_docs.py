"""The documentation names everything there is, its examples run, and answers have the documented shape."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import shlex

import pytest

from app import routes
from app.openapi import EXAMPLE_BODY, AnswerOut, PriceListOut, ProblemOut
from app.routes.about import EXAMPLES
from pricing.browse import PRICE_PARAMETERS
from pricing.chips import CHIP_PARAMETERS
from pricing.columns import COLUMNS
from pricing.flags import FLAGS
from pricing.matching import REASONS
from pricing.measurements import LATENCIES
from pricing.parameters import DETAILS, PARAMETERS
from pricing.question import FiltersIn, MeasurementIn, QuestionIn
from pricing.units import UNITS
from tests.app.asking import GOOD, POST, Page

NAMED = {
    "/compare": (*PARAMETERS, *(f"m1.{name}" for name in (*DETAILS, *LATENCIES))),
    "/prices": PRICE_PARAMETERS,
    "/accelerators": CHIP_PARAMETERS,
}
SERVED = {f"{name}{ending}": names for name, names in NAMED.items() for ending in (".json", ".csv")}
OPERATIONS = {**dict.fromkeys(SERVED, "get"), POST: "post", "/api/v1/prices/import": "post"}
HEALTH = ("/healthz", "/readyz", "/metrics")
OPERATIONS |= dict.fromkeys(HEALTH, "get")


def is_machine(path):
    """Whether a path is for programs, not a page."""
    return (
        path.startswith("/api/")
        or path.endswith((".json", ".csv", ".xlsx", ".tsv", ".md", ".svg", ".png"))
        or path in HEALTH
    )


@pytest.fixture(scope="module")
def document(client):
    return client.get("/openapi.json").json()


@pytest.fixture(scope="module")
def docs(client):
    return Page(client.get("/docs").text)


def section(docs, heading):
    """Return the terms of the lists in the section with a heading."""
    (found,) = [e.around[-1] for e in docs.all("h2") if e.text == heading]
    return [e.text for e in docs.all("dt") if found in e.around]


@pytest.mark.parametrize(("address", "names"), SERVED.items())
def test_the_page_names_every_parameter_of_an_address(docs, address, names):
    terms = [term.split(" ")[0].rstrip(",") for term in section(docs, f"GET {address}")]
    assert terms == list(dict.fromkeys(terms))
    assert set(terms) == set(names)


def test_the_page_names_every_field_of_a_posted_question(docs):
    terms = {term.split(" ")[0] for term in section(docs, f"POST {POST}")}
    assert terms == {*QuestionIn.model_fields, *MeasurementIn.model_fields, *FiltersIn.model_fields}


def test_the_page_names_every_operation_and_column(docs):
    headings = [e.text for e in docs.all("h2")]
    assert {f"{verb.upper()} {address}" for address, verb in OPERATIONS.items()} <= set(headings)
    terms = {e.text.split(" ")[0] for e in docs.all("dt")}
    assert {column.name for column in COLUMNS} <= terms
    assert {"total", "excluded", "warnings", "baseline", "prices"} <= terms


@pytest.mark.parametrize("address", EXAMPLES.values())
def test_the_examples_run(client, docs, address):
    assert address in [a.attributes["href"] for a in docs.all("a")]
    answer = client.get(address)
    assert answer.status_code == 200
    if address.endswith("csv") or ".csv?" in address:
        assert answer.text.count("\r\n") >= 2


def test_the_example_of_a_post_runs_as_it_stands_on_the_page(client, docs):
    (command,) = [code.text for code in docs.all("code") if f"{POST} -d" in code.text]
    words = shlex.split(command)
    body = json.loads(words[words.index("-d") + 1])
    assert body == EXAMPLE_BODY
    assert words[3] == f"http://testserver{POST}"
    answer = client.post(POST, content=json.dumps(body), headers={"content-type": words[2].partition(": ")[2]})
    assert answer.status_code == 200
    assert {e["provider"] for e in answer.json()["estimates"]} >= {"own"}
    assert {e["measurement"] for e in answer.json()["estimates"]} >= {"my H100 run"}


def test_the_openapi_document_has_every_address(client, document):
    assert re.fullmatch(r"3\.\d+\.\d+", document["openapi"])
    assert document["info"]["title"] == "PerDollar"
    found = {(path, verb) for path, verbs in document["paths"].items() for verb in verbs}
    assert found >= set(OPERATIONS.items())
    modules = [importlib.import_module(f"app.routes.{module.name}") for module in pkgutil.iter_modules(routes.__path__)]
    served = {
        (route.path, verb.lower())
        for module in modules
        for route in module.router.routes
        if route.include_in_schema
        for verb in route.methods - {"HEAD"}
    }
    assert served == found
    assert all(is_machine(path) for path, _ in found)


def test_every_operation_is_described(document):
    operations = [verbs[verb] for verbs in document["paths"].values() for verb in verbs]
    names = [operation["operationId"] for operation in operations]
    assert sorted(names) == sorted(set(names))
    for operation in operations:
        assert operation["summary"]
        assert operation["description"]
        assert operation["tags"]
        assert "200" in operation["responses"]
        assert all(response["description"] for response in operation["responses"].values())


@pytest.mark.parametrize(("address", "names"), SERVED.items())
def test_parameters_are_described(document, address, names):
    given = document["paths"][address]["get"]["parameters"]
    assert sorted(parameter["name"] for parameter in given) == sorted(names)
    for parameter in given:
        assert parameter["in"] == "query"
        assert parameter["description"]
        assert parameter["schema"]["type"] in ("string", "array", "integer", "number")
    required = [parameter["name"] for parameter in given if parameter["required"]]
    assert required == (["unit", "m"] if address.startswith("/compare") else [])


def test_errors_are_described(document):
    for address, verbs in document["paths"].items():
        for operation in verbs.values():
            responses = operation["responses"]
            statuses = {"413"} | ({"415"} if "requestBody" in operation else set())
            statuses |= {"422"} if operation.get("parameters") and "{" not in address else set()
            assert responses.keys() >= statuses or address in HEALTH
            for status in {status for status in responses if status >= "400"}:
                schema = responses[status]["content"]["application/problem+json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ProblemOut"}


def test_contents_are_described(document):
    for address in SERVED:
        content = document["paths"][address]["get"]["responses"]["200"]["content"]
        assert ("text/csv" if address.endswith(".csv") else "application/json") in content
    body = document["paths"][POST]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == {"$ref": "#/components/schemas/QuestionIn"}


def test_every_reference_leads_somewhere(client, document):
    schemas = document["components"]["schemas"]
    references = re.findall(r'"\$ref":\s*"([^"]+)"', json.dumps(document))
    assert len(references) > 10
    assert {name for name in references if not name.startswith("#/components/schemas/")} == set()
    assert {name.rpartition("/")[2] for name in references} <= set(schemas)
    assert all("properties" in schema or "anyOf" in schema or "enum" in schema for schema in schemas.values())


def test_answers_have_the_documented_shape(client, document):
    schemas = document["components"]["schemas"]
    answer = client.get(f"/compare.json?{GOOD}&m=aws/trn1.32xlarge=5~1")
    AnswerOut.model_validate_json(answer.content, extra="forbid")
    assert set(answer.json()) == set(schemas["AnswerOut"]["properties"])
    assert list(answer.json()["estimates"][0]) == list(schemas["Estimate"]["properties"])
    listed = client.get("/prices.json")
    PriceListOut.model_validate_json(listed.content, extra="forbid")
    assert list(listed.json()["prices"][0]) == list(schemas["Price"]["properties"])
    ProblemOut.model_validate_json(client.get("/compare.json?unit=x").content, extra="forbid")


def test_the_method_names_what_it_uses(client):
    page = Page(client.get("/method").text)
    terms = [e.text for e in page.all("dt")]
    assert [column.name for column in COLUMNS] == terms[-len(COLUMNS) :]
    assert {name.replace("_", " ") for name in (*FLAGS, *REASONS)} <= set(terms)
    rows = [row.text for row in page.all("tr") if row.inside("tbody")]
    assert len(rows) == len(UNITS)
    for unit, row in zip(UNITS.values(), rows, strict=True):
        assert all(text in row for text in (unit.id, unit.cost_unit, unit.rate_field, unit.short_key))
    assert "730 and 8,760 hours" in page.by_id("main").text


def test_the_worked_example_of_the_method_is_what_the_app_says(client):
    page = Page(client.get("/method").text)
    link = page.link("See it on the comparison page")
    assert client.get(link).status_code == 200
    answer = client.get(link.replace("/compare?", "/compare.json?") + "&limit=1000").json()
    costs = {
        e["measurement"]: f"{int(e['cost_usd'] * 1e6) / 1e6:.6f}…"
        for e in answer["estimates"]
        if e["instance_type"] == "trn1.32xlarge" and e["region"] == "us-east-1"
    }
    assert costs == {"Trainium1:16": "0.597222…", "Trainium1:5": "0.663580…"}
    assert all(cost in page.by_id("main").text for cost in costs.values())


def test_health(client):
    body = client.get("/healthz").json()
    assert body["status"] == "ok"
    answer = client.get(f"/compare.json?{GOOD}").json()["prices"]
    assert (body["price_rows"], body["prices_sha256"]) == (answer["rows"], answer["sha256"])
    assert re.fullmatch("[0-9a-f]{64}", body["prices_sha256"])
