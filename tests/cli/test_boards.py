"""The drawing of Fidelitas, from hand-made observations."""

from __future__ import annotations

import pytest
from rich.console import Console

from palio.cli.boards import board_of
from palio.cli.boards.fidelitas import character_name, guild_name, location_name
from palio.client import Match
from palio.codec import codec_of
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import catalog_pb2, game_pb2, play_pb2


@pytest.fixture
def match() -> Match:
    info = catalog_pb2.GetGameResponse(catalogue=codec_of("fidelitas").catalogue())
    started = play_pb2.MatchStarted(game="fidelitas", players=["ada", "bob"])
    return Match("m", started, lambda _: None, info)


def drawn(match: Match, observation: pb.Observation) -> str:
    console = Console(width=100, record=True, file=None, quiet=False, no_color=True)
    with console.capture() as capture:
        console.print(board_of(match).draw(game_pb2.Observation(fidelitas=observation), match.players))
    return capture.get()


def observation(**fields: object) -> pb.Observation:
    found = pb.Observation(players=2, turn=3, round=2, active_seat=1, phase=pb.PHASE_PLAY, **fields)  # type: ignore[arg-type]
    for _ in range(10):
        found.stacks.add()
    for _ in range(2):
        found.seats.add(hand_size=2, missio_count=2)
    return found


def test_stacks_stand_top_first_and_locked_cards_are_marked(match: Match) -> None:
    seen = observation(barred=[pb.LOCATION_TAVERN_NORTH])
    seen.stacks[0].cards.extend([pb.CHARACTER_BAKER, pb.CHARACTER_SWINDLER, pb.CHARACTER_THIEF])
    seen.stacks[0].locked = 2
    rows = drawn(match, seen).splitlines()
    first = next(number for number, row in enumerate(rows) if "Courthouse" in row)
    column = [row.split("│")[1].rstrip() for row in rows[first : first + 4]]
    assert column == [" Courthouse", "   Thief", " × Swindler", " × Baker"]
    assert "Tavern (N) barred" in rows[first]


def test_a_seat_sees_its_hand_and_what_its_missio_cards_lack(match: Match) -> None:
    seen = observation()
    seen.own.hand.extend([pb.CHARACTER_BAKER, pb.CHARACTER_BAKER, pb.CHARACTER_PRIEST])
    seen.own.missio.append(1)
    text = drawn(match, seen)
    assert "Your hand: Baker ×2, Priest" in text
    assert "Your Missio card 1 (1 point: at least 4 guilds at the Courthouse): lacks 4" in text
    cards = [pb.CHARACTER_BAKER, pb.CHARACTER_THIEF, pb.CHARACTER_PRIEST, pb.CHARACTER_SOLDIER]
    seen.stacks[0].cards.extend(cards)
    assert "at the Courthouse): met" in drawn(match, seen)


def test_a_spectator_sees_no_hand(match: Match) -> None:
    assert "Your" not in drawn(match, observation())


def test_the_end_and_the_decks(match: Match) -> None:
    text = drawn(match, observation(final_round=True, reshuffled=True, virtus_deck_size=7, discard=[1, 1, 2]))
    assert "Turn 3 (round 2): bob plays a card  THE LAST ROUND" in text
    assert "Virtus deck 7, the second" in text
    assert "discarded: Shopkeeper ×2, Broker" in text


def test_custom_missio_cards_are_explained_without_a_text(match: Match) -> None:
    match.start.options.fidelitas.deck.missio.add(points=2).crowded_location.count = 3
    seen = observation()
    seen.own.missio.append(1)
    assert "Your Missio card 1 (2 points): lacks 3" in drawn(match, seen)


def help_on(match: Match, topic: str) -> str:
    console = Console(width=300, no_color=True)
    with console.capture() as capture:
        found = board_of(match).help(topic)
        if found is not None:
            console.print(found)
    return capture.get()


def test_help_on_every_card_and_location(match: Match) -> None:
    catalogue = match.catalogue.fidelitas
    for character in catalogue.characters:
        text = help_on(match, character_name(character.character))
        assert f"{guild_name(character.guild)} guild, {character.copies} copies. {character.text}" in text
        assert "Tavern (N)" in text
        assert "Draws at the end of the turn: " in text
    for card in catalogue.missio:
        assert f"Missio card {card.id} (" in help_on(match, str(card.id))
        assert card.text in help_on(match, "missio")
    for place in catalogue.locations:
        assert f"{location_name(place.location)}: " in help_on(match, location_name(place.location))
    assert "a Harbor location. Played here: Shopkeeper, Broker, Soldier, " in help_on(match, "market")
    assert "Named by Missio cards 7, 12, 16." in help_on(match, "market")
    assert help_on(match, "tav").count("Played here: every card. The card's action falls away") == 2
    assert "Harbor guild: Thief, Dockmaster" in help_on(match, "harbor")
    assert "Bakery: " in help_on(match, "bak")
    assert help_on(match, "zzz") == ""


def test_help_knows_the_decks_of_the_match_and_that_there_is_no_tavern_alone(match: Match) -> None:
    deck = match.start.options.fidelitas.deck
    deck.virtus.add(character=pb.CHARACTER_SOLDIER, copies=29)
    deck.virtus.add(character=pb.CHARACTER_PRIEST, copies=1)
    del match.start.players[1:]
    assert "Soldier, Military guild, 29 copies. " in help_on(match, "soldier")
    assert "Priest, Church guild, 1 copy. " in help_on(match, "priest")
    assert "Tavern" not in help_on(match, "soldier")
    assert help_on(match, "tavern") == ""
    assert "Clerk" not in help_on(match, "")
