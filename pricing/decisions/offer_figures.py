"""Figures that several decisions' tables have in common: of the offer, its price and the measurement."""

from __future__ import annotations

from pricing.decisions.decision import Figure

RANK = Figure("rank", "Rank", "", "By cost.", "whole")
OFFER = Figure("offer", "Offer", "", "PROVIDER/INSTANCE_TYPE.", "text")
REGION = Figure("region", "Region", "", "As the seller names it.", "text")
PURCHASE = Figure("purchase", "Purchase", "", "How it is bought.", "text")
MEASUREMENT = Figure("measurement", "Measurement", "", "Its label.", "text")
PRICE = Figure("price_usd_per_hour", "Price", "USD per hour", "Of the whole instance.", "usd")
PRICE_SEEN = Figure("price_observed_on", "Price seen", "", "Date of the price.", "date")
PRICE_EVIDENCE = Figure("price_evidence", "Evidence", "", "How the price is known.", "text")
