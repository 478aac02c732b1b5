"""What a seat knows beyond its view, and full states sampled from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from palio.engine.chance import Stream
from palio.engine.game import Event
from palio.games.fidelitas.cards import STUDENT, TAVERN_SIDES
from palio.games.fidelitas.guesses import Contradiction
from palio.games.fidelitas.hand_memory import STUDENTS_CARDS, HandMemory
from palio.games.fidelitas.missio_memory import MissioMemory
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.state import State
from palio.games.fidelitas.table import ACTION_PHASE
from palio.games.fidelitas.view import Own, View
from palio.games.fidelitas.worlds import Hidden, world_of

_FIRST_LIMIT: Final = 64
_LIMIT_GROWTH: Final = 16
_LAST_LIMIT: Final = _FIRST_LIMIT * _LIMIT_GROWTH**3

Fact = tuple[Any, ...]


class Tracker:
    """See :class:`palio.engine.game.Tracker`.

    A sample fits all events that were observed, provided that they go up to the moment of the view; otherwise (nothing
    observed, or events still on their way) it fits the view alone.
    """

    def __init__(self, seat: int, setup: Setup) -> None:
        self._seat = seat
        self._setup = setup
        self._facts: list[Fact] = []
        self._limit = _FIRST_LIMIT
        self._memory = Memory(seat, setup, self._limit)

    def observe(self, events: Sequence[Event]) -> None:
        facts = [event.fact for event in events]
        self._facts += facts
        try:
            self._memory.take(facts)
        except Contradiction:
            self._remember_again()

    def _remember_again(self) -> None:
        """Too few possibilities were kept: go through all events once more and keep more of them."""
        while self._limit < _LAST_LIMIT:
            self._limit *= _LIMIT_GROWTH
            self._memory = Memory(self._seat, self._setup, self._limit)
            try:
                self._memory.take(self._facts)
            except Contradiction:
                continue
            return

    def sample(self, view: View, seed: bytes) -> State:
        """
        Args:
            view: the seat's own (not a spectator's), of a game that is not over.
        """
        memory = self._memory
        if not memory.fits(view):
            memory = Memory(self._seat, self._setup, 1)
            memory.take_view(view)
        return world_of(self._setup, view, memory.deal(view, Stream(seed, "sample")), seed)


class Memory:
    """All that a seat remembers."""

    def __init__(self, seat: int, setup: Setup, limit: int) -> None:
        """
        Args:
            limit: how many possibilities are kept.
        """
        self._seat = seat
        self._setup = setup
        self.virtus = HandMemory(seat, setup.deck.copies, limit)
        self.missio = MissioMemory(seat, len(setup.deck.missio), limit)

    def take(self, facts: Sequence[Fact]) -> None:
        """
        Raises:
            Contradiction: no possibility is left.
        """
        for name, *values in facts:
            self.virtus.take(name, values)
            self.missio.take(name, values)

    def take_view(self, view: View) -> None:
        """Begin with what the view alone tells."""
        own = _own(view)
        sizes = (view.virtus_deck_size, view.missio_deck_size, view.hand_sizes, view.missio_counts)
        facts: list[Fact] = [
            ("set_up", view.stacks, view.discard, *sizes, view.scored),
            ("hand_dealt", self._seat, own.hand + own.student, own.missio),
        ]
        if _others_student(view):
            self.virtus.await_student(view.active)
            facts.append(("deck_drawn", view.active, STUDENTS_CARDS))
        self.take(facts)

    def fits(self, view: View) -> bool:
        """Whether the events went exactly as far as the view."""
        own = _own(view)
        hidden = list(self._setup.deck.copies)
        for cards in (*view.stacks, view.discard, own.hand, own.student):
            for card in cards:
                hidden[card] -= 1
        hands, held = list(view.hand_sizes), list(view.missio_counts)
        hands[self._seat] = held[self._seat] = 0
        return (
            self.virtus.hidden == hidden
            and self.virtus.sizes() == hands
            and self.virtus.student_size() == (STUDENTS_CARDS if _others_student(view) else 0)
            and self.missio.sizes() == [*held, view.missio_deck_size]
            and self.missio.own == set(own.missio)
        )

    def deal(self, view: View, stream: Stream) -> Hidden:
        """What the view hides, at random among all that the seat cannot rule out."""
        own = _own(view)
        hands, student, virtus = self.virtus.deal(stream)
        held, missio_deck = self.missio.deal(stream)
        hands[self._seat] = own.hand
        held[self._seat] = own.missio
        return Hidden(tuple(hands), tuple(held), own.student or student, virtus, missio_deck)


def _own(view: View) -> Own:
    assert view.own is not None, "a spectator has no hand to start from"
    return view.own


def _others_student(view: View) -> bool:
    """Whether another seat is choosing among a Student's four cards."""
    student = view.phase == ACTION_PHASE and view.played == STUDENT and view.played_on not in TAVERN_SIDES
    return student and view.active != _own(view).seat
