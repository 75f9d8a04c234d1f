"""The command that fetches public prices anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands import FILE, fail, fail_of, tell

if TYPE_CHECKING:
    from app.refresh import Refreshed


@click.command("refresh")
@click.argument("providers", nargs=-1, metavar="[PROVIDER...]")
@click.option("--region", multiple=True, metavar="REGION", help="Regions to fetch where each is a file (AWS).")
@click.option("--folder", type=FILE, help="Where the tables are kept; default PERDOLLAR_FOLDER or the data folder.")
@click.option("--confirm", is_flag=True, help="Take prices though they moved far or many offers are gone.")
def refresh(providers: tuple[str, ...], region: tuple[str, ...], folder: Path | None, confirm: bool) -> None:
    """Fetch the prices that are public, for the providers named or for all.

    Each provider is fetched, checked and put in place alone: where one fails, or its prices moved
    so far that somebody should look, its last table stays in use; the exit code is then 2. What was
    fetched when a run was stopped is used by the next one. All commands and a running server use
    the refreshed prices at once.

    \b
    perdollar prices refresh azure oci
    perdollar prices refresh aws --region us-east-1
    """
    from app.fetching import Fetcher
    from app.refresh import BusyError, Refresher, alone, chosen
    from app.tables import open_table, refreshed_files, refreshed_folder, today
    from pricing.accelerators import catalogue
    from pricing.errors import InvalidInputError
    from pricing.published import published

    folder = folder or refreshed_folder()
    listed = os.environ.get("PERDOLLAR_PUBLISHED")
    try:
        wanted = chosen(providers, published(Path(listed)) if listed else published())
        in_use = open_table([], refreshed_files(folder))
        bar = _Bar()
        failed = False
        with alone(folder), Fetcher(progress=bar.show).open() as fetcher:
            refresher = Refresher(
                folder, catalogue(), fetcher, today(), in_use, region, os.environ.get("PERDOLLAR_GCP_KEY", ""), confirm
            )
            for provider, sources in wanted.items():
                bar.begin(provider)
                done = refresher.refresh(provider, sources)
                bar.end()
                _tell(done, folder)
                failed |= bool(done.failed or done.held)
    except InvalidInputError as error:
        fail_of(error)
    except BusyError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or folder}: {error.strerror or error}")
    if failed:
        sys.exit(2)


def _tell(done: Refreshed, folder: Path) -> None:
    stays = "its last table stays in use" if (folder / f"{done.provider}.csv").exists() else "it has no refreshed table"
    if done.failed:
        tell(f"{done.provider}: failed, {stays}: {' '.join(done.failed.split())}", err=True)
        return
    if done.held:
        tell(f"{done.provider}: held back, {stays}; look at these and add --confirm:", err=True)
        for reason in done.held[:20]:
            tell(f"  {reason}", err=True)
        if len(done.held) > 20:
            tell(f"  and {len(done.held) - 20} more", err=True)
        return
    changed = done.changed
    moves = (
        f"; {changed.added} new, {changed.gone} gone, {changed.dearer} dearer, {changed.cheaper} cheaper"
        if changed
        else ""
    )
    tell(f"{done.provider}: {done.offers:,} offers{moves}")
    for left in done.left_out:
        tell(f"  left out: {left.count:,} {left.sentence}, for example {left.example}", err=True)


class _Bar:
    """Shows on a terminal how far the fetching of a provider is; elsewhere nothing."""

    def begin(self, provider: str) -> None:
        """Start the bar of a provider."""
        from tqdm import tqdm

        self._bar = tqdm(
            desc=provider, unit="B", unit_scale=True, unit_divisor=1024, leave=False, disable=not sys.stderr.isatty()
        )

    def show(self, done: int, total: int | None) -> None:
        """Show the bytes of the file that is being fetched."""
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def end(self) -> None:
        """Take the bar away."""
        self._bar.close()
