"""Rules F-20 to F-36: the Tavern and the characters' actions, each from a position set up by hand."""

from __future__ import annotations

import pytest
from tests.support.fidelitas import Game, location, position

from palio.games.fidelitas.cards import LOCATIONS


def test_f20_the_tavern_exchanges_a_missio_card_and_turns_up_a_card() -> None:
    start = position(
        {}, hands=["Butcher", "Clerk"], missio=[[4, 5], [6]], missio_top=[9], deck_top="Priest Baker", turn=1
    )
    game = Game(start).play("Butcher", "tavern_north")
    assert (game.kind, game.options) == ("EXCHANGE_MISSIO", [("missio", 4), ("missio", 5)])
    game.choose("missio", 4)
    assert game.state.missio[0] == (5, 9)
    assert game.state.missio_deck[-1] == 4
    assert game.stack("tavern_south") == "Priest"
    assert game.facts("missio_exchanged") == [(0,)]
    assert game.facts("card_turned_up") == [(10, location("tavern_south"))]
    assert game.stack("tavern_north") == "Butcher", "its action is ignored"


def test_f20_without_a_missio_card_nothing_is_exchanged() -> None:
    game = Game(position({}, hands=["Butcher", "Clerk"], deck_top="Priest")).play("Butcher", "tavern_south")
    assert game.kind == "DRAW_CARD"
    assert not game.facts("missio_exchanged")
    assert game.stack("tavern_north") == "Priest"


def test_f20_without_a_missio_deck_nothing_is_exchanged() -> None:
    rest = list(range(3, 21))
    start = position({}, hands=["Butcher", "Clerk", "Clerk"], players=3, missio=[[1, 2], [], rest], missio_size=0)
    game = Game(start).play("Butcher", "tavern_south")
    assert game.state.missio[0] == (1, 2)
    assert not game.facts("missio_exchanged")


def test_f20_a_single_missio_card_is_exchanged_without_asking() -> None:
    game = Game(position({}, hands=["Clerk", "Clerk"], missio=[[3]], missio_top=[8])).play("Clerk", "tavern_north")
    assert game.state.missio[0] == (8,)
    assert game.facts("missio_returned") == [(0, 3)]


def test_f20_the_clearing_comes_before_the_exchange_and_again_after_the_card_is_turned_up() -> None:
    start = position(
        {"tavern_north": "Soldier Soldier", "tavern_south": "Soldier Soldier"},
        hands=["Soldier", "Clerk"],
        missio=[[1, 2]],
        deck_top="Soldier Baker",
    )
    game = Game(start).play("Soldier", "tavern_north")
    assert game.stack("tavern_north") == ""
    assert game.facts("location_cleared") == [(location("tavern_north"), (9, 9, 9))]
    game.choose("missio", 1)
    assert game.facts("location_cleared") == [(location("tavern_south"), (9, 9, 9))]


def test_f20_cards_moved_to_the_tavern_trigger_nothing() -> None:
    start = position({"market": "Priest"}, hands=["Soldier", "Clerk"], missio=[[1, 2]], deck_top="Baker")
    game = Game(start).play("Soldier", "market").send("tavern_north")
    assert game.stack("tavern_north") == "Priest"
    assert game.stack("tavern_south") == ""
    assert game.state.missio[0] == (1, 2)


def test_f21_shopkeeper_swaps_exact_places() -> None:
    start = position({"bakery": "Priest Butcher Clerk", "college": "Thief Student"}, hands=["Shopkeeper", "Clerk"])
    game = Game(start).play("Shopkeeper", "market").pick("bakery", "Butcher")
    assert game.cards_offered() == "college:Student college:Thief market:Shopkeeper"
    game.pick("college", "Thief")
    assert game.stack("bakery") == "Priest Thief Clerk"
    assert game.stack("college") == "Butcher Student"
    assert game.facts("cards_swapped") == [(0, 3, location("bakery"), 12, location("college"))]


