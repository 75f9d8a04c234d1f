"""Readers of the result files that benchmark tools write."""
