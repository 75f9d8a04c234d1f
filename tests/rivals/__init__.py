"""The same question asked of PerDollar, gpuhunt and SkyPilot: `make rivals`."""
