"""Knights, Nobles and Monks: rules G-107 to G-115."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    GREEN,
    RED,
    YELLOW,
    act,
    facts,
    five,
    kind,
    offered,
    over,
    pawn,
    perform,
    stars,
    table,
    vp,
)

from palio.games.feudum.data import (
    KNIGHT,
    KRUD,
    LOW_IN_LEFT,
    MONK,
    NOBLE,
    PULL,
    PUSH,
    RIGHT,
    ROWS,
    SAILING_SHIP,
    TRADE,
)


def test_g107_knight_trade() -> None:
    state = table()
    state.krows = [4, 2, 0, 0]
    perform(state, RED, KNIGHT, TRADE)
    assert (state.krows, state.markers[RED], state.shillings[RED]) == ([0, 2, 0, 0], 11, 4)


def test_g108_knight_pull_is_one_invention_and_always_rewarded() -> None:
    state = table()
    state.stores = five(saltpeter=2, sulfur=1, food=1, wood=2)
    perform(state, RED, KNIGHT, PULL)
    assert offered(state) == [("invention", SAILING_SHIP), ("invention", KRUD)]
    events = act(state, ("invention", SAILING_SHIP))
    assert state.sale == [1, 0, 0]
    assert vp(events, RED) == 3
    assert kind(state) == "WRIT_KEEP"


def test_g109_knight_push() -> None:
    state = table()
    state.krows = [1, 2, 0, 1]
    state.scrolls = [2, 0, 2, 0, 0, 0]
    perform(state, RED, KNIGHT, PUSH)
    assert offered(state) == [("color", RED), ("color", GREEN), ("color", YELLOW)]
    act(state, ("color", YELLOW))
    assert (state.krows[YELLOW], state.reserve[YELLOW]) == (0, 20)
    assert offered(state) == [("cell", cell) for cell in (2, 4, 5, 6)]
    top = state.discs[0]
    act(state, ("cell", 2))
    assert state.scrolls[1] == top
    assert offered(state) == [("color", RED), ("color", GREEN), ("done",)]
    act(state, ("color", GREEN), ("cell", 6))
    (scored,) = facts(act(state, "done"), "scored")
    assert (scored["rows"], scored["columns"], scored["axis"], scored["vp"]) == (2, 0, ROWS, 5)


def test_g109_completed_scroll_lines_are_chosen_among() -> None:
    state = table()
    state.krows = [1, 0, 0, 0]
    state.scrolls = [2, 0, 3, 0, 4, 0]
    perform(state, RED, KNIGHT, PUSH)
    act(state, ("cell", 2))  # row 1-2-3 and column 2-5
    assert kind(state) == "SCORE_AXIS"
    assert vp(act(state, ("axis", ROWS)), RED) == 4


@pytest.mark.parametrize(("noble", "row_cost", "cells"), [(7, 3, 2), (5, 3, 1)])
def test_g110_noble_trade(noble: int, row_cost: int, cells: int) -> None:
    state = table()
    state.scrolls = [2, 3, 4, 0, 0, 0]
    state.shillings[RED] = noble
    perform(state, RED, NOBLE, TRADE)
    assert offered(state) == [("cell", 1), ("cell", 2), ("cell", 3)]
    act(state, ("cell", 2))
    if cells == 2:
        assert offered(state) == [("cell", 1), ("cell", 3), ("done",)]
        act(state, ("cell", 3))
    assert over(state)
    assert state.seals[RED] == (3, 4)[:cells]
    assert state.shillings[RED] == noble - row_cost * cells


def test_g110_one_seal_only() -> None:
    state = table()
    state.scrolls = [2, 3, 4, 0, 0, 0]
    perform(state, RED, NOBLE, TRADE)
    events = act(state, ("cell", 1), "done")
    assert facts(events, "paid")[0]["receivers"] == (-1, -1, -3)


def test_g111_noble_pull_takes_two_without_stopping() -> None:
    state = table()
    state.krows = [2, 2, 0, 0]
    state.scrolls = [2, 3, 0, 0, 0, 0]
    perform(state, RED, NOBLE, PULL)
    act(state, ("color", RED))
    act(state, ("cell", 3))
    assert kind(state) == "SCROLL_PUT"  # green's marker had to follow
    events = act(state, ("cell", 4))
    assert vp(events, RED) == 3
    assert kind(state) == "WRIT_KEEP"


@pytest.mark.parametrize(("rosary", "points"), [((), 4), ((2, 4), 5), ((3, 5, 5), 6)])
def test_g112_noble_push(rosary: tuple[int, ...], points: int) -> None:
    state = table()
    state.rosary = rosary
    state.scrolls = [2, 3, 0, 0, 0, 0]
    perform(state, RED, NOBLE, PUSH)
    act(state, ("cell", 1))
    assert sum(state.rosary) == sum(rosary) + 5
    assert state.scores[RED] == points


def test_g112_noble_push_with_one_seal_below_five() -> None:
    state = table()
    state.scrolls = [2, 0, 0, 0, 0, 0]
    perform(state, RED, NOBLE, PUSH)
    assert (state.rosary, state.scores[RED]) == ((2,), 0)


def test_g113_monk_trade() -> None:
    state = table()
    state.rosary = (2, 3, 5)
    perform(state, RED, MONK, TRADE)
    assert (state.shillings[RED], state.purse) == (4, 1)
    act(state, ("opponent", GREEN), ("hide", LOW_IN_LEFT), ("fist", RIGHT))
    assert state.beads[RED] == (5,)
    assert list(state.rosary) == [2, 3]


@pytest.mark.parametrize(("rosary", "reward"), [((4, 5), True), ((3, 5), False)])
def test_g114_monk_pull(rosary: tuple[int, ...], reward: bool) -> None:
    state = table()
    state.rosary = rosary
    state.scrolls = [0, 0, 0, 2, 0, 3]
    perform(state, RED, MONK, PULL)
    assert offered(state) == [("cell", 4), ("cell", 6)]
    events = act(state, ("cell", 4))
    assert vp(events, RED) == (3 if reward else 0)


@pytest.mark.parametrize(("chickens", "points"), [((), 0), ((2,), 4), ((4,), 5), ((2, 5), 6)])
def test_g115_monk_push(chickens: tuple[int, ...], points: int) -> None:
    state = table()
    stars(state, MONK, RED, 1)
    state.rosary, state.chickens, state.coffer = (2,), chickens, 4
    pawn(state, GREEN, MONK, 3)
    perform(state, RED, MONK, PUSH)
    assert state.scores[RED] == points
    assert (state.shillings[RED], state.shillings[GREEN], state.coffer) == (9, 9, 0)
