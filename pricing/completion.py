"""What a half-typed name of hardware may become: accelerators and instance types, in the notation of each field."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pricing.accelerators import Accelerator, Catalogue, UnknownNameError, folded
from pricing.market import PriceTable
from pricing.notation import split_count

MOST = 20
# A longer text is no name of hardware that is being typed.
MOST_TYPED = 100
# With so few accelerators in question, each is offered in several sizes.
_FEW, _SIZES = 3, 4
FORMS = ("m", "hardware", "offer", "accelerator", "quote")
_EXACT, _PREFIX, _WITHIN, _BY_ACCELERATOR = range(4)


@dataclass(frozen=True, slots=True)
class Choice:
    """One completion: the field's whole text, and what it stands for."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """Something that can be named: its spellings, folded and as written, and the counts in which it is sold.

    `provider` is '' for an accelerator, `accelerator` '' for an instance type without one.
    """

    spellings: tuple[tuple[str, str], ...]
    name: str
    provider: str
    accelerator: str
    said: str
    counts: tuple[int, ...]
    offers: int


def choices(typed: str, form: str, table: PriceTable, catalogue: Catalogue) -> list[Choice]:
    """Return the completions of what was typed, at most 20, the nearest first.

    First comes the name itself, then names that begin so, names that hold it, and instance types by their
    accelerator; of each the accelerators before the types, the most offered before the others.

    `form` is what the field takes: `m` HARDWARE=, `hardware` ACCELERATOR:COUNT or PROVIDER/TYPE, `offer`
    PROVIDER/TYPE, `accelerator` a name alone, `quote` PROVIDER/TYPE@ACCELERATOR:COUNT=.
    """
    label, name, counts = _taken_apart(typed, form, catalogue)
    if not folded(name) or len(typed) > MOST_TYPED:
        return []
    found = sorted(_matching(name, form, _entries(table, catalogue)), key=_order)
    few = len({entry.name for _, _, entry in found if not entry.provider}) <= _FEW
    result: dict[str, Choice] = {}
    for _, spelling, entry in found:
        for count in _sizes(entry, counts, few=few):
            value = label + _written(entry, count, form)
            result.setdefault(value, Choice(value, _said(value, spelling, entry, count)))
        if len(result) >= MOST:
            break
    return list(result.values())[:MOST]


def _taken_apart(typed: str, form: str, catalogue: Catalogue) -> tuple[str, str, tuple[int, ...]]:
    """Split off a label, and a count as in `H100:4`, `8xH100` or `tpu-v5p-8`; nothing is left after '='."""
    label, at, rest = typed.partition("@")
    if form != "m" or not at:
        label, at, rest = "", "", typed
    if "=" in rest or (form == "quote" and "@" in rest):
        return "", "", ()
    name, text = split_count(rest.strip())
    if text and text.isascii() and text.isdigit() and len(text) <= 5 and int(text):
        return label + at, name, (int(text),)
    try:
        resolved = catalogue.resolve(name)
    except UnknownNameError:
        return label + at, name, ()
    if resolved.count is None:
        return label + at, name, ()
    return label + at, resolved.accelerator, (resolved.count,)


def _matching(name: str, form: str, entries: Iterable[_Entry]) -> Iterator[tuple[int, str, _Entry]]:
    """Return how, and by which spelling, each entry that suits the field matches; a name with '/' is a type's."""
    wanted, accelerators = folded(name), set()
    types = form in ("offer", "quote") or "/" in name
    for entry in entries:
        rank, spelling = _rank(wanted, entry)
        if entry.provider:
            # The accelerators come first in `entries`, so that types are found by theirs.
            if rank is None and entry.accelerator in accelerators:
                rank = _BY_ACCELERATOR
            suits = form != "accelerator"
        else:
            if rank is not None and "/" not in name:
                accelerators.add(entry.accelerator)
            suits = not types
        if rank is not None and suits:
            yield rank, spelling, entry


def _rank(wanted: str, entry: _Entry) -> tuple[int | None, str]:
    """How the text stands in the best of the spellings, and that spelling."""
    best: int | None = None
    by = ""
    for key, spelling in entry.spellings:
        rank = _EXACT if key == wanted else _PREFIX if key.startswith(wanted) else _WITHIN
        if wanted in key and (best is None or rank < best):
            best, by = rank, spelling
    return best, by


