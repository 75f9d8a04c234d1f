"""PerDollar's core: units, prices, formulas and ranking. Knows nothing of the web."""
