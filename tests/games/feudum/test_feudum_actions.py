"""MIGRATE, MOVE, INFLUENCE, IMPROVE, EXPLORE, HARVEST and TAX: rules G-63 to G-75."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    act,
    facts,
    five,
    force,
    give,
    kind,
    offered,
    over,
    pawn,
    ready,
    rule,
    stock,
    table,
    vp,
)

from palio.games.feudum import data
from palio.games.feudum.actions.yields import harvest_yield
from palio.games.feudum.data import (
    ALCHEMIST,
    EXPLORE,
    FARM,
    FEUDUM,
    FOOD,
    FULL,
    HARVEST,
    IMPROVE,
    INFLUENCE,
    IRON,
    KICKBACK,
    KNIGHT,
    MIGRATE,
    MONK,
    MOVE,
    NOBLE,
    ON,
    OUTPOST,
    REPEAT,
    STARTS,
    SULFUR,
    TAX,
    TOWN,
    WOOD,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.machine import preview


def test_g63_migrate_on_where_a_pawn_or_a_marker_is() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 9)
    rule(state, RED, 5, FARM)
    rule(state, GREEN, 7, FARM, serf=RED)
    give(state, RED, food=2)
    ready(state)
    food = state.haversack[FOOD]
    act(state, ("action", MIGRATE), ("migrate", ON))
    assert state.haversack[FOOD] == food + 1
    assert offered(state) == [("character", c) for c in range(6)]
    act(state, ("character", MONK))
    assert offered(state) == [("location", at) for at in (5, 7, 9)]
    events = act(state, ("location", 7))
    assert facts(events, "pawn_placed")[0] == {
        "player": RED,
        "pawn": 1,
        "character": MONK,
        "location": 7,
        "forced": False,
    }


def test_g63_migrate_on_at_a_start_location_without_pawn_and_marker() -> None:
    state = table()
    give(state, RED, food=1)
    ready(state)
    act(state, ("action", MIGRATE), ("character", MONK))
    assert offered(state) == [("location", at) for at in STARTS]


def test_g63_migrate_off_is_free_and_returns_the_sulfur() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 9, wine=True)
    pawn(state, RED, MONK, 8)
    ready(state)
    sulfur = state.haversack[SULFUR]
    act(state, ("action", MIGRATE), ("pawn", 0))  # without food only OFF is possible
    assert state.pawn_at[:3] == [0, 8, 0]
    assert state.haversack[SULFUR] == sulfur + 1


def test_g63_migrate_needs_food_for_a_pawn_in_supply_or_a_pawn_in_play() -> None:
    assert ("action", MIGRATE) not in ready(table()).offered


def test_g64_every_pawn_moves_once_and_only_the_first_must() -> None:
    state = table()
    for at in (1, 2, 3):
        pawn(state, RED, KNIGHT, at)
    ready(state)
    act(state, ("action", MOVE))
    assert offered(state) == [("pawn", 0), ("pawn", 1), ("pawn", 2)]
    act(state, ("pawn", 1))
    assert offered(state) == [("location", at) for at in range(1, 23) if at != 2]
    act(state, ("location", 22))
    assert offered(state) == [("pawn", 0), ("pawn", 2), ("done",)]
    act(state, "done")
    assert state.pawn_at[:3] == [1, 22, 3]
    assert state.moves[RED] == 1


def test_g64_move_needs_a_pawn() -> None:
    assert ("action", MOVE) not in ready(table()).offered


def move_to(state: Feudum, at: int) -> None:
    ready(state)
    act(state, ("action", MOVE), ("location", at))


def test_g65_one_good_where_a_moved_pawn_stands() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    stock(state, 5, iron=2, food=1)
    move_to(state, 5)
    assert offered(state) == [("scavenge", 5, IRON), ("scavenge", 5, FOOD), ("pass",)]
    act(state, ("scavenge", 5, IRON))
    assert state.goods[IRON] == 1
    assert state.stock_at(5) == five(iron=1, food=1)


@pytest.mark.parametrize(("ruler", "asked_for"), [(RED, False), (GREEN, True)])
def test_g65_not_at_an_own_farm(ruler: int, asked_for: bool) -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    rule(state, ruler, 5, FARM, iron=2)
    move_to(state, 5)
    assert (kind(state) == "SCAVENGE") is asked_for


def test_g65_not_where_only_pawns_that_stayed_stand() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    pawn(state, RED, KNIGHT, 5)
    stock(state, 5, iron=2)
    ready(state)
    act(state, ("action", MOVE), ("pawn", 0), ("location", 2), "done")
    assert kind(state) != "SCAVENGE"


def second_move(voyage: int = 0, pool: int = 3) -> Feudum:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    pawn(state, GREEN, KNIGHT, 20)
    state.voyage[RED] = voyage
    state.used[RED] = 1 << MOVE
    state.moves[RED] = 1
    ready(state, turn_no=2)
    state.pool[RED] = pool
    force(state, ("action", REPEAT), ("location", 2))
    return state


def test_g66_the_second_move_of_a_round_sails() -> None:
    state = second_move()
    assert (kind(state), offered(state)) == ("VOYAGE", [("place", 0), ("place", 1)])
    act(state, ("place", 1))
    assert (state.voyage[RED], state.pool[RED]) == (1, 2)
    assert second_move(voyage=2).voyage[RED] == 3
    assert second_move(voyage=7).voyage[RED] == 7
    assert over(second_move(pool=0))


@pytest.mark.parametrize(("space", "writs"), [(1, True), (2, False), (3, True), (4, False), (5, True), (6, False)])
def test_g66_writs_on_spaces_2_4_and_6(space: int, writs: bool) -> None:
    assert (kind(second_move(voyage=space)) == "WRIT_KEEP") is writs


def test_g67_the_voyage_scores_at_the_end_only() -> None:
    assert data.VOYAGE_VP == ((3, 5), (7, 9), (11, 13))
    assert data.VOYAGE_LAST_VP == 17
    assert second_move(voyage=2).scores[RED] == 0


def test_g68_markers_where_pawns_stand_one_a_location() -> None:
    state = table()
    for at in (4, 6, 8):
        pawn(state, RED, KNIGHT, at)
    rule(state, RED, 6, FARM, subject=True)
    rule(state, GREEN, 8, FARM)
    ready(state)
    act(state, ("action", INFLUENCE))
    assert offered(state) == [("location", 4), ("location", 8)]
    act(state, ("location", 8))
    assert offered(state) == [("location", 4), ("done",)]
    events = act(state, ("location", 4))
    assert facts(events, "marker_placed")[0]["role"] == data.RULER
    assert (state.ruler[4], state.serf[8]) == (RED, RED)
    assert over(state)


def test_g68_guild_tracks_come_first() -> None:
    state = table()
    for player in (GREEN, BLUE, RED):
        rule(state, player, 10 + player, OUTPOST)
        pawn(state, player, ALCHEMIST, 10 + player)
    pawn(state, RED, ALCHEMIST, 4)
    state.pawn_char[1] = MONK
    pawn(state, RED, ALCHEMIST, 6)
    state.pawn_char[2] = MONK
    state.tracks[ALCHEMIST] = (GREEN, BLUE)
    state.tracks[MONK] = (RED,)
    state.markers[RED] = 2
    ready(state)
    assert state.waiting[ALCHEMIST] == (RED,)
    act(state, ("action", INFLUENCE), ("location", 4))  # red's third star there: his last marker goes on the track
    assert state.tracks[ALCHEMIST] == (RED, GREEN)
    assert state.markers[RED] == 0
    assert over(state)


@pytest.mark.parametrize(("before", "good", "after"), [(OUTPOST, WOOD, FARM), (FARM, IRON, TOWN)])
def test_g69_improving_for_a_good(before: int, good: int, after: int) -> None:
    state = table()
    rule(state, RED, 5, before, subject=True, serf=GREEN, wood=2)
    state.goods[good] = 1
    ready(state)
    stored = state.haversack[good]
    events = act(state, ("action", IMPROVE))
    assert facts(events, "improved")[0]["type"] == after
    assert (state.kind[5], state.ruler[5], state.subject[5], state.serf[5]) == (after, RED, 1, GREEN)
    if before == FARM:  # its goods are lost to the haversack
        assert state.stock_at(5) == five()
        assert state.haversack[good] == stored + 1
        assert state.haversack[WOOD] == 30
    else:
        assert state.stock_at(5) == five(wood=2)


def test_g69_a_feudum_for_a_seal() -> None:
    state = table()
    rule(state, RED, 5, TOWN, iron=1)
    state.seals[RED] = (4, 2)
    rule(state, GREEN, 6, FEUDUM, NOBLE)
    rule(state, GREEN, 7, FEUDUM, NOBLE)
    ready(state)
    discs = len(state.discs)
    act(state, ("action", IMPROVE))
    assert offered(state) == [("guild", guild) for guild in range(6) if guild != NOBLE]
    act(state, ("guild", MONK))
    assert (state.kind[5], state.guild_of[5], state.feudums[MONK]) == (FEUDUM, MONK, 1)
    assert (state.seals[RED], len(state.discs)) == ((2,), discs + 1)
    assert state.stock_at(5) == five(iron=1)
    assert state.tracks[MONK] == (RED,)


def test_g69_improve_needs_the_price() -> None:
    state = table()
    for at, type_ in enumerate((OUTPOST, FARM, TOWN, FEUDUM), 1):
        rule(state, RED, at, type_, MONK if type_ == FEUDUM else -1)
    assert ("action", IMPROVE) not in ready(state).offered


@pytest.mark.parametrize("epoch", [1, 2, 3, 4])
def test_g70_points_for_improving(epoch: int) -> None:
    for before, good, points in ((OUTPOST, WOOD, 2), (FARM, IRON, 3), (TOWN, -1, 4)):
        state = table()
        rule(state, RED, 5, before)
        if good >= 0:
            state.goods[good] = 1
        else:
            state.seals[RED] = (2,)
        ready(state, round_no=2 * epoch - 1)
        events = act(state, ("action", IMPROVE))
        if before == TOWN:
            events = act(state, ("guild", MONK))
        assert vp(events, RED) == points + epoch - 1


@pytest.mark.parametrize(("outposts", "feudums", "count"), [(1, 0, 2), (3, 0, 4), (1, 2, 4)])
def test_g71_explore(outposts: int, feudums: int, count: int) -> None:
    state = table()
    for at in range(1, outposts + 1):
        rule(state, RED, at, OUTPOST)
    for at in range(10, 10 + feudums):
        rule(state, RED, at, FEUDUM, MONK)
    ready(state)
    events = act(state, ("action", EXPLORE))
    assert facts(events, "writs_drawn") == [{"player": RED, "count": count}]
    assert len(state.offered) == count


def test_g71_explore_needs_an_outpost_and_a_card() -> None:
    state = table()
    rule(state, RED, 1, FEUDUM, MONK)
    assert ("action", EXPLORE) not in ready(state).offered
    rule(state, RED, 2, OUTPOST)
    ready(state)
    state.deck = ()
    assert ("action", EXPLORE) not in preview(state)
    state.discard = (3,)
    assert ("action", EXPLORE) in preview(state)


def test_g72_harvest_yield() -> None:
    state = table()
    rule(state, RED, 1, FARM)
    assert harvest_yield(ready(state), RED) == 5
    rule(state, RED, 2, FARM)
    rule(state, RED, 3, FEUDUM, MONK)
    state.beads[RED] = (2,)
    assert harvest_yield(ready(state), RED) == 9
    state.beads[RED] = (2, 5)
    assert harvest_yield(ready(state), RED) == 10
    state.haversack = five(iron=3)
    assert harvest_yield(state, RED) == 3


def test_g72_harvest_needs_a_farm_with_room_and_goods_in_the_haversack() -> None:
    state = table()
    rule(state, RED, 1, FARM, iron=10)
    assert ("action", HARVEST) not in ready(state).offered
    rule(state, RED, 2, FARM)
    ready(state)
    assert ("action", HARVEST) in state.offered
    state.haversack = five()
    assert ("action", HARVEST) not in preview(state)


def test_g73_kickback_table() -> None:
    assert data.KICKBACK_FARM == {5: 4, 6: 5, 7: 5, 8: 5, 9: 6, 10: 6}
    state = table()
    rule(state, RED, 1, FARM)
    ready(state)
    state.haversack = five(iron=4)
    force(state, ("action", HARVEST))  # four goods only: FULL without a question
    assert sum(state.stock_at(1)) == 4


@pytest.mark.parametrize(("beads", "farm", "own"), [((), 4, 1), ((2,), 5, 2), ((3,), 5, 3), ((4,), 6, 3), ((5,), 6, 4)])
def test_g73_kickback_shares(beads: tuple[int, ...], farm: int, own: int) -> None:
    state = table()
    rule(state, RED, 1, FARM)
    state.beads[RED] = beads
    ready(state)
    events = act(state, ("action", HARVEST), ("harvest", KICKBACK))
    (harvested,) = facts(events, "harvested")
    assert (sum(harvested["farm"]), sum(harvested["own"])) == (farm, own)


@pytest.mark.parametrize(("mode", "beads", "seals"), [(KICKBACK, (), (5, 2, 3)), (FULL, (2, 3), (5,))])
def test_g74_after_a_kickback_all_beads_become_seals(mode: int, beads: tuple[int, ...], seals: tuple[int, ...]) -> None:
    state = table()
    rule(state, RED, 1, FARM)
    state.beads[RED], state.seals[RED] = (2, 3), (5,)
    ready(state)
    act(state, ("action", HARVEST), ("harvest", mode))
    assert (state.beads[RED], state.seals[RED]) == (beads, seals)


@pytest.mark.parametrize(("towns", "feudums", "bank", "gain"), [(1, 0, 9, 2), (2, 1, 9, 4), (3, 0, 1, 1)])
def test_g75_tax(towns: int, feudums: int, bank: int, gain: int) -> None:
    state = table()
    for at in range(1, towns + 1):
        rule(state, RED, at, TOWN)
    for at in range(10, 10 + feudums):
        rule(state, RED, at, FEUDUM, MONK)
    ready(state)
    state.bank = bank
    force(state, ("action", TAX))
    assert state.shillings[RED] == 7 + gain
