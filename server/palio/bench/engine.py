"""How fast the rules are: random playouts, clones and views in one process, without server or protobuf."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from palio.engine import chance
from palio.engine.chance import seed_from_text
from palio.engine.game import Rules, State


class Speed(NamedTuple):
    """What was measured.

    Attributes:
        game, players: what was played.
        decisions_per_second: choosing among the listed options, events off.
        clone_us, view_us: microseconds each.
        decisions_per_game: on average.
    """

    game: str
    players: int
    decisions_per_second: float
    clone_us: float
    view_us: float
    decisions_per_game: float


def compiled() -> bool:
    """Whether the rules that run here were compiled."""
    return not str(chance.__file__).endswith(".py")


def playouts(rules: Rules, players: int, seconds: float) -> Speed:
    """Play at random for ``seconds`` of processor time; a position of every 16th decision times clone and view."""
    rng = random.Random(1)  # noqa: S311 (chance for a benchmark)
    options = rules.options()
    decisions, games, spent = 0, 0, 0.0
    kept: list[tuple[State, int]] = []
    while spent < seconds:
        state = rules.start(seed_from_text(f"bench/{games}"), players, options).clone()
        begin = time.process_time()
        while (decision := state.decision()) is not None:
            if decisions & 15 == 0 and len(kept) < 256:
                kept.append((state.clone(), decision.seat))
            state.choose(int(rng.random() * len(decision.options)))
            decisions += 1
        spent += time.process_time() - begin
        games += 1
    return Speed(
        rules.game_id,
        players,
        decisions / spent,
        _microseconds([state.clone for state, _ in kept]),
        _microseconds([partial(state.view, seat) for state, seat in kept]),
        decisions / games,
    )


def _microseconds(calls: list[Callable[[], object]]) -> float:
    best = float("inf")
    for _ in range(7):
        begin = time.process_time()
        for _ in range(20):
            for call in calls:
                call()
        best = min(best, time.process_time() - begin)
    return best / (20 * len(calls)) * 1e6
