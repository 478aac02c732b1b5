"""``palio bot``: the bots that come with Palio, against any server."""

from __future__ import annotations

from typing import Annotated

import typer

from palio.cli.errors import BadUsage
from palio.cli.output import JsonFlag, print_json, print_table

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bot() -> None:
    """Run a built-in bot, or list them."""


@app.command("list")
def list_bots(as_json: JsonFlag = False) -> None:
    """The built-in bots and the games that they play."""
    from palio.bots import all_bots

    bots = all_bots()
    if as_json:
        print_json({name: list(games) for name, games in bots.items()})
    else:
        print_table(["bot", "games"], [[name, ", ".join(games)] for name, games in bots.items()])


@app.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which bot; palio bot list shows them.")],
    server: Annotated[str | None, typer.Option(envvar="PALIO_SERVER", help="HOST:PORT or unix:/PATH.")] = None,
    token: Annotated[str | None, typer.Option(envvar="PALIO_TOKEN", help="Says who the player is.")] = None,
    player: Annotated[
        str | None, typer.Option("--name", envvar="PALIO_BOT_NAME", help="A label; without a token the player's name.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Text that tells bots of one kind apart, where they use chance.")] = "",
    concurrency: Annotated[int | None, typer.Option(help="Matches at the same time.")] = None,
    matches: Annotated[int | None, typer.Option(help="Leave after so many matches; by default never.")] = None,
) -> None:
    """Play until the server has no more matches. PALIO_CA and PALIO_TLS turn on TLS, PALIO_CERT and PALIO_KEY
    are the bot's own certificate."""
    from palio.bots import bot_named
    from palio.client import play
    from palio.client.settings import from_environment

    given = {"server": server, "token": token, "name": player or name, "concurrency": concurrency, "matches": matches}
    try:
        settings = from_environment(**given)
    except ValueError as error:
        raise BadUsage(str(error)) from None
    play(bot_named(name, seed), settings)
