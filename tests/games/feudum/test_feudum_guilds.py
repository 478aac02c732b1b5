"""What the guilds share, Farmers, Merchants and Alchemists: rules G-87 to G-106."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    act,
    facts,
    five,
    kind,
    offered,
    over,
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
    FARM,
    FARMER,
    FEUDUM,
    FLYING_MACHINE,
    FOOD,
    IRON,
    KNIGHT,
    LEFT,
    LOW_IN_LEFT,
    MERCHANT,
    MONK,
    NOBLE,
    PULL,
    PUSH,
    PUSH_VP,
    ROWS,
    SAILING_SHIP,
    SALTPETER,
    SUBMARINE,
    SULFUR,
    TRADE,
    VP_FEAST,
    VP_PULL,
    VP_PUSH,
    WOOD,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.guilds.common import BARN_TO_ROWS, movable, pull_reward, push_reward


def names(events: list[object]) -> list[str]:
    return [str(event.fact[0]) for event in events]  # type: ignore[attr-defined]


def test_g87_order_inside_a_push() -> None:
    state = table()
    stars(state, FARMER, RED, 1)
    state.rows, state.barn, state.purse = five(iron=3), five(iron=1), 4
    perform(state, RED, FARMER, PUSH, reeves=True)
    events = act(state, ("reeve", 1))
    order = [name for name in names(list(events)) if name in {"reeve", "transferred", "vp", "shared"}]
    assert order == ["reeve", "vp", "transferred", "vp", "shared"]
    assert [e["reason"] for e in facts(events, "vp")] != [VP_PUSH]


def test_g87_order_inside_a_pull_by_a_feast() -> None:
    state = table()
    stars(state, MERCHANT, GREEN, 2)
    stars(state, MERCHANT, BLUE, 1)
    state.rows, state.barn = five(iron=3), five(iron=1)
    perform(state, RED, MERCHANT, PULL, host=BLUE)
    events = state.take_events()
    order = [name for name in names(list(events)) if name in {"transferred", "vp", "writs_drawn"}]
    assert order == ["transferred", "vp", "vp", "writs_drawn"]
    assert [e["reason"] for e in facts(events, "vp")] == [VP_PULL, VP_FEAST]


@pytest.mark.parametrize("earned", [True, False])
def test_g88_pull_reward(earned: bool) -> None:
    state = ready(table())
    state.doing = (MERCHANT, PULL, -1)
    pull_reward(state, RED, earned)
    events = state.take_events()
    assert vp(events, RED) == (3 if earned else 0)
    assert [e["count"] for e in facts(events, "writs_drawn")] == ([2] if earned else [])


@pytest.mark.parametrize(("units", "points"), [(0, 0), (1, 4), (2, 5), (3, 6), (4, 6), (5, 6)])
def test_g89_push_reward(units: int, points: int) -> None:
    state = ready(table())
    state.doing = (MERCHANT, PUSH, -1)
    push_reward(state, RED, units)
    assert vp(state.take_events(), RED) == points
    assert PUSH_VP == (0, 4, 5, 6)


def farmer_push(rows: list[int], barn: list[int]) -> Feudum:
    state = table()
    state.rows, state.barn = rows, barn
    return perform(state, RED, FARMER, PUSH)


@pytest.mark.parametrize(("axis", "points"), [(ROWS, 6), (COLUMNS, 4)])
def test_g90_rows_or_columns_never_both(axis: int, points: int) -> None:
    state = farmer_push([3] * 5, [1] * 5)
    state.take_events()
    assert offered(state) == [("axis", ROWS), ("axis", COLUMNS)]
    assert vp(act(state, ("axis", axis)), RED) == points


def test_g90_a_single_kind_scores_without_a_question() -> None:
    state = farmer_push([3, 3, 3, 3, 2], [0, 0, 1, 0, 0])
    (scored,) = facts(state.take_events(), "scored")
    assert (scored["axis"], scored["vp"]) == (ROWS, 4)
    state = farmer_push([3, 3, 3, 3, 2], [0, 0, 0, 0, 1])
    (scored,) = facts(state.take_events(), "scored")
    assert (scored["axis"], scored["columns"], scored["vp"]) == (COLUMNS, 1, 4)


def test_g91_as_many_goods_as_possible_chosen_among_those_with_room() -> None:
    state = farmer_push([4, 1, 0, 0, 0], [3, 0, 4, 3, 0])
    assert movable(state, BARN_TO_ROWS) == 7
    assert offered(state) == [("good", IRON), ("good", WOOD)]
    act(state, ("good", IRON), ("good", IRON), ("good", IRON), ("good", IRON))
    assert over(state)  # the fifth could only be wood
    assert state.rows == [4, 1, 4, 1, 0]


def test_g91_all_move_without_a_question_when_the_limit_is_not_reached() -> None:
    state = farmer_push([4, 1, 2, 0, 0], [3, 0, 4, 3, 0])
    assert over(state)
    assert state.rows == [4, 1, 4, 3, 0]
    assert all(e["forced"] for e in facts(state.take_events(), "transferred"))


def fists(rosary: tuple[int, ...], n: int = 3) -> Feudum:
    state = table(n)
    state.rosary = rosary
    return perform(state, RED, MONK, TRADE)


def test_g92_lowest_and_highest_bead_are_hidden_by_an_opponent() -> None:
    state = fists((2, 3, 4, 5))
    assert offered(state) == [("opponent", GREEN), ("opponent", BLUE)]
    act(state, ("opponent", BLUE))
    assert state.decision().seat == BLUE  # type: ignore[union-attr]
    act(state, ("hide", LOW_IN_LEFT))
    assert state.decision().seat == RED  # type: ignore[union-attr]
    act(state, ("fist", LEFT))
    assert state.beads[RED] == (2,)
    assert state.rosary == (3, 4, 5)


@pytest.mark.parametrize("rosary", [(4,), (3, 3), (5, 5, 5)])
def test_g92_nobody_is_asked_for_one_bead_or_equal_ones(rosary: tuple[int, ...]) -> None:
    state = fists(rosary)
    assert over(state)
    assert state.beads[RED] == rosary[:1]
    assert state.rosary == rosary[1:]


def test_g92_with_two_players_the_opponent_is_not_asked_for() -> None:
    assert kind(fists((2, 5), n=2)) == "HIDE"


def plenty() -> Feudum:
    """Red holds all ranks that he can; every function of G-93 is possible."""
    state = table(3)
    state.markers[RED] = 5
    rule(state, RED, 3, FARM, wood=1)
    for guild in range(6):
        state.tracks[guild] = (RED,)
        rule(state, RED, 10 + guild, FEUDUM, guild)
    state.rosary, state.chickens = (2, 3), (2,)
    state.barn, state.rows = five(iron=1), five(food=1)
    state.stores = five(food=1, wood=2)
    state.sale = [1, 0, 0]
    state.krows = [1, 0, 0, 0]
    state.scrolls = [3, 0, 0, 0, 0, 0]
    return ready(state)


CONDITIONS: dict[tuple[int, int], dict[str, object]] = {
    (FARMER, TRADE): {"stock": [0] * 115},
    (FARMER, PUSH): {"barn": [0] * 5},
    (MERCHANT, TRADE): {"rows": [0] * 5},
    (MERCHANT, PUSH): {"rows": [0] * 5},
    (ALCHEMIST, TRADE): {"sale": [0] * 3},
    (ALCHEMIST, PUSH): {"stores": [3, 0, 0, 0, 3]},
    (KNIGHT, TRADE): {"krows": [0] * 4},
    (KNIGHT, PUSH): {"scrolls": [3] * 6},
    (NOBLE, TRADE): {"scrolls": [0] * 6},
    (NOBLE, PUSH): {"rosary": (2,) * 7},
    (MONK, TRADE): {"rosary": ()},
    (MONK, PUSH): {"chickens": (2, 2, 3, 3)},
}


@pytest.mark.parametrize("function", CONDITIONS)
def test_g93_conditions_of_trade_and_push(function: tuple[int, int]) -> None:
    state = plenty()
    assert ("function", *function) in functions(state, RED)
    for name, value in CONDITIONS[function].items():
        setattr(state, name, value)
    assert ("function", *function) not in functions(state, RED)


@pytest.mark.parametrize("guild", [ALCHEMIST, KNIGHT, NOBLE, MONK])
def test_g93_trades_for_three_shillings(guild: int) -> None:
    state = plenty()
    state.shillings[RED] = 3
    assert ("function", guild, TRADE) in functions(state, RED)
    state.shillings[RED] = 2
    assert ("function", guild, TRADE) not in functions(state, RED)


@pytest.mark.parametrize("guild", range(6))
def test_g93_a_pull_needs_what_the_left_neighbour_s_push_needs(guild: int) -> None:
    state = plenty()
    state.tracks[guild] = (GREEN, RED)
    assert ("function", guild, PULL) in functions(state, RED)
    left = (guild - 1) % 6
    for name, value in CONDITIONS[left, PUSH].items():
        setattr(state, name, value)
    assert ("function", guild, PULL) not in functions(state, RED)


@pytest.mark.parametrize(("goods", "units"), [(1, 0), (2, 1), (7, 3), (10, 5)])
def test_g94_farmer_trade_pays_half(goods: int, units: int) -> None:
    state = table()
    rule(state, RED, 3, FARM, wood=goods)
    perform(state, RED, FARMER, TRADE)
    assert state.stock_at(3) == five()
    if units:
        assert offered(state) == [("food", k) for k in range(units + 1)]
        act(state, ("food", 1))
        assert (state.goods[FOOD], state.shillings[RED]) == (1, 7 + units - 1)
    assert over(state)


def test_g94_units_that_no_source_covers_are_lost() -> None:
    state = table()
    rule(state, RED, 3, FARM, wood=10)
    rule(state, RED, 4, FARM, food=2)
    ready(state)
    state.haversack[FOOD], state.goods[9] = 2, state.haversack[FOOD] - 2  # green took the food
    state.shillings[GREEN], state.bank = state.shillings[GREEN] + state.bank - 1, 1
    state.stack[:] = [state.stack[0], ("function_over",), ("FARM_TRADE", RED)]
    state.offered = [("location", 3), ("location", 4)]
    act(state, ("location", 3))
    assert over(state)  # three units are covered, and only in one way
    assert (state.goods[FOOD], state.shillings[RED]) == (2, 8)


def test_g95_storing_fills_the_barn_in_random_order() -> None:
    from tests.support.feudum import SEED

    from palio.engine.chance import Stream

    state = table()
    rule(state, RED, 3, FARM, iron=3, wood=3)
    state.barn = five(food=6)
    perform(state, RED, FARMER, TRADE)
    order = [IRON] * 3 + [WOOD] * 3
    Stream(SEED, "feudum/spill").shuffle(order)
    assert state.barn == five(food=6, iron=order[:4].count(IRON), wood=order[:4].count(WOOD))


def test_g96_surplus_without_beads_goes_to_the_haversack() -> None:
    state = table()
    rule(state, RED, 3, FARM, iron=3)
    state.barn = five(food=9)
    perform(state, RED, FARMER, TRADE)
    (spilled,) = facts(state.take_events(), "spilled")
    assert spilled["to_haversack"] == tuple(five(iron=2))


def test_g96_surplus_spills_by_the_beads_and_completes_nothing() -> None:
    state = table()
    rule(state, RED, 3, FARM, iron=6)
    state.barn, state.rows, state.stores, state.chickens = five(food=10), five(iron=3), five(iron=2), (2, 2)
    perform(state, RED, FARMER, TRADE)
    events = state.take_events()
    (spilled,) = facts(events, "spilled")
    assert spilled["to_rows"] == spilled["to_stores"] == tuple(five(iron=1))
    assert spilled["to_haversack"] == tuple(five(iron=4))
    assert not facts(events, "vp")
    assert state.chickens == (2, 2)


@pytest.mark.parametrize(("chickens", "reward"), [((2,), False), ((3,), True), ((), False)])
def test_g97_farmer_pull(chickens: tuple[int, ...], reward: bool) -> None:
    state = table()
    state.rosary, state.chickens = (2,), chickens
    perform(state, RED, FARMER, PULL)
    assert state.chickens == (*chickens, 2)
    assert vp(state.take_events(), RED) == (3 if reward else 0)
    assert (kind(state) == "WRIT_KEEP") is reward


def test_g98_farmer_push() -> None:
    state = table()
    stars(state, FARMER, RED, 1)
    state.rows, state.barn, state.purse = five(iron=1), five(iron=3, wood=3), 5
    perform(state, RED, FARMER, PUSH)
    assert kind(state) == "TRANSFER_GOOD"  # five of six
    for _ in range(5):
        if kind(state) == "TRANSFER_GOOD":
            act(state, ("good", IRON) if ("good", IRON) in state.offered else ("good", WOOD))
    assert state.rows == five(iron=4, wood=2)
    assert (state.shillings[RED], state.purse) == (7 + 3, 2)


def test_g99_market() -> None:
    state = table()
    state.rows = five(saltpeter=4, iron=1)
    state.shillings[RED] = 6
    perform(state, RED, MERCHANT, TRADE)
    assert offered(state) == [("good", SALTPETER), ("good", IRON)]
    act(state, ("good", SALTPETER))
    assert offered(state) == [("good", SALTPETER), ("good", IRON), ("done",)]
    act(state, ("good", SALTPETER))  # 2 + 2, the next one costs 3
    assert over(state)
    assert (state.shillings[RED], state.goods[SALTPETER], state.rows[SALTPETER]) == (2, 2, 2)


def test_g99_three_goods_at_most_and_sulfur_is_stored_after_payment() -> None:
    state = table()
    state.rows = five(sulfur=4, iron=4)
    state.shillings[RED] = 30
    perform(state, RED, MERCHANT, TRADE)
    events = act(state, ("good", SULFUR), ("good", IRON), ("good", SULFUR))
    assert names(list(events))[-1] == "paid"
    assert offered(state) == [("barrel", 0), ("barrel", 1), ("barrel", 2)]


@pytest.mark.parametrize(("rows", "reward"), [(five(iron=3), True), ([1, 1, 0, 1, 1], True), (five(iron=1), False)])
def test_g100_merchant_pull(rows: list[int], reward: bool) -> None:
    state = table()
    state.rows, state.barn = rows[:], five(iron=1)
    perform(state, RED, MERCHANT, PULL)
    assert vp(state.take_events(), RED) == (3 if reward else 0)
    assert state.rows[IRON] == rows[IRON] + 1


def test_g100_merchant_pull_moves_up_to_three() -> None:
    state = table()
    state.barn = five(iron=2, wood=2)
    perform(state, RED, MERCHANT, PULL)
    act(state, ("good", IRON), ("good", IRON))
    assert (state.rows, over(state)) == (five(iron=2, wood=1), True)


def test_g101_merchant_push() -> None:
    state = table()
    state.rows, state.stores = five(iron=4, wood=4), five(iron=1, wood=2)
    perform(state, RED, MERCHANT, PUSH)  # three can go, four may
    events = state.take_events()
    assert facts(events, "scored")[0]["units"] == 2
    assert vp(events, RED) == 5
    assert (state.rows, state.stores) == (five(iron=2, wood=3), five(iron=3, wood=3))


def test_g102_alchemist_trade() -> None:
    state = table()
    state.sale = [1, 0, 1]
    perform(state, RED, ALCHEMIST, TRADE)
    assert offered(state) == [("vessel", SAILING_SHIP), ("vessel", FLYING_MACHINE)]
    act(state, ("vessel", FLYING_MACHINE))
    assert (state.vessels[2], state.sale, state.shillings[RED]) == (1, [1, 0, 0], 4)


@pytest.mark.parametrize(("there", "reward"), [(2, True), (0, False)])
def test_g103_alchemist_pull(there: int, reward: bool) -> None:
    state = table()
    state.rows, state.stores = five(iron=4), five(iron=there)
    perform(state, RED, ALCHEMIST, PULL)
    assert state.stores[IRON] == min(3, there + 2)
    assert vp(state.take_events(), RED) == (3 if reward else 0)


def test_g104_inventions_and_their_costs() -> None:
    state = table()
    state.stores = five(food=3, wood=3, iron=3)
    perform(state, RED, ALCHEMIST, PUSH)
    assert offered(state) == [("invention", v) for v in (SAILING_SHIP, SUBMARINE, FLYING_MACHINE)]
    act(state, ("invention", FLYING_MACHINE))
    assert state.stores == five(food=2, wood=2, iron=2)
    act(state, ("invention", SUBMARINE))
    assert state.stores == five(food=1, wood=2, iron=0)
    assert offered(state) == [("invention", SAILING_SHIP), ("done",)]
    events = act(state, ("invention", SAILING_SHIP))
    assert state.stores == five()
    assert vp(events, RED) == 6
    assert state.haversack[FOOD] == 50


def test_g104_stopping_after_the_first() -> None:
    state = table()
    state.stores = five(food=3, wood=3, iron=3)
    perform(state, RED, ALCHEMIST, PUSH)
    assert vp(act(state, ("invention", SUBMARINE), "done"), RED) == 4


def test_g105_an_invented_vessel_is_put_up_for_sale() -> None:
    state = table()
    state.stores = five(food=1, wood=2)
    state.vessels[0] = 2
    perform(state, RED, ALCHEMIST, PUSH)
    assert (state.sale, state.docks) == ([1, 0, 0], [0, 3, 3])
    state.stores = five(food=1, wood=2)
    from palio.games.feudum.guilds.alchemist import inventions

    assert inventions(state, 0) == []  # the supply has no sailing ship left


def test_g106_krud() -> None:
    state = table(2)
    state.krows = [0, 1, 3, 6]
    state.stores = five(saltpeter=2, sulfur=1)
    ready(state)
    state.reserve[2], state.krows[2] = 1, 3  # dummy blue has one marker left in the supply
    from palio.games.feudum.guilds.alchemist import krud_markers

    assert krud_markers(state) == [1, 2, 1, 0]
    state.krows = [6] * 4
    assert not any(krud_markers(state))
