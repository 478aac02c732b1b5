"""Royal Writs and gained sulfur: rules G-116 to G-122."""

from __future__ import annotations

import pytest
from tests.support.feudum import (
    BLUE,
    GREEN,
    RED,
    SEED,
    act,
    facts,
    five,
    give,
    kind,
    offered,
    over,
    pawn,
    ready,
    rule,
    stock,
    table,
    vp,
)

from palio.engine.chance import Stream
from palio.games.feudum.data import (
    AIRWRIGHT,
    BOW,
    CHAMPION,
    CROWN,
    EXPLORE,
    FAIR,
    FARM,
    FIRST_CHARTER,
    FLYING_MACHINE,
    FOOD,
    HARVEST,
    IRON,
    KICKBACK,
    KNIGHT,
    MANDATES,
    MOVE,
    OUTPOST,
    PATRON,
    REALM_COAST,
    SAILING_SHIP,
    SALTPETER,
    SHIPWRIGHT,
    SOLE_RULER,
    STALL,
    SUBMARINE,
    SULFUR,
    SWORD,
    TEMPERANCE,
    WOOD,
    WRITS,
)
from palio.games.feudum.game import Feudum
from palio.games.feudum.machine import preview
from palio.games.feudum.scoring import charter_vp, final_scoring, sealed_charters
from palio.games.feudum.writs import choices_of


def exploring(deck: tuple[int, ...], outposts: int = 2, discard: tuple[int, ...] = ()) -> Feudum:
    state = table()
    for at in range(1, outposts + 1):
        rule(state, RED, at, OUTPOST)
    held = set(range(16)) - set(deck) - set(discard)
    state.hands[GREEN], state.hands[BLUE] = tuple(sorted(held))[:3], tuple(sorted(held))[3:6]
    ready(state)
    state.deck, state.discard = deck, discard
    state.offered = preview(state)
    return state


def test_g116_keep_one_the_others_go_to_the_bottom_in_the_order_drawn() -> None:
    state = exploring((9, 3, 12, 0, 1))
    state.choose(state.offered.index(("action", EXPLORE)))
    assert state.drawn == (9, 3, 12)
    assert offered(state) == [("card", 3), ("card", 9), ("card", 12)]
    state.choose(state.offered.index(("card", 3)))
    assert state.hands[RED] == (3,)
    assert state.deck == (0, 1, 9, 12)


def test_g116_fewer_if_deck_and_discard_pile_hold_fewer() -> None:
    state = exploring((9,), outposts=4)
    state.choose(state.offered.index(("action", EXPLORE)))
    assert state.hands[RED] == (9,)  # one card is no choice
    assert state.deck == ()


def test_g116_with_nothing_to_draw_nothing_happens() -> None:
    from palio.games.feudum.writs import draw

    state = exploring(())
    state.take_events()
    draw(state, RED, 2)
    assert state.take_events() == []
    assert kind(state) == "ACTION"


def test_g117_the_discard_pile_becomes_the_deck_when_a_card_is_to_be_drawn() -> None:
    state = exploring((9,), discard=(3, 12, 0, 1))
    state.choose(state.offered.index(("action", EXPLORE)))
    order = [3, 12, 0, 1]
    Stream(SEED, "feudum/writs").shuffle(order)
    assert state.drawn == (9, *order[:2])
    assert state.deck == tuple(order[2:])
    assert state.discard == ()
    assert facts(state.take_events(), "writs_reshuffled") == [{"count": 4}]


def test_g118_hand_limit() -> None:
    state = table()
    rule(state, RED, 1, OUTPOST)
    state.hands[RED] = (4, 5, 6)
    ready(state)
    events = act(state, ("action", EXPLORE), state_option(state, EXPLORE))
    hand = state.hands[RED]
    assert len(hand) == 4
    assert offered(state) == [("card", card) for card in hand]
    events = act(state, ("card", 5))
    assert state.hands[RED] == tuple(card for card in hand if card != 5)
    assert state.deck[-1] == 5
    public = [event.fact for event in events if event.viewers is None]
    assert public == [("writ_returned", RED, False)]


def state_option(state: Feudum, action: int) -> tuple[object, ...]:
    """The first option that follows that action."""
    copy = state.clone()
    copy.choose(copy.offered.index(("action", action)))
    return copy.offered[0]


def mandate(card: int, star: int = 0, **goods: int) -> Feudum:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    if star:
        rule(state, RED, 2, FARM)
        rule(state, RED, 3, FARM)
    give(state, RED, **goods)
    state.hands[RED] = (card,)
    return ready(state)


def play(state: Feudum, card: int, choice: int) -> None:
    act(state, ("writ", card))
    if kind(state) == "WRIT_CHOICE":
        act(state, ("choice", choice))


