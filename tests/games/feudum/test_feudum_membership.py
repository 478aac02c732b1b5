"""Stars, tracks, settlement, payments, purses and reeves: rules G-40 to G-61."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    YELLOW,
    act,
    balance,
    engage,
    facts,
    five,
    kind,
    pawn,
    perform,
    ready,
    rule,
    stars,
    step,
    table,
)

from palio.games.feudum.actions.guild import functions
from palio.games.feudum.data import (
    ALCHEMIST,
    COFFER,
    FARM,
    FARMER,
    FEUDUM,
    KNIGHT,
    MERCHANT,
    MONK,
    NOBLE,
    OUTPOST,
    PULL,
    PURSE,
    PUSH,
    TOWN,
    TRADE,
    VP_RANK,
    VP_REEVE,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.guilds.common import pay
from palio.games.feudum.settle import count_stars, settle


def star(state: Feudum, guild: int, player: int) -> int:
    return count_stars(state)[guild * state.n + player]


@pytest.mark.parametrize(
    ("guild", "related"),
    [(FARMER, FARM), (MERCHANT, TOWN), (ALCHEMIST, OUTPOST), (KNIGHT, FARM), (NOBLE, TOWN), (MONK, OUTPOST)],
)
def test_g40_stars(guild: int, related: int) -> None:
    state = table()
    pawn(state, RED, guild, 1)
    pawn(state, RED, guild, 2)
    assert star(state, guild, RED) == 2
    rule(state, RED, 3, FEUDUM, guild)
    assert star(state, guild, RED) == 2 + 3
    rule(state, RED, 4, related)
    rule(state, RED, 5, related)
    rule(state, RED, 6, {FARM: TOWN, TOWN: OUTPOST, OUTPOST: FARM}[related])
    assert star(state, guild, RED) == 2 + 3 + 2
    # subjects, serfs and the state of a pawn do not matter
    rule(state, GREEN, 7, related, serf=RED)
    state.subject[4] = 1
    state.pawn_wine[0] = 1
    assert star(state, guild, RED) == 7
    assert star(state, guild, GREEN) == 0


def test_g41_secondary_stars_need_a_primary_one() -> None:
    state = table()
    rule(state, RED, 1, TOWN)
    rule(state, RED, 2, TOWN)
    assert star(state, NOBLE, RED) == 0
    number = pawn(state, RED, NOBLE, 9)
    assert star(state, NOBLE, RED) == 3
    state.pawn_at[number], state.pawn_char[number] = 0, -1
    assert star(state, NOBLE, RED) == 0
    rule(state, RED, 3, FEUDUM, NOBLE)
    assert star(state, NOBLE, RED) == 5


@pytest.mark.parametrize(("n", "spaces"), [(2, 2), (3, 2), (4, 3), (5, 3)])
def test_g42_spaces_of_a_track(n: int, spaces: int) -> None:
    state = table(n)
    for player in range(n):
        pawn(state, player, MONK, 1)
    settle(state)
    assert state.tracks[MONK] == tuple(range(spaces))
    assert state.waiting[MONK] == tuple(range(spaces, n))


def test_g42_everybody_behind_moves_right_when_a_space_is_vacated() -> None:
    state = table(4)
    for player, count in ((RED, 3), (GREEN, 2), (BLUE, 1)):
        stars(state, MONK, player, count)
    settle(state)
    stars(state, MONK, RED, 0)
    settle(state)
    assert state.tracks[MONK] == (GREEN, BLUE)


def test_g43_a_marker_goes_on_the_track_at_once_or_its_owner_waits() -> None:
    state = table()
    state.markers[GREEN] = 0
    pawn(state, RED, MONK, 1)
    pawn(state, GREEN, MONK, 1)
    settle(state)
    assert (state.tracks[MONK], state.waiting[MONK]) == ((RED,), (GREEN,))
    assert state.markers[RED] == 6
    state.markers[GREEN] = 1
    settle(state)
    assert (state.tracks[MONK], state.waiting[MONK]) == ((RED, GREEN), ())
    assert state.markers[GREEN] == 0


def test_g44_only_strictly_more_stars_pass() -> None:
    state = table(2)
    stars(state, MONK, RED, 2)
    stars(state, MONK, GREEN, 1)
    settle(state)
    stars(state, MONK, GREEN, 2)
    settle(state)
    assert state.tracks[MONK] == (RED, GREEN)
    stars(state, MONK, GREEN, 3)
    settle(state)
    assert state.tracks[MONK] == (GREEN, RED)


def test_g44_who_is_passed_off_the_track_gets_his_marker_back() -> None:
    state = table(3)
    stars(state, MONK, RED, 2)
    stars(state, MONK, GREEN, 1)
    settle(state)
    markers = state.markers[GREEN]
    stars(state, MONK, BLUE, 2)
    settle(state)
    assert state.tracks[MONK] == (RED, BLUE)
    assert state.markers[GREEN] == markers + 1


def test_g45_without_stars_off_the_track() -> None:
    state = table(3)
    stars(state, MONK, RED, 2)
    settle(state)
    stars(state, MONK, RED, 0)
    settle(state)
    assert state.tracks[MONK] == ()
    assert state.markers[RED] == 7


def test_g46_the_waiting_list_is_oldest_first_and_public() -> None:
    state = table(4)
    for player in (RED, GREEN, BLUE):
        stars(state, MONK, player, 2)
    settle(state)
    stars(state, MONK, YELLOW, 1)
    settle(state)
    assert state.waiting[MONK] == (YELLOW,)
    assert state.view(None).waiting[MONK] == (YELLOW,)


def test_g47_claims_start_with_the_player_whose_turn_it_is() -> None:
    state = table(4)
    state.active = BLUE
    for player in range(4):
        stars(state, MONK, player, 1)
    settle(state)
    assert state.tracks[MONK] == (BLUE, YELLOW, RED)
    assert state.waiting[MONK] == (GREEN,)


def test_g47_settling_twice_changes_nothing() -> None:
    state = table(4)
    for player, count in enumerate((1, 2, 2, 3)):
        stars(state, MONK, player, count)
    settle(state)
    before = (state.tracks[:], state.waiting[:], state.markers[:])
    settle(state)
    assert (state.tracks, state.waiting, state.markers) == before


def test_g48_a_vacated_space_goes_to_the_waiting_player_with_most_stars() -> None:
    state = table(4)
    state.tracks[MONK] = (RED, GREEN, BLUE)
    for player, count in ((RED, 5), (GREEN, 4), (BLUE, 4), (YELLOW, 3)):
        stars(state, MONK, player, count)
    settle(state)
    assert state.waiting[MONK] == (YELLOW,)
    stars(state, MONK, RED, 0)
    settle(state)
    assert state.tracks[MONK] == (GREEN, BLUE, YELLOW)


def test_g48_one_marker_enters_the_first_guild_in_ring_order_that_admits_him() -> None:
    state = table(3)
    state.markers[RED] = 0
    pawn(state, RED, MONK, 1)
    pawn(state, RED, MERCHANT, 1)
    settle(state)
    assert (state.waiting[MONK], state.waiting[MERCHANT]) == ((RED,), (RED,))
    state.markers[RED] = 1
    settle(state)
    assert (state.tracks[MERCHANT], state.tracks[MONK]) == ((RED,), ())
    assert state.waiting[MONK] == (RED,)


def market(n: int = 4, members: tuple[int, ...] = (GREEN, BLUE, YELLOW)) -> Feudum:
    state = table(n)
    for player, count in zip(members, (4, 3, 2), strict=False):
        stars(state, MERCHANT, player, count)
    state.rows, state.barn, state.stores = five(iron=3, wood=2), five(iron=2), five()
    return state


def test_g49_rights_to_functions() -> None:
    state = ready(market(), RED)
    offers = {player: [o[1:] for o in functions(state, player) if o[1] == MERCHANT] for player in range(4)}
    assert offers[RED] == [(MERCHANT, TRADE)]
    assert offers[GREEN] == [(MERCHANT, TRADE), (MERCHANT, PUSH)]
    assert offers[BLUE] == [(MERCHANT, TRADE), (MERCHANT, PULL)]
    assert offers[YELLOW] == [(MERCHANT, TRADE)]  # an apprentice has no function


def test_g50_ranks_score_at_a_dawn() -> None:
    state = ready(market(), RED, round_no=2)
    events = step(state, "dawn")
    ranks = {e["player"]: e["amount"] for e in facts(events, "vp") if e["reason"] == VP_RANK}
    assert ranks == {GREEN: 5, BLUE: 3, YELLOW: 1}


def test_g51_coins_go_round_master_journeyman_charity() -> None:
    state = ready(market(), RED)
    state.take_events()
    pay(state, RED, 7, MERCHANT)
    (paid,) = facts(state.take_events(), "paid")
    assert paid["receivers"] == (GREEN, BLUE, -2, GREEN, BLUE, -2, GREEN)
    assert (state.shillings, state.coffer) == ([0, 10, 9, 7], 2)


@pytest.mark.parametrize(("guild", "pot"), [(g, COFFER if g < KNIGHT else PURSE) for g in range(6)])
def test_g52_missing_members_pay_the_supply_and_the_charity_always_gets_its_coin(guild: int, pot: int) -> None:
    state = ready(table(4), RED)
    bank = state.bank
    pay(state, RED, 3, guild)
    assert state.bank == bank + 2
    assert (state.purse, state.coffer) == ((1, 0) if pot == PURSE else (0, 1))


def test_g52_the_third_coin_is_the_charity_s_even_with_an_apprentice() -> None:
    state = ready(market(), RED)
    assert len(state.tracks[MERCHANT]) == 3
    pay(state, RED, 3, MERCHANT)
    assert (state.coffer, state.shillings[YELLOW]) == (1, 7)


def test_g53_a_member_pays_himself_but_must_own_the_whole_cost() -> None:
    state = market(members=(RED, GREEN))
    state.shillings[RED] = 3
    state.krows = [2] * 4
    pawn(state, RED, KNIGHT, 1)
    ready(state, RED)
    engage(state, "function", KNIGHT, TRADE)
    assert state.shillings[RED] == 3 - 3 + 1
    state.shillings[RED] = 2
    balance(state)
    assert ("function", KNIGHT, TRADE) not in functions(state, RED)


@pytest.mark.parametrize(("purse", "journeyman", "gains", "rest"), [(7, True, (4, 3), 0), (7, False, (4, 0), 3)])
def test_g54_the_farmer_s_purse_is_shared_after_a_push(
    purse: int, journeyman: bool, gains: tuple[int, int], rest: int
) -> None:
    state = table(3)
    stars(state, FARMER, RED, 2)
    if journeyman:
        stars(state, FARMER, GREEN, 1)
    state.purse, state.coffer = purse, 5
    state.barn = five(wood=1)
    perform(state, RED, FARMER, PUSH)
    assert (state.shillings[RED] - 7, state.shillings[GREEN] - 7) == gains
    assert (state.purse, state.coffer) == (rest, 5)


def test_g55_the_church_coffer_is_shared_after_a_push_at_the_monks() -> None:
    state = table(3)
    stars(state, MONK, RED, 2)
    stars(state, MONK, GREEN, 1)
    state.purse, state.coffer, state.rosary = 5, 5, (3,)
    perform(state, RED, MONK, PUSH)
    assert (state.shillings[RED] - 7, state.shillings[GREEN] - 7) == (3, 2)
    assert (state.purse, state.coffer) == (5, 0)


def test_g56_in_a_feast_the_performer_gets_the_holder_s_share() -> None:
    state = table(3)
    stars(state, MONK, GREEN, 2)
    stars(state, MONK, BLUE, 1)
    state.coffer, state.rosary = 5, (3,)
    perform(state, RED, MONK, PUSH, host=GREEN)
    assert [coins - 7 for coins in state.shillings] == [3, 0, 2]


def reeve_table() -> Feudum:
    state = market(members=(RED, GREEN))
    pawn(state, RED, KNIGHT, 2)
    state.stores = five(food=3, wood=3)
    return state


def test_g57_discs_of_one_pool_serve_three_purposes() -> None:
    state = reeve_table()
    state.military[RED], state.successes[RED], state.voyage[RED] = 1, 1, 2
    ready(state, RED)
    assert state.pool[RED] == 1
    engage(state, "function", MERCHANT, PUSH)
    act(state, ("reeve", 1))
    assert state.pool[RED] == 0


def test_g58_a_reeve_may_be_added_right_for_a_master_left_for_a_journeyman() -> None:
    state = perform(reeve_table(), RED, MERCHANT, PUSH, reeves=True)
    assert state.offered == [("reeve", 0), ("reeve", 1)]
    events = act(state, ("reeve", 1))
    assert state.right[MERCHANT] == RED
    assert facts(events, "reeve")[0]["side"] == 1
    state = perform(reeve_table(), GREEN, MERCHANT, PULL, reeves=True)
    act(state, ("reeve", 1))
    assert state.left[MERCHANT] == GREEN


def test_g58_one_reeve_per_player_and_guild_and_only_with_a_disc() -> None:
    state = reeve_table()
    state.military[RED] = state.successes[RED] = 3
    ready(state, RED)
    engage(state, "function", MERCHANT, PUSH)
    assert kind(state) != "REEVE"
    state = reeve_table()
    state.right[MERCHANT] = RED
    ready(state, RED)
    engage(state, "function", MERCHANT, PUSH)
    assert kind(state) != "REEVE"


def bonus(state: Feudum, add: int) -> int:
    events = act(state, ("reeve", add))
    return sum(e["amount"] for e in facts(events, "vp") if e["reason"] == VP_REEVE)


def test_g59_bonus_of_reeves() -> None:
    assert bonus(perform(reeve_table(), RED, MERCHANT, PUSH, reeves=True), 0) == 0
    assert bonus(perform(reeve_table(), RED, MERCHANT, PUSH, reeves=True), 1) == 1
    state = reeve_table()
    state.right[KNIGHT] = RED
    assert bonus(perform(state, RED, MERCHANT, PUSH, reeves=True), 1) == 2
    state = reeve_table()
    state.right[KNIGHT] = RED
    assert bonus(perform(state, RED, MERCHANT, PUSH, reeves=True), 0) == 0  # only a reeve elsewhere


def test_g60_reeves_follow_rank() -> None:
    state = table(4)
    for player, count in ((RED, 3), (GREEN, 2)):
        stars(state, MONK, player, count)
    state.right[MONK], state.left[MONK] = RED, GREEN
    ready(state, RED)
    pool = state.pool[:]
    stars(state, MONK, GREEN, 4)
    settle(state)
    assert (state.right[MONK], state.left[MONK]) == (GREEN, RED)
    for player in (BLUE, YELLOW):
        stars(state, MONK, player, 5)
    settle(state)
    assert (state.right[MONK], state.left[MONK]) == (-1, -1)
    assert state.pool == [pool[RED] + 1, pool[GREEN] + 1, *pool[2:]]


def test_g61_a_feast_has_nothing_to_do_with_reeves() -> None:
    state = reeve_table()
    state.right[MERCHANT] = RED
    state.barrel[GREEN] = 1
    ready(state, GREEN)
    events = engage(state, "feast", MERCHANT, PUSH, RED)
    while kind(state) == "TRANSFER_GOOD":
        events += act(state, state.offered[0])
    assert kind(state) != "REEVE"
    assert not [e for e in facts(events, "vp") if e["reason"] == VP_REEVE]
