"""Ways through one action: all choices of a seat until its turn is over, searched with a beam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from palio.engine.game import Option
from palio.games.feudum.game import Feudum

Worth: TypeAlias = Callable[[Feudum, int], int]

_BEAM: Final = 4
_LEVEL: Final = 3
"""A choice that only selects (a pawn, a place) shows its worth a step later: so many times the beam is kept where all
are level with the last one that is."""
_LONGEST: Final = 14
"""Choices in a row after which a way is taken to be over."""


class Line(NamedTuple):
    """A way through an action.

    Attributes:
        value: worth of where it leads.
        options: the choices.
        state: where it leads: somebody else is asked, or the next turn.
    """

    value: int
    options: tuple[Option, ...]
    state: Feudum


def lines_of(state: Feudum, seat: int, worth: Worth, beam_width: int = _BEAM) -> list[Line]:
    """The best ways on from a decision of ``seat``, the best first.

    At each step only the ``beam_width`` best ways are followed, those of an equal value in the order of their options.
    """
    done: list[Line] = []
    turn = state.turns
    beam = [Line(0, (), state)]
    for _ in range(_LONGEST):
        grown: list[Line] = []
        for line in beam:
            decision = line.state.decision()
            assert decision is not None
            for index, option in enumerate(decision.options):
                after = line.state.clone()
                after.choose(index)
                grown.append(Line(worth(after, seat), (*line.options, option), after))
        beam = []
        for line in sorted(grown, key=lambda line: -line.value):
            asked = line.state.decision()
            if asked is None or asked.seat != seat or line.state.turns != turn:
                done.append(line)
            elif len(beam) < beam_width or (line.value == beam[-1].value and len(beam) < _LEVEL * beam_width):
                beam.append(line)
        if not beam:
            break
    done += beam
    return sorted(done, key=lambda line: -line.value)
