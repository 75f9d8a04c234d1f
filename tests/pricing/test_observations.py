"""The observation log: which price of an offer is in force on a date, and whose."""

import pytest

from tests.pricing.small import (
    ask,
    ask_json,
    browsed,
    excluded,
    fault_of,
    json_question,
    offer,
    only,
    question,
    rows_of,
    table,
)

LOG = table(
    offer(30, observed_on="2026-01-15"),
    offer(20, observed_on="2026-06-01"),
    offer(25, observed_on="2026-11-20"),
)
EIGHT = [{"accelerator": "H100-SXM", "accelerator_count": 8, "rates": {"output_tokens_per_second": 5200}}]


@pytest.mark.parametrize(
    ("as_of", "price", "seen", "age"),
    [
        ("2026-12-01", 25, "2026-11-20", 11),
        ("2026-11-20", 25, "2026-11-20", 0),
        ("2026-11-19", 20, "2026-06-01", 171),
        ("2026-06-01", 20, "2026-06-01", 0),
        ("2026-05-31", 30, "2026-01-15", 136),
        ("2026-01-15", 30, "2026-01-15", 0),
    ],
)
def test_the_newest_observation_not_after_the_date_counts(as_of, price, seen, age):
    row = only(LOG, as_of=as_of)
    assert (row["price_usd_per_hour"], row["price_observed_on"], row["price_age_days"]) == (price, seen, age)


def test_before_the_first_observation_there_is_no_price():
    answer = ask(LOG, as_of="2026-01-14")
    assert (rows_of(answer), answer.total) == ([], 0)


def test_the_order_of_rows_does_not_matter():
    turned = table(offer(25, observed_on="2026-11-20"), offer(30, observed_on="2026-01-15"))
    assert only(turned)["price_usd_per_hour"] == 25


def test_an_undated_observation_counts_on_every_date_with_unknown_age():
    undated = table(offer(40, observed_on=""))
    for as_of in ("2026-12-01", "2001-01-01"):
        row = only(undated, as_of=as_of)
        assert (row["price_usd_per_hour"], row["price_observed_on"], row["price_age_days"]) == (40, None, None)
        assert "stale" not in row["flags"]


def test_an_undated_observation_comes_before_dated_ones():
    both = table(offer(40, observed_on=""), offer(20, observed_on="2026-11-30"))
    assert only(both)["price_usd_per_hour"] == 40


def test_a_question_about_tomorrow_is_refused():
    loc, msg = fault_of(question, LOG, as_of="2026-12-02")
    assert loc == ("as_of",)
    assert "2026-12-02 is after today (2026-12-01, UTC)" in msg


@pytest.mark.parametrize("as_of", ["yesterday", "2026-13-01", "01/02/2026", "1764547200", "2026-12-01T00:00:00"])
def test_what_is_no_date(as_of):
    loc, _ = fault_of(question, LOG, as_of=as_of)
    assert loc == ("as_of",)


class TestWithdrawn:
    log = table(
        offer(10, observed_on="2026-01-01"),
        offer("", observed_on="2026-03-01", availability="withdrawn"),
        offer(12, observed_on="2026-09-01"),
        offer(11, observed_on="2026-02-01", region="eu-1"),
    )

    @pytest.mark.parametrize(
        ("as_of", "prices"),
        [("2026-02-28", [10, 11]), ("2026-03-01", [11]), ("2026-08-31", [11]), ("2026-09-01", [11, 12])],
    )
    def test_it_ends_its_key_from_its_date(self, as_of, prices):
        answer = ask(self.log, as_of=as_of)
        assert sorted(row["price_usd_per_hour"] for row in rows_of(answer)) == prices

    def test_it_is_counted_as_not_available(self):
        answer = ask(self.log, as_of="2026-04-01")
        assert excluded(answer) == {"not_available": 1}
        assert "acme/box × 8, global, on_demand" in answer.excluded[0].example

    def test_it_has_no_price_in_the_list(self):
        (gone,) = [r for r in browsed(self.log, as_of="2026-04-01") if r["availability"] == "withdrawn"]
        assert gone["price_usd_per_hour"] is None
        assert gone["price_usd_per_accelerator_hour"] is None

    def test_it_ends_every_size_of_its_row(self):
        sized = {"accelerator_count": 1, "sizes": "1|8"}
        old, end = offer(1, observed_on="2026-01-01", **sized), offer("", availability="withdrawn", **sized)
        assert excluded(ask(table(old, end))) == {"not_available": 2}
        assert excluded(ask(table(old, end), as_of="2026-11-29")) == {"too_few_accelerators": 1}

    def test_only_it_may_have_a_blank_price(self):
        with pytest.raises(ValueError, match="only a row with availability 'withdrawn' has no price"):
            table(offer("", availability="waitlist"))


