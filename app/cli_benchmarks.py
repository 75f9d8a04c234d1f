"""Commands that read what benchmark tools wrote."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands import FILE, fail, fail_of, format_option, write

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("read")
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--hardware", metavar="HARDWARE", help="On what it ran, where the file does not say: H100-SXM:8.")
@format_option
def read(paths: tuple[Path, ...], hardware: str | None, form: str) -> None:
    """Read result files of benchmark tools: rates, latency, load, model, hardware, and what they do not say.

    \b
    perdollar read results.json --format json
    perdollar read sweep/ --hardware H100-SXM:8
    """
    from app.exports import dumps, table_csv
    from pricing.accelerators import catalogue
    from pricing.benchmarks.reading import ENDINGS, read_benchmarks
    from pricing.errors import InvalidInputError
    from pricing.sources.document import documents

    try:
        files, errors = read_benchmarks(documents(paths, ENDINGS), catalogue())
    except InvalidInputError as error:
        fail_of(error)
    for refused in errors:
        for fault in refused.faults:
            click.echo(f"perdollar: {fault.msg}", err=True)
    if not files:
        sys.exit(2)
    if hardware is not None:
        for each in files:
            for run in each["measurements"]:  # type: ignore[attr-defined]
                _stated(run, hardware)
    if form == "json":
        write([dumps({"files": files}), b"\n"])
    elif form == "csv":
        write(table_csv(*_rows(files)))
    else:
        click.echo("\n".join(_lines(files)))


def _stated(run: dict[str, Any], hardware: str) -> None:
    """Put the hardware that the user states in the place of what the file says."""
    from pricing.accelerators import UnknownNameError, catalogue
    from pricing.notation import split_count

    if "/" in hardware:
        run["provider"], _, run["instance_type"] = hardware.partition("/")
        return
    name, count = split_count(hardware)
    try:
        found = catalogue().resolve(name)
    except UnknownNameError as error:
        fail(str(error))
    if count is not None and not count.isdecimal():
        fail(f"{hardware!r} is not ACCELERATOR:COUNT, such as H100-SXM:8")
    run["accelerator"] = found.accelerator
    run["accelerator_count"] = int(count) if count else found.count or 1


def _rows(files: Any) -> tuple[list[str], Iterator[list[object]]]:
    from pricing.measurements import LATENCIES
    from pricing.units import RATE_FIELDS

    plain = (
        "label", "model", "precision", "stack", "accelerator", "accelerator_count", "provider", "instance_type",
        "success_rate", "concurrency", "request_rate", "input_tokens", "output_tokens", "measured_on", "evidence",
        "source",
    )  # fmt: skip
    header = ["file", "format", *plain, *RATE_FIELDS, *LATENCIES, "flags"]

    def rows() -> Iterator[list[object]]:
        for each in files:
            for run in each["measurements"]:
                yield [
                    each["file"], each["format"], *(run[name] for name in plain),
                    *(run["rates"].get(name) for name in RATE_FIELDS),
                    *(run["latency_seconds"][name] for name in LATENCIES), "|".join(run["flags"]),
                ]  # fmt: skip

    return header, rows()


def _lines(files: Any) -> Iterator[str]:
    from app.format import UNKNOWN, percent, significant
    from app.terminal import aligned
    from pricing.benchmarks.usage import hardware_of, pairs_of, point_of, unit_of

    for each in files:
        yield f"{each['file']}: {each['format']}"
        if each["missing"]:
            yield f"  not in the file: {', '.join(each['missing'])}"
        for warning in each["warnings"]:
            yield f"  note: {warning}"
    yield ""
    runs = [run for each in files for run in each["measurements"]]
    names = ("output_tokens", "input_tokens", "total_tokens", "audio_seconds", "requests")
    cells = [
        (
            run["label"], hardware_of(run) or UNKNOWN,
            *(significant(run["rates"].get(f"{name}_per_second"), 5) for name in names),
            percent(run["success_rate"]) if run["success_rate"] is not None else UNKNOWN, point_of(run),
            ", ".join(run["flags"]),
        )
        for run in runs
    ]  # fmt: skip
    header = ("run", "hardware", "output/s", "input/s", "total/s", "RTFx", "requests/s", "succeeded", "load", "marks")
    yield from aligned(header, cells, (2, 3, 4, 5, 6, 7))
    usable = [run for run in runs if run["rates"]]
    if usable:
        unit = unit_of(usable)
        yield ""
        yield "To compare:"
        for run in usable:
            (_, text), *_ = pairs_of(run, 1, hardware_of(run) or "HARDWARE", unit)
            yield f"  perdollar compare --unit {unit.id} {shlex.quote(text)}"
