"""Scope, components and setup: rules G-01 to G-25."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.feudum import RED, SEED, act, facts, fresh, kind, table
from tests.support.playing import random_walk

from palio.engine.chance import Stream
from palio.engine.errors import InvalidSetup
from palio.games.feudum import RULES, data
from palio.games.feudum.data import FARM, FOOD, KNIGHT, OUTPOST, STARTS, SULFUR, TOWN, knight_colours
from palio.games.feudum.game import Feudum
from palio.games.feudum.guilds.knight import lines
from palio.games.feudum.guilds.merchant import price
from palio.games.feudum.options import SHAPES
from palio.games.feudum.setup import set_up
from palio.games.feudum.state import OVER, TURNS


def untouched(n: int) -> Feudum:
    """The table after G-23, before anybody chooses."""
    state = Feudum(SEED, n, True, knight_colours(n))
    state.log = []
    set_up(state)
    return state


def through_setup(n: int, seed: int = 1) -> Feudum:
    """The table at the first ACTION decision, setup's choices taken at random."""
    return next(state for state in random_walk(fresh(n), seed) if state.phase == TURNS)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g01_two_to_five_players_clockwise_is_ascending(n: int) -> None:
    state = fresh(n)
    assert state.players == n
    assert state.clockwise(n - 1) == [n - 1, *range(n - 1)]


@pytest.mark.parametrize("n", [0, 1, 6])
def test_g01_other_counts_are_refused(n: int) -> None:
    with pytest.raises(InvalidSetup, match="2 to 5") as caught:
        RULES.start(SEED, n, RULES.options())
    assert caught.value.field == "players"


def test_g02_options_and_their_defaults() -> None:
    assert RULES.options().advanced
    assert not RULES.options(advanced=False).advanced
    with pytest.raises(InvalidSetup, match="true or false"):
        RULES.options(advanced=1)
    with pytest.raises(InvalidSetup, match="no such option"):
        RULES.options(monsters=True)


@pytest.mark.parametrize("n", [2, 5])
def test_g02_without_advanced_there_are_no_reeves_and_no_feasts(n: int) -> None:
    for state in random_walk(fresh(n, advanced=False), 5):
        assert kind(state) != "REEVE"
        assert not any(option[0] == "feast" for option in state.offered)
        assert set(state.left) == set(state.right) == {-1}


def test_g03_what_is_not_in_this_edition_has_no_option() -> None:
    assert "DEFEND" not in data.ACTIONS
    assert set(SHAPES) & {"road", "ferry", "monster", "landscape", "target_archery", "die"} == set()


@pytest.mark.parametrize(("n", "advanced"), [(2, True), (3, False), (4, True), (5, False)])
def test_g04_exactly_eight_rounds_of_four_turns_per_player(n: int, advanced: bool) -> None:
    turns = Counter[tuple[int, int, int]]()
    state = fresh(n, advanced)
    seen = -1
    for now in random_walk(state, 9):
        if now.phase == TURNS and now.turns != seen:
            seen = now.turns
            turns[now.round, now.turn_no, now.active] += 1
    assert state.phase == OVER
    assert state.round == data.ROUNDS == 8
    assert {key[:2] for key in turns} <= {(r, t) for r in range(1, 9) for t in range(1, 5)}
    assert max(turns.values()) == 1


def test_g05_enumerations_in_canonical_order() -> None:
    assert data.GOODS == ("SALTPETER", "SULFUR", "IRON", "WOOD", "FOOD")
    assert data.GUILDS == ("FARMER", "MERCHANT", "ALCHEMIST", "KNIGHT", "NOBLE", "MONK")
    assert data.TYPES == ("OUTPOST", "FARM", "TOWN", "FEUDUM")
    assert data.REGIONS == ("SEA", "ISLAND", "FOREST", "DESERT", "BADLANDS", "MOUNTAIN")
    assert data.VESSELS == ("SAILING_SHIP", "SUBMARINE", "FLYING_MACHINE")
    assert data.FUNCTIONS == ("TRADE", "PULL", "PUSH")
    assert data.RANKS == ("MASTER", "JOURNEYMAN", "APPRENTICE")
    assert data.EPOCHS == ("I", "II", "III", "IV", "V")
    assert data.COLOURS == ("RED", "GREEN", "BLUE", "YELLOW", "PURPLE")
    expected = "MIGRATE MOVE INFLUENCE IMPROVE EXPLORE HARVEST TAX CONQUER REPEAT GUILD"
    assert " ".join(data.ACTIONS) == expected


def test_g06_the_ring() -> None:
    assert data.RING_RELATED == (FARM, TOWN, OUTPOST, FARM, TOWN, OUTPOST)
    assert [data.left_of(guild) for guild in range(6)] == [5, 0, 1, 2, 3, 4]
    assert data.RING_CHARITY == (data.COFFER,) * 3 + (data.PURSE,) * 3


