"""Refreshing of public prices: each provider is fetched, checked, and swapped in alone.

In the folder of refreshed prices each provider has one table, an observation log. Beside it,
what is fetched lies in `fetching/PROVIDER` until the table is made, so that a run that was
stopped goes on where it was.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

from app.fetching import Fetcher, FetchError, same_host
from app.files import write_atomically
from pricing.accelerators import Catalogue
from pricing.changes import Summary, changes, summaries
from pricing.errors import InvalidInputError, near_matches, shown
from pricing.market import PriceTable
from pricing.published import SECOND_HAND, Published, Row, doubtful, first_of, observations, updated
from pricing.sources.document import Document, members
from pricing.sources.draft import LeftOut
from pricing.sources.importing import import_document, table_text
from pricing.sources.own_schema import read_csv, read_file

MOST_PAGES = 5000
# What a run that was stopped had fetched is used again for so many seconds.
KEPT_FOR = 6 * 3600
Dated = tuple[Document, date | None]


class UnusableError(Exception):
    """A source answered something else than prices; it is not kept for the next run."""


class BusyError(Exception):
    """Another refresh is at work in the folder."""


@dataclass(frozen=True)
class Refreshed:
    """What came of one provider: its offers and what changed, or why yesterday's table stays (`held`, `failed`)."""

    provider: str
    offers: int = 0
    changed: Summary | None = None
    left_out: tuple[LeftOut, ...] = ()
    held: tuple[str, ...] = ()
    failed: str = ""


@dataclass
class Refresher:
    """Refreshes the tables of a folder. `key` is Google's API key, needed for its own price list alone."""

    folder: Path
    catalogue: Catalogue
    fetcher: Fetcher
    today: date
    in_use: PriceTable
    regions: tuple[str, ...] = ()
    key: str = ""
    confirm: bool = False

    def refresh(self, provider: str, sources: list[Published]) -> Refreshed:
        """Refresh one provider; whatever goes wrong is told, and leaves its table as it was."""
        cache = self.folder / "fetching" / provider
        try:
            cache.mkdir(parents=True, exist_ok=True)
            done = self._refreshed(provider, sources, cache)
        except FetchError as error:
            return Refreshed(provider, failed=str(error))
        except (UnusableError, InvalidInputError) as error:
            shutil.rmtree(cache, ignore_errors=True)
            text = "; ".join(f.msg for f in error.faults[:3]) if isinstance(error, InvalidInputError) else str(error)
            return Refreshed(provider, failed=text)
        except OSError as error:
            return Refreshed(provider, failed=f"{error.filename or self.folder}: {error.strerror or error}")
        if not done.held:
            shutil.rmtree(cache, ignore_errors=True)
        return done

    def _refreshed(self, provider: str, sources: list[Published], cache: Path) -> Refreshed:
        fetched: list[PriceTable] = []
        left_out: list[LeftOut] = []
        for source in sources:
            if source.layout == "next_page_token" and not self.key:
                continue
            rows = []
            for document, dated in _LAYOUTS[source.layout](self, source, cache):
                seen = min(dated or self.today, self.today)
                found = import_document(document, self.catalogue, seen, provider, source=_address(source), dated=True)
                evidence = {"evidence": "survey"} if source.source in SECOND_HAND else {}
                rows += [{**row, **evidence} for row in found.rows]
                left_out += found.left_out
            if not rows:
                raise UnusableError(f"{source.source} holds no offer of {provider}")
            fetched.append(self._read(rows, provider))
        if not fetched:
            raise FetchError("needs a key: set PERDOLLAR_GCP_KEY")
        offers = first_of(observations(table) for table in fetched)
        new = self._read(offers.values(), provider)
        place = self.folder / f"{provider}.csv"
        old = read_file(place, self.catalogue, self.today) if place.exists() else None
        held = [] if self.confirm else doubtful(old, self.in_use, new, self.today)
        if held:
            return Refreshed(provider, len(offers), left_out=tuple(left_out), held=tuple(held))
        data = table_text(updated(observations(old) if old else (), offers, self.today)).encode()
        table = read_csv(data, place.name, self.catalogue, self.today)
        write_atomically(place, data)
        before, after = ((old or new).market(self.today).columns, table.market(self.today).columns)
        changed = next((s for s in summaries(before, after, changes(before, after)) if s.provider == provider), None)
        return Refreshed(provider, len(offers), changed, tuple(left_out))

    def _read(self, rows: Iterable[Row], provider: str) -> PriceTable:
        data = table_text(rows).encode()
        return read_csv(data, f"the prices of {provider}", self.catalogue, self.today)

    # One function for each layout: yields documents with the date of their content, None for today.

    def _file(self, source: Published, cache: Path) -> Iterator[Dated]:
        yield Document.of_bytes(f"{source.source}", self._page(source.url, cache / source.source)), None

    def _github(self, source: Published, cache: Path) -> Iterator[Dated]:
        """Take the file at its newest commit, whose date is that of the prices at the latest."""
        commits = self._json(source.version_url, cache / f"{source.source}.version")
        try:
            sha, day = str(commits[0]["sha"]), str(commits[0]["commit"]["committer"]["date"])[:10]
            seen = date.fromisoformat(day)
        except (LookupError, TypeError, ValueError) as error:
            raise UnusableError(f"{source.source}: the list of commits has another form than is known") from error
        data = self._page(source.url.format(version=_plain(sha)), cache / f"{source.source}.{sha[:12]}.csv")
        yield Document("vms.csv", (source.provider,), Document.of_bytes("", data).open), seen

    def _dated(self, source: Published, cache: Path) -> Iterator[Dated]:
        """Take the zip of a version that begins with its date, YYYYMMDD."""
        version = self._page(source.version_url, cache / f"{source.source}.version").decode("ascii", "replace").strip()
        try:
            seen = datetime.strptime(version[:8], "%Y%m%d").date()
        except ValueError as error:
            raise UnusableError(f"{source.source}: the version {version[:40]!r} does not begin with a date") from error
        data = self._page(source.url.format(version=_plain(version)), cache / f"{source.source}.{_plain(version)}.zip")
        for document in members(f"{source.source}.zip", data):
            yield document, seen

    def _regions(self, source: Published, cache: Path) -> Iterator[Dated]:
        index = self._json(source.version_url, cache / f"{source.source}.version")
        try:
            places = {name: str(each["currentVersionUrl"]) for name, each in index["regions"].items()}
        except (LookupError, TypeError, AttributeError) as error:
            raise UnusableError(f"{source.source}: the index of regions has another form than is known") from error
        for region in self.regions or source.regions:
            if region not in places:
                raise UnusableError(f"{source.source}: has no region {region!r}; it has {', '.join(sorted(places))}")
            url = urljoin(source.version_url, places[region])
            if not same_host(source.version_url, url):
                raise UnusableError(f"{source.source}: {region} lies on another host, which is not asked")
            target = cache / f"{_plain(places[region])}"
            if not _fresh(target):
                self.fetcher.file(url, target)
            yield Document.at(target), None

    def _next_page_link(self, source: Published, cache: Path) -> Iterator[Dated]:
        yield from self._pages(source, cache, lambda page, url: str(page.get("NextPageLink") or ""))

    def _next_page_token(self, source: Published, cache: Path) -> Iterator[Dated]:
        start = f"{source.url}&{urlencode({'key': self.key})}"

        def following(page: dict[str, object], url: str) -> str:
            token = page.get("nextPageToken")
            return f"{start}&{urlencode({'pageToken': token})}" if token else ""

        yield from self._pages(source, cache, following, start)

    def _cursor(self, source: Published, cache: Path) -> Iterator[Dated]:
        def following(page: dict[str, object], url: str) -> str:
            meta = page.get("meta")
            links = meta.get("links") if isinstance(meta, dict) else None
            cursor = links.get("next") if isinstance(links, dict) else None
            return f"{source.url}&{urlencode({'cursor': cursor})}" if cursor else ""

        yield from self._pages(source, cache, following)

    def _pages(
        self, source: Published, cache: Path, following: Callable[[dict[str, object], str], str], start: str = ""
    ) -> Iterator[Dated]:
        """Fetch page after page; they are read together, since one price may be told over several pages."""
        url, pages, seen = start or source.url, list[bytes](), set[str]()
        while url:
            if not same_host(source.url, url):
                raise UnusableError(f"{source.source}: the next page lies on another host, which is not asked")
            if url in seen or len(pages) >= MOST_PAGES:
                raise UnusableError(f"{source.source}: its pages go on without end")
            seen.add(url)
            target = cache / f"{source.source}-{len(pages):05}.json"
            page = self._json(url, target)
            if not isinstance(page, dict):
                target.unlink()
                raise UnusableError(f"{source.source}: page {len(pages) + 1} has another form than is known")
            pages.append(target.read_bytes())
            url = following(page, url)
        yield Document.of_bytes(source.source, b"[" + b",".join(pages) + b"]"), None

    def _page(self, url: str, target: Path) -> bytes:
        return target.read_bytes() if _fresh(target) else self.fetcher.page(url, target)

    def _json(self, url: str, target: Path) -> Any:
        try:
            return json.loads(self._page(url, target))
        except ValueError as error:
            target.unlink(missing_ok=True)
            raise UnusableError(f"{url.partition('?')[0]}: is not JSON") from error


