"""Rules F-01 to F-07: cards, custom decks, chance, setup."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.fidelitas import Game, characters, fresh, location, position

from palio.engine.chance import Stream, seed_from_text
from palio.engine.errors import InvalidSetup
from palio.games.fidelitas import RULES, Deck, Options
from palio.games.fidelitas.cards import (
    CASTLE,
    CHARACTER_NAMES,
    CHARACTERS,
    DRAWS,
    GUILD_NAMES,
    GUILD_OF,
    HARBOR,
    HOUSE_COPIES,
    LOCATION_CARDS,
    LOCATION_NAMES,
    LOCATIONS,
    PLAYED_ON,
    REGULAR,
    TAVERN_SIDES,
)
from palio.games.fidelitas.conditions import (
    HOUSE_MISSIO,
    CharacterCount,
    DistinctGuilds,
    EmptyLocations,
    MissioCard,
)
from palio.games.fidelitas.decks import CONDITION_KINDS, kind_of
from palio.games.fidelitas.piles import EMPTY, pile_of
from palio.games.fidelitas.text import describe_condition


def test_f01_nine_guilds() -> None:
    assert GUILD_NAMES[1:] == (
        "COMMERCE",
        "ARTISAN",
        "ACADEMIC",
        "JUDICIARY",
        "MILITARY",
        "CHURCH",
        "ENTERTAINMENT",
        "HARBOR",
        "MISCREANT",
    )
    members = Counter(GUILD_NAMES[guild] for guild in GUILD_OF[1:])
    assert [guild for guild, count in members.items() if count == 1] == [
        "MILITARY",
        "CHURCH",
        "ENTERTAINMENT",
        "MISCREANT",
    ]


def test_f02_ten_locations_on_five_cards() -> None:
    assert [LOCATION_CARDS[n] for n in range(1, 6)] == [LOCATION_CARDS[n] for n in range(6, 11)]
    assert [LOCATION_NAMES[n] for n in CASTLE] == ["COURTHOUSE", "ARCHIVE"]
    assert [LOCATION_NAMES[n] for n in HARBOR] == ["MARKET", "WAREHOUSE"]
    assert [LOCATION_NAMES[n] for n in TAVERN_SIDES] == ["TAVERN_NORTH", "TAVERN_SOUTH"]


def test_f03_fifty_virtus_cards() -> None:
    assert sum(HOUSE_COPIES) == 50
    assert {CHARACTER_NAMES[n]: HOUSE_COPIES[n] for n in CHARACTERS if HOUSE_COPIES[n] != 3} == {
        "SOLDIER": 8,
        "PRIEST": 4,
        "MINSTREL": 4,
        "SWINDLER": 4,
    }
    assert {CHARACTER_NAMES[n] for n in CHARACTERS if PLAYED_ON[n] == REGULAR} == {
        "SOLDIER",
        "PRIEST",
        "THIEF",
        "SWINDLER",
    }
    assert {CHARACTER_NAMES[n] for n in CHARACTERS if DRAWS[n] == (0,)} == {
        "PROFESSOR",
        "STUDENT",
        "BARRISTER",
        "PRIEST",
    }


def test_f03_a_swindler_needs_a_card_under_it_except_at_the_tavern() -> None:
    game = Game(position({"market": "Broker"}, hands=["Swindler Clerk", "Priest"]))
    places = [option[2] for option in game.options if option[1] == 14]
    assert places == [location("tavern_north"), location("market"), location("tavern_south")]


def met(number: int, stacks: dict[str, str]) -> bool:
    """Whether the house's Missio card of that number is fulfilled in a City."""
    city = [EMPTY] * 11
    for place, names in stacks.items():
        city[location(place)] = pile_of(characters(names))
    return HOUSE_MISSIO[number - 1].condition.met(city, LOCATIONS)


