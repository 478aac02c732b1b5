"""What a seat knows beyond its view, and full states sampled from it."""

from __future__ import annotations

from collections.abc import Sequence

from palio.engine.chance import Stream
from palio.engine.game import Event
from palio.games.fidelitas.cards import CHARACTERS, STUDENT, TAVERN_SIDES
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.state import State
from palio.games.fidelitas.table import ACTION_PHASE
from palio.games.fidelitas.view import View
from palio.games.fidelitas.worlds import Hidden, world_of


class Tracker:
    """See :class:`palio.engine.game.Tracker`. It completes a view with the cards that the view does not show."""

    def __init__(self, seat: int, setup: Setup) -> None:
        self._seat = seat
        self._setup = setup

    def observe(self, events: Sequence[Event]) -> None:
        """Take in events."""

    def sample(self, view: View, seed: bytes) -> State:
        own = view.own
        assert own is not None, "a spectator knows no hand to start from"
        copies = list(self._setup.deck.copies)
        for cards in (*view.stacks, view.discard, own.hand, own.student):
            for card in cards:
                copies[card] -= 1
        virtus = [character for character in CHARACTERS for _ in range(copies[character])]
        stream = Stream(seed, "sample")
        stream.shuffle(virtus)
        seen = {*own.missio, *(number for scored in view.scored for number in scored)}
        missio = [number for number in range(1, len(self._setup.deck.missio) + 1) if number not in seen]
        stream.shuffle(missio)

        hands, held = [], []
        for seat in range(view.players):
            if seat == own.seat:
                hands.append(own.hand)
                held.append(own.missio)
                continue
            size, count = view.hand_sizes[seat], view.missio_counts[seat]
            hands.append(tuple(sorted(virtus[:size])))
            held.append(tuple(sorted(missio[:count])))
            del virtus[:size], missio[:count]
        student = own.student
        if self._others_student(view):
            student = tuple(sorted(virtus[:4]))
            del virtus[:4]
        hidden = Hidden(tuple(hands), tuple(held), student, tuple(virtus), tuple(missio))
        return world_of(self._setup, view, hidden, seed)

    def _others_student(self, view: View) -> bool:
        return (
            view.phase == ACTION_PHASE
            and view.played == STUDENT
            and view.played_on not in TAVERN_SIDES
            and view.active != self._seat
        )
