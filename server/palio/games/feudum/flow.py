"""Rounds and turns: setup's choices, the ACTION decision, the order of play (sections 3 and 4 of the rules)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from palio.games.feudum.actions import conquer, guild, land, migrate, move, repeat, yields
from palio.games.feudum.data import MANDATES, ROUNDS, SULFUR, TURNS_PER_ROUND
from palio.games.feudum.events import emit
from palio.games.feudum.state import OVER, ROUND_END, TURNS, Frame, Questions, Steps, Table
from palio.games.feudum.supply import ask_sulfur
from palio.games.feudum.writs import choices_of

LEGAL: Final[tuple[Callable[[Table, int], bool], ...]] = (
    migrate.legal,
    move.legal,
    land.influence_legal,
    land.improve_legal,
    yields.explore_legal,
    yields.harvest_legal,
    yields.tax_legal,
    conquer.legal,
    repeat.legal,
    guild.legal,
)
"""By action: whether a complete legal performance exists (G-28), the card's use aside."""

START: Final[tuple[Callable[[Table, int], None], ...]] = (
    migrate.start,
    move.start,
    land.influence_start,
    land.improve_start,
    yields.explore_start,
    yields.harvest_start,
    yields.tax_start,
    conquer.start,
    repeat.start,
    guild.start,
)
"""By action: puts its first frames on the stack, or does it all."""


def start_of_turn(table: Table) -> bool:
    """Whether the pending question is the first of a turn: all that is under way is that turn."""
    return bool(table.stack) and table.stack[-1][0] == "ACTION" and not table.stack[-1][2]


def turn_frames(player: int) -> list[Frame]:
    """The stack at the start of a turn."""
    return [("turn_over",), ("ACTION", player, 0)]


# Goods picked at setup, and by PATRON. -------------------------------------------------------------------------------


def _pick_options(table: Table, frame: Frame) -> list[Frame]:
    taken = frame[3]
    return [("good", good) for good in range(5) if table.haversack[good] and not taken >> good & 1]


def _pick_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, left, taken, sulfur, patron = frame
    good = option[1]
    table.haversack[good] -= 1
    table.goods[5 * player + good] += 1
    emit(table, "good_taken", player, good, forced)
    sulfur += good == SULFUR
    left -= 1
    if patron:  # one effect: the sulfur is stored after the last good (G-122)
        if left and any(table.haversack):
            table.stack.append(("GOOD_PICK", player, left, 0, sulfur, 1))
        else:
            ask_sulfur(table, player, sulfur)
        return
    if left:
        table.stack.append(("GOOD_PICK", player, left, taken | 1 << good, 0, 0))
    else:
        table.stack.append(("setup_turn_over",))
    ask_sulfur(table, player, sulfur)


def _setup_turn_over(table: Table, frame: Frame) -> None:
    table.turns += 1


# Turns. --------------------------------------------------------------------------------------------------------------


def _first_round(table: Table, frame: Frame) -> None:
    table.phase = TURNS
    _begin_turn(table)


def _begin_turn(table: Table) -> None:
    table.active = (table.starter + table.place) % table.n
    table.stack += turn_frames(table.active)


def _turn_over(table: Table, frame: Frame) -> None:
    table.turns += 1
    table.place += 1
    if table.place == table.n:
        table.place = 0
        table.turn_no += 1
    if table.turn_no <= TURNS_PER_ROUND:
        _begin_turn(table)
        return
    table.turn_no = TURNS_PER_ROUND
    table.phase = ROUND_END
    table.active = table.starter
    table.stack.append(("end_of_round",))


def _round_over(table: Table, frame: Frame) -> None:
    """After nourishing and dawn: all cards are available again, the next player starts (G-26)."""
    table.turns += 1
    if table.round == ROUNDS:
        table.phase = OVER
        return
    n = table.n
    over = table.round
    table.round += 1
    table.turn_no = 1
    table.place = 0
    table.starter = (table.starter + 1) % n
    table.used = [0] * n
    table.engaged = [0] * n
    table.moves = [0] * n
    table.phase = TURNS
    emit(table, "round_ended", over, table.starter)
    _begin_turn(table)


def _action_options(table: Table, frame: Frame) -> list[Frame]:
    player = frame[1]
    used = table.used[player]
    options: list[Frame] = [("action", a) for a in range(10) if not used >> a & 1 and LEGAL[a](table, player)]
    options += [("writ", card) for card in table.hands[player] if card in MANDATES and choices_of(table, player, card)]
    options.append(("pass",))
    return options


def _action_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    if option[0] == "pass":
        emit(table, "passed", player, forced)
    elif option[0] == "writ":
        emit(table, "writ_played", player, option[1], forced)
        table.card = option[1]
        table.stack += [("ACTION", player, 1), ("WRIT_CHOICE", player)]
    else:
        action = option[1]
        table.used[player] |= 1 << action
        emit(table, "action", player, action, forced)
        START[action](table, player)


def _repeat_options(table: Table, frame: Frame) -> list[Frame]:
    return [("action", action) for action in repeat.candidates(table, frame[1])]


def _repeat_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    emit(table, "repeat", frame[1], option[1], forced)
    START[option[1]](table, frame[1])


QUESTIONS: Questions = {
    "GOOD_PICK": (_pick_options, _pick_answer),
    "ACTION": (_action_options, _action_answer),
    "REPEAT_ACTION": (_repeat_options, _repeat_answer),
}
STEPS: Steps = {
    "setup_turn_over": _setup_turn_over,
    "first_round": _first_round,
    "turn_over": _turn_over,
    "round_over": _round_over,
}
