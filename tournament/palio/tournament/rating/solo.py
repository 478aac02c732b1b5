"""Ranking of solo matches: mean points over the same deals."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from palio.tournament.results import Game, player_names


@dataclass(frozen=True, slots=True)
class SoloLine:
    """One player's result.

    Attributes:
        place: from 1; equal means share it.
        deals: how many were played.
        points: mean points per deal; ``nan`` without a deal.
        low, high: its 95 % interval over deals, as if others' deals were others'; ``None`` with fewer than two.
    """

    place: int
    player: str
    deals: int
    points: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class SoloGap:
    """How many points per deal one player is ahead of another, over the deals that both played.

    Attributes:
        deals: how many.
        points: mean difference.
        low, high: 95 % interval of paired differences, in which the luck of the deals cancels.
        los: probability that the first is really better.
    """

    deals: int
    points: float
    low: float | None
    high: float | None
    los: float | None


def solo_table(
    games: Iterable[Game], players: Sequence[str] = ()
) -> tuple[list[SoloLine], dict[str, dict[str, SoloGap]]]:
    """The ranking, and ``gaps[a][b]`` for every two players. Several games of one deal count with their mean."""
    played = [game for game in games if len(game.players) == 1]
    points: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in player_names(played, players)}
    for game in played:
        points[game.players[0]][game.deal].append(game.points[0])
    means = {name: {deal: sum(x) / len(x) for deal, x in by_deal.items()} for name, by_deal in points.items()}
    lines = [SoloLine(0, name, len(by_deal), *_mean(list(by_deal.values()))[:3]) for name, by_deal in means.items()]
    lines.sort(key=lambda line: (line.deals == 0, -line.points if line.deals else 0.0, line.player))
    placed: list[SoloLine] = []
    for number, line in enumerate(lines, 1):
        same = placed and placed[-1].points == line.points
        place = placed[-1].place if same else number
        placed.append(SoloLine(place, line.player, line.deals, line.points, line.low, line.high))
    gaps: dict[str, dict[str, SoloGap]] = {name: {} for name in means}
    for a, mine in means.items():
        for b, theirs in means.items():
            if a != b:
                apart = [mine[deal] - theirs[deal] for deal in sorted(mine.keys() & theirs.keys())]
                gaps[a][b] = SoloGap(len(apart), *_mean(apart))
    return placed, gaps


def _mean(values: Sequence[float]) -> tuple[float, float | None, float | None, float | None]:
    """Mean, 95 % interval (Student's t), and the probability that the true mean is positive."""
    n = len(values)
    if not n:
        return math.nan, None, None, None
    mean = float(np.mean(values))
    if n < 2:
        return mean, None, None, None
    error = float(np.std(values, ddof=1)) / math.sqrt(n)
    half = float(stdtrit(n - 1, 0.975)) * error
    los = float(stdtr(n - 1, mean / error)) if error > 0.0 else 0.5 + 0.5 * ((mean > 0) - (mean < 0))
    return mean, mean - half, mean + half, los
