"""What the tests of sweeps share: results as rows, and the same rows as a comparison gives them."""

import csv
import io
import math

from pricing.accelerators import catalogue
from pricing.columns import COLUMNS, Coded
from pricing.compare import compare, parts
from pricing.reading import Reader
from pricing.sweeps.results import TOP
from pricing.sweeps.scenarios import Scenarios
from tests.pricing.small import TODAY


def scenarios_of(path, table, rows, today=TODAY):
    """Write rows, mappings from column to text, as a scenario file, and read it."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(file.getvalue(), newline="")
    return list(Scenarios(path, Reader(table, catalogue(), today)).read())


def rows_of(result):
    """Return a result as rows, None for unknown."""
    columns = {}
    for name, values in result.items():
        if isinstance(values, Coded):
            columns[name] = [values.vocabulary[c] or None if c >= 0 else None for c in values.codes.tolist()]
        else:
            columns[name] = [None if math.isnan(v) else v for v in values.tolist()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def compared(scenario, table, as_of=TODAY):
    """Return the answers of a comparison to a scenario, one for each group of measurements, with the groups."""
    answer = compare(scenario.question(table, as_of), catalogue(), all_rows=True)
    groups = sorted(set(answer.groups.values()))
    return answer, list(zip(groups, parts(answer, catalogue(), all_rows=True), strict=True)) if groups else []


def expected_top(scenarios, table, top, as_of=TODAY):
    """Return the rows of the cheapest `top`, as comparisons give them."""
    by_name = {column.name: column for column in COLUMNS}
    shared = [column.name for column in TOP if column.name in by_name]
    blank = dict.fromkeys(column.name for column in TOP)
    rows = []
    for scenario in scenarios:
        answer, groups = compared(scenario, table, as_of)
        stated = {"scenario": scenario.id, "cost_unit": scenario.unit.cost_unit}
        if not groups:
            rows.append(blank | stated | {"left_out": reason(answer)})
        for group, part in groups:
            if part.total:
                values = zip(*(by_name[name].python(part.page) for name in shared), strict=True)
                found = [blank | dict(zip(shared, row, strict=True)) for row in values][:top]
            else:
                found = [blank | {"left_out": reason(part)}]
            rows += [row | stated | {"comparable_group": group} for row in found]
    return rows


def expected_summary(scenarios, table, as_of=TODAY):
    """Return number, lowest and mean cost of each scenario's estimates, as comparisons give them."""
    rows = []
    for scenario in scenarios:
        answer, groups = compared(scenario, table, as_of)
        for group, part in groups or [(None, answer)]:
            cost = part.page.cost
            rows.append(
                {
                    "scenario": scenario.id,
                    "estimates": part.total,
                    "cost_min_usd": cost.min() if part.total else None,
                    "cost_mean_usd": cost.mean() if part.total else None,
                    "cost_unit": scenario.unit.cost_unit,
                    "comparable_group": group,
                    "left_out": None if part.total else reason(part),
                }
            )
    return rows


def reason(answer):
    """Return what was left out, as a sweep says it."""
    return "|".join(f"{excluded.reason}:{excluded.count}" for excluded in answer.excluded) or "no_offer"
