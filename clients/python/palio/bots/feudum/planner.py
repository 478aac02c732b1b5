"""``planner``: looks ahead over its own actions of the round, in a sampled world. See ``docs/feudum.md``."""

from __future__ import annotations

from typing import Final

from palio.bots.feudum._lines import Line, lines_of
from palio.bots.feudum._seat import Seat
from palio.bots.feudum._worth import worth
from palio.client import Decision, Match
from palio.engine.game import Option
from palio.games.feudum.game import Feudum

_ACTION: Final = "ACTION"
_FIRST: Final = 6
"""First actions that are followed up."""
_QUICK: Final = 2
"""Width of the beam within the actions that follow."""
_PATIENCE: Final = 400
"""Choices of others after which a look ahead ends."""


class Planner(Seat):
    """At each action: the best few, each continued with the best actions of its own round while the others pass.

    A mandate is an option of the same decision, so it competes with the actions.
    """

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match, seed)
        self._plan: tuple[Option, ...] = ()
        self._turn = -1

    def choose(self, decision: Decision) -> int:
        options = self.options_of(decision)
        state = self.world(decision)
        if not (self._plan and state.turns == self._turn and self._plan[0] in options):
            self._turn, self._plan = state.turns, self._best(decision, state)
        option, self._plan = self._plan[0], self._plan[1:]
        return options.index(option) if option in options else 0

    def _best(self, decision: Decision, state: Feudum) -> tuple[Option, ...]:
        seat = self.match.seat
        lines = lines_of(state, seat, worth)
        if decision.kind != _ACTION:
            return lines[0].options
        candidates = _different(lines)
        values = [_ahead(line.state, seat) for line in candidates]
        return candidates[values.index(max(values))].options


def _different(lines: list[Line]) -> list[Line]:
    """The best way of each action or mandate, the best few of them."""
    found: dict[Option, Line] = {}
    for line in lines:
        found.setdefault(line.options[0], line)
    return list(found.values())[:_FIRST]


def _ahead(state: Feudum, seat: int) -> int:
    """The worth at the end of the round if the seat goes on with the best of each action and nobody else acts."""
    round_number = state.round
    while (own := _own_turn(state, seat, round_number)) is not None:
        state = lines_of(own, seat, worth, _QUICK)[0].state
    return worth(state, seat)


def _own_turn(state: Feudum, seat: int, round_number: int) -> Feudum | None:
    """On to the seat's next action of this round; the others pass. ``None`` if there is none."""
    state = state.clone()
    for _ in range(_PATIENCE):
        decision = state.decision()
        if decision is None or state.round != round_number or decision.kind == "NOURISH":
            return None
        if decision.seat == seat and decision.kind == _ACTION:
            return state
        # To pass is always the last option; where others only have to go on with something, any will do.
        state.choose(len(decision.options) - 1)
    return None


BOT: Final = Planner