def test_f21_two_copies_of_one_character_may_be_swapped() -> None:
    start = position({"bakery": "Priest", "college": "Priest"}, hands=["Shopkeeper", "Clerk"])
    game = Game(start).play("Shopkeeper", "market").pick("bakery", "Priest").pick("college", "Priest")
    assert game.facts("cards_swapped")


def test_f21_with_unlocked_cards_at_one_location_nothing_happens() -> None:
    game = Game(position({"market": "Priest"}, hands=["Shopkeeper", "Clerk Baker"])).play("Shopkeeper", "market")
    assert game.kind == "PLAY_CARD"
    assert game.stack("market") == "Priest Shopkeeper"


def test_f21_a_swapped_swindler_locks_where_it_comes_to_lie() -> None:
    start = position({"bakery": "Priest Butcher", "college": "Swindler"}, hands=["Shopkeeper", "Clerk"])
    game = Game(start).play("Shopkeeper", "market").pick("college", "Swindler").pick("bakery", "Butcher")
    assert game.stack("bakery") == "Priest Swindler"
    assert game.state.piles[location("bakery")].locked == 2


def test_f22_the_only_mode_that_can_be_completed_is_not_asked_for() -> None:
    game = Game(position({"market": "Priest Thief"}, hands=["Broker", "Clerk"])).play("Broker", "market")
    asking = game.state.view(0).asking
    assert asking == ("PICK_CARD", 2, 2, (("broker", 1, 5),)), "nothing lies at two other locations"


def test_f22_broker_options_that_can_be_completed_come_without_the_others() -> None:
    start = position({"market": "Priest Thief", "archive": "Clerk", "bakery": "Baker"}, hands=["Broker", "Clerk"])
    game = Game(start).play("Broker", "market")
    assert (game.kind, game.options) == ("BROKER_MODE", [("broker", 1, 5), ("broker", 2, 5), ("broker", 2, 10)])
    game.choose("broker", 1, 5)
    assert game.cards_offered() == "market:Broker market:Priest market:Thief"
    game.pick("market", "Thief").send("warehouse")
    assert game.cards_offered() == "market:Broker market:Priest"
    game.pick("market", "Broker")
    assert ("destination", location("warehouse")) not in game.options
    assert ("destination", location("market")) not in game.options
    game.send("library")
    assert (game.stack("market"), game.stack("warehouse"), game.stack("library")) == ("Priest", "Thief", "Broker")


def test_f22_broker_into_takes_from_two_different_locations() -> None:
    start = position({"market": "Priest", "archive": "Clerk Baker", "bakery": "Thief"}, hands=["Broker", "Clerk"])
    game = Game(start).play("Broker", "warehouse").choose("broker", 2, 5)
    assert game.cards_offered() == "bakery:Thief archive:Baker archive:Clerk warehouse:Broker"
    game.pick("archive", "Clerk")
    assert game.cards_offered() == "bakery:Thief warehouse:Broker"
    game.pick("warehouse", "Broker")
    assert game.stack("market") == "Priest Clerk Broker"
    assert game.facts("cards_moved") == [
        (0, ((7, location("archive"), location("market")), (2, location("warehouse"), location("market"))))
    ]


def test_f22_where_nothing_can_be_completed_one_card_is_moved() -> None:
    game = Game(position({}, hands=["Broker", "Clerk"])).play("Broker", "market")
    assert game.options == [("broker", 1, 5), ("broker", 2, 10)]
    game.choose("broker", 2, 10)
    assert game.stack("warehouse") == "Broker"


def test_f23_butcher_removes_two_cards() -> None:
    start = position({"bakery": "Priest Priest", "college": "Thief"}, hands=["Butcher", "Clerk"])
    game = Game(start).play("Butcher", "butchery").pick("bakery", "Priest")
    assert game.cards_offered() == "college:Thief bakery:Priest butchery:Butcher"
    game.pick("bakery", "Priest")
    assert game.stack("bakery") == ""
    assert game.discarded == "Priest Priest"


