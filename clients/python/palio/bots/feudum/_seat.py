"""What the bots of Feudum have in common: they remember what they saw, and search on states that fit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palio.client import Bot, Decision, Match
from palio.codec import codec_of
from palio.engine.chance import seed_from_text
from palio.engine.game import Event, Option
from palio.games import rules_of
from palio.games.feudum.game import Feudum
from palio.v1 import game_pb2

_GAME: Final = "feudum"


class Seat(Bot):
    """A seat with a memory. Deterministic: what it samples follows from the match's id, the seat and the ``seed``."""

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match)
        self._codec = codec_of(_GAME)
        options = self._codec.read_game_options(match.options)
        self._tracker = rules_of(_GAME).tracker(match.seat, len(match.players), options)
        self._name = f"{seed}/{match.match_id}/{match.seat}"

    def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self._tracker.observe([Event(self._codec.read_event(event)) for event in events])

    def options_of(self, decision: Decision) -> list[Option]:
        """The options as the rules name them."""
        return [self._codec.read_option(option) for option in decision.options]

    def world(self, decision: Decision, number: int = 0) -> Feudum:
        """A full state that fits all that this seat knows; other numbers give other ones."""
        view = self._codec.read_observation(decision.observation)
        seed = seed_from_text(f"{self._name}/{decision.decision_id}/{number}")
        state = self._tracker.sample(view, seed)
        assert isinstance(state, Feudum)
        return state