def test_g07_component_counts() -> None:
    assert sum(data.GOODS_IN_GAME) == 170
    assert data.SHILLINGS == 43 + 7 * 5 == 78
    assert data.MARKERS == 20
    assert Counter(data.DISC_VALUES) == {2: 5, 3: 4, 4: 4, 5: 4}
    assert len(data.WRITS) == 16
    assert data.FEUDUMS_OF_A_GUILD == 2
    assert data.LOCATIONS == 22
    assert (data.BARN, data.CHICKENS, data.ROW, data.STORE, data.KNIGHT_ROW) == (10, 4, 4, 3, 6)
    assert (data.CELLS, data.ROSARY, data.VOYAGE) == (6, 7, 7)
    assert data.DISLOYALTY == (3, 4, 5)


def test_g08_prices_of_the_next_good() -> None:
    state = table()
    for good, prices in enumerate([(4, 3, 2, 2), (3, 3, 2, 1), (3, 2, 1, 1), (2, 2, 1, 1), (2, 1, 1, 1)]):
        for count in range(1, 5):
            state.rows[good] = count
            assert price(state, good) == prices[count - 1]


def test_g09_rows_and_columns_of_the_market() -> None:
    from palio.games.feudum.guilds.common import full

    assert full([4, 3, 4, 0, 4], data.ROW).bit_count() == 3
    assert min([4, 3, 4, 2, 4]) == 2  # complete columns


@pytest.mark.parametrize(
    ("cells", "expected"),
    [((), (0, 0)), ((1, 2, 3), (1, 1)), ((6,), (1, 0)), ((1, 4, 6), (1, 1)), ((2, 5), (0, 1)), ((4, 5), (1, 0))],
)
def test_g10_rows_and_columns_of_the_scrolls(cells: tuple[int, ...], expected: tuple[int, int]) -> None:
    state = table()
    state.scrolls = [3 if cell in cells else 0 for cell in range(1, 7)]
    assert lines(state) == expected


def test_g11_first_unfilled_section_of_a_knight_row() -> None:
    assert [data.KRUD_ROOM[count] for count in range(7)] == [1, 2, 1, 3, 2, 1, 0]


def test_g13_returned_discs_become_seals_and_the_supply_is_reshuffled() -> None:
    from palio.games.feudum.supply import return_discs

    state = table()
    state.discs = (2, 3, 4, 5, 2, 3, 4, 5)
    return_discs(state, (5, 5))
    expected = [2, 3, 4, 5, 2, 3, 4, 5, 5, 5]
    Stream(SEED, "feudum/seals").shuffle(expected)
    assert state.discs == tuple(expected)
    assert state.streams[data.S_SEALS] > 0


def test_g13_a_player_s_seals_are_spent_first_in_first_out() -> None:
    from palio.games.feudum.supply import spend_seal

    state = table()
    state.seals[RED] = (5, 2, 3)
    spend_seal(state, RED)
    assert state.seals[RED] == (2, 3)
    assert state.discs == (5,)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g14_dummy_colours_and_the_starting_player(n: int) -> None:
    state = untouched(n)
    assert len(state.krows) == max(n, 4)
    assert state.starter == Stream(SEED, "feudum/start").uniform(n)
    assert facts(state.take_events(), "started") == [{"starter": state.starter}]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g15_what_every_player_receives(n: int) -> None:
    state = untouched(n)
    for player in range(n):
        assert state.goods[5 * player : 5 * player + 5] == [0, 0, 0, 0, 7]
    assert state.markers == state.shillings == [7] * n
    assert state.pool == [3] * n
    assert state.scores == state.barrel == [0] * n
    assert state.seals == state.beads == state.hands == [()] * n
    assert not any(state.vessels)
    assert not any(state.pawn_at)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g16_general_supply(n: int) -> None:
    state = untouched(n)
    # two markers of every colour lie on the Knight rows already
    assert state.reserve == [13 - 2] * n + [20 - 2] * (max(n, 4) - n)
    assert state.bank == 78 - 7 * n
    assert sum(state.docks) + sum(state.sale) == 9
    assert state.feudums == [2] * 6
    assert (state.purse, state.coffer, state.epoch) == (0, 0, 1)


def test_g17_locations() -> None:
    assert data.REGION_IDS[0] == (1, 2, 3)
    assert STARTS == (1, 4, 8, 11, 16, 21)
    state = untouched(3)
    stream = Stream(SEED, "feudum/locations")
    starts = [OUTPOST, OUTPOST, FARM, FARM, TOWN, TOWN]
    stream.shuffle(starts)
    others = [OUTPOST] * 6 + [FARM] * 6 + [TOWN] * 4
    stream.shuffle(others)
    assert [state.kind[at] for at in STARTS] == starts
    assert [state.kind[at] for at in range(1, 23) if at not in STARTS] == others
    assert set(state.ruler) == set(state.serf) == {-1}