def test_f23_with_one_unlocked_card_that_one() -> None:
    game = Game(position({}, hands=["Butcher", "Clerk"])).play("Butcher", "butchery")
    assert game.discarded == "Butcher"


def test_f24_baker_moves_two_cards_to_two_locations() -> None:
    start = position({"bakery": "Priest Thief", "college": "Thief"}, hands=["Baker", "Clerk"])
    game = Game(start).play("Baker", "bakery").pick("bakery", "Thief").send("college")
    assert game.cards_offered() == "college:Thief bakery:Baker bakery:Priest", "the City as it was"
    game.pick("college", "Thief")
    assert ("destination", location("college")) not in game.options
    game.send("market")
    assert (game.stack("bakery"), game.stack("college"), game.stack("market")) == ("Priest Baker", "Thief", "Thief")


def test_f24_with_one_unlocked_card_that_one() -> None:
    game = Game(position({}, hands=["Baker", "Clerk"])).play("Baker", "bakery")
    assert game.kind == "PICK_DESTINATION"
    assert game.send("market").stack("market") == "Baker"


def test_f25_professor_discards_then_draws_three() -> None:
    start = position({}, hands=["Professor Clerk Baker", "Clerk"], deck_top="Priest Thief Student Soldier")
    game = Game(start).play("Professor", "college")
    assert (game.kind, game.options) == ("DISCARD_CARD", [("hand_card", 4), ("hand_card", 7)])
    game.choose("hand_card", 4)
    assert game.hand(0) == "Student Clerk Priest Thief"
    assert game.discarded == "Baker"
    assert game.facts("cards_discarded") == [(0, (4,))]
    assert game.facts("deck_drawn") == [(0, 3)]


def test_f25_with_an_empty_hand_only_the_drawing_is_done() -> None:
    game = Game(position({}, hands=["Professor", "Clerk"], deck_top="Priest Thief Student")).play(
        "Professor", "library"
    )
    assert game.hand(0) == "Student Priest Thief"
    assert game.discarded == ""


def test_f26_student_keeps_one_of_four_unseen_by_others() -> None:
    start = position({}, hands=["Student", "Clerk"], deck_top="Thief Priest Priest Baker Soldier")
    game = Game(start).play("Student", "college")
    assert (game.kind, game.options) == ("KEEP_CARD", [("hand_card", 4), ("hand_card", 10), ("hand_card", 12)])
    assert game.state.view(0).own.student == (4, 10, 10, 12)  # type: ignore[union-attr]
    assert game.state.view(1).own.student == ()  # type: ignore[union-attr]
    game.choose("hand_card", 10)
    assert game.hand(0) == "Priest"
    assert game.discarded == "Baker Priest Thief"
    assert game.facts("cards_discarded") == [(0, (4, 10, 12))]


def test_f27_clerk_removes_a_guild_pair_and_draws_one() -> None:
    start = position(
        {"bakery": "Butcher Baker Butcher", "market": "Priest Priest Swindler", "archive": "Barrister"},
        hands=["Clerk", "Baker Butcher"],
        deck_top="Thief Student Soldier",
    )
    game = Game(start).play("Clerk", "archive")
    assert game.kind == "CLERK"
    assert game.options == [("draw_two",), ("pair", 4, 3, 3), ("pair", 4, 3, 4), ("pair", 6, 7, 8)]
    game.choose("pair", 4, 3, 4)
    assert game.stack("bakery") == "Butcher"
    assert game.discarded == "Butcher Baker"
    assert game.hand(0) == "Thief"


def test_f27_or_draws_two() -> None:
    start = position({"archive": "Barrister"}, hands=["Clerk", "Baker Butcher"], deck_top="Thief Student Soldier")
    game = Game(start).play("Clerk", "archive").choose("draw_two")
    assert game.hand(0) == "Student Thief"


def test_f27_without_a_pair_the_clerk_draws_two_unasked() -> None:
    start = position({}, hands=["Clerk", "Baker Butcher"], deck_top="Thief Student Soldier")
    assert Game(start).play("Clerk", "courthouse").hand(0) == "Student Thief"