THREE_PAIRS = {"market": "Broker Shopkeeper", "bakery": "Thief Dockmaster", "archive": "Clerk Clerk Swindler"}
FOUR = "Soldier Priest Clerk Baker"
SIX = ("Soldier Priest Clerk", "Minstrel Thief Professor Soldier")
FIVE = (SIX[0], "Minstrel Thief Soldier")
SIX_PLACES = ("courthouse", "college", "bakery", "market", "archive", "library")
MISSIO_CASES: list[tuple[int, dict[str, str], dict[str, str]]] = [
    *(
        (number, {place: FOUR}, {place: "Soldier Priest Clerk Barrister"})
        for number, place in enumerate(
            ("courthouse", "archive", "college", "library", "bakery", "butchery", "market", "warehouse"), 1
        )
    ),
    *(
        (number, dict(zip(places, SIX, strict=True)), dict(zip(places, FIVE, strict=True)))
        for number, places in (
            (9, ("courthouse", "archive")),
            (10, ("college", "library")),
            (11, ("bakery", "butchery")),
            (12, ("market", "warehouse")),
        )
    ),
    (
        13,
        {"market": "Soldier Soldier", "tavern_north": "Soldier Soldier Swindler", "bakery": "Soldier Soldier"},
        {"market": "Soldier Soldier", "tavern_north": "Soldier Soldier", "bakery": "Soldier"},
    ),
    (14, dict.fromkeys(SIX_PLACES, "Priest"), dict.fromkeys((*SIX_PLACES, "tavern_north"), "Priest")),
    (15, {"courthouse": "Minstrel", "archive": "Minstrel Swindler"}, {"courthouse": "Minstrel Minstrel"}),
    (16, {"market": "Thief", "warehouse": "Dockmaster"}, {"market": "Thief Dockmaster", "archive": "Thief"}),
    (
        17,
        dict.fromkeys(("market", "bakery", "tavern_south"), "Priest"),
        {"market": "Priest Priest", "bakery": "Priest"},
    ),
    (
        18,
        {"market": "Baker Swindler Swindler", "tavern_south": "Swindler Swindler"},
        {"market": "Swindler Swindler", "bakery": "Swindler Swindler"},
    ),
    (
        19,
        {**THREE_PAIRS, "library": "Priest Priest"},
        THREE_PAIRS,
    ),
    (20, {"tavern_north": f"{FOUR} Thief Thief Soldier"}, {"market": f"{FOUR} Thief Thief"}),
]


@pytest.mark.parametrize(("number", "fulfilled", "short"), MISSIO_CASES, ids=[f"missio{n}" for n, _, _ in MISSIO_CASES])
def test_f04_missio_conditions(number: int, fulfilled: dict[str, str], short: dict[str, str]) -> None:
    assert met(number, fulfilled)
    assert not met(number, short)


def test_f04_twenty_missio_cards_with_these_points() -> None:
    assert [card.points for card in HOUSE_MISSIO] == [1] * 8 + [3] * 5 + [4, 2, 2, 3, 2, 2, 2]
    assert {number for number, _, _ in MISSIO_CASES} == set(range(1, 21))
    assert len({kind_of(card.condition) for card in HOUSE_MISSIO}) == len(CONDITION_KINDS)
    assert describe_condition(HOUSE_MISSIO[7].condition) == "at least 4 guilds at the Warehouse"


def test_f04_in_the_solo_game_the_tavern_is_no_empty_location() -> None:
    city = dict.fromkeys(("courthouse", "college", "bakery", "market", "archive"), "Priest")
    city["archive"] = "Soldier"
    solo = Game(position(city, hands=["Clerk"], players=1)).state
    assert not EmptyLocations(4).met(solo.piles, solo.setup.locations)
    assert EmptyLocations(3).met(solo.piles, solo.setup.locations)


SMALL: dict[str, Any] = {
    "virtus": [{"character": "SOLDIER", "copies": 20}, {"character": "CHARACTER_PRIEST", "copies": 10}],
    "missio": [{"points": 9, "distinct_guilds": {"locations": ["MARKET", 10], "count": 2}}]
    + [{"points": 1, "characterCount": {"character": "PRIEST", "count": 3}}] * 7,
}


def test_f05_a_match_plays_with_its_own_cards() -> None:
    options = RULES.options(deck=SMALL)
    copies = [0] * 15
    copies[9], copies[10] = 20, 10
    missio = (MissioCard(9, DistinctGuilds((5, 10), 2)), *[MissioCard(1, CharacterCount(10, 3))] * 7)
    assert options == Options(deck=Deck(tuple(copies), missio))
    state = RULES.start(seed_from_text("small"), 2, options)
    assert {card for hand in state.hands for card in hand} <= {9, 10}
    assert len(state.virtus) == 30
    assert sorted(state.missio_deck + state.missio[0] + state.missio[1]) == list(range(1, 9))


