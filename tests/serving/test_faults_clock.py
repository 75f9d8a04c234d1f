"""The wall clock jumps under a running server: answers follow the date, and nothing else does."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from app.tables import newest_built_in
from tests.serving.faults import MOST_SECONDS, ROOT, serving, table, until

# Python imports this before anything else. Both readings of the wall clock are as far off as the file says.
SITE = """
import datetime, os, time

real, when = time.time, datetime.datetime

def off():
    with open(os.environ["CLOCK_OFF_BY_DAYS"]) as file:
        return 86400 * int(file.read() or 0)

class Skewed(when):
    @classmethod
    def now(cls, tz=None):
        return when.now(tz) + datetime.timedelta(seconds=off())

time.time = lambda: real() + off()
datetime.datetime = Skewed
"""
QUESTION = "/compare.json?unit=output_token&m=H100-SXM:8=5200&purchase=on_demand&limit=1"
PAGE = "/compare?unit=output_token&m=H100-SXM:8=5200&purchase=on_demand"


@contextmanager
def skewed(tmp_path, *words, **environment):
    """Run the server, and give it with a function that sets by how many days its clock is off."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(SITE)
    days = tmp_path / "days"

    def set_clock(by):
        new = tmp_path / "new"
        new.write_text(str(by))
        new.replace(days)

    set_clock(0)
    path = f"{tmp_path / 'site'}:{ROOT}"
    with serving(*words, PYTHONPATH=path, CLOCK_OFF_BY_DAYS=str(days), **environment) as server:
        yield server, set_clock


def day(by=0):
    return (datetime.now(UTC) + timedelta(days=by)).date().isoformat()


def asked(server, path=QUESTION, **more):
    answer = server.get(path, **more)
    assert answer.status_code == 200, answer.text
    return answer


def test_answers_follow_the_date(tmp_path):
    with skewed(tmp_path) as (server, set_clock):
        until(lambda: asked(server).json()["as_of"] == day())
        now = asked(server).json()["estimates"][0]
        for by in (1, 400, -1, -30, 36_500, 0):
            set_clock(by)
            answer = asked(server).json()
            if answer["as_of"] != day(by):
                # Midnight passed in between.
                answer = asked(server).json()
            assert answer["as_of"] == day(by)
            one = answer["estimates"][0]
            seen = datetime.fromisoformat(one["price_observed_on"]).date()
            assert one["price_age_days"] == (datetime.fromisoformat(day(by)).date() - seen).days
            assert ("stale" in one["flags"].split("|")) is (one["price_age_days"] > 180)
            # An answer that was kept for the day before is not that of today.
            page = asked(server, PAGE, headers={"accept": "text/html"}).text
            assert f">{one['price_age_days']} days" in page
        assert one == now


def test_a_clock_before_all_prices(tmp_path):
    with skewed(tmp_path) as (server, set_clock):
        set_clock(-10_000)
        answer = asked(server).json()
        assert answer["estimates"] == []
        (said,) = [each["message"] for each in answer["warnings"] if each["code"] == "no_estimates"]
        assert said.startswith(f"No price was seen by {day(-10_000)}; the first is of 20")
        assert asked(server, "/prices", headers={"accept": "text/html"})
        ready = asked(server, "/readyz").json()
        assert ready["degraded"]
        assert ready["reasons"] == [
            f"the clock says {day(-10_000)}, before the newest built-in price ({newest_built_in()})"
        ]
        set_clock(0)
        assert not asked(server, "/readyz").json()["degraded"]
        assert asked(server).json()["estimates"]


def test_limits_and_time_outs_do_not_follow_the_clock(tmp_path):
    most = {"PERDOLLAR_RATE_LIMIT": "5/minute", "PERDOLLAR_HEAD_SECONDS": "3"}
    with skewed(tmp_path, **most) as (server, set_clock):
        first = [server.get(QUESTION).status_code for _ in range(6)]
        assert first == [200] * 5 + [429]
        # Neither a new day nor the day before opens it, and none shuts it for longer than its minute.
        for by in (1, -400):
            set_clock(by)
            refused = server.get(QUESTION)
            assert refused.status_code == 429
            assert 1 <= int(refused.headers["retry-after"]) <= 60
        # A head that never ends is ended by the time that passes; one that is on its way is not ended by a jump.
        with server.connect(b"GET /healthz HTTP/1.1\r\n") as slow:
            set_clock(36_500)
            slow.sendall(b"Host: x\r\n\r\n")
            assert slow.recv(100).startswith(b"HTTP/1.1 200")
        with server.connect(b"GET /healthz HTTP/1.1\r\n") as silent:
            assert silent.recv(100).startswith(b"HTTP/1.1 408")


def test_a_file_that_is_of_the_future_by_the_clock(tmp_path):
    prices = tmp_path / "mine.csv"
    prices.write_text(table(1.5))
    with skewed(tmp_path, "--prices", prices, PERDOLLAR_WATCH_SECONDS="0.1") as (server, set_clock):
        asked_for = "/prices.json?provider=acme"

        def price():
            return [offer["price_usd_per_hour"] for offer in asked(server, asked_for).json()["prices"]]

        assert price() == [1.5]
        # The clock goes back to before the file's one price: that is kept for its time, and a change is refused.
        set_clock(-10_000)
        prices.write_text(table(2.5))
        ready = until(lambda: (found := server.get("/readyz").json())["stale_files"] and found)
        assert ready["degraded"]
        assert price() == []
        until(lambda: "after today" in server.log)
        # The clock is right again: so is the file.
        set_clock(0)
        until(lambda: price() == [2.5])
        assert not server.get("/readyz").json()["degraded"]


def test_the_log_has_the_time_that_the_clock_says(tmp_path):
    with skewed(tmp_path, "--log-format", "json") as (server, set_clock):
        set_clock(10)
        asked(server)
        lines = until(lambda: [json.loads(line) for line in server.log.splitlines() if QUESTION[:8] in line])
        assert lines[-1]["status"] == 200
        # How long it took is of another clock: not ten days.
        assert 0 < lines[-1]["seconds"] < MOST_SECONDS
