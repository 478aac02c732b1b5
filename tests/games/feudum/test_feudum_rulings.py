"""The rulings on open points, R-01 to R-37, as far as a test can show them."""

from __future__ import annotations

from dataclasses import fields

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    YELLOW,
    act,
    facts,
    five,
    give,
    kind,
    offered,
    over,
    pawn,
    perform,
    ready,
    rule,
    stars,
    step,
    table,
    vp,
)

from palio.games.feudum import data
from palio.games.feudum.actions.conquer import targets
from palio.games.feudum.actions.guild import functions
from palio.games.feudum.data import (
    COLUMNS,
    FARM,
    FARMER,
    FEED_NONE,
    FEUDUM,
    FOOD,
    HARVEST,
    KICKBACK,
    KNIGHT,
    MERCHANT,
    MONK,
    MOVE,
    NOBLE,
    OUTPOST,
    PULL,
    PUSH,
    ROWS,
    SALTPETER,
    SULFUR,
    TAX,
    TOWN,
    TRADE,
    VP_REEVE,
    VP_REGIONS,
    VP_VESSELS,
)
from palio.games.feudum.guilds.merchant import price
from palio.games.feudum.options import SHAPES
from palio.games.feudum.scoring import final_scoring, sets, voyage_vp
from palio.games.feudum.settle import settle
from palio.games.feudum.view import View


def test_r01_equal_stars_at_once_go_by_the_order_of_settlement() -> None:
    state = table(4)
    state.active = YELLOW
    for player in range(4):
        pawn(state, player, MONK, 1)
    settle(state)
    assert state.tracks[MONK] == (YELLOW, RED, GREEN)


def test_r02_a_vacated_space_is_filled_from_the_left_or_ahead_of_fewer_stars() -> None:
    state = table(4)
    state.tracks[MONK] = (RED, GREEN, BLUE)
    state.markers[YELLOW] = 0
    for player, count in ((RED, 4), (GREEN, 3), (BLUE, 1), (YELLOW, 2)):
        stars(state, MONK, player, count)
    settle(state)
    assert state.waiting[MONK] == (YELLOW,)  # without a marker
    stars(state, MONK, RED, 0)
    state.markers[YELLOW] = 1
    settle(state)
    assert state.tracks[MONK] == (GREEN, YELLOW, BLUE)


def test_r03_losses_first_then_one_stable_sort_and_no_reeve_returns_on_the_way() -> None:
    state = table(4)
    for player, count in ((RED, 4), (GREEN, 3), (BLUE, 2)):
        stars(state, MONK, player, count)
    state.right[MONK], state.left[MONK] = RED, GREEN
    ready(state)
    stars(state, MONK, RED, 2)
    stars(state, MONK, GREEN, 1)
    stars(state, MONK, BLUE, 1)
    settle(state)
    assert state.tracks[MONK] == (RED, GREEN, BLUE)
    assert (state.right[MONK], state.left[MONK]) == (RED, GREEN)


def test_r04_one_marker_several_guilds_ring_order() -> None:
    state = table()
    state.markers[RED] = 1
    for guild in (MONK, KNIGHT, FARMER):
        pawn(state, RED, guild, 1)
    settle(state)
    assert [g for g in range(6) if state.tracks[g]] == [FARMER]


def test_r05_with_three_players_a_third_waits_and_keeps_his_marker() -> None:
    state = table(3)
    for player in range(3):
        pawn(state, player, MONK, 1)
    settle(state)
    assert (state.waiting[MONK], state.markers[BLUE]) == ((BLUE,), 7)


def test_r06_a_bumped_player_goes_to_the_end_of_the_waiting_list() -> None:
    state = table(3)
    for player in range(3):
        pawn(state, player, MONK, 1)
    settle(state)
    assert state.waiting[MONK] == (BLUE,)
    pawn(state, BLUE, MONK, 1)
    settle(state)
    assert (state.tracks[MONK], state.waiting[MONK]) == ((BLUE, RED), (GREEN,))
    pawn(state, GREEN, MONK, 1)
    settle(state)
    assert (state.tracks[MONK], state.waiting[MONK]) == ((BLUE, GREEN), (RED,))