def test_g119_a_mandate_is_an_extra_option_before_the_action() -> None:
    state = mandate(STALL, food=2, wood=1)
    state.hands[RED] = (STALL, SHIPWRIGHT)
    ready(state)
    assert ("writ", STALL) in state.offered
    play(state, STALL, 1)
    assert kind(state) == "ACTION"
    assert ("action", MOVE) in state.offered
    play(state, SHIPWRIGHT, 1)
    assert state.discard == (STALL, SHIPWRIGHT)
    assert state.used[RED] == 0
    act(state, ("action", MOVE), ("location", 9))
    assert over(state)


@pytest.mark.parametrize("card", [BOW, SWORD, *range(FIRST_CHARTER, 16)])
def test_g119_other_cards_are_not_played_before_an_action(card: int) -> None:
    assert card not in MANDATES
    state = mandate(card, star=1, saltpeter=1, sulfur=1, iron=1, wood=1, food=1)
    assert ("writ", card) not in state.offered


@pytest.mark.parametrize(
    ("card", "choice", "goods", "shillings"),
    [
        (STALL, 1, {"food": 1}, 3),
        (STALL, 2, {"food": 1, "wood": 1}, 7),
        (FAIR, 1, {"iron": 1, "wood": 1, "food": 1}, 9),
        (FAIR, 2, {"sulfur": 1, "iron": 1, "wood": 1, "food": 1}, 13),
    ],
)
def test_g119_goods_for_shillings(card: int, choice: int, goods: dict[str, int], shillings: int) -> None:
    state = mandate(card, **goods)
    assert choice in choices_of(state, RED, card)
    play(state, card, choice)
    assert state.shillings[RED] == 7 + shillings
    assert state.goods[:5] == five()
    short = mandate(card, **dict.fromkeys(list(goods)[1:], 1))
    assert choice not in choices_of(short, RED, card)


@pytest.mark.parametrize(
    ("card", "choice", "good", "vessel"),
    [
        (AIRWRIGHT, 1, "food", FLYING_MACHINE),
        (AIRWRIGHT, 2, "wood", SAILING_SHIP),
        (SHIPWRIGHT, 1, "wood", SAILING_SHIP),
        (SHIPWRIGHT, 2, "iron", SUBMARINE),
    ],
)
def test_g119_goods_for_vessels(card: int, choice: int, good: str, vessel: int) -> None:
    state = mandate(card, **{good: 1})
    play(state, card, choice)
    assert state.vessels[vessel] == 1
    assert state.docks[vessel] == 2


def test_g119_patron_and_crown_need_three_stars_in_one_guild() -> None:
    for card in (PATRON, CROWN):
        assert ("writ", card) not in mandate(card).offered
        assert ("writ", card) in mandate(card, star=1).offered


def test_g119_patron() -> None:
    state = mandate(PATRON, star=1)
    act(state, ("writ", PATRON))
    assert offered(state) == [("choice", 1), ("choice", 2), ("choice", 3)]
    act(state, ("choice", 1), ("good", SULFUR), ("good", IRON), ("good", SULFUR))
    assert offered(state) == [("barrel", 0), ("barrel", 1), ("barrel", 2)]
    act(state, ("barrel", 2))
    assert (state.barrel[RED], state.goods[SULFUR], state.goods[IRON]) == (2, 0, 1)
    state = mandate(PATRON, star=1)
    play(state, PATRON, 2)
    assert state.shillings[RED] == 10
    state = mandate(PATRON, star=1)
    play(state, PATRON, 3)
    act(state, ("vessel", SUBMARINE))
    assert state.vessels[SUBMARINE] == 1
    assert state.shillings[RED] == 7


def test_g119_crown() -> None:
    state = mandate(CROWN, star=1)
    markers = state.markers[RED]
    play(state, CROWN, 1)
    assert state.markers[RED] == markers + 3
    state = mandate(CROWN, star=1)
    top = state.discs[0]
    play(state, CROWN, 2)
    assert state.seals[RED] == (top,)
    state = mandate(CROWN, star=1)
    act(state, ("writ", CROWN))
    events = act(state, ("choice", 3))
    assert state.beads[RED] == (top,)
    assert facts(events, "mandate")[0]["bead"] == top


def test_g120_a_choice_whose_good_is_not_there_is_not_offered() -> None:
    state = mandate(AIRWRIGHT, food=1, wood=1)
    assert choices_of(state, RED, AIRWRIGHT) == [1, 2]
    state.docks[FLYING_MACHINE] = 0
    assert choices_of(state, RED, AIRWRIGHT) == [2]
    state = mandate(CROWN, star=1)
    state.discs = ()
    assert choices_of(state, RED, CROWN) == [1]
    state.reserve[RED] = 0
    assert choices_of(state, RED, CROWN) == []
    assert ("writ", CROWN) not in preview(state)


