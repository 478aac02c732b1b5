"""Rules F-08 to F-17 and F-37 to F-43: the course of a turn, the end, teams, signals, solo."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.fidelitas import Game, fresh, location, position
from tests.support.playing import random_walk

from palio.engine.errors import IllegalAction, InvalidAction, MatchOver, QuotaExceeded
from palio.games.fidelitas import Words
from palio.games.fidelitas.cards import REGULAR
from palio.games.fidelitas.table import ACTION_PHASE, END_PHASE, PLAY_PHASE

FOUR_GUILDS = "Soldier Priest Clerk Baker"


def test_f08_play_action_score_draw_then_the_next_seat() -> None:
    start = position(
        {"market": "Priest Baker Clerk", "tavern_north": "Thief"}, hands=["Soldier Minstrel", "Butcher"], missio=[[7]]
    )
    game = Game(start)
    seen = [(game.kind, game.state.phase)]
    game.play("Soldier", "market")
    seen.append((game.kind, game.state.phase))
    game.pick("market", "Clerk")
    seen.append((game.kind, game.state.phase))
    game.send("archive")
    seen.append((game.kind, game.state.phase))
    assert seen == [
        ("PLAY_CARD", PLAY_PHASE),
        ("PICK_CARD", ACTION_PHASE),
        ("PICK_DESTINATION", ACTION_PHASE),
        ("DRAW_CARD", END_PHASE),
    ]
    game.choose("deck")
    assert (game.state.turn, game.state.active, game.kind) == (2, 1, "PLAY_CARD")
    assert game.facts("turn_started") == [(2, 1, 1)]


def test_f09_one_option_for_each_character_and_allowed_location() -> None:
    game = Game(position({}, hands=["Baker Baker Clerk", "Priest"]))
    places = {4: (3, 4, 8, 9), 7: (1, 3, 6, 8)}
    assert game.options == [("play", character, n) for character, allowed in places.items() for n in allowed]


def test_f10_with_an_empty_hand_nothing_is_played_and_one_card_is_drawn() -> None:
    start = position({"tavern_north": "Priest"}, hands=["Clerk", ""], turn=1)
    game = Game(start).play("Clerk", "archive")
    game.choose("deck")
    game.choose("deck")
    assert (game.kind, game.state.active, game.state.phase) == ("DRAW_CARD", 1, END_PHASE)
    assert game.facts("nothing_played") == [(1,)]
    assert game.state.view(1).draws_left == 1
    assert game.choose("card", 3, 10).hand(1) == "Priest"


def test_f10_a_solo_player_with_only_swindlers_in_an_empty_city() -> None:
    start = position({}, hands=["Swindler"], players=1, deck_top="Priest Baker")
    game = Game(start)
    assert [event.fact for event in game.events if event.fact[0] == "nothing_played"] == [("nothing_played", 0)]
    assert (game.state.turn, game.hand(0)) == (2, "Priest Swindler")


def test_f11_an_action_that_hurts_is_carried_out_on_the_card_itself() -> None:
    game = Game(position({}, hands=["Barrister", "Clerk Baker"])).play("Barrister", "archive")
    assert game.hand(0) == "Barrister"


def test_f12_locked_cards_are_no_object_of_any_action() -> None:
    start = position(
        {"market": "Broker Swindler Thief", "tavern_north": "Priest Swindler", "college": "Swindler Baker"},
        hands=["Butcher", "Clerk"],
    )
    game = Game(start)
    assert game.state.view(None).locked == (0, 0, 2, 0, 2, 0, 0, 0, 0, 0)
    game.play("Butcher", "bakery")
    assert game.cards_offered() == "college:Baker college:Swindler bakery:Butcher market:Thief"
    game.pick("college", "Swindler").pick("college", "Baker")
    assert game.kind == "PLAY_CARD", "the Tavern's cards are locked: only the deck was left to draw from"


def test_f12_an_inactive_swindler_stays_so_under_other_cards() -> None:
    start = position({"tavern_north": "Swindler"}, hands=["Priest Clerk", "Clerk"])
    game = Game(start).play("Clerk", "tavern_north")
    assert game.state.piles[location("tavern_north")].locked == 0


def test_f12_a_swindler_that_the_tavern_turns_up_locks() -> None:
    start = position({"tavern_south": "Baker"}, hands=["Priest", "Clerk"], deck_top="Swindler Soldier")
    game = Game(start).play("Priest", "tavern_north")
    assert game.state.piles[location("tavern_south")].locked == 2


def test_f12_the_highest_active_swindler_counts() -> None:
    game = Game(position({"market": "Priest Swindler Baker Swindler Thief"}, hands=["Clerk", "Clerk"]))
    pile = game.state.piles[location("market")]
    assert (pile.locked, pile.free) == (4, 1 << 12)


def test_f13_clearing_after_moves_looks_at_every_location_at_once() -> None:
    start = position(
        {"market": "Soldier", "bakery": "Soldier Soldier", "college": "Soldier Soldier", "archive": "Soldier"},
        hands=["Baker", "Clerk"],
    )
    game = Game(start).play("Baker", "butchery").pick("market", "Soldier").send("bakery")
    game.pick("archive", "Soldier").send("college")
    assert game.facts("location_cleared") == [(location("college"), (9, 9, 9)), (location("bakery"), (9, 9, 9))]
    assert game.discarded == "Soldier Soldier Soldier Soldier Soldier Soldier"


def test_f13_soldiers_passing_through_do_not_meet() -> None:
    """All moves of an action are done before anything is checked."""
    start = position({"market": "Soldier", "warehouse": "Soldier Soldier"}, hands=["Dockmaster", "Clerk"])
    game = Game(start).play("Dockmaster", "market").pick("market", "Soldier").send("warehouse").send("archive")
    assert (game.stack("warehouse"), game.stack("archive")) == ("Soldier Soldier", "Soldier")
    assert not game.facts("location_cleared")


def test_f13_a_swap_can_clear() -> None:
    start = position({"market": "Soldier Soldier Priest", "bakery": "Soldier"}, hands=["Shopkeeper", "Clerk"])
    game = Game(start).play("Shopkeeper", "warehouse").pick("market", "Priest").pick("bakery", "Soldier")
    assert (game.stack("market"), game.stack("bakery")) == ("", "Priest")


def test_f13_a_second_deck_is_shuffled_before_the_turned_up_card_clears() -> None:
    start = position(
        {"tavern_south": "Soldier Soldier"}, hands=["Baker", "Clerk"], deck_top="Soldier", deck_size=1, discard="Priest"
    )
    game = Game(start).play("Baker", "tavern_north")
    assert game.facts("deck_reshuffled") == [(len(start.discard),)]
    assert game.discarded == "Soldier Soldier Soldier"


def test_f13_if_the_game_ends_with_the_turned_up_card_nothing_clears() -> None:
    start = position(
        {"tavern_south": "Soldier Soldier"}, hands=["Baker", "Clerk"], deck_top="Soldier", deck_size=1, reshuffled=True
    )
    game = Game(start).play("Baker", "tavern_north")
    assert game.stack("tavern_south") == "Soldier Soldier Soldier"
    assert game.state.ended_by == "exhaustion"


def test_f14_the_topmost_unlocked_copy_is_meant() -> None:
    start = position({"market": "Priest Baker Priest Clerk"}, hands=["Barrister", "Clerk"])
    game = Game(start).play("Barrister", "archive").pick("market", "Priest")
    assert game.stack("market") == "Priest Baker Clerk"


def test_f14_moved_cards_are_lifted_together_and_land_in_the_order_picked() -> None:
    start = position({"courthouse": "Priest Thief"}, hands=["Minstrel", "Clerk"])
    game = Game(start).play("Minstrel", "courthouse")
    game.pick("courthouse", "Thief").send("bakery").pick("courthouse", "Priest")
    assert game.stack("bakery") == "Thief Priest"


def test_f15_scoring_any_of_the_fulfilled_cards_one_after_another() -> None:
    start = position(
        {"market": FOUR_GUILDS, "bakery": FOUR_GUILDS},
        hands=["Thief", "Butcher"],
        missio=[[5, 7, 13]],
        missio_top=[1, 2],
    )
    game = Game(start).play("Thief", "college")
    assert (game.kind, game.options) == ("SCORE_MISSIO", [("pass",), ("missio", 5), ("missio", 7)])
    game.choose("missio", 7)
    assert game.options == [("pass",), ("missio", 5)]
    game.choose("missio", 5)
    assert (game.state.scored[0], game.state.points[0]) == ((7, 5), 2)
    assert game.state.missio[0] == (1, 13), "one replacement brings the hand to two"
    assert game.facts("missio_drawn") == [(0, 1)]


def test_f15_cards_drawn_now_cannot_be_scored_this_turn() -> None:
    start = position(
        {"market": FOUR_GUILDS, "bakery": FOUR_GUILDS}, hands=["Thief", "Butcher"], missio=[[7, 13]], missio_top=[5]
    )
    game = Game(start).play("Thief", "college").choose("missio", 7)
    assert game.state.missio[0] == (5, 13)
    assert game.kind == "PLAY_CARD", "the next seat's turn"


def test_f15_no_replacement_while_two_are_in_hand_or_after_a_pass() -> None:
    city = {"market": FOUR_GUILDS}
    extra = Game(position(city, hands=["Thief", "Butcher"], missio=[[7, 13, 14]])).play("Thief", "college")
    assert extra.choose("missio", 7).state.missio[0] == (13, 14)
    passed = Game(position(city, hands=["Thief", "Butcher"], missio=[[7]])).play("Thief", "college")
    passed.choose("pass")
    assert passed.state.missio[0] == (7,)
    assert {event.fact[0] for event in passed.events} == {"deck_drawn", "cards_drawn", "turn_started"}


def test_f15_fewer_replacements_from_a_short_missio_deck() -> None:
    others = [number for number in range(1, 21) if number not in (5, 7, 1)]
    start = position(
        {"market": FOUR_GUILDS, "bakery": FOUR_GUILDS}, hands=["Thief", "Butcher"], missio=[[5, 7], others]
    )
    game = Game(start).play("Thief", "college").choose("missio", 5).choose("missio", 7)
    assert game.state.missio[0] == (1,)
    assert game.state.missio_deck == ()


def test_f15_with_nothing_to_score_there_is_no_decision_and_no_event() -> None:
    game = Game(position({}, hands=["Thief", "Butcher"], missio=[[7]])).play("Thief", "college")
    assert [event.fact[0] for event in game.events if event.viewers is None] == [
        "card_played",
        "deck_drawn",
        "turn_started",
    ]


def test_f16_the_deck_or_an_unlocked_card_of_an_unbarred_side() -> None:
    start = position({"tavern_north": "Priest Baker", "tavern_south": "Clerk"}, hands=["Thief", "Butcher"])
    game = Game(start).play("Thief", "college")
    assert game.options == [("deck",), ("card", 3, 4), ("card", 3, 10), ("card", 8, 7)]
    game.choose("card", 3, 10)
    assert (game.hand(0), game.stack("tavern_north")) == ("Priest", "Baker")
    assert game.facts("tavern_drawn") == [(0, 10, 3)]


def test_f16_a_side_is_barred_by_playing_but_not_by_the_turned_up_card() -> None:
    start = position({"tavern_north": "Priest"}, hands=["Thief", "Butcher"], deck_top="Clerk Student")
    game = Game(start).play("Thief", "tavern_north")
    assert game.options == [("deck",), ("card", 8, 7)]
    assert game.state.view(1).barred == (3,)


def test_f16_a_side_is_barred_by_moving_and_swapping() -> None:
    moved = Game(position({"market": "Priest", "tavern_south": "Clerk"}, hands=["Soldier", "Butcher"]))
    moved.play("Soldier", "market").send("tavern_north")
    assert moved.options == [("deck",), ("card", 8, 7)]
    start = position({"tavern_north": "Priest", "tavern_south": "Clerk"}, hands=["Shopkeeper", "Butcher Baker"])
    swapped = Game(start).play("Shopkeeper", "market").pick("tavern_north", "Priest").pick("tavern_south", "Clerk")
    assert swapped.kind == "PLAY_CARD", "both sides were barred, so the deck was the only option"


def test_f16_a_side_stays_barred_when_it_is_cleared() -> None:
    start = position(
        {"tavern_north": "Soldier Soldier", "market": "Priest Priest"}, hands=["Soldier", "Butcher"], deck_top="Baker"
    )
    game = Game(start).play("Soldier", "tavern_north")
    assert game.stack("tavern_north") == ""
    assert game.state.view(None).barred == (3,)


def test_f16_a_card_played_on_the_tavern_draws_one() -> None:
    start = position({}, hands=["Professor", "Butcher"], deck_top="Clerk Student Thief")
    game = Game(start).play("Professor", "tavern_north").choose("deck")
    assert game.hand(0) == "Student"


def test_f17_a_decision_with_one_option_is_never_asked() -> None:
    for players in (1, 2, 3, 4):
        for step in random_walk(fresh(f"forced-{players}", players), players):
            decision = step.decision()
            assert decision is None or len(decision.options) > 1


def test_f17_steps_count_forced_choices() -> None:
    start = position({"market": "Priest", "warehouse": "Baker"}, hands=["Dockmaster", "Clerk"])
    game = Game(start).play("Dockmaster", "market").pick("market", "Priest").send("archive")
    asking = game.state.view(0).asking
    assert asking is not None
    assert (asking.kind, asking.character, asking.step) == ("PICK_DESTINATION", 13, 4)
    assert asking.picks[2] == ("card", 10, 4)
    assert game.state.view(1).asking is None


def test_f37_the_first_exhaustion_makes_a_second_deck() -> None:
    start = position({}, hands=["Thief", "Butcher"], deck_top="Clerk", deck_size=1)
    game = Game(start).play("Thief", "college")
    view = game.state.view(None)
    assert (view.reshuffled, view.discard, view.virtus_deck_size) == (True, (), len(start.discard))
    assert game.facts("deck_reshuffled") == [(len(start.discard),)]


def test_f37_drawing_goes_on_in_the_second_deck() -> None:
    start = position({}, hands=["Student", "Butcher"], deck_top="Clerk", deck_size=1)
    game = Game(start).play("Student", "college")
    assert game.facts("deck_drawn") == [(0, 1), (0, 3)]
    assert len(game.state.student) == 4


def test_f37_the_second_exhaustion_ends_the_game_at_once() -> None:
    start = position({"market": FOUR_GUILDS}, hands=["Student", "Butcher"], missio=[[7]], deck_size=3, reshuffled=True)
    game = Game(start).play("Student", "college")
    assert game.kind is None
    assert (game.state.ended_by, game.state.points[0]) == ("exhaustion", 0)
    assert game.facts("game_over") == [("exhaustion",)]


def test_f37_an_empty_discard_pile_counts_as_the_second_time() -> None:
    threes = ["Shopkeeper", "Broker", "Butcher", "Baker"]
    city = {
        "tavern_north": " ".join(name for name in threes for _ in range(3)),
        "tavern_south": "Professor Professor Professor Student Student Student Clerk Clerk Clerk Barrister Barrister",
        "market": "Soldier Soldier Priest Priest Priest Priest Minstrel Minstrel Minstrel Minstrel",
        "bakery": "Soldier Soldier Thief Thief Dockmaster Dockmaster Dockmaster Swindler Swindler Swindler Swindler",
        "college": "Soldier Soldier",
    }
    start = position(city, hands=["Thief", "Barrister Soldier"], deck_top="Soldier", deck_size=1)
    assert start.discard == ()
    game = Game(start).play("Thief", "college")
    assert game.choose("deck").state.ended_by == "exhaustion"


def test_f38_the_round_is_finished_when_the_target_is_reached() -> None:
    start = position(
        {"market": FOUR_GUILDS},
        hands=["Thief", "Butcher", "Butcher"],
        players=3,
        missio=[[7]],
        scored=[[9, 10, 1]],
        missio_top=[13, 14],
    )
    game = Game(start).play("Thief", "college").choose("missio", 7)
    assert game.facts("final_round") == [(0,)]
    assert game.state.view(2).final_round
    while game.kind is not None:
        game.state.choose(0)
    assert (game.state.ended_by, game.state.turn) == ("target", 3)


@pytest.mark.parametrize(("players", "teams", "target"), [(2, False, 10), (3, False, 8), (4, False, 6), (4, True, 8)])
def test_f38_targets(players: int, teams: bool, target: int) -> None:
    assert fresh("target", players, teams=teams).setup.target == target


def test_f39_the_turn_limit_ends_the_game() -> None:
    start = position({}, hands=["Butcher", "Thief"], turn=20, max_turns=20)
    game = Game(start).play("Thief", "college")
    assert (game.kind, game.state.ended_by, game.state.turn) == (None, "turn_limit", 20)


def _ended(scored: list[list[int]], **rest: Any) -> tuple[int, ...]:
    players = len(scored)
    hands = ["Thief"] + ["Butcher"] * min(players - 1, 2) + ["Baker"] * max(players - 3, 0)
    turn = 21
    hands = hands[-(turn - 1) % players :] + hands[: -(turn - 1) % players]
    start = position({}, hands=hands, players=players, scored=scored, turn=turn, max_turns=turn, **rest)
    game = Game(start)
    while game.kind is not None:
        game.state.choose(0)
    outcome = game.state.outcome()
    assert outcome is not None
    return outcome.ranks


def test_f40_most_points_then_fewest_scored_cards_then_equal() -> None:
    assert _ended([[9], [10]]) == (1, 1)
    assert _ended([[9], [15, 1]]) == (1, 2), "three points each, but fewer cards"
    assert _ended([[1], [9], [10]]) == (3, 1, 1)
    assert _ended([[1], [], [2]]) == (1, 3, 1)


def test_f41_teams_are_ranked_by_their_sums() -> None:
    assert _ended([[9], [1], [], [15]], teams=True) == (1, 2, 1, 2), "three each, one card against two"
    assert _ended([[9], [10], [1], []], teams=True) == (1, 2, 1, 2)
    assert _ended([[1], [10], [], []], teams=True) == (2, 1, 2, 1)


def test_f41_the_partner_scores_in_the_same_turn() -> None:
    start = position(
        {"market": FOUR_GUILDS, "bakery": FOUR_GUILDS},
        hands=["Thief", "Butcher", "Butcher", "Thief"],
        players=4,
        teams=True,
        missio=[[7], [], [5], []],
        missio_top=[1, 2, 3, 4],
    )
    game = Game(start).play("Thief", "college")
    decision = game.state.decision()
    assert decision is not None
    assert (decision.seat, decision.options[1]) == (0, ("missio", 7))
    game.choose("missio", 7)
    decision = game.state.decision()
    assert decision is not None
    assert (decision.seat, decision.options[1]) == (2, ("missio", 5))
    assert game.state.missio[0] == (1, 2), "the active player's replacements come first"
    game.choose("missio", 5)
    assert game.state.missio[2] == (3, 4)
    assert (game.state.active, game.state.view(0).points) == (1, (1, 0, 1, 0))


def test_f41_the_partner_may_score_when_the_active_player_has_nothing() -> None:
    start = position(
        {"market": FOUR_GUILDS}, hands=["Thief", "Baker", "Baker", "Thief"], players=4, teams=True, missio=[[], [], [7]]
    )
    game = Game(start).play("Thief", "college")
    decision = game.state.decision()
    assert decision is not None
    assert (decision.seat, decision.kind) == (2, "SCORE_MISSIO")
    assert game.state.view(0).asking is None


def test_f42_signals_are_seen_by_everybody() -> None:
    state = fresh("talk", 4, teams=True)
    state.take_events()
    state.signal(2, Words((1, 9), (10,)))
    (event,) = state.take_events()
    assert (event.fact, event.viewers) == (("signalled", 2, (1, 9), (10,)), None)


def test_f42_four_signals_a_turn_and_again_in_the_next() -> None:
    state = fresh("talk", 4, teams=True)
    for _ in range(4):
        state.signal(1, Words((1,)))
    with pytest.raises(QuotaExceeded, match="4 signals"):
        state.signal(1, Words((1,)))
    state.signal(3, Words((1,)))
    while state.turn == 1:
        state.choose(0)
    state.signal(1, Words((1,)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (Words(), "at least one"),
        (Words((1, 2, 3, 4)), "at most 3 guilds"),
        (Words((), (1, 2, 3, 4)), "at most 3 locations"),
        (Words((10,)), "1 to 9"),
        (Words((), (11,)), "1 to 10"),
        (Words((0,)), "1 to 9"),
        (Words((1, 1)), "twice"),
    ],
)
def test_f42_other_words_are_refused_and_the_match_goes_on(words: Words, message: str) -> None:
    state = fresh("talk", 4, teams=True)
    state.take_events()
    with pytest.raises(IllegalAction, match=message):
        state.signal(0, words)
    assert state.take_events() == []
    assert state.decision() is not None


def test_f42_nobody_talks_without_teams_or_after_the_end() -> None:
    with pytest.raises(IllegalAction, match="team"):
        fresh("talk", 4).signal(0, Words((1,)))
    state = fresh("talk", 4, teams=True)
    with pytest.raises(IllegalAction, match="seat"):
        state.signal(4, Words((1,)))
    *_, _last = random_walk(state, 1)
    with pytest.raises(MatchOver):
        state.signal(0, Words((1,)))


def test_f43_solo_has_no_tavern() -> None:
    state = fresh("solo", 1)
    assert [n for n in range(1, 11) if state.piles[n].cards] == list(REGULAR)
    game = Game(position({"market": "Priest"}, hands=["Soldier"], players=1))
    assert [option[2] for option in game.options] == list(REGULAR)
    game.play("Soldier", "market")
    assert game.options == [("destination", n) for n in REGULAR if n != 5]


def test_f43_solo_ends_at_the_first_exhaustion() -> None:
    game = Game(position({}, hands=["Dockmaster"], players=1, deck_size=1, deck_top="Priest"))
    game.play("Dockmaster", "market").send("archive")
    assert (game.kind, game.state.ended_by) == (None, "exhaustion")


def test_f43_solo_ends_when_all_missio_cards_are_scored() -> None:
    done = [number for number in range(1, 21) if number != 7]
    start = position({"market": FOUR_GUILDS}, hands=["Dockmaster"], players=1, missio=[[7]], scored=[done])
    game = Game(start).play("Dockmaster", "market").pick("market", "Dockmaster").send("archive")
    game.choose("missio", 7)
    assert (game.kind, game.state.ended_by) == (None, "all_scored")
    assert game.state.outcome() == ((1,), (sum(game.state.points),), "all_scored")


def test_f43_a_thief_drawn_at_the_end_of_the_turn_is_placed_and_replaced() -> None:
    start = position({}, hands=["Dockmaster Baker"], players=1, deck_top="Thief Priest")
    game = Game(start).play("Dockmaster", "market").send("archive")
    assert game.options == [("play", 12, n) for n in REGULAR]
    assert game.state.view(0).asking == ("PLACE_THIEF", 0, 1, ())
    game.choose("play", 12, 1)
    assert (game.stack("courthouse"), game.hand(0)) == ("Thief", "Baker Priest")
    assert game.facts("thief_placed") == [(0, 1)]
    assert (game.state.turn, game.kind) == (2, "PLAY_CARD")


def test_f43_with_more_than_two_other_cards_one_is_discarded_first() -> None:
    start = position(
        {}, hands=["Professor Baker Clerk Butcher"], players=1, deck_top="Thief Thief Student Priest Broker"
    )
    game = Game(start).play("Professor", "college").choose("hand_card", 7)
    assert game.hand(0) == "Butcher Baker Student Thief Thief"
    game.choose("play", 12, 1)
    assert (game.kind, game.options) == ("DISCARD_CARD", [("hand_card", n) for n in (3, 4, 6, 12)])
    assert game.state.view(0).asking == ("DISCARD_CARD", 0, 1, ())
    game.choose("hand_card", 12)
    assert game.hand(0) == "Butcher Baker Student Priest", "the other Thief was the one discarded"
    assert game.discarded == "Clerk Thief"
    assert game.state.phase == PLAY_PHASE


def test_f43_several_thieves_one_after_another_and_a_replacement_may_be_one() -> None:
    start = position({}, hands=["Priest"], players=1, deck_top="Thief Thief Thief Baker Broker Clerk")
    game = Game(start).play("Priest", "market").choose("priest", 2)
    for place in (1, 2, 4):
        assert game.kind == "PLACE_THIEF"
        game.choose("play", 12, place)
    assert game.hand(0) == "Broker Baker"
    assert game.state.turn == 2


@pytest.mark.parametrize("character", ["Barrister", "Student"])
def test_f43_a_thief_taken_by_an_action_is_placed_before_scoring(character: str) -> None:
    start = position(
        {"bakery": "Thief"}, hands=[f"{character} Baker"], players=1, deck_top="Clerk Thief Soldier Priest"
    )
    game = Game(start)
    if character == "Barrister":
        game.play("Barrister", "archive").pick("bakery", "Thief")
    else:
        game.play("Student", "college").choose("hand_card", 12)
    assert (game.kind, game.state.phase) == ("PLACE_THIEF", ACTION_PHASE)


def test_f43_a_thief_in_the_opening_hand_is_placed_before_turn_1() -> None:
    for number in range(100):
        state = fresh(f"opening-{number}", 1)
        decision = state.decision()
        assert decision is not None
        if decision.kind == "PLACE_THIEF":
            assert (state.turn, state.view(0).round) == (0, 0)
            while state.turn == 0:
                state.choose(0)
            decision = state.decision()
            assert decision is not None
            assert (state.turn, decision.kind, len(state.hands[0])) == (1, "PLAY_CARD", 2)
            return
    pytest.fail("no opening hand with a Thief")


@pytest.mark.parametrize("index", [-1, 12, 10**9])
def test_an_index_out_of_range_is_refused_and_the_match_goes_on(index: int) -> None:
    state = fresh("range", 2)
    before = state.decision()
    with pytest.raises(IllegalAction, match="there are"):
        state.choose(index if index != 12 else len(before.options))  # type: ignore[union-attr]
    assert state.decision() == before


@pytest.mark.parametrize("index", ["0", None, 0.0, True])
def test_what_is_no_index_is_refused(index: Any) -> None:
    with pytest.raises(InvalidAction, match="index"):
        fresh("type", 2).choose(index)


def test_no_choice_after_the_end() -> None:
    *_, state = random_walk(fresh("over", 2), 1)
    with pytest.raises(MatchOver):
        state.choose(0)
