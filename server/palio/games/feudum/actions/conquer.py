"""CONQUER (G-76 to G-82): open arithmetic, so only attacks that can be won are offered."""

from __future__ import annotations

from palio.games.feudum.actions.migrate import send_home
from palio.games.feudum.data import (
    B_BOW,
    B_BOW_WOOD,
    B_SALTPETER,
    B_SWORD,
    B_SWORD_IRON,
    BOW,
    CONQUERED,
    DISLOYALTY,
    FEUDUM,
    IRON,
    KNIGHT,
    OUTPOST,
    SALTPETER,
    SWORD,
    TURNS_PER_ROUND,
    VP_CONQUER,
    WOOD,
)
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import gain_vp, pay_good
from palio.games.feudum.writs import play

_PAWN_VP, _FEUDUM_VP = 2, 4
_GAIN = {B_SALTPETER: 1, B_BOW: 1, B_BOW_WOOD: 2, B_SWORD: 1, B_SWORD_IRON: 2}
_CARD = {B_BOW: BOW, B_BOW_WOOD: BOW, B_SWORD: SWORD, B_SWORD_IRON: SWORD}
_GOOD = {B_SALTPETER: SALTPETER, B_BOW_WOOD: WOOD, B_SWORD_IRON: IRON}


def _sober(table: Table, player: int, location: int) -> list[int]:
    return [
        pawn
        for pawn in range(3 * player, 3 * player + 3)
        if table.pawn_at[pawn] == location and not table.pawn_wine[pawn]
    ]


def strength(table: Table, player: int, location: int, feudum: bool) -> int:
    """A before boosts (G-77)."""
    return len(_sober(table, player, location)) + (feudum and table.serf[location] == player)


def defence(table: Table, player: int, location: int, feudum: bool) -> int:
    """B (G-78)."""
    return 2 * len(_sober(table, player, location)) + (2 + table.subject[location] if feudum else 0)


def _salt(table: Table, player: int, location: int, owned: int, used: bool) -> int:
    """How many of so many saltpeters can still be put in: all with a sober knight there, else one in all."""
    if any(table.pawn_char[pawn] == KNIGHT for pawn in _sober(table, player, location)):
        return owned
    return min(owned, 0 if used else 1)


def reach(table: Table, player: int, location: int, used: bool, spent: int = -1) -> int:
    """The most that boosts can still add.

    Args:
        used: a saltpeter was put in already.
        spent: a boost that is counted as taken.
    """
    hand, goods = table.hands[player], table.goods
    most = 0
    if BOW in hand and _CARD.get(spent) != BOW:
        most += 2 if goods[5 * player + WOOD] else 1
    if SWORD in hand and _CARD.get(spent) != SWORD:
        most += 2 if goods[5 * player + IRON] else 1
    salted = spent == B_SALTPETER
    return most + _salt(table, player, location, goods[5 * player + SALTPETER] - salted, used or salted)


def _beatable(table: Table, player: int, location: int, defender: int, feudum: bool) -> bool:
    attack = strength(table, player, location, feudum) + reach(table, player, location, False)
    return attack > defence(table, defender, location, feudum)


def targets(table: Table, player: int) -> list[Frame]:
    """What the player can beat now, as options."""
    pawns: list[Frame] = []
    feudums: list[Frame] = []
    for location in table.pawn_places(player):
        for rival in range(table.n):
            if rival == player:
                continue
            there = [number for number in range(3) if table.pawn_at[3 * rival + number] == location]
            if there and _beatable(table, player, location, rival, False):
                pawns += [("target", location, rival, number) for number in there]
        ruler = table.ruler[location]
        attackable = table.kind[location] == FEUDUM and ruler not in (-1, player)
        if attackable and _beatable(table, player, location, ruler, True):
            feudums.append(("feudum", location))
    return pawns + feudums


def legal(table: Table, player: int) -> bool:
    return table.turn_no != TURNS_PER_ROUND and bool(targets(table, player))


