"""Prices that look wrong get a warning that says why."""

from __future__ import annotations

from datetime import date

from pricing.accelerators import catalogue
from pricing.doubts import doubts
from pricing.sources.own_schema import read_csv

TODAY = date(2026, 12, 1)
HEAD = "provider,instance_type,region,accelerator,accelerator_count,vcpus,purchase,price_usd_per_hour,observed_on\n"


def found(*rows):
    text = HEAD + "".join(f"{row}\n" for row in rows)
    return doubts(read_csv(text.encode(), "t.csv", catalogue(), TODAY).market(TODAY))


def codes(*rows):
    return [doubt.code for doubt in found(*rows)]


def test_ordinary_prices_raise_no_doubt():
    assert codes("a,x,r,H100-SXM,8,96,on_demand,24,2026-11-30", "a,y,r,H100-SXM,1,12,on_demand,3.2,2026-11-30") == []


def test_far_from_the_median_of_its_kind():
    rows = [f"s{i},x,r,H100-SXM,1,1,on_demand,{price},2026-11-30" for i, price in enumerate((3, 3.1, 2.9, 3, 0.5))]
    (doubt,) = found(*rows)
    assert doubt.code == "far_from_median"
    # 0.2 × the median 3 is 0.6.
    assert "0.5 USD per accelerator-hour" in doubt.message
    assert codes(*(row.replace(",0.5,", ",0.61,") for row in rows)) == []


def test_eight_at_the_price_of_one():
    (doubt,) = found("a,one,r,H100-SXM,1,1,on_demand,3,2026-11-30", "a,eight,r,H100-SXM,8,1,on_demand,3,2026-11-30")
    assert doubt.code == "price_of_one"
    assert "whole instance" in doubt.message


def test_spot_not_below_on_demand():
    rows = ("a,x,r,H100-SXM,8,1,on_demand,24,2026-11-30", "a,x,r,H100-SXM,8,1,spot,24,2026-11-30")
    assert codes(*rows) == ["spot_above_on_demand"]


def test_the_price_with_windows():
    # 98.32 + 96 × 0.046 = 102.736
    rows = (
        "azure,Standard_ND96isr_H100_v5,eastus,H100-SXM,8,96,on_demand,98.32,2026-11-30",
        "azure,Standard_ND96isr_H100_v5,westus,H100-SXM,8,96,on_demand,102.736,2026-11-30",
    )
    (doubt,) = found(*rows)
    assert doubt.code == "windows_price"
    assert "westus" in doubt.message


def test_old_prices():
    assert codes("a,x,r,H100-SXM,8,1,spot,9,2026-11-20") == ["stale"]
    assert codes("a,x,r,H100-SXM,8,1,spot,9,2026-11-24") == []
