"""The Noble Guild: seals for sale, seals turned into beads (G-110 to G-112); its PULL is in :mod:`.knight`."""

from __future__ import annotations

from palio.games.feudum.data import NOBLE, ROSARY, SEAL_PRICE
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import pay, pull_reward, push_reward
from palio.games.feudum.state import Frame, Questions, Steps, Table

TRADE_LIMIT, PUSH_LIMIT = 2, 2
_FOR_SALE, _FOR_NOBLE, _FOR_MONK = range(3)
"""Why a seal is taken off the scrolls: NOBLE TRADE, NOBLE PUSH, MONK PULL."""
_PUSH_SUMS = (5, 11, 17)
_MONK_SUM = 11


def can_trade(table: Table, player: int) -> bool:
    return any(table.scrolls) and table.shillings[player] >= SEAL_PRICE


def can_turn(table: Table) -> bool:
    """A seal can become a bead of the rosary."""
    return any(table.scrolls) and len(table.rosary) < ROSARY


def trade(table: Table, player: int) -> None:
    table.stack.append(("SCROLL_TAKE", player, _FOR_SALE, 0))


def push(table: Table, player: int) -> None:
    table.stack.append(("SCROLL_TAKE", player, _FOR_NOBLE, 0))


def monk_pull(table: Table, player: int) -> None:
    table.stack.append(("SCROLL_TAKE", player, _FOR_MONK, 0))


def _take_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, purpose, taken = frame
    options: list[Frame] = []
    if purpose == _FOR_SALE:
        more = taken < TRADE_LIMIT and table.shillings[player] >= SEAL_PRICE * (taken + 1)
    else:
        more = taken < (PUSH_LIMIT if purpose == _FOR_NOBLE else 1) and len(table.rosary) < ROSARY
    if more:
        options += [("cell", cell) for cell in range(1, 7) if table.scrolls[cell - 1]]
    if taken and (purpose == _FOR_SALE or not options):
        options.append(("done",))
    return options


def _take_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, purpose, taken = frame
    if option[0] == "done":
        _taken(table, player, purpose, taken)
        return
    cell = option[1]
    value = table.scrolls[cell - 1]
    table.scrolls[cell - 1] = 0
    if purpose == _FOR_SALE:
        table.seals[player] += (value,)
        emit(table, "seal_taken", player, cell, forced)
    else:
        table.rosary = tuple(sorted((*table.rosary, value)))
        emit(table, "bead_added", player, cell, value, forced)
    table.stack.append(("SCROLL_TAKE", player, purpose, taken + 1))


def _taken(table: Table, player: int, purpose: int, taken: int) -> None:
    beads = sum(table.rosary)
    if purpose == _FOR_SALE:
        pay(table, player, SEAL_PRICE * taken, NOBLE)
    elif purpose == _FOR_NOBLE:
        push_reward(table, player, sum(beads >= least for least in _PUSH_SUMS))
    else:
        pull_reward(table, player, beads >= _MONK_SUM)


QUESTIONS: Questions = {"SCROLL_TAKE": (_take_options, _take_answer)}
STEPS: Steps = {}
