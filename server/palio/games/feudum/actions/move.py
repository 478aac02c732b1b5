"""MOVE (G-64 to G-66): pawns go where they like, one may scavenge, a second MOVE of a round sails on."""

from __future__ import annotations

from palio.games.feudum.data import FARM, SULFUR, VOYAGE, VOYAGE_WRITS
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import ask_sulfur
from palio.games.feudum.writs import draw


def legal(table: Table, player: int) -> bool:
    return bool(table.pawns_in_play(player))


def start(table: Table, player: int) -> None:
    table.moves[player] += 1
    table.stack += [("move_over", player), ("MOVE_PAWN", player, 0)]


def _pawn_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, moved = frame
    options: list[Frame] = [("pawn", number) for number in table.pawns_in_play(player) if not moved >> number & 1]
    if moved:
        options.append(("done",))
    return options


def _pawn_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, moved = frame
    if option[0] == "done":
        emit(table, "moves_ended", player, forced)
        table.stack.append(("SCAVENGE", player, moved))
    else:
        table.stack.append(("MOVE_TO", player, option[1], moved))


def _to_options(table: Table, frame: Frame) -> list[Frame]:
    at = table.pawn_at[3 * frame[1] + frame[2]]
    return [("location", location) for location in range(1, 23) if location != at]


def _to_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, number, moved = frame
    pawn = 3 * player + number
    emit(table, "moved", player, number, table.pawn_at[pawn], option[1], forced)
    table.pawn_at[pawn] = option[1]
    table.stack.append(("MOVE_PAWN", player, moved | 1 << number))


def _scavenge_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, moved = frame
    places = {table.pawn_at[3 * player + number] for number in range(3) if moved >> number & 1}
    return [
        *(
            ("scavenge", location, good)
            for location in sorted(places)
            if not (table.ruler[location] == player and table.kind[location] == FARM)
            for good in range(5)
            if table.stock[5 * location + good]
        ),
        ("pass",),
    ]


def _scavenge_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    if option[0] == "pass":
        if not forced:
            emit(table, "scavenged", player, 0, -1, forced)
        return
    _, location, good = option
    table.stock[5 * location + good] -= 1
    table.goods[5 * player + good] += 1
    emit(table, "scavenged", player, location, good, forced)
    ask_sulfur(table, player, int(good == SULFUR))


def _move_over(table: Table, frame: Frame) -> None:
    """The Epic Voyage, at the end of the second MOVE of a round."""
    player = frame[1]
    if table.moves[player] != 2:
        return
    if table.voyage[player]:
        if table.voyage[player] < VOYAGE:
            _sail(table, player, table.voyage[player] + 1, True)
    elif table.pool[player]:
        table.stack.append(("VOYAGE", player))


def _sail(table: Table, player: int, space: int, forced: bool) -> None:
    table.voyage[player] = space
    emit(table, "voyage", player, space, forced)
    if space in VOYAGE_WRITS:
        draw(table, player, 2)


def _voyage_options(table: Table, frame: Frame) -> list[Frame]:
    return [("place", 0), ("place", 1)]


def _voyage_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    if option[1]:
        table.pool[player] -= 1
        _sail(table, player, 1, forced)
    else:
        emit(table, "voyage", player, 0, forced)


QUESTIONS: Questions = {
    "MOVE_PAWN": (_pawn_options, _pawn_answer),
    "MOVE_TO": (_to_options, _to_answer),
    "SCAVENGE": (_scavenge_options, _scavenge_answer),
    "VOYAGE": (_voyage_options, _voyage_answer),
}
STEPS: Steps = {"move_over": _move_over}
