"""From a view and a guess at what it hides to a full state that can be played on."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from palio.games.fidelitas.cards import DRAWS, TAVERN_SIDES
from palio.games.fidelitas.choices import (
    DRAW_CARD,
    EXCHANGE_MISSIO,
    PLACE_THIEF,
    PLAY_CARD,
    SCORE_MISSIO,
)
from palio.games.fidelitas.piles import pile_of
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.state import State
from palio.games.fidelitas.table import ACTION_PHASE, END_PHASE, PLAY_PHASE, TAVERN_BITS
from palio.games.fidelitas.turns import (
    DRAW,
    NEXT_TURN,
    PLAY,
    SCORE,
    STAGES,
    TAVERN,
    THIEF_ENTERS,
    THIEF_REPLACED,
)
from palio.games.fidelitas.view import View

_STAGE_OF: Final = {
    PLAY_CARD: PLAY,
    EXCHANGE_MISSIO: TAVERN,
    SCORE_MISSIO: SCORE,
    DRAW_CARD: DRAW,
    PLACE_THIEF: THIEF_ENTERS,
}
"""Stages of the decisions outside an action; a discarded card there makes room for a Thief."""


class Hidden(NamedTuple):
    """What a view does not show.

    Attributes:
        hands, missio: per seat, each ascending.
        student: the four cards of a Student that is being played, ascending; else empty.
        virtus: the Virtus deck, top first.
        missio_deck: top first.
    """

    hands: tuple[tuple[int, ...], ...]
    missio: tuple[tuple[int, ...], ...]
    student: tuple[int, ...]
    virtus: tuple[int, ...]
    missio_deck: tuple[int, ...]


def world_of(setup: Setup, view: View, hidden: Hidden, seed: bytes) -> State:
    """A state that looks like the view, records no events, and takes its further chance from ``seed``.

    It stands where the viewing seat is asked. If another one is, it stands at the earliest point of the turn that the
    view leaves open (the first question of the action, or the scoring unless cards were drawn already), or beyond it
    where the guess leaves nothing to decide there.
    """
    state = State(setup, hashlib.sha256(b"world" + seed).digest())
    state.log = None
    state.turn = view.turn
    state.active = state.asked = view.active
    state.phase = view.phase
    state.final_round = view.final_round
    state.played = view.played
    state.played_on = view.played_on
    state.barred = sum(1 << side for side in view.barred) & TAVERN_BITS
    state.piles[1:] = [pile_of(cards) for cards in view.stacks]
    state.hands = list(hidden.hands)
    state.missio = list(hidden.missio)
    state.student = hidden.student
    state.scored = list(view.scored)
    state.scored_now = list(view.scored_now)
    state.points = list(view.points)
    state.virtus = hidden.virtus
    state.missio_deck = hidden.missio_deck
    state.reshuffled = view.reshuffled
    state.discard = view.discard
    state.draws_left = view.draws_left
    if view.phase == ACTION_PHASE:
        state.draws_left = 1 if view.played_on in TAVERN_SIDES else DRAWS[view.played][0]
    state.resume = SCORE if view.phase == ACTION_PHASE else NEXT_TURN
    _stand(state, view)
    state.go_on()
    return state


def _stand(state: State, view: View) -> None:
    asking = view.asking
    if asking is None:
        state.stage = _open_stage(view)
        return
    assert view.own is not None, "only a seat is asked"
    state.asked = view.own.seat
    state.stage = asking.character or _STAGE_OF.get(asking.kind, THIEF_REPLACED)
    steps = STAGES[state.stage].steps
    for pick in asking.picks:
        while pick not in steps[state.at].options(state):
            state.at += 1
        state.picks += (pick,)
        state.at += 1


def _open_stage(view: View) -> int:
    if view.phase == PLAY_PHASE:
        return PLAY
    if view.phase == END_PHASE:
        # Fewer draws left than the card gives: the drawing has begun. (After a Clerk this takes one of two for begun.)
        full = 1 if view.played_on in TAVERN_SIDES else DRAWS[view.played][-1]
        return SCORE if view.draws_left == full else DRAW
    return TAVERN if view.played_on in TAVERN_SIDES else view.played
