"""Links of the OpenAPI document: how a value of one answer is used in the next question.

The OpenAPI Specification, section "Link Object"; a value that begins with $ is an expression.
"""

from __future__ import annotations

from typing import Any

Links = dict[str, dict[str, Any]]
_ASKED = {"unit": "output_token", "m": ["H100-SXM:8=5200"]}
_FIRST_CHIP = "$response.body#/accelerators/0/accelerator"
_RUN = "$response.body#/files/0/measurements/0"


def operation_id(path: str, verb: str) -> str:
    """Name an operation by its verb and address: GET /compare.json is get_compare_json."""
    words = path.removeprefix("/api/v1").replace("{", "").replace("}", "").replace(".", "/").replace("-", "_")
    return "_".join([verb.lower(), *filter(None, words.split("/"))])


def _link(operation: str, description: str, **parameters: Any) -> dict[str, Any]:
    return {"operationId": operation, "description": description, "parameters": parameters}


OF_TABLE: Links = {
    "compare": _link(
        "get_compare_json", "Ask of the table beside the one in use.", table="$response.body#/table", **_ASKED
    ),
    "prices": _link("get_prices_json", "See what the table adds.", table="$response.body#/table"),
    "changes": _link("get_prices_changes_json", "See what the table changes.", table="$response.body#/table"),
    "table": _link("get_prices_import_name_csv", "Take the table away as CSV.", name="$response.body#/table"),
}
OF_COMPARISON: Links = {
    "prices": _link(
        "get_prices_json",
        "See the prices of the first estimate's instance type.",
        provider=["$response.body#/estimates/0/provider"],
        instance_type=["$response.body#/estimates/0/instance_type"],
    ),
    "baseline": _link(
        "get_compare_json",
        "Compare with the same baseline again.",
        baseline="$response.body#/baseline/name",
        unit="$response.body#/unit",
        m=["{$response.body#/estimates/0/accelerator}:{$response.body#/estimates/0/accelerator_count}=1000"],
    ),
}
OF_PRICES: Links = {
    "history": _link(
        "get_prices_svg",
        "See how the first price moved.",
        provider=["$response.body#/prices/0/provider"],
        instance_type=["$response.body#/prices/0/instance_type"],
        region=["$response.body#/prices/0/region"],
        purchase=["$response.body#/prices/0/purchase"],
    ),
}
OF_CHANGES: Links = {
    "prices": _link(
        "get_prices_json",
        "See the prices of the offer that moved most.",
        provider=["$response.body#/changes/0/provider"],
        instance_type=["$response.body#/changes/0/instance_type"],
    ),
}
OF_ACCELERATORS: Links = {
    "prices": _link("get_prices_json", "See the first accelerator's prices.", accelerator=[_FIRST_CHIP]),
    "compare": _link(
        "get_compare_json",
        "Ask what a million tokens cost on it.",
        unit="output_token",
        m=[f"{{{_FIRST_CHIP}}}:1=1000"],
    ),
}
OF_RUNS: Links = {
    "compare": _link(
        "get_compare_json",
        "Compare the first run, where the file names its hardware.",
        unit="output_token",
        m=[f"{{{_RUN}/accelerator}}:{{{_RUN}/accelerator_count}}={{{_RUN}/rates/output_tokens_per_second}}"],
    ),
}


def of_receipt(kind: str) -> Links:
    """Return the links of a receipt of a question that was given as JSON."""
    return {
        "again": {
            "operationId": operation_id(f"/api/v1/{kind}", "post"),
            "description": "Ask the same question of today's prices.",
            "requestBody": "$response.body#/asked/question",
        }
    }
