"""Positions by hand for the rules that say what there is (F-01, F-02, F-05, F-07, F-42); every rule has such a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.support.fidelitas import Game, location, position

from palio.engine.errors import QuotaExceeded
from palio.games.fidelitas import Deck, Words
from palio.games.fidelitas.cards import CHARACTER_NAMES, CHARACTERS, GUILD_OF, LOCATION_NAMES, LOCATIONS
from palio.games.fidelitas.conditions import EmptyLocations, MissioCard

HERE = Path(__file__).parent
RULES_PAGE = HERE.parents[1] / "docs" / "fidelitas.md"


@pytest.mark.parametrize("one", CHARACTERS, ids=lambda n: CHARACTER_NAMES[n].lower())
def test_f01_two_cards_are_a_pair_where_they_are_of_one_guild(one: int) -> None:
    """The Clerk's options tell which characters belong together."""
    first = CHARACTER_NAMES[one].capitalize()
    for other in CHARACTERS:
        second = CHARACTER_NAMES[other].capitalize()
        # A Swindler on another card would lock it.
        cards = f"{second} {first}" if second == "Swindler" else f"{first} {second}"
        if "Swindler" in cards.split()[1:]:
            continue
        game = Game(position({"market": cards}, hands=["Clerk Baker"])).play("Clerk", "archive")
        pairs = [option[2:] for option in game.options if option[0] == "pair"]
        assert pairs == ([tuple(sorted((one, other)))] if GUILD_OF[one] == GUILD_OF[other] else [])


def test_f02_the_locations_stand_in_the_order_of_their_numbers() -> None:
    names = [LOCATION_NAMES[n].lower() for n in LOCATIONS]
    city = dict.fromkeys(names[:8], "Student") | dict.fromkeys(names[8:], "Priest")
    deck = Deck((0, *(20 if CHARACTER_NAMES[n] == "STUDENT" else 4 for n in CHARACTERS)))
    game = Game(position(city, hands=["Barrister"], deck=deck)).play("Barrister", "archive")
    offered = [option[1] for option in game.options if option[2] != 8]
    assert offered == list(LOCATIONS)
    assert [LOCATION_NAMES[n] for n in (1, 6, 5, 10, 3, 8)] == [
        *("COURTHOUSE", "ARCHIVE"),
        *("MARKET", "WAREHOUSE"),
        *("TAVERN_NORTH", "TAVERN_SOUTH"),
    ]


def test_f05_a_position_brings_its_own_deck_and_its_cards_are_scored() -> None:
    deck = Deck((0, *[3] * 14), (MissioCard(9, EmptyLocations(10)), *[MissioCard(7, EmptyLocations(3))] * 7))
    game = Game(position({}, hands=["Thief", "Baker"], missio=[[1, 2], []], deck=deck)).play("Thief", "market")
    assert game.options == [("pass",), ("missio", 2)], "nine locations are empty, not ten"
    game.choose("missio", 2)
    assert game.state.view(0).points == (7, 0)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_f07_turns_are_numbered_from_1_in_seat_order_and_a_round_is_one_turn_of_each(players: int) -> None:
    for turn in range(1, 2 * players + 1):
        game = Game(position({}, hands=["Soldier"] * players, players=players, turn=turn))
        decision = game.state.decision()
        assert decision is not None
        assert decision.seat == (turn - 1) % players
        assert game.facts("turn_started") == [(turn, (turn - 1) // players + 1, decision.seat)]


def test_f42_partners_signal_four_times_a_turn() -> None:
    start = position({}, hands=["Baker", "Baker", "Thief", "Baker"], players=4, teams=True, turn=3)
    game = Game(start)
    for number in range(4):
        game.state.signal(0, Words((), (location("market"),)))
        assert len(game.state.take_events()) == 1, number
    with pytest.raises(QuotaExceeded):
        game.state.signal(0, Words((5,)))
    game.state.signal(2, Words((5,)))
    game.play("Thief", "bakery")
    assert game.state.turn == 4
    game.state.signal(0, Words((5,)))


def test_every_rule_has_a_test_that_names_it_and_sets_up_a_position() -> None:
    rules = set(re.findall(r"\bF-(\d\d)", RULES_PAGE.read_text()))
    assert len(rules) == 40
    by_hand = set()
    for path in HERE.glob("test_fidelitas_*.py"):
        source = path.read_text()
        for node in ast.parse(source).body:
            text = ast.get_source_segment(source, node) or ""
            named = re.match(r"def test_f(\d\d)_", text)
            if named and re.search(r"\b(position|_ended)\(", text):
                by_hand.add(named[1])
    assert sorted(rules - by_hand) == []