@pytest.mark.parametrize(
    ("availability", "shown"),
    [("available", True), ("", True), ("waitlist", True), ("grandfathered", False), ("not_deployable", False)],
)
def test_what_can_not_be_had_is_no_estimate(availability, shown):
    answer = ask(table(offer(1, availability=availability), offer(10, region="eu-1")))
    prices = [row["price_usd_per_hour"] for row in rows_of(answer)]
    assert prices == ([1, 10] if shown else [10])
    assert excluded(answer) == ({} if shown else {"not_available": 1})


class TestUnconfirmed:
    prices = table(offer(1, evidence="third_party"), offer(10, region="eu-1", evidence="survey"))

    def test_hidden_and_counted(self):
        answer = ask(self.prices)
        assert [row["price_usd_per_hour"] for row in rows_of(answer)] == [10]
        assert excluded(answer) == {"unconfirmed": 1}

    @pytest.mark.parametrize("yes", ["1", "true", "yes", "on"])
    def test_shown_when_asked_for(self, yes):
        answer = ask(self.prices, include_unconfirmed=yes)
        assert [row["price_evidence"] for row in rows_of(answer)] == ["third_party", "survey"]
        assert excluded(answer) == {}

    def test_a_hidden_price_does_not_shadow_an_older_confirmed_one(self):
        log = table(offer(10, observed_on="2026-06-01"), offer(1, observed_on="2026-11-01", evidence="third_party"))
        assert only(log)["price_usd_per_hour"] == 10
        assert only(log, include_unconfirmed=1)["price_usd_per_hour"] == 1

    def test_inline_offers_always_count(self):
        answer = ask_json(self.prices, EIGHT, offers=[offer(2, evidence="third_party", instance_type="mine")])
        assert [row["price_usd_per_hour"] for row in rows_of(answer)] == [2, 10]


