"""Nourishing, dawns and final scoring: rules G-123 to G-139."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    GREEN,
    RED,
    act,
    facts,
    five,
    fresh,
    give,
    kind,
    offered,
    pawn,
    ready,
    rule,
    step,
    table,
)
from tests.support.playing import random_walk

from palio.games.feudum.data import (
    FARM,
    FEED_FOOD,
    FEED_NONE,
    FEED_WINE,
    FEUDUM,
    FOOD,
    KNIGHT,
    MONK,
    NOBLE,
    OUTPOST,
    REGION_IDS,
    SULFUR,
    TOWN,
    VP_CHARTERS,
    VP_DISLOYALTY,
    VP_EMPIRE,
    VP_RANK,
    VP_REGIONS,
    VP_SETS,
    VP_SHILLINGS,
    VP_VESSELS,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.rounds import refill
from palio.games.feudum.scoring import final_scoring, places, sets, voyage_vp
from palio.games.feudum.state import OVER, ROUND_END


def hungry(food: int, barrel: int = 0, pawns: int = 2, wine: int = 0, n: int = 2) -> Feudum:
    """Red's last pass of a round is over and his pawns are to be fed."""
    state = table(n)
    for number in range(pawns):
        pawn(state, RED, KNIGHT, 1 + number, wine=number < wine)
    give(state, RED, food=food)
    state.barrel[RED] = barrel
    ready(state, RED, turn_no=4)
    state.phase = ROUND_END
    state.stack[:] = [state.stack[0], ("hungry",), ("nourish", RED, 0)]
    from palio.games.feudum import machine

    machine.run(state)
    return state


def test_g123_the_end_of_every_round_clockwise_from_the_starting_player() -> None:
    state = fresh(3)
    starter, rounds = state.starter, 1
    fed: list[int] = []
    for now in random_walk(state, 2):
        for event in now.take_events():
            if event.fact[0] == "fed":
                fed.append(int(str(event.fact[1])))
            elif event.fact[0] in ("round_ended", "game_over"):
                order = state.clockwise(starter)
                assert fed == sorted(fed, key=order.index)
                fed, rounds, starter = [], rounds + 1, int(str(event.fact[2])) if rounds < 8 else 0
    assert rounds == 9


def test_g123_pawns_in_number_order_by_food_or_wine() -> None:
    state = hungry(food=2, barrel=1)
    assert offered(state) == [("feed", 0, FEED_FOOD), ("feed", 0, FEED_WINE)]
    food = state.haversack[FOOD]
    act(state, ("feed", 0, FEED_FOOD))
    assert (state.goods[FOOD], state.haversack[FOOD]) == (1, food + 1)
    act(state, ("feed", 1, FEED_WINE))
    assert (state.barrel[RED], state.pawn_wine[:3]) == (0, [0, 1, 0])


def test_g123_a_pawn_with_wine_is_fed_and_sober_again_in_the_next_round() -> None:
    state = hungry(food=2, pawns=1, wine=1)
    assert state.pawn_wine[0] == 0
    assert state.haversack[SULFUR] == 30
    assert state.goods[FOOD] == 2


@pytest.mark.parametrize(
    ("food", "barrel", "pawns", "none"), [(1, 0, 2, True), (1, 1, 2, False), (1, 1, 3, True), (3, 0, 3, False)]
)
def test_g124_nothing_only_while_there_is_too_little(food: int, barrel: int, pawns: int, none: bool) -> None:
    state = hungry(food, barrel, pawns)
    if kind(state) == "NOURISH":
        assert (("feed", 0, FEED_NONE) in state.offered) is none
    else:
        assert not none
        assert state.goods[FOOD] == food - pawns


def test_g124_a_pawn_that_carries_wine_needs_nothing() -> None:
    state = table(2)
    pawn(state, RED, KNIGHT, 1)
    pawn(state, RED, KNIGHT, 2, wine=True)
    give(state, RED, food=1)
    ready(state, RED)
    state.phase = ROUND_END
    state.stack[:] = [state.stack[0], ("hungry",), ("nourish", RED, 0)]
    from palio.games.feudum import machine

    machine.run(state)
    assert state.pawn_at[:3] == [1, 2, 0]
    assert state.goods[FOOD] == 0


