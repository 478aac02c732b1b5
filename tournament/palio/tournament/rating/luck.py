"""Luck-adjusted results: take out of each result what the deal alone explains.

Some deals favour a seat. A baseline number for each deal and seat (for instance the mean score of a fixed program that
plays all seats in many rollouts of the deal) predicts part of a result without knowing who played. Subtracting the
prediction is a *control variate* (Hammersley and Handscomb 1964): over all deals its mean is zero by construction,
so the adjusted mean has the same expectation, and less noise. In duplicate blocks luck cancels among the seatings
already; what is left to gain is shown, never assumed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from palio.tournament.rating.likelihood import Floats
from palio.tournament.results import Game, player_names

Baseline = Mapping[tuple[int, int], float]
"""(deal, seat) -> how well it should go there, in any unit, told without looking at the results."""


@dataclass(frozen=True, slots=True)
class Adjusted:
    """One player's result with and without adjustment. Scores are means per game, intervals are 95 % over deals.

    Attributes:
        deals: different deals played.
        raw, raw_low, raw_high: the plain score.
        score, low, high: the luck-adjusted score; a share of points, but it may leave 0 to 1.
        slope: score for each unit of the baseline's luck, estimated from all players' results: so much is subtracted.
        reduction: 1 - (length of the interval after / before) squared; negative if adjusting made it worse.
    """

    player: str
    deals: int
    raw: float
    raw_low: float
    raw_high: float
    score: float
    low: float
    high: float
    slope: float
    reduction: float

    @property
    def shrunk(self) -> float:
        """Length of the interval after, as a share of that before."""
        return math.sqrt(max(0.0, 1.0 - self.reduction))


@dataclass(frozen=True, slots=True)
class LuckTable:
    """All that is to be said about luck.

    Attributes:
        policy: whose rollouts foretell it: ``greedy:20``.
        lines: best first; empty while rollouts are missing.
        missing: deals played whose rollouts are not there (yet).
    """

    policy: str
    lines: tuple[Adjusted, ...]
    missing: int


def luck_table(
    games: Sequence[Game], baselines: Mapping[str, Baseline], players: Sequence[str] = ()
) -> LuckTable | None:
    """The adjustment by the policy that covers most of the deals, of these the one with most rollouts.

    Args:
        baselines: by policy, whose name ends with the number of rollouts after a colon.

    Returns:
        ``None`` if there are no rollouts, or no game in which there is anybody to be luckier than.
    """
    deals = {game.deal for game in games if len(game.side_ranks()) > 1}
    if not deals or not baselines:
        return None

    def worth(policy: str) -> tuple[int, int, str]:
        covered = len(deals & {deal for deal, _ in baselines[policy]})
        return covered, int(policy.rpartition(":")[2]), policy

    policy = max(baselines, key=worth)
    missing = len(deals) - worth(policy)[0]
    lines = () if missing else tuple(luck_adjusted(games, baselines[policy], players))
    return LuckTable(policy, lines, missing)


def luck_adjusted(games: Iterable[Game], baseline: Baseline, players: Sequence[str] = ()) -> list[Adjusted]:
    """Adjusted scores of all players, best first. Players with fewer than three deals are left out.

    The luck of a game for a seat is the seat's prediction minus the mean prediction of all seats of the deal, less the
    luck that the player's seatings have on average by plan (a seat's standing advantage is not luck of the deal). The
    slope applied to a deal is fitted to all other deals, so that no result influences its own correction.

    Raises:
        KeyError: the baseline lacks a (deal, seat) that was played.
    """
    played = [game for game in games if len(game.side_ranks()) > 1]
    seat_mean = _seat_means(played, baseline)
    scores: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in player_names(played, players)}
    lucks: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in scores}
    for game in played:
        luck = [baseline[game.deal, seat] - seat_mean[len(game.players), seat] for seat in range(len(game.players))]
        for name, score, side in zip(game.players, game.scores(), game.sides, strict=True):
            mine = [x for x, other in zip(luck, game.sides, strict=True) if other == side]
            rest = [x for x, other in zip(luck, game.sides, strict=True) if other != side]
            scores[name][game.deal].append(score)
            lucks[name][game.deal].append(sum(mine) / len(mine) - sum(rest) / len(rest))
    slopes = _slopes(scores, lucks)
    found = []
    for name, by_deal in scores.items():
        deals = sorted(by_deal)
        if len(deals) < 3:
            continue
        size = np.array([len(by_deal[deal]) for deal in deals], dtype=np.float64)
        total = np.array([sum(by_deal[deal]) for deal in deals])
        luck_sum = np.array([sum(lucks[name][deal]) for deal in deals])
        slope = np.array([slopes[deal] for deal in deals])
        raw, raw_half = _ratio(total, size)
        mean, half = _ratio(total - slope * luck_sum, size)
        reduction = 1.0 - (half / raw_half) ** 2 if raw_half > 0.0 else 0.0
        found.append(
            Adjusted(
                player=name,
                deals=len(deals),
                raw=raw,
                raw_low=raw - raw_half,
                raw_high=raw + raw_half,
                score=mean,
                low=mean - half,
                high=mean + half,
                slope=float(slope.mean()),
                reduction=reduction,
            )
        )
    return sorted(found, key=lambda line: (-line.score, line.player))


def _seat_means(games: Iterable[Game], baseline: Baseline) -> dict[tuple[int, int], float]:
    """Mean prediction of each seat over the deals played, by (seats, seat): what is due to the seat, not the deal."""
    deals: dict[int, set[int]] = defaultdict(set)
    for game in games:
        deals[len(game.players)].add(game.deal)
    return {
        (seats, seat): sum(baseline[deal, seat] for deal in sorted(numbers)) / len(numbers)
        for seats, numbers in deals.items()
        for seat in range(seats)
    }


def _slopes(
    scores: Mapping[str, Mapping[int, Sequence[float]]], lucks: Mapping[str, Mapping[int, Sequence[float]]]
) -> dict[int, float]:
    """For each deal the regression slope of scores (less the player's mean) on luck over all *other* deals."""
    cross: dict[int, float] = defaultdict(float)
    square: dict[int, float] = defaultdict(float)
    for name, by_deal in scores.items():
        games = [score for deal in by_deal.values() for score in deal]
        mean = sum(games) / len(games) if games else 0.0
        for deal, values in by_deal.items():
            for score, luck in zip(values, lucks[name][deal], strict=True):
                cross[deal] += (score - mean) * luck
                square[deal] += luck * luck
    all_cross, all_square = sum(cross.values()), sum(square.values())
    return {
        deal: (all_cross - cross[deal]) / (all_square - square[deal]) if all_square - square[deal] > 1e-12 else 0.0
        for deal in cross
    }


def _ratio(total: Floats, size: Floats) -> tuple[float, float]:
    """Mean per game and half its 95 % interval, deals independent of each other."""
    n = len(size)
    mean = float(total.sum() / size.sum())
    error = math.sqrt(float(((total - mean * size) ** 2).sum()) * n / (n - 1)) / float(size.sum())
    return mean, float(stdtrit(n - 1, 0.975)) * error
