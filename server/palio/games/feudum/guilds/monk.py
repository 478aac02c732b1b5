"""The Monk Guild: beads for sale and on chickens (G-113, G-115); its PULL is in :mod:`.noble`."""

from __future__ import annotations

from palio.games.feudum.data import BEAD_PRICE, CHICKENS, COFFER, MONK
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import fists, pay, place_on_chicken, push_reward
from palio.games.feudum.state import Frame, Questions, Steps, Table

_PUSH_SUMS = (3, 6, 9)


def can_trade(table: Table, player: int) -> bool:
    return bool(table.rosary) and table.shillings[player] >= BEAD_PRICE


def can_feed(table: Table) -> bool:
    """A bead of the rosary can go on a chicken."""
    return bool(table.rosary) and len(table.chickens) < CHICKENS


def trade(table: Table, player: int) -> None:
    pay(table, player, BEAD_PRICE, MONK)
    table.stack.append(("monk_traded", player))
    fists(table, player)


def _traded(table: Table, frame: Frame) -> None:
    player = frame[1]
    emit(table, "bead_placed", player, table.bead, False)
    table.beads[player] += (table.bead,)
    table.bead = 0


def push(table: Table, player: int) -> None:
    table.stack += [("share", COFFER), ("monk_pushed", player)]
    fists(table, player)


def _pushed(table: Table, frame: Frame) -> None:
    player = frame[1]
    total = place_on_chicken(table, player)
    push_reward(table, player, sum(total >= least for least in _PUSH_SUMS))


QUESTIONS: Questions = {}
STEPS: Steps = {"monk_traded": _traded, "monk_pushed": _pushed}
