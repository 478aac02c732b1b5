"""``palio new-bot``: a project to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)


@app.command()
def new_bot(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="New directory; its name becomes the bot's.")],
    language: Annotated[
        str, typer.Option("--lang", metavar="LANGUAGE", help="cpp, go, java, python, rust or typescript.")
    ],
    sdk: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The language's SDK; by default clients/LANGUAGE of the clone that palio is in."
        ),
    ] = None,
) -> None:
    """Write a project for a new bot: its source, a test, and a Makefile that plays it against greedy."""
    from palio.cli.scaffold import create

    for file in create(language, directory, sdk):
        print(directory / file)
    print(f"next: cd {directory} && make test play")
