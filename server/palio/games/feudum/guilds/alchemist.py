"""The Alchemist Guild: vessels for sale, and inventions out of its stores (G-102 to G-106)."""

from __future__ import annotations

from palio.games.feudum.data import (
    ALCHEMIST,
    INVENTION_COSTS,
    KRUD,
    KRUD_COSTS,
    KRUD_ROOM,
    STORE,
    VESSEL_PRICE,
)
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import ROWS_TO_STORES, full, pay, pull_reward, push_reward, transfer
from palio.games.feudum.state import Frame, Questions, Steps, Table

PULL_LIMIT, PUSH_LIMIT = 2, 3


def can_trade(table: Table, player: int) -> bool:
    return any(table.sale) and table.shillings[player] >= VESSEL_PRICE


def trade(table: Table, player: int) -> None:
    table.stack.append(("VESSEL_PICK", player, 1))


def _vessel_options(table: Table, frame: Frame) -> list[Frame]:
    source = table.sale if frame[2] else table.docks
    return [("vessel", kind) for kind in range(3) if source[kind]]


def _vessel_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, trading = frame
    kind = option[1]
    source = table.sale if trading else table.docks
    source[kind] -= 1
    table.vessels[3 * player + kind] += 1
    emit(table, "vessel_taken", player, kind, forced)
    if trading:
        pay(table, player, VESSEL_PRICE, ALCHEMIST)


def pull(table: Table, player: int) -> None:
    table.stack.append(("alchemist_pulled", player, full(table.stores, STORE)))
    transfer(table, player, ROWS_TO_STORES, PULL_LIMIT)


def _pulled(table: Table, frame: Frame) -> None:
    _, player, before = frame
    pull_reward(table, player, full(table.stores, STORE) & ~before > 0)


def _cost(invention: int, kruds: int) -> tuple[int, ...]:
    return KRUD_COSTS[kruds] if invention == KRUD else INVENTION_COSTS[invention]


def krud_markers(table: Table) -> list[int]:
    """Markers that a barrel of krud adds now, by colour (G-106)."""
    return [min(KRUD_ROOM[count], reserve) for count, reserve in zip(table.krows, table.reserve, strict=True)]


def inventions(table: Table, kruds: int) -> list[int]:
    """What can be invented after so many kruds of the same function."""
    return [
        invention
        for invention in range(4)
        if all(have >= cost for have, cost in zip(table.stores, _cost(invention, kruds), strict=True))
        and (any(krud_markers(table)) if invention == KRUD else table.docks[invention])
    ]


def push(table: Table, player: int) -> None:
    table.stack.append(("INVENT", player, 0, 0, PUSH_LIMIT))


def _invent_options(table: Table, frame: Frame) -> list[Frame]:
    _, _, made, kruds, limit = frame
    options: list[Frame] = []
    if made < limit:
        options += [("invention", invention) for invention in inventions(table, kruds)]
    if made:
        options.append(("done",))
    return options


def _invent_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    """For a PUSH up to three times; a KNIGHT PULL asks with a limit of one and always earns its reward (G-108)."""
    _, player, made, kruds, limit = frame
    if option[0] == "done":
        if limit == PUSH_LIMIT:
            push_reward(table, player, made)
        else:
            pull_reward(table, player, True)
        return
    invention = option[1]
    for good, cost in enumerate(_cost(invention, kruds)):
        table.stores[good] -= cost
        table.haversack[good] += cost
    emit(table, "invented", player, invention, forced)
    if invention == KRUD:
        added = krud_markers(table)
        for colour, count in enumerate(added):
            table.reserve[colour] -= count
            table.krows[colour] += count
        emit(table, "markers_added", tuple(added))
        kruds += 1
    else:
        table.docks[invention] -= 1
        table.sale[invention] += 1
    table.stack.append(("INVENT", player, made + 1, kruds, limit))


QUESTIONS: Questions = {
    "VESSEL_PICK": (_vessel_options, _vessel_answer),
    "INVENT": (_invent_options, _invent_answer),
}
STEPS: Steps = {"alchemist_pulled": _pulled}
