"""``palio token``: what bots prove by who they are."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated

import typer

from palio.cli.accounts import (
    ConfigOption,
    DatabaseOption,
    DataOption,
    date_json,
    date_text,
    day_text,
    moment,
    open_accounts,
)
from palio.cli.errors import BadUsage
from palio.cli.output import Json, JsonFlag, print_json, print_table
from palio.codec.status import NotFound
from palio.server.access.accounts import Accounts, Token, utc_now
from palio.server.access.credentials import Role

app = typer.Typer(no_args_is_help=True)


@app.callback()
def token() -> None:
    """Make, list and revoke tokens. A token is shown once, when it is made; the server keeps only a hash of it."""


@app.command()
def create(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Whose token it is.")],
    label: Annotated[str, typer.Option(help="What it is for, to tell tokens apart.")] = "",
    role: Annotated[Role | None, typer.Option(help="What it allows; at most, and by default, the player's.")] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="WHEN", help="A duration such as 30d or 12h, or a date; default: never.")
    ] = None,
    register: Annotated[bool, typer.Option("--register", help="Register the player if there is none.")] = False,
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a token and print it: stdout has the token alone, stderr the rest."""
    end = moment(expires, utc_now())
    with open_accounts(data, config, database) as accounts:
        _check_player(accounts, player, role, register=register)
        text, made = accounts.create_token(player, label=label, role=role, expires=end)
    if as_json:
        print_json({"token": text} | _json(made, utc_now()))
        return
    ending = f"until {date_text(made.expires)} UTC" if made.expires else "until it is revoked"
    print(f"token {made.token_id} of {made.player}, {made.role}, {ending}; it is not shown again:", file=sys.stderr)
    print(text)


@app.command("list")
def list_(
    player: Annotated[str | None, typer.Argument(metavar="[PLAYER]", help="Only tokens of this player.")] = None,
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List tokens, without their secrets."""
    now = utc_now()
    with open_accounts(data, config, database) as accounts:
        tokens = accounts.tokens(player)
    if as_json:
        print_json([_json(found, now) for found in tokens])
        return
    print_table(
        ["id", "player", "role", "label", "status", "created", "expires"],
        [
            (t.token_id, t.player, t.role, t.label, t.status(now), day_text(t.created), day_text(t.expires))
            for t in tokens
        ],
        empty="no tokens yet; palio token create PLAYER makes one",
    )


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="Its id, as palio token list shows it.")],
    data: DataOption = None,
    config: ConfigOption = None,
    database: DatabaseOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Take a token back for good; running servers refuse it within a second."""
    with open_accounts(data, config, database) as accounts:
        # Who has only the token itself at hand may give that: its id is a part of it.
        revoked = accounts.revoke(token_id.split("_")[1] if token_id.startswith("palio_") else token_id)
    if as_json:
        print_json(_json(revoked, utc_now()))
    else:
        print(f"token {revoked.token_id} of {revoked.player} is revoked")


def _check_player(accounts: Accounts, name: str, role: Role | None, *, register: bool) -> None:
    try:
        accounts.player(name)
    except NotFound as error:
        if not register:
            text = f"player: {error}"
            raise BadUsage(f"{text} (palio player create registers players, and so does --register here)") from None
        accounts.create_player(name, role or Role.PLAYER)


def _json(token: Token, now: datetime) -> dict[str, Json]:
    return {
        "token_id": token.token_id,
        "player": token.player,
        "role": str(token.role),
        "label": token.label,
        "status": token.status(now),
        "created": date_json(token.created),
        "expires": date_json(token.expires),
        "revoked": date_json(token.revoked),
    }
