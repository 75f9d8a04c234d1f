"""PerDollar's own part of `make rivals`, on a small table: `make test` installs no other tool."""

from tests.rivals.tables import SELLERS, made_up, write_all
from tests.rivals.tool import TOOLS


def test_price_list_and_ranking_give_the_offers_with_an_h100_in_order(tmp_path):
    rows = made_up(300)
    write_all(rows, tmp_path)
    right = sorted((row for row in rows if row.chip == "H100"), key=lambda row: row.price)
    assert len(right) == 30
    prices, ranking = TOOLS["prices"](tmp_path), TOOLS["ranking"](tmp_path)
    assert prices.read(prices.ask()) == [
        (SELLERS[row.seller][0], row.instance_type, row.region, row.count, row.price) for row in right
    ]
    right.sort(key=lambda row: row.price / row.count)
    assert [offer[1] for offer in ranking.read(ranking.ask())] == [row.instance_type for row in right]
