"""Files that are made to break a reader: small on the disk, each by the code below."""

from __future__ import annotations

import gzip
import io
import stat
import zipfile

HEADING = "provider,instance_type,accelerator,accelerator_count,price_usd_per_hour,observed_on\n"
ROW = "acme,box,H100-SXM,1,4,2026-11-01\n"
TABLE = HEADING + ROW
ZEROS = 300 * 2**20


def zipped(*members, compression=zipfile.ZIP_DEFLATED):
    """Pack (name or ZipInfo, bytes)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def bomb(name="a.csv"):
    """A member of 300 MiB of zeros in 0.3 MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as member:
        for _ in range(ZEROS // 2**20):
            member.write(bytes(2**20))
    return out.getvalue()


def lying():
    """An archive whose directory says that a large member is small."""
    data = bytearray(bomb())
    for sign, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = data.find(sign) + place
        data[start : start + 4] = (100).to_bytes(4, "little")
    return bytes(data)


def linked():
    """A member that is a symbolic link out of the archive."""
    info = zipfile.ZipInfo("a.csv")
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped((info, b"/etc/passwd"))


def workbook(sheet, *, shared="", prologue=""):
    """A workbook of one sheet, by hand: `prologue` stands before its XML."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    form = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = [
        (
            "[Content_Types].xml",
            f'<Types xmlns="{types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
            f'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{form}.sheet.main+xml"/><Override '
            f'PartName="/xl/worksheets/sheet1.xml" ContentType="{form}.worksheet+xml"/></Types>',
        ),
        (
            "_rels/.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r" Type="{relations}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        ),
        (
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="s" sheetId="1" r:id="r"/></sheets>'
            "</workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r" Type="{relations}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        ),
        (
            "xl/worksheets/sheet1.xml",
            f'{prologue}<worksheet xmlns="{main}">{sheet}</worksheet>',
        ),
    ]
    return zipped(*parts)


def cells(*rows):
    """Write rows of text as a sheet's data."""
    made = []
    for number, row in enumerate(rows, 1):
        inner = "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in row)
        made.append(f'<row r="{number}">{inner}</row>')
    return f"<sheetData>{''.join(made)}</sheetData>"


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha" * 10}">' for i in range(10))
TITLES = HEADING.strip().split(",")
FILES = {
    "zip bomb": ("a.zip", bomb()),
    "zip that lies about its size": ("a.zip", lying()),
    "zip in a zip in a zip": ("a.zip", zipped(("b.zip", zipped(("c.zip", bomb()))))),
    "zip of many members": ("a.zip", zipped(*((f"{i}.csv", b"") for i in range(20_000)))),
    "zip that leads out of its folder": ("a.zip", zipped(("../../../tmp/out.csv", TABLE))),
    "zip with a link": ("a.zip", linked()),
    "zip cut off": ("a.zip", zipped(("a.csv", TABLE))[:-30]),
    "gzip bomb": ("a.json.gz", gzip.compress(bytes(ZEROS), 9, mtime=0)),
    "gzip cut off": ("a.csv.gz", gzip.compress(TABLE.encode(), mtime=0x2C2C2C2C)[:-12]),
    "JSON of 10^5 levels": ("a.json", b"[" * 100_000 + b"]" * 100_000),
    "JSON with objects of 10^5 levels": ("a.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "JSON with a number of 10^6 digits": ("a.json", b'{"a": ' + b"9" * 1_000_000 + b"}"),
    "JSON with NaN": ("a.json", b'[{"id": "vc", "hourly_cost": NaN}]'),
    "NUL in a table": ("a.csv", TABLE.encode().replace(b"box", b"b\0x")),
    "bytes that are no UTF-8": ("a.csv", TABLE.encode().replace(b"box", b"b\xff\xfex")),
    "two encodings in one file": ("a.csv", TABLE.encode() + "acmé,box,H100-SXM,2,8,2026-11-01\n".encode("latin-1")),
    "UTF-16 of an odd length": ("a.csv", TABLE.encode("utf-16")[:-1]),
    "price of 10^400": ("a.csv", TABLE.replace(",4,", f",1{'0' * 400},").encode()),
    "price of infinity": ("a.csv", TABLE.replace(",4,", ",inf,").encode()),
    "price of nan": ("a.csv", TABLE.replace(",4,", ",nan,").encode()),
    "price below 0": ("a.csv", TABLE.replace(",4,", ",-4,").encode()),
    "10^5 columns": ("a.csv", (",".join(f"c{i}" for i in range(100_000)) + "\n").encode() + b"," * 99_999),
    "field of 4 MB": ("a.csv", TABLE.replace("box", "x" * 4_000_000).encode()),
    "quote that never ends": ("a.csv", TABLE.replace("box", '"box').encode() * 1000),
    "workbook that laughs": (
        "a.xlsx",
        workbook(
            cells(TITLES, ["acme", "&l9;", "H100-SXM", "1", "4", "2026-11-01"]), prologue=f"<!DOCTYPE x [{LAUGHS}]>"
        ),
    ),
    "workbook that reads a file": (
        "a.xlsx",
        workbook(
            cells(TITLES, ["acme", "&e;", "H100-SXM", "1", "4", "2026-11-01"]),
            prologue='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        ),
    ),
    "workbook of all cells": ("a.xlsx", workbook(f'<dimension ref="A1:XFD1048576"/>{cells(TITLES)}')),
    "workbook with a far cell": (
        "a.xlsx",
        workbook('<sheetData><row r="1048576"><c r="XFD1048576" t="n"><v>1</v></c></row></sheetData>'),
    ),
    "workbook without parts": ("a.xlsx", zipped(("[Content_Types].xml", "<Types/>"))),
    "empty": ("a.csv", b""),
    "name that is a path": ("../../etc/passwd.csv", TABLE.encode()),
    "name with markup": ("<img src=x onerror=alert(1)>\"'.csv", b"no table"),
}