def test_g18_writs_are_shuffled_face_down() -> None:
    state = untouched(3)
    expected = list(range(16))
    Stream(SEED, "feudum/writs").shuffle(expected)
    assert state.deck == tuple(expected)
    assert state.discard == ()


@pytest.mark.parametrize("n", [2, 5])
def test_g19_merchants_alchemists_vessels_and_haversack(n: int) -> None:
    state = untouched(n)
    assert state.rows == [3, 3, 4, 4, 4]
    assert state.stores == [3, 1, 3, 3, 1]
    assert sum(state.sale) == 2
    drawn = [sum(goods) for goods in zip(state.haversack, state.barn, strict=True)]
    on_map = [sum(state.stock[good::5]) for good in range(5)]
    assert [a + b for a, b in zip(drawn, on_map, strict=True)] == [24, 26, 23, 23, 45 - 7 * n]


def test_g20_two_markers_on_every_knight_row() -> None:
    assert untouched(2).krows == [2] * 4
    assert untouched(5).krows == [2] * 5


def test_g21_discs() -> None:
    state = untouched(3)
    expected = list(data.DISC_VALUES)
    Stream(SEED, "feudum/seals").shuffle(expected)
    assert state.scrolls == [expected[0], 0, expected[1], 0, expected[2], expected[3]]
    assert sorted(state.rosary) == sorted(expected[4:8])
    assert state.chickens == (expected[8],)
    assert state.discs == tuple(expected[9:])


def test_g22_ten_random_goods_in_the_barn() -> None:
    assert sum(untouched(4).barn) == 10


def test_g23_one_good_to_one_location_of_each_region() -> None:
    state = untouched(3)
    # season 1: index 1 mod k of each region
    with_goods = [at for at in range(1, 23) if any(state.stock_at(at))]
    assert with_goods == [2, 5, 9, 12, 17, 22]
    assert all(sum(state.stock_at(at)) == 1 for at in with_goods)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g24_three_goods_of_different_kinds_each_player_in_turn(n: int) -> None:
    state = fresh(n)
    order = []
    while kind(state) in ("GOOD_PICK", "SULFUR_STORE"):
        seat = state.stack[-1][1]
        if kind(state) == "GOOD_PICK":
            order.append(seat)
            act(state, state.offered[0])
        else:
            act(state, ("barrel", 1))
    assert order == [seat for seat in state.clockwise(state.starter) for _ in range(3)]
    for player in range(n):
        goods = state.goods[5 * player : 5 * player + 5]
        assert goods[FOOD] == 7
        assert sum(goods) == 7 + 2  # saltpeter and iron; the sulfur went into the barrel
        assert state.barrel[player] == 1
    assert sum(state.haversack) == 125 - 10 * n


def test_g24_sulfur_is_stored_at_once() -> None:
    state = fresh(3)
    first = state.stack[-1][1]
    act(state, ("good", SULFUR))
    assert (kind(state), state.stack[-1][1]) == ("SULFUR_STORE", first)
    assert ("good", SULFUR) in fresh(3).offered
    act(state, ("barrel", 0))
    assert kind(state) == "GOOD_PICK"
    assert ("good", SULFUR) not in state.offered


@pytest.mark.parametrize(("n", "track"), [(2, 2), (3, 2), (4, 3), (5, 3)])
def test_g25_first_pawns_and_the_tracks_they_open(n: int, track: int) -> None:
    state = fresh(n)
    while kind(state) in ("GOOD_PICK", "SULFUR_STORE"):
        act(state, state.offered[0])
    food = state.haversack[FOOD]
    for _ in range(n):
        act(state, ("character", KNIGHT))
        assert state.offered == [("location", at) for at in STARTS]
        act(state, ("location", 4))
    assert state.haversack[FOOD] == food
    order = state.clockwise(state.starter)
    assert state.tracks[KNIGHT] == tuple(order[:track])
    assert state.waiting[KNIGHT] == tuple(order[track:])
    assert kind(state) == "ACTION"


def test_g12_completed_means_by_the_function() -> None:
    from tests.support.feudum import five, perform, stars

    from palio.games.feudum.data import FARMER, PUSH

    state = table()
    stars(state, FARMER, RED, 1)
    state.rows = [4, 4, 3, 0, 0]  # two rows are complete already, a third is filled
    state.barn = five(iron=1, wood=1)
    perform(state, RED, FARMER, PUSH)
    (scored,) = facts(state.take_events(), "scored")
    assert (scored["rows"], scored["columns"], scored["vp"]) == (1, 0, 4)