def start(table: Table, player: int) -> None:
    table.stack.append(("CONQUER_TARGET", player))


def _target_options(table: Table, frame: Frame) -> list[Frame]:
    return targets(table, frame[1])


def _target_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, location = frame[1], option[1]
    feudum = option[0] == "feudum"
    defender, pawn = (table.ruler[location], -1) if feudum else option[2:]
    attack = strength(table, player, location, feudum)
    against = defence(table, defender, location, feudum)
    emit(table, "attack", player, location, defender, pawn, attack, against, forced)
    _go_on(table, player, location, defender, pawn, attack, against, False)


def _go_on(
    table: Table, player: int, location: int, defender: int, pawn: int, attack: int, against: int, used: bool
) -> None:
    if attack > against:
        _success(table, player, location, defender, pawn)
    else:
        table.stack.append(("CONQUER_BOOST", player, location, defender, pawn, attack, against, int(used)))


def _boost_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, location, _, _, attack, against, _ = frame
    used = bool(frame[-1])
    hand, goods = table.hands[player], table.goods
    owned = (
        _salt(table, player, location, goods[5 * player + SALTPETER], used) > 0,
        BOW in hand,
        BOW in hand and goods[5 * player + WOOD] > 0,
        SWORD in hand,
        SWORD in hand and goods[5 * player + IRON] > 0,
    )
    return [
        ("boost", boost)
        for boost in range(5)
        if owned[boost] and attack + _GAIN[boost] + reach(table, player, location, used, boost) > against
    ]


def _boost_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, location, defender, pawn, attack, against, _ = frame
    used = bool(frame[-1])
    boost = option[1]
    attack += _GAIN[boost]
    if boost in _GOOD:
        pay_good(table, player, _GOOD[boost])
    if boost in _CARD:
        play(table, player, _CARD[boost])
    emit(table, "boost", player, boost, attack, forced)
    _go_on(table, player, location, defender, pawn, attack, against, used or boost == B_SALTPETER)


def _success(table: Table, player: int, location: int, defender: int, pawn: int) -> None:
    table.successes[player] += 1
    if pawn >= 0:
        send_home(table, 3 * defender + pawn, CONQUERED, True)
        gain_vp(table, player, _PAWN_VP, VP_CONQUER)
    else:
        _fall(table, player, location)
        gain_vp(table, player, _FEUDUM_VP, VP_CONQUER)
    table.stack.append(("military", player))


def _fall(table: Table, player: int, location: int) -> None:
    """A feudum becomes an outpost; an attacker who was the serf rules it, all others' markers go home (G-81)."""
    defender, serf, guild = table.ruler[location], table.serf[location], table.guild_of[location]
    table.markers[defender] += 1 + table.subject[location]
    table.subject[location] = 0
    table.serf[location] = -1
    if serf == player:
        table.ruler[location] = player
    else:
        table.ruler[location] = -1
        if serf >= 0:
            table.markers[serf] += 1
    table.kind[location] = OUTPOST
    table.guild_of[location] = -1
    table.feudums[guild] += 1
    table.dirty = True
    emit(table, "feudum_fell", player, location, defender, guild)


def _military(table: Table, frame: Frame) -> None:
    """Asked after the settlement, which may have sent a reeve back to the pool."""
    player = frame[1]
    if table.pool[player] and table.military[player] < len(DISLOYALTY):
        table.stack.append(("MILITARY", player))


def _military_options(table: Table, frame: Frame) -> list[Frame]:
    return [("place", 0), ("place", 1)]


def _military_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    if option[1]:
        table.pool[player] -= 1
        table.military[player] += 1
    emit(table, "military", player, table.military[player] if option[1] else 0, forced)


QUESTIONS: Questions = {
    "CONQUER_TARGET": (_target_options, _target_answer),
    "CONQUER_BOOST": (_boost_options, _boost_answer),
    "MILITARY": (_military_options, _military_answer),
}
STEPS: Steps = {"military": _military}
