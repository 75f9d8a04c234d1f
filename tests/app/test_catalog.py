"""The catalog has every text of the code, said in Portuguese, and nothing else."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from app.service import TEMPLATES
from tests import catalog

# Words that Portuguese writes as English does, names, formulas and ways to write input.
SAME = frozenset(
    (
        "API", "Benchmarks", "Hardware", "Token",
        "RTF", "RTFx", "Software", "Total", "USD", "USD.", "hardware", "oceania", "rtf", "spot",
        "tokens", "tokens/s", "vcpus", "api", "cv a", "cv b",
        *(f"{kind} {at}" for kind in ("itl", "tpot", "ttft", "e2e") for at in ("p50", "p90", "p95", "p99")),
        "1 / RTFx.", "P / (RTFx · u).", "PROVIDER/INSTANCE_TYPE.", "PROVIDER/MODEL.", "Φ(ln(C_B / C_A) / se).",
        "accelerator_count: {error}",
    )
)  # fmt: skip
PLACES = re.compile(r"%\(\w+\)s|(?<!\{)\{\w+(?::[^{}]*)?\}|<\w+[^<>]*>|</\w+>|%%")


def test_every_text_is_in_the_catalog_and_nothing_else():
    kept = {tuple(m.id) if isinstance(m.id, (list, tuple)) else m.id for m in catalog.read() if m.id}
    assert kept == catalog.wanted(), "make catalog brings them in; then translate them"


def test_nothing_is_fuzzy_obsolete_or_without_a_translation():
    messages = catalog.read()
    assert not messages.obsolete
    for message in messages:
        if message.id:
            assert not message.fuzzy
            strings = message.string if message.pluralizable else (message.string,)
            assert all(strings), message.id


def test_a_translation_has_the_places_of_its_text():
    for message in catalog.read():
        if not message.id:
            continue
        ids = message.id if message.pluralizable else (message.id,)
        strings = message.string if message.pluralizable else (message.string,)
        for text, string in zip(ids, strings, strict=True):
            wanted, found = Counter(PLACES.findall(text)), Counter(PLACES.findall(string))
            # A place may be said once where English says it twice; a link and its text never.
            assert set(wanted) == set(found), text
            # Blanks at the ends hold joined sentences apart.
            assert (text[0] == " ", text[-1] == " ") == (string[0] == " ", string[-1] == " "), text


def test_a_translation_is_none_where_it_is_the_same():
    same = {m.id for m in catalog.read() if m.id and m.string == m.id}
    assert same <= SAME, sorted(same - SAME)
    assert same >= SAME & {m.id for m in catalog.read()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on demand", "sob demanda"), ("reserved", "reservada"), ("savings plan", "plano de economia"),
        ("Utilization", "Utilização"), ("Break-even", "Ponto de equilíbrio"), ("Throughput", "Vazão"),
        ("USD per 1M output tokens", "USD por 1M de tokens de saída"), ("USD per audio-hour", "USD por hora de áudio"),
    ],
)  # fmt: skip
def test_the_words_of_the_trade(text, said):
    assert catalog.read()[text].string == said


def test_templates_translate_no_variable_by_a_call():
    # The call marks its text as HTML that is safe, and breaks on a per cent sign; `| said` does neither.
    found = [
        f"{path.name}: {match[0]}"
        for path in TEMPLATES.glob("*.html")
        for match in re.finditer(r"\b_\((?![\"'])[^)]*\)", path.read_text())
    ]
    assert found == []
