"""``palio check``: the conformance kit."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palio.cli.errors import FAILED, BadUsage
from palio.cli.output import JsonFlag, print_json

if TYPE_CHECKING:
    from palio.conformance import Report, Settings

app = typer.Typer(no_args_is_help=True)


@app.command(epilog="Exit code 0 if everything holds, 1 if not. docs/conformance.md explains each obligation.")
def check(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND...", help="The bot: a program with its arguments."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="O-NN", help="Only this obligation; may be given more than once.")
    ] = None,
    patience: Annotated[
        float, typer.Option(help="Seconds to wait for what must come; raise it on a slow machine.", min=0.5, max=600)
    ] = 20.0,
    jobs: Annotated[int, typer.Option(help="Trials at the same time.", min=1, max=64)] = 4,
    listed: Annotated[bool, typer.Option("--list", help="Print all obligations as Markdown and exit.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Try a bot in any language against a server that is correct and then nasty, and say what it has to mend.

    The bot is started with PALIO_SERVER and PALIO_TOKEN in its environment, anew for each trial.
    """
    from palio.conformance import Settings, kit, report

    if listed:
        print(report.catalogue(), end="")
        return
    known = {obligation.id for obligation in kit.obligations()}
    for number in only or ():
        if number not in known:
            raise BadUsage(f"--only: there is no obligation {number!r}; they are {min(known)} to {max(known)}")
    if not command:
        raise BadUsage("which bot? palio check -- COMMAND...")
    if shutil.which(command[0]) is None:
        raise BadUsage(f"COMMAND: {command[0]!r} is no program that can be started")
    result = _check(command, Settings(patience=patience, jobs=jobs, only=tuple(only or ())))
    if as_json:
        print_json({"command": command, **report.as_json(result)})
    else:
        for line in report.lines(result):
            print(line)
    if not result.passed:
        raise typer.Exit(FAILED)


def _check(command: list[str], settings: Settings) -> Report:
    import asyncio

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from palio.conformance import check as try_all
    from palio.conformance import kit
    from palio.conformance import program as programs

    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    for name in ("PALIO_BOT_NAME", "PALIO_CA", "PALIO_TLS", "PALIO_CERT", "PALIO_KEY"):
        os.environ.pop(name, None)  # they are for another server than ours
    console = Console(stderr=True)
    columns = (TextColumn("trying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        tempfile.TemporaryDirectory(prefix="palio-check-") as folder,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("trying", total=kit.count(settings))
        start = programs.command(command, Path(folder), Path.cwd())
        return asyncio.run(try_all(start, settings, lambda: progress.advance(task)))