def test_r07_a_third_reeve_is_allowed_and_adds_no_more_points() -> None:
    state = table()
    for guild in (MERCHANT, MONK, KNIGHT):
        pawn(state, RED, guild, 2)
    state.right[MONK] = state.right[KNIGHT] = RED
    state.rows = five(wood=1)
    perform(state, RED, MERCHANT, PUSH, reeves=True)
    events = act(state, ("reeve", 1))
    assert [e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REEVE] == [2]
    assert state.pool[RED] == 0


def test_r08_the_reeve_bonus_does_not_depend_on_success() -> None:
    state = table()
    pawn(state, RED, MERCHANT, 2)
    state.rows = five(wood=1)
    perform(state, RED, MERCHANT, PUSH, reeves=True)
    assert vp(act(state, ("reeve", 1)), RED) == 1


@pytest.mark.parametrize(("purse", "rest"), [(7, 3), (6, 3), (1, 0)])
def test_r09_without_a_journeyman_his_exact_share_stays(purse: int, rest: int) -> None:
    state = table()
    stars(state, FARMER, RED, 1)
    state.purse, state.barn = purse, five(wood=1)
    perform(state, RED, FARMER, PUSH)
    assert state.purse == rest


def test_r10_odd_goods_round_down_and_a_mixed_payout_is_allowed() -> None:
    state = table()
    rule(state, RED, 3, FARM, wood=5)
    perform(state, RED, FARMER, TRADE)
    assert offered(state) == [("food", 0), ("food", 1), ("food", 2)]
    state = table()
    rule(state, RED, 3, FARM, wood=1)
    perform(state, RED, FARMER, TRADE)
    assert over(state)
    assert facts(state.take_events(), "payout")[0]["food"] == 0


def test_r11_food_that_went_back_to_the_haversack_can_be_taken() -> None:
    state = table()
    rule(state, RED, 3, FARM, food=4)
    state.barn = five(wood=10)
    ready(state)
    state.haversack[FOOD], state.goods[5 + FOOD] = 0, 46  # green has all other food
    state.stack[:] = [state.stack[0], ("function_over",), ("FARM_TRADE", RED)]
    state.offered = [("location", 3)]
    state.doing = (FARMER, TRADE, -1)
    act(state, ("location", 3))
    assert offered(state) == [("food", 0), ("food", 1), ("food", 2)]


def test_r12_which_goods_are_surplus_is_chance() -> None:
    barns = set()
    for seed in range(8):
        state = table()
        state.seed = bytes([seed] * 32)
        rule(state, RED, 3, FARM, iron=3, wood=3)
        state.barn = five(food=7)
        perform(state, RED, FARMER, TRADE)
        barns.add(tuple(state.barn))
    assert len(barns) > 1


def test_r13_merchant_then_alchemist_good_by_good_and_beads_stay() -> None:
    state = table()
    rule(state, RED, 3, FARM, wood=2)
    state.barn, state.rows, state.chickens = five(food=10), five(wood=3), (5,)
    perform(state, RED, FARMER, TRADE)
    assert (state.rows, state.stores) == (five(wood=4), five(wood=1))
    assert state.chickens == (5,)
    assert state.scores == [0, 0, 0]


@pytest.mark.parametrize(("rosary", "possible"), [((), False), ((3,), True)])
def test_r14_one_bead_is_taken_without_fists_and_none_is_not_offered(rosary: tuple[int, ...], possible: bool) -> None:
    state = table()
    state.rosary = rosary
    ready(state)
    assert (("function", MONK, TRADE) in functions(state, RED)) is possible


