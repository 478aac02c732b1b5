"""``palio player``: who may play."""

from __future__ import annotations

from typing import Annotated

import typer

from palio.cli.accounts import ConfigOption, DatabaseOption, DataOption, date_json, day_text, open_accounts
from palio.cli.output import Json, JsonFlag, print_json, print_table
from palio.server.access.accounts import Player
from palio.server.access.credentials import Role

app = typer.Typer(no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the player.")]


@app.callback()
def player() -> None:
    """Register players, change their roles, list them. Players are never deleted: results name them."""


@app.command()
def create(
    name: NameArgument,
    role: Annotated[Role, typer.Option(help="The most that its tokens may allow.")] = Role.PLAYER,
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Register a player."""
    with open_accounts(data, config, database) as accounts:
        _tell(accounts.create_player(name, role), "registered", as_json=as_json)


@app.command("list")
def list_(
    data: DataOption = None, config: ConfigOption = None, database: DatabaseOption = None, as_json: JsonFlag = False
) -> None:
    """List the players."""
    with open_accounts(data, config, database) as accounts:
        players = accounts.players()
    if as_json:
        print_json([_json(player) for player in players])
        return
    print_table(
        ["player", "role", "registered", "disabled"],
        [(found.name, found.role, day_text(found.created), day_text(found.disabled)) for found in players],
        empty="no players yet; palio player create NAME registers one",
    )


@app.command()
def role(
    name: NameArgument,
    role: Annotated[Role, typer.Argument(help="The new role.")],
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Give a player another role. Its tokens allow no more than it from now on."""
    with open_accounts(data, config, database) as accounts:
        changed = accounts.set_role(name, role)
    _tell(changed, f"is {changed.role} now", as_json=as_json)


@app.command()
def disable(
    name: NameArgument,
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Refuse all tokens of a player until it is enabled again."""
    with open_accounts(data, config, database) as accounts:
        _tell(accounts.set_disabled(name, True), "disabled", as_json=as_json)


@app.command()
def enable(
    name: NameArgument,
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Accept the tokens of a disabled player again."""
    with open_accounts(data, config, database) as accounts:
        _tell(accounts.set_disabled(name, False), "enabled", as_json=as_json)


def _tell(player: Player, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json(_json(player))
    else:
        print(f"{player.name} {what}")


def _json(player: Player) -> dict[str, Json]:
    return {
        "name": player.name,
        "role": str(player.role),
        "created": date_json(player.created),
        "disabled": date_json(player.disabled),
    }
