"""Every mistake on a machine address is problem details that say where it is and what would be right."""

from __future__ import annotations

import pytest

from tests.app.asking import DAY, GOOD, HTML, POST, problem

MACHINE = ("/compare.json", "/compare.csv", "/prices.json", "/prices.csv", "/accelerators.json", "/accelerators.csv")
MEASUREMENT = '{"hardware":"L4:1","rates":{"output_tokens_per_second":1}}'


def body_with(more):
    return f'{{"unit":"output_token","measurements":[{MEASUREMENT}],{more}}}'


@pytest.mark.parametrize(
    ("query", "loc", "words"),
    [
        ("m=H100-SXM:8=5200", ["unit"], "unit is missing"),
        ("unit=tokens&m=L4=1", ["unit"], "output_token"),
        ("unit=output_token&unit=request&m=L4=1", ["unit"], "given twice"),
        ("unit=output_token", ["m"], "a measurement is missing"),
        ("unit=output_token&m=L4=0", ["m", 0], "above 0"),
        ("unit=output_token&m=L4=-5", ["m", 0], "above 0"),
        ("unit=output_token&m=L4=nan", ["m", 0], "not a number"),
        ("unit=output_token&m=L4=inf", ["m", 0], "not a number"),
        ("unit=output_token&m=L4=1e400", ["m", 0], "too large"),
        ("unit=output_token&m=L4=1e300", ["m", 0], "check its unit"),
        ("unit=output_token&m=L4=1e-300", ["m", 0], "check its unit"),
        ("unit=output_token&m=L4=" + "9" * 5000, ["m", 0], "too large"),
        ("unit=output_token&m=L4=", ["m", 0], "is missing"),
        ("unit=output_token&m=L4=fast", ["m", 0], "not a number"),
        ("unit=output_token&m=L4=5,200", ["m", 0], "two readings"),
        ("unit=output_token&m=L4=5~", ["m", 0], "a number is missing"),
        ("unit=output_token&m=L4=5/x", ["m", 0], "not a number"),
        ("unit=output_token&m=L4=fps:5", ["m", 0], "not a kind of rate"),
        ("unit=output_token&m=L4:0=5", ["m", 0], "whole number from 1"),
        ("unit=output_token&m=L4:1.5=5", ["m", 0], "whole number from 1"),
        ("unit=output_token&m=L4:1000000000000=5", ["m", 0], "whole number from 1"),
        ("unit=output_token&m=H1000:8=5", ["m", 0], "Did you mean"),
        ("unit=output_token&m=L4=5&m=H1000:8=5", ["m", 1], "Did you mean"),
        ("unit=output_token&m=A100:8=5", ["m", 0], "A100-40GB or A100-80GB"),
        ("unit=output_token&m=8xH100:4=5", ["m", 0], "already means 8"),
        ("unit=output_token&m=aws/trn1.32xlage=5", ["m", 0], "Did you mean aws/trn1.32xlarge"),
        (f"{GOOD}&utilization=0", ["utilization"], "greater than 0"),
        (f"{GOOD}&utilization=-0.5", ["utilization"], "greater than 0"),
        (f"{GOOD}&utilization=1.01", ["utilization"], "less than or equal to 1"),
        (f"{GOOD}&utilization=50", ["utilization"], "less than or equal to 1"),
        (f"{GOOD}&utilization=0.5&utilization=0.6", ["utilization"], "given 2 times with different values"),
        (f"{GOOD}&as_of=2026-01-01&as_of=2026-01-02", ["as_of"], "given 2 times with different values"),
        (f"{GOOD}&limit=5&limit=6", ["limit"], "given 2 times with different values"),
        (f"{GOOD}&baseline=a&baseline=b", ["baseline"], "given 2 times with different values"),
        (f"{GOOD}&limit=0", ["limit"], "from 1 to 1,000"),
        (f"{GOOD}&limit=-1", ["limit"], "from 1 to 1,000"),
        (f"{GOOD}&limit=1001", ["limit"], "from 1 to 1,000"),
        (f"{GOOD}&provider=asw", ["provider", 0], "Did you mean aws"),
        (f"{GOOD}&provider=aws&provider=asw", ["provider", 1], "Did you mean aws"),
        (f"{GOOD}&purchase=ondemand", ["purchase", 0], "Did you mean on_demand"),
        (f"{GOOD}&area=europa", ["area", 0], "Did you mean europe"),
        (f"{GOOD}&vendor=nvida", ["vendor", 0], "Did you mean nvidia"),
        (f"{GOOD}&region=us-esat-1", ["region", 0], "us-east-1"),
        (f"{GOOD}&sort=cost", ["sort"], "Did you mean cost_usd"),
        (f"{GOOD}&providr=aws", ["providr"], "Did you mean provider"),
        (f"{GOOD}&m1.modle=x", ["m1.modle"], "Did you mean m1.model"),
        (f"{GOOD}&m2.model=x", ["m2"], "there is no measurement 2"),
        (f"{GOOD}&baseline=nobody", ["baseline"], "neither a measurement's label"),
        (f"{GOOD}&as_of=2999-01-01", ["as_of"], "after today"),
        (f"{GOOD}&as_of=20260101", ["as_of"], "YYYY-MM-DD"),
        (f"{GOOD}&quote=acme", ["quote", 0], "is not a quote"),
        (f"{GOOD}&quote=acme/x@H100-SXM:8=0", ["quote", 0], "not a price"),
        (f"{GOOD}&m=a%00b@L4=1", ["m"], "control character"),
        (f"{GOOD}&m=%ff", [], "UTF-8"),
        (f"{GOOD}&m=%ed%a0%80", [], "UTF-8"),
    ],
)  # fmt: skip
def test_bad_queries(client, query, loc, words):
    body = problem(client.get(f"/compare.json?{query}"))
    assert [error["loc"] for error in body["errors"]] == [["query", *loc]]
    assert words in body["errors"][0]["msg"]
    assert body["detail"] == body["errors"][0]["msg"]
    assert body["title"] == "Unprocessable Entity"
    assert problem(client.get(f"/compare.csv?{query}")) == body
    page = client.get(f"/compare?{query}", headers=HTML)
    assert page.status_code == 422
    assert "Not yet an answer" in page.text


