"""``palio demo``: what Palio does, in less than a minute."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from palio.cli.errors import CommandFailed

app = typer.Typer()


@app.command()
def demo(
    game: Annotated[str, typer.Option(help="Id of the game.")] = "fidelitas",
    directory: Annotated[
        Path,
        typer.Option("--dir", metavar="DIR", help="For its files; an earlier demo there is replaced."),
    ] = Path("palio-demo"),
    seed: Annotated[str, typer.Option(help="Text that schedule and deals come from.")] = "palio",
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of a live picture.")] = False,
) -> None:
    """A round robin of four built-in bots in processes of their own, over gRPC: standings, crosstable, HTML report."""
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    from palio.cli.tournament import print_results
    from palio.tournament import command
    from palio.tournament.demo import write_demo

    print("playing one match to see how many there is time for")
    file = write_demo(game, directory, seed)
    print(f"the tournament file is {file}; your own is run by: palio tournament run FILE.toml")
    try:
        summary, folder = command.run(file, plain=plain)
    except command.RunFailed as error:
        raise CommandFailed(str(error)) from None
    except command.Interrupted:
        raise typer.Exit(130) from None
    print_results(summary)
    print(f"report   {folder.report}")
    print(f"replays  {folder.replays}")
    if replay := next(iter(sorted(folder.replays.glob("*.replay"))), None):
        print(f"one of them for people: palio replay show {replay}")
