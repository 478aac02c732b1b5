"""Team talk of the built-in bots (F-42): how cards are named, said, heard and forgotten."""

from __future__ import annotations

import pytest

from palio.bots import bot_named
from palio.bots.arena import measure, play_match
from palio.bots.fidelitas._signals import Talk, words_of
from palio.client import Match
from palio.codec import codec_of
from palio.engine.chance import seed_from_text
from palio.engine.errors import InvalidSetup
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games import rules_of
from palio.v1 import game_pb2, play_pb2

CARDS = codec_of("fidelitas").catalogue().fidelitas.missio
MINSTRELS, HARBOR, SWINDLERS, CROWD = 15, 16, 18, 20


def talk_of(seat: int, teams: bool = True, speaks: bool = True) -> tuple[Talk, list[pb.Words]]:
    """One seat's talk, and what it says."""
    options = codec_of("fidelitas").game_options(rules_of("fidelitas").options(teams=teams))
    said: list[pb.Words] = []
    start = play_pb2.MatchStarted(seat=seat, options=options, players=["a", "b", "c", "d"])
    match = Match("m", start, lambda request: said.append(request.signal.words.fidelitas))
    return Talk(match, CARDS, speaks=speaks), said


def holding(*missio: int, turn: int = 1) -> pb.Observation:
    return pb.Observation(turn=turn, own=pb.PrivateSeat(missio=missio))


def signalled(seat: int, words: pb.Words) -> game_pb2.Event:
    fact = pb.Event.Signalled(seat=seat, words=words)
    return game_pb2.Event(fidelitas=pb.Event(signalled=fact))


def exchanged(seat: int) -> game_pb2.Event:
    return game_pb2.Event(fidelitas=pb.Event(missio_exchanged=pb.Event.MissioExchanged(seat=seat)))


def test_names_of_house_cards_differ() -> None:
    names = [name for card in CARDS if (name := words_of(card)) is not None]
    assert len(names) == len(set(names)) == 17
    assert words_of(CARDS[MINSTRELS - 1]) == ((pb.GUILD_ENTERTAINMENT,), (1, 6))
    assert words_of(CARDS[CROWD - 1]) is None


def test_the_partner_understands_and_forgets() -> None:
    mine, said = talk_of(0)
    mine.speak(holding(MINSTRELS, CROWD))
    mine.speak(holding(MINSTRELS, CROWD))
    assert len(said) == 1
    partner, _ = talk_of(2)
    opponent, _ = talk_of(1)
    for talk in (partner, opponent):
        talk.observe([signalled(0, said[0])])
    assert partner.partner == {MINSTRELS}
    assert opponent.partner == set()
    scored = pb.Event.MissioScored(seat=0, id=MINSTRELS, points=2)
    partner.observe([game_pb2.Event(fidelitas=pb.Event(missio_scored=scored))])
    assert partner.partner == set()


def test_an_exchange_makes_it_tell_everything_again() -> None:
    mine, said = talk_of(0)
    mine.speak(holding(HARBOR, SWINDLERS))
    partner, _ = talk_of(2)
    partner.observe([*(signalled(0, words) for words in said), exchanged(1)])
    assert partner.partner == {HARBOR, SWINDLERS}
    for talk in (mine, partner):
        talk.observe([exchanged(0)])
    assert partner.partner == set()
    mine.speak(holding(HARBOR, 1))
    partner.observe([signalled(0, words) for words in said[2:]])
    assert partner.partner == {HARBOR, 1}


def test_never_more_than_four_in_a_turn() -> None:
    mine, said = talk_of(0)
    mine.speak(holding(1, 2, 3, 4, 5))
    assert len(said) == 4
    mine.speak(holding(1, 2, 3, 4, 5, turn=2))
    assert len(said) == 5


@pytest.mark.parametrize(("teams", "speaks"), [(False, True), (True, False)])
def test_silence(teams: bool, speaks: bool) -> None:
    mine, said = talk_of(0, teams, speaks)
    mine.speak(holding(1, 2))
    assert said == []


def test_signals_help_a_pair() -> None:
    found = measure("fidelitas", "greedy", "greedy:quiet", deals=30, players=4, teams=True)
    assert found.score > 0.55


def test_the_planner_signals_too() -> None:
    options = rules_of("fidelitas").options(teams=True)
    seed = seed_from_text("talk")
    loud = play_match("fidelitas", [bot_named("planner"), bot_named("random")] * 2, seed, "m", options)
    quiet = play_match("fidelitas", [bot_named("planner:quiet"), bot_named("random")] * 2, seed, "m", options)
    assert loud.decisions != quiet.decisions


def test_an_unknown_variant_is_an_error() -> None:
    with pytest.raises(InvalidSetup, match="'greedy' has no variant 'loud'"):
        play_match("fidelitas", [bot_named("greedy:loud")] * 2, bytes(32), "m")
