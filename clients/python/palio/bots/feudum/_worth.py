"""What a state of Feudum is worth to a player: points scored, plus what the rest of the game should bring.

In tenths of a point. The weights are guesses that were kept when games between bots bore them out; what the rules say
exactly (ranks and regions at dawns, disloyalty, the final scoring) is counted as they say it, for as many dawns as are
still to come.
"""

from __future__ import annotations

from typing import Final

from palio.games.feudum.data import (
    DISLOYALTY,
    FARM,
    FEUDUM,
    FIRST_CHARTER,
    FOOD,
    IRON,
    LOCATIONS,
    OUTPOST,
    RANK_VP,
    REGION_OF,
    REGION_VP,
    ROUNDS,
    TOWN,
    VOYAGE_VP,
    WOOD,
)
from palio.games.feudum.scoring import charter_vp, sets
from palio.games.feudum.state import Table

POINT: Final = 10
_DISLOYAL_DAWNS: Final = ((2, 1), (6, 2), (8, 3))
"""Rounds whose dawns punish, and how many spaces count."""
_LOW_VOYAGE: Final = (0, *(low for low, _ in VOYAGE_VP for _ in range(2)), 17)
_SETTLED: Final = 8
"""Tenths of a rank or region that will still be there at a dawn."""
_PAWN, _FED, _MARKER, _SEAL, _DISC, _WRIT, _BARREL, _STAR = 9, 6, 4, 16, 4, 10, 4, 1
_SCARCE: Final = 5
"""Markers, and goods of a kind, beyond which more are worth little."""


def standing(table: Table, player: int) -> int:
    """What the player would have if one more dawn came and the game ended now, in tenths of a point.

    Knows nothing of what pawns, markers, goods and cards are good for later.
    """
    ruled = [0, 0, 0, 0]
    regions = 0
    for at in range(1, LOCATIONS + 1):
        if table.ruler[at] == player:
            ruled[table.kind[at]] += 1
            regions |= 1 << REGION_OF[at]
    held = sum(RANK_VP[track.index(player)] for track in table.tracks if player in track)
    outposts, farms, towns, feudums = ruled
    total = table.scores[player] + held + REGION_VP[regions.bit_count()]
    total += outposts + farms + towns + 3 * feudums + 3 * sets((outposts, farms, towns), feudums)
    total += 2 * sum(table.vessels[3 * player : 3 * player + 3])
    return POINT * total + POINT * table.shillings[player] // 3 + table.goods[5 * player + FOOD]


def dawns_left(table: Table) -> int:
    """Dawns still to come; they follow rounds 2, 4, 6 and 8."""
    return (ROUNDS + 2 - table.round) // 2 if table.round <= ROUNDS else 0


def worth(table: Table, player: int) -> int:
    """The state's worth to that player, in tenths of a point; the higher the better."""
    n = table.n
    dawns = dawns_left(table)
    rounds = ROUNDS + 1 - table.round
    ruled = [0, 0, 0, 0]
    regions = 0
    for at in range(1, LOCATIONS + 1):
        if table.ruler[at] == player:
            ruled[table.kind[at]] += 1
            regions |= 1 << REGION_OF[at]
    total = POINT * table.scores[player]
    held = 0
    for guild in range(6):
        track = table.tracks[guild]
        if player in track:
            held += RANK_VP[track.index(player)]
        total += _STAR * min(rounds, table.stars[guild * n + player])
    total += _SETTLED * dawns * (held + REGION_VP[regions.bit_count()])
    feudums = ruled[FEUDUM]
    total += POINT * (ruled[OUTPOST] + ruled[FARM] + ruled[TOWN] + 3 * feudums)
    total += POINT * 3 * sets((ruled[OUTPOST], ruled[FARM], ruled[TOWN]), feudums)
    total += rounds * (2 * ruled[FARM] + 2 * ruled[TOWN] + 3 * feudums)
    if feudums:
        total -= _disloyalty(table.round, table.military[player])
    return total + _belongings(table, player, rounds)


def _disloyalty(round_number: int, covered: int) -> int:
    """What the dawns to come will take from a ruler of a feudum, somewhat less as spaces may still be covered."""
    lost = 0
    for dawn, spaces in _DISLOYAL_DAWNS:
        if dawn >= round_number:
            lost += sum(DISLOYALTY[covered:spaces])
    return 7 * lost


def _belongings(table: Table, player: int, rounds: int) -> int:
    goods = table.goods[5 * player : 5 * player + 5]
    pawns = sum(character >= 0 for character in table.pawn_char[3 * player : 3 * player + 3])
    to_feed = pawns * min(rounds, 3)
    total = _PAWN * pawns * rounds // 2 + _FED * min(goods[FOOD], to_feed) + max(0, goods[FOOD] - to_feed)
    for good in (IRON, WOOD):
        total += 5 * min(goods[good], 2) if rounds > 1 else 0
    total += 2 * sum(min(count, _SCARCE) for count in goods[:FOOD])
    total += POINT * table.shillings[player] // 3
    markers = table.markers[player]
    total += (_MARKER * min(markers, _SCARCE) + max(0, markers - _SCARCE)) * min(rounds, 4) // 4
    total += 2 * POINT * sum(table.vessels[3 * player : 3 * player + 3])
    seals = len(table.seals[player])
    charters = sorted(charter_vp(table, player, card) for card in table.hands[player] if card >= FIRST_CHARTER)
    sealed = charters[::-1][:seals]
    total += POINT * sum(sealed) + _SEAL * min(3, seals - len(sealed)) * min(rounds, 4) // 4
    total += 3 * sum(charters[: len(charters) - len(sealed)])
    total += _WRIT * (len(table.hands[player]) - len(charters)) * min(rounds, 4) // 4
    total += 3 * sum(table.beads[player]) * min(rounds, 3) // 3
    total += _BARREL * table.barrel[player] + _DISC * table.pool[player] * min(rounds, 4) // 4
    return total + POINT * _LOW_VOYAGE[table.voyage[player]]
