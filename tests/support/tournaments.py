"""Made-up tournaments for the tests of schedules and ratings."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from palio.tournament.pairing import Block, Director
from palio.tournament.results import Game


def vectors(name: str) -> Any:
    """The reference values of ``tests/vectors/NAME.json``."""
    return json.loads((Path(__file__).parents[1] / "vectors" / f"{name}.json").read_text())


NAMES = tuple("abcdefghijklmnopqrstuvwxyz")

Judge = Callable[[tuple[str, ...], int], tuple[int, ...]]
"""(players by seat, deal) -> ranks by seat."""


def earlier_letter_wins(players: tuple[str, ...], deal: int) -> tuple[int, ...]:
    order = sorted(players)
    return tuple(order.index(name) + 1 for name in players)


def everything_is_drawn(players: tuple[str, ...], deal: int) -> tuple[int, ...]:
    return (1,) * len(players)


def by_chance(players: tuple[str, ...], deal: int) -> tuple[int, ...]:
    rng = random.Random(f"{players}{deal}")
    order = list(range(1, len(players) + 1))
    rng.shuffle(order)
    return tuple(order)


def game(block: Block, seating: int, judge: Judge = earlier_letter_wins, teams: bool = False) -> Game:
    players = block.seatings[seating]
    ranks = judge(players, block.deal)
    sides = (0, 1, 0, 1) if teams else tuple(range(len(players)))
    if teams:
        ranks = tuple(min(ranks[s], ranks[(s + 2) % 4]) for s in range(4))
    return Game(
        block=block.index,
        deal=block.deal,
        seating=seating,
        players=players,
        ranks=ranks,
        points=tuple(float(10 - rank) for rank in ranks),
        faults=(None,) * len(players),
        sides=sides,
        round=block.round,
    )


def play(director: Director, judge: Judge = earlier_letter_wins, shuffle: int = 0, teams: bool = False) -> list[Game]:
    """The runner's loop, games finishing in an order that depends on ``shuffle``."""
    rng = random.Random(shuffle)
    pool: list[tuple[Block, int]] = []
    games = []
    while not director.finished:
        pool += [(block, seating) for block in director.ready() for seating in director.missing(block)]
        assert pool, "the format waits for nothing"
        block, seating = pool.pop(rng.randrange(len(pool)) if shuffle else 0)
        games.append(game(block, seating, judge, teams))
        director.record(games[-1])
    return games