class TestOwnPrices:
    def test_a_quote_is_an_offer(self):
        row = only(table(offer(10)), quote="firmus/pod 1@H100-SXM:8=16.5", provider="firmus")
        assert (row["provider"], row["instance_type"], row["accelerator_count"]) == ("firmus", "pod 1", 8)
        assert (row["price_usd_per_hour"], row["price_evidence"], row["price_source"]) == (16.5, "quote", "your quote")
        assert (row["region"], row["purchase"], row["price_age_days"]) == ("global", "on_demand", None)

    def test_a_quote_replaces_the_table_s_price_of_the_same_key(self):
        assert only(table(offer(10)), quote="acme/box@H100-SXM:8=7")["price_usd_per_hour"] == 7

    def test_even_on_a_date_before_it(self):
        row = only(table(offer(10, observed_on="2026-01-01")), quote="acme/box@H100-SXM:8=7", as_of="2026-02-01")
        assert row["price_usd_per_hour"] == 7

    def test_an_inline_offer_replaces_a_newer_row_of_the_table(self):
        answer = ask_json(
            table(offer(10, observed_on="2026-11-30")), EIGHT, offers=[offer(7, observed_on="2026-01-01")]
        )
        assert [row["price_usd_per_hour"] for row in rows_of(answer)] == [7]

    def test_an_inline_offer_of_another_key_stands_beside(self):
        answer = ask_json(table(offer(10)), EIGHT, offers=[offer(7, region="eu-1"), offer(3, purchase="spot")])
        assert [row["price_usd_per_hour"] for row in rows_of(answer)] == [3, 7, 10]

    def test_the_table_itself_is_unchanged(self):
        prices = table(offer(10))
        assert only(prices, quote="acme/box@H100-SXM:8=7")["price_usd_per_hour"] == 7
        assert only(prices)["price_usd_per_hour"] == 10

    def test_the_user_s_price_is_used_as_it_is(self):
        # Not divided by accelerators, not scaled by sizes of the table's row.
        row = only(table(offer(1, accelerator_count=1, sizes="1|8")), quote="acme/box@H100-SXM:8=7.77")
        assert row["price_usd_per_hour"] == 7.77

    def test_a_quote_of_a_machine_without_an_accelerator(self):
        row = only(table(offer(10)), "own/cpu box=5", quote="own/cpu box=0.4", unit="request")
        assert (row["accelerator"], row["accelerator_count"], row["price_usd_per_hour"]) == (None, 0, 0.4)
        assert row["cost_usd"] == pytest.approx(0.4 / (3600 * 5) * 1e6, rel=1e-12)

    @pytest.mark.parametrize(
        ("quote", "words"),
        [
            ("acme", "is not a quote; write PROVIDER/INSTANCE_TYPE@ACCELERATOR:COUNT=USD_PER_HOUR"),
            ("acme/box", "is not a quote"),
            ("acme/box@H100-SXM:8", "is not a quote"),
            ("acme/box@H100-SXM:8=", "is not a quote"),
            ("box@H100-SXM:8=5", "is not a quote"),
            ("acme/@H100-SXM:8=5", "is not a quote"),
            ("acme/box@=5", "is not a quote"),
            ("acme/box@H100-SXM=5", "has no count after the accelerator"),
            ("acme/box@H100-SXM:8=0", "'0' is not a price"),
            ("acme/box@H100-SXM:8=-5", "'-5' is not a price"),
            ("acme/box@H100-SXM:8=nan", "'nan' is not a number"),
            ("acme/box@H100-SXM:8=1e400", "too large"),
            ("acme/box@H100-SXM:8=0,75", "two readings"),
            ("acme/box@H100-SXM:8=1,234", "two readings"),
            ("ac me/box@H100-SXM:8=5", "'ac me' is not a provider id"),
        ],
    )
    def test_bad_quotes(self, quote, words):
        loc, msg = fault_of(question, table(offer(10)), quote=["acme/ok@L4:1=1", quote])
        assert loc == ("quote", 1)
        assert repr(quote) in msg
        assert words in msg

    def test_inline_offers_make_a_question_that_no_link_can_hold(self):
        body = {"unit": "output_token", "measurements": EIGHT}
        assert json_question(LOG, body).linkable
        assert not json_question(LOG, body | {"offers": [offer(7)]}).linkable
        assert json_question(LOG, body | {"quotes": ["acme/x@L4:1=1"]}).linkable


def test_what_the_answer_says_about_its_prices():
    log = table(offer(30, observed_on="2026-01-15"), offer(20, observed_on="2026-06-01"), offer(25, region="eu-1"))
    prices = ask(log).prices
    assert (prices.rows, str(prices.observed_from), str(prices.observed_to)) == (3, "2026-06-01", "2026-11-30")
    assert prices.sha256 == log.sha256
    assert ask(log, quote="acme/x@L4:1=1").prices.rows == 4
    undated = ask(table(offer(5, observed_on=""))).prices
    assert (undated.observed_from, undated.observed_to) == (None, None)
