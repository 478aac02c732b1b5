"""EXPLORE, HARVEST and TAX (G-71 to G-75): what outposts, farms and towns yield."""

from __future__ import annotations

from palio.games.feudum.data import (
    FARM,
    FEUDUM,
    FULL,
    KICKBACK,
    KICKBACK_FARM,
    OUTPOST,
    SULFUR,
    TOWN,
    VP_HARVEST,
)
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Table
from palio.games.feudum.supply import ask_sulfur, draw_goods, gain_shillings, gain_vp
from palio.games.feudum.writs import draw

_FULL_FARM = 10
"""A farm with that many goods cannot be harvested."""
_MAX_YIELD = 10
_MIN_KICKBACK = 5


def explore_legal(table: Table, player: int) -> bool:
    return bool(table.deck or table.discard) and table.count_ruled(player, OUTPOST) > 0


def explore_start(table: Table, player: int) -> None:
    draw(table, player, 1 + table.count_ruled(player, OUTPOST) + table.count_ruled(player, FEUDUM))


def tax_legal(table: Table, player: int) -> bool:
    return table.bank > 0 and table.count_ruled(player, TOWN) > 0


def tax_start(table: Table, player: int) -> None:
    due = 1 + table.count_ruled(player, TOWN) + table.count_ruled(player, FEUDUM)
    emit(table, "taxed", player, gain_shillings(table, player, due))


def harvest_yield(table: Table, player: int) -> int:
    """Goods that a harvest gives now (G-72)."""
    rich = 4 + table.count_ruled(player, FARM) + table.count_ruled(player, FEUDUM) + sum(table.beads[player])
    return min(rich, _MAX_YIELD, sum(table.haversack))


def _farms(table: Table, player: int) -> list[int]:
    return [farm for farm in table.ruled(player, FARM) if sum(table.stock_at(farm)) < _FULL_FARM]


def harvest_legal(table: Table, player: int) -> bool:
    return any(table.haversack) and bool(_farms(table, player))


def harvest_start(table: Table, player: int) -> None:
    table.stack.append(("HARVEST_FARM", player))


def _farm_options(table: Table, frame: Frame) -> list[Frame]:
    return [("location", farm) for farm in _farms(table, frame[1])]


def _farm_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    table.stack.append(("HARVEST_MODE", frame[1], option[1]))


def _mode_options(table: Table, frame: Frame) -> list[Frame]:
    if harvest_yield(table, frame[1]) < _MIN_KICKBACK:
        return [("harvest", FULL)]
    return [("harvest", FULL), ("harvest", KICKBACK)]


def _mode_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, farm = frame
    mode = option[1]
    rich = harvest_yield(table, player)
    share = KICKBACK_FARM[rich] if mode == KICKBACK else rich
    for_farm = draw_goods(table, share)
    for_player = draw_goods(table, rich - share)
    for good in range(5):
        table.stock[5 * farm + good] += for_farm[good]
        table.goods[5 * player + good] += for_player[good]
    flipped = 0
    if mode == KICKBACK:
        flipped = len(table.beads[player])
        table.seals[player] += table.beads[player]
        table.beads[player] = ()
    emit(table, "harvested", player, farm, mode, tuple(for_farm), tuple(for_player), flipped, forced)
    gain_vp(table, player, 1, VP_HARVEST)
    ask_sulfur(table, player, for_player[SULFUR])


QUESTIONS: Questions = {
    "HARVEST_FARM": (_farm_options, _farm_answer),
    "HARVEST_MODE": (_mode_options, _mode_answer),
}
