"""The worked examples X-08 to X-15 of the rules, row by row."""

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
    give,
    kind,
    offered,
    pawn,
    perform,
    ready,
    rule,
    stars,
    table,
    vp,
)

from palio.games.feudum.actions.guild import functions
from palio.games.feudum.data import (
    ALCHEMIST,
    COLUMNS,
    CONQUER,
    FARM,
    FARMER,
    FEUDUM,
    FULL,
    HARVEST,
    KICKBACK,
    KNIGHT,
    KRUD,
    MERCHANT,
    MONK,
    NOBLE,
    OUTPOST,
    PULL,
    PUSH,
    ROWS,
    SALTPETER,
    SULFUR,
    VP_CHARTERS,
    VP_DISLOYALTY,
    VP_EMPIRE,
    VP_PUSH,
    VP_REEVE,
    VP_SETS,
    VP_SHILLINGS,
    VP_VESSELS,
    VP_VOYAGE,
    WOOD,
    WRITS,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.rounds import STEPS
from palio.games.feudum.scoring import final_scoring
from palio.games.feudum.settle import settle


@pytest.mark.parametrize(
    ("rows", "barn", "moved", "after", "lines", "points"),
    [
        ([3] * 5, [2] * 5, [1] * 5, [4] * 5, (5, 1), (6, 4)),
        ([1, 4, 4, 4, 4], [3, 0, 2, 0, 0], [3, 0, 0, 0, 0], [4] * 5, (1, 3), (4, 6)),
        ([0, 0, 4, 4, 4], [1, 0, 5, 0, 0], [1, 0, 0, 0, 0], [1, 0, 4, 4, 4], (0, 0), (0, 0)),
        ([3, 1, 4, 4, 4], [1, 3, 0, 0, 0], [1, 3, 0, 0, 0], [4] * 5, (2, 3), (5, 6)),
    ],
)
def test_x08_farmer_push(
    rows: list[int],
    barn: list[int],
    moved: list[int],
    after: list[int],
    lines: tuple[int, int],
    points: tuple[int, int],
) -> None:
    for axis in (ROWS, COLUMNS):
        state = table(n=3)
        stars(state, FARMER, RED, 1)
        state.rows, state.barn, state.purse = rows[:], barn[:], 3
        perform(state, RED, FARMER, PUSH)
        events = state.take_events()
        assert [sum(e["good"] == good for e in facts(events, "transferred")) for good in range(5)] == moved
        assert all(e["forced"] for e in facts(events, "transferred"))
        assert state.rows == after
        if all(lines):
            assert offered(state) == [("axis", ROWS), ("axis", COLUMNS)]
            events = act(state, ("axis", axis))
        scored = facts(events, "scored")[0]
        assert (scored["rows"], scored["columns"]) == lines
        assert sum(e["amount"] for e in facts(events, "vp") if e["reason"] == VP_PUSH) == points[axis]
        assert facts(events, "shared")[0]["shares"] == ((RED, 2),)


def test_x08_farmer_push_that_moves_nothing_is_not_offered_and_no_points_still_bring_bonus_and_purse() -> None:
    state = table(n=3)
    stars(state, FARMER, RED, 1)
    state.rows, state.barn = [2, 3, 4, 4, 4], [0, 0, 5, 5, 0]
    assert ("function", FARMER, PUSH) not in functions(ready(state, RED), RED)

    state.rows, state.barn, state.purse = [0, 0, 4, 4, 4], [1, 0, 5, 0, 0], 3
    ready(state, RED)
    engage(state, "function", FARMER, PUSH)
    events = act(state, ("reeve", 1))
    assert [(e["amount"], e["reason"]) for e in facts(events, "vp")] == [(1, VP_REEVE)]
    assert facts(events, "shared")


def test_x09_reeves() -> None:
    state = table(n=4)
    stars(state, FARMER, RED, 2)
    stars(state, FARMER, GREEN, 1)
    stars(state, MERCHANT, BLUE, 2)
    pawn(state, RED, MERCHANT, 1)
    state.barn, state.rows = five(iron=10), five()
    ready(state, RED)
    assert (state.tracks[FARMER], state.tracks[MERCHANT]) == ((RED, GREEN), (BLUE, RED))

    perform(state, RED, FARMER, PUSH, reeves=True)
    events = act(state, ("reeve", 1))
    assert [e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REEVE] == [1]
    assert (state.pool[RED], state.right[FARMER]) == (2, RED)

    perform(state, RED, MERCHANT, PULL, reeves=True)
    events = act(state, ("reeve", 1))
    assert [e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REEVE] == [2]
    assert (state.pool[RED], state.left[MERCHANT]) == (1, RED)

    state.rows = five()
    state.barn = five(iron=2)
    perform(state, RED, FARMER, PUSH, reeves=True)
    events = state.take_events()
    assert not facts(events, "reeve")
    assert vp(events, RED) == 2
    assert state.pool[RED] == 1

    state.left[FARMER] = GREEN
    pawn(state, GREEN, FARMER, 3)
    pawn(state, GREEN, FARMER, 3)
    ready(state, RED)
    assert state.tracks[FARMER] == (GREEN, RED)
    assert (state.right[FARMER], state.left[FARMER], state.left[MERCHANT]) == (GREEN, RED, RED)
    assert state.pool[RED] == 1

    pawn(state, BLUE, FARMER, 3)
    pawn(state, BLUE, FARMER, 3)
    rule(state, BLUE, 20, FARM)
    before = state.pool[RED]
    settle(state)
    assert state.tracks[FARMER] == (GREEN, BLUE, RED)
    assert state.pool[RED] == before + 1 == 2
    assert (state.left[FARMER], state.left[MERCHANT]) == (-1, RED)


@pytest.mark.parametrize(
    ("covered", "losses", "everything"),
    [
        ((0, 0, 0, 0), (-3, 0, -3 - 4, -3 - 4 - 5), -22),
        ((1, 1, 1, 1), (0, 0, -4, -4 - 5), -13),
        ((0, 1, 1, 1), (-3, 0, -4, -4 - 5), -16),
    ],
)
def test_x10_disloyalty(covered: tuple[int, ...], losses: tuple[int, ...], everything: int) -> None:
    total = 0
    for epoch, discs, loss in zip((2, 3, 4, 5), covered, losses, strict=True):
        state = table(n=2)
        rule(state, RED, 1, FEUDUM, NOBLE)
        state.military[RED] = state.successes[RED] = discs
        ready(state, RED, round_no=2 * epoch - 2)
        STEPS["dawn"](state, ("dawn",))
        events = state.take_events()
        lost = sum(e["amount"] for e in facts(events, "vp") if e["reason"] == VP_DISLOYALTY)
        assert lost == loss
        total += lost
    assert total == everything


def feast_table(advanced: bool = True, barrel: int = 1, shared: bool = True) -> Feudum:
    state = table(n=3, advanced=advanced)
    for _ in range(2):
        pawn(state, GREEN, FARMER, 7)
    pawn(state, RED, FARMER, 9)
    pawn(state, BLUE, MONK, 7 if shared else 8)
    if advanced:
        state.right[FARMER] = GREEN
    state.barrel[BLUE] = barrel
    state.purse = 5
    state.rows, state.barn = five(iron=3), five(iron=1)
    state.tracks[FARMER] = (GREEN, RED)
    return ready(state, BLUE)


def test_x11_feast() -> None:
    state = feast_table()
    sulfur = state.haversack[SULFUR]
    green = (state.shillings[GREEN], state.scores[GREEN])
    events = engage(state, "feast", FARMER, PUSH, GREEN)
    assert vp(events, BLUE) == 4 + 3
    assert (state.shillings[BLUE], state.barrel[BLUE]) == (7 + 3, 0)
    assert (state.shillings[RED], state.purse) == (7 + 2, 0)
    assert state.haversack[SULFUR] == sulfur + 1
    assert (state.shillings[GREEN], state.scores[GREEN]) == green
    assert not any(e["reason"] == VP_REEVE for e in facts(events, "vp"))


@pytest.mark.parametrize("changed", [{"advanced": False}, {"barrel": 0}, {"shared": False}])
def test_x11_without_its_conditions_there_is_no_feast(changed: dict[str, bool]) -> None:
    state = feast_table(**changed)
    assert not any(option[0] == "feast" for option in functions(state, BLUE))


def krud_table(sulfur: int) -> Feudum:
    state = table(n=5, markers=5)
    # green 6, blue 3, red 2, yellow 1, purple 0
    state.krows = [2, 6, 3, 1, 0]
    state.stores = five(saltpeter=3, sulfur=sulfur, wood=3)
    stars(state, ALCHEMIST, RED, 1)
    return perform(state, RED, ALCHEMIST, PUSH)


def test_x12_krud() -> None:
    state = krud_table(1)  # krud is the only invention possible, and nothing after it
    events = state.take_events()
    assert [e["invention"] for e in facts(events, "invented")] == [KRUD]
    assert facts(events, "markers_added")[0]["added"] == (1, 0, 3, 2, 1)
    assert state.krows == [3, 6, 6, 3, 1]
    assert (state.stores[SALTPETER], state.stores[SULFUR]) == (1, 0)
    assert facts(events, "scored")[0]["units"] == 1
    assert vp(events, RED) == 4


def test_x12_krud_a_second_and_a_third_time() -> None:
    state = krud_table(2)
    assert offered(state) == [("invention", KRUD), ("done",)]
    act(state, ("invention", KRUD))
    assert state.krows == [6, 6, 6, 6, 3]
    events = act(state, ("invention", KRUD))
    assert state.krows == [6, 6, 6, 6, 6]
    assert state.stores[WOOD] == 2
    assert facts(events, "scored")[0]["units"] == 3
    assert vp(events, RED) == 6


@pytest.mark.parametrize("mode", [FULL, KICKBACK])
def test_x13_harvest(mode: int) -> None:
    state = table(n=3)
    rule(state, RED, 1, FARM, iron=9)
    rule(state, RED, 2, FARM, wood=12)
    rule(state, RED, 3, FEUDUM, NOBLE)
    state.beads[RED] = (3,)
    ready(state, RED)
    act(state, ("action", HARVEST))
    assert kind(state) == "HARVEST_MODE"
    assert state.stack[-1][2] == 1
    events = act(state, ("harvest", mode))
    assert vp(events, RED) == 1
    assert sum(state.stock_at(1)) == 9 + (10 if mode == FULL else 6)
    assert sum(state.goods[0:5]) + state.barrel[RED] == (0 if mode == FULL else 4)
    assert state.beads[RED] == ((3,) if mode == FULL else ())
    assert state.seals[RED] == (() if mode == FULL else (3,))


def feudum_table(saltpeter: int = 2, character: int = KNIGHT, turn_no: int = 1) -> Feudum:
    state = table(n=3)
    rule(state, GREEN, 13, FEUDUM, KNIGHT, subject=True, serf=RED)
    pawn(state, RED, character, 13)
    pawn(state, GREEN, KNIGHT, 14)
    give(state, RED, saltpeter=saltpeter)
    state.tracks[KNIGHT] = (GREEN, RED) if character == KNIGHT else (GREEN,)
    return ready(state, RED, turn_no)


def test_x14_feudum() -> None:
    state = feudum_table()
    green, knight = state.markers[GREEN], state.stars[KNIGHT * 3 + GREEN]
    saltpeter, discs = state.haversack[SALTPETER], state.feudums[KNIGHT]
    events = act(state, ("action", CONQUER))
    attack = facts(events, "attack")[0]
    assert (attack["attack"], attack["defence"]) == (2, 3)
    assert [(e["attack"], e["forced"]) for e in facts(events, "boost")] == [(3, True), (4, True)]
    assert vp(events, RED) == 4
    assert (state.kind[13], state.ruler[13], state.subject[13], state.serf[13]) == (OUTPOST, RED, 0, -1)
    assert state.markers[GREEN] == green + 2
    assert state.stars[KNIGHT * 3 + GREEN] == knight - 3
    assert state.haversack[SALTPETER] == saltpeter + 2
    assert state.feudums[KNIGHT] == discs + 1
    assert kind(state) == "MILITARY"


@pytest.mark.parametrize("changed", [{"saltpeter": 1}, {"character": MONK}, {"turn_no": 4}])
def test_x14_not_offered(changed: dict[str, int]) -> None:
    assert ("action", CONQUER) not in feudum_table(**changed).offered


def test_x15_final() -> None:
    state = table(n=2)
    for at in (1, 2):
        rule(state, RED, at, OUTPOST)
    for at in (3, 4, 5, 8):
        rule(state, RED, at, FARM)
    for at, guild in ((11, NOBLE), (16, KNIGHT)):
        rule(state, RED, at, FEUDUM, guild)
    state.shillings = [8, 2]
    state.vessels[0] = 2
    state.barrel[RED] = 2
    state.seals[RED] = (4,)
    state.hands[RED] = tuple(sorted((WRITS.index("TEMPERANCE"), WRITS.index("CHAMPION"))))
    state.successes[RED] = 1
    state.voyage = [3, 4]
    ready(state, RED)
    final_scoring(state)
    events = state.take_events()
    by_reason = {e["reason"]: e["amount"] for e in facts(events, "vp") if e["player"] == RED}
    assert by_reason == {
        VP_VOYAGE: 7,
        VP_EMPIRE: 6 + 6,
        VP_SETS: 6,
        VP_SHILLINGS: 2,
        VP_VESSELS: 4,
        VP_CHARTERS: 5,
    }
    assert sum(by_reason.values()) == state.scores[RED] == 36
    assert [e["amount"] for e in facts(events, "vp") if e["player"] == GREEN] == [9]
