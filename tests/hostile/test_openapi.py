"""Generated requests over the whole OpenAPI document: no failure, and no answer that the document does not describe.

`make test` asks a few of each operation; `make fuzz` asks many (PERDOLLAR_FUZZ_EXAMPLES of each) and counts them.
"""

from __future__ import annotations

import os

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from app.main import create_app

MANY = int(os.environ.get("PERDOLLAR_FUZZ_EXAMPLES", "0"))
EXAMPLES = MANY or 1
SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate] if MANY else [Phase.generate],
)  # fmt: skip
# What a schema can't say: which values go together, and which names a table knows. JSON takes "true", 1 and "on"
# for true, as the same fields of a form are sent.
NOT_HELD = [positive_data_acceptance, negative_data_rejection]
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app())


@schema.parametrize()
@SETTINGS
def test_every_operation(case, counted):
    counted(case.operation.label)
    case.call_and_validate(excluded_checks=NOT_HELD)


class Stateful(schema.as_state_machine()):
    """Follows the document's links: an uploaded table is asked of, a receipt checked."""

    def validate_response(self, response, case, **more):
        case.validate_response(response, excluded_checks=NOT_HELD)


TestStateful = Stateful.TestCase
TestStateful.settings = settings(SETTINGS, max_examples=max(EXAMPLES, 2), stateful_step_count=5)
