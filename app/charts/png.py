"""A drawing as PNG: drawn here with fonts of our own, so that it is the same on every machine."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

FONTS = Path(__file__).parent / "fonts"
# Twice the drawing's size, for screens with fine pixels.
ZOOM = 2


# A page that many read asks for one picture again and again.
@lru_cache(32)
def png(svg: str) -> bytes:
    """Return a drawing as PNG, in its light colours; the last ones are kept."""
    # Only asked for here: the library is not small.
    import resvg_py  # noqa: PLC0415

    fonts = [str(path) for path in sorted(FONTS.glob("*.ttf"))]
    return resvg_py.svg_to_bytes(
        svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=fonts, font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans", background="#ffffff",
    )  # fmt: skip
