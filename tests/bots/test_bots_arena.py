"""The in-process arena: its arithmetic, and matches that end."""

from __future__ import annotations

import math

import pytest

from palio.bots import bot_named
from palio.bots.arena import elo_of, measure, play_match
from palio.engine.chance import seed_from_text
from palio.engine.errors import InvalidSetup


def test_the_same_match_twice_is_the_same() -> None:
    names = ("greedy", "random", "greedy")
    factories = [bot_named(name, str(seat)) for seat, name in enumerate(names)]
    first, second = (play_match("fidelitas", factories, seed_from_text("twice"), "m") for _ in range(2))
    assert first.outcome == second.outcome
    assert first.decisions == second.decisions
    assert all(first.decisions)


@pytest.mark.parametrize(("players", "teams"), [(2, False), (4, True)])
def test_greedy_leaves_random_behind(players: int, teams: bool) -> None:
    found = measure("fidelitas", "greedy", "random", deals=5, players=players, teams=teams)
    assert found.games == 10
    assert found.score >= 0.8
    assert found.points[0] > 2 * found.points[1]


def test_a_bot_against_itself_scores_half_of_every_deal() -> None:
    found = measure("fidelitas", "greedy", "greedy", deals=3, players=3)
    assert (found.score, found.error, found.games) == (0.5, 0.0, 9)
    assert found.elo == (0.0, 0.0, 0.0)


def test_elo_of_scores() -> None:
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.5) == 0
    assert (elo_of(0), elo_of(1)) == (-math.inf, math.inf)


def test_unknown_bots_are_refused_before_anything_is_played() -> None:
    with pytest.raises(InvalidSetup, match="no bot 'greedi'"):
        measure("fidelitas", "greedy", "greedi", deals=1)
