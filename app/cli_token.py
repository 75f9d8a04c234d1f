"""The command that makes a token for a server."""

from __future__ import annotations

import click

from app.commands import fail, tell


@click.command("token")
@click.argument("name")
def token(name: str) -> None:
    """Make a token for a person or a team. It is shown once; the server keeps its hash alone.

    \b
    perdollar token team-a
    """
    from app.tokens import entry_of, made

    secret = made()
    try:
        entry = entry_of(name, secret)
    except ValueError as error:
        fail(str(error))
    tell(f"token, to be kept by whoever uses it: {secret}")
    tell(f"entry for PERDOLLAR_TOKENS: {entry}")
