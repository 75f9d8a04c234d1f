"""Charts as pictures: what they hold, that no text breaks them, and how others may show them."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from xml.etree import ElementTree

import pytest

from app.charts.canvas import DARK, LIGHT, SERIES_DARK, SERIES_LIGHT, STYLE, Canvas
from app.charts.letters import clean, clip, width, wrap
from app.charts.png import FONTS, png
from pricing.decisions import DECISIONS, decision_named
from tests.app.asking import DAY, problem
from tests.browser.asking import CURVES

SVG = "{http://www.w3.org/2000/svg}"
ASKED = {"unit": "audio_hour", "m": "mine@H100-SXM:1=36~9", "provider": "acme", "as_of": DAY}
HISTORY = {"provider": "aws", "instance_type": "trn2.48xlarge", "region": "us-east-2", "purchase": "spot"}
HOSTILE = [
    "<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>&amp;", "]]>", "&#x0;", "\u202eabc\u202c",
    "שלום עולם", "😀👩‍👩‍👧‍👦", "漢字" * 40, "W" * 10_000,
    "a\ufffeb", "\ufeffx", "\x85y", "e\u0301" * 50, "\U000e0041tag",
]  # fmt: skip


def picture(client, address, params):
    """Return a picture's root element, read by a strict parser."""
    answer = client.get(address, params=params)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml"), answer.text[:300]
    return parsed(answer.content)


def parsed(content):
    return ElementTree.fromstring(content)  # noqa: S314 - our own


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def pixels(data):
    """Return width, height and the pixels, as bytes a line, of a PNG of 8 bits and 3 or 4 channels."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    wide, high, depth, colours, *_ = head
    channels = {2: 3, 6: 4}[colours]
    assert depth == 8
    raw, line, lines = zlib.decompress(packed), wide * channels, []
    before = bytearray(line)
    for row in range(high):
        start = row * (line + 1)
        now = bytearray(raw[start + 1 : start + 1 + line])
        unfilter(raw[start], now, before, channels)
        lines.append(bytes(now))
        before = now
    return wide, high, channels, lines


def unfilter(kind, now, before, channels):
    """Undo the filter of one line (PNG specification, section 9)."""
    for i in range(len(now)):
        left = now[i - channels] if i >= channels else 0
        corner = before[i - channels] if i >= channels else 0
        up = before[i]
        if kind == 4:
            guess = left + up - corner
            added = min((left, up, corner), key=lambda value: abs(guess - value))
        else:
            added = (0, left, up, (left + up) // 2)[kind]
        now[i] = (now[i] + added) & 255


def luminance(colour):
    """Return the relative luminance of WCAG 2.2 of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_plot_holds_the_answer(acme):
    root = picture(acme, "/compare.svg", ASKED)
    assert (root.get("width"), root.get("viewBox")) == ("800", f"0 0 800 {root.get('height')}")
    assert root.find(f"{SVG}title").text == "The cheapest 2 of 2: USD per audio-hour · PerDollar"
    assert root.find(f"{SVG}desc").text.startswith("Cheapest: acme =box, 8: 0.0694 USD per audio-hour. PerDollar · ")
    sha = acme.get("/compare.json", params=ASKED).json()["prices"]["sha256"]
    said = texts(root)
    assert said[:3] == ["The cheapest 2 of 2: USD per audio-hour", "lines are ranges of the throughput", "mine"]
    assert said[3:8] == ["0", "0.0500", "0.100", "0.150", "USD per audio-hour"]
    assert said[8:14] == [
        *("1. acme =box, 8", "eu-1 · on demand · 8 × H100-SXM", "0.0694"),
        *("2. acme box-1", "eu-1 · on demand · 1 × H100-SXM", "0.100"),
    ]
    assert re.fullmatch(
        rf"PerDollar · prices as of {DAY}, seen \S+ to \S+ · table {sha[:12]}", said[14]
    ), said[14]  # fmt: skip
    # The plot is 372 wide from 314: at 0.1 of 0.15 the second dot lies at 562, its range from 0.08 to 0.133.
    titled = [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]
    assert titled[1].find(f"{SVG}title").text == (
        "2. acme box-1, eu-1 · on demand · 1 × H100-SXM, mine: 0.100 USD per audio-hour (0.0800 to 0.133)"
    )
    assert titled[1].find(f"{SVG}circle").get("cx") == "562"
    (x1, y1), (x2, y2) = (map(float, p.split(",")) for p in titled[1].find(f"{SVG}polyline").get("points").split())
    assert (x1, x2, y1) == (
        pytest.approx(314 + 372 * 0.08 / 0.15, abs=0.06),
        pytest.approx(314 + 372 * 0.8 / 0.9, abs=0.06),
        y2,
    )


def test_a_picture_needs_nothing_from_elsewhere(client):
    body = client.get("/compare.svg", params={"unit": "output_token", "m": "H100-SXM:8=5200"}).text
    assert not re.search(r"<script|href|url\(|@import|<foreignObject|<image|<use|\son\w+=", body)
    assert "style=" not in body
    assert body.count("<style>") == 1