def test_f28_barrister_takes_a_card_for_all_to_see() -> None:
    start = position({"market": "Priest Thief"}, hands=["Barrister", "Clerk"])
    game = Game(start).play("Barrister", "courthouse")
    assert game.cards_offered() == "courthouse:Barrister market:Priest market:Thief"
    game.pick("market", "Priest")
    assert (game.hand(0), game.stack("market")) == ("Priest", "Thief")
    taken = next(event for event in game.events if event.fact[0] == "card_taken")
    assert (taken.fact[1:], taken.viewers) == ((0, 10, location("market")), None)


def test_f30_the_third_soldier_clears_its_location_and_moves_nothing() -> None:
    start = position({"market": "Soldier Priest Soldier"}, hands=["Soldier", "Clerk Baker"], turn=1)
    game = Game(start).play("Soldier", "market")
    assert game.stack("market") == ""
    assert game.discarded == "Soldier Soldier Soldier Priest"
    assert not game.facts("cards_moved")
    assert game.state.active == 1


def test_f30_locked_soldiers_count() -> None:
    start = position({"market": "Soldier Soldier Swindler"}, hands=["Soldier", "Clerk Baker"])
    assert Game(start).play("Soldier", "market").stack("market") == ""


def test_f31_soldier_moves_another_card() -> None:
    start = position({"market": "Priest Thief"}, hands=["Soldier", "Clerk"])
    game = Game(start).play("Soldier", "market")
    assert game.cards_offered() == "market:Priest market:Thief"
    game.pick("market", "Priest")
    assert game.options == [("destination", n) for n in LOCATIONS if n != 5]
    game.send("archive")
    assert (game.stack("market"), game.stack("archive")) == ("Thief Soldier", "Priest")


def test_f31_another_soldier_may_be_moved_but_not_the_one_just_played() -> None:
    start = position({"market": "Soldier Priest"}, hands=["Soldier", "Clerk"])
    game = Game(start).play("Soldier", "market").pick("market", "Soldier").send("archive")
    assert (game.stack("market"), game.stack("archive")) == ("Priest Soldier", "Soldier")


def test_f31_a_soldier_alone_or_over_locked_cards_moves_nothing() -> None:
    for stack in ("", "Priest Swindler"):
        game = Game(position({"market": stack}, hands=["Soldier", "Clerk Baker"])).play("Soldier", "market")
        assert game.stack("market") == f"{stack} Soldier".strip()
        assert game.state.active == 1


def test_f32_priest_draws_a_missio_card_as_an_extra() -> None:
    start = position({}, hands=["Priest", "Clerk Baker"], missio=[[1, 2]], missio_top=[9])
    game = Game(start).play("Priest", "market")
    assert (game.kind, game.options) == ("PRIEST", [("priest", 1), ("priest", 2)])
    game.choose("priest", 1)
    assert game.state.missio[0] == (1, 2, 9)
    assert game.hand(0) == "", "no draw at the end of the turn"
    assert game.facts("missio_drawn") == [(0, 1)]


def test_f32_or_two_virtus_cards() -> None:
    start = position({}, hands=["Priest", "Clerk Baker"], deck_top="Thief Student Soldier")
    game = Game(start).play("Priest", "market").choose("priest", 2)
    assert game.hand(0) == "Student Thief"


def test_f32_with_an_empty_missio_deck_only_virtus_cards() -> None:
    rest = list(range(1, 21))
    start = position({}, hands=["Priest", "Clerk Baker"], missio=[[], rest], deck_top="Thief Student")
    assert Game(start).play("Priest", "market").hand(0) == "Student Thief"


