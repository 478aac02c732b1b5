"""The bots of Feudum: legal, deterministic, and better the more they look at."""

from __future__ import annotations

import pytest

from palio.bots import bot_named
from palio.bots.arena import play_match
from palio.bots.feudum._worth import dawns_left, standing, worth
from palio.engine.chance import seed_from_text
from palio.games import rules_of
from palio.games.feudum.game import Feudum


def fresh(players: int = 2) -> Feudum:
    rules = rules_of("feudum")
    state = rules.start(seed_from_text("bots"), players, rules.options())
    assert isinstance(state, Feudum)
    return state


def test_dawns_follow_rounds_2_4_6_and_8() -> None:
    state = fresh()
    found = []
    for number in range(1, 9):
        state.round = number
        found.append(dawns_left(state))
    assert found == [4, 4, 3, 3, 2, 2, 1, 1]


def test_points_scored_count_in_full() -> None:
    state = fresh()
    for measure in (worth, standing):
        before = measure(state, 0)
        state.scores[0] += 7
        assert measure(state, 0) - before == 70


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.slow
def test_greedy_leaves_random_far_behind(players: int) -> None:
    factories = [bot_named("greedy"), *[bot_named("random")] * (players - 1)]
    outcome = play_match("feudum", factories, seed_from_text("far behind"), "m").outcome
    assert outcome.ranks[0] == 1
    assert outcome.points[0] > 1.5 * max(outcome.points[1:])


@pytest.mark.slow
def test_planner_plays_the_same_match_twice() -> None:
    found = [
        play_match("feudum", [bot_named("planner"), bot_named("greedy")], seed_from_text("twice"), "m").outcome
        for _ in range(2)
    ]
    assert found[0] == found[1]