def test_g120_sulfur_for_the_fair_comes_from_the_supply_not_from_the_barrel() -> None:
    state = mandate(FAIR, iron=1, wood=1, food=1)
    state.barrel[RED] = 2
    assert choices_of(ready(state), RED, FAIR) == [1]


def test_g120_patron_gives_fewer_goods_if_the_haversack_holds_fewer() -> None:
    state = mandate(PATRON, star=1)
    give(state, GREEN, saltpeter=30, sulfur=30, iron=30, wood=30, food=49)
    ready(state)
    assert sum(state.haversack) == 1
    act(state, ("writ", PATRON))
    act(state, ("choice", 1))
    assert (state.goods[FOOD], kind(state)) == (1, "ACTION")


def charters(*cards: int, seals: int = 9) -> Feudum:
    state = table()
    state.hands[RED] = cards
    state.seals[RED] = (2,) * min(seals, 5)
    return ready(state)


def test_g121_seals_go_on_the_charters_worth_most() -> None:
    state = charters(TEMPERANCE, CHAMPION, SOLE_RULER, seals=2)
    state.barrel[RED] = 2
    state.successes[RED] = 2
    for at in (1, 4):
        rule(state, RED, at, OUTPOST)
    ready(state)
    assert sealed_charters(state, RED) == [11, 7]
    final_scoring(state)
    assert 11 + 7 in [e["amount"] for e in facts(state.take_events(), "vp")]


@pytest.mark.parametrize(("barrel", "points"), [(0, 0), (1, 0), (2, 5), (3, 7)])
def test_g121_temperance(barrel: int, points: int) -> None:
    state = charters(TEMPERANCE)
    state.barrel[RED] = barrel
    assert charter_vp(ready(state), RED, TEMPERANCE) == points


@pytest.mark.parametrize(("successes", "points"), [(1, 0), (2, 7), (5, 7)])
def test_g121_champion(successes: int, points: int) -> None:
    state = charters(CHAMPION)
    state.successes[RED] = successes
    assert charter_vp(state, RED, CHAMPION) == points


@pytest.mark.parametrize("card", range(REALM_COAST, SOLE_RULER))
def test_g121_realms(card: int) -> None:
    places = {REALM_COAST: (1, 22, 3, 21, 2), 11: (4, 5, 6, 7), 12: (8, 9, 10), 13: (11, 12, 15), 14: (16, 18, 20)}
    state = charters(card)
    for count, at in enumerate(places[card], 1):
        rule(state, RED, at, OUTPOST)
        assert charter_vp(state, RED, card) == (0, 3, 5, 7, 9)[min(count, 4)]
    rule(state, GREEN, places[card][0], OUTPOST)
    assert charter_vp(state, RED, card) == (0, 3, 5, 7, 9)[min(len(places[card]) - 1, 4)]


def test_g121_sole_ruler() -> None:
    state = charters(SOLE_RULER)
    for points, at in ((5, 1), (11, 4), (17, 8), (17, 11)):
        rule(state, RED, at, OUTPOST)
        assert charter_vp(state, RED, SOLE_RULER) == points
    rule(state, GREEN, 5, OUTPOST, serf=RED)
    rule(state, GREEN, 9, OUTPOST)
    assert charter_vp(state, RED, SOLE_RULER) == 11


def test_g121_without_seals_no_points() -> None:
    state = charters(CHAMPION, seals=0)
    state.successes[RED] = 2
    assert sealed_charters(state, RED) == []
    assert len(WRITS) - FIRST_CHARTER == 8


@pytest.mark.parametrize(("barrel", "options"), [(0, 2), (2, 2), (3, 0)])
def test_g122_scavenged_sulfur(barrel: int, options: int) -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    stock(state, 5, sulfur=1)
    state.barrel[RED] = barrel
    ready(state)
    act(state, ("action", MOVE), ("location", 5), ("scavenge", 5, SULFUR))
    assert (kind(state) == "SULFUR_STORE") is (options > 0)
    if options:
        act(state, ("barrel", 1))
        assert (state.barrel[RED], state.goods[SULFUR]) == (barrel + 1, 0)
    else:
        assert state.goods[SULFUR] == 1


def test_g122_harvested_sulfur_is_one_effect() -> None:
    state = table()
    rule(state, RED, 1, FARM)
    ready(state)
    given = state.haversack
    state.goods[5:10] = [given[SALTPETER], given[SULFUR] - 9, given[IRON], given[WOOD], given[FOOD]]  # green's
    state.haversack = five(sulfur=9)
    events = act(state, ("action", HARVEST), ("harvest", KICKBACK))
    assert facts(events, "harvested")[0]["own"] == tuple(five(sulfur=1))
    assert offered(state) == [("barrel", 0), ("barrel", 1)]
    assert vp(events, RED) == 1
