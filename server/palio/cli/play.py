"""``palio play``: a person in the terminal against bots."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palio.cli.errors import BadUsage, CommandFailed
from palio.cli.output import assignment

if TYPE_CHECKING:
    from palio.cli.backstage import Plan

app = typer.Typer()

WEEK = 7 * 24 * 3600


@app.command()
def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Id of the game; palio rules games lists them.")],
    vs: Annotated[
        list[str] | None, typer.Option("--vs", metavar="BOT", help="An opponent; may be given more than once.")
    ] = None,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Players in all; the last bot named fills up the seats.")
    ] = None,
    seat: Annotated[int, typer.Option(metavar="N", help="Your seat.")] = 0,
    name: Annotated[str, typer.Option(help="Your name; the default is your login.")] = "",
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Play the deal of this seed text.")] = None,
    teams: Annotated[bool, typer.Option("--teams", help="The same as --option teams=true.")] = False,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the game; may be repeated.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to save the replay; the default is named for the time.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Choices count at once, without being confirmed.")] = False,
) -> None:
    """Play a game in the terminal against built-in bots.

    You see what a bot in your seat would be told, over the same protocol.
    """
    from palio.cli.backstage import Plan
    from palio.codec.jsons import read_game_options
    from palio.engine.chance import seed_from_text
    from palio.server import logs
    from palio.v1 import match_pb2

    given = dict(assignment("--option", text) for text in option or []) | ({"teams": True} if teams else {})
    options = read_game_options(game, given)
    me = _own_name(name)
    opponents = _opponents(game, vs or [], players, me)
    if not 0 <= seat <= len(opponents):
        raise BadUsage(f"--seat: {seat} is not between 0 and {len(opponents)}")
    names = [*opponents]
    names.insert(seat, me)
    match_id = time.strftime(f"{game}-%Y%m%d-%H%M%S")
    saved = replay or Path(f"{match_id}.replay")
    if saved.exists():
        raise BadUsage(f"--replay: {saved} exists already")
    if not os.access(saved.parent, os.W_OK):
        raise BadUsage(f"--replay: there is no directory {saved.parent} that can be written to")
    text = secrets.token_hex(8) if seed is None else seed
    request = match_pb2.CreateMatchRequest(
        match_id=match_id, game=game, players=names, options=options, seed=seed_from_text(text)
    )
    request.time_control.idle_limit.FromSeconds(WEEK)
    logs.configure("console", "warning")
    with tempfile.TemporaryDirectory(prefix="palio-") as folder:
        plan = Plan(request, me, opponents, text, Path(folder))
        try:
            _sit_down(plan, confirm=not quick)
        finally:
            if plan.replay.exists():
                shutil.copyfile(plan.replay, saved)
                print(f"The replay is in {saved}; palio replay show {saved} prints it")


def _sit_down(plan: Plan, *, confirm: bool) -> None:
    from rich.console import Console

    from palio.cli.backstage import Backstage
    from palio.cli.terminal import Terminal

    console = Console()

    def read(prompt: str) -> str:
        return console.input(prompt, markup=False)

    terminal = Terminal(console, read, confirm=confirm)
    with Backstage(plan) as backstage:
        try:
            terminal.play(backstage)
        except (EOFError, KeyboardInterrupt) as end:
            backstage.resign()
            terminal.wait_for_the_end(backstage)
            if isinstance(end, KeyboardInterrupt):
                raise
            raise CommandFailed("the input ended before the match, which was given up") from None


def _opponents(game: str, bots: list[str], players: int | None, me: str) -> dict[str, str]:
    """By name of the player the bot that plays it."""
    from palio.bots import all_bots, strategy
    from palio.games import rules_of

    seats = rules_of(game).seats
    if players is not None and players not in seats:
        raise BadUsage(f"--players: {players} is not one of {', '.join(map(str, seats))}")
    wanted = (players or len(bots) + 1) - 1
    if len(bots) > wanted:
        raise BadUsage(f"--vs: {len(bots)} bots are named for {wanted} other seats")
    if not bots and (wanted or 1 not in seats):
        able = ", ".join(name for name, games in all_bots().items() if game in games)
        raise BadUsage(f"--vs: name a bot to play against: {able}")
    found: dict[str, str] = {}
    for bot in [*bots, *bots[-1:] * (wanted - len(bots))]:
        strategy(bot, game)
        player = next(name for name in _names_like(bot) if name not in found and name != me)
        found[player] = bot
    return found


def _names_like(bot: str) -> Iterator[str]:
    yield bot
    yield from (f"{bot}-{number}" for number in count(2))


def _own_name(name: str) -> str:
    from palio.codec.status import InvalidRequest
    from palio.server.access.credentials import check_name

    if name:
        try:
            return check_name(name)
        except InvalidRequest as error:
            raise BadUsage(f"--name: {error}") from None
    try:
        return check_name(getpass.getuser())
    except (InvalidRequest, OSError, KeyError):
        return "you"
