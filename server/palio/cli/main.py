"""The program ``palio``: finds the command that was named, and turns what goes wrong into a message and an exit code.

Command modules are imported only when they are called for, so ``palio --help`` answers at once. A new command is one
line in :data:`COMMANDS` and one module with a typer ``app``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from palio.cli.errors import BAD_USAGE, INTERRUPTED, explain

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("demo", "A round robin of the built-in bots over gRPC, with standings and a report."),
    "play": ("play", "Play a game in the terminal against bots."),
    "serve": ("serve", "Run the server."),
    "tournament": ("tournament", "Run tournaments and look at their results."),
    "bot": ("bot", "Run a built-in bot against any server."),
    "new-bot": ("new_bot", "Write a project for a new bot, in any of six languages."),
    "check": ("check", "Try a bot in any language: does it do all that the protocol asks?"),
    "replay": ("replay", "Check replays by playing them again, and read them."),
    "rules": ("rules", "Ask the rules engine: games, positions, what can be done in them."),
    "player": ("player", "Register players, change their roles, list them."),
    "stats": ("stats", "What a game is like, from many games of the built-in bots."),
    "bench": ("bench", "Measure how fast it is here, as ratios."),
    "token": ("token", "Make, list and revoke the tokens by which bots prove who they are."),
}
"""Name of each command: its module in ``palio.cli``, and what ``palio --help`` says about it."""


class LazyGroup(TyperGroup):
    """Lists every command of :data:`COMMANDS` by its one line of help; imports one only to run it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, text) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=text))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            module, text = COMMANDS[name]
            command = get_command(import_module(f"palio.cli.{module}").app)
            command.name, command.help = name, command.help or text
        return name, command, rest


def version_text() -> str:
    """Name and version, as ``--version`` prints them."""
    from importlib.metadata import version

    return f"palio {version('palio')}"


def _print_version(wanted: bool) -> None:
    if wanted:
        print(version_text())
        raise typer.Exit


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)


@app.callback(epilog="Exit codes: 0 done, 1 it failed, 2 bad usage or bad input. PALIO_DEBUG=1 shows tracebacks.")
def palio(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """An arena where bots in any language play hidden-information board games over gRPC."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; nothing is raised for what a user did wrong.

    Args:
        arguments: without the program's name; those of the process if ``None``.
    """
    try:
        get_command(app).main(args=None if arguments is None else list(arguments), prog_name="palio")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else BAD_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        failure = explain(error)
        from palio.cli.output import printable

        text = printable(failure.text, keep="\n\t")
        print(f"palio: {text}", file=sys.stderr)
        return failure.code
    return 0


def run() -> NoReturn:
    """The console script."""
    sys.exit(main())