def test_all_faults_of_a_query_are_told(client):
    body = problem(client.get("/compare.json?unit=output_token&m=L4=0&m=L4=x&utilization=2&limit=0&foo=1"))
    assert {tuple(error["loc"][1:]) for error in body["errors"]} >= {("m", 0), ("m", 1), ("limit",), ("foo",)}
    assert body["detail"].startswith(f"{len(body['errors'])} things are wrong; the first: ")


@pytest.mark.parametrize("address", MACHINE)
def test_an_unknown_parameter_is_refused_everywhere(client, address):
    error = problem(client.get(f"{address}?{GOOD if 'compare' in address else ''}&srot=x"))["errors"][0]
    assert error == {"loc": ["query", "srot"], "msg": "'srot' is not a parameter. Did you mean sort?"}


@pytest.mark.parametrize("address", [*MACHINE, "/prices", "/accelerators", "/compare"])
def test_blank_parameters_and_those_of_campaigns_count_for_nothing(client, address):
    query = f"{GOOD}&as_of={DAY}" if "compare" in address else ""
    odd = f"{query}&utm_source=a&utm_anything=%3C&vendor=&sort="
    if "compare" in address:
        odd += "&provider=&region=%20&m=&quote=&baseline=&limit=&as_of=&include_unconfirmed="
    plain, other = client.get(f"{address}?{query}"), client.get(f"{address}?{odd}")
    assert (plain.status_code, other.status_code) == (200, 200)
    if address in MACHINE:
        assert other.content == plain.content


def test_what_is_accepted_though_it_looks_odd(client):
    def estimates(more):
        return client.get(f"/compare.json?{GOOD}&as_of={DAY}{more}").json()["estimates"]

    assert estimates("&utilization=50%25")[0]["utilization"] == 0.5
    assert estimates("&utilization=0.5&utilization=0.5") == estimates("&utilization=0.5")
    assert estimates("&sort=rank&sort=-rank") == estimates("&sort=-rank")
    assert estimates("&offset=3&offset=5") == estimates("&offset=5")
    assert estimates("&purchase=spot&purchase=spot") == estimates("&purchase=spot")


def test_an_offset_beyond_the_end_is_an_empty_page_with_a_warning(client):
    beyond = client.get(f"/compare.json?{GOOD}&offset=100000")
    assert beyond.status_code == 200
    assert beyond.json()["estimates"] == []
    assert beyond.json()["offset"] == 100000
    assert [w["code"] for w in beyond.json()["warnings"]].count("offset_beyond_end") == 1
    assert client.get(f"/compare.csv?{GOOD}&offset=100000").text.count("\r\n") == 1
    assert client.get("/prices.json?offset=100000").json()["prices"] == []


