"""Random games of any rules, for property tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TypeVar

from palio.engine.game import State

S = TypeVar("S", bound=State)


def random_walk(state: S, seed: int, decisions: int = 1_000_000) -> Iterator[S]:
    """The state itself at every decision while uniformly random options are chosen, and once more at the end."""
    chooser = random.Random(seed)
    for _ in range(decisions):
        decision = state.decision()
        if decision is None:
            break
        yield state
        state.choose(chooser.randrange(len(decision.options)))
    yield state
