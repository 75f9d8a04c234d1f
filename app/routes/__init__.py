"""Routes, one file per resource: each serves its page, its .json and its .csv from the same call."""
