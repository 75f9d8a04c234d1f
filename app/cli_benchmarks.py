"""Commands that read what benchmark tools wrote."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands import FILE, fail, fail_of, format_option, tell, write

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("read")
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--hardware", metavar="HARDWARE", help="On what it ran, where the file does not say: H100-SXM:8.")
@format_option
def read(paths: tuple[Path, ...], hardware: str | None, form: str) -> None:
    """Read result files of benchmark tools: rates, latency, load, model, hardware, and what they do not say.

    The exit code is 1 if some of the files can't be read, 2 if none can.

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
    failed = [fault for refused in errors for fault in refused.faults]
    for fault in failed:
        tell(f"perdollar: {fault.msg}", err=True)
    if not files:
        sys.exit(2)
    if hardware is not None:
        for each in files:
            notes = [_stated(run, hardware) for run in each["measurements"]]  # type: ignore[attr-defined]
            each["warnings"] += [note for note in dict.fromkeys(notes) if note]  # type: ignore[operator]
    if form == "json":
        write([dumps({"files": files, "failed": failed}), b"\n"])
    elif form == "csv":
        write(table_csv(*_rows(files)))
    else:
        tell("\n".join(_lines(files)))
    if failed:
        sys.exit(1)


def _read_hardware(hardware: str) -> tuple[str | None, int | None, str | None, str | None]:
    """Read the option --hardware: accelerator and count, or provider and instance type."""
    from pricing.accelerators import UnknownNameError, catalogue
    from pricing.notation import split_count
    from pricing.numbers import read_whole_number

    if "/" in hardware:
        provider, _, instance_type = (part.strip() for part in hardware.partition("/"))
        if not provider or not instance_type:
            fail(f"--hardware {hardware!r} is not PROVIDER/INSTANCE_TYPE, such as aws/trn1.32xlarge")
        return None, None, provider, instance_type
    name, text = split_count(hardware)
    try:
        found = catalogue().resolve(name)
        count = found.count if text is None else read_whole_number(text, least=1, most=100_000)
    except UnknownNameError as error:
        fail(str(error))
    except ValueError as error:
        fail(f"--hardware {hardware!r} is not ACCELERATOR:COUNT, such as H100-SXM:8: {error}")
    if found.count and count != found.count:
        fail(f"--hardware {hardware!r}: {name} means {found.count} of them, so that it can't be {count}")
    return found.accelerator, count, None, None


def _stated(run: dict[str, Any], hardware: str) -> str | None:
    """Put the hardware that the user states in the place of what the file says; return where the two differ.

    Where the user gives no count, that of the file stays.
    """
    from pricing.benchmarks.usage import hardware_of

    before = hardware_of(run)
    accelerator, count, provider, instance_type = _read_hardware(hardware)
    if accelerator is not None and count is None and not run["instance_type"]:
        count = run["accelerator_count"]
    run["accelerator"], run["accelerator_count"] = accelerator, count
    run["provider"], run["instance_type"] = provider, instance_type
    after = hardware_of(run)
    return (
        f"{run['label']}: the file says {before}; --hardware {hardware} stands" if before not in ("", after) else None
    )


