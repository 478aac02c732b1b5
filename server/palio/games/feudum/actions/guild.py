"""GUILD (G-84 to G-87): one function of one guild, by right or by a feast; reeves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from palio.games.feudum.data import (
    ALCHEMIST,
    FARMER,
    FEUDUM,
    KNIGHT,
    LEFT,
    MERCHANT,
    MONK,
    NOBLE,
    PULL,
    PUSH,
    RIGHT,
    SULFUR,
    TRADE,
    VP_REEVE,
    left_of,
)
from palio.games.feudum.events import emit
from palio.games.feudum.guilds import alchemist, farmer, knight, merchant, monk, noble
from palio.games.feudum.guilds.common import BARN_TO_ROWS, ROWS_TO_STORES, movable
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import gain_vp

_CAN_TRADE: Final = (
    farmer.can_trade,
    merchant.can_trade,
    alchemist.can_trade,
    knight.can_trade,
    noble.can_trade,
    monk.can_trade,
)
_RUN: Final[dict[tuple[int, int], Callable[[Table, int], None]]] = {
    (FARMER, TRADE): farmer.trade,
    (FARMER, PULL): farmer.pull,
    (FARMER, PUSH): farmer.push,
    (MERCHANT, TRADE): merchant.trade,
    (MERCHANT, PULL): merchant.pull,
    (MERCHANT, PUSH): merchant.push,
    (ALCHEMIST, TRADE): alchemist.trade,
    (ALCHEMIST, PULL): alchemist.pull,
    (ALCHEMIST, PUSH): alchemist.push,
    (KNIGHT, TRADE): knight.trade,
    (KNIGHT, PULL): knight.pull,
    (KNIGHT, PUSH): knight.push,
    (NOBLE, TRADE): noble.trade,
    (NOBLE, PULL): knight.noble_pull,
    (NOBLE, PUSH): noble.push,
    (MONK, TRADE): monk.trade,
    (MONK, PULL): noble.monk_pull,
    (MONK, PUSH): monk.push,
}


def _can_push(table: Table, guild: int) -> bool:
    """Whether something can go from the guild to its right neighbour (G-93); a PULL asks this of the left one."""
    if guild == FARMER:
        return movable(table, BARN_TO_ROWS) > 0
    if guild == MERCHANT:
        return movable(table, ROWS_TO_STORES) > 0
    if guild == ALCHEMIST:
        return bool(alchemist.inventions(table, 0))
    if guild == KNIGHT:
        return knight.can_seal(table)
    if guild == NOBLE:
        return noble.can_turn(table)
    return monk.can_feed(table)


def possible(table: Table, player: int, guild: int, function: int) -> bool:
    """The condition of G-93, the right to the function aside."""
    if function == TRADE:
        return _CAN_TRADE[guild](table, player)
    return _can_push(table, guild if function == PUSH else left_of(guild))


def hosts(table: Table, player: int) -> list[int]:
    """Opponents who share a location with a pawn of the player, or rule a feudum where he has one (G-86)."""
    if not table.advanced or not table.barrel[player]:
        return []
    places = table.pawn_places(player)
    return [
        host
        for host in range(table.n)
        if host != player
        and (
            any(at in places for at in table.pawn_at[3 * host : 3 * host + 3])
            or any(table.ruler[at] == host and table.kind[at] == FEUDUM for at in places)
        )
    ]


def _functions(table: Table, player: int) -> Iterator[Frame]:
    """All functions that the player may perform now, as options: by right, then by feasts (G-31, G-85)."""
    free = [guild for guild in range(6) if not table.engaged[player] >> guild & 1]
    for guild in free:
        if possible(table, player, guild, TRADE):
            yield ("function", guild, TRADE)
        if table.holder(guild, 1) == player and possible(table, player, guild, PULL):
            yield ("function", guild, PULL)
        if table.holder(guild, 0) == player and possible(table, player, guild, PUSH):
            yield ("function", guild, PUSH)
    inviting = hosts(table, player)
    if not inviting:
        return
    for guild in free:
        for function, host in ((PULL, table.holder(guild, 1)), (PUSH, table.holder(guild, 0))):
            if host in inviting and possible(table, player, guild, function):
                yield ("feast", guild, function, host)


def functions(table: Table, player: int) -> list[Frame]:
    """The options of GUILD."""
    return list(_functions(table, player))


def legal(table: Table, player: int) -> bool:
    return next(_functions(table, player), None) is not None


def start(table: Table, player: int) -> None:
    table.stack.append(("GUILD_FUNCTION", player))


def _function_options(table: Table, frame: Frame) -> list[Frame]:
    return functions(table, frame[1])


def _function_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    _, guild, function, *feast = option
    host = feast[0] if feast else -1
    emit(table, "guild", player, guild, function, host, forced)
    table.engaged[player] |= 1 << guild
    table.doing = (guild, function, host)
    if host >= 0:
        table.barrel[player] -= 1
        table.haversack[SULFUR] += 1
    table.stack += [("function_over",), ("function", player)]
    if table.advanced and host < 0 and function != TRADE:
        table.stack.append(("reeve_bonus", player))
        if player not in (table.left[guild], table.right[guild]) and table.pool[player]:
            table.stack.append(("REEVE", player))


def _reeve_options(table: Table, frame: Frame) -> list[Frame]:
    return [("reeve", 0), ("reeve", 1)]


def _reeve_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    guild, function, _ = table.doing
    side = -1
    if option[1]:
        side = RIGHT if function == PUSH else LEFT
        (table.right if side == RIGHT else table.left)[guild] = player
        table.pool[player] -= 1
    emit(table, "reeve", player, guild, side, forced)


def _reeve_bonus(table: Table, frame: Frame) -> None:
    """One point with a reeve here, another with one elsewhere too, never more (G-59)."""
    player = frame[1]
    guild = table.doing[0]
    with_reeve = [g for g in range(6) if player in (table.left[g], table.right[g])]
    if guild in with_reeve:
        gain_vp(table, player, min(len(with_reeve), 2), VP_REEVE)


def _function(table: Table, frame: Frame) -> None:
    guild, function, _ = table.doing
    _RUN[guild, function](table, frame[1])


def _function_over(table: Table, frame: Frame) -> None:
    table.doing = ()


QUESTIONS: Questions = {
    "GUILD_FUNCTION": (_function_options, _function_answer),
    "REEVE": (_reeve_options, _reeve_answer),
}
STEPS: Steps = {"reeve_bonus": _reeve_bonus, "function": _function, "function_over": _function_over}
