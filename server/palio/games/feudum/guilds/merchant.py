"""The Merchant Guild: the market, goods from the barn, goods to the alchemists (G-99 to G-101)."""

from __future__ import annotations

from palio.games.feudum.data import MERCHANT, PRICES, ROW, STORE, SULFUR
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import (
    BARN_TO_ROWS,
    ROWS_TO_STORES,
    full,
    pay,
    pull_reward,
    push_reward,
    transfer,
)
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import ask_sulfur

TRADE_LIMIT, PULL_LIMIT, PUSH_LIMIT = 3, 3, 4


def price(table: Table, good: int) -> int:
    """Of the next good in a row that is not empty (G-08)."""
    return PRICES[good][table.rows[good] - 1]


def _affordable(table: Table, purse: int) -> list[int]:
    return [good for good in range(5) if table.rows[good] and price(table, good) <= purse]


def can_trade(table: Table, player: int) -> bool:
    return bool(_affordable(table, table.shillings[player]))


def trade(table: Table, player: int) -> None:
    table.stack.append(("MARKET_BUY", player, 0, 0, 0))


def _buy_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, bought, total, _ = frame
    options: list[Frame] = []
    if bought < TRADE_LIMIT:
        options += [("good", good) for good in _affordable(table, table.shillings[player] - total)]
    if bought:
        options.append(("done",))
    return options


def _buy_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, bought, total, sulfur = frame
    if option[0] == "done":
        pay(table, player, total, MERCHANT)
        ask_sulfur(table, player, sulfur)
        return
    good = option[1]
    cost = price(table, good)
    table.rows[good] -= 1
    table.goods[5 * player + good] += 1
    emit(table, "bought", player, good, cost, forced)
    table.stack.append(("MARKET_BUY", player, bought + 1, total + cost, sulfur + (good == SULFUR)))


def pull(table: Table, player: int) -> None:
    table.stack.append(("merchant_pulled", player, full(table.rows, ROW), min(table.rows)))
    transfer(table, player, BARN_TO_ROWS, PULL_LIMIT)


def _pulled(table: Table, frame: Frame) -> None:
    _, player, before, columns = frame
    pull_reward(table, player, full(table.rows, ROW) & ~before > 0 or min(table.rows) > columns)


def push(table: Table, player: int) -> None:
    table.stack.append(("merchant_pushed", player, full(table.stores, STORE)))
    transfer(table, player, ROWS_TO_STORES, PUSH_LIMIT)


def _pushed(table: Table, frame: Frame) -> None:
    _, player, before = frame
    push_reward(table, player, (full(table.stores, STORE) & ~before).bit_count())


QUESTIONS: Questions = {"MARKET_BUY": (_buy_options, _buy_answer)}
STEPS: Steps = {"merchant_pulled": _pulled, "merchant_pushed": _pushed}
