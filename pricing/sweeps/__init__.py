"""Sweeps: many scenarios at once, each answered as a comparison would answer it."""