def test_a_rate_of_another_kind_is_left_out_never_converted(client):
    answer = client.get("/compare.json?unit=output_token&m=L4=in:100").json()
    assert answer["total"] == 0
    assert [(e["reason"], e["count"]) for e in answer["excluded"]] == [("no_rate_for_unit", 1)]
    assert {w["code"] for w in answer["warnings"]} >= {"no_estimates", "no_baseline"}


@pytest.mark.parametrize(
    ("content", "loc", "words"),
    [
        (b"", [], "not JSON"),
        (b'{"unit":', [], "not JSON"),
        (b"{'unit':1}", [], "not JSON"),
        (b"\xff\xfe", [], "not JSON"),
        (b'{"unit":"\xff"}', [], "not JSON"),
        (b"[" * 100_000, [], "nested deeper than 32 levels"),
        (b'{"unit":"\\ud800"}', [], "not JSON"),
        (b'{"unit":NaN}', [], "not JSON"),
        (b'{"unit":Infinity}', [], "not JSON"),
        (b'{"limit":' + b"9" * 5000 + b"}", [], "not JSON"),
        (b"null", [], "must be a JSON object"),
        (b"[]", [], "must be a JSON object"),
        (b'"x"', [], "must be a JSON object"),
        (b"{}", ["unit"], "is missing"),
        (b'{"unit":"output_token"}', ["measurements"], "is missing"),
        (b'{"unit":"output_token","measurements":[]}', ["measurements"], "at least 1 item"),
        (b'{"unit":"output_token","measurements":"L4=5"}', ["measurements"], "measurements"),
        (b'{"unit":"output_token","measurements":[1]}', ["measurements", 0], "measurements.0"),
        (b'{"unit":"output_token","measurements":[{"accelerator":"L4"}]}', ["measurements", 0, "rates"], "is missing"),
        (b'{"unit":"tokens","measurements":[{"hardware":"L4","rates":{"requests_per_second":1}}]}', ["unit"], "unit"),
        (body_with('"foo":1'), ["foo"], "is not a field"),
        (body_with('"utilisation":1'), ["utilisation"], "Did you mean utilization"),
        (body_with('"limit":0'), ["limit"], "greater than or equal to 1"),
        (body_with('"limit":-1'), ["limit"], "greater than or equal to 1"),
        (body_with('"limit":1001'), ["limit"], "less than or equal to 1000"),
        (body_with('"limit":"5"'), ["limit"], "integer"),
        (body_with('"limit":true'), ["limit"], "integer"),
        (body_with('"limit":' + "9" * 30), ["limit"], "integer"),
        (body_with('"offset":-1'), ["offset"], "greater than or equal to 0"),
        (body_with('"utilization":50'), ["utilization"], "less than or equal to 1"),
        (body_with('"utilization":0'), ["utilization"], "greater than 0"),
        (body_with('"utilization":true'), ["utilization"], "is not a share"),
        (body_with('"as_of":20261101'), ["as_of"], "YYYY-MM-DD"),
        (body_with('"as_of":"2999-01-01"'), ["as_of"], "after today"),
        (body_with('"sort":"cost"'), ["sort"], "Did you mean cost_usd"),
        (body_with('"baseline":"nobody"'), ["baseline"], "neither"),
        (body_with('"filters":{"provider":["asw"]}'), ["filters", "provider", 0], "Did you mean aws"),
        (body_with('"filters":{"providr":["aws"]}'), ["filters", "providr"], "Did you mean provider"),
        (body_with('"filters":["aws"]'), ["filters"], "filters"),
        (body_with('"filters":{"provider":"aws\\u0000"}'), ["filters", "provider", 0], "control character"),
        (body_with('"quotes":["acme"]'), ["quote", 0], "is not a quote"),
        (body_with('"offers":{"a":1}'), ["offers"], "offers"),
        (body_with('"offers":[[1]]'), ["offers", 0], "dictionary"),
        (body_with('"offers":[{"notes":' + "[" * 900 + "]" * 900 + "}]"), [], "nested deeper than 32 levels"),
        (body_with('"unit":' + "[" * 30 + "]" * 30), ["unit"], "string"),
        (body_with('"unit":' + "[" * 900 + "]" * 900), [], "nested deeper than 32 levels"),
    ],
    ids=str,
)
def test_bad_bodies(client, content, loc, words):
    answer = client.post(POST, content=content, headers={"content-type": "application/json"})
    body = problem(answer)
    assert body["errors"][0]["loc"] == ["body", *loc]
    assert words in body["detail"]