def _rows(files: Any) -> tuple[list[str], Iterator[list[object]]]:
    from pricing.measurements import LATENCIES
    from pricing.units import RATE_FIELDS

    plain = (
        "label", "model", "precision", "stack", "accelerator", "accelerator_count", "provider", "instance_type",
        "success_rate", "rates_count", "parallelism", "concurrency", "request_rate", "input_tokens", "output_tokens",
        "measured_on", "evidence", "source",
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
    from app.terminal import aligned
    from pricing.benchmarks.usage import hardware_of, pairs_of, point_of, unit_of
    from pricing.wording import UNKNOWN, percent, significant

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
            # Model, lengths, load and the like go along: they say what may be compared with what.
            (_, text), *details = pairs_of(run, 1, hardware_of(run) or "HARDWARE", unit)
            words = [text, *(word for name, value in details for word in ("--set", f"{name}={value}"))]
            yield f"  perdollar compare --unit {unit.id} {shlex.join(words)}"


@click.command("measure", context_settings={"ignore_unknown_options": False})
@click.argument("target", nargs=-1, required=True, metavar="MODULE:CALLABLE | -- COMMAND...")
@click.option("--unit", required=True, help="What is counted: audio_hour, output_token, request, …")
@click.option("--units-per-call", metavar="NUMBER", help="Units of one call, whatever it returns (audio: 30s, 1h).")
@click.option("--units", "units_per_run", metavar="NUMBER", help="Units of one run of the command.")
@click.option("--device", default="", help="PyTorch's device: cuda, neuron, xla, mps, cpu. The callable gets it.")
@click.option("--python", default=sys.executable, metavar="PATH", help="The Python that has your packages.")
@click.option("--hardware", metavar="HARDWARE", help="On what it runs: H100-SXM:8 or PROVIDER/INSTANCE_TYPE.")
@click.option("--label", default="", help="Name of the measurement.")
@click.option("--model", help="Model that runs.")
@click.option("--precision", help="Number format, such as BF16.")
@click.option("--stack", help="Software and version.")
@click.option("--within", default="2%", metavar="SHARE", help="Repeat until the mean is known to within this share.")
@click.option("--time", "most", default="60s", metavar="TIME", help="At most so long, the first call apart.")
@click.option("--warm-up", default=2, type=click.IntRange(0, 1000), help="Calls before the timing, beside the first.")
@click.option("--out", type=FILE, metavar="FILE", help="Measurement file to write; default standard output.")
def measure(
    target: tuple[str, ...],
    unit: str,
    units_per_call: str | None,
    units_per_run: str | None,
    device: str,
    python: str,
    hardware: str | None,
    within: str,
    most: str,
    warm_up: int,
    out: Path | None,
    **about: str | None,
) -> None:
    """Time your own code or a whole command, and write a measurement that all of PerDollar reads.

    The callable runs in a process of its own with your packages. It is called once (compile time
    is told apart), to warm up, and then until the 95 % interval of the mean is narrow enough or the
    time is up. The device is waited for after each repeat. Ctrl-C keeps the repeats that are finished.
    A call that fails late keeps the repeats before it, and ends with exit code 1.
    If it takes `device`, it gets the one you name. Without --units-per-call it returns how many units it did.

    \b
    perdollar measure mymodel:transcribe --unit audio_hour --units-per-call 30s --device neuron
    perdollar measure --unit audio_hour --units 3600 -- ./transcribe hour.wav
    """
    from app.exports import dumps
    from app.files import write_atomically
    from app.measuring import MeasureError, time_callable, time_command
    from pricing.durations import read_amount, read_seconds
    from pricing.errors import InvalidInputError
    from pricing.numbers import read_utilization
    from pricing.units import unit_named

    try:
        counted = unit_named(unit)
        share, seconds = read_utilization(within), read_seconds(most)
        given = units_per_call if units_per_call is not None else units_per_run
        amount = None if given is None else read_amount(given, counted)
    except InvalidInputError as error:
        fail_of(error)
    except ValueError as wrong:
        fail(str(wrong))
    _check_before(amount, hardware, out)
    if not 0 < share < 1:
        fail(f"--within {within}: the mean has to be known to within a share below 1, such as 2%")
    is_callable = len(target) == 1 and ":" in target[0] and units_per_run is None
    if not is_callable and amount is None:
        fail("a command does not say how much it does; give --units, for example --units 3600 (seconds of audio)")
    bar = _Repeats()
    options: Any = {"warm_up": warm_up, "within": share, "most_seconds": seconds, "progress": bar.show}
    try:
        if is_callable:
            timing = time_callable(target[0], amount, device=device, python=python, **options)
        else:
            timing = time_command(target, amount or 0.0, **options)
    except MeasureError as error:
        fail(str(error))
    finally:
        bar.end()
    if not timing.seconds:
        fail("stopped before a repeat was finished; nothing is written")
    body = _measurement_file(timing, counted, target, device, hardware, about)
    if out is None:
        write([dumps(body), b"\n"])
    else:
        try:
            write_atomically(out, dumps(body) + b"\n")
        except OSError as error:
            fail(f"{out} can't be written ({error.strerror or error})")
    _tell_timing(timing, counted, share)
    if timing.failure:
        sys.exit(1)


def _check_before(amount: float | None, hardware: str | None, out: Path | None) -> None:
    """End before anything is measured if the work is none, or what was measured could not be written afterwards."""
    from pricing.benchmarks.result import MOST_RATE

    if amount is not None and not 0 < amount <= MOST_RATE:
        fail(f"{amount:g} units: each call or run has to do something; give a number above 0")
    if hardware:
        _read_hardware(hardware)
    if out is None:
        return
    if out.is_dir():
        fail(f"--out {out} is a folder; name a file in it")
    if not out.parent.is_dir():
        fail(f"--out {out}: the folder {out.parent} does not exist")
    if not os.access(out.parent, os.W_OK) or (out.exists() and not os.access(out, os.W_OK)):
        fail(f"--out {out} can't be written (no permission)")


def _measurement_file(
    timing: Any, unit: Any, target: tuple[str, ...], device: str, hardware: str | None, about: dict[str, str | None]
) -> dict[str, Any]:
    """Return the measurement with its repeats and the environment it was made in."""
    from app.tables import today
    from pricing.accelerators import catalogue
    from pricing.benchmarks.result import Findings

    findings = Findings(" ".join(target)[:100], "perdollar measure", catalogue())
    run = findings.run(model=about["model"], precision=about["precision"], measured_on=today().isoformat())
    rate = timing.rate
    run.rate(unit.rate_field, rate.value)
    if rate.high is not None:
        run.spread[unit.rate_field] = rate.high - rate.value
    run.label = about["label"] or ""
    torch = timing.environment.get("torch")
    run.stack = about["stack"] or (f"PyTorch {torch}" if torch else None)
    findings.hardware(run, timing.environment.get("device_name"), 1)
    if run.accelerator is None:
        run.accelerator_count = None
    findings.named()
    made = run.as_dict()
    if hardware:
        _stated(made, hardware)
    return {
        "measurements": [made],
        "warnings": [*findings.warnings, *timing.notes, *([timing.failure] if timing.failure else [])],
        "environment": timing.environment | ({"device": device} if device else {}),
        "first_call_seconds": timing.first_seconds,
        "calls_per_repeat": timing.calls_per_repeat,
        "repeats": [{"seconds": s, "units": u} for s, u in zip(timing.seconds, timing.units, strict=True)],
        "stopped": timing.stopped,
        "failure": timing.failure,
    }


def _tell_timing(timing: Any, unit: Any, within: float) -> None:
    from pricing.wording import percent, significant

    rate, spread = timing.rate, timing.spread
    text = f"{significant(rate.value, 5)} {unit.rate_unit}"
    text += f" ± {percent(spread)}" if spread is not None else ", one repeat: its error is not known"
    tell(f"{text}, {len(timing.seconds)} repeats of {timing.calls_per_repeat} calls", err=True)
    if timing.first_seconds is not None:
        tell(f"the first call took {significant(timing.first_seconds)} s and is not counted", err=True)
    for note in timing.notes:
        tell(f"note: {note}", err=True)
    if timing.failure:
        tell(f"perdollar: {' '.join(timing.failure.split())}; the repeats before it are kept", err=True)
    elif timing.stopped:
        tell("note: stopped; the repeats that were finished are kept", err=True)
    elif not timing.settled(within):
        tell(f"note: the time was up before the mean was known to within {percent(within)}", err=True)


class _Repeats:
    """Shows on a terminal how many repeats are done and how well the mean is known."""

    def __init__(self) -> None:
        from tqdm import tqdm

        self._bar = tqdm(desc="measuring", unit=" repeats", leave=False, disable=not sys.stderr.isatty())

    def show(self, repeats: int, spread: float | None) -> None:
        """Show the repeats done."""
        self._bar.n = repeats
        if spread is not None:
            self._bar.set_postfix_str(f"± {100 * spread:.2g} %", refresh=False)
        self._bar.refresh()

    def end(self) -> None:
        """Take the bar away."""
        self._bar.close()
