"""The worked examples X-01 to X-15 of the rules, row by row."""

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
    ROWS,
    SALTPETER,
    SULFUR,
    TOWN,
    TRADE,
    VP_CHARTERS,
    VP_DISLOYALTY,
    VP_EMPIRE,
    VP_PUSH,
    VP_RANK,
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
