"""Take every page in every state into screenshots/, and the README's two into docs/screenshots: `make screenshots`."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

from tests.browser.pages import VIEWS
from tests.browser.running import chromium, server

ROOT = Path(__file__).parents[2]
LOOKS = {"desk-light": (1280, "light"), "phone-dark": (390, "dark")}
MORE = {"desk-dark": (1280, "dark"), "phone-light": (390, "light")}
# The README's two are small: drawn on a canvas and written as WebP by the browser itself.
SMALLER = """async (png) => {
  const picture = Object.assign(new Image(), { src: `data:image/png;base64,${png}` });
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0);
  return canvas.toDataURL("image/webp", 0.8).split(",")[1];
}"""


def main(words: list[str]) -> int:
    """Take the views named, or all of them; `--all` in the other two looks too."""
    looks = LOOKS | (MORE if "--all" in words else {})
    names = [word for word in words if word != "--all"]
    unknown = [name for name in names if name not in VIEWS]
    if unknown:
        print(f"no view {', '.join(unknown)}; there are {', '.join(VIEWS)}", file=sys.stderr)
        return 2
    out = ROOT / "screenshots"
    out.mkdir(exist_ok=True)
    with server() as base, chromium() as browser:
        for look, (width, scheme) in looks.items():
            height = 844 if width < 1000 else 900
            context = browser.new_context(
                base_url=base, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            for name in names or VIEWS:
                VIEWS[name].show(page, opening=False)
                page.screenshot(path=out / f"{re.sub('[^a-z]+', '-', name)}.{look}.png", full_page=True)
            if not names and look in LOOKS:
                page.goto("/")
                png = base64.b64encode(page.screenshot()).decode()
                page.goto("about:blank")
                (ROOT / "docs/screenshots" / f"compare-{look}.webp").write_bytes(
                    base64.b64decode(page.evaluate(SMALLER, png))
                )
            context.close()
    return 0


sys.exit(main(sys.argv[1:]))
