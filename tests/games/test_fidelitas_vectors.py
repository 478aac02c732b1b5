"""Fifteen recorded games, decision by decision: seat, kind, number of options, option, outcome and final City."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palio.engine.chance import seed_from_text
from palio.games.fidelitas import RULES

GAMES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "fidelitas_games.json").read_text()
)


@pytest.mark.parametrize("game", GAMES, ids=[game["seed_text"] for game in GAMES])
def test_recorded_game(game: dict[str, Any]) -> None:
    seed = seed_from_text(game["seed_text"])
    state = RULES.start(seed, game["players"], RULES.options(teams=game["teams"]))
    for number, (seat, kind, offered, index, option) in enumerate(game["steps"]):
        decision = state.decision()
        assert decision is not None, f"over before choice {number}"
        seen = (decision.seat, decision.kind, len(decision.options), decision.options[index])
        assert seen == (seat, kind, offered, tuple(option)), f"choice {number}"
        state.choose(index)

    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ended_by, state.turn) == (game["ended_by"], game["turns"])
    seats = game["outcome"]
    assert list(outcome.ranks) == [seat["rank"] for seat in seats]
    assert list(outcome.points) == [seat["points"] for seat in seats]
    view = state.view(None)
    assert [list(scored) for scored in view.scored] == [seat["scored_missio"] for seat in seats]
    final = game["final"]
    assert [list(stack) for stack in view.stacks] == final["stacks"]
    assert list(view.discard) == final["discard"]
    assert view.virtus_deck_size == final["deck_size"]
    assert [list(hand) for hand in state.hands] == final["hands"]