@pytest.mark.parametrize(
    ("deck", "field"),
    [
        ({"virtus": [{"character": "SOLDIER", "copies": 29}]}, "deck.virtus"),
        ({"virtus": [{"character": "SOLDIER", "copies": 200}, {"character": "BAKER", "copies": 1}]}, "deck.virtus"),
        ({"virtus": [{"character": "SOLDIER", "copies": 201}]}, "deck.virtus[0].copies"),
        ({"virtus": [{"character": "SOLDIER", "copies": -1}]}, "deck.virtus[0].copies"),
        ({"virtus": [{"character": "WIZARD", "copies": 30}]}, "deck.virtus[0].character"),
        ({"virtus": [{"character": "SOLDIER", "count": 30}]}, "deck.virtus[0].count"),
        ({"virtus": {"SOLDIER": 30}}, "deck.virtus"),
        ({"missio": SMALL["missio"][:7]}, "deck.missio"),
        ({"missio": SMALL["missio"] * 8}, "deck.missio"),
        ({"missio": [{"points": 0, "guild_pairs": {"count": 1}}]}, "deck.missio[0].points"),
        ({"missio": [{"points": 10, "guild_pairs": {"count": 1}}]}, "deck.missio[0].points"),
        ({"missio": [{"points": True, "guild_pairs": {"count": 1}}]}, "deck.missio[0].points"),
        ({"missio": [{"points": 1}]}, "deck.missio[0]"),
        ({"missio": [{"points": 1, "guild_pairs": {"count": 1}, "empty_locations": {"count": 1}}]}, "deck.missio[0]"),
        ({"missio": [{"points": 1, "guild_pairs": {"count": 11}}]}, "deck.missio[0].guild_pairs.count"),
        ({"missio": [{"id": 2, "points": 1, "guild_pairs": {"count": 1}}]}, "deck.missio[0].id"),
        (
            {"missio": [{"points": 1, "guild_at_each": {"guild": "HARBOR", "locations": []}}]},
            "deck.missio[0].guild_at_each.locations",
        ),
        (
            {"missio": [{"points": 1, "guild_at_each": {"guild": "NAVY", "locations": ["MARKET"]}}]},
            "deck.missio[0].guild_at_each.guild",
        ),
        (
            {"missio": [{"points": 1, "distinct_guilds": {"count": 1, "locations": ["MARKET", "MARKET"]}}]},
            "deck.missio[0].distinct_guilds.locations",
        ),
        ({"cards": []}, "deck.cards"),
        ("house", "deck"),
    ],
)
def test_f05_decks_out_of_bounds_are_refused_by_field(deck: object, field: str) -> None:
    with pytest.raises(InvalidSetup) as caught:
        RULES.options(deck=deck)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("given", "field", "allowed"),
    [
        ({"max_turns": 19}, "max_turns", "20 to 10000"),
        ({"max_turns": 10_001}, "max_turns", "20 to 10000"),
        ({"max_turns": "50"}, "max_turns", "20 to 10000"),
        ({"max_turns": True}, "max_turns", "20 to 10000"),
        ({"teams": 1}, "teams", "true or false"),
        ({"colour": "red"}, "colour", "teams, max_turns, deck"),
    ],
)
def test_options_are_refused_by_field_with_what_is_allowed(given: dict[str, Any], field: str, allowed: str) -> None:
    with pytest.raises(InvalidSetup, match=allowed) as caught:
        RULES.options(**given)
    assert caught.value.field == field


@pytest.mark.parametrize("players", [0, 5, -1, True, "2"])
def test_players_out_of_bounds_are_refused(players: Any) -> None:
    with pytest.raises(InvalidSetup, match="1 to 4"):
        RULES.start(b"s" * 32, players, RULES.options())


def test_teams_need_four_players() -> None:
    with pytest.raises(InvalidSetup, match="4 players"):
        RULES.start(b"s" * 32, 3, RULES.options(teams=True))


CHANCE: list[dict[str, Any]] = json.loads((Path(__file__).parent.parent / "vectors" / "chance.json").read_text())


@pytest.mark.parametrize("case", CHANCE, ids=[case["seed_text"] or "empty" for case in CHANCE])
def test_f06_decks_follow_from_the_seed_by_the_labels(case: dict[str, Any]) -> None:
    state = fresh(case["seed_text"])
    assert list(state.virtus) == case["virtus_1"]
    assert list(state.missio_deck) == case["missio"][4:]


def test_f06_the_second_deck_is_shuffled_from_the_discard_pile_in_order() -> None:
    start = position({"tavern_north": "Priest"}, hands=["Soldier", "Clerk"], deck_size=1, seed="again")
    game = Game(start).play("Soldier", "market")
    game.choose("deck")
    expected = sorted(start.discard)
    Stream(seed_from_text("again"), "virtus/2").shuffle(expected)
    assert list(game.state.virtus) == expected
    assert game.facts("deck_reshuffled") == [(len(expected),)]


def test_f06_a_thief_takes_by_turn_and_victim() -> None:
    hand = "Shopkeeper Broker Butcher Baker Professor"
    start = position({}, hands=["Thief", "Clerk", hand], players=3, turn=7, seed="palio")
    game = Game(start).play("Thief", "college")
    index = Stream(seed_from_text("palio"), "thief/7/2").uniform(5)
    assert game.facts("stolen_card") == [(0, 2, index + 1)]


@pytest.mark.parametrize(("players", "laid"), [(1, 8), (2, 10), (3, 10), (4, 10)])
def test_f07_setup(players: int, laid: int) -> None:
    state = fresh("fidelitas-1", players)
    virtus, missio = CHANCE[1]["virtus_1"], CHANCE[1]["missio"]
    places = [n for n in range(1, 11) if laid == 10 or n not in (3, 8)]
    assert [state.piles[n].cards for n in places] == [(card,) for card in virtus[:laid]]
    for seat in range(players):
        assert state.hands[seat] == tuple(sorted((virtus[laid + seat], virtus[laid + players + seat])))
        assert state.missio[seat] == tuple(sorted((missio[seat], missio[players + seat])))
    assert (state.turn, state.active) == (1, 0)
    assert state.virtus[state.drawn] == virtus[laid + 2 * players]