@pytest.mark.parametrize("rate", ["0", "-1", "true", "null", '"5"', "[]", "[1]", "[1,-1]", "[1,null]", '{"value":1}',
                                  '{"value":1,"plus_minus":-1}', '{"value":1,"plus_minus":1,"x":1}', "1e300", "1e-300",
                                  "99999999999999999999999999", '{"value":[],"plus_minus":1}'])  # fmt: skip
def test_bad_rates_in_json(client, rate):
    content = (
        f'{{"unit":"output_token","measurements":[{{"hardware":"L4","rates":{{"output_tokens_per_second":{rate}}}}}]}}'
    )
    body = problem(client.post(POST, content=content, headers={"content-type": "application/json"}))
    assert {tuple(error["loc"][:3]) for error in body["errors"]} == {("body", "measurements", 0)}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("price_usd_per_hour", 0, "not a price"), ("price_usd_per_hour", -1, "not a price"),
        ("price_usd_per_hour", None, "is missing"), ("price_usd_per_hour", "1,5", "two readings"),
        ("price_usd_per_hour", "1.234,56", "two readings"), ("price_usd_per_hour", True, "text or a number"),
        ("accelerator", "H1000", "Did you mean"), ("accelerator", None, "is missing"),
        ("accelerator_count", 1.5, "whole number"), ("accelerator_count", 0, "does not go with"),
        ("observed_on", "2999-01-01", "after today"), ("provider", {"a": 1}, "text or a number"),
        ("purchase", "ondemand", "on_demand"), ("price", 5, "Did you mean price_usd_per_hour"),
        ("instance_type", "a\0b", "control character"),
    ],
)  # fmt: skip
def test_bad_inline_offers(client, field, value, words):
    offer = {"provider": "own", "instance_type": "rack", "accelerator": "L4", "accelerator_count": 1}
    offer |= {"price_usd_per_hour": 1, field: value}
    body = {"unit": "output_token", "measurements": [{"hardware": "L4:1", "rates": {"output_tokens_per_second": 1}}]}
    (error,) = problem(client.post(POST, json=body | {"offers": [offer]}))["errors"]
    assert error["loc"] == ["body", "offers", 0, field]
    assert words in error["msg"]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
        ("application/jsonx", 415), ("", 415), (None, 415), ("text/json", 415), ("nonsense", 415),
        ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON", 200),
        ("application/vnd.acme+json", 200),
    ],
)  # fmt: skip
def test_content_types(client, kind, status):
    headers = {} if kind is None else {"content-type": kind}
    answer = client.post(POST, content=body_with('"limit":1'), headers=headers)
    if status == 200:
        assert answer.json()["total"] > 0
    else:
        assert "application/json" in problem(answer, 415)["detail"]


@pytest.mark.parametrize(
    "address",
    [
        "/nothing.json", "/api/v2/compare", "/api/", "/prices.xml", "/%ff.csv", "/static/nothing.css", "/static/",
        "/static/%00", "/static/..%2fsettings.py", "/static/" + "a" * 300, "/static/vendor",
    ],
)  # fmt: skip
def test_nothing_there(client, address):
    accepted = HTML if address.startswith(("/api", "/static")) else {"accept": "*/*"}
    assert problem(client.get(address, headers=accepted), 404)["errors"] == []


def test_nothing_there_is_a_page_for_browsers(client):
    answer = client.get("/nothing", headers=HTML)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>404: Not Found</h1>" in answer.text
    assert 'href="/"' in answer.text
    problem(client.get("/nothing", headers={"accept": "application/json"}), 404)


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        *(("POST", address, "GET") for address in MACHINE),
        *(("DELETE", address, "GET") for address in ("/compare", "/prices", "/healthz", "/openapi.json")),
        ("GET", POST, "POST"), ("PUT", POST, "POST"), ("OPTIONS", POST, "POST"), ("TRACE", "/compare.json", "GET"),
    ],
)  # fmt: skip
def test_methods_that_an_address_does_not_take(client, method, address, allowed):
    answer = client.request(method, address, headers={"accept": "application/json"})
    assert problem(answer, 405)["detail"] == "This address does not take that method."
    assert allowed in answer.headers["allow"]


def test_a_browser_gets_a_page_for_a_wrong_method(client):
    answer = client.post("/prices", headers=HTML)
    assert answer.status_code == 405
    assert "<h1>405: Method Not Allowed</h1>" in answer.text
