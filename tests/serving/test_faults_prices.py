"""Price files that go, break, hang or are half written under a running server: the table it has stays in use."""

from __future__ import annotations

import logging
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import app.main
import app.watch
from app.main import create_app
from app.settings import Settings
from pricing.errors import PriceFileError
from tests.serving.faults import table, until

QUICK = 0.02


def price(client, provider="acme"):
    """Return the price in use of the one offer of a seller."""
    found = client.get(f"/prices.json?provider={provider}").json()
    return found["prices"][0]["price_usd_per_hour"]


def ready(client):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


def degraded(client):
    return until(lambda: (found := ready(client))["degraded"] and found)


def clean(client):
    return until(lambda: not (found := ready(client))["degraded"] and found)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "acme.csv").write_text(table(2))
    return tmp_path / "prices"


@contextmanager
def running(folder, private=()):
    with TestClient(create_app(Settings(folder=folder, watch_seconds=QUICK), private)) as client:
        yield client


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def replace(path, text):
    part = path.with_suffix(".part")
    part.write_text(text)
    os.replace(part, path)


def test_a_table_that_is_that_of_the_files(folder):
    with running(folder) as client:
        found = ready(client)
        assert (found["status"], found["degraded"], found["reasons"], found["stale_files"]) == ("ready", False, [], [])
        health = client.get("/healthz").json()
        assert (found["price_rows"], found["prices_sha256"]) == (health["price_rows"], health["prices_sha256"])
        assert found["observed_from"] < "2026-11-01" < found["observed_to"]
        assert client.head("/readyz").status_code == 200


def removed(path):
    path.unlink()


def emptied(path):
    path.write_text("")


def cut(path):
    path.write_text(table(2)[:-15])


def a_folder(path):
    path.unlink()
    path.mkdir()


def a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def a_circle(path):
    path.unlink()
    path.symlink_to(path)


def a_dead_link(path):
    path.unlink()
    path.symlink_to(path.with_name("nothing"))


def that_fails_to_read(path):
    # Reading of a process' memory at address 0 is an input/output error, also for root.
    path.unlink()
    path.symlink_to("/proc/self/mem")


def endless(path):
    with path.open("wb") as file:
        file.truncate(10 * 1024**3)


def later_than_today(path):
    path.write_text(table(2).replace("2026-11-01", "2999-01-01"))


FAULTS = [
    (removed, "is gone"), (emptied, "is refused"), (cut, "is refused"), (a_folder, "is no regular file"),
    (a_pipe, "is no regular file"), (a_circle, "can't be looked at (Too many levels of symbolic links)"),
    (a_dead_link, "is gone"), (that_fails_to_read, "is refused"),
    (endless, "has 10,737,418,240 bytes, more than the 1,073,741,824 that a price file may have"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "why"), FAULTS)
@pytest.mark.parametrize("is_private", [False, True])
def test_the_table_in_use_stays_and_a_mended_file_is_taken_up(folder, tmp_path, caplog, fault, why, is_private):
    secret = tmp_path / "secret.csv"
    secret.write_text(table(5, "hidden"))
    path, seller = (secret, "hidden") if is_private else (folder / "acme.csv", "acme")
    with running(folder, [secret]) as client:
        before, was = ready(client), price(client, seller)
        fault(path)
        found = degraded(client)
        name = "a price file" if is_private else "acme.csv"
        assert (found["stale_files"], found["reasons"]) == ([name], [f"{name} {why}"])
        assert {key: found[key] for key in ("price_rows", "prices_sha256", "loaded_at")} == {
            key: before[key] for key in ("price_rows", "prices_sha256", "loaded_at")
        }
        assert price(client, seller) == was
        assert client.get("/healthz").json()["status"] == "ok"
        (line,) = said(caplog)
        assert str(path) in line
        assert "the old ones stay in use" in line
        if path.is_dir():
            path.rmdir()
        replace(path, table(7, seller))
        after = clean(client)
        assert after["prices_sha256"] != before["prices_sha256"]
        assert price(client, seller) == 7


