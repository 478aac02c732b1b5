"""The Farmer Guild: trade a farm's goods away, beads on chickens, the barn to market (G-94 to G-98)."""

from __future__ import annotations

from palio.games.feudum.data import BARN, FARM, FOOD, PURSE, ROW, S_SPILL, STORE
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import (
    BARN_TO_ROWS,
    fists,
    full,
    lines_reward,
    place_on_chicken,
    pull_reward,
    transfer,
)
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import gain_shillings, shuffled

PUSH_LIMIT = 5
_PULL_SUM = 5


def can_trade(table: Table, player: int) -> bool:
    return bool(_farms(table, player))


def _farms(table: Table, player: int) -> list[int]:
    return [farm for farm in table.ruled(player, FARM) if any(table.stock_at(farm))]


def trade(table: Table, player: int) -> None:
    table.stack.append(("FARM_TRADE", player))


def _trade_options(table: Table, frame: Frame) -> list[Frame]:
    return [("location", farm) for farm in _farms(table, frame[1])]


def _trade_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, farm = frame[1], option[1]
    goods = table.stock_at(farm)
    table.stock[5 * farm : 5 * farm + 5] = [0] * 5
    store(table, player, farm, goods, forced)
    table.stack.append(("FARM_PAYOUT", player, sum(goods) // 2))


def store(table: Table, player: int, farm: int, goods: list[int], forced: bool) -> None:
    """Into the barn in random order; what is beyond it spills as far as the beads on the chickens say (G-95, G-96)."""
    units = shuffled(table, S_SPILL, tuple(good for good in range(5) for _ in range(goods[good])))
    room = BARN - sum(table.barn)
    spilling = sum(table.chickens)
    stored, to_rows, to_stores, to_haversack = [0] * 5, [0] * 5, [0] * 5, [0] * 5
    for at, good in enumerate(units):
        if at < room:
            table.barn[good] += 1
            stored[good] += 1
        elif at < room + spilling and table.rows[good] < ROW:
            table.rows[good] += 1
            to_rows[good] += 1
        elif at < room + spilling and table.stores[good] < STORE:
            table.stores[good] += 1
            to_stores[good] += 1
        else:
            table.haversack[good] += 1
            to_haversack[good] += 1
    emit(table, "stored", player, farm, tuple(stored), forced)
    if len(units) > room:
        emit(table, "spilled", player, tuple(to_rows), tuple(to_stores), tuple(to_haversack))


def _payout_options(table: Table, frame: Frame) -> list[Frame]:
    food, shillings = table.haversack[FOOD], table.bank
    units = min(frame[2], food + shillings)
    return [("food", k) for k in range(max(0, units - shillings), min(units, food) + 1)]


def _payout_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, units = frame
    food = option[1]
    table.haversack[FOOD] -= food
    table.goods[5 * player + FOOD] += food
    emit(table, "payout", player, food, gain_shillings(table, player, units - food), forced)


def pull(table: Table, player: int) -> None:
    table.stack.append(("farmer_pulled", player))
    fists(table, player)


def _pulled(table: Table, frame: Frame) -> None:
    player = frame[1]
    pull_reward(table, player, place_on_chicken(table, player) >= _PULL_SUM)


def push(table: Table, player: int) -> None:
    before, columns = full(table.rows, ROW), min(table.rows)
    table.stack += [("share", PURSE), ("farmer_pushed", player, before, columns)]
    transfer(table, player, BARN_TO_ROWS, PUSH_LIMIT)


def _pushed(table: Table, frame: Frame) -> None:
    _, player, before, columns = frame
    rows = (full(table.rows, ROW) & ~before).bit_count()
    lines_reward(table, player, rows, min(table.rows) - columns)


QUESTIONS: Questions = {
    "FARM_TRADE": (_trade_options, _trade_answer),
    "FARM_PAYOUT": (_payout_options, _payout_answer),
}
STEPS: Steps = {"farmer_pulled": _pulled, "farmer_pushed": _pushed}
