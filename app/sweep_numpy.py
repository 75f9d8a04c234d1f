"""A sweep on this machine, part by part: bounded memory, a progress bar, and going on after a kill."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from app.commands import fail, tell
from app.sweep_files import assemble, catalogue_digest, digest_and_rows, part_of
from app.sweep_parts import BusyError, ForeignError, Parts
from pricing.errors import InvalidInputError
from pricing.sweeps.engine import MOST_SCENARIOS, Engine, portions
from pricing.sweeps.results import Values
from pricing.sweeps.scenarios import Scenario

if TYPE_CHECKING:
    from app.cli_sweep import Job

# What the parts are made from, in words.
_WORDS = {
    "perdollar": "the version of perdollar",
    "catalogue": "the names of accelerators and regions",
    "scenarios": "the scenarios",
    "offers": "the prices",
    "as_of": "the date of the prices (--as-of)",
    "top": "--top or --summary",
    "form": "the form of the output",
    "engine": "--engine",
}


class _Progress(Protocol):
    def update(self, n: int) -> object: ...
    def __enter__(self) -> _Progress: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> object: ...


class _Silent:
    """Stands in for the progress bar where nobody looks."""

    def update(self, n: int) -> None:
        """Show nothing."""

    def __enter__(self) -> _Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _progress(total: int, done: int) -> _Progress:
    """Return a bar on standard error with rate and time left, on a terminal alone."""
    if not sys.stderr.isatty():
        return _Silent()
    from tqdm import tqdm  # noqa: PLC0415 (needed on a terminal alone)

    bar: _Progress = tqdm(total=max(total, done), initial=done, unit=" scenarios", unit_scale=True, file=sys.stderr)
    return bar


class Answering(Protocol):
    """What answers scenarios."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the result's columns."""

    def result(self, scenarios: Sequence[Scenario]) -> dict[str, Values]:
        """Return the rows of the result for these scenarios, in columns."""


def run(job: Job) -> str:
    """Answer the scenarios with NumPy."""
    reader = job.reader
    return answer(job, Engine(reader.table, reader.catalogue, job.as_of, job.top), MOST_SCENARIOS)


def answer(job: Job, engine: Answering, most: int) -> str:
    """Answer the scenarios, or those that an earlier run did not get to, and write the output.

    At most `most` scenarios are given to the engine at once.
    """
    scenarios = job.scenarios
    try:
        digest, rows = digest_and_rows(job.path)
        made_from: Mapping[str, object] = {
            "perdollar": version("perdollar"),
            "catalogue": catalogue_digest(),
            "scenarios": digest,
            "offers": job.reader.table.sha256,
            "as_of": str(job.as_of),
            "top": job.top,
            "form": job.form,
            "engine": job.engine,
        }
        parts = Parts(job.out, made_from)
    except BusyError:
        fail(f"another sweep is writing {job.out}; wait for it, or name another file")
    except ForeignError as error:
        fail(f"{job.out}.parts {error}; finished parts are kept there: move it away, or name another file")
    except OSError as error:
        fail(f"{job.out}.parts can't be written ({error.strerror or error})")
    if parts.differs:
        changed = ", ".join(_WORDS[name] for name in parts.differs)
        tell(f"note: {parts.folder} is of another sweep ({changed} changed), so this one begins anew", err=True)
    if parts.damaged:
        tell(f"note: {parts.folder}/{parts.damaged} is damaged; it and what followed are made anew", err=True)
    resumed = parts.done
    if resumed:
        tell(f"going on after {resumed:,} scenarios, which {parts.folder} holds", err=True)
    try:
        with _progress(rows, resumed) as bar:
            for portion in portions(scenarios.read(skip=resumed), job.top, most):
                parts.add(len(portion), part_of(engine.result(portion), job.form))
                bar.update(len(portion))
        answered = parts.done
        assemble(parts, job.out, job.form, engine.columns)
    except InvalidInputError:
        parts.remove()
        raise
    except OSError as error:
        fail(
            f"{job.out} can't be written ({error.strerror or error}); finished parts are kept in {parts.folder}: the "
            "same command goes on from there"
        )
    for note in scenarios.notes:
        tell(f"note: {note}", err=True)
    return f"{job.out}: {answered:,} scenarios answered"