def test_r15_full_chickens_are_emptied_at_a_dawn() -> None:
    state = table()
    pawn(state, RED, MONK, 1)
    state.rosary, state.chickens = (2,), (2, 2, 3, 3)
    ready(state, round_no=2)
    assert ("function", MONK, PUSH) not in functions(state, RED)
    step(state, "dawn")
    assert ("function", MONK, PUSH) in functions(state, RED)


def test_r16_any_opponent_hides_the_beads_also_the_host() -> None:
    state = table()
    stars(state, MONK, GREEN, 1)
    state.rosary = (2, 5)
    perform(state, RED, MONK, PUSH, host=GREEN)
    assert offered(state) == [("opponent", GREEN), ("opponent", BLUE)]


def test_r17_as_many_goods_as_possible_must_move() -> None:
    state = table()
    state.barn = five(wood=4, iron=4)
    perform(state, RED, MERCHANT, PULL)
    for left in (3, 2, 1):
        assert kind(state) == "TRANSFER_GOOD", left
        act(state, state.offered[-1])
    assert sum(state.rows) == 3


def test_r18_the_buyer_pays_the_lowest_price_still_visible() -> None:
    state = table()
    state.rows = five(saltpeter=4)
    prices = []
    while state.rows[SALTPETER]:
        prices.append(price(state, SALTPETER))
        state.rows[SALTPETER] -= 1
    assert prices == [2, 2, 3, 4]


def test_r19_rows_or_columns_exclude_each_other_and_none_is_legal() -> None:
    state = table()
    state.rows, state.barn = [3, 4, 4, 4, 4], five(saltpeter=1)
    perform(state, RED, FARMER, PUSH)
    assert offered(state) == [("axis", ROWS), ("axis", COLUMNS)]
    assert vp(act(state, ("axis", ROWS)), RED) == 4
    state.rows, state.barn = five(), five(wood=1)
    perform(state, RED, FARMER, PUSH)
    assert facts(state.take_events(), "scored")[0]["vp"] == 0


def test_r20_subject_before_a_serf_and_the_overthrown_serf_marker_is_the_subject() -> None:
    from palio.games.feudum.actions.land import place_marker

    state = table()
    state.ruler[4] = RED
    assert place_marker(state, RED, 4) == data.SUBJECT
    state = table()
    state.ruler[4], state.serf[4] = GREEN, RED
    assert place_marker(state, RED, 4) == data.OVERTHROW
    assert state.subject[4] == 1


def test_r21_only_winnable_attacks_and_a_knight_with_wine_lifts_no_limit() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 4, wine=True)
    pawn(state, RED, MONK, 4)
    pawn(state, GREEN, MONK, 4)
    give(state, RED, saltpeter=5)
    ready(state)
    assert targets(state, RED) == []  # one sober pawn and one saltpeter against two
    state.pawn_wine[0] = 0
    assert targets(state, RED) == [("target", 4, GREEN, 0)]
    pawn(state, GREEN, MONK, 4)
    assert len(targets(state, RED)) == 2  # both defend, either can be beaten with enough saltpeter


@pytest.mark.parametrize(
    ("krows", "scrolls", "put"),
    [([2, 0, 0, 0], [0] * 6, 1), ([2, 2, 0, 0], [2, 2, 2, 3, 3, 0], 1), ([2, 2, 0, 0], [0] * 6, 2)],
)
def test_r22_noble_pull_moves_one_if_two_are_impossible(krows: list[int], scrolls: list[int], put: int) -> None:
    state = table()
    state.krows, state.scrolls = krows[:], scrolls[:]
    perform(state, RED, NOBLE, PULL)
    while kind(state) in ("MARKER_COLOR", "SCROLL_PUT"):
        act(state, state.offered[0])
    assert sum(state.krows) == sum(krows) - put
    assert state.scrolls.count(0) == scrolls.count(0) - put


