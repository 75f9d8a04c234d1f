"""Text in drawings: what may stand in one, how wide it is, and how it is cut or wrapped to fit."""

from __future__ import annotations

import unicodedata

# Advances of printable ASCII in DejaVu Sans, in thousandths of the size, from the blank on. Few fonts are
# wider, so that text which fits in this one fits in a reader's own as well.
_ASCII = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)  # fmt: skip
_BOLD = 1.13
_WIDE, _OTHER = 1000, 850
# Joiners make letters of some scripts and whole emoji; every other format character may reorder or hide text.
_JOINERS = "\u200c\u200d"
# More letters than any place has room for: what is longer is cut before it is looked at.
_MOST = 400


def clean(text: str) -> str:
    """Return a text without what XML forbids and without characters that reorder or hide others; blanks in one."""
    kept = "".join(
        " " if ch.isspace() else ch
        for ch in text[:_MOST]
        if ch.isspace() or ch in _JOINERS or unicodedata.category(ch) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return " ".join(kept.split())


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is at a font size, in the same unit; rather too much than too little."""
    total = sum(_advance(ch) for ch in text)
    return total * size / 1000 * (_BOLD if bold else 1)


def _advance(ch: str) -> int:
    if " " <= ch <= "~":
        return _ASCII[ord(ch) - 32]
    if unicodedata.combining(ch):
        return 0
    return _WIDE * 5 // 4 if unicodedata.east_asian_width(ch) in "WF" else _OTHER


def clip(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Return a text that fits in a room, cut with an ellipsis where it does not."""
    text = clean(text)
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(f"{text}…", size, bold=bold) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wrap(text: str, room: float, size: float, most: int, *, bold: bool = False) -> list[str]:
    """Return a text in at most so many lines that fit in a room; the last is cut where more would follow."""
    lines, words = [""], clean(text).split(" ")
    for i, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, bold=bold) <= room or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = f"{lines[-1]} {' '.join(words[i:])}"
            break
        else:
            lines.append(word)
    return [clip(line, room, size, bold=bold) for line in lines]
