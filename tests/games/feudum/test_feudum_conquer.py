"""CONQUER, REPEAT, GUILD and feasts: rules G-62 and G-76 to G-86."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    act,
    engage,
    facts,
    five,
    force,
    give,
    kind,
    offered,
    pawn,
    ready,
    rule,
    stars,
    table,
    vp,
)

from palio.games.feudum import data
from palio.games.feudum.actions.conquer import targets
from palio.games.feudum.actions.guild import functions, hosts
from palio.games.feudum.data import (
    B_BOW,
    B_BOW_WOOD,
    B_SALTPETER,
    B_SWORD,
    B_SWORD_IRON,
    BOW,
    CONQUER,
    FARMER,
    FEUDUM,
    GUILD,
    INFLUENCE,
    KNIGHT,
    MERCHANT,
    MIGRATE,
    MONK,
    MOVE,
    NOBLE,
    OUTPOST,
    PULL,
    PUSH,
    REPEAT,
    SULFUR,
    SWORD,
    TOWN,
    TRADE,
    VP_FEAST,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.machine import preview


def test_g62_repeatable_cards() -> None:
    assert data.REPEATABLE == (MOVE, INFLUENCE, GUILD)
    state = conquest()
    state.turn_no = 4
    assert ("action", CONQUER) not in preview(state)
    state.turn_no = 3
    assert ("action", CONQUER) in preview(state)
    state.used[RED] = 1 << CONQUER | 1 << REPEAT
    assert not [o for o in preview(state) if o in (("action", CONQUER), ("action", REPEAT))]


def conquest(**goods: int) -> Feudum:
    """Red's sober knight and green's sober pawn at location 5."""
    state = table()
    pawn(state, RED, KNIGHT, 5)
    pawn(state, GREEN, MONK, 5)
    give(state, RED, saltpeter=2, **goods)
    return ready(state)


def test_g76_targets() -> None:
    state = conquest()
    pawn(state, GREEN, MONK, 6)
    pawn(state, BLUE, MONK, 5)
    rule(state, GREEN, 5, TOWN)
    assert targets(state, RED) == [("target", 5, GREEN, 0), ("target", 5, BLUE, 0)]
    rule(state, GREEN, 5, FEUDUM, NOBLE)
    assert targets(state, RED) == [("target", 5, GREEN, 0), ("target", 5, BLUE, 0)]
    give(state, RED, saltpeter=4)
    assert ("feudum", 5) in targets(state, RED)
    rule(state, RED, 5, FEUDUM, NOBLE)
    assert ("feudum", 5) not in targets(state, RED)


@pytest.mark.parametrize(
    ("cards", "goods", "character", "boosts"),
    [
        ((), {"saltpeter": 2}, KNIGHT, [B_SALTPETER]),
        ((BOW,), {"saltpeter": 1}, MONK, [B_SALTPETER, B_BOW]),
        ((BOW,), {"saltpeter": 0, "wood": 1}, MONK, [B_BOW_WOOD]),
        ((BOW, SWORD), {"saltpeter": 0, "wood": 1, "iron": 1}, MONK, [B_BOW, B_BOW_WOOD, B_SWORD, B_SWORD_IRON]),
    ],
)
def test_g77_boosts(cards: tuple[int, ...], goods: dict[str, int], character: int, boosts: list[int]) -> None:
    state = table()
    pawn(state, RED, character, 5)
    pawn(state, GREEN, MONK, 5)
    give(state, RED, **goods)
    state.hands[RED] = cards
    ready(state)
    events = act(state, ("action", CONQUER))  # one against two: two more are needed
    if len(boosts) > 1:
        assert offered(state) == [("boost", boost) for boost in boosts]
    else:
        assert {e["boost"] for e in facts(events, "boost")} == set(boosts)


def test_g77_a_pawn_with_wine_counts_nothing() -> None:
    state = conquest()
    state.pawn_wine[0] = 1
    assert targets(state, RED) == []
    state.pawn_wine[0], state.pawn_wine[3] = 0, 1
    assert targets(state, RED) == [("target", 5, GREEN, 0)]


def test_g77_the_serf_of_a_feudum_counts_one_there() -> None:
    from palio.games.feudum.actions.conquer import strength

    state = conquest()
    rule(state, GREEN, 5, FEUDUM, NOBLE, serf=RED)
    assert strength(state, RED, 5, True) == 2
    assert strength(state, RED, 5, False) == 1


def test_g78_defence() -> None:
    from palio.games.feudum.actions.conquer import defence

    state = conquest()
    assert defence(state, GREEN, 5, False) == 2
    pawn(state, GREEN, MONK, 5)
    assert defence(state, GREEN, 5, False) == 4
    rule(state, GREEN, 5, FEUDUM, NOBLE)
    assert defence(state, GREEN, 5, True) == 6
    state.subject[5] = 1
    assert defence(state, GREEN, 5, True) == 7


def test_g79_an_attack_never_fails_and_takes_no_boost_too_many() -> None:
    state = conquest()
    give(state, RED, saltpeter=5)
    ready(state)
    events = act(state, ("action", CONQUER))
    assert [e["attack"] for e in facts(events, "boost")] == [2, 3]
    assert state.goods[0] == 3
    assert kind(state) == "MILITARY"


def test_g80_a_conquered_pawn() -> None:
    state = conquest()
    state.pawn_wine[3] = 1
    pawn(state, BLUE, MONK, 9)
    ready(state)
    sulfur = state.haversack[SULFUR]
    events = act(state, ("action", CONQUER))
    assert vp(events, RED) == 2
    assert (state.pawn_at[3], state.pawn_char[3]) == (0, -1)
    assert state.haversack[SULFUR] == sulfur + 1


@pytest.mark.parametrize(("serf", "ruler"), [(RED, RED), (BLUE, -1), (-1, -1)])
def test_g81_a_conquered_feudum(serf: int, ruler: int) -> None:
    state = table()
    for _ in range(3):
        pawn(state, RED, KNIGHT, 5)
    rule(state, GREEN, 5, FEUDUM, NOBLE, serf=serf, iron=2)
    ready(state)
    # green's marker of the noble track comes back too, blue's only from the map
    before = state.markers[:]
    events = act(state, ("action", CONQUER))
    assert vp(events, RED) == 4
    assert (state.kind[5], state.guild_of[5], state.ruler[5], state.serf[5]) == (OUTPOST, -1, ruler, -1)
    assert state.markers[GREEN] == before[GREEN] + 2
    assert state.markers[BLUE] == before[BLUE] + (serf == BLUE)
    assert state.stock_at(5) == five(iron=2)
    assert state.feudums[NOBLE] == 2


def test_g82_military_service_after_a_success() -> None:
    state = conquest()
    act(state, ("action", CONQUER))
    assert state.successes[RED] == 1
    assert offered(state) == [("place", 0), ("place", 1)]
    act(state, ("place", 1))
    assert (state.military[RED], state.pool[RED]) == (1, 2)
    state = conquest()
    state.pool[RED] = 0
    force(state, ("action", CONQUER))
    assert kind(state) != "MILITARY"


def test_g83_repeat() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    give(state, RED, food=1)
    ready(state, turn_no=2)
    assert ("action", REPEAT) not in state.offered
    state.used[RED] = 1 << MOVE | 1 << MIGRATE
    assert ("action", REPEAT) in preview(state)
    state.used[RED] |= 1 << INFLUENCE
    state.offered = preview(state)
    act(state, ("action", REPEAT))
    assert offered(state) == [("action", MOVE), ("action", INFLUENCE)]
    act(state, ("action", INFLUENCE))
    assert state.ruler[1] == RED


def test_g84_a_repeated_guild_action_engages_another_guild() -> None:
    state = table()
    state.krows = [2] * 4
    state.rows = five(iron=3)
    ready(state, turn_no=2)
    assert {option[1] for option in functions(state, RED)} == {KNIGHT, MERCHANT}
    state.used[RED], state.engaged[RED] = 1 << GUILD, 1 << KNIGHT
    assert {option[1] for option in functions(state, RED)} == {MERCHANT}


def test_g84_the_guild_of_a_feast_counts_as_engaged() -> None:
    state = feast()
    engage(state, "feast", FARMER, PUSH, GREEN)
    assert state.engaged[RED] == 1 << FARMER


def test_g85_one_function_of_one_guild() -> None:
    state = feast()
    act(state, ("action", GUILD))
    assert offered(state) == [("function", MERCHANT, TRADE), ("feast", FARMER, PUSH, GREEN)]


def feast(**changed: int) -> Feudum:
    state = table()
    stars(state, FARMER, GREEN, 1)
    for i in range(3, 6):
        if state.pawn_at[i]:
            state.pawn_at[i] = changed.get("green_at", 7)
    pawn(state, RED, MONK, 7)
    state.barrel[RED] = changed.get("barrel", 1)
    state.barn, state.rows = five(iron=1), five(iron=1)
    return ready(state)


def test_g86_hosts() -> None:
    state = feast()
    assert hosts(state, RED) == [GREEN]
    assert hosts(feast(barrel=0), RED) == []
    assert hosts(feast(green_at=8), RED) == []
    state = feast(green_at=8)
    rule(state, GREEN, 7, TOWN)
    assert hosts(state, RED) == []
    rule(state, GREEN, 7, FEUDUM, NOBLE)
    assert hosts(state, RED) == [GREEN]


def test_g86_a_feast() -> None:
    state = feast()
    sulfur = state.haversack[SULFUR]
    green = (state.scores[GREEN], state.shillings[GREEN])
    events = engage(state, "feast", FARMER, PUSH, GREEN)
    assert [e["amount"] for e in facts(events, "vp") if e["reason"] == VP_FEAST] == [3]
    assert (state.barrel[RED], state.haversack[SULFUR]) == (0, sulfur + 1)
    assert (state.scores[GREEN], state.shillings[GREEN]) == green


def test_g86_only_pull_and_push_that_the_host_holds() -> None:
    state = feast()
    assert [o for o in functions(state, RED) if o[0] == "feast"] == [("feast", FARMER, PUSH, GREEN)]
    assert ("feast", FARMER, PULL, GREEN) not in functions(state, RED)