_LAYOUTS: dict[str, Callable[[Refresher, Published, Path], Iterator[Dated]]] = {
    "file": Refresher._file,
    "github": Refresher._github,
    "dated": Refresher._dated,
    "regions": Refresher._regions,
    "next_page_link": Refresher._next_page_link,
    "next_page_token": Refresher._next_page_token,
    "cursor": Refresher._cursor,
}


def _fresh(target: Path) -> bool:
    """Whether a run that was stopped has fetched this a short time ago."""
    # A file of the future was fetched before the clock was set back: how long ago, nobody knows.
    return target.exists() and 0 <= time.time() - target.stat().st_mtime < KEPT_FOR


def _plain(text: str) -> str:
    """Return a version as a part of an address or a file's name: nothing that leads elsewhere."""
    return "".join(ch if ch.isalnum() or ch in "-_" else "_" for ch in text)[:120]


def _address(source: Published) -> str:
    return source.url.partition("?")[0].replace("/{version}", "")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder for one refresh at a time; BusyError if another one is at work. A crash lets go of it."""
    if fcntl is None:  # Windows: two refreshes at once are then the user's to avoid.
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BusyError(f"another refresh is at work in {folder}") from error
        yield


def chosen(providers: tuple[str, ...], sources: list[Published]) -> dict[str, list[Published]]:
    """Return the sources of the providers asked for, of all if none is named. InvalidInputError for an unknown one."""
    by_provider: dict[str, list[Published]] = {}
    for source in sources:
        by_provider.setdefault(source.provider, []).append(source)
    for name in providers:
        if name not in by_provider:
            raise InvalidInputError.at(
                ("provider",),
                f"{shown(name)} has no public source; these have one: {', '.join(by_provider)}."
                + near_matches(name, by_provider),
            )
    return {name: by_provider[name] for name in (dict.fromkeys(providers) or by_provider)}
