"""Finding the built-in bots."""

from __future__ import annotations

import pytest

from palio.bots import all_bots, bot_named, strategy
from palio.bots.arena import play_match
from palio.bots.fidelitas.greedy import Greedy
from palio.bots.random import Random
from palio.client import Decision, Match
from palio.engine.errors import InvalidSetup
from palio.games import all_rules
from palio.v1 import game_pb2, play_pb2


def match_of(game: str, match_id: str = "m", seat: int = 0) -> Match:
    return Match(match_id, play_pb2.MatchStarted(game=game, seat=seat, players=["a", "b"]), lambda _: None)


def test_random_plays_every_game() -> None:
    assert set(all_bots()["random"]) == set(all_rules())
    assert strategy("random", "fidelitas") is Random
    assert isinstance(bot_named("greedy")(match_of("fidelitas")), Greedy)


def test_unknown_bots_and_games_name_what_there_is() -> None:
    with pytest.raises(InvalidSetup, match=r"no bot 'greedi'; the bots are .*greedy"):
        bot_named("greedi")
    with pytest.raises(InvalidSetup, match="'greedy' does not play 'chess'; those that do: none"):
        strategy("greedy", "chess")


def test_random_is_reproducible_and_differs_by_seed_match_and_seat() -> None:
    def choices(seed: str, match_id: str, seat: int) -> tuple[int, ...]:
        match = match_of("fidelitas", match_id, seat)
        bot = Random(match, seed)
        questions = [play_pb2.Decision(decision_id=at, options=[game_pb2.Option()] * 7) for at in range(1, 41)]
        return tuple(bot.choose(Decision(match, question)) for question in questions)

    assert choices("a", "m", 0) == choices("a", "m", 0)
    assert set(choices("a", "m", 0)) == set(range(7))
    others = {choices("b", "m", 0), choices("a", "n", 0), choices("a", "m", 1)}
    assert len(others | {choices("a", "m", 0)}) == 4


def test_random_chooses_the_same_in_a_process_that_was_started_in_mid_match() -> None:
    match = match_of("fidelitas", "m", 0)
    questions = [play_pb2.Decision(decision_id=at, options=[game_pb2.Option()] * 7) for at in range(1, 41)]
    whole = Random(match)
    before = [whole.choose(Decision(match, question)) for question in questions]
    late = Random(match)
    assert [late.choose(Decision(match, question)) for question in questions[20:]] == before[20:]


def test_a_plugin_brings_a_bot_for_its_game() -> None:
    assert all_bots()["perfect"] == ("sticks",)
    outcome = play_match("sticks", [bot_named("perfect"), bot_named("random")], bytes(32), "m").outcome
    assert outcome.ranks == (1, 2)
    with pytest.raises(InvalidSetup, match=r"'perfect' does not play 'fidelitas'; those that do: .*greedy"):
        strategy("perfect", "fidelitas")