def test_groups_that_cant_be_compared_stand_apart(client):
    asked = {
        "unit": "output_token", "m": ["a@H100-SXM:8=5200", "b@MI300X:8=5000"], "m1.model": "one", "m2.model": "two",
    }  # fmt: skip
    said = texts(picture(client, "/compare.svg", asked))
    assert [text for text in said if text.startswith("Group ")] == ["Group 1: a", "Group 2: b"]
    assert len([text for text in said if text.startswith("1. ")]) == 2


def test_how_the_page_shows_its_table_changes_no_picture(acme):
    plain = acme.get("/compare.svg", params=ASKED).text
    assert acme.get("/compare.svg", params=ASKED | {"price_per": "month", "explain": "1"}).text == plain
    (only,) = [
        t for t in texts(picture(acme, "/compare.svg", ASKED | {"where.instance_type": "box-1"})) if t[:2] == "1."
    ]
    assert only == "1. acme box-1"


def test_nothing_found_is_said(client):
    said = texts(picture(client, "/compare.svg", {"unit": "output_token", "m": "H100-SXM:512=5200"}))
    assert said[0] == "Cost in USD per 1M output tokens: no estimate"


def test_unmeasured_throughputs_are_hollow_and_said(acme):
    root = picture(acme, "/compare.svg", ASKED | {"m1.evidence": "claimed"})
    assert "mine (claimed)" in texts(root)
    circles = list(root.iter(f"{SVG}circle"))
    assert len(circles) == 3
    assert {(c.get("class"), c.get("fill"), c.get("stroke")) for c in circles} == {
        ("ground", "#ffffff", "currentColor")
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_break_nothing(client, text):
    # Longer ones are refused before they are drawn; the next test draws them.
    label = text[:150]
    asked = {"unit": "output_token", "m": [f"{label}@L4=5", "L4=6"], "quote": f"a/{label}@L4:1=0.01"}
    for address in ("/compare.svg", "/compare/tornado.svg"):
        root = picture(client, address, asked)
        known = {"svg", "title", "desc", "style", "rect", "g", "text", "line", "polyline", "polygon", "circle"}
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= known
        assert any(clean(label)[:9] in said for said in texts(root))
        for element in root.iter(f"{SVG}text"):
            fits(element)


def fits(element):
    """Check that a text stays within the picture, by the widths of the widest font that it may have."""
    size, x = float(element.get("font-size")), float(element.get("x"))
    wide = width(element.text or "", size, bold=element.get("font-weight") == "bold")
    start = x - {"middle": wide / 2, "end": wide}.get(element.get("text-anchor"), 0)
    assert start >= 0, element.text
    assert start + wide <= 800, element.text


@pytest.mark.parametrize("text", HOSTILE)
def test_drawn_text_stays_well_formed(text):
    canvas = Canvas()
    canvas.text(0, 10, text)
    canvas.group(0, text)
    root = parsed(canvas.finished(text, text))
    assert {e.text for e in root.iter(f"{SVG}title")} == {clean(text)}
    assert png(canvas.finished(text, text)).startswith(b"\x89PNG")


def test_text_is_cleaned_cut_and_wrapped():
    assert clean(" a\n\tb\x00\u202e c\u200d") == "a b c\u200d"
    # H is 752 thousandths wide, the ellipsis at most 850.
    assert width("HH", 1000) == 1504
    assert clip("HHHHH", 3760, 1000) == "HHHHH"
    assert clip("HHHHH", 3759, 1000) == "HHH…"
    assert wrap("HH HH HH", 1600, 1000, 3) == ["HH", "HH", "HH"]
    assert wrap("HH HH HH", 2400, 1000, 2) == ["HH", "HH…"]
    assert width("漢", 1000) == 1250


DECIDED = [name for name in DECISIONS if decision_named(name).chart]


def test_every_decision_with_a_chart_says_so(client):
    assert set(DECIDED) == {"break-even", "commit", "move", "fleet", "api-prices"}
    for name in set(DECISIONS) - set(DECIDED):
        page = client.get(f"/{name}")
        assert '<figure class="chart' not in page.text
        problem(client.get(f"/{name}.svg"), 404)


@pytest.mark.parametrize("name", DECIDED)
def test_decisions_are_drawn(client, name):
    decision = decision_named(name)
    address = f"/{name}.svg"
    said = texts(picture(client, address, list(decision.example)))
    page = client.get(f"/{name}").text
    (caption,) = re.findall(r"<figcaption>([^:<]+):", page)
    assert said[0] == caption
    assert said[-1].startswith("PerDollar · prices as of ")
    assert client.get(f"/{name}.png", params=list(decision.example)).content.startswith(b"\x89PNG")


def test_cost_against_latency_is_drawn(client):
    root = picture(client, "/compare/latency.svg", CURVES)
    said = texts(root)
    assert said[0] == "Cost against latency"
    assert {"ttft p99, seconds", "USD per 1M output tokens"} <= set(said)
    titles = [t.text for t in root.iter(f"{SVG}title")]
    assert len([t for t in titles if re.match(r"[ab][12]: \d", t)]) == 4


def test_a_tornado_is_drawn(acme):
    said = texts(picture(acme, "/compare/tornado.svg", ASKED))
    assert said[2] == "acme =box, 8, mine: 0.0694 USD per audio-hour"
    at = said.index("Throughput")
    assert said[at : at + 3] == ["Throughput", "360 to 216 RTFx (audio seconds/s)", "0.0556 to 0.0926"]


def test_a_history_is_of_one_offer(client):
    said = texts(picture(client, "/prices.svg", HISTORY))
    assert said[0] == "Price of aws trn2.48xlarge, us-east-2, spot"
    assert "2026-10-03" in said
    detail = problem(client.get("/prices.svg", params={"provider": "aws"}))["detail"]
    assert re.fullmatch(r"\d+ offers match; name provider, instance_type, region and purchase of one", detail)


@pytest.mark.parametrize("address", ["/compare.svg", "/compare.png", "/compare/tornado.png", "/fleet.svg"])
def test_errors_are_problems(client, address):
    answer = client.get(address, params={"unit": "x"})
    problem(answer)
    assert "cache-control" not in answer.headers


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_others_may_show_and_keep_them(client, ending):
    asked = {"unit": "output_token", "m": "H100-SXM:8=5200", "as_of": DAY}
    answer = client.get(f"/compare.{ending}", params=asked)
    headers = answer.headers
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["cache-control"] == "public, max-age=3600"
    assert headers["content-disposition"] == f'inline; filename="perdollar-output_token-{DAY}.{ending}"'
    for said in (headers["etag"], f"W/{headers['etag']}", f'"x", {headers["etag"]}'):
        again = client.get(f"/compare.{ending}", params=asked, headers={"if-none-match": said})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", headers["etag"])
    other = client.get(f"/compare.{ending}", params=asked | {"m": "H100-SXM:8=5300"})
    assert other.headers["etag"] != headers["etag"]
    assert client.get("/compare.csv", params=asked).headers.get("cross-origin-resource-policy") is None


def test_the_policy_allows_the_one_style_and_nothing_else(client):
    answer = client.get("/compare.svg", params={"unit": "output_token", "m": "H100-SXM:8=5200"})
    style = parsed(answer.content).find(f"{SVG}style").text
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert answer.headers.get_list("content-security-policy") == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'"
    ]
    for name in ("x-content-type-options", "x-frame-options", "referrer-policy", "permissions-policy"):
        assert len(answer.headers.get_list(name)) == 1