def test_f33_minstrel_moves_up_to_two_cards_along_its_side() -> None:
    start = position({"courthouse": "Priest Priest"}, hands=["Minstrel", "Clerk"])
    game = Game(start).play("Minstrel", "courthouse")
    assert game.options == [("pass",), ("card", 1, 10), ("card", 1, 11)]
    game.pick("courthouse", "Priest")
    assert (game.kind, game.options) == ("PICK_DESTINATION", [("destination", n) for n in (2, 3, 4, 5)])
    game.send("bakery")
    assert game.options == [("pass",), ("card", 1, 10), ("card", 1, 11)]
    game.pick("courthouse", "Minstrel")
    assert (game.stack("courthouse"), game.stack("bakery")) == ("Priest", "Priest Minstrel")


def test_f33_one_or_none() -> None:
    start = position({"archive": "Priest"}, hands=["Minstrel", "Clerk Baker"])
    one = Game(start).play("Minstrel", "archive").pick("archive", "Priest").send("warehouse").choose("pass")
    assert (one.stack("archive"), one.stack("warehouse")) == ("Minstrel", "Priest")
    none = Game(start).play("Minstrel", "archive").choose("pass")
    assert none.stack("archive") == "Priest Minstrel"
    assert not none.facts("cards_moved")


def test_f33_three_other_locations_in_the_solo_game() -> None:
    game = Game(position({"archive": "Priest"}, hands=["Minstrel"], players=1)).play("Minstrel", "archive")
    game.pick("archive", "Priest")
    assert game.options == [("destination", n) for n in (7, 9, 10)]


@pytest.mark.parametrize("teams", [False, True])
def test_f34_thief_takes_from_hands_of_more_than_two(teams: bool) -> None:
    start = position(
        {}, hands=["Clerk Clerk Clerk", "Thief", "Baker Baker", "Priest Priest Priest"], players=4, turn=2, teams=teams
    )
    game = Game(start).play("Thief", "market")
    assert game.facts("card_stolen") == [(1, 3), (1, 0)], "from the next seat on; partners too"
    assert game.facts("stolen_card") == [(1, 3, 10), (1, 0, 7)]
    private = [event.viewers for event in game.events if event.fact[0] == "stolen_card"]
    assert private == [(1, 3), (0, 1)] or private == [(1, 3), (1, 0)]
    assert [len(hand) for hand in game.state.hands] == [2, 3, 2, 2]


def test_f35_dockmaster_moves_from_market_then_warehouse() -> None:
    start = position({"market": "Priest Thief", "warehouse": "Baker Clerk"}, hands=["Dockmaster", "Clerk"])
    game = Game(start).play("Dockmaster", "market")
    assert game.cards_offered() == "market:Priest market:Thief market:Dockmaster"
    game.pick("market", "Priest").send("warehouse")
    assert game.cards_offered() == "warehouse:Baker warehouse:Clerk", "lifted together: not the card moved there"
    game.pick("warehouse", "Clerk")
    assert len(game.options) == 9
    game.send("market")
    assert (game.stack("market"), game.stack("warehouse")) == ("Thief Dockmaster Clerk", "Baker Priest")


def test_f35_both_cards_may_go_to_one_location() -> None:
    start = position({"market": "Priest", "warehouse": "Baker"}, hands=["Dockmaster", "Clerk"])
    game = Game(start).play("Dockmaster", "market").pick("market", "Priest").send("archive").send("archive")
    assert game.stack("archive") == "Priest Baker"


def test_f35_a_location_without_unlocked_cards_gives_none() -> None:
    start = position({"market": "Priest Swindler"}, hands=["Dockmaster", "Clerk"])
    game = Game(start).play("Dockmaster", "warehouse")
    assert game.kind == "PICK_DESTINATION"
    game.send("archive")
    assert (game.stack("archive"), game.stack("market")) == ("Dockmaster", "Priest Swindler")


def test_f36_swindler_locks_and_does_nothing_else() -> None:
    game = Game(position({"market": "Priest"}, hands=["Swindler", "Clerk Baker"])).play("Swindler", "market")
    assert game.state.piles[location("market")].locked == 2
    assert {event.fact[0] for event in game.events} == {"card_played", "deck_drawn", "cards_drawn", "turn_started"}
