"""All that a seat can do from now to the end of its action, played out with the rules engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from palio.engine.game import Option
from palio.games.fidelitas.cards import BAKER, BROKER, BUTCHER, DOCKMASTER, SHOPKEEPER
from palio.games.fidelitas.choices import DRAW_CARD, KEEP_CARD, PICK_CARD, PICK_DESTINATION, SCORE_MISSIO
from palio.games.fidelitas.picks import picked_moves
from palio.games.fidelitas.state import State
from palio.games.fidelitas.table import END_PHASE
from palio.games.fidelitas.turns import PLAY, THIEF_ENTERS, start_turn

Near: TypeAlias = Callable[[State], int]

_TWO_MOVES: Final = (BROKER, BAKER, DOCKMASTER)
"""Actions of two moves: only the most promising first moves are followed by all second ones."""
_SYMMETRIC: Final = {SHOPKEEPER: 0, BUTCHER: 0, BAKER: 0, BROKER: 1}
"""Actions whose two cards may be picked in either order, with the place of the first among the picks: the second one
is only tried where it does not come before the first."""


class Line(NamedTuple):
    """A way through the action.

    Attributes:
        near: its quick evaluation.
        options: the choices that lead there.
        state: where it leads: the first decision after the action, or one that depends on cards not seen yet.
    """

    near: int
    options: tuple[Option, ...]
    state: State


class _Search:
    def __init__(self, state: State, near: Near, beam: int) -> None:
        decision = state.decision()
        assert decision is not None, "the game goes on"
        self._seat = decision.seat
        self._turn = state.turn
        self._begun = state.stage, len(state.picks)
        self._near = near
        self._beam = beam
        self.lines: list[Line] = []
        self._walk(state, ())

    def _walk(self, state: State, options: tuple[Option, ...]) -> None:
        if options and self._is_over(state):
            self.lines.append(Line(self._near(state), options, state))
            return
        decision = state.decision()
        assert decision is not None
        if state.stage in _TWO_MOVES and len(state.picks) == (state.stage == BROKER):
            self._first_moves(state, options)
            return
        least = self._least(state, decision.kind)
        for index, option in enumerate(decision.options):
            if least is None or not option < least:
                self._walk(_after(state, index), (*options, option))

    def _first_moves(self, state: State, options: tuple[Option, ...]) -> None:
        """Try every first move, go on from the best ones."""
        actor = state.stage
        found: list[Line] = []
        open_ = [(state, options)]
        while open_:
            here, path = open_.pop(0)
            decision = here.decision()
            assert decision is not None
            for index, option in enumerate(decision.options):
                after = _after(here, index)
                asked = after.decision()
                longer = (*path, option)
                if asked is None or after.stage != actor or after.turn != self._turn:
                    self._walk(after, longer)
                elif asked.kind == PICK_DESTINATION:
                    open_.append((after, longer))
                else:
                    halfway = after.clone()
                    halfway.move(_moves(halfway))
                    found.append(Line(self._near(halfway), longer, after))
        found.sort(key=lambda line: -line.near)
        for line in found[: self._beam]:
            self._walk(line.state, line.options)

    def _is_over(self, state: State) -> bool:
        decision = state.decision()
        return (
            decision is None
            or state.turn != self._turn
            or decision.seat != self._seat
            or state.phase == END_PHASE
            or decision.kind == KEEP_CARD
            or state.stage >= THIEF_ENTERS
        )

    def _least(self, state: State, kind: str) -> Option | None:
        place = _SYMMETRIC.get(state.stage)
        if place is None or kind != PICK_CARD or len(state.picks) <= place:
            return None
        stage, picked = self._begun
        if state.stage == stage and picked > place:
            return None  # the first one was picked before: the other order was not tried here, and cannot be
        return state.picks[place]


def _moves(state: State) -> list[tuple[int, int, int]]:
    """What was picked so far as moves (character, origin, destination)."""
    moves = picked_moves(state)
    if not moves and state.stage == BROKER:
        (_, _, location), (_, origin, character) = state.picks
        moves = [(character, origin, location)]
    return moves


def _after(state: State, index: int) -> State:
    after = state.clone()
    after.choose(index)
    return after


def next_turn_of(state: State, seat: int) -> State | None:
    """The seat's next turn as if nobody else moved before it: the present one is finished by scoring what can be scored
    and drawing from the deck.

    Args:
        state: after the seat's action; not changed.

    Returns:
        The state at the seat's next decision; ``None`` if the game ends before, or nothing is asked then.
    """
    after = state.clone()
    turn = after.turn
    while (decision := after.decision()) is not None and after.turn == turn:
        if decision.kind == DRAW_CARD:
            after.choose(0)
        elif decision.kind == SCORE_MISSIO:
            after.choose(1)
        else:
            break
    if after.ended_by:
        return None
    start_turn(after, after.turn + (seat - after.active) % after.players)
    after.stage, after.picks, after.at = PLAY, (), 0
    after.go_on()
    decision = after.decision()
    return after if decision is not None and decision.seat == seat else None


def lines_of(state: State, near: Near, beam: int) -> list[Line]:
    """Every way to the end of the action (in actions of two moves: after the ``beam`` best first moves), the most
    promising first. Ways that only differ in the order of two picks are listed once.

    Args:
        state: where the seat is asked; not changed.
    """
    return sorted(_Search(state, near, beam).lines, key=lambda line: -line.near)
