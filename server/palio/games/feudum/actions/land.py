"""INFLUENCE (G-68) and IMPROVE (G-69, G-70): markers on locations, and what locations become."""

from __future__ import annotations

from palio.games.feudum.data import (
    FARM,
    FEUDUM,
    IMPROVE_VP,
    IRON,
    OUTPOST,
    OVERTHROW,
    RULER,
    SERF,
    SUBJECT,
    TOWN,
    VP_IMPROVE,
    WOOD,
)
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Table
from palio.games.feudum.supply import gain_vp, pay_good, spend_seal

_PRICE = {OUTPOST: WOOD, FARM: IRON}


def role_at(table: Table, player: int, location: int) -> int:
    """What the player's next marker there would be (G-38, G-39), -1 where none is allowed."""
    ruler, serf, subject = table.ruler[location], table.serf[location], table.subject[location]
    if ruler < 0:
        return RULER
    if ruler == player:
        return -1 if subject else SUBJECT
    if serf < 0:
        return SERF
    if serf == player and not subject and table.kind[location] != FEUDUM:
        return OVERTHROW
    return -1


def place_marker(table: Table, player: int, location: int) -> int:
    """Add one marker (its owner's supply is charged) and say what it became."""
    role = role_at(table, player, location)
    if role == RULER:
        table.ruler[location] = player
    elif role == SUBJECT:
        table.subject[location] = 1
    elif role == SERF:
        table.serf[location] = player
    else:
        table.serf[location] = table.ruler[location]
        table.ruler[location] = player
        table.subject[location] = 1
    table.markers[player] -= 1
    table.dirty = True
    return role


def influence_legal(table: Table, player: int) -> bool:
    return table.markers[player] > 0 and any(
        at and role_at(table, player, at) >= 0 for at in table.pawn_at[3 * player : 3 * player + 3]
    )


def influence_start(table: Table, player: int) -> None:
    table.stack.append(("INFLUENCE_PLACE", player, 0))


def _place_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, placed = frame  # bit mask of the locations that got a marker in this action
    options: list[Frame] = []
    if table.markers[player]:
        options += [
            ("location", location)
            for location in table.pawn_places(player)
            if not placed >> location & 1 and role_at(table, player, location) >= 0
        ]
    if placed:
        options.append(("done",))
    return options


def _place_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, placed = frame
    if option[0] == "done":
        return
    location = option[1]
    emit(table, "marker_placed", player, location, place_marker(table, player, location), forced)
    table.stack.append(("INFLUENCE_PLACE", player, placed | 1 << location))


def _improvable(table: Table, player: int) -> list[int]:
    """Ruled locations whose next step the player can pay."""
    goods = table.goods
    payable = (
        goods[5 * player + _PRICE[OUTPOST]] > 0,
        goods[5 * player + _PRICE[FARM]] > 0,
        bool(table.seals[player]) and any(table.feudums),
        False,  # a feudum is the last step
    )
    kinds = table.kind
    return [at for at, ruler in enumerate(table.ruler) if ruler == player and payable[kinds[at]]]


def improve_legal(table: Table, player: int) -> bool:
    return bool(_improvable(table, player))


def improve_start(table: Table, player: int) -> None:
    table.stack.append(("IMPROVE_LOCATION", player))


def _improve_options(table: Table, frame: Frame) -> list[Frame]:
    return [("location", location) for location in _improvable(table, frame[1])]


def _improve_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, location = frame[1], option[1]
    kind = table.kind[location]
    if kind == TOWN:
        spend_seal(table, player)
        table.stack.append(("IMPROVE_GUILD", player, location))
        return
    pay_good(table, player, _PRICE[kind])
    if kind == FARM:
        for good, count in enumerate(table.stock_at(location)):
            table.stock[5 * location + good] = 0
            table.haversack[good] += count
    _improved(table, player, location, kind + 1, -1, forced)


def _improved(table: Table, player: int, location: int, kind: int, guild: int, forced: bool) -> None:
    table.kind[location] = kind
    table.guild_of[location] = guild
    table.dirty = True
    vp = IMPROVE_VP[kind] + table.epoch - 1
    emit(table, "improved", player, location, kind, guild, vp, forced)
    gain_vp(table, player, vp, VP_IMPROVE)


def _guild_options(table: Table, frame: Frame) -> list[Frame]:
    return [("guild", guild) for guild in range(6) if table.feudums[guild]]


def _guild_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    guild = option[1]
    table.feudums[guild] -= 1
    _improved(table, frame[1], frame[2], FEUDUM, guild, forced)


QUESTIONS: Questions = {
    "INFLUENCE_PLACE": (_place_options, _place_answer),
    "IMPROVE_LOCATION": (_improve_options, _improve_answer),
    "IMPROVE_GUILD": (_guild_options, _guild_answer),
}