def _order(found: tuple[int, str, _Entry]) -> tuple[int, bool, int, str]:
    rank, _, entry = found
    return rank, bool(entry.provider), 0 if entry.provider else -entry.offers, entry.name


def _sizes(entry: _Entry, counts: tuple[int, ...], *, few: bool) -> tuple[int, ...]:
    if not entry.provider:
        return counts or entry.counts[: _SIZES if few else 1]
    if not counts:
        return entry.counts
    return tuple(count for count in entry.counts if count in counts)


def _written(entry: _Entry, count: int, form: str) -> str:
    if form == "accelerator":
        return entry.name
    if not entry.provider:
        hardware = f"{entry.name}:{count}"
    elif form == "quote":
        hardware = f"{entry.name}@{entry.accelerator}:{count}" if entry.accelerator else entry.name
    else:
        hardware = f"{entry.name}:{count}" if len(entry.counts) > 1 else entry.name
    return f"{hardware}=" if form in ("m", "quote") else hardware


def _said(value: str, spelling: str, entry: _Entry, count: int) -> str:
    """Say what a completion stands for, and by which name it was found where it does not show that."""
    hardware = f"{count} × {entry.accelerator}" if entry.accelerator else ""
    label = ", ".join(part for part in (entry.said, hardware) if part)
    return f"{spelling}: {label}" if spelling and folded(spelling) not in folded(value) else label


_kept: OrderedDict[str, list[_Entry]] = OrderedDict()


def _entries(table: PriceTable, catalogue: Catalogue) -> list[_Entry]:
    """Everything that can be named, accelerators first; kept for the tables asked last."""
    found = _kept.get(table.sha256)
    if found is None:
        found = _kept[table.sha256] = [*_accelerators(table, catalogue), *_types(table, catalogue)]
        while len(_kept) > 4:
            _kept.popitem(last=False)
    return found


def _accelerators(table: PriceTable, catalogue: Catalogue) -> Iterator[_Entry]:
    sold: dict[str, Counter[int]] = {}
    words = table.columns.words["accelerator"]
    pairs, times = np.unique(np.stack([words.codes, table.columns.count]), axis=1, return_counts=True)
    for (code, count), offers in zip(pairs.T.tolist(), times.tolist(), strict=True):
        sold.setdefault(words.vocabulary[code], Counter())[count] = offers
    spelt: dict[str, list[str]] = {}
    for row in catalogue.aliases.values():
        for name in row["accelerator"].split("|"):
            spelt.setdefault(name, []).append(row["alias"])
    for chip in catalogue.accelerators.values():
        offers = sold.get(chip.accelerator, Counter())
        spellings = [chip.accelerator, chip.family, *sorted(spelt.get(chip.accelerator, ()), key=len)]
        yield _Entry(
            tuple((folded(text), text) for text in spellings),
            chip.accelerator, "", chip.accelerator, chip.vendor, _by_use(chip, offers), offers.total(),
        )  # fmt: skip


def _by_use(chip: Accelerator, offers: Counter[int]) -> tuple[int, ...]:
    """Counts in which a chip is sold, the commonest first; of equally common ones the largest that one host holds."""
    host = chip.host_accelerators or 1
    return tuple(sorted(offers, key=lambda count: (-offers[count], count > host, -count))) or (host,)


def _types(table: PriceTable, catalogue: Catalogue) -> Iterator[_Entry]:
    columns = table.columns
    words = [columns.words[name] for name in ("provider", "instance_type", "accelerator")]
    codes = np.unique(np.stack([word.codes for word in words]), axis=1)
    for row in codes.T.tolist():
        provider, kind, accelerator = (word.vocabulary[code] for word, code in zip(words, row, strict=True))
        seller = catalogue.providers.get(provider)
        name = f"{provider}/{kind}"
        yield _Entry(
            ((folded(kind), kind), (folded(name), name)),
            name, provider, accelerator, seller.name if seller else provider,
            tuple(table.sizes_of(provider, kind)), 1,
        )  # fmt: skip