def test_a_private_file_from_the_future_is_refused(folder, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text(table(5, "hidden"))
    with running(folder, [secret]) as client:
        later_than_today(secret)
        assert degraded(client)["reasons"] == ["a price file is refused"]
        assert "2999" not in client.get("/readyz").text


def test_the_log_tells_each_change_once(folder, caplog):
    path = folder / "acme.csv"
    with running(folder) as client:
        removed(path)
        degraded(client)
        os.mkfifo(path)
        until(lambda: ready(client)["reasons"] == ["acme.csv is no regular file"])
        looks = count_looks(client)
        until(lambda: looks() > 5)
    assert [line.partition(": ")[2] for line in said(caplog)] == [f"{path} is gone", f"{path} is no regular file"]


def count_looks(client, also=lambda: None):
    """Return a function that tells how often the files were looked at since now; `also` is done before each look."""
    watch, looks = client.app.state.watch, []
    listed = watch._refreshed

    def counted():
        also()
        looks.append(1)
        return listed()

    watch._refreshed = counted
    return lambda: len(looks)


def test_the_whole_folder_goes_and_comes_back(folder, tmp_path):
    with running(folder) as client:
        shutil.move(folder, tmp_path / "elsewhere")
        assert degraded(client)["reasons"] == ["acme.csv is gone"]
        assert price(client) == 2
        shutil.move(tmp_path / "elsewhere", folder)
        clean(client)
        assert price(client) == 2


def test_what_is_gone_is_taken_as_meant_when_asked(folder):
    (folder / "other.csv").write_text(table(3, "other"))
    with running(folder) as client:
        removed(folder / "other.csv")
        assert degraded(client)["stale_files"] == ["other.csv"]
        client.app.state.watch.ask()
        clean(client)
        assert client.get("/prices.json?provider=other").status_code == 422
        assert price(client) == 2


def test_a_file_is_read_only_when_it_is_quiet(folder):
    path = folder / "acme.csv"
    heading, row = table(4).splitlines(True)
    lines = [heading, *(row.replace("box", f"box-{i}") for i in range(20))]
    left = list(lines)

    def write_one():
        # A line more at each look: every state of the file would be a table.
        if left:
            with path.open("w" if len(left) == len(lines) else "a") as file:
                file.write(left.pop(0))

    with running(folder) as client:
        rows, seen = ready(client)["price_rows"], set()
        count_looks(client, write_one)
        until(lambda: seen.add(ready(client)["price_rows"]) or rows + 19 in seen)
        assert seen == {rows, rows + 19}


def test_a_file_without_rest_is_told(folder, monkeypatch):
    monkeypatch.setattr(app.watch, "MOST_RESTLESS", 3)
    prices = list(range(3, 12))

    def rewrite():
        if prices:
            replace(folder / "acme.csv", table(prices.pop(0)))

    with running(folder) as client:
        count_looks(client, rewrite)
        assert degraded(client)["reasons"] == ["acme.csv keeps changing"]
        seen = set()
        until(lambda: seen.add(price(client)) or 11 in seen)
        assert seen == {2, 11}
        clean(client)


def test_a_file_that_changes_while_it_is_read_is_read_again(folder, monkeypatch):
    path, reads = folder / "acme.csv", []
    opened = app.main.open_views

    def slow(*where, **said):
        found = opened(*where, **said)
        reads.append(1)
        if len(reads) == 1:
            replace(path, table(6))
        return found

    with running(folder) as client:
        monkeypatch.setattr(app.main, "open_views", slow)
        replace(path, table(5))
        seen = set()
        until(lambda: seen.add(price(client)) or 6 in seen)
        assert seen == {2, 6}


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("unthought of"), OSError(24, "Too many open files")])
def test_the_watch_survives_whatever_goes_wrong(folder, monkeypatch, caplog, error):
    opened = app.main.open_views

    def broken(*where, **said):
        raise error

    monkeypatch.setattr(app.watch, "LOOKS_TO_RETRY", 3)
    with running(folder) as client:
        monkeypatch.setattr(app.main, "open_views", broken)
        replace(folder / "acme.csv", table(8))
        assert degraded(client)["reasons"] == ["the price files can't be read"]
        looks = count_looks(client)
        until(lambda: looks() > 10)
        assert price(client) == 2
        # What was wrong lay outside of the files and has passed.
        monkeypatch.setattr(app.main, "open_views", opened)
        clean(client)
        assert price(client) == 8
    assert len(said(caplog)) == 1
    assert type(error).__name__ in said(caplog)[0]
    assert "unthought" not in said(caplog)[0]


def test_a_folder_that_cant_be_listed(folder, monkeypatch, caplog):
    def unlisted(where):
        raise PermissionError(13, "Permission denied")

    listed = app.main.refreshed_files
    with running(folder) as client:
        monkeypatch.setattr(app.main, "refreshed_files", unlisted)
        degraded(client)
        monkeypatch.setattr(app.main, "refreshed_files", listed)
        clean(client)
        assert price(client) == 2
    assert len(said(caplog)) == 1


@pytest.mark.parametrize("fault", [a_pipe, endless, a_folder])
def test_a_server_does_not_begin_with_such_a_file(folder, fault):
    fault(folder / "acme.csv")
    with pytest.raises(PriceFileError, match=r"acme\.csv: can't be read, since it "):
        create_app(Settings(folder=folder))


def test_the_built_in_table_needs_no_file():
    with TestClient(create_app(Settings(folder=Path("/nowhere"), watch_seconds=QUICK))) as client:
        assert ready(client)["stale_files"] == []