def test_r23_a_kickback_turns_over_all_beads() -> None:
    state = table()
    rule(state, RED, 1, FARM)
    state.beads[RED] = (2, 2, 3)
    ready(state)
    act(state, ("action", HARVEST), ("harvest", KICKBACK))
    assert (state.beads[RED], len(state.seals[RED])) == ((), 3)


def test_r24_three_points_for_each_set() -> None:
    assert sets((6, 3, 0), 0) == 3


def test_r25_no_pawn_starves_by_choice() -> None:
    state = table(2)
    pawn(state, RED, KNIGHT, 1)
    give(state, RED, food=1)
    state.barrel[RED] = 1
    ready(state)
    state.stack[:] = [state.stack[0], ("nourish", RED, 0)]
    from palio.games.feudum import machine

    machine.run(state)
    assert ("feed", 0, FEED_NONE) not in state.offered
    assert len(state.offered) == 2


def test_r26_active_regions_are_one_sum() -> None:
    state = table()
    for at in (1, 4, 8):
        rule(state, RED, at, OUTPOST)
    ready(state, round_no=2)
    events = step(state, "dawn")
    assert [e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REGIONS] == [5]


def test_r27_every_player_covers_the_military_spaces_for_himself() -> None:
    state = table()
    state.military, state.successes = [2, 1, 0], [2, 1, 0]
    ready(state)
    assert state.pool == [1, 2, 3]


def test_r28_level_discs_all_score_the_higher_value() -> None:
    assert voyage_vp([2, 2, 1]) == [5, 5, 3]


def test_r29_fewer_shillings_if_the_supply_is_short() -> None:
    state = table()
    for at in (1, 2, 3):
        rule(state, RED, at, TOWN)
    state.shillings = [7, 69, 0]
    ready(state)
    events = act(state, ("action", TAX))
    assert facts(events, "taxed")[0]["shillings"] == 2


def test_r30_sulfur_and_saltpeter_serve_as_the_ruling_says() -> None:
    assert data.KRUD_COSTS[0][SALTPETER] == 2
    assert data.KRUD_COSTS[0][SULFUR] == 1
    assert not {"landscape", "shortcut"} & set(SHAPES)


def test_r31_a_pawn_moves_once_in_a_move() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    pawn(state, RED, KNIGHT, 2)
    ready(state)
    act(state, ("action", MOVE), ("pawn", 0), ("location", 9))
    assert ("pawn", 0) not in state.offered


def test_r32_forced_events_are_public_and_options_stay_private() -> None:
    assert "offered" not in {field.name for field in fields(View)}


def test_r33_values_of_seals_are_unknown_even_if_they_were_seen_as_beads() -> None:
    state = table()
    rule(state, RED, 1, FARM)
    state.beads[RED] = (5,)
    ready(state)
    act(state, ("action", HARVEST), ("harvest", KICKBACK))
    view = state.view(RED)
    assert (view.seal_counts[RED], view.beads[RED]) == (1, ())


def test_r34_vessels_score_two_each() -> None:
    state = table()
    state.vessels[3:6] = [1, 1, 0]
    final_scoring(ready(state))
    assert state.earned[16 + VP_VESSELS] == 4


def test_r35_mix_of_locations() -> None:
    from tests.support.feudum import fresh

    kinds = fresh(3).kind[1:]
    assert [kinds.count(k) for k in (OUTPOST, FARM, TOWN, FEUDUM)] == [8, 8, 6, 0]


def test_r36_bead_values() -> None:
    assert [data.DISC_VALUES.count(value) for value in (2, 3, 4, 5)] == [5, 4, 4, 4]


def test_r37_shortages_of_the_refill_fall_on_the_later_items() -> None:
    from palio.games.feudum.rounds import refill

    state = ready(table())
    state.haversack = five(saltpeter=4)
    refill(state)
    assert (state.rows, state.stores, state.barn) == (five(saltpeter=3), five(saltpeter=1), five())