def test_g125_unfed_pawns_leave_together_and_are_settled_once() -> None:
    state = table(2)
    for at in (1, 2):
        pawn(state, RED, KNIGHT, at)
        pawn(state, GREEN, KNIGHT, at)
    give(state, RED, food=1)
    ready(state, RED)
    state.phase = ROUND_END
    state.stack[:] = [state.stack[0], ("hungry",), ("nourish", GREEN, 0), ("nourish", RED, 0)]
    from palio.games.feudum import machine

    machine.run(state)
    assert state.tracks[KNIGHT] == (RED, GREEN)
    act(state, ("feed", 0, FEED_NONE))
    assert state.pawn_at[:6] == [0, 2, 0, 0, 0, 0]
    assert state.tracks[KNIGHT] == (RED,)
    assert len([e for e in facts(state.take_events(), "settled") if e["guild"] == KNIGHT]) <= 1


@pytest.mark.parametrize("round_no", range(1, 9))
def test_g126_an_epoch_dawns_at_the_end_of_every_second_round(round_no: int) -> None:
    state = ready(table(), RED, round_no=round_no)
    epoch = state.epoch
    events = step(state, "dawn")
    if round_no % 2:
        assert events == []
    else:
        assert facts(events, "dawn") == [{"epoch": epoch + 1}]
        assert state.epoch == 1 + round_no // 2


def test_g126_order_of_a_dawn() -> None:
    state = table()
    rule(state, RED, 1, FEUDUM, NOBLE)
    ready(state, RED, round_no=4)
    state.military[RED] = 0
    state.epoch = 1  # the dawn of epoch II has everything but the refill
    state.chickens = (2, 2, 3, 3)
    events = step(state, "dawn")
    names = [str(e.fact[0]) for e in events]
    reasons = [e["reason"] for e in facts(events, "vp")]
    assert reasons == [VP_RANK, VP_REGIONS, VP_DISLOYALTY]
    assert names.index("goods_drawn") > max(i for i, name in enumerate(names) if name == "vp")
    assert names[-1] == "chickens_emptied"


@pytest.mark.parametrize(("regions", "points"), [(0, 0), (1, 1), (2, 3), (3, 5), (4, 7), (5, 9), (6, 11)])
def test_g127_active_regions(regions: int, points: int) -> None:
    state = table()
    for ids in REGION_IDS[:regions]:
        rule(state, RED, ids[0], OUTPOST)
        rule(state, RED, ids[1], OUTPOST)
    ready(state, round_no=2)
    events = step(state, "dawn")
    assert sum(e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REGIONS) == points


@pytest.mark.parametrize(("round_no", "losses"), [(2, [3, 0, 0, 0]), (4, [0] * 4), (6, [7, 4, 0, 0])])
def test_g128_disloyalty(round_no: int, losses: list[int]) -> None:
    for covered, loss in enumerate(losses):
        state = table()
        rule(state, RED, 1, FEUDUM, NOBLE)
        state.military[RED] = state.successes[RED] = covered
        ready(state, round_no=round_no)
        lost = [e["amount"] for e in facts(step(state, "dawn"), "vp") if e["reason"] == VP_DISLOYALTY]
        assert lost == ([-loss] if loss else [])


def test_g128_only_rulers_of_feudums_and_scores_may_become_negative() -> None:
    state = table()
    rule(state, RED, 1, TOWN)
    assert not [e for e in facts(step(ready(state, round_no=2), "dawn"), "vp") if e["reason"] == VP_DISLOYALTY]
    state = table()
    rule(state, RED, 1, FEUDUM, NOBLE)
    ready(state, round_no=2)
    state.tracks[NOBLE] = ()
    step(state, "dawn")
    assert state.scores[RED] == 1 - 3


@pytest.mark.parametrize(("round_no", "number"), [(2, 2), (4, 3), (6, 4)])
def test_g129_goods_of_the_season(round_no: int, number: int) -> None:
    state = ready(table(), round_no=round_no)
    drawn = [e["location"] for e in facts(step(state, "dawn"), "goods_drawn") if e["location"]]
    assert drawn == [ids[number % len(ids)] for ids in REGION_IDS]


@pytest.mark.parametrize(("beads", "left"), [((2, 2, 3, 3), 0), ((2, 2, 3), 3)])
def test_g130_four_beads_on_chickens_return(beads: tuple[int, ...], left: int) -> None:
    state = table()
    state.chickens = beads
    ready(state, round_no=2)
    discs = len(state.discs)
    step(state, "dawn")
    assert len(state.chickens) == left
    assert len(state.discs) == discs + len(beads) - left


def test_g131_refill_at_epoch_iii() -> None:
    state = table()
    state.rows, state.stores = [4, 0, 0, 0, 0], [0] * 5
    state.krows = [6, 0, 1, 2]
    state.scrolls = [0, 2, 0, 0, 3, 0]
    state.barn = five(iron=4)
    ready(state, round_no=4)
    events = step(state, "dawn")
    assert state.rows == [4, 3, 4, 4, 4]
    assert state.stores == [3, 1, 3, 3, 1]
    assert sum(state.sale) == 2
    assert state.krows == [6, 2, 2, 2]
    assert [cell for cell, value in enumerate(state.scrolls, 1) if value] == [1, 2, 3, 5, 6]
    assert len(state.rosary) == 4
    assert len(state.chickens) == 1
    assert sum(state.barn) == 10
    assert len(facts(events, "refilled")) == 1


