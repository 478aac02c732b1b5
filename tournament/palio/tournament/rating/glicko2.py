"""Glicko-2 (M. E. Glickman, *Example of the Glicko-2 system*, 2012): ratings with deviation and volatility.

A round is a rating period. A game of more than two sides counts as games between all pairs of them, each weighing
1 / (sides - 1), so that one game is one game's worth of evidence. Team members meet the mean of the other
side's ratings and share their side's result.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from scipy.optimize import brentq

from palio.tournament.rating.table import Difference, Rated, RatingTable
from palio.tournament.results import Game, in_order, pair_score, player_names

SCALE: Final = 400.0 / math.log(10.0)
CENTRE: Final = 1500.0
TAU: Final = 0.5
Z95: Final = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Glicko:
    """One player's state.

    Attributes:
        rating, deviation: Elo scale.
        volatility: expected change of the strength per period.
    """

    rating: float = CENTRE
    deviation: float = 350.0
    volatility: float = 0.06


@dataclass(frozen=True, slots=True)
class Result:
    """One game against an opponent as he was before the period.

    Attributes:
        score: 0 to 1.
        weight: how many games it counts for.
    """

    rating: float
    deviation: float
    score: float
    weight: float = 1.0


def update(player: Glicko, results: Sequence[Result], tau: float = TAU) -> Glicko:
    """The state after one rating period; without results only the deviation grows.

    Args:
        tau: how much volatilities may change, 0.3 to 1.2.
    """
    mu, phi = (player.rating - CENTRE) / SCALE, player.deviation / SCALE
    if not results:
        return Glicko(player.rating, SCALE * math.hypot(phi, player.volatility), player.volatility)
    information = surplus = 0.0
    for result in results:
        g = 1.0 / math.sqrt(1.0 + 3.0 * (result.deviation / SCALE / math.pi) ** 2)
        expected = 1.0 / (1.0 + math.exp(-g * (mu - (result.rating - CENTRE) / SCALE)))
        information += result.weight * g * g * expected * (1.0 - expected)
        surplus += result.weight * g * (result.score - expected)
    variance = 1.0 / information
    volatility = _volatility(phi, variance, variance * surplus, player.volatility, tau)
    before = phi**2 + volatility**2
    after = 1.0 / (1.0 / before + information)
    return Glicko(CENTRE + SCALE * (mu + after * surplus), SCALE * math.sqrt(after), volatility)


def _volatility(phi: float, variance: float, delta: float, old: float, tau: float) -> float:
    """The likeliest new volatility (Glickman's step 5); its logarithm is a root of a falling function."""
    start = math.log(old * old)

    def slope(x: float) -> float:
        e = math.exp(x)
        total = phi * phi + variance + e
        return e * (delta * delta - total) / (2.0 * total * total) - (x - start) / (tau * tau)

    low = high = start
    while slope(low) < 0.0:
        low -= tau
    while slope(high) > 0.0:
        high += tau
    return old if low == high else math.exp(float(brentq(slope, low, high, xtol=1e-12)) / 2.0)


@dataclass(frozen=True, slots=True)
class Glicko2:
    """Glicko-2 as a rating method. Its intervals are the method's own: rating ± 1.96 deviations.

    Attributes:
        tau: see :func:`update`.
    """

    tau: float = TAU
    name: str = "glicko2"

    def states(self, games: Iterable[Game], players: Sequence[str] = ()) -> dict[str, Glicko]:
        """Everybody's state after the last round."""
        played = in_order(games)
        state = {name: Glicko() for name in player_names(played, players)}
        for number in sorted({game.round for game in played}):
            results = _results([game for game in played if game.round == number], state)
            state = {name: update(old, results[name], self.tau) for name, old in state.items()}
        return state

    def rate(self, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
        """See :class:`palio.tournament.rating.table.Rating`."""
        state = self.states(games, players)
        seated = Counter(name for game in games if len(game.side_ranks()) > 1 for name in game.players)
        rated = sorted(
            (
                Rated(name, s.rating, s.rating - Z95 * s.deviation, s.rating + Z95 * s.deviation, seated[name])
                for name, s in state.items()
            ),
            key=lambda line: (-line.elo, line.player),
        )
        note = f"Glicko-2, tau {self.tau:g}, a rating period is a round, games of many sides as weighted pairs"
        return RatingTable(self.name, tuple(rated), normal_differences(_moments(state)), notes=(note,))


def _moments(state: dict[str, Glicko]) -> dict[str, tuple[float, float]]:
    return {name: (s.rating, s.deviation) for name, s in state.items()}


def normal_differences(moments: dict[str, tuple[float, float]]) -> dict[str, dict[str, Difference]]:
    """Differences of independent normal ratings, from each player's mean and standard deviation (Elo)."""
    table: dict[str, dict[str, Difference]] = {}
    for a, (mean, deviation) in moments.items():
        table[a] = {}
        for b, (other, spread) in moments.items():
            if a != b:
                gap, error = mean - other, math.hypot(deviation, spread)
                table[a][b] = Difference(gap, gap - Z95 * error, gap + Z95 * error, NormalDist().cdf(gap / error))
    return table


def _results(games: Iterable[Game], state: dict[str, Glicko]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    for game in games:
        ranks = game.side_ranks()
        if len(ranks) < 2:
            continue
        members = {side: [n for n, s in zip(game.players, game.sides, strict=True) if s == side] for side in ranks}
        weight = 1.0 / (len(ranks) - 1)
        for side, rank in ranks.items():
            for other, other_rank in ranks.items():
                if side == other:
                    continue
                rivals = [state[name] for name in members[other]]
                rating = sum(r.rating for r in rivals) / len(rivals)
                deviation = math.sqrt(sum(r.deviation**2 for r in rivals)) / len(rivals)
                for name in members[side]:
                    share = weight / members[side].count(name)
                    found[name].append(Result(rating, deviation, pair_score(rank, other_rank), share))
    return found
