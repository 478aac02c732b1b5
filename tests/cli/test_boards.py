"""The drawing of Fidelitas, from hand-made observations."""

from __future__ import annotations

import pytest
from rich.console import Console

from palio.cli.boards import board_of
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
