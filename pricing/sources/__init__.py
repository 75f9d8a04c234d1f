"""Readers of price data, one file each."""
