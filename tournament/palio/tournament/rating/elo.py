"""Online Elo, for two or more sides, alone or in teams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from palio.tournament.results import Game, in_order, pair_score

START: Final = 1500.0
K: Final = 16.0
SCALE: Final = 400.0


def expected_score(difference: float) -> float:
    """The score that a side with that Elo advantage can expect against another, 0 to 1."""
    return 1.0 / (1.0 + float(10.0 ** (-max(min(difference, 8000.0), -8000.0) / SCALE)))


def elo_changes(ratings: Sequence[float], ranks: Sequence[int], k: float) -> list[float]:
    """Rating change of each side of one game.

    Everybody plays everybody at the table: the change is ``k * 2 / n`` times the sum over opponents of score minus
    expectation, which for two is ordinary Elo. Changes add up to zero.
    """
    n = len(ratings)
    changes = []
    for i in range(n):
        surplus = sum(
            pair_score(ranks[i], ranks[j]) - expected_score(ratings[i] - ratings[j]) for j in range(n) if j != i
        )
        changes.append(k * 2.0 / n * surplus)
    return changes


@dataclass(frozen=True, slots=True)
class EloStep:
    """Ratings after a block.

    Attributes:
        block: index of the block.
        ratings: of everybody who has played so far.
    """

    block: int
    ratings: dict[str, float]


class OnlineElo:
    """Ratings that move with every game.

    A side's strength is the sum of its members' distances from ``start``; its change is shared equally among them.

    Args:
        k: step; the most that a two-player game can move a rating.
        start: rating of a newcomer.
    """

    def __init__(self, k: float = K, start: float = START) -> None:
        self.k = k
        self.start = start
        self.ratings: dict[str, float] = {}

    def update(self, game: Game) -> None:
        """Take in one game. Solo games change nothing."""
        ranks = game.side_ranks()
        members: dict[int, list[str]] = {side: [] for side in ranks}
        for side, name in zip(game.sides, game.players, strict=True):
            members[side].append(name)
            self.ratings.setdefault(name, self.start)
        if len(ranks) < 2:
            return
        strength = [sum(self.ratings[name] - self.start for name in members[side]) for side in ranks]
        for side, change in zip(ranks, elo_changes(strength, list(ranks.values()), self.k), strict=True):
            for name in members[side]:
                self.ratings[name] += change / len(members[side])

    def run(self, games: Iterable[Game]) -> list[EloStep]:
        """Take in games in the order of the schedule; the ratings after each block."""
        steps: list[EloStep] = []
        for game in in_order(games):
            self.update(game)
            if steps and steps[-1].block == game.block:
                steps.pop()
            steps.append(EloStep(game.block, dict(self.ratings)))
        return steps
