"""The web app and the command line: turns requests into calls and answers into pages, JSON and CSV."""
