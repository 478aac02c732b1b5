"""The worked examples X-01 to X-07 of the rules, row by row."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    A,
    B,
    C,
    D,
    act,
    asked,
    balance,
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
    CONQUER,
    FARM,
    FARMER,
    FEUDUM,
    KNIGHT,
    LEFT,
    LOW_IN_LEFT,
    MERCHANT,
    MIGRATE,
    MONK,
    NOBLE,
    OUTPOST,
    PULL,
    PUSH,
    RIGHT,
    SALTPETER,
    TOWN,
    TRADE,
    VP_RANK,
    WOOD,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.rounds import STEPS
from palio.games.feudum.settle import settle


def star(state: Feudum, guild: int, player: int) -> int:
    return state.stars[guild * state.n + player]


def test_x01_the_page_s_example() -> None:
    state = table(n=3)
    state.markers = [2, 7, 7]
    rule(state, RED, 11, FEUDUM, NOBLE)
    rule(state, RED, 12, TOWN)
    pawn(state, GREEN, NOBLE, 13)
    rule(state, GREEN, 13, TOWN)
    for _ in range(3):
        pawn(state, BLUE, MERCHANT, 11)
    give(state, RED, food=1)
    state.tracks[NOBLE] = (RED, GREEN)
    state.tracks[MERCHANT] = (BLUE,)
    ready(state, BLUE, go_on=True)
    assert (star(state, NOBLE, RED), star(state, NOBLE, GREEN)) == (4, 2)
    assert state.tracks[NOBLE] == (RED, GREEN)
    assert state.markers[RED] == 2

    act(state, ("action", CONQUER))  # the only target, and the attack needs no boost
    assert state.kind[11] == OUTPOST
    assert (star(state, NOBLE, RED), star(state, NOBLE, GREEN)) == (0, 2)
    assert state.tracks[NOBLE] == (GREEN,)
    assert state.markers[RED] == 4
    act(state, ("place", 0))

    assert state.active == RED
    act(state, ("action", MIGRATE), ("character", NOBLE))  # only location 12 is left to enter at
    assert (star(state, NOBLE, RED), star(state, NOBLE, GREEN)) == (2, 2)
    assert state.tracks[NOBLE] == (GREEN, RED)
    assert state.markers[RED] == 3

    state.round = 2
    state.take_events()
    STEPS["dawn"](state, ("dawn",))
    ranks = {e["player"]: e["amount"] for e in facts(state.take_events(), "vp") if e["reason"] == VP_RANK}
    assert (ranks[GREEN], ranks[RED]) == (5, 3)


# X-02 Passing and bumping: stars before, track before, changes, track after, waiting after, markers gained.


PASSING = {
    "d_enters_second": (4, {A: 3, B: 2, C: 1}, (A, B, C), {D: 3}, (A, D, B), (C,), {C: 1, D: -1}),
    "d_enters_first": (4, {A: 3, B: 2, C: 1}, (A, B, C), {D: 4}, (D, A, B), (C,), {C: 1, D: -1}),
    "tie_does_not_pass": (3, {A: 3, B: 2}, (A, B), {C: 2}, (A, B), (C,), {C: 0}),
    "waiting_passes": (3, {A: 3, B: 2, C: 2}, (A, B), {C: 3}, (A, C), (B,), {B: 1, C: -1}),
    "vacated": (3, {A: 3, B: 2, C: 2}, (A, B), {A: 0}, (B, C), (), {A: 1, C: -1}),
    "one_stable_sort": (4, {A: 3, B: 2, C: 1}, (A, B, C), {A: 1, B: 1, C: 2}, (C, A, B), (), {}),
}


@pytest.mark.parametrize("row", PASSING)
def test_x02_passing_and_bumping(row: str) -> None:
    n, before, track, changes, after, waiting, gained = PASSING[row]
    state = table(n)
    for player, count in before.items():
        stars(state, KNIGHT, player, count)
    state.tracks[KNIGHT] = track
    settle(state)
    assert state.tracks[KNIGHT] == track
    markers = state.markers[:]
    for player, count in changes.items():
        stars(state, KNIGHT, player, count)
    settle(state)
    assert state.tracks[KNIGHT] == after
    assert state.waiting[KNIGHT] == waiting
    assert [now - was for now, was in zip(state.markers, markers, strict=True)] == [
        gained.get(player, 0) for player in range(n)
    ]


def test_x03_no_marker() -> None:
    state = table(n=4)
    pawn(state, A, KNIGHT, 1)
    rule(state, A, 2, FARM)
    rule(state, B, 3, FARM)
    rule(state, B, 4, FARM)
    give(state, B, food=1)
    state.markers[B] = 0
    state.krows = [2, 2, 2, 2]
    ready(state, B)
    act(state, ("action", MIGRATE), ("character", KNIGHT), ("location", 3))
    assert state.tracks[KNIGHT] == (A,)
    assert state.waiting[KNIGHT] == (B,)
    assert state.markers[B] == 0

    asked(state, B, ("ACTION", B, 0))
    state.shillings = [7, 3, 7, 7]
    balance(state)
    bank, purse = state.bank, state.purse
    events = engage(state, "function", KNIGHT, TRADE)
    assert state.tracks[KNIGHT] == (B, A)
    assert state.waiting[KNIGHT] == ()
    assert state.markers[B] == 0 + 2 - 1
    assert facts(events, "paid")[0]["receivers"] == (A, -1, -3)
    assert (state.shillings[A], state.bank, state.purse) == (8, bank + 1, purse + 1)


@pytest.mark.parametrize(
    ("members", "buyer", "owns", "coins", "left"),
    [
        ((BLUE, PURPLE), PURPLE, 5, (BLUE, PURPLE, -2, BLUE, PURPLE), 2),
        ((BLUE,), RED, 7, (BLUE, -1, -2, BLUE, -1), 2),
        ((), RED, 7, (-1, -1, -2, -1, -1), 2),
        ((BLUE, PURPLE), PURPLE, 4, (BLUE, PURPLE), 4 - 2 + 1),
    ],
)
def test_x04_payment(members: tuple[int, ...], buyer: int, owns: int, coins: tuple[int, ...], left: int) -> None:
    state = table(n=5)
    for player, count in zip(members, (3, 2), strict=False):
        stars(state, MERCHANT, player, count)
    state.rows = five(saltpeter=3)
    state.shillings[buyer] = owns
    asked(state, buyer, ("MARKET_BUY", buyer, 0, 0, 0))  # with nothing else for sale the first one is bought at once
    events = state.take_events()
    if len(coins) == 5:
        events += act(state, ("good", SALTPETER))
    assert [e["price"] for e in facts(events, "bought")] == [2, 3][: len(coins) // 2]
    assert facts(events, "paid")[0]["receivers"] == coins
    assert state.shillings[buyer] == left


@pytest.mark.parametrize(
    ("purse", "members", "guest", "gains", "rest"),
    [
        (7, (A, B), -1, {A: 4, B: 3}, 0),
        (7, (A,), -1, {A: 4}, 3),
        (1, (A,), -1, {A: 1}, 0),
        (5, (A, B), C, {C: 3, B: 2}, 0),
        (5, (A, B), B, {B: 5}, 0),
    ],
)
def test_x05_purse_after_a_farmer_push(
    purse: int, members: tuple[int, ...], guest: int, gains: dict[int, int], rest: int
) -> None:
    state = table(n=4)
    for player, count in zip(members, (3, 2), strict=False):
        stars(state, FARMER, player, count)
    state.purse = purse
    state.barn = five(wood=2)
    performer = guest if guest >= 0 else A
    option: tuple[int | str, ...] = ("function", FARMER, PUSH)
    if guest >= 0:
        if guest not in members:
            pawn(state, guest, MONK, 1)
        state.barrel[guest] = 1
        option = ("feast", FARMER, PUSH, A)
    else:
        pawn(state, A, MONK, 1)
    ready(state, performer)
    before = state.shillings[:]
    engage(state, *option)
    if kind(state) == "REEVE":
        act(state, ("reeve", 0))
    assert [now - was for now, was in zip(state.shillings, before, strict=True)] == [gains.get(p, 0) for p in range(4)]
    assert state.purse == rest


@pytest.mark.parametrize(
    ("chickens", "row", "cart", "away"),
    [((), 2, 2, 5), ((4,), 4, 3, 2), ((5, 5), 4, 3, 2)],
)
def test_x06_farmer_trade_with_surplus(chickens: tuple[int, ...], row: int, cart: int, away: int) -> None:
    state = table(n=3)
    rule(state, RED, 5, FARM, wood=7)
    state.barn = five(wood=2, food=6)
    state.rows, state.stores = five(wood=2), five(wood=2)
    state.chickens = chickens
    asked(state, RED, ("FARM_TRADE", RED))
    assert sum(state.barn) == 10
    assert (state.rows[WOOD], state.stores[WOOD]) == (row, cart)
    events = state.take_events()
    assert facts(events, "spilled")[0]["to_haversack"] == tuple(five(wood=away))
    assert offered(state) == [("food", k) for k in range(4)]
    events += act(state, ("food", 1))
    assert facts(events, "payout")[0]["shillings"] == 2
    assert state.scores == [0, 0, 0]


@pytest.mark.parametrize(
    ("fist", "chickens", "rosary", "reward"),
    [(RIGHT, (2, 5), (2, 3, 5), True), (LEFT, (2, 2), (3, 5, 5), False)],
)
def test_x07_farmer_pull(fist: int, chickens: tuple[int, ...], rosary: tuple[int, ...], reward: bool) -> None:
    state = chicken_table((2, 3, 5, 5), (2,))
    act(state, ("opponent", GREEN), ("hide", LOW_IN_LEFT))
    events = act(state, ("fist", fist))
    assert (state.chickens, state.rosary) == (chickens, rosary)
    assert vp(events, RED) == (3 if reward else 0)
    assert (kind(state) == "WRIT_KEEP") is reward
    if reward:
        assert len(state.drawn) == 2
        kept, back = sorted(state.drawn)
        act(state, ("card", kept))
        assert state.hands[RED] == (kept,)
        assert state.deck[-1] == back


@pytest.mark.parametrize(("rosary", "total", "left"), [((4,), 6, ()), ((3, 3), 5, (3,))])
def test_x07_farmer_pull_without_questions(rosary: tuple[int, ...], total: int, left: tuple[int, ...]) -> None:
    state = chicken_table(rosary, (2,))
    assert sum(state.chickens) == total
    assert state.rosary == left
    assert vp(state.take_events(), RED) == 3
    assert kind(state) == "WRIT_KEEP"


def test_x07_farmer_pull_needs_an_empty_chicken() -> None:
    state = table(n=3)
    stars(state, FARMER, GREEN, 2)
    stars(state, FARMER, RED, 1)
    state.rosary, state.chickens = (2, 3), (2, 2, 3)
    assert ("function", FARMER, PULL) in functions(ready(state, RED), RED)
    state.chickens = (2, 2, 3, 3)
    assert ("function", FARMER, PULL) not in functions(ready(state, RED), RED)


def chicken_table(rosary: tuple[int, ...], chickens: tuple[int, ...]) -> Feudum:
    state = table(n=3)
    state.rosary, state.chickens = rosary, chickens
    return perform(state, RED, FARMER, PULL)