def test_the_language_of_a_picture_is_english_for_all(client):
    asked = {"unit": "output_token", "m": "H100-SXM:8=5200", "as_of": DAY}
    one, other = (
        client.get("/compare.svg", params=asked, headers={"accept-language": x}).text for x in ("en", "pt-BR")
    )
    assert one == other


def test_a_png_is_twice_the_size_and_shows_marks_and_letters(acme):
    asked = ASKED | {"m": ["a@H100-SXM:1=36", "b@H100-SXM:1=30"]}
    height = int(picture(acme, "/compare.svg", asked).get("height"))
    answer = acme.get("/compare.png", params=asked)
    assert answer.headers["content-type"] == "image/png"
    wide, high, channels, lines = pixels(answer.content)
    assert (wide, high) == (1600, 2 * height)
    colours: dict[bytes, int] = {}
    for line in lines:
        for i in range(0, len(line), channels):
            colour = line[i : i + 3]
            colours[colour] = colours.get(colour, 0) + 1
    counted = {name: colours.get(bytes.fromhex(colour[1:]), 0) for name, colour in (
        *LIGHT.items(), ("a", SERIES_LIGHT[0]), ("b", SERIES_LIGHT[1]))}  # fmt: skip
    assert counted["ground"] > 0.8 * wide * high
    # A mark is about 4 · 25 · π pixels, of each series two and one in the key; letters are thousands.
    assert counted["a"] > 600
    assert counted["b"] > 600
    assert counted["ink"] > 2000
    assert counted["muted"] > 2000


def test_the_fonts_have_the_letters_of_names():
    # Missing letters would be boxes or nothing: the same text must not come out empty.
    def drawn(text):
        canvas = Canvas()
        canvas.text(10, 20, text)
        canvas.y = 30
        return png(canvas.finished("", ""))

    assert sorted(path.name for path in FONTS.glob("*.ttf")) == ["DejaVuSans-Bold.ttf", "DejaVuSans.ttf"]
    blank = drawn("")
    found = [drawn(letter) for letter in "aZ0é×±·…€µçãЖΩ→≤"]
    assert blank not in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(("scheme", "series"), [(LIGHT, SERIES_LIGHT), (DARK, SERIES_DARK)], ids=["light", "dark"])
def test_contrast(scheme, series):
    assert contrast("#000000", "#ffffff") == 21
    assert [name for name in ("ink", "muted") if contrast(scheme[name], scheme["ground"]) < 4.5] == []
    assert [colour for colour in series if contrast(colour, scheme["ground"]) < 3] == []


def test_the_style_names_every_colour_of_the_dark():
    assert all(colour in STYLE for colour in (*DARK.values(), *SERIES_DARK))
    assert "</" not in STYLE
