"""REPEAT (G-83): the actions whose cards bear the x2 mark can be performed once more."""

from __future__ import annotations

from palio.games.feudum.actions import guild, land, move
from palio.games.feudum.data import GUILD, INFLUENCE, MOVE, REPEATABLE
from palio.games.feudum.state import Table

_LEGAL = {MOVE: move.legal, INFLUENCE: land.influence_legal, GUILD: guild.legal}


def candidates(table: Table, player: int) -> list[int]:
    """Repeatable actions whose cards the player has used in this round and that are legal now."""
    used = table.used[player]
    return [action for action in REPEATABLE if used >> action & 1 and _LEGAL[action](table, player)]


def legal(table: Table, player: int) -> bool:
    return bool(candidates(table, player))


def start(table: Table, player: int) -> None:
    table.stack.append(("REPEAT_ACTION", player))