def test_g131_as_far_as_the_source_allows() -> None:
    state = ready(table(), round_no=4)
    state.haversack = five(wood=2)
    state.discs = (5, 4, 3, 2, 2)
    state.docks = [1, 0, 0]
    state.reserve = [0, 1, 5, 5]
    refill(state)
    assert (state.rows, state.stores, state.barn) == (five(wood=2), five(), five())
    assert state.sale == [1, 0, 0]
    assert state.krows == [0, 1, 2, 2]
    assert (state.scrolls, state.rosary, state.chickens) == ([5, 0, 4, 0, 3, 2], (2,), ())


def test_g132_an_empty_haversack_gives_nothing() -> None:
    state = ready(table(), round_no=2)
    state.haversack = five()
    assert not facts(step(state, "dawn"), "goods_drawn")


def test_g133_final_scoring_after_the_last_dawn() -> None:
    state = fresh(2)
    names = []
    for now in random_walk(state, 4):
        names += [str(event.fact[0]) for event in now.take_events()]
    assert names[-1] == "game_over"
    assert names.count("dawn") == 4
    assert state.phase == OVER
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.ended_by == "rounds"


@pytest.mark.parametrize(
    ("spaces", "points"),
    [
        ([0, 0], [0, 0]),
        ([1, 2], [3, 5]),
        ([1, 1], [5, 5]),
        ([3, 5, 6], [9, 11, 13]),
        ([7, 6, 7], [17, 13, 17]),
        ([4, 4, 3], [9, 9, 7]),
    ],
)
def test_g134_epic_voyage(spaces: list[int], points: list[int]) -> None:
    assert voyage_vp(spaces) == points


@pytest.mark.parametrize(
    ("counts", "wilds", "expected"),
    [
        ((3, 0, 0), 0, 1),
        ((2, 4, 0), 2, 2),
        ((0, 0, 0), 3, 1),
        ((1, 0, 0), 2, 1),
        ((2, 2, 2), 3, 3),
        ((2, 1, 0), 3, 2),
        ((1, 1, 1), 4, 2),
        ((5, 0, 0), 1, 2),
    ],
)
def test_g135_sets(counts: tuple[int, int, int], wilds: int, expected: int) -> None:
    assert sets(counts, wilds) == expected


def test_g135_the_rule_finds_the_largest_number_of_sets() -> None:
    def best(counts: tuple[int, ...], wilds: int) -> int:
        most = wilds // 3
        for at, count in enumerate(counts):
            for used in range(1, min(3, count) + 1):
                if 3 - used <= wilds:
                    rest = (*counts[:at], count - used, *counts[at + 1 :])
                    most = max(most, 1 + best(rest, wilds - (3 - used)))
        return most

    for a in range(5):
        for b in range(5):
            for c in range(3):
                for wilds in range(5):
                    assert sets((a, b, c), wilds) == best((a, b, c), wilds)


def scored(state: Feudum, reason: int) -> int:
    final_scoring(ready(state))
    return state.earned[reason]


def test_g135_great_empire() -> None:
    state = table()
    for at, type_ in enumerate((OUTPOST, FARM, FARM, TOWN), 1):
        rule(state, RED, at, type_)
    rule(state, RED, 8, FEUDUM, MONK)
    assert scored(state, VP_EMPIRE) == 4 + 3
    assert state.earned[VP_SETS] == 3


@pytest.mark.parametrize(("shillings", "points"), [(2, 0), (3, 1), (11, 3)])
def test_g136_shillings(shillings: int, points: int) -> None:
    state = table()
    state.shillings[RED] = shillings
    assert scored(state, VP_SHILLINGS) == points


def test_g137_vessels() -> None:
    state = table()
    state.vessels[:3] = [1, 0, 2]
    assert scored(state, VP_VESSELS) == 6


def test_g138_charters() -> None:
    state = table()
    state.hands[RED] = (8,)
    state.barrel[RED] = 3
    state.seals[RED] = (2,)
    assert scored(state, VP_CHARTERS) == 7


def test_g139_places() -> None:
    state = table(4)
    state.scores = [10, 12, 10, 10]
    state.barrel = [1, 0, 2, 1]
    assert places(state) == (3, 1, 2, 3)
