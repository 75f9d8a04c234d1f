"""The catalog of translations against the texts of the code: `python -m tests.catalog` brings it up to date.

Texts come from calls (`_`, `gettext`, `say`, …) and from the closed lists that pages show: units,
flags, reasons, columns, decisions and their figures, words of purchase, evidence and so on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, get_args, get_origin

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

from app.languages import CATALOGS
from app.openapi import CHANGES_DOCS, COMPARE_DOCS, PRICES_DOCS
from app.routes.decisions import SHOWN_AS_TEXT
from app.view import HEADINGS
from pricing.accelerators import catalogue
from pricing.benchmarks.reading import FORMATS as BENCHMARK_FORMATS
from pricing.benchmarks.result import FLAGS as RUN_FLAGS
from pricing.browse import SCHEMA_COLUMNS
from pricing.changes import KINDS
from pricing.columns import COLUMNS
from pricing.comparability import PARTS
from pricing.decisions import DECISIONS, decision_named
from pricing.decisions.decision import Decision, Figure
from pricing.flags import FLAGS
from pricing.matching import REASONS, REMEDIES
from pricing.measurements import EVIDENCE as MEASURED
from pricing.measurements import LATENCIES
from pricing.numbers import COMMA
from pricing.offers import AVAILABILITY, EVIDENCE, PURCHASES
from pricing.question import MeasurementIn
from pricing.refusals import PYDANTIC
from pricing.sources.draft import LEFT_OUT
from pricing.sources.importing import FORMATS as PRICE_FORMATS
from pricing.units import UNITS, scales

ROOT = Path(__file__).parents[1]
CATALOG = CATALOGS / "pt_BR" / "LC_MESSAGES" / "perdollar.po"
KEYWORDS: dict[str, Any] = {**DEFAULT_KEYWORDS, "say": None, "word": None}
# Values of the closed lists that decisions fill their tables and sentences with.
VALUES = (
    "a", "b", "price", "throughput", "utilization", "rises", "falls", "your figure", "machine", "api", "same", "fixed",
    "scaled", "mixed", "commit", "on demand", "batch", "streaming", "lower", "upper", "Before", "After",
    "no like price of A", "no upfront", "all upfront", "partial upfront", "convertible", "your price", "typed in",
)  # fmt: skip
# Statuses that pages of errors have.
STATUSES = (400, 403, 404, 405, 413, 415, 422, 429, 500)
# Newer tables of plurals have a third form, for whole millions, that no text here needs.
PLURALS = "nplurals=2; plural=(n > 1);"
Id = str | tuple[str, str]


def words_of(text: str) -> bool:
    """Whether a text has anything to translate outside its places for values."""
    return re.search(r"[A-Za-z]{2}", re.sub(r"\{[^{}]*\}|%\(\w+\)s|<[^>]*>", "", text)) is not None


def texts() -> Iterator[str]:
    """Yield the texts of the closed lists, and the words of their names."""
    yield COMMA
    yield from (" or ", " and ")
    yield from VALUES
    yield from PYDANTIC.values()
    yield from (HTTPStatus(status).phrase for status in STATUSES)
    for closed in (FLAGS, REASONS, RUN_FLAGS):
        yield from closed.values()
        yield from names(closed)
    yield from REMEDIES.values()
    yield from LEFT_OUT.values()
    yield from (heading.label for heading in HEADINGS)
    yield from (scale.label for unit in UNITS.values() for scale in scales(unit))
    for named in (PURCHASES, EVIDENCE, AVAILABILITY, MEASURED, KINDS, catalogue().area_names()):
        yield from names(named)
    yield from (column.doc for column in COLUMNS)
    yield from names(column.name for column in (*COLUMNS, *SCHEMA_COLUMNS))
    yield from (part.words for part in PARTS)
    yield from names(part.name for part in PARTS)
    yield from (module.WHAT for module in (*BENCHMARK_FORMATS, *PRICE_FORMATS))
    yield from names([*COMPARE_DOCS, *PRICES_DOCS, *CHANGES_DOCS, *MeasurementIn.model_fields, *LATENCIES])
    for name, (_, said) in DECISIONS.items():
        yield said
        yield from decision_texts(decision_named(name))


def decision_texts(decision: Decision) -> Iterator[str]:
    """Yield what the page of a decision says of it."""
    yield from (decision.title, decision.intro, *decision.roles, *decision.verdicts.values())
    yield from names(decision.verdicts)
    yield from (COMPARE_DOCS[name][0] for name in decision.takes if name in SHOWN_AS_TEXT)
    yield from figure_texts(decision.figures)
    for table in decision.tables:
        yield from (table.title, table.note)
        yield from figure_texts(table.columns)
    for name, info in decision.inputs.model_fields.items():
        yield from (info.title or name, info.description or "")
        yield from names([name])
        for kind in (info.annotation, *get_args(info.annotation)):
            if get_origin(kind) is not None and all(isinstance(choice, str) for choice in get_args(kind)):
                yield from names(get_args(kind))


def figure_texts(figures: Iterable[Figure]) -> Iterator[str]:
    """Yield label, unit and explanation of figures."""
    for figure in figures:
        yield from (figure.label, figure.unit, figure.doc)


def names(closed: Iterable[str]) -> Iterator[str]:
    """Yield the words of identifiers, as the filter `words` says them."""
    yield from (name.replace("_", " ") for name in closed)


def wanted() -> set[Id]:
    """Return what the catalog must have: texts, or pairs of singular and plural."""
    found: set[Id] = set()
    sources = (
        ("app", [("**.py", "python")], {}),
        ("pricing", [("**.py", "python")], {}),
        ("templates", [("**.html", "jinja2")], {"**.html": {"trimmed": "true", "newstyle_gettext": "true"}}),
    )
    for folder, methods, options in sources:
        for _, _, message, _, _ in extract_from_dir(str(ROOT / folder), methods, options, KEYWORDS):
            made = Message(message)
            if words_of(made.id if isinstance(made.id, str) else made.id[0]):
                found.add(made.id)
    # A text that also has a plural is found by its singular.
    singulars = {key[0] for key in found if not isinstance(key, str)}
    found |= {str.__str__(text) for text in texts() if words_of(text)}
    return found - singulars


def read() -> Catalog:
    """Read the catalog."""
    with CATALOG.open("rb") as file:
        return read_po(file, locale="pt_BR")


def update() -> tuple[int, list[Id]]:
    """Write the catalog anew: translations are kept, what nothing says any more goes.

    Returns its size and what has no translation.
    """
    kept = read()
    new = Catalog("pt_BR", fuzzy=False)
    new.mime_headers = [("Plural-Forms", PLURALS)]
    missing: list[Id] = []
    for key in sorted(wanted(), key=str):
        old = kept.get(key if isinstance(key, str) else key[0])
        string = old.string if old is not None else ""
        new.add(key, string, flags=())
        if not string or not all(string):
            missing.append(key)
    text = BytesIO()
    write_po(text, new, width=100, omit_header=True, sort_output=True)
    header = (
        'msgid ""\nmsgstr ""\n"Language: pt_BR\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {PLURALS}\\n"\n\n'
    )
    # Whether a text has places for values is plain to see, and Babel takes "2 % of" for one.
    body = re.sub(r"^#, .*\n", "", text.getvalue().decode(), flags=re.MULTILINE)
    CATALOG.write_text(header + body.rstrip() + "\n", encoding="utf-8")
    return len(list(new)) - 1, missing


if __name__ == "__main__":
    size, untranslated = update()
    sys.stdout.write(f"{size} texts, {len(untranslated)} without a translation\n")
    sys.stdout.writelines(f"  {text!r}\n" for text in untranslated)
