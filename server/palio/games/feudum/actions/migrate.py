"""MIGRATE (G-63), and putting the first pawns into play at setup (G-25)."""

from __future__ import annotations

from palio.games.feudum.data import BY_OWNER, FOOD, OFF, ON, STARTS, SULFUR
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Table
from palio.games.feudum.supply import pay_good


def _can_enter(table: Table, player: int) -> bool:
    base = 3 * player
    return table.goods[5 * player + FOOD] > 0 and 0 in table.pawn_at[base : base + 3]


def legal(table: Table, player: int) -> bool:
    return _can_enter(table, player) or bool(table.pawns_in_play(player))


def start(table: Table, player: int) -> None:
    table.stack.append(("MIGRATE_MODE", player))


def send_home(table: Table, pawn: int, reason: int, forced: bool) -> None:
    """A pawn (``3 * player + number``) leaves the board; sulfur on it goes to the haversack."""
    player, number = divmod(pawn, 3)
    emit(table, "pawn_left", player, number, table.pawn_at[pawn], reason, forced)
    table.haversack[SULFUR] += table.pawn_wine[pawn]
    table.pawn_wine[pawn] = 0
    table.pawn_at[pawn] = 0
    table.pawn_char[pawn] = -1
    table.dirty = True


def _mode_options(table: Table, frame: Frame) -> list[Frame]:
    player = frame[1]
    options: list[Frame] = []
    if _can_enter(table, player):
        options.append(("migrate", ON))
    if table.pawns_in_play(player):
        options.append(("migrate", OFF))
    return options


def _mode_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, mode = frame[1], option[1]
    emit(table, "migrate", player, mode, forced)
    if mode == ON:
        pay_good(table, player, FOOD)
        table.stack.append(("PAWN_CHARACTER", player, 0))
    else:
        table.stack.append(("MIGRATE_PAWN", player))


def _pawn_options(table: Table, frame: Frame) -> list[Frame]:
    return [("pawn", number) for number in table.pawns_in_play(frame[1])]


def _pawn_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    send_home(table, 3 * frame[1] + option[1], BY_OWNER, forced)


def _character_options(table: Table, frame: Frame) -> list[Frame]:
    return [("character", character) for character in range(6)]


def _character_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, setup = frame
    emit(table, "character_chosen", player, option[1], forced)
    table.stack.append(("PAWN_LOCATION", player, option[1], setup))


def _location_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, _, setup = frame
    places: set[int] = set()
    if not setup:
        places.update(table.pawn_places(player))
        places.update(i for i in range(1, 23) if table.ruler[i] == player or table.serf[i] == player)
    return [("location", location) for location in sorted(places or STARTS)]


def _location_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, character, setup = frame
    location = option[1]
    base = 3 * player
    number = table.pawn_at.index(0, base, base + 3) - base
    table.pawn_at[base + number] = location
    table.pawn_char[base + number] = character
    table.dirty = True
    emit(table, "pawn_placed", player, number, character, location, forced)
    if setup:
        table.stack.append(("setup_turn_over",))


QUESTIONS: Questions = {
    "MIGRATE_MODE": (_mode_options, _mode_answer),
    "MIGRATE_PAWN": (_pawn_options, _pawn_answer),
    "PAWN_CHARACTER": (_character_options, _character_answer),
    "PAWN_LOCATION": (_location_options, _location_answer),
}
