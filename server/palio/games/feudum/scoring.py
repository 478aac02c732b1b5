"""Final scoring and places (G-133 to G-139)."""

from __future__ import annotations

from palio.games.feudum.data import (
    CHAMPION,
    FARM,
    FEUDUM,
    FIRST_CHARTER,
    OUTPOST,
    REALM_REGIONS,
    REALM_VP,
    REGION_IDS,
    SOLE_RULER_VP,
    TEMPERANCE,
    TOWN,
    VOYAGE,
    VOYAGE_LAST_VP,
    VOYAGE_VP,
    VP_CHARTERS,
    VP_EMPIRE,
    VP_SETS,
    VP_SHILLINGS,
    VP_VESSELS,
    VP_VOYAGE,
)
from palio.games.feudum.events import emit
from palio.games.feudum.state import Table
from palio.games.feudum.supply import gain_vp

_TEMPERANCE_VP = {2: 5, 3: 7}
_CHAMPION_VP, _CHAMPION_SUCCESSES = 7, 2
_FEUDUM_VP, _SET_VP, _SHILLINGS_PER_VP, _VESSEL_VP = 3, 3, 3, 2


def voyage_vp(spaces: list[int]) -> list[int]:
    """Epic Voyage by player (G-134): within a section the farthest discs score the higher value."""
    points = []
    for space in spaces:
        if space == 0:
            points.append(0)
        elif space == VOYAGE:
            points.append(VOYAGE_LAST_VP)
        else:
            section = (space - 1) // 2
            ahead = max(other for other in spaces if other and other != VOYAGE and (other - 1) // 2 == section)
            points.append(VOYAGE_VP[section][space == ahead])
    return points


def sets(counts: tuple[int, int, int], wilds: int) -> int:
    """Sets of three locations of one type, feudums being wild (G-135)."""
    found = sum(count // 3 for count in counts)
    rest = [count % 3 for count in counts]
    for remainder, missing in ((2, 1), (1, 2)):
        for _ in range(rest.count(remainder)):
            if wilds >= missing:
                wilds -= missing
                found += 1
    return found + wilds // 3


def charter_vp(table: Table, player: int, card: int) -> int:
    """What a charter is worth to a player now (section 9 of the rules)."""
    if card == TEMPERANCE:
        return _TEMPERANCE_VP.get(table.barrel[player], 0)
    if card == CHAMPION:
        return _CHAMPION_VP if table.successes[player] >= _CHAMPION_SUCCESSES else 0
    ruler = table.ruler
    if card in REALM_REGIONS:
        ruled = sum(ruler[at] == player for region in REALM_REGIONS[card] for at in REGION_IDS[region])
        return REALM_VP[min(ruled, len(REALM_VP) - 1)]
    sole = sum({ruler[at] for at in ids} - {-1} == {player} for ids in REGION_IDS)
    return SOLE_RULER_VP[min(sole, len(SOLE_RULER_VP) - 1)]


def sealed_charters(table: Table, player: int) -> list[int]:
    """Values of the charters that get a seal: the best ones, one for each seal (G-121)."""
    values = [charter_vp(table, player, card) for card in table.hands[player] if card >= FIRST_CHARTER]
    return sorted(values, reverse=True)[: len(table.seals[player])]


def final_scoring(table: Table) -> None:
    """All points of the end, then everything is laid open."""
    charters = []
    for player, vp in enumerate(voyage_vp(table.voyage)):
        gain_vp(table, player, vp, VP_VOYAGE)
    for player in range(table.n):
        outposts, farms, towns, feudums = (table.count_ruled(player, kind) for kind in (OUTPOST, FARM, TOWN, FEUDUM))
        gain_vp(table, player, outposts + farms + towns + _FEUDUM_VP * feudums, VP_EMPIRE)
        gain_vp(table, player, _SET_VP * sets((outposts, farms, towns), feudums), VP_SETS)
        gain_vp(table, player, table.shillings[player] // _SHILLINGS_PER_VP, VP_SHILLINGS)
        gain_vp(table, player, _VESSEL_VP * sum(table.vessels[3 * player : 3 * player + 3]), VP_VESSELS)
        charters.append(sum(sealed_charters(table, player)))
        gain_vp(table, player, charters[-1], VP_CHARTERS)
    earned = tuple(tuple(table.earned[16 * player : 16 * player + 16]) for player in range(table.n))
    emit(table, "game_over", tuple(table.scores), earned, tuple(table.hands))


def places(table: Table) -> tuple[int, ...]:
    """Places by points, then sulfur in the barrel; equal pairs share a place (G-139)."""
    keys = list(zip(table.scores, table.barrel, strict=True))
    return tuple(1 + sum(other > key for other in keys) for key in keys)
